# mypy: allow-untyped-calls
"""Branch and bound for covers, in slices: all of one size, or all within a budget.

The loops are in `_kernel_cover`; tables and stacks are what they read and write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.search.covering.linear_program import without_fixed
from fuzzyfrog.search.protocol import Rows

_kernel_cover = Kernels("fuzzyfrog.search.covering._kernel_cover", "advance")
_SECONDS_PER_ROW = 3e-6  # for a node in plain Python, as measured

WORD = 64  # features in one word of bits
MOST_LEVELS = 32  # levels of weights that the bits distinguish
MOST_BYTES = 2**27  # for the bits of the first rows; more rows take more
FIRST_CAPACITY = 256
KILLS_BETWEEN_SORTS = 10_000


@dataclass(frozen=True, eq=False)
class Slice:
    """The result of a slice of a search.

    Attributes
    ----------
    covers : bool[n_covers, n_features]
        Covers of the known rows, each listed once.
    n_nodes : int
        Nodes that were visited.
    is_exhausted : bool
        Whether there are no more covers.
    """

    covers: Masks
    n_nodes: int
    is_exhausted: bool


class CoverSearch:
    """Covers of exactly `size` features, the fixed ones included, each listed once.

    A slice may also return smaller covers, of the rows known so far. A caller that knows rows that
    such a cover breaks adds them; otherwise everything that extends it to `size` follows.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyfrog.search.covering.search import CoverSearch
    >>> from fuzzyfrog.search.protocol import Rows
    >>> rows = Rows(np.array([[1.0, 0.5, 0.5], [0.0, 1.0, 0.0]]), np.ones(2))
    >>> nothing, everything = np.zeros(3, bool), np.ones(3, bool)
    >>> search = CoverSearch(rows, 2, fixed=nothing, allowed=everything)
    >>> search.advance(n_nodes=1000, n_covers=10).covers.astype(int).tolist()
    [[1, 1, 0], [0, 1, 1]]
    """

    def __init__(self, rows: Rows, size: int, *, fixed: Masks, allowed: Masks) -> None:
        self.size = size
        self.fixed = fixed.copy()
        self._free: Integers = np.flatnonzero(allowed & ~fixed)
        self._n_left = size - int(fixed.sum())
        self._table = CoverTable(len(self._free), self._for_free(rows))
        self._stack = self._root() if 0 < self._n_left <= len(self._free) else None
        self._is_fixed_due = self._n_left == 0

    def _for_free(self, rows: Rows) -> Rows:
        return without_fixed(rows, self.fixed, self._free)

    @property
    def is_exhausted(self) -> bool:
        """Whether there are no more covers."""
        return self._stack is None and not self._is_fixed_due

    def add(self, rows: Rows) -> None:
        """Add rows: covers that break one of them no longer follow."""
        self._table.add(self._for_free(rows))
        if self._stack is not None:
            self._stack = self._with_all_rows(self._stack)

    def advance(self, n_nodes: int, n_covers: int = 1) -> Slice:
        """Continue for about `n_nodes` nodes, up to `n_covers` covers.

        Few covers are best as long as they keep breaking rows that were not known.
        """
        if self._stack is None:
            return self._fixed_alone()
        covers, n_visited = self._visit(self._stack, n_nodes, n_covers)
        if self._stack.level[0] < 0:
            self._stack = None
        elif self._stack.kills.sum() > KILLS_BETWEEN_SORTS:
            self._put_killers_first(self._stack)
        return Slice(covers, n_visited, self.is_exhausted)

    def place(self) -> list[NDArray[Any]] | None:
        """Return the state of the search, for `take_place`; None after its end."""
        return None if self._stack is None else [array.copy() for array in self._stack]

    def take_place(self, place: Sequence[NDArray[Any]], added: Sequence[Rows]) -> bool:
        """Go to the place of another search to which rows were added; return whether it fits.

        This search is at its start. A place that could do harm does not fit.
        """
        if self._stack is None:
            return False
        for rows in added:
            self._table.add(self._for_free(rows))
        root = self._root()
        kinds = [(array.dtype, array.shape) for array in root]
        if [(array.dtype, array.shape) for array in place] != kinds:
            return False
        stack = Stack(*place)
        if not self._is_harmless(stack, root):
            return False
        self._stack = stack
        return True

    def _is_harmless(self, stack: Stack, root: Stack) -> bool:
        """Whether no number of a stack leads compiled code, which trusts it, outside its arrays."""
        n_features, n_rows = len(self._free), self._table.n_rows
        limits = (
            (stack.level, 0, self._n_left), (stack.chosen, 0, n_features),
            (stack.branches, 0, n_features), (stack.n_branches, -1, n_features + 1),
            (stack.n_taken, 0, n_features + 1), (stack.n_open, 0, n_rows + 1),
            (stack.rows, 0, max(1, n_rows)),
        )  # fmt: skip
        are_within = all(bool(((a >= least) & (a < end)).all()) for a, least, end in limits)
        return are_within and not (stack.allowed & ~root.allowed[0]).any()

    def _fixed_alone(self) -> Slice:
        is_cover = self._is_fixed_due and self._table.n_rows == 0
        self._is_fixed_due = False
        covers = self.fixed[np.newaxis][: int(is_cover)]
        return Slice(covers, 0, True)

    def _visit(self, stack: Stack, n_nodes: int, n_covers: int) -> tuple[Masks, int]:
        n_features, n_words = len(self._free), self._table.n_words
        covers = np.empty((n_covers, self._n_left), np.int64)
        sizes = np.zeros(n_covers, np.int64)
        clause, left = np.empty(n_features, np.int32), np.empty(n_words, np.uint64)
        n_found = n_visited = 0
        per_node = _SECONDS_PER_ROW * (1 + self._table.n_rows)
        patience = _kernel_cover.patience()
        n_interpreted = min(n_nodes, patience // per_node)
        # One node with all its branches is not cut short, and in a wide table takes long.
        is_quick = n_features * (n_words - 1) * per_node <= patience
        if n_interpreted > 0 and is_quick:  # the same in plain Python, until compiling pays
            with np.errstate(over="ignore"):  # as compiled: the product that counts bits overflows
                n_found, n_visited = _kernel_cover.interpreted.advance(
                    self._table.arrays, stack, n_interpreted, covers, sizes, clause, left
                )
            _kernel_cover.spend(n_visited * per_node)
        is_told = n_found > 0 and sizes[n_found - 1] < self._n_left
        if n_visited < n_nodes and n_found < n_covers and stack.level[0] >= 0 and not is_told:
            n_more, n_visited_more = _kernel_cover.advance(
                self._table.arrays, stack, n_nodes - n_visited, covers[n_found:], sizes[n_found:],
                clause, left,
            )  # fmt: skip
            n_found, n_visited = n_found + n_more, n_visited + n_visited_more
        masks = np.repeat(self.fixed[np.newaxis], n_found, axis=0)
        for mask, features, size in zip(masks, covers, sizes, strict=False):
            mask[self._free[features[:size]]] = True
        return masks, int(n_visited)

    def _root(self) -> Stack:
        n_features, n_words = len(self._free), self._table.n_words
        n_levels, capacity = self._n_left, len(self._table.arrays.needed)
        stack = Stack(
            level=np.zeros(1, np.int64),
            chosen=np.zeros(n_levels, np.int64),
            allowed=np.zeros((n_levels, n_words), np.uint64),
            branches=np.zeros((n_levels, n_features), np.int32),
            n_branches=np.full(n_levels, -1),
            n_taken=np.zeros(n_levels, np.int64),
            is_told=np.zeros(n_levels, np.bool_),
            rows=np.zeros((n_levels, capacity), np.int32),
            lacks=np.zeros((n_levels, capacity)),
            n_open=np.zeros(n_levels, np.int64),
            kills=np.zeros(capacity, np.int64),
        )
        free = np.arange(n_features)
        bits = np.uint64(1) << (free % WORD).astype(np.uint64)
        np.bitwise_or.at(stack.allowed[0], free // WORD, bits)  # as the kernels read them
        self._list_open(stack, np.arange(self._table.n_rows))
        return stack

    def _with_all_rows(self, stack: Stack) -> Stack:
        """Return the stack with the rows that were added since."""
        n_rows, capacity = self._table.n_rows, len(self._table.arrays.needed)
        if capacity > len(stack.kills):
            grown = (len(stack.n_open), capacity)
            kills = np.zeros(capacity, np.int64)
            kills[: len(stack.kills)] = stack.kills
            rows, lacks = np.zeros(grown, np.int32), np.zeros(grown)
            rows[0, : stack.n_open[0]] = stack.rows[0, : stack.n_open[0]]
            stack = stack._replace(rows=rows, lacks=lacks, kills=kills)
        n_known = int(stack.n_open[0])
        # New rows first: the search is at the cover that they break.
        order = np.concatenate([np.arange(n_known, n_rows), stack.rows[0, :n_known]])
        self._list_open(stack, order)
        return stack

    def _put_killers_first(self, stack: Stack) -> None:
        order = stack.rows[0, : stack.n_open[0]]
        self._list_open(stack, order[np.argsort(-stack.kills[order], kind="stable")])
        stack.kills[:] //= 2  # rows that helped long ago need not help here

    def _list_open(self, stack: Stack, order: NDArray[np.integer]) -> None:
        """List the open rows of every level again, in this order."""
        stack.n_open[0] = len(order)
        stack.rows[0, : len(order)] = order
        stack.lacks[0, : len(order)] = self._table.arrays.needed[order]
        for level in range(1, min(int(stack.level[0]), self._n_left - 2) + 1):
            loops = _kernel_cover.interpreted if _kernel_cover.patience() > 0 else _kernel_cover
            loops.narrow(self._table.arrays, stack, level, self._n_left)


class CoverTable:
    """A table to which rows can be added."""

    def __init__(self, n_features: int, rows: Rows) -> None:
        self.n_words = max(1, -(-n_features // WORD))
        self.n_rows = 0
        bytes_per_level = 8 * self.n_words * max(len(rows), FIRST_CAPACITY)
        self._n_levels = int(np.clip(MOST_BYTES // bytes_per_level, 2, MOST_LEVELS))
        self.arrays = self._empty(n_features, max(FIRST_CAPACITY, len(rows)))
        self.add(rows)

    def _empty(self, n_features: int, capacity: int) -> Table:
        return Table(
            weights=np.zeros((capacity, n_features)),
            columns=np.zeros((n_features, capacity)),
            needed=np.zeros(capacity),
            order=np.zeros((capacity, n_features), np.int32),
            scale=np.zeros(capacity),
            bits=np.zeros((capacity, self._n_levels, self.n_words), np.uint64),
        )

    def add(self, rows: Rows) -> None:
        """Append rows."""
        self._make_room(self.n_rows + len(rows))
        place = slice(self.n_rows, self.n_rows + len(rows))
        table = self.arrays
        table.weights[place] = rows.weights
        table.columns[:, place] = rows.weights.T
        table.needed[place] = rows.needed
        table.order[place] = np.argsort(-rows.weights, axis=1, kind="stable")
        table.scale[place] = (self._n_levels - 1) / rows.needed
        table.bits[place] = self._bits_of(rows.weights, table.scale[place])
        self.n_rows = place.stop

    def _bits_of(self, weights: Floats, scale: Floats) -> NDArray[np.uint64]:
        """Return for each row and level the features whose weight is there or above, as bits."""
        level = np.minimum((weights * scale[:, np.newaxis]).astype(np.int64), self._n_levels - 1)
        level[weights <= 0.0] = -1
        padded = np.full((len(weights), self.n_words * WORD), -1, np.int64)
        padded[:, : weights.shape[1]] = level
        bits = np.empty((len(weights), self._n_levels, self.n_words), np.uint64)
        for least in range(self._n_levels):
            packed = np.packbits(padded >= least, axis=1, bitorder="little")
            bits[:, least] = packed.view("<u8")
        return bits

    def _make_room(self, n_rows: int) -> None:
        old = self.arrays
        if n_rows <= len(old.needed):
            return
        new = self._empty(len(old.columns), max(n_rows, 2 * len(old.needed)))
        used = slice(self.n_rows)
        for name in ("weights", "needed", "order", "scale", "bits"):
            getattr(new, name)[used] = getattr(old, name)[used]
        new.columns[:, used] = old.columns[:, used]
        self.arrays = new


class Table(NamedTuple):
    """Rows in the forms that the kernels read; the first `n_rows` of each array are in use.

    Attributes
    ----------
    weights : float64[n_rows, n_features]
        Weights, cut at what the row needs.
    columns : float64[n_features, n_rows]
        The same, by feature.
    needed : float64[n_rows]
        What each row needs.
    order : int32[n_rows, n_features]
        Features by falling weight.
    scale : float64[n_rows]
        Levels per unit of weight.
    bits : uint64[n_rows, n_levels, n_words]
        Features whose weight is on a level or above; on level 0, above zero.
    """

    weights: NDArray[np.float64]
    columns: NDArray[np.float64]
    needed: NDArray[np.float64]
    order: NDArray[np.int32]
    scale: NDArray[np.float64]
    bits: NDArray[np.uint64]


class Stack(NamedTuple):
    """The state of a search; one entry for each level.

    Attributes
    ----------
    level : int64[1]
        The deepest level in use; -1 when the search is exhausted.
    chosen : int64[size + 1]
        Feature that leads to a level.
    allowed : uint64[size + 1, n_words]
        Features that may still be chosen.
    branches : int32[size + 1, n_features]
        Features to choose next, one after the other.
    n_branches, n_taken : int64[size + 1]
        How many there are, -1 when not known yet, and how many were taken.
    is_told : bool[size + 1]
        Whether the features chosen so far were returned as a cover.
    rows, lacks : int32[size + 1, n_rows], float64[size + 1, n_rows]
        Open rows and what they lack.
    n_open : int64[size + 1]
        How many rows are open.
    kills : int64[n_rows]
        How often a row was the one that left no feature.
    """

    level: NDArray[np.int64]
    chosen: NDArray[np.int64]
    allowed: NDArray[np.uint64]
    branches: NDArray[np.int32]
    n_branches: NDArray[np.int64]
    n_taken: NDArray[np.int64]
    is_told: NDArray[np.bool_]
    rows: NDArray[np.int32]
    lacks: NDArray[np.float64]
    n_open: NDArray[np.int64]
    kills: NDArray[np.int64]


_kernel_within = Kernels("fuzzyfrog.search.covering._kernel_cover", "advance_within")
_SECONDS_PER_CELL = 3e-7  # of a node in plain Python: a row times a feature
MORE, COVER, END = 0, 1, 2  # as in `_kernel_cover`


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
    >>> from fuzzyfrog.search.covering.search import CheapestSearch
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
        n_interpreted = int(min(n_nodes, max(0.0, _kernel_within.patience() // per_node)))
        end = MORE
        if n_interpreted > 0:
            advance = _kernel_within.interpreted.advance_within
            end = advance(self._table, self._stack, n_rows, budget, n_interpreted, clause)
            _kernel_within.spend(n_interpreted * per_node)
        if end == MORE and n_nodes > n_interpreted:
            advance, n_left = _kernel_within.advance_within, n_nodes - n_interpreted
            end = advance(self._table, self._stack, n_rows, budget, n_left, clause)
        self.is_exhausted = bool(end == END)
        if end != COVER:
            return None
        cover = self._fixed.copy()
        cover[self._free[self._stack.chosen[1 : int(self._stack.level[0]) + 1]]] = True
        return cover
