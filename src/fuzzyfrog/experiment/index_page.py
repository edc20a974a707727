"""The first page of the results: what there is, what is done, what the rest may cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fuzzyfrog.experiment.config import Experiment
from fuzzyfrog.experiment.cost_model import CostModel, Span, held_out
from fuzzyfrog.experiment.costs import NOTHING, Cost, missing_cost
from fuzzyfrog.experiment.figure_names import FIGURES_FOLDER, figure_path
from fuzzyfrog.experiment.markdown import GAP, Rows, beside, linked, table
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.progress import duration
from fuzzyfrog.experiment.results import Lookup, Results
from fuzzyfrog.experiment.shapes import Shape

__all__ = ["Index"]

# What people read first, in this order; then the tables.
PAGES = {
    "verdict.md": "which claims of the paper hold, by our figures",
    "settings.md": "versions, dates, data sets, selectors with all parameters, numbers of frogs",
}
FIGURES = {
    "accuracy": "accuracies",
    "ranks": "ranks with the critical difference",
    "sizes": "numbers of features",
    "seconds": "times",
}
CELLS = (
    "All of it is computed from the cells, one JSON object a line, in `cells.jsonl` or, packed, in "
    "`cells.jsonl.gz`."
)
COUNTERPARTS = """\
| in the paper | here |
|---|---|
| data set characteristics | settings.md, "Data sets"; and below |
| parameters of GA, PSO, SFLA and B-SFLA (five tables) | settings.md, "Selectors" and "Frogs" |
| number of selected features | "Number of features" in every page; figures/sizes-*.svg |
| accuracies: mean, deviation, best | "Accuracy", "Best classifier"; figures/accuracy-*.svg |
| number of wins | "Wins and ranks" |
| average rankings (Friedman) | "Wins and ranks"; figures/ranks-*.svg |
| post-hoc comparison (Li) | "Post-hoc tests" |
| computation time | "Seconds" and "Evaluations of a selection"; figures/seconds-*.svg |
"""
ESTIMATE = (
    "The time of what is missing is estimated from the cells that are there. A law "
    "seconds = c + a · weight^b is fitted for each selector (weight: samples x features) and for "
    "each classifier (a fold; weight: samples x selected features x classes); the number of "
    "selected features follows a law of the number of features. The exponent b is 1 unless the "
    "tables that are done clearly say otherwise. As many selections are taken to find the same "
    "features, and so to share their accuracies, as among those done. A classifier of Weka counts "
    "at most as long as the config lets it run; one that was given up as long as it ran, at least. "
    "The first time is one that one in ten cells went below, so that of one process on a machine "
    "that does little else; the second one that one in ten went above, beside much other work."
)
HOW_GOOD = (
    "How good it is: what the cells of the largest table took, and what the laws of the other "
    "tables foretold. Tables that are larger still are less sure."
)
LEAST_TABLES = 4  # that a law is tried on one, and learned from the others


@dataclass(frozen=True, eq=False)
class Index:
    """The first page.

    Attributes
    ----------
    experiment : Experiment
        What was asked.
    paper : PaperFigures
        What the paper printed.
    lookup : Lookup
        The cells.
    shapes : mapping of str to Shape
        The sizes of the tables, of those that are known.
    panels : mapping of str to sequence of str
        The classifiers of each panel.
    results : mapping of (str, str) to Results
        By panel and protocol.
    """

    experiment: Experiment
    paper: PaperFigures
    lookup: Lookup
    shapes: Mapping[str, Shape]
    panels: Mapping[str, Sequence[str]]
    results: Mapping[tuple[str, str], Results]

    def page(self, files: Sequence[str], *, has_figures: bool) -> str:
        """Give the Markdown page.

        Parameters
        ----------
        files : sequence of str
            The paths of all other files below the folder of the results.
        has_figures : bool
            Whether figures could be drawn.

        Returns
        -------
        str
            Markdown.
        """
        lines = [f"# {self.experiment.title}: results", "", *self._files(files), "", CELLS, ""]
        if not has_figures:
            lines += ["There are no figures: pip install 'fuzzyfrog[report]' brings them.", ""]
        if self.paper.methods:
            lines += ["## Tables and figures of the paper", "", COUNTERPARTS]
        costs = self._costs()
        lines += ["## Data sets", "", *table(self._status(costs)), "", *self._estimate(costs)]
        return "\n".join([*lines, ""])

    def _files(self, files: Sequence[str]) -> list[str]:
        pages = [name for name in files if not _is_figure(name)]
        rows: Rows = [["file", "what"]]
        ordered = sorted(pages, key=[*PAGES, *pages].index)
        rows += [[linked(name), _what(name)] for name in ordered]
        figures = self._figures(set(files) - set(pages))
        return [*table(rows), "", *table(figures)] if len(figures) > 1 else table(rows)

    def _figures(self, paths: set[str]) -> Rows:
        """Give a row for what is shown and a column for each line-up."""
        places = [(), *((protocol.name,) for protocol in self.experiment.protocols), *self.results]
        rows: Rows = [["figures", *self.experiment.lineups]]
        for kind in FIGURES:
            for place in places:
                links = [figure_path(kind, one, *place) for one in self.experiment.lineups]
                if paths.intersection(links):
                    cells = [f"[svg]({path})" if path in paths else GAP for path in links]
                    rows.append([", ".join([FIGURES[kind], *place]), *cells])
        return rows

    def _costs(self) -> dict[str, Cost]:
        model = CostModel(self.lookup.cells(), self.shapes)
        costs = {}
        for one in self.experiment.data:
            shape = self.shapes.get(one.name)
            parts = (
                missing_cost(
                    self.experiment, self.lookup, model, one.name, shape, protocol, self.panels
                )
                for protocol in self.experiment.protocols
            )
            costs[one.name] = sum(parts, NOTHING)
        return costs

    def _status(self, costs: Mapping[str, Cost]) -> Rows:
        places = [f"{panel}, {protocol}" for panel, protocol in self.results]
        rows = [["data", "samples", "features", "classes", *places, "cells to do", "estimate"]]
        for data, cost in costs.items():
            rows.append([data, *self._shape(data), *self._done(data), *_shown_cost(cost)])
        return rows

    def _shape(self, data: str) -> list[str]:
        shape = self.shapes.get(data)
        if shape is None:
            return [GAP, GAP, GAP]
        return [
            beside(str(shape.n_samples), self.paper.get("datasets", data, "samples")),
            beside(str(shape.n_features), self.paper.get("datasets", data, "features")),
            str(shape.n_classes),
        ]

    def _done(self, data: str) -> list[str]:
        told = []
        for results in self.results.values():
            entries = results[data].values()
            n_missing = sum(entry.n_missing for entry in entries)
            n_cells = sum(entry.n_cells for entry in entries)
            failed = ", some failed" if any(entry.errors for entry in entries) else ""
            if n_missing == 0:
                told.append(f"done{failed}")
            elif n_missing == n_cells:
                told.append("missing")
            else:
                told.append(f"{100 * (n_cells - n_missing) // n_cells} %{failed}")
        return told

    def _estimate(self, costs: Mapping[str, Cost]) -> list[str]:
        left = sum(costs.values(), NOTHING)
        if left.n_cells == 0:
            return ["Nothing is missing."]
        total = f"In all {left.n_cells:,.0f} cells are to do: {_shown_span(left.seconds)}."
        checks = [line for panel in (None, *self.panels) for line in self._check(panel)]
        how_good = ["", HOW_GOOD, "", *checks] if checks else []
        return [f"{total} {ESTIMATE}", *how_good]

    def _check(self, panel: str | None) -> list[str]:
        """Tell how the laws do on the largest table of a panel, or of selections, without it."""
        cells = [cell for cell in self.lookup.cells() if cell["key"].get("panel") == panel]
        tables = dict.fromkeys(cell["key"]["data"] for cell in cells)
        known = [data for data in tables if data in self.shapes]
        if len(known) < LEAST_TABLES:
            return []
        largest = max(known, key=lambda name: _cells_of(self.shapes[name]))
        found = held_out(cells, self.shapes, largest)
        if found is None:
            return []
        predicted, measured = found
        told = f"{largest} took {duration(measured)}; foretold: {_shown_span(predicted)}."
        return [f"- {panel or 'selections'}: {told}"]


def _cells_of(shape: Shape) -> int:
    return shape.n_samples * shape.n_features


def _shown_cost(cost: Cost) -> list[str]:
    if cost.n_cells == 0:
        return ["", ""]
    return [f"{cost.n_cells:,.0f}", _shown_span(cost.seconds)]


def _shown_span(span: Span | None) -> str:
    if span is None:
        return GAP
    ends = dict.fromkeys(duration(end) for end in (span.quick, span.slow))
    return " to ".join(ends)


def _is_figure(name: str) -> bool:
    return name.startswith(f"{FIGURES_FOLDER}/")


def _what(name: str) -> str:
    if name in PAGES:
        return PAGES[name]
    if name.endswith("-leak.md"):
        return "what selecting on the test samples is worth"
    if name.endswith("-classifiers.csv"):
        return "every accuracy"
    if name.endswith(".csv"):
        return "a row for each data set and selector"
    return "sizes, accuracies, wins, ranks, tests and times"
