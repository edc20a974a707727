"""The tree: nearest enemies of many samples on few features.

Each class is cut into blocks of 64 samples that lie close together, by halving it again and again
along the widest of a few features. A block of queries goes down the trees of the other classes and
leaves out every part whose box is farther away than the known enemies; the blocks it reaches are
compared as in the scan, in 16-bit steps first and exactly after that (docs/theory.md#tree).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fuzzyfrog.common.jit import kernel
from fuzzyfrog.common.tnorms import SUM
from fuzzyfrog.measure._kernel_scan import below, measure_again
from fuzzyfrog.measure._vectors import (
    ALL_LANES,
    closest_largest,
    closest_largest_gaps,
    closest_sum,
    closest_sum_gaps,
    first_lane,
    near_largest,
    near_sum,
    set_ceilings,
)
from fuzzyfrog.measure.geometry import LANES, NEVER

ONE = np.uint64(1)


class Forest(NamedTuple):
    """Trees over blocks, one tree for each class.

    Attributes
    ----------
    low, high : int16[n_nodes, n_axes]
        The box of each node.
    child : int32[n_nodes]
        The first of a node's two children, which are neighbors; -1 - block for a leaf.
    root : int32[n_classes]
        The root of each class.
    leaf : int32[n_blocks]
        The node of each block; one that no root leads to for a block of queries alone.
    held : int64[n_blocks]
        Number of samples in each block; the rest of its lanes is padding.
    class_of : int64[n_blocks]
        The class of each block, whose tree it need not search.
    lowest, highest : int16[n_nodes] or int16[0]
        The levels of a numeric target lie between these; nothing for classes.
    """

    low: NDArray[np.int16]
    high: NDArray[np.int16]
    child: NDArray[np.int32]
    root: NDArray[np.int32]
    leaf: NDArray[np.int32]
    held: NDArray[np.int64]
    class_of: NDArray[np.int64]
    lowest: NDArray[np.int16]
    highest: NDArray[np.int16]


@kernel
def _widest(points, first, last):
    """Return the axis along which some points are spread most, judged by some hundred of them."""
    best, widest = 0, np.int64(-1)
    step = max(1, (last - first) // 256)
    for axis in range(points.shape[1]):
        low = high = np.int64(points[first, axis])
        for k in range(first + step, last, step):
            low = min(low, np.int64(points[k, axis]))
            high = max(high, np.int64(points[k, axis]))
        if high - low > widest:
            best, widest = axis, high - low
    return best


@kernel
def _pivot(points, first, last, middle, axis, few):
    """Guess the value that belongs at `middle`, from a few points."""
    n = last - first + 1
    if n <= 8 * few.size:
        return points[(first + last) // 2, axis]
    for k in range(few.size):  # sorted while they are taken
        value, at = points[first + k * (n - 1) // (few.size - 1), axis], k
        while at > 0 and few[at - 1] > value:
            few[at] = few[at - 1]
            at -= 1
        few[at] = value
    return few[(middle - first) * (few.size - 1) // n]


@kernel
def _swap(points, sample, a, b):
    for axis in range(points.shape[1]):
        points[a, axis], points[b, axis] = points[b, axis], points[a, axis]
    sample[a], sample[b] = sample[b], sample[a]


@kernel
def _halve(points, sample, first, last, middle, axis):
    """Move the smallest points along an axis before `middle` (Hoare's selection)."""
    last -= 1
    few = np.empty(33, np.int16)
    while first < last:
        pivot = _pivot(points, first, last, middle, axis, few)
        left, right = first, last
        while left <= right:
            while points[left, axis] < pivot:
                left += 1
            while points[right, axis] > pivot:
                right -= 1
            if left <= right:
                _swap(points, sample, left, right)
                left += 1
                right -= 1
        if middle <= right:
            last = right
        elif middle >= left:
            first = left
        else:
            return


@kernel
def build(points, sample, child, first_node, first_block):
    """Order the samples of one class into a tree of blocks.

    Parameters
    ----------
    points : int16[n, n_axes]
        Positions in steps; reordered.
    sample : int64[n]
        Reordered along with the points.
    child : int32[n_nodes]
        Filled in from `first_node`, the root.
    first_block : int
        The number of the first block of this class.
    """
    n = sample.size
    stack = [(first_node, 0, (n + LANES - 1) // LANES)]
    free = first_node + 1
    while len(stack) > 0:
        node, first, last = stack.pop()
        if last - first == 1:
            child[node] = -1 - (first_block + first)
            continue
        middle = (first + last) // 2
        end = min(last * LANES, n)
        axis = _widest(points, first * LANES, end)
        _halve(points, sample, first * LANES, end, middle * LANES, axis)
        child[node] = free
        stack.append((free, first, middle))
        stack.append((free + 1, middle, last))
        free += 2


@kernel
def gather(queries, Z, sample, features, subset, first, last, lanes, rows, exact):
    """Copy what a subset needs of the samples of some blocks, in the order of the trees.

    Parameters
    ----------
    sample : int64[n_blocks * LANES]
        The sample in each lane; padding repeats a sample of its block.
    lanes : int16[n_features_padded, n_lanes]
    rows : int16[n_lanes, n_features_padded]
    exact : float64[n_lanes, n_subset]
    """
    for k in range(first, last):
        s = sample[k]
        for r in range(features.size):
            q = queries[s, features[r]]
            lanes[r, k] = q
            rows[k, r] = q
        for c in range(subset.size):
            exact[k, c] = Z[s, subset[c]]


@kernel
def grow_boxes(forest, lanes, level):
    """Fit the boxes: leaves around their samples, inner nodes around their children."""
    n_axes = forest.low.shape[1]
    for node in range(forest.child.size - 1, -1, -1):  # children come after their parents
        child = forest.child[node]
        for axis in range(n_axes):
            if child < 0:
                block = np.int64(-1 - child) * LANES
                low = high = lanes[axis, block]
                for k in range(block + 1, block + LANES):
                    low = min(low, lanes[axis, k])
                    high = max(high, lanes[axis, k])
            else:
                low = min(forest.low[child, axis], forest.low[child + 1, axis])
                high = max(forest.high[child, axis], forest.high[child + 1, axis])
            forest.low[node, axis] = low
            forest.high[node, axis] = high
        if level.size > 0:
            if child < 0:
                block = np.int64(-1 - child) * LANES
                forest.lowest[node] = level[block : block + LANES].min()
                forest.highest[node] = level[block : block + LANES].max()
            else:
                forest.lowest[node] = min(forest.lowest[child], forest.lowest[child + 1])
                forest.highest[node] = max(forest.highest[child], forest.highest[child + 1])


@kernel
def _between(forest, level, a, b, join):
    """Return how many steps two nodes are apart, including what numeric targets add."""
    low, high = forest.low, forest.high
    total = np.int64(0)
    for axis in range(low.shape[1]):
        gap = max(
            np.int64(low[a, axis]) - np.int64(high[b, axis]),
            np.int64(low[b, axis]) - np.int64(high[a, axis]),
            0,
        )
        total = total + gap if join == SUM else max(total, gap)
    if forest.lowest.size > 0:
        farthest = max(
            np.int64(forest.highest[a]) - np.int64(forest.lowest[b]),
            np.int64(forest.highest[b]) - np.int64(forest.lowest[a]),
        )
        total += level.step * max(level.alike - farthest, 0)
    return total


@kernel
def _farthest(limit, block):
    """Return the largest limit within a block."""
    most = np.int64(NEVER)
    for k in range(block, block + LANES):
        most = max(most, np.int64(limit[k]))
    return most


# Inlined by Numba, like `below`.
@njit(inline="always")
def _closest(lanes, queries, features, join, gaps, i, block):
    if join == SUM:
        if gaps:
            lane = closest_sum_gaps(lanes, queries, features, i, block)
        else:
            lane = closest_sum(lanes, queries, features, i, block)
    elif gaps:
        lane = closest_largest_gaps(lanes, queries, features, i, block)
    else:
        lane = closest_largest(lanes, queries, features, i, block)
    return lane


@kernel
def _meet(
    table, target, features, subset, join, gaps, block, bits, there, inside, nothing, ceiling,
    membership, limit, enemy,
):  # fmt: skip
    """Lower the memberships of some queries of a block to the samples of another one.

    Parameters
    ----------
    target : float64[n_samples] or None
        That of the table.
    bits : uint64
        The queries.
    there, inside : int, uint64
        The other block, and which of its lanes hold samples.
    nothing : int16[LANES]
        The limits of these lanes: they have nothing to gain.
    ceiling : int16[LANES]
        Work space, with the same in it at first.

    Returns
    -------
    float
        What the memberships have lost.
    """
    lanes, queries, level = table.lanes, table.queries, table.level
    n_real = min(subset.size, features.size)
    lost = 0.0
    while bits != 0:
        i = block + first_lane(bits)
        bits &= bits - ONE
        hits, has_moved = inside, True
        while hits != 0:
            one = hits  # as long as the limit stays where it is, so do the hits
            if has_moved:
                most = limit[i]
                if target is not None:
                    here = level.of[i]
                    set_ceilings(
                        level.of, level.alike, level.step, here, here, there, nothing, 0, most,
                        ceiling,
                    )  # fmt: skip
                    most = np.int16(NEVER)
                hits &= below(
                    lanes, queries, features, n_real, join, gaps, i, there, ceiling, 0, most
                )
                if hits == 0:
                    break
                one = hits & (~hits + ONE)
                if one != hits:  # what the nearest lowers the limit to rules out most
                    lane = _closest(lanes, queries, features, join, gaps, i, there)
                    one = hits & (ONE << np.uint64(lane)) or one
            found = measure_again(
                table.Z, target, table.steps, subset, join, i, i, there, one, True,
                membership, limit, enemy,
            )  # fmt: skip
            lost += found
            has_moved = found > 0.0
            hits &= ~one
    return lost


@kernel
def search(
    table, forest, features, subset, join, gaps, first, stride, membership, limit, enemy, allowed
):
    """Lower the memberships of every `stride`-th block of queries, starting from the first.

    The arguments are those of `scan`, on samples in the order of the trees. Lanes that are no
    queries have the membership 0, so that there is nothing to lower.
    """
    low, high, lanes = forest.low, forest.high, table.lanes
    slack = low.shape[1] if join == SUM else 1
    nodes = np.empty(128, np.int64)
    gaps_to = np.empty(128, np.int64)
    nothing = np.full(LANES, NEVER, np.int16)  # the lanes themselves have nothing to gain
    ceiling, left = nothing.copy(), nothing.copy()
    level = table.level
    lost = 0.0
    for b in range(first, forest.leaf.size, stride):
        block = b * LANES
        own = np.int64(forest.leaf[b])
        most = _farthest(limit, block)
        inside = ALL_LANES >> np.uint64(LANES - forest.held[b])
        for c in range(forest.root.size):
            if c == forest.class_of[b]:
                continue
            nodes[0], gaps_to[0], depth = forest.root[c], 0, 1
            while depth > 0:
                depth -= 1
                if gaps_to[depth] >= most + slack:
                    continue
                node = nodes[depth]
                child = np.int64(forest.child[node])
                if child >= 0:
                    near, far = child, child + 1
                    to_near = _between(forest, level, own, near, join)
                    to_far = _between(forest, level, own, far, join)
                    if to_far < to_near:
                        near, far, to_near, to_far = far, near, to_far, to_near
                    nodes[depth], gaps_to[depth] = far, to_far
                    nodes[depth + 1], gaps_to[depth + 1] = near, to_near
                    depth += 2
                    continue
                known, offset = limit, block
                if level.of.size > 0:
                    known, offset = left, 0
                    set_ceilings(
                        level.of, level.alike, level.step, forest.lowest[node],
                        forest.highest[node], block, limit, block, np.int16(NEVER), left,
                    )  # fmt: skip
                if join == SUM:
                    bits = near_sum(lanes, block, low, high, node, known, offset) & inside
                else:
                    bits = near_largest(lanes, block, low, high, node, known, offset) & inside
                if bits == 0:
                    continue
                there = (-1 - child) * LANES
                there_inside = ALL_LANES >> np.uint64(LANES - forest.held[-1 - child])
                found = _meet(
                    table, table.target, features, subset, join, gaps, block, bits, there,
                    there_inside, nothing, ceiling, membership, limit, enemy,
                )  # fmt: skip
                if found > 0.0:
                    lost += found
                    most = _farthest(limit, block)
        if lost > allowed:
            break
    return lost
