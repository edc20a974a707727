"""How few features could cover rows if parts of them were allowed, and a cover near that."""

from math import ceil

import numpy as np
from scipy.optimize import linprog

from fuzzyfrog.search.covering import Rows
from fuzzyfrog.search.covering.reduction import without_fixed
from fuzzyfrog.search.protocol import Floats, Masks

__all__ = ["relaxed", "rounded"]

TOLERANCE = 1e-6  # of a sum of shares; a bound may be this much too high before it is rounded up


def relaxed(rows: Rows, fixed: Masks, allowed: Masks) -> tuple[int, Floats]:
    """Give a lower bound on the size of a cover, and the share of each feature.

    Whatever the solver's tolerance, the bound is right: it is calculated from the prices of the
    rows, and any prices that are not negative give one (weak duality).
    """
    free = np.flatnonzero(allowed & ~fixed)
    left = without_fixed(rows, fixed)
    shares = fixed.astype(np.float64)
    if not len(left):
        return int(fixed.sum()), shares
    weights, needed = left.weights[:, free] / left.needed[:, np.newaxis], np.ones(len(left))
    result = linprog(
        np.ones(len(free)), A_ub=-weights, b_ub=-needed, bounds=(0.0, 1.0), method="highs"
    )
    if result.x is None:
        return int(fixed.sum()), shares
    shares[free] = result.x
    prices = np.maximum(0.0, -result.ineqlin.marginals)
    bound = prices.sum() - np.maximum(0.0, prices @ weights - 1.0).sum()
    return int(fixed.sum()) + ceil(bound - TOLERANCE), shares


def rounded(rows: Rows, shares: Floats, fixed: Masks, allowed: Masks) -> Masks:
    """Give a cover of the rows: features by falling share, less those that it can spare."""
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
