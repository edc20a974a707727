"""The measure on a part of the samples: a random one, or one that grows while subsets are searched.

A random part comes with confidence intervals for the whole. A part of a large table also rules out
most subsets at little cost, as one that separates all samples separates those of any part. What it
lets through may still fall short on all rows: then the samples that it fails on join the part, with
the enemies that come too close to them (docs/theory.md#sample-first).
"""

from __future__ import annotations

from functools import cached_property
from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.params import check_count
from fuzzyfrog.measure.dependency import Dependency, SubsetScores, random_order
from fuzzyfrog.measure.engines import Nearest
from fuzzyfrog.measure.geometry import mean_membership, subset_of
from fuzzyfrog.measure.requirements import assorted
from fuzzyfrog.measure.tree import TreeEngine

_KAPPA = 7.0 / 3.0 + 3.0 / sqrt(2.0)  # of the empirical Bernstein-Serfling inequality
_TIMES_FIVE = 5.0  # it holds with probability 1 - 5 delta for one side
_STREAM = 0x73616D706C65  # next to the seed in the key: no other part of a run draws from it
N_ROWS = 2_000  # at first: a subset of these is scored in a fraction of a millisecond
N_BROKEN = 64  # samples that join for each subset that falls short, and their enemies
# A search starts on a sample if there are this many pairs of enemies: two classes of 6,325. An
# evaluation of all rows then takes ten milliseconds or so, and a search needs 20,000 of them.
# Below, a minute of search is worth the many reducts that it finds on all rows.
FEWEST_PAIRS = 40_000_000
_ROW_STREAM = 0x726F7773  # the same, for the rows that a search starts on


class SampledDependency(SubsetScores):
    """The dependency of subsets, measured on a random part of the samples.

    The part is drawn once, without replacement, and stays the same: scores can be compared like
    any others, a search on them is as reproducible as on all samples, and a subset that scores
    higher does so on the same samples.

    Parameters
    ----------
    measure : Dependency
        The measure of all samples.
    n_sampled : int
        Number of samples to measure, at least 1; all if there are no more.
    seed : int, default=0
        Seed of the random part.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyfrog import load_dataset
    >>> from fuzzyfrog.measure import Dependency
    >>> from fuzzyfrog.measure.sampled import SampledDependency
    >>> sampled = SampledDependency(Dependency(load_dataset("wine")), 60)
    >>> masks = np.arange(13)[np.newaxis] >= [[9], [12]]
    >>> sampled.score(masks).round(3).tolist()
    [0.994, 0.21]
    >>> [round(one, 2) for one in sampled.interval(masks[1])]
    [0.11, 0.25]
    """

    def __init__(self, measure: Dependency, n_sampled: int, *, seed: int = 0) -> None:
        check_count("n_sampled", n_sampled)
        check_count("seed", seed, least=0)
        n_part = min(int(n_sampled), measure.n_samples)
        self._measure = measure
        self._drawn = drawn = random_order(measure.n_samples, seed, _STREAM)
        super().__init__(
            measure._geometry,
            measure._join,
            measure._n_threads,
            measure._choice,
            self._places(drawn[:n_part]),
        )

    @property
    def sampled(self) -> Integers:
        """The samples that are measured: their row numbers in the table, ascending."""
        return np.sort(self._drawn[: self.n_sampled])

    def on_rows(self, n_rows: int | None, seed: int) -> SubsetScores:
        """Return another random part of the same table."""
        return self._measure.on_rows(n_rows, seed)

    def interval(self, mask: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
        """Return an interval that contains the dependency on all samples with some confidence.

        It comes from the same number of other samples, or all that are left: features that were
        chosen for these samples look better on them than they are.
        """
        n_rest = self.n_samples - self.n_sampled
        if self._others.n_sampled == n_rest:  # all samples are measured: nothing is estimated
            return (float(self._measure.score(np.atleast_2d(mask))[0]),) * 2
        seen = float(self.score(np.atleast_2d(mask))[0])
        memberships = self._others._nearest(mask).membership
        seen_or_asked = np.concatenate([self._asked, self._others._asked])
        unseen = np.setdiff1d(np.arange(self.n_samples), seen_or_asked)
        low, high = self._interval(memberships, self._others._asked, unseen, confidence)
        n_all = int(self._geometry.masses.sum())
        known, share = seen * self._mass / n_all, (n_all - self._mass) / n_all
        return known + share * low, known + share * high

    def _interval(
        self, memberships: Floats, measured: Integers, rest: Integers, confidence: float
    ) -> tuple[float, float]:
        """Return an interval for the mean of the samples that were measured and of the rest."""
        masses = self._geometry.masses
        if (masses == masses[0]).all():
            n_samples = measured.size + rest.size
            return mean_interval(memberships, mean_membership(memberships), n_samples, confidence)
        population = masses[np.concatenate([measured, rest])].astype(np.float64)
        return weighted_interval(memberships, population, confidence)

    @cached_property
    def _others(self) -> SubsetScores:
        others = self._places(self._drawn[self.n_sampled : 2 * self.n_sampled])
        return self._on(others)

    def _places(self, samples: Integers) -> Integers:
        """Return the positions of samples in the geometry, ascending."""
        is_drawn = np.zeros(self._measure.n_samples, np.bool_)
        is_drawn[samples] = True
        return np.flatnonzero(is_drawn[self._measure._geometry.order])


def mean_interval(
    values: Floats, mean: float, n_population: int, confidence: float
) -> tuple[float, float]:
    """Return an interval that contains the mean of a population with a given probability.

    Two inequalities for sampling without replacement, each with half of the error that is allowed
    and for both sides: the empirical Bernstein-Serfling inequality (Bardenet and Maillard,
    Bernoulli 21, 2015, theorem 4.3) and the Hoeffding-Serfling inequality (the same, corollary
    2.5), which is narrower for small parts. Values that were not drawn lie between 0 and 1, which
    bounds the mean for certain; if all were drawn, the interval is a point.

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
    left = 1.0 - (n - 1) / n_population  # of variances: they are smaller without replacement
    if n > n_population / 2:
        left = (1.0 - n / n_population) * (1.0 + 1.0 / n)
    in_variance = log(4.0 * _TIMES_FIVE / error)
    spread = float(np.std(values))
    by_variance = spread * sqrt(2.0 * left * in_variance / n) + _KAPPA * in_variance / n
    by_range = sqrt(left * log(4.0 / error) / (2.0 * n))
    away = min(by_variance, by_range)
    drawn = n / n_population
    return max(mean - away, mean * drawn), min(mean + away, mean * drawn + (1.0 - drawn))


def weighted_interval(values: Floats, masses: Floats, confidence: float) -> tuple[float, float]:
    """Return an interval for the mean of a population by masses, as `mean_interval` does.

    `values` are of the first in a population in random order, whose masses are all known. Values
    times masses are not between 0 and 1, but below the largest mass.
    """
    mean, largest = float(masses.mean()), float(masses.max())
    scaled = values * masses[: values.size] / largest
    low, high = mean_interval(scaled, float(scaled.mean()), masses.size, confidence)
    known = float((values * masses[: values.size]).sum())
    drawn, whole = float(masses[: values.size].sum()), float(masses.sum())
    low, high = (one * largest / mean for one in (low, high))
    return max(low, known / whole), min(high, 1.0 - (drawn - known) / whole)


class RowSample:
    """Measures of a part of the rows, which grows by the rows that given subsets fail on.

    Every drawn row comes with its nearest enemy by all allowed features, so that these separate it
    no better in the part than in the whole table.

    Parameters
    ----------
    measure : Dependency
        The measure of all rows.
    allowed : bool[n_features]
        The features that may be selected.
    seed : int
        Seed of the random rows.
    n_rows : int
        Number of rows to draw; all if there are no more.

    Attributes
    ----------
    full_score : float
        The dependency of all allowed features on all rows.
    """

    def __init__(
        self, measure: Dependency, allowed: Masks, *, seed: int, n_rows: int = N_ROWS
    ) -> None:
        self._measure = measure
        found = self._nearest(allowed)
        self._kept = found.membership
        self.full_score = measure._mean(found.membership)
        drawn = random_order(measure.n_samples, seed, _ROW_STREAM)[:n_rows]
        enemies = found.enemy[drawn]
        self._first = np.concatenate([drawn, enemies[enemies >= 0]])
        self._broken: dict[bytes, Integers] = {}  # the rows that each subset adds

    def on(self, failed: Masks) -> SubsetScores:
        """Return the measure of the part that has rows on which each of these subsets fails."""
        for subset in failed:
            if (key := subset.tobytes()) not in self._broken:
                self._broken[key] = self._broken_by(subset)
        joined = [self._broken[subset.tobytes()] for subset in failed]
        rows = np.unique(np.concatenate([self._first, *joined]))
        measure = self._measure
        part = measure._geometry.take(rows)
        return SubsetScores(
            part, measure._join, measure._n_threads, measure._choice, np.arange(rows.size)
        )

    def _nearest(self, subset: Masks) -> Nearest:
        """Return the nearest enemies of all samples.

        Which of several equally near ones a tree finds does not depend on the number of threads.
        """
        measure = self._measure
        asked = subset_of(measure._geometry, subset)
        return measure._engine(TreeEngine).nearest(asked, np.inf)

    def _broken_by(self, subset: Masks) -> Integers:
        """Return samples that come closer to an enemy than by all features, and these enemies.

        The worst ones, and as many others spread over the rest.
        """
        found = self._nearest(subset)
        lost = self._kept - found.membership
        worst = assorted(lost, lost > 0.0, N_BROKEN)
        return np.concatenate([worst, found.enemy[worst]])
