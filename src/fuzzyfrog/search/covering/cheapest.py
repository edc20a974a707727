# mypy: allow-untyped-calls
"""Branch and bound for all covers within a budget, in slices; the loops are `_kernel_cheapest`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Integers, Masks
from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.search.covering.linear_program import without_fixed
from fuzzyfrog.search.protocol import Rows

_kernels = Kernels("fuzzyfrog.search.covering._kernel_cheapest", "advance")
_SECONDS_PER_CELL = 3e-7  # of a node in plain Python: a row times a feature
MORE, COVER, END = 0, 1, 2  # as in `_kernel_cheapest`


class CostTable(NamedTuple):
    """Rows in the forms that the kernels read.

    Attributes
    ----------
    weights : float64[n_rows, n_features]
        Weights, cut at what the row needs.
    needed : float64[n_rows]
        What each row needs.
    order : int32[n_rows, n_features]
        Features by falling weight per cost.
    costs : int64[n_features]
        What each feature costs.
    """

    weights: NDArray[np.float64]
    needed: NDArray[np.float64]
    order: NDArray[np.int32]
    costs: Integers


class CostStack(NamedTuple):
    """The state of a search; one entry for each level, or for each feature or row.

    Attributes
    ----------
    level : int64[1]
        The deepest level in use; -1 at the end.
    chosen, spent : int64[n_levels]
        Feature that leads to a level, and what all chosen so far cost.
    branches : int32[n_levels, n_features]
        Features to choose next, one after the other.
    n_branches, n_taken : int64[n_levels]
        How many there are, -1 when not known yet, and how many were taken.
    lacks : float64[n_levels, n_rows]
        What each row lacks; nothing if it is not above 0.
    is_open : bool[n_features]
        Features that may still be chosen.
    rows : int64[n_rows]
        All rows, in the order in which they are looked at.
    """

    level: Integers
    chosen: Integers
    spent: Integers
    branches: NDArray[np.int32]
    n_branches: Integers
    n_taken: Integers
    lacks: NDArray[np.float64]
    is_open: NDArray[np.bool_]
    rows: Integers


class CheapestSearch:
    """Covers that cost no more than a budget, each found once, but none that extends another.

    The budget may be lowered. After a cover, a caller that knows rows that it breaks adds them;
    otherwise what extends it is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyfrog.search.covering.cheapest import CheapestSearch
    >>> from fuzzyfrog.search.protocol import Rows
    >>> rows = Rows(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]), np.ones(2))
    >>> nothing, everything = np.zeros(3, bool), np.ones(3, bool)
    >>> costs = np.array([1, 5, 2])
    >>> search = CheapestSearch(rows, costs, 5, fixed=nothing, allowed=everything)
    >>> search.advance(1000).astype(int).tolist(), search.advance(1000).astype(int).tolist()
    ([1, 0, 1], [0, 1, 0])
    """

    def __init__(
        self, rows: Rows, costs: Integers, budget: int, *, fixed: Masks, allowed: Masks
    ) -> None:
        self._fixed = fixed.copy()
        self._free: Integers = np.flatnonzero(allowed & ~fixed)
        self._fixed_cost = int(costs[fixed].sum())
        self.budget = budget
        self.is_exhausted = budget < self._fixed_cost
        self._rows = [without_fixed(rows, fixed, self._free)]
        left = np.sort(costs[self._free]).cumsum()
        n_levels = 1 + int(np.searchsorted(left, budget - self._fixed_cost, side="right"))
        n_features = len(self._free)
        self._costs = costs[self._free]
        self._stack = CostStack(
            level=np.zeros(1, np.int64),
            chosen=np.zeros(n_levels + 1, np.int64),
            spent=np.zeros(n_levels + 1, np.int64),
            branches=np.zeros((n_levels + 1, n_features), np.int32),
            n_branches=np.full(n_levels + 1, -1),
            n_taken=np.zeros(n_levels + 1, np.int64),
            lacks=np.empty((n_levels + 1, 0)),
            is_open=np.ones(n_features, np.bool_),
            rows=np.empty(0, np.int64),
        )
        self._set_rows()

    def add(self, rows: Rows) -> None:
        """Add rows: covers that break one of them no longer follow."""
        self._rows.append(without_fixed(rows, self._fixed, self._free))
        self._set_rows()

    def _set_rows(self) -> None:
        """Make the table of all rows, and what they lack on each level in use."""
        rows = Rows.joined(self._rows)
        self._rows = [rows]
        order = np.argsort(-rows.weights / self._costs, axis=1, kind="stable").astype(np.int32)
        self._table = CostTable(rows.weights, rows.needed, order, self._costs)
        level, stack = int(self._stack.level[0]), self._stack
        lacks = np.empty((len(stack.spent), len(rows)))
        if level >= 0:
            lacks[0] = rows.needed
            for at in range(1, level + 1):
                lacks[at] = lacks[at - 1] - rows.weights[:, stack.chosen[at]]
            if (lacks[level] > 0).any():
                stack.n_branches[level] = -1
        new = np.arange(len(stack.rows), len(rows))  # first: the search is at the cover they break
        self._stack = stack._replace(lacks=lacks, rows=np.concatenate([new, stack.rows]))

    def advance(self, n_nodes: int) -> Masks | None:
        """Continue for some nodes; return the next cover, None if there was none among them."""
        if self.is_exhausted:
            return None
        clause = np.empty(len(self._free), np.int32)
        n_rows, budget = len(self._table.needed), self.budget - self._fixed_cost
        per_node = _SECONDS_PER_CELL * (1 + n_rows * len(self._free))
        # The same loops in plain Python, until compiling them pays.
        n_interpreted = int(min(n_nodes, max(0.0, _kernels.patience() // per_node)))
        end = MORE
        if n_interpreted > 0:
            advance = _kernels.interpreted.advance
            end = advance(self._table, self._stack, n_rows, budget, n_interpreted, clause)
            _kernels.spend(n_interpreted * per_node)
        if end == MORE and n_nodes > n_interpreted:
            advance, n_left = _kernels.advance, n_nodes - n_interpreted
            end = advance(self._table, self._stack, n_rows, budget, n_left, clause)
        self.is_exhausted = bool(end == END)
        if end != COVER:
            return None
        cover = self._fixed.copy()
        cover[self._free[self._stack.chosen[1 : int(self._stack.level[0]) + 1]]] = True
        return cover
