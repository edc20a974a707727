"""Read arrays written by `numpy.save` in parts."""

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.cells import spelled
from fuzzyfrog.data.formats import (
    Layout,
    Rows,
    Source,
    check_unchanged,
    open_seekable,
    something_else,
    stamp,
)
from fuzzyfrog.data.gathering import rows_at_once
from fuzzyfrog.errors import DataError

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class NpyTable(Source):
    """An array in a file, with columns "x0", "x1", ..."""

    def __init__(self, path: Path) -> None:
        self.path, self._stamp = path, stamp(path)
        with open_seekable(path) as stream:
            self._shape, self._is_by_column, self._dtype = _header(path, stream)
            self._start = stream.tell()
            if stream.seek(0, os.SEEK_END) < self._n_bytes:  # before memory is allocated
                raise self._cut_off()
        self.names = [f"x{position}" for position in range(self._shape[1])]

    @property
    def _n_bytes(self) -> int:
        return math.prod(self._shape) * self._dtype.itemsize

    def _cut_off(self) -> DataError:
        return DataError(
            f"{self.path.name}: the file must hold {self._n_bytes:,} bytes of numbers, got fewer: "
            "it was cut off. Write it again."
        )

    def parts(self, layout: Layout, columns: Sequence[Any] = ()) -> Iterator[Rows]:
        """Yield the features, the target and the labels of each block of rows."""
        for block in self.blocks():
            labels = None
            if layout.row_labels is not None:
                labels = [f"{number:.15g}" for number in block[:, layout.row_labels].tolist()]
            yield Rows(block[:, list(layout.features)], block[:, layout.target], labels)

    def cells(self) -> Iterator[list[str]]:
        """Yield the names of the columns, then the cells of each sample."""
        yield self.names
        for block in self.blocks():
            yield from ([spelled(number) for number in row] for row in block.tolist())

    def blocks(self) -> Iterator[NDArray[Any]]:
        """Yield all columns of each block of rows."""
        check_unchanged(self.path, self._stamp)
        n_samples, n_columns = self._shape
        at_once = rows_at_once(n_columns)
        with open_seekable(self.path) as stream:
            stream.seek(self._start)
            for first in range(0, n_samples, at_once):
                n_rows = min(at_once, n_samples - first)
                if not self._is_by_column:
                    yield self._numbers(stream, n_rows * n_columns).reshape(n_rows, n_columns)
                    continue
                block = np.empty((n_rows, n_columns), self._dtype)
                for position in range(n_columns):
                    place = position * n_samples + first
                    stream.seek(self._start + place * self._dtype.itemsize)
                    block[:, position] = self._numbers(stream, n_rows)
                yield block
        check_unchanged(self.path, self._stamp)

    def _numbers(self, stream: BinaryIO, count: int) -> NDArray[Any]:
        found = stream.read(count * self._dtype.itemsize)
        if len(found) < count * self._dtype.itemsize:
            raise self._cut_off()
        return np.frombuffer(found, self._dtype)


def _header(path: Path, stream: BinaryIO) -> tuple[tuple[int, int], bool, np.dtype[Any]]:
    """Return the shape of an array, whether it is in Fortran order, and its type."""
    try:
        version = np.lib.format.read_magic(stream)
        shape, is_by_column, dtype = _HEADERS[version](stream)
    except Exception as error:  # a header is Python source: its tokenizer may raise anything
        raise something_else(path, "an array written by numpy.save", error) from None
    if len(shape) != 2 or dtype.kind not in "biuf":
        raise DataError(
            f"{path.name}: the array must have two dimensions and hold numbers, got shape {shape} "
            f"of {dtype}. Save one row per sample, the target as one of the columns."
        )
    return shape, is_by_column, dtype
