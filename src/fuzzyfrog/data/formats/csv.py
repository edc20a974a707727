"""Rows of a text file -> float64, block by block, so that no file is held as text at once."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import counted, listed, shown
from fuzzyfrog.data.checks import check_filled
from fuzzyfrog.data.columns import (
    MISSING,
    CategoryCoder,
    NotANumberError,
    all_numbers,
    categorical_column,
    codes_among_numbers,
    first_padded,
    has_decimal_commas,
    has_points,
    merged,
    merges_integers,
    not_listed,
    parse_numbers,
    slips_among_numbers,
    strays,
)
from fuzzyfrog.data.formats.opening import check_unchanged, open_bytes, stamp, text_lines
from fuzzyfrog.data.frames import Content, decoded
from fuzzyfrog.data.layout import Layout, Wanted, check_header
from fuzzyfrog.data.spill import GrowingTable
from fuzzyfrog.errors import DataError

__all__ = [
    "Block",
    "BlockStore",
    "Dialect",
    "RawTable",
    "blocks_of",
    "delimited_cells",
    "read_delimited",
    "seems_to_be",
]

# About 20 MB of text at a time.
BLOCK_CELLS = 2**18


@dataclass(frozen=True)
class Block:
    """Some rows of a file, turned into columns, with the line each row ends in."""

    columns: tuple[tuple[Any, ...], ...]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class RawTable:
    """What a file holds: the features and the target cells."""

    content: Content
    target: list[Any] | NDArray[Any]


def blocks_of(rows: Iterable[tuple[int, Sequence[Any]]], n_columns: int) -> Iterator[Block]:
    """Yield numbered rows in blocks of columns."""
    rows = iter(rows)
    n_rows = max(1, BLOCK_CELLS // n_columns)
    while chunk := list(islice(rows, n_rows)):
        lines, records = zip(*chunk, strict=True)
        yield Block(tuple(zip(*records, strict=True)), lines)


class BlockStore:
    """Collects the blocks of a file and makes one table of them.

    Parameters
    ----------
    file : str
        Name of the file, for messages.
    layout : Layout
        Which columns are features, which is the target.
    missing_target : frozenset of str
        Texts that mean "no value" in the target, beside None.
    decimal : {".", ","} or None
        The decimal mark; None in a format that has no other than the point.
    """

    def __init__(
        self,
        file: str,
        layout: Layout,
        missing_target: frozenset[str],
        decimal: str | None = None,
    ) -> None:
        self._file = file
        self._decimal = decimal
        self._layout = layout
        self._missing_target = missing_target
        self._table = GrowingTable(len(layout.features))
        self._target: list[Any] = []
        self._labels: dict[Any, Any] = {}
        self._without_target: list[int] = []

    @property
    def n_rows(self) -> int:
        """Number of rows collected so far."""
        return self._table.n_rows

    def add(self, block: Block, columns: Sequence[NDArray[np.float64]]) -> None:
        """Keep the converted feature columns of a block and its target cells."""
        values = np.stack(columns, axis=1)
        self._refuse_infinite(values, block)
        self._table.append(values)
        for line, cell in zip(block.lines, block.columns[self._layout.target], strict=True):
            label = cell.strip() if isinstance(cell, str) else cell
            if label is None or label != label or label in self._missing_target:
                self._without_target.append(line)
            # Equal labels share one object, so a long file keeps few texts.
            self._target.append(self._labels.setdefault(label, label))

    def _refuse_infinite(self, values: NDArray[np.float64], block: Block) -> None:
        infinite = np.isinf(values)
        if infinite.any():
            row, feature = np.argwhere(infinite)[0]
            cell = block.columns[self._layout.features[feature]][row]
            raise DataError(
                f"{self._file}: line {block.lines[row]} must hold finite numbers, got "
                f"{shown(cell)} in feature {shown(self._layout.names[feature])}. "
                "Replace it, or leave the cell empty to mark it as missing."
            )

    def finish(
        self, coders: Sequence[CategoryCoder | None], warnings: tuple[str, ...] = ()
    ) -> RawTable:
        """Return the whole table; the store is empty afterwards."""
        self._refuse_few_rows()
        if self._without_target:
            raise DataError(
                f"{self._file}: the target must not be missing, got no value in line "
                f"{listed(self._without_target)}. Fill in or delete these lines."
            )
        self._refuse_other_marks(coders)
        columns = [None if coder is None else categorical_column(coder.values) for coder in coders]
        content = decoded(self._table, columns, warnings)
        check_filled(content.values, self._layout.names, self._file)
        return RawTable(content, self._target)

    def _refuse_few_rows(self) -> None:
        if self.n_rows < 2:
            got = "none" if self.n_rows == 0 else "1"
            raise DataError(
                f"{self._file}: a table must have at least 2 samples below the header, got "
                f"{got}. Check that the file is complete."
            )

    def _refuse_other_marks(self, coders: Sequence[CategoryCoder | None]) -> None:
        """Refuse features that are text only because of a decimal mark or of thousands."""
        is_other = has_points if self._decimal == "," else has_decimal_commas
        asked = zip(self._layout.names, coders, self._layout.categorical, strict=True)
        for name, coder, categorical in asked:
            if coder is not None and not categorical and is_other(coder.values):
                raise DataError(
                    f"{self._file}: feature {shown(name)} must have numbers with a decimal "
                    f"{self._marks(listed(coder.values[:3]))}"
                )

    def _marks(self, examples: str) -> str:
        if self._decimal == ",":
            return (
                f"comma, got points ({examples}). Delete thousands separators, or name it in "
                "categorical if these are labels."
            )
        way_out = (
            "Replace decimal commas by points and"
            if self._decimal is None
            else "Pass decimal=',' for decimal commas;"
        )
        return f"point, got commas ({examples}). {way_out} delete thousands separators."


HEAD_BYTES = 2**16
SEPARATORS = (",", ";", "\t", "|")
WESTERN = "cp1252"  # what spreadsheets on Windows write where they do not write UTF-8


@dataclass(frozen=True)
class Dialect:
    """How the cells of a text file are written.

    Attributes
    ----------
    separator : str
        What stands between two cells.
    decimal : {".", ","}
        The decimal mark of numbers.
    encoding : str
        Encoding of the text.
    """

    separator: str
    decimal: str
    encoding: str

    def differences(self, other: Dialect) -> dict[str, str]:
        """Return the settings that another one has otherwise."""
        theirs = asdict(other)
        return {name: value for name, value in asdict(self).items() if value != theirs[name]}


def seems_to_be(path: Path, asked: Dialect) -> Dialect:
    """Return what a file seems to be written with; what cannot be told is as it was asked for."""
    try:
        with open_bytes(path) as stream:
            head = stream.read(HEAD_BYTES)
    except DataError:
        return asked
    if b"\0" in head:  # UTF-16, or no text at all
        return asked
    if len(head) == HEAD_BYTES:
        head = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]  # the last line may be cut
    encoding = asked.encoding if _decodes(head, asked.encoding) else WESTERN
    lines = head.decode(encoding, errors="replace").splitlines()
    separator = _separator(lines, asked.separator)
    rows = _split(lines, separator)
    columns = list(zip(*rows[1:], strict=False))
    commas = separator != "," and any(_has_decimal_commas(column) for column in columns)
    return Dialect(separator, "," if commas else asked.decimal, encoding)


def _decodes(head: bytes, encoding: str) -> bool:
    try:
        head.decode(encoding)
    except (LookupError, TypeError, ValueError):  # also an encoding that does not exist
        return False
    return True


def _separator(lines: Sequence[str], asked: str) -> str:
    """Return the mark that cuts all lines into the same number of cells, the asked one first."""
    counts = {mark: _n_cells(lines, mark) for mark in (asked, *SEPARATORS)}
    if counts[asked] > 1:
        return asked
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] > 1 else asked


def _n_cells(lines: Sequence[str], mark: str) -> int:
    """Return the number of cells of every line, 0 where they differ."""
    sizes = {len(row) for row in _split(lines, mark)}
    return sizes.pop() if len(sizes) == 1 else 0


def _split(lines: Sequence[str], mark: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return []


def _has_decimal_commas(column: Sequence[str]) -> bool:
    return any("," in cell for cell in column) and all_numbers(column, ",")


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
    """Return the layout and the content of a text file with one sample per line.

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
    text = {feature for feature, categorical in enumerate(layout.categorical) if categorical}
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
        self._coders: list[CategoryCoder | None] = [
            CategoryCoder(MISSING) if feature in text else None
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
            if self._layout.categorical[feature] is not None:
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

    def _turned_out_text(self, block: Block, feature: int, row: int) -> CategoryCoder:
        if self._layout.categorical[feature] is not None:
            cell = block.columns[self._layout.features[feature]][row]
            reason = not_listed(self._layout.names[feature], cell)
            raise DataError(f"{self._path.name}: line {block.lines[row]}: {reason}")
        if self._store.n_rows:
            self.late.add(feature)
        coder = CategoryCoder(MISSING)
        self._coders[feature] = coder
        return coder
