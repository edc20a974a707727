"""CSV and TSV files -> numbers and labels."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.blocks import Block, BlockStore, RawTable, blocks_of
from fuzzyfrog.data.cells import (
    MISSING,
    NominalCoder,
    NotANumberError,
    first_padded,
    merges_integers,
    parse_numbers,
    strays,
)
from fuzzyfrog.data.columns import (
    codes_among_numbers,
    merged,
    not_listed,
    slips_among_numbers,
)
from fuzzyfrog.data.dialects import Dialect, seems_to_be
from fuzzyfrog.data.files import check_unchanged, stamp, text_lines
from fuzzyfrog.data.layout import Layout, Wanted, check_header
from fuzzyfrog.data.wording import counted
from fuzzyfrog.errors import DataError

__all__ = ["delimited_cells", "read_delimited"]

# "NA" is a fine label of a class; nothing and "?" are not.
MISSING_TARGET = frozenset({"", "?"})

# What the reader of Python says, and what that means.
UNSPLIT = {
    "end of data": "a quote is never closed",
    "expected after": "text follows a closing quote",
    "new-line": "a carriage return stands in the middle of it",
    "field limit": "one has more than 131,072 characters",
    "": "it is not valid CSV",
}


def read_delimited(
    path: Path, wanted: Wanted, *, separator: str, encoding: str, decimal: str = "."
) -> tuple[Layout, RawTable]:
    """Give the layout and the content of a text file with one sample per line.

    Where the file cannot be read, and more than one setting seems to be wrong, the error names
    all of them at once.
    """
    asked = Dialect(separator, decimal, encoding)
    try:
        return _read(path, wanted, asked)
    except DataError as error:
        others = seems_to_be(path, asked).differences(asked)
        if len(others) < 2:
            raise
        together = " ".join(f"{name}={value!r}" for name, value in others.items())
        raise DataError(f"{error} Pass all of these: {together}") from None


def _read(path: Path, wanted: Wanted, asked: Dialect) -> tuple[Layout, RawTable]:
    """Read the file once, or twice.

    A feature whose first text comes late has lost the spelling of its earlier values by then,
    so the file is read a second time; it is never read more than twice.
    """
    before = stamp(path)
    separator, encoding = asked.separator, asked.encoding
    header = _header(path, separator, encoding)
    layout = wanted.layout(header, path.name)
    text = {feature for feature, nominal in enumerate(layout.nominal) if nominal}
    reading = _Reading(path, layout, text, asked.decimal)
    reading.run(_rows(path, separator, encoding, len(header)), len(header))
    if reading.late:
        reading = _Reading(path, layout, text | reading.late, asked.decimal)
        reading.run(_rows(path, separator, encoding, len(header)), len(header))
    check_unchanged(path, before)
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
            reason = next(ours for theirs, ours in UNSPLIT.items() if theirs in str(error))
            raise DataError(
                f"{path.name}: line {reader.line_num} cannot be split into fields, as {reason}. "
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

    def __init__(self, path: Path, layout: Layout, text: set[int], decimal: str) -> None:
        self._path = path
        self._layout = layout
        self._decimal = decimal
        self._coders: list[NominalCoder | None] = [
            NominalCoder(MISSING) if feature in text else None
            for feature in range(len(layout.features))
        ]
        self._store = BlockStore(path.name, layout, MISSING_TARGET, decimal)
        self._padded: dict[int, str] = {}
        self._with_fractions: set[int] = set()
        self.late: set[int] = set()

    def run(self, rows: Iterator[tuple[int, list[str]]], n_columns: int) -> None:
        for block in blocks_of(rows, n_columns):
            columns = [
                self._column(block, feature) for feature in range(len(self._layout.features))
            ]
            self._store.add(block, columns)

    def finish(self) -> RawTable:
        sentences = self._doubts()
        warnings = tuple(f"{self._path.name}: {sentence}" for sentence in sentences)
        return self._store.finish(self._coders, warnings)

    def _doubts(self) -> Iterator[str]:
        """Yield what is doubtful about features whose kind was not named."""
        for feature, (name, coder) in enumerate(zip(self._layout.names, self._coders, strict=True)):
            if self._layout.nominal[feature] is not None:
                continue
            if coder is None:
                if feature in self._padded.keys() - self._with_fractions:
                    yield codes_among_numbers(name, self._padded[feature])
            elif found := strays(coder.values, self._decimal):
                yield slips_among_numbers(name, found)

    def _column(self, block: Block, feature: int) -> NDArray[np.float64]:
        cells = block.columns[self._layout.features[feature]]
        coder = self._coders[feature]
        if coder is None:
            try:
                return self._numbers(cells, feature)
            except NotANumberError as error:
                coder = self._turned_out_text(block, feature, error.position)
        return coder.encode(cells)

    def _numbers(self, cells: Sequence[str], feature: int) -> NDArray[np.float64]:
        numbers = parse_numbers(cells, self._decimal)
        if merges_integers(cells, numbers):
            raise DataError(f"{self._path.name}: {merged(self._layout.names[feature])}")
        self._note_padded(cells, numbers, feature)
        return numbers

    def _note_padded(
        self, cells: Sequence[str], numbers: NDArray[np.float64], feature: int
    ) -> None:
        if feature in self._with_fractions:
            return
        if (np.floor(numbers) < numbers).any():  # most columns of numbers end here
            self._with_fractions.add(feature)
        elif feature not in self._padded and (found := first_padded(cells)):
            self._padded[feature] = found

    def _turned_out_text(self, block: Block, feature: int, row: int) -> NominalCoder:
        if self._layout.nominal[feature] is not None:
            cell = block.columns[self._layout.features[feature]][row]
            reason = not_listed(self._layout.names[feature], cell)
            raise DataError(f"{self._path.name}: line {block.lines[row]}: {reason}")
        if self._store.n_rows:
            self.late.add(feature)
        coder = NominalCoder(MISSING)
        self._coders[feature] = coder
        return coder
