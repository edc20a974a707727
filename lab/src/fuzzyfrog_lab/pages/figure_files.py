"""Draw the figures of an experiment as SVG files with matplotlib."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzyfrog.common.files import Unwritten, written_whole
from fuzzyfrog_lab.comparison import compare
from fuzzyfrog_lab.comparison.cd_diagram import diagram_height, draw_cd
from fuzzyfrog_lab.config import FIGURES_FOLDER, figure_path
from fuzzyfrog_lab.published import PublishedFigures
from fuzzyfrog_lab.results import Lineup

Values = Mapping[str, Mapping[str, float | None]]

MAX_MEMBERS = 6  # more dots on a line cannot be told apart
# Distinguishable for color-blind readers (Okabe and Ito), and by their marks.
COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#000000", "#d55e00")
MARKS = ("o", "s", "^", "D", "v", "P")
LEAST = 1e-3  # seconds; shorter times are drawn there
SPREAD = 0.7  # share of the space of a data set for its dots
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "fuzzyfrog",  # the same cells give the same file
    "text.parse_math": False,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
}


@dataclass(frozen=True, eq=False)
class _Figure:
    path: str
    n_datasets: int
    height: float
    draw: Any


def write_figures(
    lineups: Mapping[tuple[str, str], Sequence[Lineup]],
    published: PublishedFigures,
    out: Path,
    unwritten: Unwritten,
) -> frozenset[str]:
    """Draw sizes, times, accuracies and ranks of every lineup; return the paths below `out`.

    Files that cannot be written are noted in `unwritten`.
    """
    import matplotlib.figure
    import matplotlib.style

    with unwritten.noted(out / FIGURES_FOLDER):
        (out / FIGURES_FOLDER).mkdir(exist_ok=True)
    fullest = _fullest(_figures(lineups, published))
    with matplotlib.style.context(["default", STYLE]):
        for path, one in fullest.items():
            figure = matplotlib.figure.Figure(figsize=(8, one.height), layout="constrained")
            one.draw(figure.subplots())
            with unwritten.noted(out / path), written_whole(out / path) as file:
                figure.savefig(file, metadata={"Date": None, "Creator": None})
    return frozenset(path for path in fullest if out / path not in unwritten)


def _fullest(figures: Iterable[_Figure]) -> dict[str, _Figure]:
    """Return one figure for each path.

    Sizes and times do not depend on the panel, but the finished data sets do: draw the panel with
    the most.
    """
    fullest: dict[str, _Figure] = {}
    for one in figures:
        if one.path not in fullest or one.n_datasets > fullest[one.path].n_datasets:
            fullest[one.path] = one
    return fullest


def _figures(
    lineups: Mapping[tuple[str, str], Sequence[Lineup]], published: PublishedFigures
) -> Iterator[_Figure]:
    for (panel, protocol), some in lineups.items():
        for lineup in some:
            if len(lineup.done) >= 2 and len(lineup.selectors) >= 2:
                yield _ranks(lineup, panel, protocol)
            if lineup.done and len(lineup.selectors) <= MAX_MEMBERS:
                yield from _dots(lineup, panel, protocol, published)


def _ranks(lineup: Lineup, panel: str, protocol: str) -> _Figure:
    found = compare(lineup.scores())

    def draw(ax: Any) -> None:
        draw_cd(found.ranks, found.n_datasets, ax)
        ax.set_title(f"{lineup.name}, {panel}, protocol {protocol}\n{ax.get_title(loc='left')}")

    path = figure_path("ranks", lineup.name, panel, protocol)
    return _Figure(path, found.n_datasets, diagram_height(len(found.ranks)), draw)


def _dots(
    lineup: Lineup, panel: str, protocol: str, published: PublishedFigures
) -> Iterator[_Figure]:
    judged = f"mean {lineup.metric.title} of the {lineup.metric.models} ({panel})"
    if lineup.metric.scale == 100.0:
        judged += ", percent"
    for kind, where, label, scale, ours, theirs in (
        ("sizes", (protocol,), "number of features", "log", lineup.sizes(), "sizes"),
        ("seconds", (protocol,), "seconds of a selection", "log", lineup.seconds(), "seconds"),
        ("accuracy", (panel, protocol), judged, "linear", lineup.scores(), "accuracy_mean"),
    ):  # fmt: skip
        printed = published.numbers(theirs, lineup.done)
        chart = _DotChart(
            f"{lineup.name}, protocol {protocol}",
            label,
            scale,
            ours,
            {
                data: {one.name: printed[data].get(one.paper or "") for one in lineup.selectors}
                for data in lineup.done
            },
        )

        def draw(ax: Any, chart: _DotChart = chart) -> None:
            _draw_dots(ax, chart)

        height = 1.6 + len(ours) * (0.12 + 0.085 * len(lineup.selectors))  # dots do not touch
        yield _Figure(figure_path(kind, lineup.name, *where), len(ours), height, draw)


@dataclass(frozen=True, eq=False)
class _DotChart:
    title: str
    label: str
    scale: str
    ours: Values  # by data set and method
    published: Values


def _draw_dots(ax: Any, chart: _DotChart) -> None:
    """Draw a line for each data set and a dot for each method, hollow for the published figure."""
    datasets = list(chart.ours)
    methods = list(next(iter(chart.ours.values())))
    for place, method in enumerate(methods):
        shift = SPREAD * ((place + 0.5) / len(methods) - 0.5)
        color, mark = COLORS[place], MARKS[place]
        _draw_marks(ax, chart.published, method, shift, chart.scale, marker=mark, markersize=7.5,
                    markerfacecolor="white", color=color, label="_")  # fmt: skip
        _draw_marks(ax, chart.ours, method, shift, chart.scale, marker=mark, markersize=4,
                    markerfacecolor=color, color=color, label=method)  # fmt: skip
    if any(value is not None for row in chart.published.values() for value in row.values()):
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
    """Make the scale logarithmic, with ticks at 2 and 5 too if there is room."""
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
    scale: str,
    *,
    marker: str,
    markersize: float,
    markerfacecolor: str,
    color: str,
    label: str,
) -> None:
    points = [
        (value if scale == "linear" else max(value, LEAST), place + shift)
        for place, row in enumerate(values.values())
        if (value := row[method]) is not None
    ]
    ax.plot([x for x, _ in points], [y for _, y in points], linestyle="", marker=marker,
            markersize=markersize, markerfacecolor=markerfacecolor, color=color,
            label=label)  # fmt: skip
