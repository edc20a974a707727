"""The pruned scan: nearest enemies through a 16-bit filter, 64 samples at a time.

Positions are rounded to 16 bits, which makes every distance uncertain by one step per feature. A
pair that even so cannot be nearer than the enemies already known is dropped after a few features;
the others are measured again in float64, on the grid, where distances are exact. The answer is
therefore that of the plain float64 loop, bit for bit (docs/theory.md#filter).
"""

import numpy as np
from numba import njit

from fuzzyfrog.common.jit import kernel
from fuzzyfrog.common.tnorms import PRODUCT, SUM, both
from fuzzyfrog.data.scaling import GRID
from fuzzyfrog.measure._vectors import (
    ALL_LANES,
    below_largest,
    below_largest_gaps,
    below_sum,
    below_sum_gaps,
    first_lane,
    set_ceilings,
)
from fuzzyfrog.measure.geometry import LANES, NEVER

# Inlined by Numba, like `below`: as a call it would cost more than what it does.
joined_similarity = njit(inline="always")(both)


@kernel
def distance(Z, i, j, subset, join):
    """Return the exact distance of two samples, or some value of 1 or more."""
    if join >= PRODUCT:
        return _distance_by_similarity(Z, i, j, subset, join)
    total = 0.0
    for f in subset:
        d = abs(Z[i, f] - Z[j, f])
        if d == d:  # NaN: one of the two is missing and similar to anything
            total = total + d if join == SUM else max(total, d)
            if total >= 1.0:
                break
    return total


@kernel
def _distance_by_similarity(Z, i, j, subset, join):
    """Return 1 - the joined similarities, in the order of the subset, on the grid."""
    similarity = 1.0
    for f in subset:
        d = abs(Z[i, f] - Z[j, f])
        if d == d:
            similarity = joined_similarity(similarity, max(0.0, 1.0 - d), join)
            if similarity == 0.0:
                break
    return np.rint((1.0 - similarity) / GRID) * GRID


@kernel
def limit_of(membership, steps):
    """Return the number of steps that a distance must stay below to be less than a membership.

    One step more than the membership itself, because positions were rounded to steps after a
    multiplication that had been rounded too (docs/theory.md#filter).
    """
    if membership == 0.0:
        return np.int16(NEVER)
    return np.int16(np.ceil(membership * steps) + 1.0)


@kernel
def alike(target, i, j):
    """Return how alike the numeric targets of two samples are."""
    return max(0.0, 1.0 - abs(target[i] - target[j]))


# Inlined by Numba, like `below`: as a call it would cost more than what it does.
@njit(inline="always")
def measure_again(
    Z, target, steps, subset, join, i, k, block, bits, is_mutual, membership, limit, enemy
):
    """Lower the memberships of sample i, the k-th, and of some lanes to their exact distances.

    Those of the lanes stay as they are unless it is mutual.
    """
    lost = 0.0
    while bits != 0:
        j = block + first_lane(bits)
        bits &= bits - np.uint64(1)
        d = distance(Z, i, j, subset, join)
        if target is not None:
            d += alike(target, i, j)
        if d < membership[k]:
            lost += membership[k] - d
            membership[k] = d
            limit[k] = limit_of(d, steps)
            enemy[k] = j
        if is_mutual and d < membership[j]:
            lost += membership[j] - d
            membership[j] = d
            limit[j] = limit_of(d, steps)
            enemy[j] = i
    return lost


@njit(inline="always")
def below(lanes, queries, features, n_real, join, gaps, i, block, limit, offset, limit_i):
    if join == SUM:
        if gaps:
            bits = below_sum_gaps(
                lanes, queries, features, n_real, i, block, limit, offset, limit_i
            )
        else:
            bits = below_sum(lanes, queries, features, n_real, i, block, limit, offset, limit_i)
    elif gaps:
        bits = below_largest_gaps(
            lanes, queries, features, n_real, i, block, limit, offset, limit_i
        )
    else:
        bits = below_largest(lanes, queries, features, n_real, i, block, limit, offset, limit_i)
    return bits


@kernel
def scan(
    table, target, features, subset, join, gaps, first, stride, membership, limit, enemy, allowed
):
    """Lower memberships to the distance of the nearest enemy; stop when too much was lost.

    Parameters
    ----------
    target : float64[n_samples] or None
        That of the table. As an argument of its own, because code for a target that is None is
        left out before it is compiled.
    features : int64[4 * n]
        The subset, the most telling features first, filled up with `n_features` (the empty row).
    subset : int64[n]
        The same without filling, in ascending order.
    first, stride : int
        The blocks to look at: every `stride`-th from the first.
    membership : float64[n_samples]
        At first 1; in the end the distance of the nearest enemy seen, if below 1.
    limit : int16[n_samples + LANES]
        `limit_of` each membership.
    enemy : int64[n_samples]
        Set to the sample that a membership was lowered to.
    allowed : float
        Largest sum of (1 - membership) that is still of interest.

    Returns
    -------
    float
        Sum of (1 - membership) over the samples; above `allowed` when stopped.
    """
    n = membership.size
    lanes, queries, first_enemy = table.lanes, table.queries, table.first_enemy
    Z, level, steps = table.Z, table.level, table.steps
    n_real = min(subset.size, features.size)
    ceiling = np.empty(LANES, np.int16)
    lost = 0.0
    start = first_enemy[0] // LANES + first
    for block in range(start * LANES, n, stride * LANES):
        end = min(block + LANES, n)
        inside = ALL_LANES >> np.uint64(block + LANES - end)
        for i in range(n):
            if first_enemy[i] >= end:
                break
            known, offset, most = limit, block, limit[i]
            if target is not None:
                here = level.of[i]
                set_ceilings(
                    level.of, level.alike, level.step, here, here, block, limit, block, most,
                    ceiling,
                )  # fmt: skip
                known, offset, most = ceiling, 0, np.int16(NEVER)
            bits = below(
                lanes, queries, features, n_real, join, gaps, i, block, known, offset, most
            )
            if bits == 0:
                continue
            bits &= inside
            if first_enemy[i] > block:
                bits &= ALL_LANES << np.uint64(first_enemy[i] - block)
            lost += measure_again(
                Z, target, steps, subset, join, i, i, block, bits, True, membership, limit, enemy
            )
        if lost > allowed:
            break
    return lost


@kernel
def open_memberships(steps, membership, limit, enemy):
    """Set all memberships to 1, where nothing is known yet; lanes of padding never take part."""
    membership[:] = 1.0
    limit[: membership.size] = limit_of(1.0, steps)
    limit[membership.size :] = NEVER
    enemy[:] = -1


@kernel
def recall(table, target, subset, join, met, membership, limit, enemy):
    """Lower memberships to the distance of enemies met before; return how much they lost.

    An enemy stays an enemy under any subset: its distance is an upper bound.
    """
    lost = 0.0
    for i in range(met.size):
        if met[i] >= 0:
            lost += measure_again(
                table.Z, target, table.steps, subset, join, i, i, met[i], np.uint64(1), True,
                membership, limit, enemy,
            )  # fmt: skip
    return lost


@kernel
def total(membership, masses):
    """Return the sum of memberships in units of the grid, as two numbers: coarse * 2**25 + fine.

    Two, because 64 bits hold the units of no more than 8,191 samples. Each counts by its mass.
    """
    coarse, fine = np.int64(0), np.int64(0)
    for i in range(membership.size):
        units = np.int64(membership[i] / GRID)
        coarse += (units >> 25) * masses[i]
        fine += (units & 0x1FFFFFF) * masses[i]
    return coarse, fine


@kernel
def scan_batch(table, batch, join, first, last, masses, membership, limit, enemy, met, totals):
    """Scan some subsets of a batch one after another.

    Parameters
    ----------
    batch : Batch
        The subsets.
    first, last : int
        Which of them.
    masses : int64[n_samples]
        How much each sample counts in a total.
    membership, limit, enemy : float64[n_samples], int16[n_samples + LANES], int64[n_samples]
        Work space; `enemy` is filled with -1. Made here, it would take longer to compile.
    met : int64[n_samples]
        Work space.
    totals : int64[n_subsets, 2]
        Set to the `total` of each subset, or to -1 where more is lost than allowed.
    """
    start, stride = np.int64(0), np.int64(1)  # typed: a second compilation would take a second
    for k in range(first, last):
        features = batch.features[batch.feature_starts[k] : batch.feature_starts[k + 1]]
        subset = batch.subset[batch.subset_starts[k] : batch.subset_starts[k + 1]]
        gaps, allowed = batch.gaps[k], batch.allowed[k]
        may_end_early = allowed < membership.size
        if may_end_early:
            for i in range(met.size):  # copying a whole array drags text into the code: 2 s more
                met[i] = enemy[i]
        open_memberships(table.steps, membership, limit, enemy)
        if may_end_early:
            allowed -= recall(table, table.target, subset, join, met, membership, limit, enemy)
        if allowed >= 0.0:
            allowed -= scan(
                table, table.target, features, subset, join, gaps, start, stride,
                membership, limit, enemy, allowed,
            )  # fmt: skip
        if allowed < 0.0:
            totals[k, 0] = totals[k, 1] = -1
        else:
            totals[k, 0], totals[k, 1] = total(membership, masses)


# The scan for some of the samples. That of all samples looks at a pair once and lowers two
# memberships; here only the rows of the samples asked for meet every block, and only their own
# memberships are lowered (docs/scale.md).


@kernel
def _of_own(block, first, last):
    """Return the lanes of a block that hold samples from the first to the last, as bits."""
    start, end = max(first - block, 0), min(last - block, LANES)
    if start >= end:
        return np.uint64(0)
    return (ALL_LANES >> np.uint64(LANES - (end - start))) << np.uint64(start)


@kernel
def scan_part(
    table, target, asked, own, queries, features, subset, join, gaps, first, last,
    membership, limit, enemy, allowed,
):  # fmt: skip
    """Lower memberships of samples that are asked for to the distance of the nearest enemy.

    Parameters
    ----------
    table, target : Table, float64[n_samples] or None
        All samples.
    asked : int64[n_asked]
        The samples.
    own : int64[n_asked, 2]
        The first of the samples that are not enemies of each, and the end of them.
    queries : int16[n_asked, n_features + 1]
        Their rows of the table's queries.
    first, last : int
        Which of them to look at; the other arguments and the return value are as in `scan`.
    """
    n = table.first_enemy.size
    lanes, Z, steps, level = table.lanes, table.Z, table.steps, table.level
    n_real = min(subset.size, features.size)
    nothing = np.full(LANES, NEVER, np.int16)  # the lanes themselves have nothing to gain
    ceiling = nothing.copy()
    lost = 0.0
    for block in range(0, n, LANES):
        end = min(block + LANES, n)
        inside = ALL_LANES >> np.uint64(block + LANES - end)
        for k in range(first, last):
            if own[k, 0] <= block and end <= own[k, 1]:
                continue
            most = limit[k]
            if target is not None:
                here = level.of[asked[k]]
                set_ceilings(
                    level.of, level.alike, level.step, here, here, block, nothing, 0, most, ceiling
                )
                most = np.int16(NEVER)
            bits = below(lanes, queries, features, n_real, join, gaps, k, block, ceiling, 0, most)
            bits &= inside
            if bits == 0:
                continue
            bits &= ~_of_own(block, own[k, 0], own[k, 1])
            lost += measure_again(
                Z, target, steps, subset, join, asked[k], k, block, bits, False,
                membership, limit, enemy,
            )  # fmt: skip
        if lost > allowed:
            break
    return lost


@kernel
def plain(Z, side, target, asked, subset, join, first, last, membership, enemy):
    """Set memberships to the distance of the nearest enemy, cut at 1.

    Parameters
    ----------
    side : int64[n_samples]
        Samples on different sides are enemies; with a numeric target each is on a side of its own.
    asked : int64[n_asked]
        The samples that memberships are wanted of.
    first, last : int
        Which of them to look at.
    """
    for k in range(first, last):
        i = asked[k]
        membership[k], enemy[k] = 1.0, -1
        for j in range(side.size):
            if side[i] == side[j]:
                continue
            d = distance(Z, i, j, subset, join)
            if target.size > 0:
                d += alike(target, i, j)
            if d < membership[k]:
                membership[k], enemy[k] = d, j


@kernel
def nearest(Z, side, target, order, subset, join, first, last, membership, enemy):
    """Set `enemy` to the enemy at the distance of the membership that the caller knows first."""
    for i in range(first, last):
        enemy[i] = -1
        if membership[i] == 1.0:
            continue
        for j in range(side.size):
            if side[i] == side[j] or (enemy[i] >= 0 and order[j] > order[enemy[i]]):
                continue
            more = alike(target, i, j) if target.size > 0 else 0.0
            if more > membership[i]:
                continue
            if distance(Z, i, j, subset, join) + more == membership[i]:
                enemy[i] = j
