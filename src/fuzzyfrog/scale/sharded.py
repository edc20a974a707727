"""Samples cut into shards: a task looks at a pair of them, no worker needs the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from operator import getitem

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.subsets import MARGIN, exact_means
from fuzzyfrog.scale import shards
from fuzzyfrog.scale.client import Client, Future
from fuzzyfrog.scale.packing import Packed
from fuzzyfrog.scale.resilience import collected, threads_of
from fuzzyfrog.scale.shards import Totals, cut, lowest, summed, totals, unite, weigh
from fuzzyfrog.scale.stamp import stamp

__all__ = ["BYTES_PER_CELL", "Sharded"]

BYTES_PER_CELL = 8 + shards.BYTES_PER_CELL  # a shard as it arrives, and what is made of it
MOST_BYTES = 2**26  # of memberships that a task gives
FAN_IN = 8  # memberships of the same samples that one task puts together

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
Pair = tuple[int, ...]


class Sharded:
    """Scores subsets on workers of which each has some pairs of shards.

    Parameters
    ----------
    client : Client
        The cluster.
    measure : Dependency
        The measure of the table.
    n_shards : int
        Number of shards, at most one for each sample.
    """

    def __init__(self, client: Client, measure: Dependency, n_shards: int) -> None:
        self._client = client
        self._geometry = measure._geometry
        self._join = measure._join
        self._n_shards = min(n_shards, measure.n_samples)
        # Two shards together also tell all about each of the two.
        self._pairs: list[Pair] = list(combinations(range(self._n_shards), 2)) or [(0,)]
        self._shards: dict[int, Future] = {}
        self._unions: dict[Pair, Future] = {}
        self.n_threads = threads_of(client)

    def score(self, masks: Masks, bars: Floats, n_tasks: int) -> Floats:
        """Give the dependency of each subset, -inf where it is below its bar.

        The batch is cut only for memory: the table is what is shared out, so `n_tasks` is not
        needed.
        """
        n_samples, at_once = self._geometry.n_samples, self._at_once()
        allowed = n_samples * (1.0 - bars + MARGIN)
        scores = np.empty(len(masks))
        for first in range(0, len(masks), at_once):
            rows = slice(first, first + at_once)
            scores[rows] = exact_means(self._totals(masks[rows], allowed[rows]), n_samples)
        scores[scores < bars] = -np.inf
        return scores

    def best(self, masks: Masks, n_tasks: int) -> Floats:
        """Give the dependency of the best subsets, -inf for the others."""
        scores, highest, at_once = np.empty(len(masks)), -np.inf, self._at_once()
        for first in range(0, len(masks), at_once):
            rows = slice(first, first + at_once)
            bars = np.full(len(masks[rows]), highest)
            scores[rows] = self.score(masks[rows], bars, n_tasks)
            highest = max(highest, float(scores[rows].max()))
        scores[scores < highest] = -np.inf
        return scores

    def withdraw(self) -> None:
        """Have the workers let go of the table."""
        self._unions.clear()
        self._shards.clear()

    def _at_once(self) -> int:
        """Give the number of subsets of a round."""
        n_bytes = 8 * len(self._pairs[0]) * self._geometry.n_samples // self._n_shards
        return max(1, MOST_BYTES // n_bytes)

    def _totals(self, masks: Masks, allowed: Floats) -> Totals:
        subsets = Packed.of(masks)

        def submit(missing: list[int]) -> list[Future]:
            pairs = [pair for pair in self._pairs if set(pair) & set(missing)]
            same = [[one] * len(pairs) for one in (subsets, allowed, self._join)]
            weighed = self._client.map(weigh, self._united(pairs), *same, pure=False)
            return self._put_together(missing, pairs, weighed)

        return summed(collected(self._client, self._n_shards, submit, self._let_go_of_lost))

    def _put_together(
        self, wanted: Sequence[int], pairs: Sequence[Pair], weighed: Sequence[Future]
    ) -> list[Future]:
        """Have the totals of shards made where their memberships are, in a fixed order."""
        sources = [(k, pair.index(s)) for s in wanted for k, pair in enumerate(pairs) if s in pair]
        found, side = [weighed[k] for k, _ in sources], [side for _, side in sources]
        parts = self._client.map(getitem, found, side, pure=False)
        each = len(parts) // len(wanted)  # every shard is in as many pairs
        while each > FAN_IN:
            groups = [group for one in _batched(parts, each) for group in _batched(one, FAN_IN)]
            parts = self._client.map(lowest, groups, pure=False)
            each = -(-each // FAN_IN)
        return self._client.map(totals, _batched(parts, each), pure=False)

    def _united(self, pairs: Sequence[Pair]) -> list[Future]:
        """Have pairs of shards put together on the workers, unless they are there already."""
        new = [pair for pair in pairs if pair not in self._unions]
        if new:
            parts = [[self._shard(k) for k in members] for members in zip(*new, strict=True)]
            made = self._client.map(unite, [stamp()] * len(new), *parts, pure=False)
            self._unions.update(zip(new, made, strict=True))
        return [self._unions[pair] for pair in pairs]

    def _shard(self, k: int) -> Future:
        if k not in self._shards:
            self._shards[k] = self._client.scatter(
                cut(self._geometry, k, self._n_shards), workers=None, broadcast=False, hash=False
            )
        return self._shards[k]

    def _let_go_of_lost(self) -> None:
        """Forget what is not on the cluster any more, so that it is sent or made again."""
        self._shards = {k: one for k, one in self._shards.items() if _is_there(one)}
        self._unions = {k: one for k, one in self._unions.items() if _is_there(one)}


def _batched(items: Sequence[Future], size: int) -> list[list[Future]]:
    """Give the items in groups of a size, the last of them maybe smaller."""
    return [list(items[first : first + size]) for first in range(0, len(items), size)]


def _is_there(future: Future) -> bool:
    return future.status in {"pending", "finished"}
