"""Local search for small covers, with weights that grow for rows that are hard to cover.

This is the weighting search of minimum vertex cover and set cover (Cai et al., NuMVC), for rows of
requirements. It knows only the rows it was given and never scores a subset: the caller does, and
adds rows that a wrong cover breaks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.search.protocol import NONE, Constraints, Problem, Rows, Stream, exchanged

# Weights are whole numbers of this unit of what a row needs. So all sums are whole numbers below
# 2**53, exact in any order: a walk has the same steps for any number of threads and any BLAS.
UNIT = 2.0**16
FIRST_CAPACITY = 256
NUMBERS_AT_ONCE = 1_024
FEW_ROWS = 256
MOST_CELLS = 2**24  # rows times features, 128 MB; beyond it the rows that matter least are dropped
AT_ONCE = 2**24  # cells of the masks of exchanges, 16 MB
STAYS_OUT, STAYS_IN = (3, 3), (1, 3)  # steps in which a feature does not move back, at random


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Subsets that differ from one in a feature or two.

    They are kept as these features: the masks of all neighbors of a subset of 20,000 features
    would take gigabytes.

    Attributes
    ----------
    subset : bool[n_features]
        The one.
    left, came : int64[n]
        The feature that each of the others lacks, and the one that it has instead, or `NONE`.
    """

    subset: Masks
    left: Integers
    came: Integers

    def __len__(self) -> int:
        return len(self.left)

    def __getitem__(self, which: slice | Masks) -> Exchanges:
        """Return some of them."""
        return Exchanges(self.subset, self.left[which], self.came[which])

    def masks(self) -> Masks:
        """Return the subsets, bool[n, n_features]."""
        return exchanged(self.subset, self.left, self.came)

    def that(self, are_right: Callable[[Masks], Masks]) -> Exchanges:
        """Return those whose masks pass a test."""
        step = max(1, AT_ONCE // len(self.subset))
        passed = [are_right(self[k : k + step].masks()) for k in range(0, len(self), step)]
        return self[np.concatenate([np.zeros(0, np.bool_), *passed])]


class RowWeighting:
    """Walks among subsets of one size by exchanging features, until one covers all known rows.

    Each step takes out the feature that costs least and puts in the one that gains most, in what
    rows lack times their weights; then the weight of each open row grows by one, so that the walk
    leaves any dead end.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyfrog.search import Problem
    >>> from fuzzyfrog.search.covering.row_weighting import RowWeighting
    >>> from fuzzyfrog.search.protocol import Rows, Stream
    >>> search = RowWeighting(Problem(3, 3, full_score=1.0), Stream(0, "example"))
    >>> nothing = np.zeros(3, bool)
    >>> search.learn(Rows(np.array([[1.0, 0.5, 0.0], [0.0, 0.5, 1.0]]), np.ones(2)), nothing)
    >>> search.greedy().tolist()
    [True, False, True]
    """

    def __init__(self, problem: Problem, stream: Stream) -> None:
        constraints = Constraints(problem)
        self._fixed = constraints.fixed
        self._free = constraints.free
        self._stream = stream
        self._numbers: list[float] = []
        self._n_rows = self._n_newest = 0
        self._weights = np.zeros((FIRST_CAPACITY, problem.n_features))
        self._priority = np.ones(FIRST_CAPACITY)  # what the lack of a row counts
        self._subset = self._fixed.copy()
        self._lacks = np.empty(0)
        self.n_steps = 0  # taken so far
        self._still_until = np.zeros(problem.n_features, np.int64)

    @property
    def n_cells(self) -> int:
        """Rows times features, which a step looks at."""
        return self._n_rows * self._weights.shape[1]

    def learn(self, rows: Rows, subset: Masks) -> None:
        """Add rows that a subset breaks."""
        parts = np.ceil(rows.weights * (UNIT / rows.needed[:, np.newaxis]))
        weights = np.minimum(parts, UNIT)  # rounded up: no cover of the rows themselves is lost
        is_broken = weights[:, subset].sum(axis=1) < UNIT
        if not is_broken.any():  # by less than a unit: ask for one of the other features
            weights = UNIT * ((rows.weights > 0.0) & ~subset)
        else:
            weights = weights[is_broken]
        self._make_room(len(weights))
        new = slice(self._n_rows, self._n_rows + len(weights))
        self._weights[new], self._priority[new] = weights, 1.0
        self._n_rows, self._n_newest = new.stop, len(weights)
        self._lacks = self._lacks_of(self._subset)

    def _make_room(self, n_more: int) -> None:
        n_features = self._weights.shape[1]
        most = max(FIRST_CAPACITY, MOST_CELLS // n_features)
        if self._n_rows + n_more > most:
            newest_first = np.arange(self._n_rows)[::-1]
            order = np.argsort(-self._priority[newest_first], kind="stable")
            best = newest_first[order[: most // 2]]
            best.sort()
            self._weights[: len(best)] = self._weights[best]
            self._priority[: len(best)] = self._priority[best]
            self._n_rows = len(best)
        n_needed = self._n_rows + n_more
        if n_needed > len(self._weights):
            capacity = max(n_needed, min(2 * len(self._weights), most))
            self._weights.resize((capacity, n_features), refcheck=False)  # in place
            self._priority.resize(capacity, refcheck=False)

    def _lacks_of(self, subset: Masks) -> Floats:
        lacks: Floats = UNIT - self._weights[: self._n_rows, subset].sum(axis=1)
        return lacks

    def greedy(self) -> Masks:
        """Return a cover: the feature that gains most is added until no row is open."""
        subset = self._fixed.copy()
        lacks = self._lacks_of(subset)
        while (lacks > 0.0).any():
            stop_if_late()
            gains = self._gains(lacks)
            gains[subset] = -1.0
            best = self._free[np.argmax(gains[self._free])]
            if gains[best] <= 0.0:
                break  # only rows that no feature helps are open
            subset[best] = True
            lacks = lacks - self._weights[: self._n_rows, best]
        return subset

    def start(self, subset: Masks) -> None:
        """Walk from here on from a subset."""
        self._subset = subset.copy()
        self._lacks = self._lacks_of(subset)
        self._still_until[:] = 0

    def walk(self, size: int, n_steps: int) -> Masks | None:
        """Take at most some steps; return the first cover of this size, None if there was none.

        The walk must have started from a subset that is not smaller. The next call continues
        where this one ends.
        """
        for _ in range(n_steps):
            stop_if_late()
            self.n_steps += 1
            self._take_out()
            while self._subset.sum() >= size:
                self._take_out()
            self._put_in()
            is_open = self._lacks > 0.0
            if not is_open.any():
                return self._subset.copy()
            self._priority[: self._n_rows][is_open] += 1.0
        return None

    def _take_out(self) -> None:
        """Take out the feature that costs least."""
        present = self._free[self._subset[self._free]]
        leaving = present[self._still_until[present] < self.n_steps]
        leaving = leaving if len(leaving) else present
        weights = self._weights[: self._n_rows, leaving]
        opened = np.maximum(np.minimum(weights, self._lacks[:, np.newaxis] + weights), 0.0)
        leaves = leaving[self._one_of(-(self._priority[: self._n_rows] @ opened))]
        self._subset[leaves] = False
        self._lacks = self._lacks + self._weights[: self._n_rows, leaves]
        self._keep_still(leaves, *STAYS_OUT)

    def _put_in(self) -> None:
        """Put in the feature that gains most."""
        absent = self._free[~self._subset[self._free]]
        coming = absent[self._still_until[absent] < self.n_steps]
        coming = coming if len(coming) else absent
        comes = coming[self._one_of(self._gains(self._lacks)[coming])]
        self._subset[comes] = True
        self._lacks = self._lacks - self._weights[: self._n_rows, comes]
        most = max(1, (int(self._subset.sum()) - int(self._fixed.sum())) // 2)
        self._keep_still(comes, STAYS_IN[0], min(STAYS_IN[1], most))

    def _gains(self, lacks: Floats) -> Floats:
        """Return how much each feature lowers the weighted lacks."""
        rows = np.flatnonzero(lacks > 0.0)
        lowered = np.minimum(self._weights[rows], lacks[rows, np.newaxis])
        gains: Floats = self._priority[rows] @ lowered
        return gains

    def _one_of(self, values: Floats) -> int:
        """Return the position of one of the highest values, at random."""
        highest = np.flatnonzero(values == values.max())
        return int(highest[self._random(len(highest))])

    def _keep_still(self, feature: int, least: int, n_choices: int) -> None:
        self._still_until[feature] = self.n_steps + least + self._random(n_choices)

    def _random(self, below: int) -> int:
        """Return a random number from 0 up to, not including, `below`."""
        if below == 1:
            return 0
        if not self._numbers:  # one at a time would take as long as the rest of a step
            self._numbers = self._stream.floats(NUMBERS_AT_ONCE).tolist()
        return int(self._numbers.pop() * below)

    def exchanges(self, subset: Masks) -> Exchanges:
        """Return the covers that are one feature smaller, or have one feature exchanged.

        Where a feature is not needed for the known rows, nothing takes its place.
        """
        lacks = self._lacks_of(subset)
        absent = self._free[~subset[self._free]]
        left, came = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for leaves in self._free[subset[self._free]]:
            stop_if_late()
            short = lacks + self._weights[: self._n_rows, leaves]
            rows = np.argsort(-short, kind="stable")[: np.count_nonzero(short > 0.0)]
            is_needed = len(rows) > 0 or subset.sum() == 1
            coming = absent if is_needed else np.array([NONE])
            for some in (rows[:FEW_ROWS], rows[FEW_ROWS:]):  # few features pass the first ones
                weights = self._weights[np.ix_(some, coming)]
                coming = coming[np.all(weights >= short[some, np.newaxis], axis=0)]
            left.append(np.full(len(coming), leaves))
            came.append(coming)
        return Exchanges(subset, np.concatenate(left), np.concatenate(came))

    def cover_newest(self, subsets: Masks) -> Masks:
        """Return for each subset whether it covers the rows that were learned last."""
        newest = self._weights[self._n_rows - self._n_newest : self._n_rows]
        return np.asarray((subsets @ newest.T >= UNIT).all(axis=1))
