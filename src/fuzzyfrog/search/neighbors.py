"""Neighbors of subsets: one feature less, one more, or one exchanged."""

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
    keys = stream.floats(present.shape)
    leaving = free[np.argmax(np.where(present, keys, -1), axis=1)]
    coming = free[np.argmax(np.where(present, -1, keys), axis=1)]
    n_present = present.sum(axis=1)
    kind = stream.integers(1 if constraints.one_size else 3, len(subsets))
    drops, adds = (kind != 2) & (n_present > 0), (kind != 1) & (n_present < len(free))
    neighbors = subsets.copy()
    neighbors[rows[drops], leaving[drops]] = False
    neighbors[rows[adds], coming[adds]] = True
    return neighbors


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
        self._popularity = stream.floats(ranking.n_features)

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
        """Forget what was tried around subsets that are not the best any more."""
        self._tried = {}
        free = self._constraints.free
        self._incoming = free[np.argsort(-self._popularity[free], kind="stable")]

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
