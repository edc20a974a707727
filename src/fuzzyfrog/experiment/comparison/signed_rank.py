"""Wilcoxon's signed-rank test of the control against each other method, with effect sizes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from fuzzyfrog.experiment.comparison.ranks import holm_adjusted
from fuzzyfrog.experiment.comparison.scores import Gridded

__all__ = ["SignedRankTest", "signed_rank_tests"]

Floats = NDArray[np.float64]

MAX_EXACT = 60  # differences; the assignments of signs can be counted in 64 bits


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
