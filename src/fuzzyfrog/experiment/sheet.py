"""All tables of one panel under one protocol, as rows of text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from fuzzyfrog.experiment.config import Experiment, Protocol, SelectorEntry
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Entry, Figures, common_classifiers
from fuzzyfrog.experiment.statistics import Comparison, compare

__all__ = ["Rows", "Sheet", "markdown"]

GAP = "–"
PROCEDURES: tuple[Literal["holm", "nemenyi"], ...] = ("holm", "nemenyi")
LEAKS = {
    "paper": "Features were selected on all samples, the test samples included: optimistic.",
    "nested": "Features were selected on the training part of every fold.",
}
Rows = list[list[str]]
Results = Mapping[str, Mapping[str, Entry]]
Cell = Callable[[str, SelectorEntry], str]


@dataclass(frozen=True, eq=False)
class Sheet:
    """All tables of one panel under one protocol."""

    experiment: Experiment
    protocol: Protocol
    panel: str
    classifiers: tuple[str, ...]
    results: Results
    paper: PaperFigures

    def page(self) -> str:
        """Give the Markdown page."""
        lines = [
            f"# {self.experiment.title}: {self.panel}, protocol {self.protocol.name}",
            "",
            LEAKS[self.protocol.name],
            f"{self.experiment.folds} stratified folds (seed {self.experiment.fold_seed}), seeds "
            f"{', '.join(map(str, self.protocol.seeds))}. Accuracies are means over the "
            f"classifiers, in percent, ± standard deviation (n - 1). {GAP} is a gap.",
        ]
        for lineup, members in self.experiment.lineups.items():
            lines += ["", f"## {lineup}", "", *self._lineup(members)]
        return "\n".join([*lines, "", *self._failures(), ""])

    def _lineup(self, members: Sequence[str]) -> list[str]:
        selectors = [one for one in self.experiment.selectors if one.name in members]
        tables: list[tuple[str, Rows]] = [
            ("Number of features (paper in brackets)", self._sizes(selectors)),
            ("Accuracy (paper in brackets)", self._accuracies(selectors)),
            ("Best classifier", self._bests(selectors)),
            ("Seconds of a selection (paper in brackets)", self._seconds(selectors)),
        ]
        parts: list[str] = []
        for title, rows in tables:
            parts += [f"### {title}", "", *markdown(rows), ""]
        return [*parts, *self._ranks(selectors)]

    def _sizes(self, selectors: Sequence[SelectorEntry]) -> Rows:
        def cell(data: str, one: SelectorEntry) -> str:
            sizes = self.results[data][one.name].sizes
            return f"{fmean(sizes):.1f}" if sizes else GAP

        return self._table(selectors, cell, "sizes")

    def _seconds(self, selectors: Sequence[SelectorEntry]) -> Rows:
        def cell(data: str, one: SelectorEntry) -> str:
            entry = self.results[data][one.name]
            return f"{entry.seconds:.3g}" if entry.sizes else GAP

        return self._table(selectors, cell, "seconds")

    def _bests(self, selectors: Sequence[SelectorEntry]) -> Rows:
        def cell(data: str, one: SelectorEntry) -> str:
            figures = self._figures(data, selectors)[one.name]
            return f"{figures.best:.2f}" if figures else GAP

        return self._table(selectors, cell, "accuracy_best")

    def _accuracies(self, selectors: Sequence[SelectorEntry]) -> Rows:
        """Give means and deviations; the highest of each data set is bold."""

        def cell(data: str, one: SelectorEntry) -> str:
            every = self._figures(data, selectors)
            figures = every[one.name]
            if figures is None:
                return GAP
            text = f"{figures.mean:.2f} ± {figures.std:.2f}"
            highest = max(other.mean for other in every.values() if other)
            return f"**{text}**" if figures.mean == highest else text

        rows = self._table(selectors, cell, "accuracy_mean")
        rows[0].append("classifiers")
        for row in rows[1:]:
            row.append(str(len(self._common(row[0], selectors))))
        return [*rows, ["**mean**", *self._means(selectors), ""]]

    def _means(self, selectors: Sequence[SelectorEntry]) -> list[str]:
        """Give the means over the data sets; as in the paper, gaps are left out."""
        cells = []
        for one in selectors:
            figures = [self._figures(data, selectors)[one.name] for data in self.results]
            means = [each.mean for each in figures if each]
            text = f"{fmean(means):.2f} of {len(means)}" if means else GAP
            theirs = self.paper.statistics.get("mean_accuracy", {}).get(one.paper or "")
            cells.append(f"{text} ({theirs})" if theirs else text)
        return cells

    def _ranks(self, selectors: Sequence[SelectorEntry]) -> list[str]:
        """Give the tests over the data sets on which every selector is done or has failed."""
        done = [data for data in self.results if self._is_done(data, selectors)]
        scores = {data: self._scores(data, selectors) for data in done}
        if len(scores) < 2 or len(selectors) < 2:
            return ["### Ranks", "", "Too few data sets are done to compare the selectors."]
        wins = {
            one.name: sum(
                row[one.name] == max(score for score in row.values() if score is not None)
                for row in scores.values()
            )
            for one in selectors
        }
        parts = ["### Wins and ranks (paper in brackets)", ""]
        parts += markdown(self._rank_rows(selectors, wins, compare(scores)))
        found = compare(scores, tie_correction=False, missing=0)
        parts += ["", "As in the paper: Li, ties not corrected, a gap counts as 0.", ""]
        parts += ["```", *str(found).splitlines(), "```"]
        for procedure in PROCEDURES:
            found = compare(scores, posthoc=procedure)
            parts += ["", f"{procedure.capitalize()}; ties corrected, a gap is the worst.", ""]
            parts += markdown(_posthoc(found))
        return parts

    def _rank_rows(
        self, selectors: Sequence[SelectorEntry], wins: Mapping[str, int], found: Comparison
    ) -> Rows:
        theirs = self.paper.statistics

        def beside(text: str, table: str, one: SelectorEntry) -> str:
            figure = theirs.get(table, {}).get(one.paper or "")
            return text if figure is None else f"{text} ({figure})"

        return [
            ["", *(one.name for one in selectors)],
            ["wins", *(beside(str(wins[one.name]), "wins", one) for one in selectors)],
            ["mean rank",
             *(beside(f"{found.ranks[one.name]:.4f}", "ranks", one) for one in selectors)],
        ]  # fmt: skip

    def _is_done(self, data: str, selectors: Sequence[SelectorEntry]) -> bool:
        entries = [self.results[data][one.name] for one in selectors]
        return all(entry.n_missing == 0 for entry in entries) and any(e.accuracies for e in entries)

    def _scores(self, data: str, selectors: Sequence[SelectorEntry]) -> dict[str, float | None]:
        figures = self._figures(data, selectors)
        return {name: one.mean if one else None for name, one in figures.items()}

    def _common(self, data: str, selectors: Sequence[SelectorEntry]) -> list[str]:
        entries = [self.results[data][one.name] for one in selectors]
        return common_classifiers(entries, self.classifiers)

    def _figures(self, data: str, selectors: Sequence[SelectorEntry]) -> dict[str, Figures | None]:
        common = self._common(data, selectors)
        return {one.name: self.results[data][one.name].figures(common) for one in selectors}

    def _table(self, selectors: Sequence[SelectorEntry], cell: Cell, table: str) -> Rows:
        rows = [["data", *(one.name for one in selectors)]]
        for data in self.results:
            row = [data]
            for one in selectors:
                theirs = self.paper.get(table, data, one.paper)
                text = cell(data, one)
                row.append(f"{text} ({theirs})" if theirs else text)
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
        return ["## Gaps", "", *markdown(rows)]

    def summary(self) -> Rows:
        """Give a row for each data set and selector."""
        head = ["data", "selector", "size", "dependency", "mean", "std", "best", "over_seeds",
                "classifiers", "seconds", "paper_size", "paper_mean", "paper_std", "paper_best",
                "paper_seconds"]  # fmt: skip
        theirs = ("sizes", "accuracy_mean", "accuracy_std", "accuracy_best", "seconds")
        return [head] + [
            [
                data,
                one.name,
                *self._summary(entries[one.name]),
                *(self.paper.get(table, data, one.paper) for table in theirs),
            ]
            for data, entries in self.results.items()
            for one in self.experiment.selectors
        ]

    def _summary(self, entry: Entry) -> list[str]:
        names = list(entry.accuracies)
        figures = entry.figures(names)
        percents = ["", "", "", ""]
        if figures:
            every = (figures.mean, figures.std, figures.best, figures.over_seeds)
            percents = [f"{value:.4f}" for value in every]
        return [
            f"{fmean(entry.sizes):.2f}" if entry.sizes else "",
            "" if entry.dependency is None else f"{entry.dependency:.6f}",
            *percents,
            str(len(names)),
            f"{entry.seconds:.4f}" if entry.sizes else "",
        ]

    def every_accuracy(self) -> Rows:
        """Give a row for each data set, selector and classifier."""
        rows = [["data", "selector", "classifier", "accuracy"]]
        for data, entries in self.results.items():
            for name, entry in entries.items():
                rows += [
                    [data, name, classifier, f"{accuracy:.4f}"]
                    for classifier, accuracy in entry.accuracies.items()
                ]
        return rows


def _posthoc(found: Comparison) -> Rows:
    head = ["better", "worse", "z", "p", "adjusted", "significant at 0.05"]
    return [head] + [
        [one.better, one.worse, f"{one.z:.4f}", f"{one.p_value:.6f}", f"{one.adjusted:.6f}",
         "yes" if one.significant else "no"]
        for one in found.posthoc
    ]  # fmt: skip


def markdown(rows: Rows) -> list[str]:
    """Give the lines of a table; the first row is its head."""
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    rule = "|" + "---|" * len(rows[0])
    return [head, rule, *body]
