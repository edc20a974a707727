"""Lower bounds and covers by linear and integer programs, for problems with large covers.

The solver works in floating point with tolerances, so its word is not taken: a bound is computed
again from the prices it found, and a cover is compared with the rows themselves.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import ceil, inf

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

from fuzzyfrog.search.covering.reduction import without_fixed
from fuzzyfrog.search.covering.rows import Rows
from fuzzyfrog.search.protocol import Floats, Integers, Masks

__all__ = ["Answer", "lp_bound", "smallest_cover"]

MARGIN = 1e-6  # what a bound loses before it is rounded up
FIRST_ROWS = 100
ROWS_PER_ROUND = 200
BROKEN = 1e-7  # a share of the need: rows broken by less are not worth another round


@dataclass(frozen=True, eq=False)
class Answer:
    """What an integer program came to.

    Attributes
    ----------
    cover : bool[n_features] or None
        The smallest cover found, compared with the rows.
    lower_bound : int or float
        No cover is smaller; infinite when there is none.
    """

    cover: Masks | None
    lower_bound: float


def lp_bound(rows: Rows, *, fixed: Masks, allowed: Masks) -> float:
    """Give a size that no cover of the rows is below; infinite when there is no cover.

    Any prices of the rows prove a bound: what the rows are worth together, less what a feature
    would earn beyond its cost of 1. The linear program only finds good prices.

    Parameters
    ----------
    rows : Rows
        The rows; those that matter are chosen as they are broken.
    fixed, allowed : bool[n_features]
        Features that every cover has, and features that a cover may have.
    """
    if not rows.covered_by(fixed | allowed):
        return inf
    shares = _shares(rows, fixed, allowed)
    n_fixed = int(fixed.sum())
    if not len(shares):
        return n_fixed
    chosen = np.argsort(shares.sum(axis=1), kind="stable")[:FIRST_ROWS]
    best = 0.0
    while len(chosen):
        solved = linprog(
            np.ones(shares.shape[1]),
            -csr_array(shares[chosen]),
            -np.ones(len(chosen)),
            bounds=(0, 1),
        )
        if solved.x is None:
            break
        best = max(best, _worth(shares[chosen], -solved.ineqlin.marginals))
        chosen = _with_broken(shares, chosen, solved.x)
    return n_fixed + ceil(best - MARGIN)


def _shares(rows: Rows, fixed: Masks, allowed: Masks) -> Floats:
    """Give the weights of the free features as shares of what the rows need beside the fixed."""
    left = without_fixed(rows, fixed)
    shares: Floats = left.weights[:, allowed & ~fixed] / left.needed[:, np.newaxis]
    return shares


def _worth(shares: Floats, prices: Floats) -> float:
    prices = np.maximum(prices, 0.0)
    return float(prices.sum() - np.maximum(prices @ shares - 1.0, 0.0).sum())


def _with_broken(shares: Floats, chosen: Integers, point: Floats) -> Integers:
    """Give the chosen rows and the most broken others; none when no row is broken."""
    lacks = 1.0 - shares @ point
    lacks[chosen] = 0.0
    worst = np.argsort(-lacks, kind="stable")[:ROWS_PER_ROUND]
    worst = worst[lacks[worst] > BROKEN]
    return np.concatenate([chosen, worst]) if len(worst) else worst


def smallest_cover(rows: Rows, *, fixed: Masks, allowed: Masks, max_seconds: float) -> Answer:
    """Give the smallest cover that an integer program finds in time, and a bound.

    Parameters
    ----------
    rows : Rows
        The rows.
    fixed, allowed : bool[n_features]
        Features that every cover has, and features that a cover may have.
    max_seconds : float
        Time for the solver; it stops late rather than early.
    """
    if not rows.covered_by(fixed | allowed):
        return Answer(None, inf)
    deadline = time.monotonic() + max_seconds
    free, n_fixed = np.flatnonzero(allowed & ~fixed), int(fixed.sum())
    shares, lower_bound = _shares(rows, fixed, allowed), float(n_fixed)
    if not len(shares):
        return Answer(fixed.copy(), n_fixed)
    while (seconds := deadline - time.monotonic()) > 0:
        chosen, proven = _solved(shares, seconds)
        lower_bound = max(lower_bound, n_fixed + proven)
        if chosen is None:
            break
        cover = fixed.copy()
        cover[free[chosen]] = True
        if rows.covered_by(cover):
            return Answer(cover, lower_bound)
        shares = np.concatenate([shares, _cuts(shares, rows, cover, fixed, chosen)])
    return Answer(None, lower_bound)


def _solved(shares: Floats, seconds: float) -> tuple[Masks | None, int]:
    """Give what the solver chose, and its bound, rounded up with a margin."""
    n_features = shares.shape[1]
    solved = milp(
        np.ones(n_features),
        integrality=np.ones(n_features),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(csr_array(shares), lb=1.0),
        options={"time_limit": seconds},
    )
    bound = 0.0 if solved.mip_dual_bound is None else float(solved.mip_dual_bound)
    proven = max(0, ceil(bound - MARGIN)) if bound < inf else 0
    return (None if solved.x is None else solved.x > 0.5), proven


def _cuts(shares: Floats, rows: Rows, cover: Masks, fixed: Masks, chosen: Masks) -> Floats:
    """Give rows for what a subset breaks by less than the solver's tolerance.

    The subset does not cover the row, so every cover has a feature of the row outside of it.
    """
    is_broken = rows.take(rows.deficits(fixed) > 0).deficits(cover) > 0
    cuts: Floats = ((shares[: len(is_broken)][is_broken] > 0) & ~chosen).astype(np.float64)
    return cuts
