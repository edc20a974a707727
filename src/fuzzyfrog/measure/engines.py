"""The engines: different ways through the pairs of enemies that lead to the same bits.

The tree has a file of its own, `tree.py`.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np

from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.measure.geometry import (
    Floats,
    Geometry,
    Integers,
    Masks,
    Subset,
    batch_of,
    blocks_of,
    subset_of,
    total,
)
from fuzzyfrog.measure.threads import map_blocks

Weights = Integers

_kernel_plain = Kernels("fuzzyfrog.measure._kernel_plain", "nearest")
_kernel_scan = Kernels("fuzzyfrog.measure._kernel_scan", "scan_batch", "scan", "scan_part")

# Pairs of enemies: below, handing work to a thread costs more than it saves.
_WORTH_A_THREAD = 2_000_000
# Pairs of one call of a kernel, a fraction of a second: a running call cannot be stopped.
_PAIRS_AT_ONCE = 50_000_000


class Nearest(NamedTuple):
    """The nearest enemies that an engine found, in the order of the samples asked for.

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

    `asked` holds the samples whose nearest enemies are wanted, in ascending order (all if left
    out); the enemies are looked for among all samples.
    """

    def __init__(
        self,
        geometry: Geometry,
        join: int,
        n_threads: int,
        asked: Integers | None = None,
    ) -> None:
        self.geometry = geometry
        self.join = join
        self.n_threads = n_threads
        self.asked = np.arange(geometry.n_samples) if asked is None else asked
        self.asks_all = self.asked.size == geometry.n_samples
        self.n_pairs = geometry.n_pairs_of(self.asked.size)

    @abstractmethod
    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return the nearest enemies, or what was found before more than `allowed` was lost."""

    def weigh(self, masks: Masks, allowed: Floats) -> Weights:
        """Return the `total` of each subset's memberships, -1 where more is lost than allowed."""
        weights = np.full((len(masks), 2), -1, np.int64)
        for k, mask in enumerate(masks):
            found = self.nearest(subset_of(self.geometry, mask), float(allowed[k]))
            if found.complete:
                weights[k] = _kernel_scan.total(found.membership)
        return weights

    def _threads_for(self, n_pairs: int) -> int:
        return self.n_threads if n_pairs >= _WORTH_A_THREAD else 1

    def _lowered(
        self, kernel: Callable[[int, int, float], float], lane: int, n_threads: int, allowed: float
    ) -> float:
        """Have a kernel lower memberships piece by piece; return what they lost.

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

        map_blocks(rows, blocks_of(self.asked.size), self._threads_for(self.n_pairs))
        return Nearest(membership, enemy, complete=True)


class ScanEngine(Engine):
    """Every block of pairs, most of them dropped after a few features. For all samples only."""

    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return memberships and enemies, the blocks dealt out to the threads."""
        n_threads = self._threads_for(self.n_pairs)
        parts = map_blocks(
            lambda k: self._part(subset, allowed, k, n_threads), range(n_threads), n_threads
        )
        return reduce(closer, parts)

    def weigh(self, masks: Masks, allowed: Floats) -> Weights:
        """Return the totals; whole subsets go to threads when there are enough of them."""
        if len(masks) < self.n_threads or self.n_pairs > _PAIRS_AT_ONCE:
            return super().weigh(masks, allowed)
        weights = np.empty((len(masks), 2), np.int64)
        batch, table = batch_of(self.geometry, masks, allowed), self.geometry.table
        n_threads = self._threads_for(len(masks) * self.n_pairs)

        def part(cut: tuple[int, int]) -> None:
            _kernel_scan.scan_batch(table, batch, self.join, *cut, weights)

        map_blocks(part, _cuts(len(masks), n_threads, self.n_pairs), n_threads)
        return weights

    def _part(self, subset: Subset, allowed: float, lane: int, n_threads: int) -> Nearest:
        table = self.geometry.table
        membership = np.empty(self.geometry.n_samples)
        limit = np.empty(table.lanes.shape[1], np.int16)
        enemy = np.empty(membership.size, np.int64)
        _kernel_scan.open_memberships(table.steps, membership, limit, enemy)

        def kernel(start: int, step: int, may_lose: float) -> float:
            return float(
                _kernel_scan.scan(
                    table, subset.features, subset.exact, self.join, subset.gaps, start, step,
                    membership, limit, enemy, may_lose,
                )
            )  # fmt: skip

        lost = self._lowered(kernel, lane, n_threads, allowed)
        return Nearest(membership, enemy, complete=bool(lost <= allowed))


class PartEngine(Engine):
    """The scan for a part of the samples: only their rows meet the blocks of all samples."""

    def __init__(
        self,
        geometry: Geometry,
        join: int,
        n_threads: int,
        asked: Integers | None = None,
    ) -> None:
        super().__init__(geometry, join, n_threads, asked)
        self._queries = geometry.queries[self.asked]
        self._own = np.column_stack([self.asked, self.asked + 1])  # with a numeric target
        if not geometry.is_numeric:
            side = geometry.side[self.asked]
            self._own = np.column_stack([geometry.starts[side], geometry.starts[side + 1]])

    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return memberships and enemies, the samples dealt out to the threads."""
        membership, enemy = np.empty(self.asked.size), np.empty(self.asked.size, np.int64)
        limit = np.empty(self.asked.size, np.int16)
        table = self.geometry.table
        _kernel_scan.open_memberships(table.steps, membership, limit, enemy)
        n_threads = self._threads_for(self.n_pairs)

        def part(cut: tuple[int, int]) -> float:
            return float(
                _kernel_scan.scan_part(
                    table, self.asked, self._own, self._queries, subset.features, subset.exact,
                    self.join, subset.gaps, *cut, membership, limit, enemy, allowed,
                )
            )  # fmt: skip

        cuts = _cuts(self.asked.size, n_threads, self.geometry.n_samples)
        lost = sum(map_blocks(part, cuts, n_threads))
        return Nearest(membership, enemy, complete=bool(lost <= allowed))


class LineEngine(Engine):
    """One complete feature, classes only: sorting finds the nearest enemies."""

    @cached_property
    def _is_asked(self) -> Masks:
        is_asked = np.zeros(self.geometry.n_samples, np.bool_)
        is_asked[self.asked] = True
        return is_asked

    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return memberships and enemies of a subset of one feature."""
        order, apart, closest = _on_line(self.geometry.Z[:, subset.exact[0]], self.geometry.side)
        membership, enemy = np.empty(apart.size), np.empty(apart.size, np.int64)
        membership[order] = apart
        enemy[order] = np.where(apart < 1.0, np.append(order, -1)[closest], -1)
        if self.asks_all:
            return Nearest(membership, enemy, complete=True)
        return Nearest(membership[self.asked], enemy[self.asked], complete=True)

    def weigh(self, masks: Masks, allowed: Floats) -> Weights:
        """Return the totals, features dealt out to the threads."""

        def weight(mask: Masks) -> tuple[int, int]:
            z = self.geometry.Z[:, np.argmax(mask)]
            order, apart, _ = _on_line(z, self.geometry.side)
            return total(apart if self.asks_all else apart[self._is_asked[order]])

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
    n_parts = min(n_items, max(n_parts, n_items * n_pairs // _PAIRS_AT_ONCE))
    cuts = np.linspace(0, n_items, n_parts + 1).astype(np.int64).tolist()
    return list(itertools.pairwise(cuts))


def closer(a: Nearest, b: Nearest) -> Nearest:
    """Return the nearer enemy of each sample from two looks at different pairs."""
    is_closer = b.membership < a.membership
    return Nearest(
        np.where(is_closer, b.membership, a.membership),
        np.where(is_closer, b.enemy, a.enemy),
        a.complete and b.complete,
    )
