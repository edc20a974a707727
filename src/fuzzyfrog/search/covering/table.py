# mypy: allow-untyped-calls
"""Rows in the forms that the search reads, in arrays that grow."""

from __future__ import annotations

import numpy as np

from fuzzyfrog.search.covering._kernel_cover import bits_of_levels
from fuzzyfrog.search.covering.arrays import Table
from fuzzyfrog.search.covering.rows import Rows

__all__ = ["GrowingTable"]

WORD = 64  # features of one word of bits
MOST_LEVELS = 32  # of weights that the bits tell apart
MOST_BYTES = 2**27  # for the bits of the first rows; more rows take more
FIRST_CAPACITY = 256


class GrowingTable:
    """A table to which rows can be added.

    Parameters
    ----------
    n_features : int
        Number of features.
    rows : Rows
        The first rows.
    """

    def __init__(self, n_features: int, rows: Rows) -> None:
        self.n_words = max(1, -(-n_features // WORD))
        self.n_rows = 0
        self._n_levels = self._affordable_levels(len(rows))
        self.arrays = self._empty(n_features, max(FIRST_CAPACITY, len(rows)))
        self.add(rows)

    def _affordable_levels(self, n_rows: int) -> int:
        bytes_per_level = 8 * self.n_words * max(n_rows, FIRST_CAPACITY)
        return int(np.clip(MOST_BYTES // bytes_per_level, 2, MOST_LEVELS))

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
        bits_of_levels(table.weights[place], table.scale[place], table.bits[place])
        self.n_rows = place.stop

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
