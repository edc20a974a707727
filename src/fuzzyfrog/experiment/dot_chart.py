"""Figures of several methods on many data sets, the paper's as hollow marks beside ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["DotChart", "chart_height", "draw_dots"]

# Told apart also by those who see no red or green (Okabe and Ito), and by their marks.
COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#000000", "#d55e00")
MARKS = ("o", "s", "^", "D", "v", "P")
LEAST = 1e-3  # seconds; what is quicker is drawn there
SPREAD = 0.7  # of the space of a data set that its dots take

Values = Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True, eq=False)
class DotChart:
    """What a chart shows.

    Attributes
    ----------
    title, label : str
        Its title and what the axis shows.
    scale : str
        "linear" or "log".
    ours, paper : mapping of str to mapping of str to float or None
        Figures by data set and method.
    """

    title: str
    label: str
    scale: str
    ours: Values
    paper: Values


def chart_height(n_datasets: int, n_methods: int) -> float:
    """Give the height in inches at which dots do not touch."""
    return 1.6 + n_datasets * (0.12 + 0.085 * n_methods)


def draw_dots(ax: Any, chart: DotChart) -> None:
    """Draw a chart: a line for each data set, a dot for each method.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    chart : DotChart
        What to draw.
    """
    datasets = list(chart.ours)
    methods = list(next(iter(chart.ours.values())))
    for place, method in enumerate(methods):
        shift = SPREAD * ((place + 0.5) / len(methods) - 0.5)
        color, mark = COLORS[place], MARKS[place]
        _draw_marks(ax, chart.paper, method, shift, marker=mark, markersize=7.5,
                    markerfacecolor="white", color=color, label="_")  # fmt: skip
        _draw_marks(ax, chart.ours, method, shift, marker=mark, markersize=4,
                    markerfacecolor=color, color=color, label=method)  # fmt: skip
    if any(value is not None for row in chart.paper.values() for value in row.values()):
        ax.plot([], [], linestyle="", marker="o", markerfacecolor="white", color="#6b7280",
                label="hollow: the paper")  # fmt: skip
    if chart.scale == "log":
        _mark_log_scale(ax)
    ax.set_yticks(range(len(datasets)), datasets)
    ax.set_ylim(len(datasets) - 0.5, -0.5)
    for line in range(1, len(datasets)):
        ax.axhline(line - 0.5, color="#e5e7eb", linewidth=0.8, zorder=0)
    ax.grid(axis="x", color="#e5e7eb", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(chart.label)
    ax.set_title(chart.title, pad=44)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize=9,
              columnspacing=1.2, handletextpad=0.2, borderaxespad=0.2)  # fmt: skip


def _mark_log_scale(ax: Any) -> None:
    """Make the scale logarithmic, with 2 and 5 beside the powers of ten if there is room."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    lowest, highest = ax.get_xlim()
    steps = (1, 2, 5) if highest < 1000 * lowest else (1,)
    ax.xaxis.set_major_locator(LogLocator(subs=steps))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


def _draw_marks(
    ax: Any,
    values: Values,
    method: str,
    shift: float,
    *,
    marker: str,
    markersize: float,
    markerfacecolor: str,
    color: str,
    label: str,
) -> None:
    points = [
        (max(value, LEAST), place + shift)
        for place, row in enumerate(values.values())
        if (value := row[method]) is not None
    ]
    ax.plot([x for x, _ in points], [y for _, y in points], linestyle="", marker=marker,
            markersize=markersize, markerfacecolor=markerfacecolor, color=color,
            label=label)  # fmt: skip
