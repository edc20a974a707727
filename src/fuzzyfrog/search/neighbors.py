"""Neighbors of subsets: one feature less, one more, or one exchanged."""

from copy import copy
from typing import Self

import numpy as np

from fuzzyfrog.search.archive import Archive, packed
from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.protocol import Batch, Integers, Masks
from fuzzyfrog.search.random import Stream
from fuzzyfrog.search.ranking import Ranking

__all__ = ["Explorer", "random_neighbors"]

KEEP = -1  # no feature
ALL = -1  # every neighbor was tried
ACTIVE_MEMBERS = 32  # subsets whose neighbors are tried side by side


def random_neighbors(subsets: Masks, constraints: Constraints, stream: Stream) -> Masks:
    """Give a random neighbor of each subset; its size may not be allowed."""
    free, rows = constraints.free, np.arange(len(subsets))
    if not len(free):
        return subsets.copy()
    present = subsets[:, free]
    n_present = present.sum(axis=1)
    leaving = free[_nth_true(present, stream.integers(np.maximum(n_present, 1), len(rows)))]
    n_absent = len(free) - n_present
    coming = free[_nth_true(~present, stream.integers(np.maximum(n_absent, 1), len(rows)))]
    kind = stream.integers(1 if constraints.one_size else 3, len(rows))
    drops, adds = (kind != 2) & (n_present > 0), (kind != 1) & (n_absent > 0)
    neighbors = subsets.copy()
    neighbors[rows[drops], leaving[drops]] = False
    neighbors[rows[adds], coming[adds]] = True
    return neighbors


def _nth_true(masks: Masks, n: Integers) -> Integers:
    """Give the column of the n-th true value of each row, counted from 0; 0 where none is."""
    columns = np.zeros(len(masks), dtype=np.int64)
    for row in np.flatnonzero(masks.any(axis=1)):  # a number for every cell would take far longer
        columns[row] = np.flatnonzero(masks[row])[n[row]]
    return columns


class Explorer:
    """Tries the neighbors of the best subsets met: one feature less, more or exchanged.

    If features b and c of a subset can be replaced by a, then b alone can be replaced by a, and
    after that c is not needed: exchanging and dropping single features also finds what a larger
    step would.

    Parameters
    ----------
    archive : Archive
        The best subsets met.
    ranking : Ranking
        Which subset is better.
    constraints : Constraints
        Which subsets are allowed.
    stream : Stream
        Orders the features that are equally popular.
    """

    def __init__(
        self, archive: Archive, ranking: Ranking, constraints: Constraints, stream: Stream
    ) -> None:
        self._archive = archive
        self._ranking = ranking
        self._constraints = constraints
        self._tried: dict[bytes, int] = {}
        self._n_turned = 0
        self._popularity = stream.floats(ranking.n_features)

    def around(self, archive: Archive, constraints: Constraints) -> Self:
        """Give an explorer of other subsets, to which the same features are popular."""
        other = copy(self)
        other._archive, other._constraints, other._tried = archive, constraints, {}
        return other

    def praise(self, subsets: Masks) -> None:
        """Make the features of good subsets the first ones to come in."""
        self._popularity += subsets.sum(axis=0)

    def neighbors(self, limit: int) -> Batch | None:
        """Give at most about ``limit`` neighbors not tried before, or None if none is left."""
        subsets, scores = self._archive.members()
        keys = packed(subsets)
        if not any(key in self._tried for key in keys):
            self._restart()
        while True:
            fresh = [row for row, key in enumerate(keys) if self._tried.get(key) != ALL]
            if not fresh:
                return None
            active = fresh[-ACTIVE_MEMBERS:]
            quota = -(-limit // len(active))
            masks = np.concatenate(
                [self._some_of(subsets[row], keys[row], quota) for row in active]
            )
            batch = self._promising(masks, float(scores[active].min()))
            if len(batch.subsets):
                return batch

    def _restart(self) -> None:
        """Forget what was tried around subsets that are not the best any more.

        Features that came in first around those come in last around the new ones: most of them
        would fail again.
        """
        n_leaving = self._archive.size + 1
        self._n_turned += max(self._tried.values(), default=0) // n_leaving
        self._tried = {}
        free = self._constraints.free
        popular = free[np.argsort(-self._popularity[free], kind="stable")]
        self._incoming = np.roll(popular, -self._n_turned)

    def _some_of(self, subset: Masks, key: bytes, quota: int) -> Masks:
        """Give the next neighbors of one subset: drops first, then one newcomer at a time."""
        free = self._constraints.free
        leaving = np.append(KEEP, free[subset[free]])
        coming = np.append(KEEP, self._incoming[~subset[self._incoming]])
        n_moves = len(leaving) * len(coming)
        start = self._tried.get(key, 1)  # move 0 is to stay
        moves = np.arange(start, min(start + quota, n_moves))
        self._tried[key] = start + quota if start + quota < n_moves else ALL
        return _exchanged(subset, leaving[moves % len(leaving)], coming[moves // len(leaving)])

    def _promising(self, masks: Masks, score: float) -> Batch:
        """Give those that are allowed and may be as good as the best, with the scores needed."""
        sizes, (smallest, largest) = masks.sum(axis=1), self._constraints.sizes
        bars = self._ranking.needed(sizes, np.array(score), np.array(self._archive.size))
        useful = (bars < np.inf) & (smallest <= sizes) & (sizes <= largest)
        return Batch(masks[useful], at_least=bars[useful])


def _exchanged(subset: Masks, leaving: Integers, coming: Integers) -> Masks:
    """Give the subset with one feature out and one in, in each row; KEEP stands for none."""
    masks = np.repeat(subset[np.newaxis], len(leaving), axis=0)
    rows = np.arange(len(leaving))
    masks[rows[leaving != KEEP], leaving[leaving != KEEP]] = False
    masks[rows[coming != KEEP], coming[coming != KEEP]] = True
    return masks
