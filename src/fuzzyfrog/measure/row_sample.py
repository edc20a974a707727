"""A sample of the rows as a small table that stands for a large one while subsets are searched.

A subset that separates the samples of a large table separates those of any part of it, so a part
rules out most subsets at little cost. What the part lets through may still fall short on all rows:
then the samples that it fails on join the part, with the enemies that come too close to them
(docs/theory.md#sample-first).
"""

from __future__ import annotations

import numpy as np

from fuzzyfrog.common.arrays import Integers, Masks
from fuzzyfrog.measure.dependency import Dependency, SubsetScores
from fuzzyfrog.measure.engines import Nearest
from fuzzyfrog.measure.geometry import subset_of
from fuzzyfrog.measure.requirements import assorted
from fuzzyfrog.measure.sampled import random_order
from fuzzyfrog.measure.tree import TreeEngine

N_ROWS = 2_000  # at first: a subset of these is scored in a fraction of a millisecond
N_BROKEN = 64  # samples that join for each subset that falls short, and their enemies
# A search starts on a sample if there are this many pairs of enemies: two classes of 6,325. An
# evaluation of all rows then takes ten milliseconds or so, and a search needs 20,000 of them.
# Below, a minute of search is worth the many reducts that it finds on all rows.
FEWEST_PAIRS = 40_000_000
_STREAM = 0x726F7773  # next to the seed in the key: no other part of a run draws from it


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
        drawn = random_order(measure.n_samples, seed, _STREAM)[:n_rows]
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
