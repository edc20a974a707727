"""The figures of an experiment as SVG files, through matplotlib."""

import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzyfrog.experiment.comparison import compare
from fuzzyfrog.experiment.comparison.cd_diagram import diagram_height, draw_cd
from fuzzyfrog.experiment.config import FIGURES_FOLDER, figure_path
from fuzzyfrog.experiment.dot_chart import DotChart, chart_height, draw_dots
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Lineup

__all__ = ["can_draw", "write_figures"]

MAX_MEMBERS = 6  # more dots on a line cannot be told apart
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "fuzzyfrog",  # the same cells give the same file
    "text.parse_math": False,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
}


def can_draw() -> bool:
    """Tell whether matplotlib, an extra, is there."""
    return importlib.util.find_spec("matplotlib") is not None


@dataclass(frozen=True, eq=False)
class _Figure:
    path: str
    n_datasets: int
    height: float
    draw: Any


def write_figures(
    lineups: Mapping[tuple[str, str], Sequence[Lineup]], paper: PaperFigures, out: Path
) -> frozenset[str]:
    """Write sizes, times, accuracies and ranks of every lineup.

    Parameters
    ----------
    lineups : mapping of (str, str) to sequence of Lineup
        By panel and protocol.
    paper : PaperFigures
        What is drawn beside ours.
    out : Path
        Folder of the results; figures go to a folder below it.

    Returns
    -------
    frozenset of str
        Their paths below `out`; none where there is too little to draw.
    """
    import matplotlib.figure
    import matplotlib.style

    (out / FIGURES_FOLDER).mkdir(exist_ok=True)
    fullest = _fullest(_figures(lineups, paper))
    with matplotlib.style.context(["default", STYLE]):
        for path, one in fullest.items():
            figure = matplotlib.figure.Figure(figsize=(8, one.height), layout="constrained")
            one.draw(figure.subplots())
            figure.savefig(out / path, metadata={"Date": None, "Creator": None})
    return frozenset(fullest)


def _fullest(figures: Iterable[_Figure]) -> dict[str, _Figure]:
    """Give one figure for each path.

    Sizes and times do not depend on the panel, but which data sets are done does: of the panels,
    that with the most is drawn.
    """
    fullest: dict[str, _Figure] = {}
    for one in figures:
        if one.path not in fullest or one.n_datasets > fullest[one.path].n_datasets:
            fullest[one.path] = one
    return fullest


def _figures(
    lineups: Mapping[tuple[str, str], Sequence[Lineup]], paper: PaperFigures
) -> Iterator[_Figure]:
    for (panel, protocol), some in lineups.items():
        for lineup in some:
            if len(lineup.done) >= 2 and len(lineup.selectors) >= 2:
                yield _ranks(lineup, panel, protocol)
            if lineup.done and len(lineup.selectors) <= MAX_MEMBERS:
                yield from _dots(lineup, panel, protocol, paper)


def _ranks(lineup: Lineup, panel: str, protocol: str) -> _Figure:
    found = compare(lineup.scores())

    def draw(ax: Any) -> None:
        draw_cd(found.ranks, found.n_datasets, ax)
        ax.set_title(f"{lineup.name}, {panel}, protocol {protocol}\n{ax.get_title(loc='left')}")

    path = figure_path("ranks", lineup.name, panel, protocol)
    return _Figure(path, found.n_datasets, diagram_height(len(found.ranks)), draw)


def _dots(lineup: Lineup, panel: str, protocol: str, paper: PaperFigures) -> Iterator[_Figure]:
    for kind, where, label, scale, ours, theirs in (
        ("sizes", (protocol,), "number of features", "log", lineup.sizes(), "sizes"),
        ("seconds", (protocol,), "seconds of a selection", "log", lineup.seconds(), "seconds"),
        ("accuracy", (panel, protocol), f"mean accuracy of the classifiers ({panel}), percent",
         "linear", lineup.scores(), "accuracy_mean"),
    ):  # fmt: skip
        beside = paper.numbers(theirs, lineup.done)
        chart = DotChart(
            f"{lineup.name}, protocol {protocol}",
            label,
            scale,
            ours,
            {
                data: {one.name: beside[data].get(one.paper or "") for one in lineup.selectors}
                for data in lineup.done
            },
        )

        def draw(ax: Any, chart: DotChart = chart) -> None:
            draw_dots(ax, chart)

        height = chart_height(len(ours), len(lineup.selectors))
        yield _Figure(figure_path(kind, lineup.name, *where), len(ours), height, draw)
