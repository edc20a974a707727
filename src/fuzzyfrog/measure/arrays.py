"""The measure by NumPy alone: for small tables, and for larger ones until kernels pay.

Nothing has to be compiled, so the first answers come at once. The pairs of enemies are cut into
rectangles, samples of one class against samples of others; whole rectangles are joined feature by
feature. Sums below 8 are exact on the grid in any order and products are taken in the order of the
kernels, so the answers are theirs, bit for bit (docs/theory.md#grid).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.data.scaling import GRID
from fuzzyfrog.measure.engines import Engine, Nearest, Weights
from fuzzyfrog.measure.geometry import PRODUCT, SUM, Floats, Geometry, Integers, Masks, Subset

_PAIRS = 2**13  # of a rectangle: a few columns of this length stay in the cache
_WIDTH = 2**12  # samples on the long side of a rectangle
_AT_ONCE = 16  # features joined for all pairs of a rectangle before a look at what is left
_MOST_CELLS = 2**22  # of memberships, or of differences that are kept from call to call
_MOST_COLUMNS = 1024  # of differences that a rectangle keeps
_MOST_SUBSETS = 16  # whose distances on a rectangle are in memory at once

# Measured, in seconds: what a pair costs on one feature, and a subset on one rectangle.
_SECONDS_PER_DIFFERENCE = 5e-10
_SECONDS_PER_RECTANGLE = 1e-5


def seconds_for(n_pairs: int, n_joined: int, n_subsets: int) -> float:
    """Return about how long NumPy takes: `n_joined` features in all, of `n_subsets` subsets."""
    n_rectangles = 1 + n_pairs // _PAIRS
    per_pair = n_pairs * (n_joined + 2 * n_subsets) * _SECONDS_PER_DIFFERENCE
    return per_pair + n_rectangles * n_subsets * _SECONDS_PER_RECTANGLE


class _Differences:
    """The differences, or likenesses for a product, of a rectangle of pairs on single features."""

    def __init__(self, geometry: Geometry, join: int, rows: Integers, columns: slice) -> None:
        self.shape = rows.size, columns.stop - columns.start
        self._here = geometry.Z[rows].T
        self._there = geometry.Z[columns].T
        self._has_gaps = geometry.has_gaps
        self._join = join
        self._known: dict[int, Floats] = {}

    def on(self, feature: int) -> Floats:
        """Return those of all pairs on one feature."""
        found = self._known.get(feature)
        if found is None:
            here, there = self._here[feature], self._there[feature]
            found = self._of(here[:, np.newaxis], there, bool(self._has_gaps[feature]))
            if len(self._known) == _MOST_COLUMNS:
                self._known.clear()
            self._known[feature] = found
        return found

    def of_some(self, features: Integers, i: Integers, j: Integers) -> Floats:
        """Return those of some pairs on some features."""
        here, there = self._here[features][:, i], self._there[features][:, j]
        return self._of(here, there, bool(self._has_gaps[features].any()))

    def _of(self, here: Floats, there: Floats, gaps: bool) -> Floats:
        apart = np.abs(here - there)
        if gaps:
            apart[np.isnan(apart)] = 0.0  # missing: similar to anything
        return np.maximum(0.0, 1.0 - apart) if self._join == PRODUCT else apart


class _Rectangle(NamedTuple):
    """Pairs of some of the samples asked for (a part of `asked`) with neighboring samples."""

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

    def weigh(self, masks: Masks, allowed: Floats) -> Weights:
        """Return the totals; -1 where more is lost than allowed."""
        n_at_once = max(1, min(_MOST_SUBSETS, _MOST_CELLS // self.asked.size))
        parts = [slice(at, at + n_at_once) for at in range(0, len(masks), n_at_once)]
        weights = [self._weigh(masks[part], allowed[part]) for part in parts]
        return np.concatenate([np.empty((0, 2), np.int64), *weights])

    def _weigh(self, masks: Masks, allowed: Floats) -> Weights:
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
        units = (membership / GRID).astype(np.int64)
        weights = np.column_stack([(units >> 25).sum(axis=1), (units & 0x1FFFFFF).sum(axis=1)])
        weights[lost > allowed] = -1
        return weights

    def first_enemies(self, subset: Integers, membership: Floats) -> Integers:
        """Return the enemy at the distance of the membership that the caller knows first.

        `membership` has all samples, the answer those asked for; -1 where a membership is 1.
        """
        order, kept = self.geometry.order, membership[self.asked]
        first = np.full(self.asked.size, order.size)
        for one in self._rectangles(twice=True):
            is_nearest = self._apart(one, subset) == kept[one.rows][:, np.newaxis]
            known = np.where(is_nearest, order[one.columns], order.size).min(axis=1)
            np.minimum(first[one.rows], known, out=first[one.rows])
        place = np.append(np.argsort(order), -1)
        return np.where(kept == 1.0, -1, place[first])

    def infimum(self, subset: Integers, concept: Floats) -> Floats:
        """Return the smallest of distance + degree of belonging to a concept, cut at 1."""
        lowest = np.ones(self.asked.size)
        for rows, columns in _cut(0, self.asked.size, 0, concept.size):
            stop_if_late()
            differences = _Differences(self.geometry, self.join, self.asked[rows], columns)
            whole = _Rectangle(rows, columns, differences, concept[columns])
            apart = self._apart(whole, subset)
            np.minimum(lowest[rows], apart.min(axis=1), out=lowest[rows])
        return lowest

    def _rectangles(self, *, twice: bool = False) -> Iterator[_Rectangle]:
        """Yield all pairs of enemies, each once; or for both of its samples."""
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
        """Set the same."""
        join, differences, features = self._ufunc, one.differences, self._ordered(subset)
        apart[...] = 1.0 if self.join == PRODUCT else 0.0
        for start in range(0, features.size, _AT_ONCE):
            for feature in features[start : start + _AT_ONCE].tolist():
                join(apart, differences.on(feature), out=apart)
            rest = features[start + _AT_ONCE :]
            if rest.size:
                left = np.flatnonzero(self._is_open(apart))
                if 4 * left.size <= apart.size:
                    self._join_rest(apart, differences, left, rest)
                    break
        if self.join == PRODUCT:
            apart[...] = np.rint((1.0 - apart) / GRID) * GRID
        if one.plus is not None:
            apart += one.plus

    def _join_rest(
        self, apart: Floats, differences: _Differences, left: Integers, rest: Integers
    ) -> None:
        """Join further features to those of the pairs that are not at distance 1 yet."""
        flat, join = apart.reshape(-1), self._ufunc
        for start in range(0, rest.size, _AT_ONCE):
            left = left[self._is_open(flat[left])]
            if left.size == 0:
                return
            i, j = np.divmod(left, apart.shape[1])
            some = flat[left]
            for column in differences.of_some(rest[start : start + _AT_ONCE], i, j):
                join(some, column, out=some)
            flat[left] = some

    def _ordered(self, subset: Integers) -> Integers:
        """Return the features in the order to join them: products are rounded, so in their own."""
        if self.join == PRODUCT or subset.size <= _AT_ONCE:
            return subset
        ranked = self.geometry.most_telling
        return ranked[np.isin(ranked, subset)]

    @property
    def _ufunc(self) -> np.ufunc:
        if self.join == PRODUCT:
            return np.multiply
        return np.add if self.join == SUM else np.maximum

    def _is_open(self, joined: Floats) -> Masks:
        """Whether pairs may still come to lie at another distance."""
        return np.asarray(joined > 0.0 if self.join == PRODUCT else joined < 1.0)


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
