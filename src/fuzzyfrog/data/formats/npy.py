"""Read arrays written by `numpy.save` in parts."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.cells import spelled
from fuzzyfrog.data.formats import (
    FileStamp,
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


@dataclass(frozen=True)
class NpyTable(Source):
    """An array in a file, with columns "x0", "x1", ...; `is_by_column` means Fortran order."""

    path: Path
    mark: FileStamp
    shape: tuple[int, int]
    is_by_column: bool
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, path: Path) -> NpyTable:
        """Return the table of a file."""
        mark = stamp(path)
        with open_seekable(path) as stream:
            table = cls(path, mark, *_header(path, stream))
            if stream.seek(0, os.SEEK_END) < table._n_bytes:  # before memory is allocated
                raise table._cut_off()
        return table

    @property
    def _n_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def _cut_off(self) -> DataError:
        return DataError(
            f"{self.path.name}: the file must hold {self._n_bytes:,} bytes of numbers, got fewer: "
            "it was cut off. Write it again."
        )

    @property
    def names(self) -> list[str]:  # type: ignore[override]
        """Names of the columns."""
        return [f"x{position}" for position in range(self.shape[1])]

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
        check_unchanged(self.path, self.mark)
        n_samples, n_columns = self.shape
        at_once = rows_at_once(n_columns)
        with open_seekable(self.path) as stream:
            _header(self.path, stream)
            start = stream.tell()
            for first in range(0, n_samples, at_once):
                n_rows = min(at_once, n_samples - first)
                if not self.is_by_column:
                    yield self._numbers(stream, n_rows * n_columns).reshape(n_rows, n_columns)
                    continue
                block = np.empty((n_rows, n_columns), self.dtype)
                for position in range(n_columns):
                    place = position * n_samples + first
                    stream.seek(start + place * self.dtype.itemsize)
                    block[:, position] = self._numbers(stream, n_rows)
                yield block
        check_unchanged(self.path, self.mark)

    def _numbers(self, stream: BinaryIO, count: int) -> NDArray[Any]:
        found = stream.read(count * self.dtype.itemsize)
        if len(found) < count * self.dtype.itemsize:
            raise self._cut_off()
        return np.frombuffer(found, self.dtype)


def _header(path: Path, stream: BinaryIO) -> tuple[tuple[int, int], bool, np.dtype[Any]]:
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
