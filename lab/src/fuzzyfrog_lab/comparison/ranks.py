"""Tests on ranks: of mean ranks (Li, Holm, Nemenyi), and Wilcoxon's signed ranks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from fuzzyfrog_lab.comparison.scores import Gridded

ALPHA = 0.05
POSTHOCS = ("li", "holm", "nemenyi")
MAX_EXACT = 60  # differences; the assignments of signs can be counted in 64 bits

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


@dataclass(frozen=True)
class SignedRankTest:
    """Wilcoxon's signed-rank test of the control against another method.

    Attributes
    ----------
    method : str
        The other method.
    wins, ties, losses : int
        Data sets on which the control is better, equal, worse.
    median_difference : float
        Median of control minus method; infinite where a gap decides it.
    p_value : float
        Two-sided; data sets with equal scores are left out. Exact, also with ties, for up to 60
        differences; beyond, from the normal distribution.
    adjusted : float
        The p-value, adjusted by Holm for the number of methods.
    effect : float
        Matched-pairs rank-biserial correlation, from -1 (the control always loses) to 1 (it
        always wins).
    """

    method: str
    wins: int
    ties: int
    losses: int
    median_difference: float
    p_value: float
    adjusted: float
    effect: float


def signed_rank_tests(
    scores: Gridded, methods: Sequence[str], control: str
) -> tuple[SignedRankTest, ...]:
    """Return the test against each other method, in the order of the columns."""
    own = scores.steps[:, list(methods).index(control)]
    others = [method for method in methods if method != control]
    differences = {
        method: _differences(own, scores.steps[:, column])
        for column, method in enumerate(methods)
        if method != control
    }
    p_values = [_p_value(differences[method]) for method in others]
    adjusted = holm_adjusted(p_values)
    return tuple(
        SignedRankTest(
            method,
            int((differences[method] > 0).sum()),
            int((differences[method] == 0).sum()),
            int((differences[method] < 0).sum()),
            float(np.median(differences[method])) / scores.steps_in_one,
            p_values[i],
            adjusted[i],
            _effect(differences[method]),
        )
        for i, method in enumerate(others)
    )


def _differences(own: Floats, other: Floats) -> Floats:
    """Return the differences; two gaps, both at minus infinity, are equal."""
    difference = np.zeros_like(own)
    np.subtract(own, other, out=difference, where=own != other)
    return difference


def _p_value(differences: Floats) -> float:
    told = _finite(differences[differences != 0])
    if len(told) == 0:
        return 1.0
    if len(told) > MAX_EXACT:
        return float(stats.wilcoxon(told, method="asymptotic").pvalue)
    return _exact_p_value(told)


def _exact_p_value(differences: Floats) -> float:
    """Return the share of signs that make the sums of ranks at least as unequal, doubled.

    The signs of all differences are equally likely if the methods are equal; their sizes, and so
    their ranks, stay. Ties have mean ranks, which doubled are integers.
    """
    ranks = np.rint(2 * stats.rankdata(np.abs(differences))).astype(np.int64)
    smaller = min(int(ranks[differences > 0].sum()), int(ranks[differences < 0].sum()))
    n_ways = _ways_to_sum(ranks)[: smaller + 1].sum()
    return float(min(1.0, 2 * n_ways / 2 ** len(ranks)))


def _ways_to_sum(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of subsets of the ranks for each sum, from 0 to the sum of all."""
    ways = np.zeros(int(ranks.sum()) + 1, np.int64)
    ways[0] = 1
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()  # with this rank, in addition to those without it
    return ways


def _effect(differences: Floats) -> float:
    told = _finite(differences[differences != 0])
    if len(told) == 0:
        return 0.0
    ranks = stats.rankdata(np.abs(told))
    return float((ranks * np.sign(told)).sum() / ranks.sum())


def _finite(differences: Floats) -> Floats:
    """Return the differences with infinite ones just beyond the others: only ranks count."""
    finite = np.abs(differences[np.isfinite(differences)])
    beyond = 1.0 + finite.max(initial=0.0)
    return np.asarray(np.clip(differences, -beyond, beyond))
