"""The best extension of a subset by one feature, without scoring most of them.

Every enemy that a sample ever met stays a witness: adding a feature cannot bring the sample farther
away from it than their distance so far plus their difference on that feature. Summed over the
samples this bounds the dependency of every extension at once; only extensions whose bound reaches
the best score so far are scored (docs/theory.md#lazy).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.measure import _kernel_pairs, _kernel_scan
from fuzzyfrog.measure.engines import Engine, Nearest
from fuzzyfrog.measure.geometry import Geometry
from fuzzyfrog.measure.subsets import MARGIN, Subset, exact_mean, subset_of
from fuzzyfrog.measure.threads import map_blocks

__all__ = ["Extensions"]

_REMEMBERED = 4  # enemies that each sample keeps


class _Witnesses:
    """Enemies that samples remember, and how far they are away under a base.

    Parameters
    ----------
    geometry : Geometry
        The samples.
    join : int
        How features are joined.
    base : int64[n]
        The features that every extension has.
    known : int64[n_samples, n_remembered]
        The enemies, -1 for none; changed in place.
    """

    def __init__(
        self,
        geometry: Geometry,
        join: int,
        base: NDArray[np.int64],
        known: NDArray[np.int64],
    ) -> None:
        self._geometry = geometry
        self._join = join
        self._base = base
        self.known = known
        self._apart = np.empty(known.shape)
        _kernel_pairs.measure_pairs(geometry.Z, base, join, known, self._apart)

    def remember(self, enemy: NDArray[np.int64]) -> None:
        """Take in one more enemy of each sample, -1 for none."""
        _kernel_pairs.remember(
            self._geometry.Z, self._base, self._join, self.known, self._apart, enemy
        )

    def bound(self, feature: int) -> float:
        """Give the largest sum of memberships that adding a feature can lead to."""
        column = self._geometry.Z[:, feature].copy()
        target = self._geometry.target
        return float(_kernel_pairs.bound(column, target, self._join, self.known, self._apart))

    def bounds(self, n_threads: int) -> NDArray[np.float64]:
        """Give the same for every feature."""
        geometry = self._geometry

        def part(block: tuple[int, int]) -> NDArray[np.float64]:
            total = np.zeros(geometry.n_features)
            _kernel_pairs.bounds(
                geometry.Z, geometry.target, self._join, self.known, self._apart, *block, total
            )
            return total

        parts = map_blocks(part, geometry.blocks_of_rows(), n_threads)
        return np.asarray(np.sum(parts, axis=0))


class Extensions:
    """Finds the best one-feature extensions of subsets, remembering enemies from call to call.

    Safe to be called from several threads: each call works on a copy of what is remembered.

    Parameters
    ----------
    geometry : Geometry
        The samples.
    join : int
        How features are joined.
    n_threads : int
        Number of threads.
    engine_for : callable
        Gives the engine that scores a subset.
    """

    def __init__(
        self,
        geometry: Geometry,
        join: int,
        n_threads: int,
        engine_for: Callable[[Subset], Engine],
    ) -> None:
        self._geometry = geometry
        self._join = join
        self._n_threads = n_threads
        self._engine_for = engine_for
        # Bounds are sums of rounded numbers, each addition off by half a unit of at most n samples.
        self._slack = max(1e-6, geometry.n_samples**2 * 2.0**-52)
        self._known = np.full((geometry.n_samples, _REMEMBERED), -1, np.int64)

    def best(
        self, masks: NDArray[np.bool_], base: NDArray[np.bool_], added: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Give the scores of the best masks, -inf for the others; each adds a feature to `base`."""
        witnesses = _Witnesses(self._geometry, self._join, np.flatnonzero(base), self._known.copy())
        bounds = witnesses.bounds(self._n_threads)[added]
        queue = [(-bounds[row], row) for row in range(len(masks))]
        heapq.heapify(queue)
        scores, best = np.full(len(masks), -np.inf), -np.inf
        while queue and -queue[0][0] >= self._needed(best):
            rows = self._next(queue, witnesses, added, best)
            subsets = [subset_of(self._geometry, masks[row]) for row in rows]
            for row, found in zip(rows, self._found(subsets, best), strict=True):
                if found.complete:
                    coarse, fine = _kernel_scan.total(found.membership)
                    scores[row] = exact_mean(coarse, fine, self._geometry.n_samples)
                    best = max(best, scores[row])
                witnesses.remember(found.enemy)
        self._known = witnesses.known
        scores[scores < best] = -np.inf
        return scores

    def _next(
        self,
        queue: list[tuple[float, int]],
        witnesses: _Witnesses,
        added: NDArray[np.int64],
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

    def _found(self, subsets: list[Subset], best: float) -> list[Nearest]:
        allowed = self._geometry.n_samples * (1.0 - best + MARGIN)
        return map_blocks(
            lambda subset: self._engine_for(subset).nearest(subset, allowed),
            subsets,
            self._n_threads,
        )

    def _needed(self, best: float) -> float:
        """Give the sum of memberships that the bound of an extension must reach."""
        return self._geometry.n_samples * best - self._slack
