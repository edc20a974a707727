"""CSV and TSV files -> numbers and labels."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.blocks import Block, BlockStore, RawTable, blocks_of
from fuzzyfrog.data.cells import MISSING, NominalCoder, NotANumberError, parse_numbers, strays
from fuzzyfrog.data.columns import not_listed, slips_among_numbers
from fuzzyfrog.data.files import stamp, text_lines
from fuzzyfrog.data.layout import Layout, Wanted, check_header
from fuzzyfrog.data.wording import counted
from fuzzyfrog.errors import DataError

__all__ = ["delimited_cells", "read_delimited"]

# "NA" is a fine label of a class; nothing and "?" are not.
MISSING_TARGET = frozenset({"", "?"})


def read_delimited(
    path: Path, wanted: Wanted, *, separator: str, encoding: str
) -> tuple[Layout, RawTable]:
    """Give the layout and the content of a text file with one sample per line.

    A feature whose first text comes late has lost the spelling of its earlier values by then,
    so the file is read a second time; it is never read more than twice.
    """
    before = stamp(path)
    header = _header(path, separator, encoding)
    layout = wanted.layout(header, path.name)
    text: set[int] = set()
    if layout.nominal is not None:
        text = set(np.flatnonzero(layout.nominal).tolist())
    reading = _Reading(path, layout, text)
    reading.run(_rows(path, separator, encoding, len(header)), len(header))
    if reading.late:
        reading = _Reading(path, layout, text | reading.late)
        reading.run(_rows(path, separator, encoding, len(header)), len(header))
    if stamp(path) != before:
        raise DataError(f"{path.name}: the file changed while it was read. Read it again.")
    return layout, reading.finish()


def delimited_cells(path: Path, *, separator: str, encoding: str) -> Iterator[list[str]]:
    """Yield the names of the columns, then the cells of each sample as they are spelled."""
    header = _header(path, separator, encoding)
    yield header
    for _, record in _rows(path, separator, encoding, len(header)):
        yield record


def _records(path: Path, separator: str, encoding: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the last line of each record, and its fields; skip empty lines."""
    with closing(text_lines(path, encoding)) as lines:  # type: ignore[type-var]
        reader = csv.reader(lines, delimiter=separator, strict=True)
        try:
            for record in reader:
                if record:
                    yield reader.line_num, record
        except csv.Error as error:
            raise DataError(
                f"{path.name}: line {reader.line_num} cannot be split into fields ({error}). "
                "Check its quotes and line ends."
            ) from None


def _header(path: Path, separator: str, encoding: str) -> list[str]:
    with closing(_records(path, separator, encoding)) as records:  # type: ignore[type-var]
        first = next(records, None)
    if first is None:
        raise DataError(
            f"{path.name}: the file must hold a header and samples, got an empty file. "
            "Check that it was written completely."
        )
    header = [name.strip() for name in first[1]]
    check_header(header, path.name, separator)
    return header


def _rows(
    path: Path, separator: str, encoding: str, n_columns: int
) -> Iterator[tuple[int, list[str]]]:
    records = _records(path, separator, encoding)
    next(records)
    for line, record in records:
        if len(record) != n_columns:
            raise DataError(
                f"{path.name}: line {line} has {counted(len(record), 'field')}, expected "
                f"{n_columns}. Complete or delete the line; quote fields that hold a "
                f"{separator!r}."
            )
        yield line, record


class _Reading:
    """One pass over a file; `late` has the features that turned out to be text too late."""

    def __init__(self, path: Path, layout: Layout, text: set[int]) -> None:
        self._path = path
        self._layout = layout
        self._coders: list[NominalCoder | None] = [
            NominalCoder(MISSING) if feature in text else None
            for feature in range(len(layout.features))
        ]
        self._store = BlockStore(path.name, layout, MISSING_TARGET)
        self.late: set[int] = set()

    def run(self, rows: Iterator[tuple[int, list[str]]], n_columns: int) -> None:
        for block in blocks_of(rows, n_columns):
            columns = [
                self._column(block, feature) for feature in range(len(self._layout.features))
            ]
            self._store.add(block, columns)

    def finish(self) -> RawTable:
        warnings = () if self._layout.nominal is not None else tuple(self._slips())
        return self._store.finish(self._coders, warnings)

    def _slips(self) -> Iterator[str]:
        for name, coder in zip(self._layout.names, self._coders, strict=True):
            if coder is not None and (found := strays(coder.values)):
                yield f"{self._path.name}: {slips_among_numbers(name, found)}"

    def _column(self, block: Block, feature: int) -> NDArray[np.float64]:
        cells = block.columns[self._layout.features[feature]]
        coder = self._coders[feature]
        if coder is None:
            try:
                return parse_numbers(cells)
            except NotANumberError as error:
                coder = self._turned_out_text(block, feature, error.position)
        return coder.encode(cells)

    def _turned_out_text(self, block: Block, feature: int, row: int) -> NominalCoder:
        if self._layout.nominal is not None:
            cell = block.columns[self._layout.features[feature]][row]
            reason = not_listed(self._layout.names[feature], cell)
            raise DataError(f"{self._path.name}: line {block.lines[row]}: {reason}")
        if self._store.n_rows:
            self.late.add(feature)
        coder = NominalCoder(MISSING)
        self._coders[feature] = coder
        return coder
