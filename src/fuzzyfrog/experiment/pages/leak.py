"""The gain from selecting on the test samples: protocol "paper" minus "nested"."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median, stdev

from fuzzyfrog.experiment.comparison import compare
from fuzzyfrog.experiment.config import Experiment
from fuzzyfrog.experiment.pages.markdown import GAP, Rows, table
from fuzzyfrog.experiment.results import Results, SelectorResult

__all__ = ["Leak", "leak_of", "leak_page", "leak_rows", "shown_leak"]

EXPLAINED = (
    "Mean accuracy over the data sets that both protocols have, in percent: with features selected "
    "on all samples, with features selected inside every fold; the mean difference, its standard "
    "error and the median; on how many data sets the first is higher and lower; Wilcoxon's "
    "signed-rank p. Both with the same seeds: {seeds}. So few seeds and data sets show a tendency "
    "at most: a mean that is not two standard errors away from 0 may well be chance, and the "
    "p-values are not adjusted for the number of selectors."
)


@dataclass(frozen=True)
class Leak:
    """Mean accuracies of a selector on the data sets that both protocols have.

    Both are with the same seeds and the same classifiers.
    """

    paper: tuple[float, ...]
    nested: tuple[float, ...]

    @property
    def differences(self) -> list[float]:
        """Points of accuracy on each data set; rounded, so that equal counts are equal."""
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
    told = EXPLAINED.format(seeds=", ".join(shared) or "there are none")
    title = f"# {experiment.title}: {panel}, what the leak is worth"
    return "\n".join([title, "", told, "", *table(leak_rows(paper, nested, classifiers)), ""])


def leak_of(name: str, paper: Results, nested: Results, classifiers: Sequence[str]) -> Leak:
    """Return the accuracies of a selector under both protocols."""
    pairs = [_pair(paper[data][name], nested[data][name], classifiers) for data in paper]
    done = [pair for pair in pairs if pair is not None]
    return Leak(tuple(one for one, _ in done), tuple(other for _, other in done))


def leak_rows(paper: Results, nested: Results, classifiers: Sequence[str]) -> Rows:
    """Return a row for each selector, with a header."""
    head = ["selector", "data sets", "paper", "nested", "leak: mean", "standard error", "median",
            "higher", "lower", "Wilcoxon p (not adjusted)"]  # fmt: skip
    selectors = list(next(iter(paper.values()), {}))
    return [head] + [_row(name, leak_of(name, paper, nested, classifiers)) for name in selectors]


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


def _row(name: str, leak: Leak) -> list[str]:
    if not leak.paper:
        return [name, "0", GAP, GAP, GAP, GAP, GAP, "", "", GAP]
    differences = leak.differences
    has_spread = len(differences) > 1
    return [
        name,
        str(len(leak.paper)),
        f"{fmean(leak.paper):.2f}",
        f"{fmean(leak.nested):.2f}",
        f"{fmean(differences):+.2f}",
        f"{leak.standard_error:.2f}" if has_spread else GAP,
        f"{median(differences):+.2f}",
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
