"""What the search for covers reads and writes, in the forms that its kernels take."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Stack", "Table"]


class Table(NamedTuple):
    """Rows in the forms that the search reads; the first `n_rows` of each array count.

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
    """Where a search stands; one entry for each level that matters.

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
        Whether the features chosen so far were told as a cover.
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
