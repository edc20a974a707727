"""Summaries: selectors over all data sets and in groups, and the leak between the protocols.

The leak is the gain from selecting on the test samples: protocol "paper" minus "nested".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, median, stdev

from fuzzyfrog_lab.comparison import compare
from fuzzyfrog_lab.config import Experiment, Protocol
from fuzzyfrog_lab.pages.markdown import GAP, Rows, table
from fuzzyfrog_lab.pages.panel_page import LEAKS
from fuzzyfrog_lab.panel import METRICS
from fuzzyfrog_lab.results import Lineup, Results, SelectorResult, wins

Scores = Mapping[str, Mapping[str, float | None]]

EXPLAINED = (
    "Mean {metric} of {classifiers}{unit}, {folds}. {selected} Means are "
    "over the data sets that every member of a table finished. Differences are to the selector in "
    "italics, with the number of data sets on which a selector is better or worse, and the p-value "
    "of Wilcoxon's signed-rank test, adjusted by Holm over the table."
)

LEAK_EXPLAINED = (
    "Mean {metric} over the data sets that both protocols have{unit}: with features selected "
    "on all samples, with features selected inside every fold; the mean difference, its standard "
    "error and the median; on how many data sets the first is higher and lower; Wilcoxon's "
    "signed-rank p. Both with the same seeds: {seeds}. So few seeds and data sets show a tendency "
    "at most: a mean that is not two standard errors away from 0 may well be chance, and the "
    "p-values are not adjusted for the number of selectors."
)
HEAD = ("selector", "features", "accuracy", "mean rank", "wins", "difference", "better, worse", "p")


def summary_page(
    experiment: Experiment, protocol: Protocol, panel: str, lineups: Sequence[Lineup]
) -> str:
    """Return the Markdown page: for each lineup a table over all data sets, and for each group.

    The other selectors are compared with the first one that the config names in the lineup.
    """
    metric = METRICS[experiment.metric]
    told = EXPLAINED.format(
        classifiers=", ".join(lineups[0].classifiers),
        metric=metric.title,
        unit=metric.unit.replace(",", ""),
        folds=f"{experiment.folds} {metric.folds}",
        selected=LEAKS[protocol.name],
    )
    lines = [f"# {experiment.title}: {panel}, protocol {protocol.name}", "", told]
    for lineup in lineups:
        first = experiment.lineups[lineup.name][0]
        lines += ["", f"## {lineup.name}", "", "### All data sets", "", *_lines(lineup, first)]
        for group, members in experiment.groups.items():
            part = replace(lineup, results={data: lineup.results[data] for data in members})
            lines += ["", f"### {group}", "", *_lines(part, first)]
    return "\n".join([*lines, ""])


def _lines(lineup: Lineup, first: str) -> list[str]:
    """Return a row for each selector, the best rank first, and the tests of ranks."""
    scores = lineup.scores()
    if len(scores) < 2 or len(lineup.selectors) < 2:
        return ["Too few data sets are done to compare the selectors."]
    found = compare(scores, posthoc="holm")
    against = {test.method: test for test in compare(scores, control=first).signed_rank}
    sizes, won = lineup.sizes(), wins(scores)
    metric = lineup.metric
    rows: Rows = [[metric.title if name == "accuracy" else name for name in HEAD]]
    for name in sorted(found.ranks, key=lambda one: found.ranks[one]):
        pair = [GAP, GAP, GAP]
        if name != first:
            test = against[name]  # counts are those of the first one
            difference = _difference(scores, name, first)
            pair = [f"{difference:+.{metric.digits}f}", f"{test.losses}, {test.wins}",
                    f"{test.adjusted:.4f}"]  # fmt: skip
        rows.append([
            f"*{name}*" if name == first else name, _mean(sizes, name, 1),
            _mean(scores, name, metric.digits), f"{found.ranks[name]:.2f}", str(won[name]), *pair,
        ])  # fmt: skip
    ranks = [line for line in str(found).splitlines() if line.startswith("Friedman")]
    tests = [
        f"- {one.worse}: p = {one.p_value:.4f}, adjusted {one.adjusted:.4f}"
        for one in found.posthoc
    ]
    return [
        *table(rows), "", f"{len(scores)} data sets: {', '.join(scores)}.", "",
        f"{ranks[0]}. The best mean rank, of {found.control}, against the others by Holm:", "",
        *tests,
    ]  # fmt: skip


def _difference(scores: Scores, name: str, first: str) -> float:
    """Return the mean difference over the data sets that both have."""
    return fmean(
        mine - theirs
        for row in scores.values()
        if (mine := row[name]) is not None and (theirs := row[first]) is not None
    )


def _mean(figures: Scores, name: str, digits: int) -> str:
    known = [value for row in figures.values() if (value := row[name]) is not None]
    return f"{fmean(known):.{digits}f}" if known else GAP


@dataclass(frozen=True)
class Leak:
    """Mean accuracies of a selector on the data sets that both protocols have.

    Both are with the same seeds and the same classifiers.
    """

    paper: tuple[float, ...]
    nested: tuple[float, ...]

    @property
    def differences(self) -> list[float]:
        """Differences on each data set; rounded, so that equal counts are equal."""
        return [round(one - two, 9) for one, two in zip(self.paper, self.nested, strict=True)]

    @property
    def standard_error(self) -> float:
        """Standard error of the mean difference, with the data sets as a sample."""
        return stdev(self.differences) / sqrt(len(self.differences))

    @property
    def p_value(self) -> float:
        """Two-sided p-value of Wilcoxon's signed-rank test of the differences."""
        scores = {
            str(place): {"gain": difference, "none": 0.0}
            for place, difference in enumerate(self.differences)
        }
        (test,) = compare(scores, control="gain").signed_rank
        return test.p_value


def leak_page(
    experiment: Experiment, panel: str, paper: Results, nested: Results, classifiers: Sequence[str]
) -> str:
    """Return the Markdown page of a panel."""
    seeds = {one.name: one.seeds for one in experiment.protocols}
    shared = [str(seed) for seed in seeds["paper"] if seed in seeds["nested"]]
    metric = METRICS[experiment.metric]
    told = LEAK_EXPLAINED.format(
        metric=metric.title, unit=metric.unit, seeds=", ".join(shared) or "there are none"
    )
    title = f"# {experiment.title}: {panel}, what the leak is worth"
    rows = leak_rows(paper, nested, classifiers, metric.digits)
    return "\n".join([title, "", told, "", *table(rows), ""])


def leak_of(name: str, paper: Results, nested: Results, classifiers: Sequence[str]) -> Leak:
    """Return the accuracies of a selector under both protocols."""
    pairs = [_pair(paper[data][name], nested[data][name], classifiers) for data in paper]
    done = [pair for pair in pairs if pair is not None]
    return Leak(tuple(one for one, _ in done), tuple(other for _, other in done))


def leak_rows(paper: Results, nested: Results, classifiers: Sequence[str], digits: int = 2) -> Rows:
    """Return a row for each selector, with a header."""
    head = ["selector", "data sets", "paper", "nested", "leak: mean", "standard error", "median",
            "higher", "lower", "Wilcoxon p (not adjusted)"]  # fmt: skip
    selectors = list(next(iter(paper.values()), {}))
    return [head] + [
        _row(name, leak_of(name, paper, nested, classifiers), digits) for name in selectors
    ]


def shown_leak(leak: Leak) -> str:
    """Return the mean gain ± its standard error (number of data sets that gain, Wilcoxon's p)."""
    differences = leak.differences
    if not differences:
        return GAP
    n_gains = sum(difference > 0 for difference in differences)
    counts = f"{n_gains} of {len(differences)}"
    if len(differences) < 2:
        return f"{fmean(differences):+.2f} ({counts})"
    return f"{fmean(differences):+.2f} ± {leak.standard_error:.2f} ({counts}, p {leak.p_value:.4f})"


def _row(name: str, leak: Leak, digits: int) -> list[str]:
    if not leak.paper:
        return [name, "0", GAP, GAP, GAP, GAP, GAP, "", "", GAP]
    differences = leak.differences
    has_spread = len(differences) > 1
    return [
        name,
        str(len(leak.paper)),
        f"{fmean(leak.paper):.{digits}f}",
        f"{fmean(leak.nested):.{digits}f}",
        f"{fmean(differences):+.{digits}f}",
        f"{leak.standard_error:.{digits}f}" if has_spread else GAP,
        f"{median(differences):+.{digits}f}",
        str(sum(difference > 0 for difference in differences)),
        str(sum(difference < 0 for difference in differences)),
        f"{leak.p_value:.4f}" if has_spread else GAP,
    ]


def _pair(
    paper: SelectorResult, nested: SelectorResult, classifiers: Sequence[str]
) -> tuple[float, float] | None:
    """Return the mean accuracies over the seeds and classifiers that both protocols have."""
    seeds = [seed for seed in paper.by_seed if seed in nested.by_seed]
    parts = [entry.by_seed[seed] for entry in (paper, nested) for seed in seeds]
    common = [name for name in classifiers if all(name in part for part in parts)]
    if not seeds or not common:
        return None
    means = [fmean(part[name] for name in common) for part in parts]
    return fmean(means[: len(seeds)]), fmean(means[len(seeds) :])
