"""A table in shards: a task looks at a pair of them, and no worker needs the whole table.

The membership of a sample is a minimum over its enemies, so the smallest of the memberships that
it has in each pair of shards is its membership in the whole table. The total of memberships is a
sum of integers. Neither depends on how the samples are split or in which order parts arrive.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from operator import getitem
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.cluster.client import Client, Future
from fuzzyfrog.cluster.retry import asked, collected, threads_of
from fuzzyfrog.cluster.worker import Packed, require_stamp, stamp
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.dependency import SubsetScores
from fuzzyfrog.measure.geometry import MARGIN, Geometry, exact_means, subset_of, total

MOST_BYTES = 2**25  # of memberships: in the result of a task, and for each thread
PER_THREAD = 2  # pairs of shards in a worker: one being scored, one being fetched

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
Totals = NDArray[np.int64]
Pair = tuple[int, ...]
Item = TypeVar("Item")


class Sharded:
    """Scores subsets on workers that each hold some shards and fetch others."""

    def __init__(self, client: Client, measure: Dependency, n_shards: int) -> None:
        self._client = client
        self._geometry = measure._geometry
        self._join = measure._join
        self._tolerance = measure.tolerance
        self._n_shards = min(n_shards, measure.n_samples)
        # A pair of shards covers the pairs of samples within each of the two as well.
        self._pairs: list[Pair] = list(combinations(range(self._n_shards), 2)) or [(0,)]
        self._shards: dict[int, Future] = {}
        self._name = uuid4().hex
        self.n_threads = threads_of(client)

    def score(self, masks: Masks, bars: Floats, n_tasks: int) -> Floats:
        """Return the dependency of each subset, -inf where it is below its bar.

        The batch is split only to save memory: workers share the table, so `n_tasks` is unused.
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
        """Make the workers drop the table."""
        self._shards.clear()
        asked(self._client, forget, self._name)

    def _at_once(self) -> int:
        """Return the number of subsets of a round."""
        share = max(len(self._pairs[0]) / self._n_shards, 1 / self.n_threads)
        return max(1, int(MOST_BYTES / (8 * share * self._geometry.n_samples)))

    def _totals(self, masks: Masks, allowed: Floats) -> Totals:
        subsets = Packed.of(masks)

        def submit(missing: list[int]) -> Any:
            return self._submitted(missing, subsets, allowed)

        return summed(collected(self._client, self._n_shards, submit, self._forget_lost))

    def _submitted(self, wanted: Sequence[int], subsets: Packed, allowed: Floats) -> list[Future]:
        """Submit the tasks for the totals of shards, a few pairs at a time.

        A pair waits for one of the few before it, whose memberships are merged at once. Otherwise
        a worker would fetch the shards of all its pairs and hold all their memberships.
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
        """Add the results of pairs to the parts of each shard."""
        found = [
            (shard, future, side)
            for pair, future in zip(pairs, weighed, strict=True)
            for side, shard in enumerate(pair)
            if shard in parts
        ]
        futures, sides = [future for _, future, _ in found], [side for _, _, side in found]
        # A built-in function, which is the same on any worker.
        one_side = self._client.map(getitem, futures, sides, pure=False)
        for (shard, _, _), part in zip(found, one_side, strict=True):
            parts[shard].append(part)

    def _put_together(self, parts: dict[int, list[Future]]) -> dict[int, list[Future]]:
        """Merge the parts of each shard that has several."""
        several = [shard for shard, own in parts.items() if len(own) > 1]
        merged = self._each(merge, [parts[shard] for shard in several])
        return {**parts, **{shard: [one] for shard, one in zip(several, merged, strict=True)}}

    def _each(self, task: Callable[..., Any], *arguments: Sequence[Any]) -> list[Future]:
        """Submit a task for each set of arguments, to workers that have our code."""
        if not arguments[0]:
            return []
        stamps = [stamp()] * len(arguments[0])
        return list(self._client.map(task, stamps, *arguments, pure=False))

    def _shard(self, k: int) -> Future:
        if k not in self._shards:
            self._shards[k] = self._client.scatter(
                cut(self._geometry, k, self._n_shards), workers=None, broadcast=False, hash=False
            )
        return self._shards[k]

    def _forget_lost(self) -> None:
        """Forget shards that are no longer on the cluster, so that they are sent again."""
        self._shards = {k: one for k, one in self._shards.items() if _is_there(one)}


def shard_bytes(n_cells: int) -> int:
    """Return the memory that the shards of a table take on all workers together."""
    return 8 * n_cells


def thread_bytes(n_cells: int, n_shards: int) -> float:
    """Return the memory that a thread needs to work on a table in shards.

    Each cell of a pair takes 8 bytes as it arrives, also for the next pair, 12 for a geometry, and
    up to 14 in an engine for a subset of all features (measured). Memberships that are computed,
    distributed, merged and sent are added to that.
    """
    return (8 * PER_THREAD + 26) * 2 * n_cells / n_shards + 4 * MOST_BYTES


def _batched(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    """Return the items in groups of a size; the last may be smaller."""
    return [items[first : first + size] for first in range(0, len(items), size)]


def _is_there(future: Future) -> bool:
    return future.status in {"pending", "finished"}


@dataclass(frozen=True, eq=False)
class Shard:
    """Every n-th sample of a geometry.

    Attributes
    ----------
    Z : float64[n_samples, n_features]
        Positions on the grid.
    place : int64[n_samples]
        Positions of the samples in the whole geometry, ascending.
    side : int64[n_samples]
        A number for each sample that differs between enemies.
    target : float64[n_samples] or float64[0]
        Positions of a numeric target, nothing for classes.
    categorical : bool[n_features]
        Categorical features.
    """

    Z: Floats
    place: NDArray[np.int64]
    side: NDArray[np.int64]
    target: Floats
    categorical: NDArray[np.bool_]

    def __sizeof__(self) -> int:  # for Dask, to know what fits where
        return object.__sizeof__(self) + self.Z.nbytes + 3 * self.place.nbytes


@dataclass(frozen=True, eq=False)
class Union:
    """The samples of one or two shards as a geometry of their own.

    Attributes
    ----------
    geometry : Geometry
        The samples in the order of the whole table.
    origin : int64[n_samples]
        Which of the shards each sample comes from: 0 or 1.
    n_shards : int
        Number of shards.
    """

    geometry: Geometry
    origin: NDArray[np.int64]
    n_shards: int


def cut(geometry: Geometry, first: int, n_shards: int) -> Shard:
    """Return one of the shards of a geometry, with its share of every class."""
    rows = slice(first, None, n_shards)
    return Shard(
        np.ascontiguousarray(geometry.Z[rows]),
        np.arange(geometry.n_samples)[rows],
        geometry.side[rows],
        geometry.target[rows],
        geometry.categorical,
    )


def unite(*shards: Shard) -> Union:
    """Return the union of shards as a geometry for the engines."""
    place = np.concatenate([shard.place for shard in shards])
    order = np.argsort(place)
    origin = np.repeat(np.arange(len(shards)), [shard.place.size for shard in shards])
    geometry = Geometry(
        _rows_of(shards, order),
        place[order],
        _starts(np.concatenate([shard.side for shard in shards])[order], shards[0].target.size > 0),
        np.concatenate([shard.target for shard in shards])[order[: _n_targets(shards)]],
        shards[0].categorical,
        np.zeros(len(shards[0].categorical)),  # of the whole table, which compares the scores
        0.0,
    )
    return Union(geometry, origin[order], len(shards))


def weigh(union: Union, subsets: Packed, allowed: Floats, join: int) -> tuple[Floats, ...]:
    """Return the memberships of the samples of each shard within the union.

    Parameters
    ----------
    union : Union
        The samples.
    subsets : Packed
        The subsets.
    allowed : float64[n_subsets]
        Largest sum of (1 - membership) over the whole table that is still of interest.
    join : int
        How features are joined: a constant of the scan kernel.

    Returns
    -------
    tuple of float64[n_subsets, n_samples]
        One array for each shard; NaN for subsets that were given up, because these samples alone
        lose more than allowed.
    """
    geometry, masks = union.geometry, subsets.masks()
    memberships = np.full((len(masks), geometry.n_samples), np.nan)
    everybody = np.arange(geometry.n_samples)
    scores = SubsetScores(geometry, join, 1, "auto", everybody)  # other threads have other tasks
    for k, mask in enumerate(masks):
        subset = subset_of(geometry, mask)
        found = scores._engine_for(subset).nearest(subset, float(allowed[k]))
        if found.complete:
            memberships[k] = found.membership
    return tuple(memberships[:, union.origin == part] for part in range(union.n_shards))


def lowest(parts: Sequence[Floats]) -> Floats:
    """Return the smallest of several memberships of the same samples; NaN if one of them is NaN."""
    return np.asarray(np.minimum.reduce(parts))


def totals(parts: Sequence[Floats]) -> Totals:
    """Return the `total` of the smallest memberships of a shard for each subset, -1 if given up."""
    memberships = lowest(parts)
    result = np.full((len(memberships), 2), -1, np.int64)
    for k in np.flatnonzero(~np.isnan(memberships).any(axis=1)):
        result[k] = total(memberships[k])
    return result


def summed(parts: Sequence[Totals]) -> Totals:
    """Return the totals of the whole table from those of its shards, -1 if any shard gave up."""
    all_parts = np.array(parts)
    result: Totals = all_parts.sum(axis=0)
    result[(all_parts[:, :, 0] < 0).any(axis=0)] = -1
    return result


def _rows_of(shards: Sequence[Shard], order: NDArray[np.int64]) -> Floats:
    """Return the positions of all shards in an order, without a second copy."""
    where = np.empty_like(order)
    where[order] = np.arange(order.size)
    Z = np.empty((order.size, shards[0].Z.shape[1]))
    first = 0
    for shard in shards:
        last = first + len(shard.Z)
        Z[where[first:last]] = shard.Z
        first = last
    return Z


def _starts(side: NDArray[np.int64], is_numeric: bool) -> NDArray[np.int64]:
    """Return where each class present here starts; a numeric target has one class."""
    sizes = [side.size] if is_numeric else np.unique(side, return_counts=True)[1]
    return np.concatenate([[0], np.cumsum(sizes)])


def _n_targets(shards: Sequence[Shard]) -> int:
    return sum(shard.target.size for shard in shards)


class Unions:
    """Unions that are lent to one task at a time and kept between tasks."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._kept: OrderedDict[str, Union] = OrderedDict()  # longest unused first
        self._n_lent = 0
        self._most_lent = 0

    @contextmanager
    def lent(self, mark: str, make: Callable[[], Union]) -> Iterator[Union]:
        """Lend a union that no other task has: the one kept under a mark, or a new one.

        Before `make` is called, other unions are dropped to make room.
        """
        union = self._taken(mark)
        try:
            if union is None:
                union = make()
            yield union
        finally:
            self._give_back(mark, union)

    def forget(self, start: str) -> None:
        """Drop the kept unions whose marks start with `start`."""
        with self._changing:
            for mark in [mark for mark in self._kept if mark.startswith(start)]:
                del self._kept[mark]

    def n_kept(self, start: str) -> int:
        """Return the number of kept unions whose marks start with `start`."""
        with self._changing:
            return sum(mark.startswith(start) for mark in self._kept)

    def _taken(self, mark: str) -> Union | None:
        with self._changing:
            self._n_lent += 1
            self._most_lent = max(self._most_lent, self._n_lent)
            union = self._kept.pop(mark, None)
            while self._n_lent + len(self._kept) > self._most_lent:
                self._kept.popitem(last=False)
            return union

    def _give_back(self, mark: str, union: Union | None) -> None:
        with self._changing:
            self._n_lent -= 1
            if union is not None:
                self._kept[mark] = union


unions = Unions()  # of this process


def forget(start: str) -> None:
    """Drop the unions of this process whose marks start with `start`."""
    unions.forget(start)


def n_kept(start: str) -> int:
    """Return the number of unions of this process whose marks start with `start`."""
    return unions.n_kept(start)


def weigh_pair(
    stamp: str,
    mark: str,
    after: object,
    subsets: Packed,
    allowed: Floats,
    join: int,
    *pair: Shard,
) -> tuple[Floats, ...]:
    """Return the memberships of a pair of shards, as `weigh` does.

    `after` is not read: it is the result of a task to finish before the shards are fetched.
    """
    require_stamp(stamp)
    with unions.lent(mark, lambda: unite(*pair)) as union:
        return weigh(union, subsets, allowed, join)


def is_done(stamp: str, result: object) -> bool:
    """Return True once there is a result."""
    require_stamp(stamp)
    return True


def merge(stamp: str, parts: Sequence[Floats]) -> Floats:
    """Return the smallest of several memberships of the same samples."""
    require_stamp(stamp)
    return lowest(parts)


def add_up(stamp: str, parts: Sequence[Floats]) -> Totals:
    """Return the totals of a shard for each subset."""
    require_stamp(stamp)
    return totals(parts)
