"""What it is worth to have selected on the test samples: protocol "paper" minus "nested"."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median, stdev

from fuzzyfrog.experiment.comparison import compare
from fuzzyfrog.experiment.markdown import GAP, Rows
from fuzzyfrog.experiment.results import Entry, Results

__all__ = ["Leak", "leak_of", "leak_rows", "shown_leak"]


@dataclass(frozen=True)
class Leak:
    """How much higher the accuracy of a selector is when the test samples leak.

    Attributes
    ----------
    paper, nested : tuple of float
        Mean accuracies on each data set that both protocols have, with the same seeds and the
        same classifiers.
    """

    paper: tuple[float, ...]
    nested: tuple[float, ...]

    @property
    def differences(self) -> list[float]:
        """Points of accuracy on each data set; rounded, so that equal counts are equal."""
        return [round(one - two, 9) for one, two in zip(self.paper, self.nested, strict=True)]

    @property
    def standard_error(self) -> float:
        """Standard error of the mean difference, the data sets taken as a sample of others."""
        return stdev(self.differences) / sqrt(len(self.differences))

    @property
    def p_value(self) -> float:
        """Two-sided, of Wilcoxon's signed-rank test of the differences; equal ones are left out."""
        scores = {
            str(place): {"gain": difference, "none": 0.0}
            for place, difference in enumerate(self.differences)
        }
        (test,) = compare(scores, control="gain").signed_rank
        return test.p_value


def leak_of(name: str, paper: Results, nested: Results, classifiers: Sequence[str]) -> Leak:
    """Give what the leak is worth to a selector.

    Parameters
    ----------
    name : str
        The selector.
    paper, nested : mapping of str to mapping of str to Entry
        The results under the two protocols, by data set and selector.
    classifiers : sequence of str
        The classifiers of the panel.

    Returns
    -------
    Leak
        Its accuracies under both protocols.
    """
    pairs = [_pair(paper[data][name], nested[data][name], classifiers) for data in paper]
    done = [pair for pair in pairs if pair is not None]
    return Leak(tuple(one for one, _ in done), tuple(other for _, other in done))


def leak_rows(paper: Results, nested: Results, classifiers: Sequence[str]) -> Rows:
    """Give a row for each selector, with a head; the parameters are those of `leak_of`."""
    head = ["selector", "data sets", "paper", "nested", "leak: mean", "standard error", "median",
            "higher", "lower", "Wilcoxon p (not adjusted)"]  # fmt: skip
    selectors = list(next(iter(paper.values()), {}))
    return [head] + [_row(name, leak_of(name, paper, nested, classifiers)) for name in selectors]


def shown_leak(leak: Leak) -> str:
    """Give the mean of a leak ± its standard error (how often it is a gain, Wilcoxon's p)."""
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


def _pair(paper: Entry, nested: Entry, classifiers: Sequence[str]) -> tuple[float, float] | None:
    """Give the mean accuracies over the seeds and the classifiers that both protocols have."""
    seeds = [seed for seed in paper.by_seed if seed in nested.by_seed]
    parts = [entry.by_seed[seed] for entry in (paper, nested) for seed in seeds]
    common = [name for name in classifiers if all(name in part for part in parts)]
    if not seeds or not common:
        return None
    means = [fmean(part[name] for name in common) for part in parts]
    return fmean(means[: len(seeds)]), fmean(means[len(seeds) :])
