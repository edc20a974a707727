"""The line: one feature alone, by sorting."""

from __future__ import annotations

from fuzzyfrog.common.jit import kernel

__all__ = ["line"]


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
def line(z, order, side, membership, enemy):
    """Set memberships to the distance of the nearest enemy on one complete feature, cut at 1.

    Parameters
    ----------
    z : float64[n_samples]
        Positions on the feature.
    order : int64[n_samples]
        The samples in ascending order of their positions.
    side : int64[n_samples]
        Samples on different sides are enemies.
    """
    membership[:] = 1.0
    enemy[:] = -1
    _sweep(z, side, order, membership, enemy)
    _sweep(z, side, order[::-1], membership, enemy)
