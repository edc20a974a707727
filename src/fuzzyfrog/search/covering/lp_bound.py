"""A lower bound from the linear relaxation, in which shares of features are allowed, and a cover.

The solver works in floating point with tolerances, so it is not trusted: the bound is computed
again from the prices it found, and a cover is compared with the rows themselves.
"""

from __future__ import annotations

from math import ceil, inf

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from fuzzyfrog.search.covering.rows import Rows, without_fixed
from fuzzyfrog.search.protocol import Floats, Integers, Masks

MARGIN = 1e-6  # subtracted from a bound before it is rounded up
FIRST_ROWS = 500
ROWS_PER_ROUND = 500
BROKEN = 1e-7  # of what a row needs: rows broken by less are not worth another round


def relaxed(rows: Rows, *, fixed: Masks, allowed: Masks) -> tuple[float, Floats]:
    """Return a lower bound on the size of covers, and the share of each feature.

    Any prices of the rows prove a bound: the sum of the prices, less what features would earn
    beyond their cost of 1. The linear program only finds good prices.

    Parameters
    ----------
    rows : Rows
        The rows; those that matter are chosen as they are broken.
    fixed, allowed : bool[n_features]
        Features that every cover has, and features that a cover may have.

    Returns
    -------
    int or float, float64[n_features]
        The bound, infinite when there is no cover; and the shares, 1 for the fixed features.
    """
    shares = fixed.astype(np.float64)
    if not rows.covered_by(fixed | allowed):
        return inf, shares
    free, n_fixed = np.flatnonzero(allowed & ~fixed), int(fixed.sum())
    left = without_fixed(rows, fixed)
    weights = csr_array(left.weights[:, free] / left.needed[:, np.newaxis])
    worth, shares[free] = _solved(weights, _hardest(weights))
    return n_fixed + ceil(worth - MARGIN), shares


def _hardest(weights: csr_array) -> Integers:
    """Return the rows to begin with: those to which all features together contribute least."""
    hardest: Integers = np.argsort(weights.sum(axis=1), kind="stable")[:FIRST_ROWS]
    return hardest


def _solved(weights: csr_array, chosen: Integers) -> tuple[float, Floats]:
    """Solve with the chosen rows, then again with those that the solution breaks."""
    best, point = 0.0, np.zeros(weights.shape[1])
    while len(chosen):
        some = weights[chosen]
        solved = linprog(np.ones(len(point)), -some, -np.ones(len(chosen)), bounds=(0.0, 1.0))
        if solved.x is None:
            break
        best, point = max(best, _worth(some, -solved.ineqlin.marginals)), solved.x
        chosen = _with_broken(weights, chosen, point)
    return best, point


def _worth(weights: csr_array, prices: Floats) -> float:
    prices = np.maximum(prices, 0.0)
    return float(prices.sum() - np.maximum(prices @ weights - 1.0, 0.0).sum())


def _with_broken(weights: csr_array, chosen: Integers, point: Floats) -> Integers:
    """Return the chosen rows and the most broken others; no rows when none is broken."""
    lacks = 1.0 - weights @ point
    lacks[chosen] = 0.0
    worst: Integers = np.argsort(-lacks, kind="stable")[:ROWS_PER_ROUND]
    worst = worst[lacks[worst] > BROKEN]
    return np.concatenate([chosen, worst]) if len(worst) else worst


def rounded(rows: Rows, shares: Floats, *, fixed: Masks, allowed: Masks) -> Masks:
    """Return a cover of the rows: features by falling share, without those it does not need."""
    order = np.argsort(-shares, kind="stable")
    order = order[(allowed & ~fixed)[order]]
    subset = fixed.copy()
    lacks = rows.deficits(subset)
    for feature in order:
        if not (lacks > 0).any():
            break
        if rows.weights[lacks > 0, feature].any():
            subset[feature] = True
            lacks = lacks - rows.weights[:, feature]
    for feature in order[::-1]:
        if subset[feature] and not (lacks + rows.weights[:, feature] > 0).any():
            subset[feature] = False
            lacks = lacks + rows.weights[:, feature]
    return subset
