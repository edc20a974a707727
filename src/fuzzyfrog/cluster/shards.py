"""The algebra of shards: what pairs of them tell about their samples, put together exactly.

The membership of a sample is a minimum over its enemies, so the smallest of the memberships that
it has in each pair of shards is its membership in the whole table. The total of memberships is a
sum of whole numbers. Neither depends on how the samples are cut or in which order parts arrive.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.cluster.code_version import require_stamp
from fuzzyfrog.cluster.worker import Packed
from fuzzyfrog.measure import _kernel_scan
from fuzzyfrog.measure.dependency import SubsetScores
from fuzzyfrog.measure.geometry import Geometry, subset_of

__all__ = [
    "Shard",
    "Union",
    "Unions",
    "add_up",
    "cut",
    "forget",
    "is_done",
    "lowest",
    "merge",
    "n_kept",
    "summed",
    "totals",
    "unions",
    "unite",
    "weigh",
    "weigh_pair",
]

Floats = NDArray[np.float64]
Totals = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Shard:
    """Every so-many-th sample of a geometry.

    Attributes
    ----------
    Z : float64[n_samples, n_features]
        Positions on the grid.
    place : int64[n_samples]
        Where the samples stand in the whole geometry; ascending.
    side : int64[n_samples]
        A number for each sample that differs between enemies.
    target : float64[n_samples] or float64[0]
        Positions of a numeric target, nothing for classes.
    categorical : bool[n_features]
        Features of which only equality counts.
    """

    Z: Floats
    place: NDArray[np.int64]
    side: NDArray[np.int64]
    target: Floats
    categorical: NDArray[np.bool_]

    def __sizeof__(self) -> int:  # Dask asks, to know what fits where
        return object.__sizeof__(self) + self.Z.nbytes + 3 * self.place.nbytes


@dataclass(frozen=True, eq=False)
class Union:
    """The samples of one shard or two as a geometry of their own.

    Attributes
    ----------
    geometry : Geometry
        The samples in the order of the whole table.
    origin : int64[n_samples]
        Which of the shards each sample comes from: 0 or 1.
    n_shards : int
        How many they are.
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
    """Return the union of shards, on whose pairs of enemies the engines can look."""
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
    """Return the memberships of the samples of each shard as far as the union tells.

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
        One array for each shard. NaN where a subset was given up: these samples alone lose more
        than is allowed.
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
        result[k] = _kernel_scan.total(memberships[k])
    return result


def summed(parts: Sequence[Totals]) -> Totals:
    """Return the totals of the whole table from those of its shards, -1 if any shard gave up."""
    all_parts = np.array(parts)
    result: Totals = all_parts.sum(axis=0)
    result[(all_parts[:, :, 0] < 0).any(axis=0)] = -1
    return result


def _rows_of(shards: Sequence[Shard], order: NDArray[np.int64]) -> Floats:
    """Return the positions of shards one behind the other, in an order, without a second copy."""
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
    """Return where each class starts that has samples here; a numeric target has one class."""
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
        """Lend a union that nobody else has: the one kept under a mark, or a new one.

        Parameters
        ----------
        mark : str
            What stands for the shards of the union.
        make : callable
            Makes the union. Others were let go of before, so that it has their room.
        """
        union = self._taken(mark)
        try:
            if union is None:
                union = make()
            yield union
        finally:
            self._give_back(mark, union)

    def forget(self, start: str) -> None:
        """Let go of all kept unions whose marks start in a way."""
        with self._changing:
            for mark in [mark for mark in self._kept if mark.startswith(start)]:
                del self._kept[mark]

    def n_kept(self, start: str) -> int:
        """Return the number of kept unions whose marks start in a way."""
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
    """Have this process let go of the unions whose marks start in a way."""
    unions.forget(start)


def n_kept(start: str) -> int:
    """Return how many unions with such marks this process keeps."""
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
    """Return what `shards.weigh` tells of a pair of shards.

    Parameters
    ----------
    stamp : str
        The code of whoever submitted the task.
    mark : str
        What stands for the pair.
    after : object
        Not read: the result of a task that is to be done before the shards are fetched.
    subsets, allowed, join
        As in `shards.weigh`.
    *pair : Shard
        The shards.
    """
    require_stamp(stamp)
    with unions.lent(mark, lambda: unite(*pair)) as union:
        return weigh(union, subsets, allowed, join)


def is_done(stamp: str, result: object) -> bool:
    """Return True, once there is a result."""
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
