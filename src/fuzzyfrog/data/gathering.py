"""Tables that come in parts -> the content of a Dataset, in memory or on disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.arrays import check_matrix_dtype, rounding
from fuzzyfrog.data.checks import check_finite, check_shape
from fuzzyfrog.data.columns import MAX_EXACT_INTEGER, Feature, column_of
from fuzzyfrog.data.content import Content, decoded
from fuzzyfrog.data.parts import LabelParts, NumberParts, parts_of_series
from fuzzyfrog.data.spill import GrowingTable

__all__ = ["Gathering", "Part", "gathered", "rows_at_once"]

FloatArray: TypeAlias = NDArray[np.float64]
Part: TypeAlias = "NDArray[Any] | nw.DataFrame[Any]"

# Cells of a table that are looked at in one go: about 8 MB.
BLOCK_CELLS = 2**20


def rows_at_once(n_columns: int) -> int:
    """Give the number of rows of a table to look at in one go."""
    return max(1, BLOCK_CELLS // max(1, n_columns))


def gathered(
    parts: Iterable[Part], names: Sequence[str], chosen: NDArray[np.bool_] | None
) -> Content:
    """Give the content of a table that comes in parts, arrays or frames with equal columns.

    The result is what the whole table would give, bit by bit.
    """
    gathering = Gathering(names, [None] * len(names) if chosen is None else chosen.tolist())
    for part in parts:
        gathering.add(part)
    return gathering.finish()


class Gathering:
    """Collects the parts of a table.

    Parameters
    ----------
    names : sequence of str
        Names of the features, for messages.
    kinds : sequence of (bool or None)
        Whether each feature was named as nominal; None where the dtype is to decide.
    """

    def __init__(self, names: Sequence[str], kinds: Sequence[bool | None]) -> None:
        self._names = names
        self._features = [Feature(*asked) for asked in zip(names, kinds, strict=True)]
        self._columns: list[LabelParts | NumberParts] = []
        self._table = GrowingTable(len(names))
        self._warnings: tuple[str, ...] = ()

    def add(self, part: Part) -> None:
        """Take the next rows: an array, or a frame, with one column per feature."""
        n_rows = rows_at_once(len(self._names))
        for first in range(0, len(part), n_rows):
            block = part[first : first + n_rows]
            values = self._numbers(block) if isinstance(block, np.ndarray) else self._frame(block)
            check_finite(values, self._names, first_sample=self._table.n_rows)
            self._table.append(values)

    def finish(self) -> Content:
        """Give the content of the whole table."""
        check_shape(self._table.n_rows, len(self._names))
        columns = [column.finish() for column in self._columns]
        content = decoded(self._table, columns, self._warnings)
        if any(column is not None and np.isinf(column.values).any() for column in columns):
            check_finite(content.values, self._names)  # a text can be an infinite number
        return content

    def _frame(self, block: nw.DataFrame[Any]) -> FloatArray:
        all_series = [column_of(block, place) for place in range(len(self._names))]
        if not self._columns:
            pairs = zip(all_series, self._features, strict=True)
            self._columns = [parts_of_series(*pair) for pair in pairs]
        values = np.empty((len(block), len(self._names)))
        for place, (series, column) in enumerate(zip(all_series, self._columns, strict=True)):
            values[:, place] = column.add(series)
        return values

    def _numbers(self, block: NDArray[Any]) -> FloatArray:
        has_objects = block.dtype.kind in "OU"
        if not has_objects:
            check_matrix_dtype(block, self._names)
        if not self._columns:
            self._warnings = rounding(block)
            self._columns = [
                LabelParts(asked) if has_objects or asked.nominal else NumberParts(asked)
                for asked in self._features
            ]
        values = np.empty(block.shape) if has_objects else np.array(block, np.float64, order="C")
        is_far = _is_far(block)
        for place, column in enumerate(self._columns):
            if isinstance(column, LabelParts):
                values[:, place] = column.add_cells(block[:, place].tolist())
            elif is_far[place]:
                column.note_exact(block[:, place].tolist())
        return values


def _is_far(block: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which columns have integers that float64 may merge with others."""
    if block.dtype.kind not in "iu" or block.dtype.itemsize < 8:
        return np.zeros(block.shape[1], np.bool_)
    far = (block >= MAX_EXACT_INTEGER) | (block <= -MAX_EXACT_INTEGER)
    return np.asarray(far.any(axis=0))
