"""The tree engine: many samples, few features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.measure import _kernel_scan, _kernel_tree
from fuzzyfrog.measure._kernel_scan import Table
from fuzzyfrog.measure._kernel_tree import Forest
from fuzzyfrog.measure._vectors import LANES, NEVER, STAGE
from fuzzyfrog.measure.engines import Engine, Nearest, closer
from fuzzyfrog.measure.geometry import Geometry, n_blocks
from fuzzyfrog.measure.subsets import Subset
from fuzzyfrog.measure.threads import map_blocks

__all__ = ["TreeEngine"]

_MOST_AXES = 4  # features that boxes are built on: more cost more than they prune


@dataclass(frozen=True, eq=False)
class _Plan:
    """Where the blocks and the nodes of each class stand; the same for every subset."""

    first_block: NDArray[np.int64]
    first_node: NDArray[np.int64]
    held: NDArray[np.int64]
    class_of: NDArray[np.int64]
    is_sample: NDArray[np.bool_]

    @classmethod
    def of(cls, geometry: Geometry) -> _Plan:
        sizes = np.diff(geometry.starts)
        blocks = np.array([n_blocks(int(size)) for size in sizes])
        held = np.full(blocks.sum(), LANES, np.int64)
        held[np.cumsum(blocks) - 1] = sizes - (blocks - 1) * LANES
        return cls(
            np.concatenate([[0], np.cumsum(blocks)]),
            np.concatenate([[0], np.cumsum(2 * blocks - 1)]),
            held,
            np.repeat(np.arange(sizes.size), blocks),
            (np.arange(LANES) < held[:, np.newaxis]).ravel(),
        )


class TreeEngine(Engine):
    """A tree of boxes for each class; far parts are never looked at. Classes only."""

    def __init__(self, geometry: Geometry, join: int, n_threads: int) -> None:
        super().__init__(geometry, join, n_threads)
        self._plan = _Plan.of(geometry)

    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Give memberships and enemies, blocks of queries dealt out to the threads."""
        n_threads = self._threads_for(self.geometry.n_pairs)
        features, n_axes = self._axes_first(subset)
        sample, child = self._build(features[:n_axes], n_threads)
        table = self._gather(sample, features, subset.exact, n_threads)
        forest = self._forest(child, n_axes)
        _kernel_tree.grow_boxes(forest, table.lanes)

        def part(first: int) -> Nearest:
            return self._part(table, forest, subset.gaps, allowed, first, n_threads)

        return self._in_order(reduce(closer, map_blocks(part, range(n_threads), n_threads)), sample)

    def _axes_first(self, subset: Subset) -> tuple[NDArray[np.int64], int]:
        """Give the features in filter order, and how many of the first make the boxes.

        A missing value is anywhere, and codes that lie close together look alike: boxes around
        them say little. If no other feature is left, the empty one makes the boxes.
        """
        empty = self.geometry.n_features
        ranked = subset.features[subset.features < empty]
        vague = self.geometry.has_gaps[ranked] | self.geometry.is_crowded[ranked]
        axes = ranked[~vague] if not vague.all() else np.array([empty])
        used = np.concatenate([axes, ranked[vague]])
        features = np.concatenate([used, np.full(-used.size % STAGE, empty)])
        return features.astype(np.int64), min(_MOST_AXES, axes.size)

    def _build(self, axes: NDArray[np.int64], n_threads: int) -> _Order:
        """Give the sample in each lane and the tree of each class."""
        plan, starts = self._plan, self.geometry.starts
        sample = np.empty(plan.first_block[-1] * LANES, np.int64)
        child = np.empty(plan.first_node[-1], np.int32)

        def one_class(c: int) -> None:
            lane, end = plan.first_block[c] * LANES, plan.first_block[c + 1] * LANES
            filled = lane + starts[c + 1] - starts[c]
            sample[lane:filled] = np.arange(starts[c], starts[c + 1])
            points = self.geometry.queries[starts[c] : starts[c + 1], axes]
            _kernel_tree.build(
                points, sample[lane:filled], child, plan.first_node[c], plan.first_block[c]
            )
            sample[filled:end] = sample[filled - 1]

        map_blocks(one_class, range(starts.size - 1), n_threads)
        return sample, child

    def _gather(
        self,
        sample: NDArray[np.int64],
        features: NDArray[np.int64],
        exact: NDArray[np.int64],
        n_threads: int,
    ) -> Table:
        """Give what the subset needs of the samples, in the order of the trees."""
        geometry = self.geometry
        lanes = np.empty((features.size, sample.size), np.int16)
        queries = np.empty((sample.size, features.size), np.int16)
        Z = np.empty((sample.size, exact.size))
        cuts = np.linspace(0, sample.size, 4 * n_threads + 1).astype(np.int64)

        def part(k: int) -> None:
            _kernel_tree.gather(
                geometry.queries, geometry.Z, sample, features, exact, cuts[k], cuts[k + 1],
                lanes, queries, Z,
            )  # fmt: skip

        map_blocks(part, range(4 * n_threads), n_threads)
        return Table(Z, lanes, queries, geometry.first_enemy[:0], geometry.target, geometry.steps)

    def _forest(self, child: NDArray[np.int32], n_axes: int) -> Forest:
        plan = self._plan
        leaf = np.empty(plan.held.size, np.int32)
        leaves = np.flatnonzero(child < 0)
        leaf[-1 - child[leaves]] = leaves
        low, high = np.empty((2, child.size, n_axes), np.int16)
        roots = plan.first_node[:-1].astype(np.int32)
        return Forest(low, high, child, roots, leaf, plan.held, plan.class_of)

    def _part(
        self,
        table: Table,
        forest: Forest,
        gaps: bool,
        allowed: float,
        first: int,
        stride: int,
    ) -> Nearest:
        n_lanes, n_rows = table.queries.shape
        membership, enemy = np.empty(n_lanes), np.empty(n_lanes, np.int64)
        limit = np.empty(n_lanes, np.int16)
        _kernel_scan.open_memberships(table.steps, membership, limit, enemy)
        limit[~self._plan.is_sample] = NEVER
        lost = _kernel_tree.search(
            table, forest, np.arange(n_rows), np.arange(table.Z.shape[1]), self.join, gaps,
            first, stride, membership, limit, enemy, allowed,
        )  # fmt: skip
        return Nearest(membership, enemy, complete=bool(lost <= allowed))

    def _in_order(self, found: Nearest, sample: NDArray[np.int64]) -> Nearest:
        """Give memberships and enemies in the order of the geometry."""
        held = self._plan.is_sample
        membership = np.empty(self.geometry.n_samples)
        enemy = np.empty(self.geometry.n_samples, np.int64)
        order = sample[held]
        membership[order] = found.membership[held]
        lane = found.enemy[held]
        enemy[order] = np.where(lane < 0, -1, sample[lane])
        return Nearest(membership, enemy, found.complete)


_Order = tuple[NDArray[np.int64], NDArray[np.int32]]
