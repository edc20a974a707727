"""Test differences of mean ranks: Li, Holm, Nemenyi."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["ALPHA", "POSTHOCS", "PairTest", "critical_difference", "holm_adjusted", "pair_tests"]

ALPHA = 0.05
POSTHOCS = ("li", "holm", "nemenyi")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairTest:
    """A test of two methods by their mean ranks.

    Attributes
    ----------
    better, worse : str
        The two methods, the one with the lower mean rank first.
    z : float
        Difference of their mean ranks in standard errors, not corrected for ties.
    p_value : float
        Probability of a difference as large if the methods were equal; not adjusted.
    adjusted : float
        The same, adjusted for the number of tests.
    threshold : float
        The largest `p_value` that is significant.
    significant : bool
        Whether it is.
    """

    better: str
    worse: str
    z: float
    p_value: float
    adjusted: float
    threshold: float
    significant: bool


def pair_tests(
    ranks: Mapping[str, float], control: str, n_datasets: int, procedure: str
) -> tuple[PairTest, ...]:
    """Return the tests of a procedure, the clearest difference first.

    Li and Holm test the control against each of the others, Nemenyi tests all pairs.
    """
    others = [(control, method) for method in ranks if method != control]
    methods = list(ranks)
    pairs = [(a, b) for i, a in enumerate(methods) for b in methods[i + 1 :]]
    tested = pairs if procedure == "nemenyi" else others
    error = _standard_error(len(ranks), n_datasets)
    z_of = {pair: abs(ranks[pair[0]] - ranks[pair[1]]) / error for pair in tested}
    ordered = sorted(tested, key=lambda pair: -z_of[pair])
    z = np.array([z_of[pair] for pair in ordered])
    p = np.asarray(2 * stats.norm.sf(z))
    adjusted, thresholds, significant = _judged(procedure, z, p, len(ranks))
    columns = zip(ordered, z, p, adjusted, thresholds, significant, strict=True)
    return tuple(_pair_test(ranks, *column) for column in columns)


def _pair_test(
    ranks: Mapping[str, float],
    pair: tuple[str, str],
    z: float,
    p_value: float,
    adjusted: float,
    threshold: float,
    significant: bool,
) -> PairTest:
    better, worse = sorted(pair, key=lambda method: ranks[method])
    return PairTest(
        better=better,
        worse=worse,
        z=float(z),
        p_value=float(p_value),
        adjusted=float(adjusted),
        threshold=float(threshold),
        significant=bool(significant),
    )


def critical_difference(n_methods: int, n_datasets: int) -> float:
    """Return Nemenyi's critical difference: mean ranks further apart differ significantly."""
    quantile = stats.studentized_range.ppf(1 - ALPHA, n_methods, inf) / sqrt(2)
    return float(quantile * _standard_error(n_methods, n_datasets))


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's procedure, in the given order."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(order), 0, -1)
    stepped = np.minimum(1.0, np.maximum.accumulate(np.asarray(p_values)[order] * factors))
    adjusted = np.empty(len(order))
    adjusted[order] = stepped
    return [float(p) for p in adjusted]


def _standard_error(n_methods: int, n_datasets: int) -> float:
    return sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def _judged(
    procedure: str, z: Floats, p: Floats, n_methods: int
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return adjusted p-values, thresholds and verdicts for ascending p-values."""
    if procedure == "nemenyi":
        adjusted = np.asarray(stats.studentized_range.sf(z * sqrt(2), n_methods, inf))
        limit = stats.studentized_range.ppf(1 - ALPHA, n_methods, inf) / sqrt(2)
        return adjusted, np.full_like(p, 2 * stats.norm.sf(limit)), z >= limit
    if procedure == "holm":
        adjusted = np.asarray(holm_adjusted(p.tolist()))
        return adjusted, ALPHA / np.arange(len(p), 0, -1), adjusted <= ALPHA
    # Li: the largest p-value is tested at alpha; its distance from 1 sets the bar for the others.
    bar = (1 - p[-1]) / (1 - ALPHA) * ALPHA
    thresholds = np.append(np.full(len(p) - 1, bar), ALPHA)
    return p / (p + 1 - p[-1]), thresholds, (p[-1] <= ALPHA) | (p <= thresholds)
