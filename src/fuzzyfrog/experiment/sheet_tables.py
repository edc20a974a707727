"""The tables on the page of a panel: a row for each data set, a column for each selector."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean

from fuzzyfrog.experiment.config import SelectorEntry
from fuzzyfrog.experiment.markdown import GAP, Rows, beside
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Entry, Figures, Lineup

__all__ = ["SheetTables"]

Cell = Callable[[str, SelectorEntry], str]


@dataclass(frozen=True, eq=False)
class SheetTables:
    """The tables of one line-up.

    Attributes
    ----------
    lineup : Lineup
        Its selectors with what they gave.
    paper : PaperFigures
        What is put in brackets.
    """

    lineup: Lineup
    paper: PaperFigures

    def sizes(self) -> Rows:
        """Give mean numbers of features."""
        return self._of_entries(lambda entry: f"{fmean(entry.sizes):.1f}", "sizes")

    def seconds(self) -> Rows:
        """Give median times of a selection."""
        return self._of_entries(lambda entry: f"{entry.seconds:.3g}", "seconds")

    def evaluations(self) -> Rows:
        """Give median numbers of subsets that a selection scored."""

        def shown(entry: Entry) -> str:
            return GAP if entry.evaluations is None else f"{entry.evaluations:,.0f}"

        return self._of_entries(shown)

    def accuracies(self) -> Rows:
        """Give means and deviations; the highest of each data set is bold."""
        rows = self._rows(self._accuracy, "accuracy_mean", "accuracy_std")
        rows[0].append("classifiers")
        for row in rows[1:]:
            row.append(str(len(self.lineup.common(row[0]))))
        means = self._means(lambda figures: figures.mean, "accuracy_mean")
        return [*rows, ["**mean**", *means, ""]]

    def bests(self) -> Rows:
        """Give the accuracies of the best classifier."""
        rows = self._of_figures(lambda figures: figures.best, "accuracy_best")
        means = self._means(lambda figures: figures.best, "accuracy_best")
        return [*rows, ["**mean**", *means]]

    def spreads(self) -> Rows:
        """Give the deviations of the mean accuracy over the seeds; a gap for a single seed."""

        def cell(data: str, one: SelectorEntry) -> str:
            figures = self.lineup.figures(data)[one.name]
            n_seeds = len(self.lineup.results[data][one.name].by_seed)
            return f"{figures.over_seeds:.2f}" if figures and n_seeds > 1 else GAP

        return self._rows(cell)

    def _accuracy(self, data: str, one: SelectorEntry) -> str:
        every = self.lineup.figures(data)
        figures = every[one.name]
        if figures is None:
            return GAP
        text = f"{figures.mean:.2f} ± {figures.std:.2f}"
        highest = max(other.mean for other in every.values() if other)
        return f"**{text}**" if figures.mean == highest else text

    def _of_figures(self, figure: Callable[[Figures], float], *names: str) -> Rows:
        def cell(data: str, one: SelectorEntry) -> str:
            figures = self.lineup.figures(data)[one.name]
            return f"{figure(figures):.2f}" if figures else GAP

        return self._rows(cell, *names)

    def _of_entries(self, shown: Callable[[Entry], str], *names: str) -> Rows:
        def cell(data: str, one: SelectorEntry) -> str:
            entry = self.lineup.results[data][one.name]
            return shown(entry) if entry.sizes else GAP

        return self._rows(cell, *names)

    def _rows(self, cell: Cell, *names: str) -> Rows:
        """Give a head and the rows, with the figures of the paper that have some names.

        Where the paper has none, a row of gaps would tell nothing, and is left out.
        """
        rows = [["data", *(one.name for one in self.lineup.selectors)]]
        for data in self.lineup.results:
            row = [data]
            for one in self.lineup.selectors:
                theirs = [self.paper.get(name, data, one.paper) for name in names]
                row.append(beside(cell(data, one), " ± ".join(filter(None, theirs))))
            if names or set(row[1:]) != {GAP}:
                rows.append(row)
        return rows

    def _means(self, figure: Callable[[Figures], float], name: str) -> list[str]:
        """Give the means over the data sets that are done, the paper's over the same ones."""
        every = [self.lineup.figures(data) for data in self.lineup.done]
        theirs = self.paper.numbers(name, self.lineup.done)
        texts = []
        for one in self.lineup.selectors:
            ours = [figure(own) if (own := row[one.name]) else None for row in every]
            printed = [row.get(one.paper or "") for row in theirs.values()]
            texts.append(beside(_mean(ours) or GAP, _mean(printed)))
        return texts


def _mean(values: Iterable[float | None]) -> str:
    """Give a mean and of how many, gaps left out as in the paper; nothing for gaps alone."""
    told = [value for value in values if value is not None]
    return f"{fmean(told):.2f} of {len(told)}" if told else ""
