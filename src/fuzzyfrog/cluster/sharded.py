"""Samples cut into shards: a task looks at a pair of them, no worker needs the whole table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from operator import getitem
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.cluster import shards
from fuzzyfrog.cluster.client import Client, Future
from fuzzyfrog.cluster.code_version import stamp
from fuzzyfrog.cluster.retry import asked, collected, threads_of
from fuzzyfrog.cluster.shards import Totals, add_up, cut, is_done, merge, summed, weigh_pair
from fuzzyfrog.cluster.worker import Packed
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.geometry import MARGIN, exact_means

__all__ = [
    "Sharded",
    "shard_bytes",
    "thread_bytes",
]

MOST_BYTES = 2**25  # of memberships that a task gives, and that a thread has its share of
PER_THREAD = 2  # pairs on their way through a worker: one is worked on, one is fetched

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
Pair = tuple[int, ...]
Item = TypeVar("Item")


class Sharded:
    """Scores subsets on workers of which each has some shards and is sent others.

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
        self._tolerance = measure.tolerance
        self._n_shards = min(n_shards, measure.n_samples)
        # Two shards together also tell all about each of the two.
        self._pairs: list[Pair] = list(combinations(range(self._n_shards), 2)) or [(0,)]
        self._shards: dict[int, Future] = {}
        self._name = uuid4().hex
        self.n_threads = threads_of(client)

    def score(self, masks: Masks, bars: Floats, n_tasks: int) -> Floats:
        """Return the dependency of each subset, -inf where it is below its bar.

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
        """Return the dependency of the best subsets, -inf for the others."""
        scores, highest, at_once = np.empty(len(masks)), -np.inf, self._at_once()
        for first in range(0, len(masks), at_once):
            rows = slice(first, first + at_once)
            bars = np.full(len(masks[rows]), highest - self._tolerance)
            scores[rows] = self.score(masks[rows], bars, n_tasks)
            highest = max(highest, float(scores[rows].max()))
        scores[scores < highest - self._tolerance] = -np.inf
        return scores

    def withdraw(self) -> None:
        """Have the workers let go of the table."""
        self._shards.clear()
        asked(self._client, shards.forget, self._name)

    def _at_once(self) -> int:
        """Return the number of subsets of a round."""
        share = max(len(self._pairs[0]) / self._n_shards, 1 / self.n_threads)
        return max(1, int(MOST_BYTES / (8 * share * self._geometry.n_samples)))

    def _totals(self, masks: Masks, allowed: Floats) -> Totals:
        subsets = Packed.of(masks)

        def submit(missing: list[int]) -> list[Future]:
            return self._submitted(missing, subsets, allowed)

        return summed(collected(self._client, self._n_shards, submit, self._let_go_of_lost))

    def _submitted(self, wanted: Sequence[int], subsets: Packed, allowed: Floats) -> list[Future]:
        """Have the totals of shards made, by a few pairs at a time.

        A pair waits for one of the few before it, and what those tell is put together at once:
        or a worker would fetch the shards of all its pairs, and have all their memberships.
        """
        pairs = [pair for pair in self._pairs if set(pair) & set(wanted)]
        parts: dict[int, list[Future]] = {shard: [] for shard in wanted}
        weighed: list[Future] = []
        for few in _batched(pairs, PER_THREAD * threads_of(self._client)):
            done = self._each(is_done, weighed)[: len(few)]
            parts = self._put_together(parts)
            weighed = self._weighed(few, done or [None] * len(few), subsets, allowed)
            self._deal(parts, few, weighed)
        return self._each(add_up, list(parts.values()))

    def _weighed(
        self, pairs: Sequence[Pair], done: Sequence[Future | None], subsets: Packed, allowed: Floats
    ) -> list[Future]:
        marks = [f"{self._name} {pair}" for pair in pairs]
        same = [[one] * len(pairs) for one in (subsets, allowed, self._join)]
        shards = [[self._shard(k) for k in members] for members in zip(*pairs, strict=True)]
        return self._each(weigh_pair, marks, done, *same, *shards)

    def _deal(
        self, parts: dict[int, list[Future]], pairs: Sequence[Pair], weighed: Sequence[Future]
    ) -> None:
        """Add to the parts of each shard what pairs tell of it."""
        found = [
            (shard, future, side)
            for pair, future in zip(pairs, weighed, strict=True)
            for side, shard in enumerate(pair)
            if shard in parts
        ]
        futures, sides = [future for _, future, _ in found], [side for _, _, side in found]
        # Python's own function: any worker has the same one.
        one_side = self._client.map(getitem, futures, sides, pure=False)
        for (shard, _, _), part in zip(found, one_side, strict=True):
            parts[shard].append(part)

    def _put_together(self, parts: dict[int, list[Future]]) -> dict[int, list[Future]]:
        """Have one part made of the parts of each shard that has several."""
        several = [shard for shard, own in parts.items() if len(own) > 1]
        merged = self._each(merge, [parts[shard] for shard in several])
        return {**parts, **{shard: [one] for shard, one in zip(several, merged, strict=True)}}

    def _each(self, task: Callable[..., Any], *arguments: Sequence[Any]) -> list[Future]:
        """Have a task done for each set of arguments by workers that have our code."""
        if not arguments[0]:
            return []
        return self._client.map(task, [stamp()] * len(arguments[0]), *arguments, pure=False)

    def _shard(self, k: int) -> Future:
        if k not in self._shards:
            self._shards[k] = self._client.scatter(
                cut(self._geometry, k, self._n_shards), workers=None, broadcast=False, hash=False
            )
        return self._shards[k]

    def _let_go_of_lost(self) -> None:
        """Forget what is not on the cluster any more, so that it is sent again."""
        self._shards = {k: one for k, one in self._shards.items() if _is_there(one)}


def shard_bytes(n_cells: int) -> int:
    """Return the memory that the shards of a table take on all workers together."""
    return 8 * n_cells


def thread_bytes(n_cells: int, n_shards: int) -> float:
    """Return the memory that a thread needs for its work on a table in shards.

    That is for each cell of a pair 8 bytes as it arrives, also of the pair after it, 12 for a
    geometry, and up to 14 that an engine draws from it for a subset of all features (measured);
    and memberships that are made, dealt, merged and on their way.
    """
    return (8 * PER_THREAD + 26) * 2 * n_cells / n_shards + 4 * MOST_BYTES


def _batched(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    """Return the items in groups of a size, the last of them maybe smaller."""
    return [items[first : first + size] for first in range(0, len(items), size)]


def _is_there(future: Future) -> bool:
    return future.status in {"pending", "finished"}
