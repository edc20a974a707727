"""The control against each of the others, data set by data set: Wilcoxon and effect sizes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from fuzzyfrog.experiment.posthoc import holm_adjusted

__all__ = ["SignedRankTest", "signed_rank_tests"]

Floats = NDArray[np.float64]


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
        Two-sided; data sets with equal scores are left out.
    adjusted : float
        The same, adjusted by Holm for the number of methods.
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
    scores: Floats, methods: Sequence[str], control: str
) -> tuple[SignedRankTest, ...]:
    """Give the test against each other method, in the order of the columns."""
    own = scores[:, list(methods).index(control)]
    others = [method for method in methods if method != control]
    differences = {
        method: _differences(own, scores[:, column])
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
            float(np.median(differences[method])),
            p_values[i],
            adjusted[i],
            _effect(differences[method]),
        )
        for i, method in enumerate(others)
    )


def _differences(own: Floats, other: Floats) -> Floats:
    """Give the differences; two gaps, both at minus infinity, are equal.

    They are rounded to 12 digits of the largest score: 0.3 - 0.2 and 0.2 - 0.1 are the same.
    """
    difference = np.zeros_like(own)
    np.subtract(own, other, out=difference, where=own != other)
    both = np.concatenate([own, other])
    scale = np.abs(both[np.isfinite(both)]).max(initial=0.0) or 1.0
    return np.asarray(np.round(difference / scale, 12) * scale)


def _p_value(differences: Floats) -> float:
    told = _finite(differences[differences != 0])
    if len(told) == 0:
        return 1.0
    # Exact wherever that is right: without ties in the sizes of the differences.
    exact = len(told) <= 50 and len(np.unique(np.abs(told))) == len(told)
    method = "exact" if exact else "asymptotic"
    return float(stats.wilcoxon(told, method=method).pvalue)


def _effect(differences: Floats) -> float:
    told = _finite(differences[differences != 0])
    if len(told) == 0:
        return 0.0
    ranks = stats.rankdata(np.abs(told))
    return float((ranks * np.sign(told)).sum() / ranks.sum())


def _finite(differences: Floats) -> Floats:
    """Give the differences with infinite ones just beyond the others: only ranks count."""
    finite = np.abs(differences[np.isfinite(differences)])
    beyond = 1.0 + finite.max(initial=0.0)
    return np.asarray(np.clip(differences, -beyond, beyond))
