"""The page of one panel under one protocol: every table of the paper, ours beside its figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fuzzyfrog.experiment.config import Experiment, Protocol, figure_path
from fuzzyfrog.experiment.markdown import GAP, Rows, joined, table
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.ranking_page import ranking_lines
from fuzzyfrog.experiment.results import Lineup, Results
from fuzzyfrog.experiment.sheet_tables import SheetTables

__all__ = ["Sheet"]

LEAKS = {
    "paper": "Features were selected on all samples, the test samples included: optimistic.",
    "nested": "Features were selected on the training part of every fold.",
}
ACCURACY = "Mean ± standard deviation (n - 1) over the classifiers, in percent"
BEST = "The highest accuracy among the classifiers"
OF_SEEDS = "each taken within one seed, then the mean over the seeds"
SPREAD = (
    "Standard deviation (n - 1) over the seeds of the mean accuracy above; how much chance in the "
    "search is worth. A selector without chances runs once."
)
SECONDS = (
    "Medians over the runs. They were taken beside whatever else the machine did and may differ by "
    "a factor of ten from run to run: evaluations are the fairer measure of effort."
)
RAN_ONCE = "{} ran once on a data set: where that was the first run of a process, it compiled too."
EVALUATIONS = (
    f"Different subsets that a search scored, median over the runs; {GAP} for a selector that "
    "scores none. The same on every machine."
)
NOTHING = (
    "No data set is complete here, so there is nothing to compare. [index.md](index.md) says what "
    "is there and what is missing."
)


class _Part(NamedTuple):
    """A table with what it is called and what it shows; a kind of figure may follow it."""

    title: str
    note: str
    rows: Rows
    figure: str | None = None


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
    failures : sequence of str
        What failed, a line for each reason.
    figures : frozenset of str
        Paths of the figures that were drawn.
    """

    experiment: Experiment
    protocol: Protocol
    panel: str
    results: Results
    lineups: Sequence[Lineup]
    paper: PaperFigures
    failures: Sequence[str] = ()
    figures: frozenset[str] = frozenset()

    def page(self) -> str:
        """Give the Markdown page; a short one if no data set is complete."""
        lines = [
            f"# {self.experiment.title}: {self.panel}, protocol {self.protocol.name}",
            "",
            LEAKS[self.protocol.name],
            f"{self.experiment.folds} stratified folds, drawn with seed "
            f"{self.experiment.fold_seed}; searches with {self._seeds()}. {GAP} is a gap.",
        ]
        if not any(lineup.done for lineup in self.lineups):
            return "\n".join([*lines, "", NOTHING, *self._failed(), ""])
        for lineup in self.lineups:
            lines += ["", f"## {lineup.name}", "", *self._lineup(lineup)]
        return "\n".join([*lines, "", *self._gaps(), ""])

    def _seeds(self) -> str:
        seeds = self.protocol.seeds
        return f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"

    def _lineup(self, lineup: Lineup) -> list[str]:
        tables = SheetTables(lineup, self.paper)
        lines: list[str] = []
        for part in [*self._judged(tables), *self._effort(tables)]:
            lines += [f"### {part.title}", "", part.note, "", *table(part.rows), ""]
            if part.figure:
                lines += self._figure(part.figure, lineup)
        lines += [*ranking_lines(lineup, self.paper), ""]
        return [*lines, *self._figure("ranks", lineup)]

    def _judged(self, tables: SheetTables) -> list[_Part]:
        remark = self.paper.remark
        has_seeds = len(self.protocol.seeds) > 1
        within = f"; {OF_SEEDS}." if has_seeds else "."
        parts = [
            _Part(f"Number of features{remark}", "Means over the runs.", tables.sizes(), "sizes"),
            _Part(f"Accuracy{remark}", ACCURACY + within, tables.accuracies(), "accuracy"),
            _Part(f"Best classifier{remark}", BEST + within, tables.bests(), "best"),
        ]
        if has_seeds:
            parts.append(_Part("Spread of the mean over seeds", SPREAD, tables.spreads()))
        return parts

    def _effort(self, tables: SheetTables) -> list[_Part]:
        note = " ".join([SECONDS, *self._ran_once(tables.lineup)])
        title = f"Seconds of a selection{self.paper.remark}"
        return [
            _Part("Evaluations of a selection", EVALUATIONS, tables.evaluations()),
            _Part(title, note, tables.seconds(), "seconds"),
        ]

    def _ran_once(self, lineup: Lineup) -> list[str]:
        """Name the selectors with one run on each data set, which no median makes up for."""
        names = [
            one.name
            for one in lineup.selectors
            if max(len(entries[one.name].sizes) for entries in self.results.values()) == 1
        ]
        return [RAN_ONCE.format(joined(names))] if names else []

    def _figure(self, kind: str, lineup: Lineup) -> list[str]:
        of_panel = () if kind in {"sizes", "seconds"} else (self.panel,)
        path = figure_path(kind, lineup.name, *of_panel, self.protocol.name)
        return [f"![{kind}: {lineup.name}]({path})", ""] if path in self.figures else []

    def _gaps(self) -> list[str]:
        not_done = [
            data
            for data, entries in self.results.items()
            if any(entry.n_missing for entry in entries.values())
        ]
        lines = self._failed()
        if not_done:
            told = f"{len(not_done)} data set{'s are' if len(not_done) > 1 else ' is'}"
            lines += ["", f"{told} not complete; [index.md](index.md) says how far they are."]
        return ["## Gaps", *(lines or ["", "None."])]

    def _failed(self) -> list[str]:
        if not self.failures:
            return []
        return ["", "Cells that failed:", "", *(f"- {failure}" for failure in self.failures)]
