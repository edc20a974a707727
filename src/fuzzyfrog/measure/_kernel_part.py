"""The scan for some of the samples: their nearest enemies among all samples.

The scan of all samples looks at a pair once and lowers two memberships. Where only a part of the
samples is asked for, it is their rows alone that meet every block, and only their own memberships
that are lowered (docs/scale.md).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fuzzyfrog.common.jit import kernel
from fuzzyfrog.measure._kernel_scan import alike, below, distance, limit_of
from fuzzyfrog.measure._vectors import ALL_LANES, LANES, NEVER, first_lane, set_ceilings

__all__ = ["scan_part"]

ONE = np.uint64(1)


@kernel
def _of_own(block, first, last):
    """Return the lanes of a block that hold samples from the first to the last, as bits."""
    start, end = max(first - block, 0), min(last - block, LANES)
    if start >= end:
        return np.uint64(0)
    return (ALL_LANES >> np.uint64(LANES - (end - start))) << np.uint64(start)


# Inlined by Numba, like `below`: as a call it would cost more than what it does.
@njit(inline="always")
def _measure_own(Z, target, steps, subset, join, i, k, block, bits, membership, limit, enemy):
    """Lower the membership of sample i, the k-th that is asked for, to its exact distances."""
    lost = 0.0
    while bits != 0:
        j = block + first_lane(bits)
        bits &= bits - ONE
        d = distance(Z, i, j, subset, join)
        if target.size > 0:
            d += alike(target, i, j)
        if d < membership[k]:
            lost += membership[k] - d
            membership[k] = d
            limit[k] = limit_of(d, steps)
            enemy[k] = j
    return lost


@kernel
def scan_part(
    table, asked, own, queries, features, subset, join, gaps, first, last,
    membership, limit, enemy, allowed,
):  # fmt: skip
    """Lower memberships of samples that are asked for to the distance of the nearest enemy.

    Parameters
    ----------
    table : Table
        All samples.
    asked : int64[n_asked]
        The samples.
    own : int64[n_asked, 2]
        The first and the end of the samples that are no enemies of each.
    queries : int16[n_asked, n_features + 1]
        Their rows of the table's queries.
    first, last : int
        Which of them to look at; the other arguments, and what is given back, are as in `scan`.
    """
    n = table.first_enemy.size
    lanes, Z, steps = table.lanes, table.Z, table.steps
    target, level = table.target, table.level
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
            if target.size > 0:
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
            lost += _measure_own(
                Z, target, steps, subset, join, asked[k], k, block, bits, membership, limit, enemy
            )
        if lost > allowed:
            break
    return lost
