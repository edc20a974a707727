"""The line: one feature alone, by sorting."""

from __future__ import annotations

import numpy as np

from fuzzyfrog.measure._kernel_scan import total
from fuzzyfrog.measure.jit import kernel

__all__ = ["line", "line_batch"]


@kernel
def _sweep(z, side, way, membership, enemy):
    """Lower memberships to the nearest enemy that lies behind on the way through sorted samples.

    The two samples passed last that are on different sides are all there is to remember: one of
    them is an enemy, and no enemy passed is nearer.
    """
    last, before = -1, -1
    for i in way:
        if last >= 0:
            rival = before if side[last] == side[i] else last
            if rival >= 0:
                d = abs(z[i] - z[rival])
                if d < membership[i]:
                    membership[i], enemy[i] = d, rival
            if side[last] != side[i]:
                before = last
        last = i


@kernel
def line(z, side, membership, enemy):
    """Set memberships to the distance of the nearest enemy on one complete feature, cut at 1."""
    membership[:] = 1.0
    enemy[:] = -1
    order = np.argsort(z)
    _sweep(z, side, order, membership, enemy)
    _sweep(z, side, order[::-1], membership, enemy)


@kernel
def line_batch(Z, side, features, first, last, totals):
    """Set `totals` to the `total` of some features, each alone."""
    membership, enemy = np.empty(side.size), np.empty(side.size, np.int64)
    for k in range(first, last):
        line(Z[:, features[k]].copy(), side, membership, enemy)
        totals[k, 0], totals[k, 1] = total(membership)
