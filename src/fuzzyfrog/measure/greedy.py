"""Greedy steps: the best of the subsets that extend a common one by one feature.

In small tables `weigh_step` scores all of them at once; in larger ones `Extensions` uses enemies
found earlier to rule out most of them.
"""

import heapq
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.measure import engines
from fuzzyfrog.measure.engines import Engine, Nearest, _kernel_scan
from fuzzyfrog.measure.geometry import (
    MARGIN,
    SURE,
    Floats,
    Geometry,
    Integers,
    Masks,
    Subset,
    blocks_of,
    exact_mean,
    subset_of,
)
from fuzzyfrog.measure.threads import map_blocks

_kernel_pairs = Kernels("fuzzyfrog.measure._kernel_pairs", "extend")
_kernel_bounds = Kernels("fuzzyfrog.measure._kernel_pairs", "bounds")

_AT_ONCE = 64  # extensions of one call: the data of a block of samples stay in the cache
_VECTOR = 16  # extensions are padded to a multiple of this: whole vectors of the unrolled loop
_MOST_COLUMNS = 64  # features of the subset joined block by block; the others, pair by pair
_PER_PAIR = 4  # extensions of a pair of enemies that cost as much as one pair in a scan


def weigh_step(
    geometry: Geometry,
    join: int,
    n_threads: int,
    base: Masks,
    added: Integers,
) -> engines.Weights:
    """Return the `total` of the memberships for each extension of a subset."""
    order = np.argsort(added)
    features, subset = added[order], np.flatnonzero(base)
    columns = np.ascontiguousarray(geometry.Z[:, subset[:_MOST_COLUMNS]].T)
    weights = np.empty((added.size, 2), np.int64)

    def part(start: int) -> None:
        some = features[start : start + _AT_ONCE]
        near = _columns_of(geometry.Z, some)
        totals = np.empty((some.size, 2), np.int64)
        _kernel_pairs.extend(
            geometry.Z, geometry.target, geometry.first_enemy, subset, columns, some, near, join,
            np.ones(near.shape), totals,
        )  # fmt: skip
        weights[order[start : start + _AT_ONCE]] = totals

    is_worth_it = geometry.n_pairs * added.size // _PER_PAIR >= engines._WORTH_A_THREAD
    map_blocks(part, range(0, added.size, _AT_ONCE), n_threads if is_worth_it else 1)
    return weights


def _columns_of(Z: Floats, features: Integers) -> Floats:
    """Return some features of all samples, filled up with zeros to whole vectors."""
    columns = np.zeros((Z.shape[0], -(-features.size // _VECTOR) * _VECTOR))
    columns[:, : features.size] = Z[:, features]
    return columns


EngineFor = Callable[[Subset], Engine]

_REMEMBERED = 4  # enemies remembered for each sample


class _Witnesses:
    """Remembered enemies of samples, and how far away they are on the features of `base`.

    `known` has the enemies of the samples `asked`, -1 for none, and is changed in place; `n_sure`
    other samples have a membership of 1 whatever is added.
    """

    def __init__(
        self,
        geometry: Geometry,
        join: int,
        base: Integers,
        asked: Integers,
        known: Integers,  # [n_asked, n_remembered]
        n_sure: int,
    ) -> None:
        self._geometry = geometry
        self._join = join
        self._base = base
        self._asked = asked
        self.known = known
        self._n_sure = n_sure
        self._apart = np.empty(known.shape)
        _kernel_bounds.measure_pairs(geometry.Z, asked, base, join, known, self._apart)

    def remember(self, enemy: Integers) -> None:
        """Remember one more enemy of each sample, -1 for none."""
        _kernel_bounds.remember(
            self._geometry.Z, self._asked, self._base, self._join, self.known, self._apart, enemy
        )

    def bound(self, feature: int) -> float:
        """Return the largest sum of memberships that adding a feature can lead to."""
        column = self._geometry.Z[:, feature].copy()
        found = _kernel_bounds.bound(
            column, self._geometry.target, self._asked, self._join, self.known, self._apart
        )
        return self._n_sure + float(found)

    def bounds(self, n_threads: int) -> Floats:
        """Return the same for every feature."""
        geometry = self._geometry

        def part(block: tuple[int, int]) -> Floats:
            total = np.zeros(geometry.n_features)
            _kernel_bounds.bounds(
                geometry.Z, geometry.target, self._asked, self._join, self.known, self._apart,
                *block, total,
            )  # fmt: skip
            return total

        parts = map_blocks(part, blocks_of(self._asked.size), n_threads)
        return np.asarray(self._n_sure + sum(parts, np.zeros(geometry.n_features)))


class _Unsure(NamedTuple):
    """A subset, and which of the requested samples have a membership below 1 under it."""

    subset: Masks
    rows: Integers


class Extensions:
    """Finds the best one-feature extensions of subsets, remembering enemies from call to call.

    Safe to call from several threads: each call works on a copy of the remembered enemies.
    """

    def __init__(
        self,
        geometry: Geometry,
        join: int,
        n_threads: int,
        engines_for: Callable[[Integers], EngineFor],
        asked: Integers,
        tolerance: float,
    ) -> None:
        self._geometry = geometry
        self._join = join
        self._n_threads = n_threads
        self._engines_for = engines_for
        self._asked = asked
        self._tolerance = tolerance
        self._unsure = _Unsure(np.empty(0, np.bool_), np.arange(asked.size))
        # Bounds are sums of rounded numbers; each addition is off by half a unit of n at most.
        self._slack = max(1e-6, asked.size**2 * 2.0**-52)
        self._known = np.full((asked.size, _REMEMBERED), -1, np.int64)

    def best(
        self, masks: Masks, base: Masks, added: Integers, known: Floats, tell: Callable[[], None]
    ) -> Floats:
        """Return the scores of the best masks, -inf for the others; each mask adds a feature.

        `known` and `tell` are those of `SubsetScores.race`.
        """
        rows = self._rows(base)
        part, n_sure = self._asked[rows], self._asked.size - rows.size
        engine_for = self._engines_for(part)
        witnesses = _Witnesses(
            self._geometry, self._join, np.flatnonzero(base), part, self._known[rows], n_sure
        )
        bounds = witnesses.bounds(self._n_threads)[added]
        queue = [(-bounds[row], row) for row in np.flatnonzero(np.isnan(known)).tolist()]
        heapq.heapify(queue)
        scores = np.where(np.isnan(known), -np.inf, known)
        best = float(scores.max())
        while queue and -queue[0][0] >= self._needed(best):
            taken = self._next(queue, witnesses, added, best)
            subsets = [subset_of(self._geometry, masks[row]) for row in taken]
            for row, found in zip(taken, self._found(subsets, best, engine_for), strict=True):
                if found.complete:
                    scores[row] = self._mean(found, n_sure)
                    if scores[row] > best:
                        best = scores[row]
                        self._unsure = _Unsure(masks[row].copy(), rows[found.membership < 1.0])
                known[row] = scores[row]
                witnesses.remember(found.enemy)
            if taken:
                tell()
        self._remember(rows, witnesses.known)
        scores[scores < best - self._tolerance] = -np.inf
        return scores

    def _rows(self, base: Masks) -> Integers:
        """Return which of the samples to look at: those below membership 1, if they are few."""
        unsure = self._unsure
        if base.any() and not np.array_equal(unsure.subset, base):
            unsure = self._unsure = self._measured(base)
        is_few = 2 * unsure.rows.size <= self._asked.size
        return unsure.rows if base.any() and is_few else np.arange(self._asked.size)

    def _measured(self, base: Masks) -> _Unsure:
        """Measure a subset that is not the best of an earlier step, and remember the enemies.

        It costs an evaluation, and saves as many as there are features if it leaves few samples.
        """
        subset = subset_of(self._geometry, base)
        found = self._engines_for(self._asked)(subset).nearest(subset, np.inf)
        known = self._known.copy()
        known[:, 1:], known[:, 0] = known[:, :-1].copy(), found.enemy
        self._known = known
        return _Unsure(base.copy(), np.flatnonzero(found.membership < 1.0))

    def _mean(self, found: Nearest, n_sure: int) -> float:
        coarse, fine = _kernel_scan.total(found.membership)
        return exact_mean(coarse + n_sure * SURE, fine, self._asked.size)

    def _remember(self, rows: Integers, known: Integers) -> None:
        together = self._known.copy()  # another call may be reading it
        together[rows] = known
        self._known = together

    def _next(
        self,
        queue: list[tuple[float, int]],
        witnesses: _Witnesses,
        added: Integers,
        best: float,
    ) -> list[int]:
        """Take the rows to score next: those whose up-to-date bound is still the largest."""
        rows: list[int] = []
        while queue and len(rows) < self._n_threads and -queue[0][0] >= self._needed(best):
            _, row = heapq.heappop(queue)
            fresh = witnesses.bound(added[row])
            if queue and fresh < -queue[0][0] - self._slack:
                heapq.heappush(queue, (-fresh, row))
            else:
                rows.append(row)
        return rows

    def _found(self, subsets: list[Subset], best: float, engine_for: EngineFor) -> list[Nearest]:
        allowed = self._asked.size * (1.0 - (best - self._tolerance) + MARGIN)
        return map_blocks(
            lambda subset: engine_for(subset).nearest(subset, allowed), subsets, self._n_threads
        )

    def _needed(self, best: float) -> float:
        """Return the sum of memberships that the bound of an extension must reach."""
        return self._asked.size * (best - self._tolerance) - self._slack
