"""The critical-difference diagram of Demšar (2006), through matplotlib."""

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Any

from fuzzyfrog_lab.comparison.ranks import critical_difference

INK, SOFT = "#1d2423", "#8a938f"
ROW = 0.28  # inches


def draw_cd(ranks: Mapping[str, float], n_datasets: int, ax: Any = None) -> Any:
    """Draw mean ranks on a line, with bars under those that do not differ by Nemenyi's test."""
    if ax is None:
        ax = _new_axes(diagram_height(len(ranks)))
    width = critical_difference(len(ranks), n_datasets)
    lowest = floor(min(ranks.values()))
    highest = ceil(max(*ranks.values(), lowest + width))
    groups = indistinct_groups(ranks, width)
    _draw_scale(ax, lowest, highest, width)
    for level, (first, last) in enumerate(groups):
        y = -0.5 - 0.35 * level
        ax.plot([first - 0.02, last + 0.02], [y, y], color=INK, linewidth=3.5, zorder=3,
                solid_capstyle="butt")  # fmt: skip
    _draw_methods(ax, ranks, lowest, highest, top=-0.9 - 0.35 * len(groups))
    ax.set_title(
        f"Mean ranks over {n_datasets} data sets, 1 is best; critical difference {width:.2f}"
    )
    ax.set_axis_off()
    return ax


def diagram_height(n_methods: int) -> float:
    """Return the height in inches at which names do not touch."""
    return 1.6 + ROW * (ceil(n_methods / 2) + n_methods / 4)


def indistinct_groups(ranks: Mapping[str, float], width: float) -> list[tuple[float, float]]:
    """Return the first and last rank of each maximal group that lies within a width."""
    ordered = sorted(ranks.values())
    groups: list[tuple[float, float]] = []
    for place, first in enumerate(ordered):
        last = max(rank for rank in ordered if rank - first < width)
        is_inside_previous = bool(groups) and last <= groups[-1][1]
        if ordered.index(last) > place and last > first and not is_inside_previous:
            groups.append((first, last))
    return groups


def _draw_scale(ax: Any, lowest: int, highest: int, width: float) -> None:
    ax.plot([lowest, highest], [0, 0], color=INK, linewidth=1.2, zorder=2)
    for rank in range(lowest, highest + 1):
        ax.plot([rank, rank], [0, 0.15], color=INK, linewidth=1.2)
        ax.text(rank, 0.3, str(rank), ha="center", va="bottom", color=INK)
    ax.plot([lowest, lowest + width], [1.35, 1.35], color=SOFT, linewidth=3,
            solid_capstyle="butt")  # fmt: skip
    ax.text(lowest + width + 0.03 * (highest - lowest), 1.35, "critical difference", ha="left",
            va="center", color=SOFT)  # fmt: skip


def _draw_methods(
    ax: Any, ranks: Mapping[str, float], lowest: int, highest: int, top: float
) -> None:
    """Draw a line from each rank to a name: the better half on the left, the others right."""
    ordered: Sequence[str] = sorted(ranks, key=lambda method: ranks[method])
    half = ceil(len(ordered) / 2)
    margin = 0.06 * (highest - lowest)
    for places, x, side in (
        (ordered[:half], lowest - margin, "right"),
        (ordered[half:][::-1], highest + margin, "left"),
    ):
        for row, method in enumerate(places):
            y = top - 0.75 * row
            rank = ranks[method]
            ax.plot([x, rank, rank], [y, y, 0], color=SOFT, linewidth=1, zorder=1)
            ax.plot([rank], [0], marker="o", markersize=5, color=INK, zorder=4)
            inset = -0.2 * margin if side == "right" else 0.2 * margin
            ax.text(x + inset, y, f"{method}  {rank:.2f}", ha=side, va="center", color=INK)
    ax.set_xlim(lowest - 0.45 * (highest - lowest), highest + 0.45 * (highest - lowest))
    ax.set_ylim(top - 0.75 * half, 1.9)


def _new_axes(height: float) -> Any:
    import matplotlib.pyplot as plt  # large

    return plt.subplots(figsize=(8, height), layout="constrained")[1]
