"""Sums over remembered pairs: upper bounds for many extensions of a subset at once."""

from __future__ import annotations

import numpy as np

from fuzzyfrog.measure._kernel_scan import LARGEST, SUM, alike, distance
from fuzzyfrog.measure.jit import kernel

__all__ = ["bound", "bounds", "measure_pairs", "remember"]


@kernel
def remember(Z, subset, join, known, apart, enemy):
    """Put the enemy of each sample first among those known, dropping the last of them."""
    for i in range(enemy.size):
        if enemy[i] < 0:
            continue
        k = 0
        while k < known.shape[1] - 1 and known[i, k] != enemy[i]:
            k += 1
        distance_to_enemy = apart[i, k]
        if known[i, k] != enemy[i]:
            distance_to_enemy = min(1.0, distance(Z, i, enemy[i], subset, join))
        while k > 0:
            known[i, k], apart[i, k] = known[i, k - 1], apart[i, k - 1]
            k -= 1
        known[i, 0], apart[i, 0] = enemy[i], distance_to_enemy


@kernel
def measure_pairs(Z, subset, join, known, apart):
    """Set `apart` to the distance of each sample to each enemy it knows; 1 where it knows none."""
    for i in range(known.shape[0]):
        for k in range(known.shape[1]):
            apart[i, k] = 1.0
            if known[i, k] >= 0:
                apart[i, k] = min(1.0, distance(Z, i, known[i, k], subset, join))


@kernel
def _joined(apart, d, join):
    if join == SUM:
        return apart + d
    if join == LARGEST:
        return max(apart, d)
    return 1.0 - (1.0 - apart) * max(0.0, 1.0 - d)


@kernel
def bounds(Z, target, join, known, apart, first, last, total):
    """Add to `total` the most that some samples can contribute under each extension.

    Parameters
    ----------
    total : float64[n_features]
        For each feature an upper bound on the sum of memberships once it is added.
    """
    lowest = np.empty(Z.shape[1])
    for i in range(first, last):
        lowest[:] = 1.0
        here = Z[i]
        for k in range(known.shape[1]):
            base = apart[i, k]
            if base >= 1.0:
                continue
            there = Z[known[i, k]]
            more = alike(target, i, known[i, k]) if target.size > 0 else 0.0
            for a in range(lowest.size):
                d = abs(here[a] - there[a])
                d = d if d == d else 0.0
                value = _joined(base, d, join) + more
                lowest[a] = value if value < lowest[a] else lowest[a]
        for a in range(lowest.size):
            total[a] += lowest[a]


@kernel
def bound(column, target, join, known, apart):
    """Give the same for one feature, of which `column` holds all positions."""
    total = 0.0
    for i in range(known.shape[0]):
        lowest = 1.0
        for k in range(known.shape[1]):
            if apart[i, k] < lowest:
                d = abs(column[i] - column[known[i, k]])
                d = d if d == d else 0.0
                value = _joined(apart[i, k], d, join)
                if target.size > 0:
                    value += alike(target, i, known[i, k])
                lowest = min(lowest, value)
        total += lowest
    return total
