"""The page of one panel under one protocol: every table of the paper, ours beside its figures."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from fuzzyfrog.experiment.config import Experiment, Protocol, SelectorEntry
from fuzzyfrog.experiment.figure_names import figure_path
from fuzzyfrog.experiment.lineup import Lineup
from fuzzyfrog.experiment.markdown import GAP, Rows, beside, table
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.ranking_page import ranking_lines
from fuzzyfrog.experiment.results import Figures, Results

__all__ = ["Sheet"]

LEAKS = {
    "paper": "Features were selected on all samples, the test samples included: optimistic.",
    "nested": "Features were selected on the training part of every fold.",
}
Cell = Callable[[str, SelectorEntry], str]


@dataclass(frozen=True, eq=False)
class Sheet:
    """The page of one panel under one protocol.

    Attributes
    ----------
    experiment : Experiment
        What was asked.
    protocol : Protocol
        Under which protocol.
    panel : str
        Name of the panel.
    results : mapping of str to mapping of str to Entry
        What came out, by data set and selector.
    lineups : sequence of Lineup
        The same, by lineup.
    paper : PaperFigures
        What is put in brackets.
    figures : frozenset of str
        Paths of the figures that were drawn.
    """

    experiment: Experiment
    protocol: Protocol
    panel: str
    results: Results
    lineups: Sequence[Lineup]
    paper: PaperFigures
    figures: frozenset[str] = frozenset()

    def page(self) -> str:
        """Give the Markdown page."""
        lines = [
            f"# {self.experiment.title}: {self.panel}, protocol {self.protocol.name}",
            "",
            LEAKS[self.protocol.name],
            f"{self.experiment.folds} stratified folds, drawn with seed "
            f"{self.experiment.fold_seed}; searches with {self._seeds()}. Accuracies are means "
            f"over the classifiers, in percent, ± standard deviation (n - 1). {GAP} is a gap.",
        ]
        for lineup in self.lineups:
            lines += ["", f"## {lineup.name}", "", *self._lineup(lineup)]
        return "\n".join([*lines, "", *self._failures(), ""])

    def _seeds(self) -> str:
        seeds = self.protocol.seeds
        return f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"

    def _lineup(self, lineup: Lineup) -> list[str]:
        protocol = self.protocol.name
        both = (self.panel, protocol)
        parts: list[tuple[str, Rows, str, tuple[str, ...]]] = [
            ("Number of features", self._sizes(lineup), "sizes", (protocol,)),
            ("Accuracy", self._accuracies(lineup), "accuracy", both),
            ("Best classifier", self._bests(lineup), "best", both),
            ("Seconds of a selection", self._seconds(lineup), "seconds", (protocol,)),
        ]
        lines: list[str] = []
        for title, rows, kind, where in parts:
            lines += [f"### {title}{self.paper.remark}", "", *table(rows), ""]
            lines += self._figure(kind, lineup, where)
        lines += [*ranking_lines(lineup, self.paper), ""]
        return [*lines, *self._figure("ranks", lineup, both)]

    def _figure(self, kind: str, lineup: Lineup, where: tuple[str, ...]) -> list[str]:
        path = figure_path(kind, lineup.name, *where)
        return [f"![{kind}: {lineup.name}]({path})", ""] if path in self.figures else []

    def _sizes(self, lineup: Lineup) -> Rows:
        def cell(data: str, one: SelectorEntry) -> str:
            sizes = self.results[data][one.name].sizes
            return f"{fmean(sizes):.1f}" if sizes else GAP

        return self._rows(lineup, cell, ["sizes"])

    def _seconds(self, lineup: Lineup) -> Rows:
        def cell(data: str, one: SelectorEntry) -> str:
            entry = self.results[data][one.name]
            return f"{entry.seconds:.3g}" if entry.sizes else GAP

        return self._rows(lineup, cell, ["seconds"])

    def _bests(self, lineup: Lineup) -> Rows:
        def cell(data: str, one: SelectorEntry) -> str:
            figures = lineup.figures(data)[one.name]
            return f"{figures.best:.2f}" if figures else GAP

        means = self._means(lineup, lambda figures: figures.best, "accuracy_best")
        return [*self._rows(lineup, cell, ["accuracy_best"]), ["**mean**", *means]]

    def _accuracies(self, lineup: Lineup) -> Rows:
        """Give means and deviations; the highest of each data set is bold."""

        def cell(data: str, one: SelectorEntry) -> str:
            every = lineup.figures(data)
            figures = every[one.name]
            if figures is None:
                return GAP
            text = f"{figures.mean:.2f} ± {figures.std:.2f}"
            highest = max(other.mean for other in every.values() if other)
            return f"**{text}**" if figures.mean == highest else text

        rows = self._rows(lineup, cell, ["accuracy_mean", "accuracy_std"])
        rows[0].append("classifiers")
        for row in rows[1:]:
            row.append(str(len(lineup.common(row[0]))))
        means = self._means(lineup, lambda figures: figures.mean, "accuracy_mean")
        return [*rows, ["**mean**", *means, ""]]

    def _means(self, lineup: Lineup, figure: Callable[[Figures], float], name: str) -> list[str]:
        """Give the means over the data sets that are done, the paper's over the same ones."""
        every = [lineup.figures(data) for data in lineup.done]
        theirs = self.paper.numbers(name, lineup.done)
        texts = []
        for one in lineup.selectors:
            ours = [figure(own) if (own := row[one.name]) else None for row in every]
            printed = [row.get(one.paper or "") for row in theirs.values()]
            texts.append(beside(_mean(ours) or GAP, _mean(printed)))
        return texts

    def _rows(self, lineup: Lineup, cell: Cell, names: list[str]) -> Rows:
        rows = [["data", *(one.name for one in lineup.selectors)]]
        for data in self.results:
            row = [data]
            for one in lineup.selectors:
                theirs = [self.paper.get(name, data, one.paper) for name in names]
                row.append(beside(cell(data, one), " ± ".join(filter(None, theirs))))
            rows.append(row)
        return rows

    def _failures(self) -> list[str]:
        rows = [["data", "selector", "not computed", "failed"]]
        for data, entries in self.results.items():
            for name, entry in entries.items():
                if entry.errors or entry.n_missing:
                    reasons = "; ".join(entry.errors)
                    rows.append([data, name, str(entry.n_missing or ""), reasons])
        if len(rows) == 1:
            return ["## Gaps", "", "None."]
        return ["## Gaps", "", *table(rows)]


def _mean(values: Iterable[float | None]) -> str:
    """Give a mean and of how many, gaps left out as in the paper; nothing for gaps alone."""
    told = [value for value in values if value is not None]
    return f"{fmean(told):.2f} of {len(told)}" if told else ""
