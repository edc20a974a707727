"""The tree engine, for many samples and few features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Integers, Masks
from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.measure.engines import Engine, Nearest, closer
from fuzzyfrog.measure.geometry import LANES, NEVER, STAGE, Geometry, Subset, Table, parts_of
from fuzzyfrog.measure.threads import map_blocks

if TYPE_CHECKING:
    from fuzzyfrog.measure._kernel_tree import Forest

_kernel_tree = Kernels("fuzzyfrog.measure._kernel_tree", "search")

_MOST_AXES = 4  # features that boxes are built on: more cost more than they prune
_NO_CLASS = -1  # with a numeric target enemies are in the tree of all samples


@dataclass(frozen=True, eq=False)
class _Plan:
    """Where the blocks and the nodes of each class are; the same for every subset.

    If all samples are requested, the blocks of the trees are the queries. If only some are, each
    class has extra blocks for those, after the blocks of the trees: the cost of a search
    then grows with the requested samples.
    """

    first_block: Integers  # of the tree of each class
    first_node: Integers
    first_query: Integers  # block of each class
    held: Integers
    class_of: Integers
    is_query: Masks  # for each lane

    @classmethod
    def of(cls, geometry: Geometry, asked: Integers) -> _Plan:
        sizes = np.diff(geometry.starts)
        blocks, held = _filled(sizes)
        first_block = np.concatenate([[0], np.cumsum(blocks)])
        first_query, class_of = first_block, np.repeat(np.arange(sizes.size), blocks)
        if asked.size < geometry.n_samples:
            side = np.searchsorted(geometry.starts, asked, side="right") - 1
            wanted = np.bincount(side, minlength=sizes.size)
            own_blocks, own_held = _filled(wanted)
            first_query = blocks.sum() + np.concatenate([[0], np.cumsum(own_blocks)])
            held = np.concatenate([held, own_held])
            class_of = np.concatenate([class_of, np.repeat(np.arange(sizes.size), own_blocks)])
        is_query = np.arange(LANES) < held[:, np.newaxis]
        is_query[: first_query[0]] = False
        if geometry.is_numeric:
            class_of[:] = _NO_CLASS
        first_node = np.concatenate([[0], np.cumsum(2 * blocks - 1)])
        return cls(first_block, first_node, first_query, held, class_of, is_query.ravel())


def _filled(sizes: Integers) -> tuple[Integers, Integers]:
    """Return the number of blocks that each class fills, and how many samples each block holds."""
    blocks = -(-sizes // LANES)
    held = np.full(blocks.sum(), LANES, np.int64)
    some = sizes > 0
    held[np.cumsum(blocks)[some] - 1] = (sizes - (blocks - 1) * LANES)[some]
    return blocks, held


class TreeEngine(Engine):
    """A tree of boxes for each class; distant parts are never looked at.

    With a numeric target there is one tree, of all samples, and a box has one more side: what the
    targets of two nodes add to every distance between them.
    """

    _last: tuple[bytes, _Order] | None = None  # axes, and the order built on them

    @cached_property
    def _plan(self) -> _Plan:
        return _Plan.of(self.geometry, self.asked)

    def nearest(self, subset: Subset, allowed: float) -> Nearest:
        """Return memberships and enemies; threads share the blocks of queries."""
        n_threads = self._threads_for(self.n_pairs)
        features, n_axes = self._axes_first(subset)
        sample, child = self._ordered(features[:n_axes], n_threads)
        table = self._gather(sample, features, subset.exact, n_threads)
        forest = self._forest(child, n_axes)
        _kernel_tree.grow_boxes(forest, table.lanes, table.level.of)

        def part(lane: int) -> Nearest:
            return self._part(table, forest, subset.gaps, allowed, lane, n_threads)

        return self._in_order(reduce(closer, map_blocks(part, range(n_threads), n_threads)), sample)

    def _axes_first(self, subset: Subset) -> tuple[Integers, int]:
        """Return the features in filter order, and how many of the first make the boxes.

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

    def _ordered(self, axes: Integers, n_threads: int) -> _Order:
        """Return the order for some axes; the last one is kept, as greedy steps share axes."""
        last, key = self._last, axes.tobytes()
        if last is None or last[0] != key:
            last = self._last = key, self._build(axes, n_threads)
        return last[1]

    def _build(self, axes: Integers, n_threads: int) -> _Order:
        """Return the sample in each lane and the tree of each class."""
        plan, starts = self._plan, self.geometry.starts
        sample = np.empty(plan.held.size * LANES, np.int64)
        n_alone = plan.held.size - plan.first_block[-1]  # blocks of queries that are in no tree
        child = np.empty(plan.first_node[-1] + n_alone, np.int32)
        child[plan.first_node[-1] :] = -1 - np.arange(plan.first_block[-1], plan.held.size)

        def one_class(c: int) -> None:
            ordered = np.arange(starts[c], starts[c + 1])
            points = self.geometry.queries[starts[c] : starts[c + 1], axes]
            if self.geometry.is_numeric:
                points = np.vstack([points.T, self.geometry.level.of[: ordered.size]]).T
            _kernel_tree.build(points, ordered, child, plan.first_node[c], plan.first_block[c])
            _fill(sample, plan.first_block[c], plan.first_block[c + 1], ordered)
            if n_alone:  # in the order of the tree: those of a block lie close together
                some = ordered[self._is_asked[ordered]]
                _fill(sample, plan.first_query[c], plan.first_query[c + 1], some)

        map_blocks(one_class, range(starts.size - 1), n_threads)
        return sample, child

    def _gather(
        self,
        sample: Integers,
        features: Integers,
        exact: Integers,
        n_threads: int,
    ) -> Table:
        """Return what the subset needs of the samples, in the order of the trees."""
        geometry = self.geometry
        lanes = np.empty((features.size, sample.size), np.int16)
        queries = np.empty((sample.size, features.size), np.int16)
        Z = np.empty((sample.size, exact.size))

        def part(cut: tuple[int, int]) -> None:
            _kernel_tree.gather(
                geometry.queries, geometry.Z, sample, features, exact, *cut, lanes, queries, Z
            )

        map_blocks(part, parts_of(sample.size, 4 * n_threads), n_threads)
        target, level = None, geometry.level
        if geometry.is_numeric:
            target, level = geometry.target[sample], level._replace(of=level.of[sample])
        return Table(Z, lanes, queries, geometry.first_enemy[:0], target, level, geometry.steps)

    def _forest(self, child: NDArray[np.int32], n_axes: int) -> Forest:
        plan = self._plan
        leaf = np.empty(plan.held.size, np.int32)
        leaves = np.flatnonzero(child < 0)
        leaf[-1 - child[leaves]] = leaves
        low, high = np.empty((2, child.size, n_axes), np.int16)
        roots = plan.first_node[:-1].astype(np.int32)
        n_intervals = child.size if self.geometry.is_numeric else 0
        lowest, highest = np.empty((2, n_intervals), np.int16)
        forest: Forest = _kernel_tree.Forest(
            low, high, child, roots, leaf, plan.held, plan.class_of, lowest, highest
        )
        return forest

    def _part(
        self,
        table: Table,
        forest: Forest,
        gaps: bool,
        allowed: float,
        lane: int,
        n_threads: int,
    ) -> Nearest:
        n_lanes, n_rows = table.queries.shape
        membership, limit, enemy = self._opened(n_lanes, n_lanes)
        membership[~self._plan.is_query] = 0.0
        limit[~self._plan.is_query] = NEVER
        features, exact = np.arange(n_rows), np.arange(table.Z.shape[1])

        def kernel(start: int, step: int, may_lose: float) -> float:
            return float(
                _kernel_tree.search(
                    table, forest, features, exact, self.join, gaps,
                    self._plan.first_query[0] + start, step, membership, limit, enemy, may_lose,
                )
            )  # fmt: skip

        lost = self._lowered(kernel, lane, n_threads, allowed)
        return Nearest(membership, enemy, complete=bool(lost <= allowed))

    def _in_order(self, found: Nearest, sample: Integers) -> Nearest:
        """Return memberships and enemies in the order of the requested samples."""
        is_query = self._plan.is_query
        membership = np.empty(self.asked.size)
        enemy = np.empty(self.asked.size, np.int64)
        place = sample[is_query]
        if not self.asks_all:
            place = np.searchsorted(self.asked, place)
        membership[place] = found.membership[is_query]
        lane = found.enemy[is_query]
        enemy[place] = np.where(lane < 0, -1, sample[lane])
        return Nearest(membership, enemy, found.complete)


def _fill(sample: Integers, first: int, end: int, held: Integers) -> None:
    """Put samples into the lanes of some blocks; padding repeats the last of them."""
    if first < end:
        sample[first * LANES : end * LANES] = held[-1]
        sample[first * LANES : first * LANES + held.size] = held


_Order = tuple[Integers, NDArray[np.int32]]
