"""The smallest cover by a mixed-integer linear program, for large covers of sparse rows.

The solver works in floating point with tolerances. So that they cannot raise a bound, every row
asks for a little less than it needs, and a cover is compared with the rows themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from fuzzyfrog.search.covering.rows import Rows, without_fixed
from fuzzyfrog.search.protocol import Floats, Masks

LESS = 1e-5  # share of its need that a row does not ask for: ten times the solver's tolerance
MARGIN = 1e-5  # subtracted from a bound before it is rounded up


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
    left = without_fixed(rows, fixed)
    weights: Floats = left.weights[:, free] / left.needed[:, np.newaxis]
    lower_bound = n_fixed
    while len(weights):
        chosen, bound = _solved(weights, n_nodes)
        lower_bound = max(lower_bound, n_fixed + bound)
        if chosen is None:
            return Answer(None, lower_bound)
        cover = fixed.copy()
        cover[free[chosen]] = True
        is_broken = left.deficits(cover) > 0
        if not is_broken.any():
            return Answer(cover, lower_bound)
        # Every cover has a feature of such a row that this subset does not have.
        cuts = (weights[: len(left)][is_broken] > 0) & ~chosen
        weights = np.concatenate([weights, cuts.astype(np.float64)])
    return Answer(fixed.copy(), lower_bound)


def _solved(weights: Floats, n_nodes: int) -> tuple[Masks | None, int]:
    n_features = weights.shape[1]
    solved = milp(
        np.ones(n_features),
        integrality=np.ones(n_features),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(csr_array(weights), lb=1.0 - LESS),
        options={"node_limit": n_nodes},
    )
    bound = solved.mip_dual_bound
    proven = 0 if bound is None or not np.isfinite(bound) else max(0, ceil(bound - MARGIN))
    return (None if solved.x is None else solved.x > 0.5), proven
