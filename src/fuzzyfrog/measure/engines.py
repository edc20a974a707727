"""The engines: different ways to go through the pairs of enemies, with the same bits as a result.

`ArrayEngine` uses NumPy alone, for small tables, and for larger ones until compiling kernels pays:
there is no wait for the first answer. The pairs of enemies are split into rectangles, samples of
one class against samples of others; whole rectangles are joined feature by feature. Sums below 8
are exact on the grid in any order and similarities are joined in the order of the kernels, so the
answers are the same, bit for bit (docs/theory.md#grid).

The tree is in `tree.py`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property, reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.common.tnorms import PRODUCT, SUM, both
from fuzzyfrog.data.scaling import GRID
from fuzzyfrog.measure.geometry import Geometry, Subset, batch_of, parts_of, subset_of, total
from fuzzyfrog.measure.threads import map_blocks

_kernel_plain = Kernels("fuzzyfrog.measure._kernel_scan", "nearest")
_SCANS = "scan_batch", "scan", "scan_part"
_kernel_scan = Kernels("fuzzyfrog.measure._kernel_scan", *_SCANS)
# The same kernels are compiled once for classes, where the target is None, and once for numbers.
SCANS_BY_KIND = {
    False: Kernels("fuzzyfrog.measure._kernel_scan", *_SCANS, suits=lambda types: "none" in types),
    True: Kernels(
        "fuzzyfrog.measure._kernel_scan", *_SCANS, suits=lambda types: "none" not in types
    ),
}

# Pairs of enemies: below, handing work to a thread costs more than it saves.
_WORTH_A_THREAD = 2_000_000
# Pairs of one call of a kernel, a fraction of a second: a running call cannot be stopped.
_PAIRS_AT_ONCE = 50_000_000

# Of the engine of arrays:
_PAIRS = 2**13  # of a rectangle: a few columns of this length stay in the cache
_WIDTH = 2**12  # samples on the long side of a rectangle
_AT_ONCE = 16  # features joined for all pairs of a rectangle before checking which pairs are left
_MOST_CELLS = 2**22  # of memberships, or of differences that are kept from call to call
_MOST_COLUMNS = 1024  # of differences kept for a rectangle
_MOST_SUBSETS = 16  # subsets whose distances on a rectangle are in memory at once

# Measured, in seconds: what a pair costs on one feature, and a subset on one rectangle.
_SECONDS_PER_DIFFERENCE = 5e-10
_SECONDS_PER_RECTANGLE = 1e-5


class Nearest(NamedTuple):
    """The nearest enemies that an engine found, in the order of the requested samples.

    Attributes
    ----------
    membership : float64[n_asked]
        The distance of the nearest enemy seen, cut at 1.
    enemy : int64[n_asked]
        An enemy at that distance; -1 where there is none nearer than 1.
    complete : bool
        False if more was lost than allowed: then memberships may be too large.
    """

    membership: Floats
    enemy: Integers
    complete: bool


class Engine(ABC):
    """A way to find the nearest enemies of samples under a subset of the features.

    `asked` holds the samples whose nearest enemies are requested, in ascending order; the enemies
    are looked for among all samples.
    """

    def __init__(self, geometry: Geometry, join: int, n_threads: int, asked: Integers) -> None:
        self.geometry = geometry
        self.join = join
        self.n_threads = n_threads
        self.asked = asked
        self.asks_all = self.asked.size == geometry.n_samples
        self.masses = geometry.masses[self.asked]
        self.n_pairs = geometry.n_pairs_of(self.asked.size)

    @cached_property
    def _is_asked(self) -> Masks:
        """Which of all samples are requested."""
        is_asked = np.zeros(self.geometry.n_samples, np.bool_)
        is_asked[self.asked] = True
        return is_asked

    @abstractmethod
    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return the nearest enemies, or those found before more than `allowed` was lost."""

    def weigh(self, masks: Masks, allowed: Floats) -> Integers:
        """Return the `total` of each subset's memberships, -1 where more is lost than allowed."""
        weights = np.full((len(masks), 2), -1, np.int64)
        for k, mask in enumerate(masks):
            found = self.nearest(subset_of(self.geometry, mask), float(allowed[k]))
            if found.complete:
                weights[k] = _kernel_scan.total(found.membership, self.masses)
        return weights

    def _opened(self, n_samples: int, n_lanes: int) -> tuple[Floats, NDArray[np.int16], Integers]:
        """Return memberships of 1, their limits, and no enemies."""
        membership, enemy = np.empty(n_samples), np.empty(n_samples, np.int64)
        limit = np.empty(n_lanes, np.int16)
        _kernel_scan.open_memberships(self.geometry.steps, membership, limit, enemy)
        return membership, limit, enemy

    def _threads_for(self, n_pairs: int) -> int:
        return self.n_threads if n_pairs >= _WORTH_A_THREAD else 1

    def _lowered(
        self, kernel: Callable[[int, int, float], float], lane: int, n_threads: int, allowed: float
    ) -> float:
        """Call a kernel that lowers memberships, piece by piece; return what they lost.

        The kernel is called with the first block, the stride to the next one and what may still
        be lost.
        """
        n_pieces = 1 + self.n_pairs // (n_threads * _PAIRS_AT_ONCE)
        lost = 0.0
        for piece in range(n_pieces):
            stop_if_late()
            lost += kernel(lane + piece * n_threads, n_pieces * n_threads, allowed - lost)
            if lost > allowed:
                break
        return lost


class PlainEngine(Engine):
    """Every pair in float64: the slowest engine, and the easiest to read."""

    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return memberships and enemies; `allowed` is ignored."""
        geometry = self.geometry
        membership = np.empty(self.asked.size)
        enemy = np.empty(self.asked.size, np.int64)

        def rows(block: tuple[int, int]) -> None:
            _kernel_plain.plain(
                geometry.Z, geometry.side, geometry.target, self.asked, subset.exact, self.join,
                *block, membership, enemy,
            )  # fmt: skip

        map_blocks(rows, parts_of(self.asked.size), self._threads_for(self.n_pairs))
        return Nearest(membership, enemy, complete=True)


class ScanEngine(Engine):
    """Every block of pairs, most of them dropped after a few features. For all samples only."""

    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return memberships and enemies; threads share the blocks."""
        n_threads = self._threads_for(self.n_pairs)
        parts = map_blocks(
            lambda k: self._part(subset, allowed, k, n_threads), range(n_threads), n_threads
        )
        return reduce(closer, parts)

    def weigh(self, masks: Masks, allowed: Floats) -> Integers:
        """Return the totals; whole subsets go to threads when there are enough of them."""
        if len(masks) < self.n_threads or self.n_pairs > _PAIRS_AT_ONCE:
            return super().weigh(masks, allowed)
        weights = np.empty((len(masks), 2), np.int64)
        batch, table = batch_of(self.geometry, masks, allowed), self.geometry.table
        n_threads = self._threads_for(len(masks) * self.n_pairs)
        shape = self.geometry.n_samples, table.lanes.shape[1]

        def part(cut: tuple[int, int]) -> None:
            membership, limit, enemy = self._opened(*shape)
            _kernel_scan.scan_batch(
                table, batch, self.join, *cut, self.masses, membership, limit, enemy, enemy.copy(),
                weights,
            )  # fmt: skip

        map_blocks(part, _cuts(len(masks), n_threads, self.n_pairs), n_threads)
        return weights

    def _part(self, subset: Subset, allowed: float, lane: int, n_threads: int) -> Nearest:
        table = self.geometry.table
        membership, limit, enemy = self._opened(self.geometry.n_samples, table.lanes.shape[1])

        def kernel(start: int, step: int, may_lose: float) -> float:
            return float(
                _kernel_scan.scan(
                    table, table.target, subset.features, subset.exact, self.join, subset.gaps,
                    start, step, membership, limit, enemy, may_lose,
                )
            )  # fmt: skip

        lost = self._lowered(kernel, lane, n_threads, allowed)
        return Nearest(membership, enemy, complete=bool(lost <= allowed))


class PartEngine(Engine):
    """The scan for a part of the samples: only their rows meet the blocks of all samples."""

    @cached_property
    def _queries(self) -> NDArray[np.int16]:
        return self.geometry.queries[self.asked]

    @cached_property
    def _own(self) -> Integers:
        """The first of the samples that are not enemies of each, and the end of them."""
        if self.geometry.is_numeric:
            return np.column_stack([self.asked, self.asked + 1])
        starts, side = self.geometry.starts, self.geometry.side[self.asked]
        return np.column_stack([starts[side], starts[side + 1]])

    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return memberships and enemies; threads share the samples."""
        membership, limit, enemy = self._opened(self.asked.size, self.asked.size)
        table = self.geometry.table
        n_threads = self._threads_for(self.n_pairs)

        def part(cut: tuple[int, int]) -> float:
            return float(
                _kernel_scan.scan_part(
                    table, table.target, self.asked, self._own, self._queries, subset.features,
                    subset.exact, self.join, subset.gaps, *cut, membership, limit, enemy, allowed,
                )
            )  # fmt: skip

        cuts = _cuts(self.asked.size, n_threads, self.geometry.n_samples)
        lost = sum(map_blocks(part, cuts, n_threads))
        return Nearest(membership, enemy, complete=bool(lost <= allowed))


class LineEngine(Engine):
    """One complete feature, classes only: sorting finds the nearest enemies."""

    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return memberships and enemies of a subset of one feature."""
        order, apart, closest = _on_line(self.geometry.Z[:, subset.exact[0]], self.geometry.side)
        membership, enemy = np.empty(apart.size), np.empty(apart.size, np.int64)
        membership[order] = apart
        enemy[order] = np.where(apart < 1.0, np.append(order, -1)[closest], -1)
        return Nearest(membership[self.asked], enemy[self.asked], complete=True)

    def weigh(self, masks: Masks, allowed: Floats) -> Integers:
        """Return the totals; threads share the features."""

        def weight(mask: Masks) -> tuple[int, int]:
            z = self.geometry.Z[:, np.argmax(mask)]
            order, apart, _ = _on_line(z, self.geometry.side)
            asked = slice(None) if self.asks_all else self._is_asked[order]
            return total(apart[asked], self.geometry.masses[order[asked]])

        n_threads = self._threads_for(len(masks) * self.geometry.n_samples * 100)
        return np.array(map_blocks(weight, masks, n_threads), np.int64).reshape(-1, 2)


def _on_line(z: Floats, side: Integers) -> tuple[Integers, Floats, Integers]:
    """Return the order of samples on a complete feature, and in it the nearest enemies.

    They are distances, cut at 1, and places in the order; -1 or the end for none. Samples of one
    side that follow each other form a run. The nearest enemies of a sample are the last one before
    its run and the first one behind it.
    """
    order = np.argsort(z)
    z, side = z[order], side[order]
    starts = np.flatnonzero(np.concatenate([[True], side[1:] != side[:-1]]))
    lengths = np.diff(np.append(starts, z.size))
    before, behind = starts - 1, starts + lengths
    with_ends = np.concatenate([z, [np.inf, -np.inf]])  # at z.size, and at -1
    below = z - np.repeat(with_ends[before], lengths)
    above = np.repeat(with_ends[behind], lengths) - z
    closest = np.where(below <= above, np.repeat(before, lengths), np.repeat(behind, lengths))
    return order, np.minimum(np.minimum(below, above), 1.0), closest


def _cuts(n_items: int, n_threads: int, n_pairs: int) -> list[tuple[int, int]]:
    """Return the parts of some work, (first, last) of each, for items of `n_pairs` pairs each.

    There are enough parts to keep all threads busy, and none takes so long that a deadline would
    be noticed late.
    """
    n_parts = 1 if n_threads == 1 else 8 * n_threads
    return parts_of(n_items, max(n_parts, n_items * n_pairs // _PAIRS_AT_ONCE))


def closer(a: Nearest, b: Nearest) -> Nearest:
    """Return the nearer enemy of each sample from two looks at different pairs."""
    is_closer = b.membership < a.membership
    return Nearest(
        np.where(is_closer, b.membership, a.membership),
        np.where(is_closer, b.enemy, a.enemy),
        a.complete and b.complete,
    )


def seconds_for(n_pairs: int, n_joined: int, n_subsets: int) -> float:
    """Return about how long NumPy takes: `n_joined` features in all, of `n_subsets` subsets."""
    n_rectangles = 1 + n_pairs // _PAIRS
    per_pair = n_pairs * (n_joined + 2 * n_subsets) * _SECONDS_PER_DIFFERENCE
    return per_pair + n_rectangles * n_subsets * _SECONDS_PER_RECTANGLE


class _Differences:
    """The distances, or similarities if these are joined, of a rectangle of pairs on features."""

    def __init__(self, geometry: Geometry, join: int, rows: Integers, columns: slice) -> None:
        self.shape = rows.size, columns.stop - columns.start
        self._here = geometry.Z[rows].T
        self._there = geometry.Z[columns].T
        self._has_gaps = geometry.has_gaps
        self._join = join
        self._known: dict[int, Floats] = {}

    def on(self, feature: int) -> Floats:
        """Return the differences of all pairs on one feature."""
        found = self._known.get(feature)
        if found is None:
            here, there = self._here[feature], self._there[feature]
            found = self._of(here[:, np.newaxis], there, bool(self._has_gaps[feature]))
            if len(self._known) == _MOST_COLUMNS:
                self._known.clear()
            self._known[feature] = found
        return found

    def of_some(self, features: Integers, i: Integers, j: Integers) -> Floats:
        """Return the differences of some pairs on some features."""
        here, there = self._here[features][:, i], self._there[features][:, j]
        return self._of(here, there, bool(self._has_gaps[features].any()))

    def _of(self, here: Floats, there: Floats, gaps: bool) -> Floats:
        apart = np.abs(here - there)
        if gaps:
            apart[np.isnan(apart)] = 0.0  # missing: similar to anything
        return np.maximum(0.0, 1.0 - apart) if self._join >= PRODUCT else apart


class _Rectangle(NamedTuple):
    """Pairs of some of the requested samples (a part of `asked`) with neighboring samples."""

    rows: slice
    columns: slice
    differences: _Differences
    plus: Floats | None  # what a numeric target adds to distances; infinite for a sample itself


class ArrayEngine(Engine):
    """Every pair, a rectangle of pairs at a time."""

    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return memberships and enemies; `allowed` is ignored."""
        membership = np.ones(self.asked.size)
        enemy = np.full(self.asked.size, -1)
        for one in self._rectangles():
            apart = self._apart(one, subset.exact)
            closest = apart.argmin(axis=1)
            found = np.take_along_axis(apart, closest[:, np.newaxis], axis=1)[:, 0]
            _lower(membership[one.rows], enemy[one.rows], found, closest + one.columns.start)
            if self.asks_all:
                closest = apart.argmin(axis=0)
                found = np.take_along_axis(apart, closest[np.newaxis], axis=0)[0]
                _lower(membership[one.columns], enemy[one.columns], found, closest + one.rows.start)
        return Nearest(membership, enemy, complete=True)

    def weigh(self, masks: Masks, allowed: Floats) -> Integers:
        """Return the totals; -1 where more is lost than allowed."""
        n_at_once = max(1, min(_MOST_SUBSETS, _MOST_CELLS // self.asked.size))
        parts = [slice(at, at + n_at_once) for at in range(0, len(masks), n_at_once)]
        weights = [self._weigh(masks[part], allowed[part]) for part in parts]
        return np.concatenate([np.empty((0, 2), np.int64), *weights])

    def _weigh(self, masks: Masks, allowed: Floats) -> Integers:
        membership = np.ones((len(masks), self.asked.size))
        lost = np.zeros(len(masks))
        subsets = [np.flatnonzero(mask) for mask in masks]
        for one in self._rectangles():
            left = np.flatnonzero(lost <= allowed)
            if left.size == 0:
                break
            apart = np.empty((left.size, *one.differences.shape))
            for place, k in enumerate(left.tolist()):
                self._join_all(one, subsets[k], apart[place])
            lost[left] += _lower_all(membership, left, one.rows, apart.min(axis=2))
            if self.asks_all:
                lost[left] += _lower_all(membership, left, one.columns, apart.min(axis=1))
        weights = np.array([total(one, self.masses) for one in membership], np.int64)
        weights[lost > allowed] = -1
        return weights

    def first_enemies(self, subset: Integers, membership: Floats) -> Integers:
        """Return the enemy at the distance of the membership that the caller knows first.

        `membership` has all samples, the answer the requested ones; -1 where a membership is 1.
        """
        order, kept = self.geometry.order, membership[self.asked]
        first = np.full(self.asked.size, order.size)
        for one in self._rectangles(twice=True):
            is_nearest = self._apart(one, subset) == kept[one.rows][:, np.newaxis]
            known = np.where(is_nearest, order[one.columns], order.size).min(axis=1)
            np.minimum(first[one.rows], known, out=first[one.rows])
        place = np.append(np.argsort(order), -1)
        return np.where(kept == 1.0, -1, place[first])

    def distance(self, one: int, other: int, subset: Integers) -> float:
        """Return how far two samples are apart, cut at 1."""
        columns = slice(other, other + 1)
        differences = _Differences(self.geometry, self.join, np.array([one]), columns)
        pair = _Rectangle(slice(0, 1), columns, differences, None)
        return min(1.0, float(self._apart(pair, subset)[0, 0]))

    def infimum(self, subset: Integers, concept: Floats) -> Floats:
        """Return the smallest of distance + degree of belonging to a concept, cut at 1."""
        lowest = np.ones(self.asked.size)

        def lower(part: tuple[int, int]) -> None:
            for rows, columns in _cut(*part, 0, concept.size):
                stop_if_late()
                differences = _Differences(self.geometry, self.join, self.asked[rows], columns)
                whole = _Rectangle(rows, columns, differences, concept[columns])
                apart = self._apart(whole, subset)
                np.minimum(lowest[rows], apart.min(axis=1), out=lowest[rows])

        map_blocks(lower, parts_of(self.asked.size), self._threads_for(self.asked.size**2))
        return lowest

    def _rectangles(self, *, twice: bool = False) -> Iterator[_Rectangle]:
        """Yield all pairs of enemies, each once, or once for each of its samples."""
        once = self.asks_all and not twice
        is_small = self.n_pairs * self.geometry.n_features <= _MOST_CELLS
        for one in self._kept if once and is_small else self._made(once):
            stop_if_late()
            yield one

    @cached_property
    def _kept(self) -> list[_Rectangle]:
        """The rectangles of a small table, whose differences are kept from call to call."""
        return list(self._made(once=True))

    def _made(self, once: bool) -> Iterator[_Rectangle]:
        for rows, columns in self._cuts(once):
            differences = _Differences(self.geometry, self.join, self.asked[rows], columns)
            yield _Rectangle(rows, columns, differences, self._plus(rows, columns))

    def _cuts(self, once: bool) -> Iterator[tuple[slice, slice]]:
        geometry, n = self.geometry, self.geometry.n_samples
        if geometry.is_numeric:
            for rows, columns in _cut(0, self.asked.size, 0, n):
                if not once or columns.stop > rows.start:
                    yield rows, columns
            return
        places = np.searchsorted(self.asked, geometry.starts).tolist()
        for (first, last), (start, end) in zip(
            pairwise(places), pairwise(geometry.starts.tolist()), strict=True
        ):
            yield from _cut(first, last, end, n)
            if not once:
                yield from _cut(first, last, 0, start)

    def _plus(self, rows: slice, columns: slice) -> Floats | None:
        target = self.geometry.target
        if target.size == 0:
            return None
        samples = self.asked[rows][:, np.newaxis]
        alike = np.maximum(0.0, 1.0 - np.abs(target[samples] - target[columns]))
        alike[samples == np.arange(columns.start, columns.stop)] = np.inf
        return alike

    def _apart(self, one: _Rectangle, subset: Integers) -> Floats:
        """Return the distances of pairs; some value of 1 or more for 1, infinity for no pair."""
        apart = np.empty(one.differences.shape)
        self._join_all(one, subset, apart)
        return apart

    def _join_all(self, one: _Rectangle, subset: Integers, apart: Floats) -> None:
        """Set the distances of pairs, as `_apart` returns them."""
        differences, features = one.differences, self._ordered(subset)
        apart[...] = 1.0 if self.join >= PRODUCT else 0.0
        for start in range(0, features.size, _AT_ONCE):
            for feature in features[start : start + _AT_ONCE].tolist():
                self._join_column(apart, differences.on(feature))
            rest = features[start + _AT_ONCE :]
            if rest.size:
                left = np.flatnonzero(self._is_open(apart))
                if 4 * left.size <= apart.size:
                    self._join_rest(apart, differences, left, rest)
                    break
        if self.join >= PRODUCT:
            apart[...] = np.rint((1.0 - apart) / GRID) * GRID
        if one.plus is not None:
            apart += one.plus

    def _join_rest(
        self, apart: Floats, differences: _Differences, left: Integers, rest: Integers
    ) -> None:
        """Join further features to those of the pairs that are not at distance 1 yet."""
        flat = apart.reshape(-1)
        for start in range(0, rest.size, _AT_ONCE):
            left = left[self._is_open(flat[left])]
            if left.size == 0:
                return
            i, j = np.divmod(left, apart.shape[1])
            some = flat[left]
            for column in differences.of_some(rest[start : start + _AT_ONCE], i, j):
                self._join_column(some, column)
            flat[left] = some

    def _ordered(self, subset: Integers) -> Integers:
        """Return the features in the order to join them: their own if every step rounds."""
        if self.join >= PRODUCT or subset.size <= _AT_ONCE:
            return subset
        ranked = self.geometry.most_telling
        return ranked[np.isin(ranked, subset)]

    def _join_column(self, joined: Floats, column: Floats) -> None:
        if self.join == SUM:
            np.add(joined, column, out=joined)
        elif self.join >= PRODUCT:
            joined[...] = both(joined, column, self.join)
        else:
            np.maximum(joined, column, out=joined)

    def _is_open(self, joined: Floats) -> Masks:
        """Whether pairs may still come to lie at another distance."""
        return np.asarray(joined > 0.0 if self.join >= PRODUCT else joined < 1.0)


def _cut(first: int, last: int, start: int, end: int) -> Iterator[tuple[slice, slice]]:
    """Yield the rectangles of some rows and some columns."""
    for left in range(start, end, _WIDTH):
        columns = slice(left, min(left + _WIDTH, end))
        height = max(1, _PAIRS // (columns.stop - columns.start))
        for top in range(first, last, height):
            yield slice(top, min(top + height, last)), columns


def _lower(membership: Floats, enemy: Integers, found: Floats, who: Integers) -> None:
    """Lower memberships and name the enemy where one is nearer than those known."""
    is_closer = found < membership
    membership[is_closer] = found[is_closer]
    enemy[is_closer] = who[is_closer]


def _lower_all(membership: Floats, subsets: Integers, samples: slice, found: Floats) -> Floats:
    """Lower the memberships of some samples under some subsets; return by how much in all."""
    before = membership[subsets, samples]
    after = np.minimum(before, found)
    membership[subsets, samples] = after
    return np.asarray((before - after).sum(axis=1))
