"""The page of one panel under one protocol: tables of all results, ranks and tests."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, NamedTuple

from fuzzyfrog_lab.comparison import Comparison, compare
from fuzzyfrog_lab.comparison.ranks import ALPHA
from fuzzyfrog_lab.config import Experiment, Protocol, SelectorEntry, figure_path
from fuzzyfrog_lab.pages.markdown import GAP, Rows, bracketed, joined, table
from fuzzyfrog_lab.panel import METRICS, Metric
from fuzzyfrog_lab.published import PublishedFigures, is_as_published
from fuzzyfrog_lab.results import Figures, Lineup, Results, SelectorResult, wins

Cell = Callable[[str, SelectorEntry], str]
Scores = Mapping[str, Mapping[str, float | None]]

PROCEDURES: tuple[Literal["holm", "nemenyi"], ...] = ("holm", "nemenyi")  # in addition to Li

LEAKS = {
    "paper": "Features were selected on all samples, the test samples included: optimistic.",
    "nested": "Features were selected on the training part of every fold.",
}
DEVIATION = {
    "classifiers": "Mean ± standard deviation (n - 1) over the {models}{unit}",
    "folds": "Mean over the {models} ± its standard deviation (n - 1) from fold to fold{unit}",
}
BEST = "The highest {metric} among the {models}"
OF_SEEDS = "each taken within one seed, then the mean over the seeds"
SPREAD = (
    "Standard deviation (n - 1) over the seeds of the mean {metric} above: how much it depends on "
    "chance in the search. A deterministic selector runs once."
)
SECONDS = (
    "Medians over the runs. The machine did other work at the same time, so they may differ by a "
    "factor of ten from run to run: evaluations are the fairer measure of effort."
)
RAN_ONCE = "{} ran once on a data set: where that was the first run of a process, it compiled too."
EVALUATIONS = (
    f"Different subsets that a search scored, median over the runs; {GAP} for a selector that "
    "scores none. The same on every machine."
)
NOTHING = (
    "No data set is complete here, so there is nothing to compare. [index.md](index.md) says what "
    "is done and what is missing."
)
NOT_REJECTED = (
    f"Friedman does not reject (p above {ALPHA}): the tests of pairs after it are a hint at most."
)


@dataclass(frozen=True, eq=False)
class _Tables:
    """The tables of one lineup: a row for each data set, a column for each selector."""

    lineup: Lineup
    published: PublishedFigures

    @property
    def metric(self) -> Metric:
        """What the models are judged by."""
        return self.lineup.metric

    def sizes(self) -> Rows:
        """Return mean numbers of features."""
        return self._of_entries(lambda entry: f"{fmean(entry.sizes):.1f}", "sizes")

    def seconds(self) -> Rows:
        """Return median times of a selection."""
        return self._of_entries(lambda entry: f"{entry.seconds:.3g}", "seconds")

    def evaluations(self) -> Rows:
        """Return median numbers of subsets that a selection scored."""

        def shown(entry: SelectorResult) -> str:
            return GAP if entry.evaluations is None else f"{entry.evaluations:,.0f}"

        return self._of_entries(shown)

    def accuracies(self) -> Rows:
        """Return means and deviations; the highest of each data set is bold."""
        rows = self._rows(self._accuracy, "accuracy_mean", "accuracy_std")
        rows[0].append(self.metric.models)
        for row in rows[1:]:
            row.append(str(len(self.lineup.common(row[0]))))
        means = self._means(lambda figures: figures.mean, "accuracy_mean")
        return [*rows, *([["**mean**", *means, ""]] if len(rows) > 2 else [])]

    def bests(self) -> Rows:
        """Return the accuracies of the best classifier."""
        rows = self._of_figures(lambda figures: figures.best, "accuracy_best")
        means = self._means(lambda figures: figures.best, "accuracy_best")
        return [*rows, *([["**mean**", *means]] if len(rows) > 2 else [])]

    def spreads(self) -> Rows:
        """Return the deviations of the mean accuracy over the seeds; a gap for a single seed."""

        def cell(data: str, one: SelectorEntry) -> str:
            figures = self.lineup.figures(data)[one.name]
            n_seeds = len(self.lineup.results[data][one.name].by_seed)
            return self.metric.text(figures.over_seeds) if figures and n_seeds > 1 else GAP

        return self._rows(cell)

    def _accuracy(self, data: str, one: SelectorEntry) -> str:
        every = self.lineup.figures(data)
        figures = every[one.name]
        if figures is None:
            return GAP
        text = f"{self.metric.text(figures.mean)} ± {self.metric.text(figures.std)}"
        highest = max(other.mean for other in every.values() if other)
        return f"**{text}**" if figures.mean == highest else text

    def _of_figures(self, figure: Callable[[Figures], float], *names: str) -> Rows:
        def cell(data: str, one: SelectorEntry) -> str:
            figures = self.lineup.figures(data)[one.name]
            return self.metric.text(figure(figures)) if figures else GAP

        return self._rows(cell, *names)

    def _of_entries(self, shown: Callable[[SelectorResult], str], *names: str) -> Rows:
        def cell(data: str, one: SelectorEntry) -> str:
            entry = self.lineup.results[data][one.name]
            return shown(entry) if entry.sizes else GAP

        return self._rows(cell, *names)

    def _rows(self, cell: Cell, *names: str) -> Rows:
        """Return a header and the rows, with the published figures of some tables.

        Without any, a row of gaps is left out.
        """
        rows = [["data", *(one.name for one in self.lineup.selectors)]]
        for data in self.lineup.results:
            row = [data]
            for one in self.lineup.selectors:
                theirs = [self.published.get(name, data, one.paper) for name in names]
                row.append(bracketed(cell(data, one), " ± ".join(filter(None, theirs))))
            if names or set(row[1:]) != {GAP}:
                rows.append(row)
        return rows

    def _means(self, figure: Callable[[Figures], float], name: str) -> list[str]:
        """Return the means over the finished data sets, ours and the published ones."""
        every = [self.lineup.figures(data) for data in self.lineup.done]
        theirs = self.published.numbers(name, self.lineup.done)
        texts = []
        for one in self.lineup.selectors:
            ours = [figure(own) if (own := row[one.name]) else None for row in every]
            printed = [row.get(one.paper or "") for row in theirs.values()]
            texts.append(bracketed(self._mean(ours) or GAP, self._mean(printed)))
        return texts

    def _mean(self, values: Iterable[float | None]) -> str:
        """Return a mean with the number of values, gaps left out; empty if there are only gaps."""
        told = [value for value in values if value is not None]
        return f"{self.metric.text(fmean(told))} of {len(told)}" if told else ""


class _Part(NamedTuple):
    """A table with its title and a note; a figure of some kind may follow it."""

    title: str
    note: str
    rows: Rows
    figure: str | None = None


@dataclass(frozen=True, eq=False)
class PanelPage:
    """The page of one panel under one protocol."""

    experiment: Experiment
    protocol: Protocol
    panel: str
    results: Results
    lineups: Sequence[Lineup]
    published: PublishedFigures
    failures: Sequence[str] = ()  # a line for each reason
    figures: frozenset[str] = frozenset()  # paths of those that were drawn

    @property
    def _metric(self) -> Metric:
        return METRICS[self.experiment.metric]

    def text(self) -> str:
        """Return the Markdown page; a short one if no data set is complete."""
        lines = [
            f"# {self.experiment.title}: {self.panel}, protocol {self.protocol.name}",
            "",
            LEAKS[self.protocol.name],
            f"{self.experiment.folds} {self._metric.folds}, drawn with seed "
            f"{self.experiment.fold_seed}; searches with {self._seeds()}. {GAP} is a gap.",
        ]
        if not any(lineup.done for lineup in self.lineups):
            return "\n".join([*lines, "", NOTHING, *self._failed(), ""])
        for lineup in self.lineups:
            lines += ["", f"## {lineup.name}", "", *self._lineup(lineup)]
        return "\n".join([*lines, "", *self._gaps(), ""])

    def _seeds(self) -> str:
        seeds = self.protocol.seeds
        others: dict[tuple[int, ...], list[str]] = {}
        for one in self.experiment.data:
            if one.seeds and one.seeds != seeds:
                others.setdefault(one.seeds, []).append(one.name)
        apart = (f"{_seeds_told(own)} on {joined(names)}" for own, names in others.items())
        return "; ".join([_seeds_told(seeds), *apart])

    def _lineup(self, lineup: Lineup) -> list[str]:
        tables = _Tables(lineup, self.published)
        lines: list[str] = []
        for part in [*self._judged(tables), *self._effort(tables)]:
            lines += [f"### {part.title}", "", part.note, "", *table(part.rows), ""]
            if part.figure:
                lines += self._figure(part.figure, lineup)
        lines += [*ranking_lines(lineup, self.published), ""]
        return [*lines, *self._figure("ranks", lineup)]

    def _judged(self, tables: _Tables) -> list[_Part]:
        remark = self.published.remark
        has_seeds = len(self.protocol.seeds) > 1
        within = f"; {OF_SEEDS}." if has_seeds else "."
        words = {
            "metric": self._metric.title, "models": self._metric.models, "unit": self._metric.unit
        }  # fmt: skip
        title = f"{self._metric.title[0].upper()}{self._metric.title[1:]}{remark}"
        note = DEVIATION[self.experiment.deviation].format(**words)
        # The seeds are averaged within a fold.
        note += within if self.experiment.deviation == "classifiers" else "."
        best = BEST.format(**words) + within
        parts = [
            _Part(f"Number of features{remark}", "Means over the runs.", tables.sizes(), "sizes"),
            _Part(title, note, tables.accuracies(), "accuracy"),
            _Part(f"Best {self._metric.model}{remark}", best, tables.bests(), "best"),
        ]
        if has_seeds:
            told = SPREAD.format(**words)
            parts.append(_Part("Spread of the mean over seeds", told, tables.spreads()))
        return parts

    def _effort(self, tables: _Tables) -> list[_Part]:
        note = " ".join([SECONDS, *self._ran_once(tables.lineup)])
        title = f"Seconds of a selection{self.published.remark}"
        return [
            _Part("Evaluations of a selection", EVALUATIONS, tables.evaluations()),
            _Part(title, note, tables.seconds(), "seconds"),
        ]

    def _ran_once(self, lineup: Lineup) -> list[str]:
        """Return a remark on selectors that ran once on each data set: their time is one run's."""
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


def _seeds_told(seeds: Sequence[int]) -> str:
    return f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"


def ranking_lines(lineup: Lineup, published: PublishedFigures) -> list[str]:
    """Return the section with wins, ranks and tests over the finished data sets."""
    scores = lineup.scores()
    if len(scores) < 2 or len(lineup.selectors) < 2:
        return ["### Ranks", "", "Too few data sets are done to compare the selectors."]
    found = compare_as_published(scores)
    their_scores = _published_scores(lineup, published)
    theirs = compare_as_published(their_scores, published.first) if their_scores else None
    remark = published.remark if theirs else ""
    lines = [f"### Wins and ranks{remark}", ""]
    if theirs:
        lines += [
            f"In brackets what the paper's table gives over the same {theirs.n_datasets} data "
            "sets; as it is printed, over all of them, in lines of its own.",
            "",
        ]
    lines += table(_win_and_rank_rows(lineup, their_scores, theirs, published))
    lines += ["", f"### Post-hoc tests{remark}", ""]
    lines += ["As in the paper: Friedman and Li, ties not corrected, a gap counts as 0.", ""]
    lines += table(_friedman_rows(found, theirs))
    lines += ["", *_remark(found), *table(_li_rows(lineup, found, theirs, published))]
    lines += _as_printed(published) if theirs else []
    lines += ["", "```", *str(found).splitlines(), "```"]
    return [*lines, *_control_lines(lineup, published), *_procedure_lines(scores)]


def compare_as_published(scores: Scores, control: str | None = None) -> Comparison:
    """Compare as in the paper: ties not corrected, a gap counts as 0."""
    return compare(scores, control=control, tie_correction=False, missing=0)


def _published_scores(lineup: Lineup, published: PublishedFigures) -> Scores:
    """Return the published accuracies on the finished data sets.

    None of them if there are too few, or if the lineup has other methods: a rank among five does
    not compare with one among twelve.
    """
    methods = sorted(str(one.paper) for one in lineup.selectors)
    known = [data for data in lineup.done if data in published.tables.get("accuracy_mean", {})]
    if not published.methods or methods != sorted(published.methods) or len(known) < 2:
        return {}
    return published.numbers("accuracy_mean", known)


def _win_and_rank_rows(
    lineup: Lineup, their_scores: Scores, theirs: Comparison | None, published: PublishedFigures
) -> Rows:
    selectors, scores = lineup.selectors, lineup.scores()
    found, won, their_wins = compare(scores), wins(scores), wins(their_scores)
    ranks = theirs.ranks if theirs else {}
    their_ranks = {method: f"{rank:.4f}" for method, rank in ranks.items()}
    rows = [
        [f"{found.n_datasets} data sets", *(one.name for one in selectors)],
        ["wins", *(bracketed(str(won[one.name]), their_wins.get(one.paper or ""))
                   for one in selectors)],
        ["mean rank", *(bracketed(f"{found.ranks[one.name]:.4f}", their_ranks.get(one.paper or ""))
                        for one in selectors)],
    ]  # fmt: skip
    if theirs:
        n_all = len(published.tables["accuracy_mean"])
        for name, label in (("wins", "wins"), ("ranks", "mean rank")):
            printed = [
                bracketed("", published.overall(name, one.paper)).strip() for one in selectors
            ]
            rows.append([f"{label}, as printed over {n_all}", *printed])
    return rows


def _friedman_rows(found: Comparison, theirs: Comparison | None) -> Rows:
    own = _friedman_cells(found)
    others = _friedman_cells(theirs) if theirs else [None] * len(own)
    cells = [bracketed(one, other) for one, other in zip(own, others, strict=True)]
    return [["chi-square", "p", "Li rejects p up to"], cells]


def _friedman_cells(found: Comparison) -> list[str]:
    return [f"{value:.6f}" for value in (found.statistic, found.p_value, found.threshold)]


def _remark(found: Comparison) -> list[str]:
    return [NOT_REJECTED, ""] if found.p_value > ALPHA else []


def _li_rows(
    lineup: Lineup, found: Comparison, theirs: Comparison | None, published: PublishedFigures
) -> Rows:
    """Return the tests of the first against the others; the published ones are of its own first."""
    method = {one.name: one.paper or "" for one in lineup.selectors}
    tests = {}
    if theirs and method[found.control] == published.first:
        tests = {
            one.worse if one.better == published.first else one.better: one
            for one in theirs.posthoc
        }
    rows = [["before", "z", "p", "Li", f"significant at {ALPHA}"]]
    for test in found.posthoc:
        other = tests.get(method[test.worse if test.better == found.control else test.better])
        rows.append(
            [f"{test.better} before {test.worse}",
             bracketed(f"{test.z:.6f}", other and f"{other.z:.6f}"),
             bracketed(f"{test.p_value:.6f}", other and f"{other.p_value:.6f}"),
             f"{test.threshold:.6f}", _yes(test.significant)]
        )  # fmt: skip
    return rows


def _as_printed(published: PublishedFigures) -> list[str]:
    """Return the tests as printed, over all data sets of the paper."""
    printed = published.statistics
    tests = [f"{name} z {z}, p {printed['p_values'][name]}" for name, z in printed["z"].items()]
    return [
        "",
        f"As printed in the paper, over its {len(published.tables['accuracy_mean'])} data sets: "
        f"chi-square {printed['statistic']}, p {printed['p_value']}, Li rejects p up to "
        f"{printed['threshold']}; {published.first} against {'; '.join(tests)}.",
    ]


def _control_lines(lineup: Lineup, published: PublishedFigures) -> list[str]:
    """Return Wilcoxon's tests of the member for the method that the paper ranks first, if any."""
    own = [one for one in lineup.selectors if published.methods and one.paper == published.first]
    if len(own) != 1:
        return []
    name, first = own[0].name, published.first
    told = name if is_as_published(own[0]) else f"{name}, our own search in the place of {first},"
    tests = compare(lineup.scores(), control=name).signed_rank
    rows: Rows = [["against", "wins", "ties", "losses", "median difference", "p", "Holm", "effect",
                   f"significant at {ALPHA}"]]  # fmt: skip
    rows += [
        [one.method, str(one.wins), str(one.ties), str(one.losses),
         f"{one.median_difference:+.3f}", f"{one.p_value:.4f}", f"{one.adjusted:.4f}",
         f"{one.effect:+.3f}", _yes(one.adjusted <= ALPHA)]
        for one in tests
    ]  # fmt: skip
    return [
        "",
        f"Wilcoxon's signed-rank test of {told} against each of the others, its p-value also "
        "adjusted by Holm. The effect is the rank-biserial correlation: from -1, it always loses, "
        "to 1, it always wins.",
        "",
        *table(rows),
    ]


def _procedure_lines(scores: Scores) -> list[str]:
    found = compare(scores)
    told = f"Friedman p {found.p_value:.6f} with ties corrected, where a gap is the worst."
    lines = ["", told, "", *_remark(found)]
    for procedure in PROCEDURES:
        lines += _posthoc_lines(compare(scores, posthoc=procedure))
    return lines[:-1]


def _posthoc_lines(found: Comparison) -> list[str]:
    """Return the significant pairs, and the number of the others; some procedures test many."""
    told = [one for one in found.posthoc if one.significant]
    n_others = len(found.posthoc) - len(told)
    counted = (
        f"{found.procedure.capitalize()}: of {len(found.posthoc)} pairs {n_others} are not "
        f"significant at {ALPHA}."
    )
    if not told:
        closest = min(found.posthoc, key=lambda one: one.adjusted)
        pair = f"{closest.better} before {closest.worse}"
        return [f"{counted} The closest is {pair}, adjusted p {closest.adjusted:.6f}.", ""]
    rows = [["better", "worse", "z", "p", "adjusted"]] + [
        [one.better, one.worse, f"{one.z:.4f}", f"{one.p_value:.6f}", f"{one.adjusted:.6f}"]
        for one in told
    ]
    return [f"{counted} The others:", "", *table(rows), ""]


def _yes(significant: bool) -> str:
    return "yes" if significant else "no"
