"""Covering as a linear program: rows of requirements, the relaxation, the integer program.

The relaxation, in which shares of features are allowed, gives a lower bound and a cover. The solver
works in floating point with tolerances, so it is not trusted: bounds are computed again from the
prices it found or rounded with a margin, and a cover is compared with the rows themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil, inf
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import whole_import
from fuzzyfrog.search.protocol import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Of the relaxation:
FIRST_ROWS = 500
ROWS_PER_ROUND = 500
BROKEN = 1e-7  # of what a row needs: rows broken by less are not worth another round
MARGIN = 1e-6  # subtracted from a bound before it is rounded up

# Of the integer program, where every row asks for a little less than it needs, so that the
# tolerances of the solver cannot raise a bound:
LESS = 1e-5  # share of its need that a row does not ask for: ten times the solver's tolerance
PROGRAM_MARGIN = 1e-5  # subtracted from a bound before it is rounded up


def without_fixed(rows: Rows, fixed: Masks, free: Integers) -> Rows:
    """Return what the rows need of the free features in addition to the fixed ones."""
    needed = rows.deficits(fixed)
    is_open = needed > 0
    weights = np.minimum(rows.weights[np.ix_(is_open, free)], needed[is_open, np.newaxis])
    return Rows(weights, needed[is_open])


def relaxed(
    rows: Rows, *, fixed: Masks, allowed: Masks, costs: Integers | None = None
) -> tuple[float, Floats]:
    """Return a lower bound on the size or the cost of covers, and the share of each feature.

    Any prices of the rows prove a bound: the sum of the prices, less what features would earn
    beyond their cost. The linear program only finds good prices.

    Parameters
    ----------
    rows : Rows
        The rows; those that matter are chosen as they are broken.
    fixed, allowed : bool[n_features]
        Features that every cover has, and features that a cover may have.
    costs : int64[n_features] or None
        What each feature costs; None for 1 each, so that the bound is one on the size.

    Returns
    -------
    int or float, float64[n_features]
        The bound, infinite when there is no cover; and the shares, 1 for the fixed features.
    """
    sparse, _ = _scipy()
    shares = fixed.astype(np.float64)
    if not rows.covered_by(fixed | allowed):
        return inf, shares
    if costs is None:
        costs = np.ones(len(fixed), np.int64)
    free, spent = np.flatnonzero(allowed & ~fixed), int(costs[fixed].sum())
    left = without_fixed(rows, fixed, free)
    weights = sparse.csr_array(left.weights / left.needed[:, np.newaxis])
    dearest = int(costs.max(initial=1))
    # To begin with: the rows to which all features together contribute least.
    hardest = np.argsort(weights.sum(axis=1), kind="stable")[:FIRST_ROWS]
    worth, shares[free] = _solved(weights, hardest, costs[free] / dearest)
    return spent + ceil((worth - MARGIN) * dearest), shares


@cache
def _scipy() -> tuple[Any, Any]:
    """Return `scipy.sparse` and `scipy.optimize`: slow to import, and only proofs need them."""
    return whole_import("scipy.sparse"), whole_import("scipy.optimize")


def _solved(weights: csr_array, chosen: Integers, costs: Floats) -> tuple[float, Floats]:
    """Solve with the chosen rows, then again with those that the solution breaks."""
    _, optimize = _scipy()
    best, point = 0.0, np.zeros(weights.shape[1])
    while len(chosen):
        some = weights[chosen]
        solved = optimize.linprog(costs, -some, -np.ones(len(chosen)), bounds=(0.0, 1.0))
        if solved.x is None:
            break
        prices = np.maximum(-solved.ineqlin.marginals, 0.0)
        worth = float(prices.sum() - np.maximum(prices @ some - costs, 0.0).sum())
        best, point = max(best, worth), solved.x
        chosen = _with_broken(weights, chosen, point)
    return best, point


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


@dataclass(frozen=True, eq=False)
class Answer:
    """The result of an integer program.

    Attributes
    ----------
    cover : bool[n_features] or None
        The best cover found; it covers the rows themselves. None when there was none.
    lower_bound : int
        No cover is smaller.
    """

    cover: Masks | None
    lower_bound: int


def smallest_cover(rows: Rows, *, fixed: Masks, allowed: Masks, n_nodes: int) -> Answer:
    """Return the smallest cover that an integer program finds, and a bound.

    The solver visits `n_nodes` nodes at most; not a limit of time, so that a run can be repeated.
    """
    free, n_fixed = np.flatnonzero(allowed & ~fixed), int(fixed.sum())
    if not rows.covered_by(fixed | allowed):
        return Answer(None, n_fixed)
    left = without_fixed(rows, fixed, free)
    weights: Floats = left.weights / left.needed[:, np.newaxis]
    lower_bound = n_fixed
    while len(weights):
        chosen, bound = _solved_program(weights, n_nodes)
        lower_bound = max(lower_bound, n_fixed + bound)
        if chosen is None:
            return Answer(None, lower_bound)
        is_broken = left.deficits(chosen) > 0
        if not is_broken.any():
            cover = fixed.copy()
            cover[free[chosen]] = True
            return Answer(cover, lower_bound)
        # Every cover has a feature of such a row that this subset does not have.
        cuts = (weights[: len(left)][is_broken] > 0) & ~chosen
        weights = np.concatenate([weights, cuts.astype(np.float64)])
    return Answer(fixed.copy(), lower_bound)


def _solved_program(weights: Floats, n_nodes: int) -> tuple[Masks | None, int]:
    sparse, optimize = _scipy()
    n_features = weights.shape[1]
    solved = optimize.milp(
        np.ones(n_features),
        integrality=np.ones(n_features),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(sparse.csr_array(weights), lb=1.0 - LESS),
        options={"node_limit": n_nodes},
    )
    bound = solved.mip_dual_bound
    proven = 0 if bound is None or not np.isfinite(bound) else max(0, ceil(bound - PROGRAM_MARGIN))
    return (None if solved.x is None else solved.x > 0.5), proven
