# mypy: allow-untyped-calls
"""Fewer and smaller rows that ask the same."""

from __future__ import annotations

import numpy as np

from fuzzyfrog.search.covering._kernel_rows import mark_implied
from fuzzyfrog.search.covering.rows import Rows
from fuzzyfrog.search.protocol import Masks

__all__ = ["core", "reduced", "without_fixed"]

ROUNDING = 1e-9  # of what a row needs: sums in another order differ by less


def without_fixed(rows: Rows, fixed: Masks) -> Rows:
    """Give what the rows still need beside the fixed features, whose weights become zero."""
    needed = rows.deficits(fixed)
    is_open = needed > 0
    weights = np.minimum(rows.weights[is_open], needed[is_open, np.newaxis])
    weights[:, fixed] = 0.0
    return Rows(weights, needed[is_open])


def reduced(rows: Rows) -> Rows:
    """Give the rows without those that another row implies; of equal rows the first stays.

    A row implies another one that needs no more and, cut at its own need, gives no less on any
    feature. Rows that need much come first in the answer.
    """
    hardest = np.lexsort([rows.weights.sum(axis=1), -rows.needed])
    ordered = rows.take(hardest)
    is_implied = np.zeros(len(rows), np.bool_)
    mark_implied(ordered.weights, ordered.needed, is_implied)
    return ordered.take(~is_implied)


def core(rows: Rows, allowed: Masks) -> Masks:
    """Give the allowed features that every cover has: without one, all others break a row."""
    spare = -rows.deficits(allowed)
    suspects = (rows.weights > spare[:, np.newaxis] - ROUNDING * rows.needed[:, np.newaxis]).T
    found = np.zeros(rows.n_features, np.bool_)
    for feature in np.flatnonzero(allowed & suspects.any(axis=1)):
        others = allowed.copy()
        others[feature] = False
        found[feature] = not rows.take(suspects[feature]).covered_by(others)
    return found
