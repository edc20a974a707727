"""The first page of the results: which files there are, and which data sets are done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fuzzyfrog.experiment.config import FIGURES_FOLDER, Experiment, figure_path
from fuzzyfrog.experiment.markdown import GAP, Rows, beside, linked, table
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Results
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
PERCENT = (
    "A percentage is the share of the cells that are there; `fuzzyfrog reproduce` computes the "
    "rest."
)


@dataclass(frozen=True, eq=False)
class Index:
    """The first page.

    Attributes
    ----------
    experiment : Experiment
        What was asked.
    paper : PaperFigures
        What the paper printed.
    shapes : mapping of str to Shape
        The sizes of the tables, of those that are known.
    results : mapping of (str, str) to Results
        By panel and protocol.
    """

    experiment: Experiment
    paper: PaperFigures
    shapes: Mapping[str, Shape]
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
        lines += ["## Data sets", "", *table(self._status()), "", self._remark()]
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

    def _status(self) -> Rows:
        places = [f"{panel}, {protocol}" for panel, protocol in self.results]
        rows = [["data", "samples", "features", "classes", *places]]
        names = [one.name for one in self.experiment.data]
        return rows + [[name, *self._shape(name), *self._done(name)] for name in names]

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

    def _remark(self) -> str:
        is_complete = all(
            entry.n_missing == 0
            for results in self.results.values()
            for entries in results.values()
            for entry in entries.values()
        )
        return "Nothing is missing." if is_complete else PERCENT


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
