"""Confidence intervals for the mean of a finite population, from a part of it."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_interval"]

_KAPPA = 7.0 / 3.0 + 3.0 / sqrt(2.0)  # of the empirical Bernstein-Serfling inequality
_TIMES_FIVE = 5.0  # it holds with probability 1 - 5 delta for one side


def mean_interval(
    values: NDArray[np.float64], mean: float, n_population: int, confidence: float
) -> tuple[float, float]:
    """Give an interval that holds the mean of a population with at least some probability.

    Two inequalities for sampling without replacement, each with half of the error that is allowed
    and for both sides: the empirical Bernstein-Serfling inequality (Bardenet and Maillard,
    Bernoulli 21, 2015, theorem 4.3) and the Hoeffding-Serfling inequality (the same, corollary
    2.5), which is the narrower one for small parts. What was not drawn lies between 0 and 1, which
    bounds the mean for certain; a part that is the whole population leaves no doubt.

    Parameters
    ----------
    values : float64[n]
        Drawn without replacement, all between 0 and 1.
    mean : float
        Their mean.
    n_population : int
        Number of values they were drawn from.
    confidence : float
        The probability, above 0 and below 1.
    """
    n, error = values.size, 1.0 - confidence
    if n == n_population:
        return mean, mean
    left = _share_left(n, n_population)
    in_variance = log(4.0 * _TIMES_FIVE / error)
    spread = float(np.std(values))
    by_variance = spread * sqrt(2.0 * left * in_variance / n) + _KAPPA * in_variance / n
    by_range = sqrt(left * log(4.0 / error) / (2.0 * n))
    away = min(by_variance, by_range)
    drawn = n / n_population
    return max(mean - away, mean * drawn), min(mean + away, mean * drawn + (1.0 - drawn))


def _share_left(n: int, n_population: int) -> float:
    """Give the factor by which drawing without replacement makes variances smaller."""
    if n <= n_population / 2:
        return 1.0 - (n - 1) / n_population
    return (1.0 - n / n_population) * (1.0 + 1.0 / n)
