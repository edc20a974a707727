"""CSV and TSV files -> float64, block by block, never holding the text of a whole file."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import Sentence, Setting, count, listed, shown
from fuzzyfrog.common.resources import GrowingTable
from fuzzyfrog.data.cells import (
    MISSING,
    MISSING_WORDS,
    CategoryCoder,
    NotANumberError,
    Thousands,
    all_numbers,
    first_padded,
    has_decimal_commas,
    has_points,
    merges_integers,
    parse_numbers,
    points_in_doubt,
    read_texts,
)
from fuzzyfrog.data.columns import (
    Column,
    Content,
    Feature,
    FloatArray,
    Labels,
    categorical_column,
    check_filled,
    decoded,
    merged,
    not_listed,
    text_column,
)
from fuzzyfrog.data.formats import (
    Layout,
    Wanted,
    check_header,
    check_unchanged,
    open_bytes,
    stamp,
    text_lines,
)
from fuzzyfrog.errors import DataError

MOST_SHARED = 100_000  # different labels that are kept once for all rows
BLOCK_CELLS = 2**18  # about 20 MB of text at a time
HEAD_BYTES = 2**16
SEPARATORS = (",", ";", "\t", "|")
WESTERN = "cp1252"  # the encoding of spreadsheets on Windows if it is not UTF-8
NO_LABEL = frozenset({"", "?"})  # in a target in which "NA" is a class

# What Python's reader says, and what that means.
UNSPLIT = {
    "end of data": "a quote is never closed",
    "expected after": "text follows a closing quote",
    "new-line": "a carriage return is in the middle of it",
    "field limit": "one has more than 131,072 characters",
    "": "it is not valid CSV",
}


def read_delimited(
    path: Path, wanted: Wanted, *, separator: str, encoding: str, decimal: str = "."
) -> tuple[Layout, RawTable]:
    """Return the layout and the content of a text file with one sample per line.

    If the file cannot be read and more than one setting seems to be wrong, the error names all of
    them at once.
    """
    asked = Dialect(separator, decimal, encoding)
    try:
        return _read(path, wanted, asked)
    except DataError as error:
        others = seems_to_be(path, asked).differences(asked)
        if len(others) < 2:
            raise
        settings = [part for one in others.items() for part in (" ", Setting(*one))]
        raise DataError(Sentence(error.args[0], " Pass all of these:", *settings)) from None


def _read(path: Path, wanted: Wanted, asked: Dialect) -> tuple[Layout, RawTable]:
    """Read the file once, or twice.

    A feature whose first text comes late has lost the spelling of its earlier values by then,
    so the file is read a second time; it is never read more than twice.
    """
    before = stamp(path)
    header = _header(path, asked.separator, asked.encoding)
    found = read_records(
        path.name,
        header,
        lambda: _rows(path, asked.separator, asked.encoding, len(header)),
        wanted,
        asked,
    )
    check_unchanged(path, before)
    return found


def read_records(
    file: str,
    header: Sequence[str],
    rows: Callable[[], Iterator[tuple[int, list[str]]]],
    wanted: Wanted,
    asked: Dialect,
) -> tuple[Layout, RawTable]:
    """Return the layout and the content of numbered rows of text, which are read once or twice."""
    layout = wanted.layout(header, file)
    text = {feature for feature, categorical in enumerate(layout.categorical) if categorical}
    columns, store = _read_columns(file, rows(), layout, text, asked, len(header))
    if late := {feature for feature, column in enumerate(columns) if column.is_late}:
        _, store = _read_columns(file, rows(), layout, text | late, asked, len(header))
    return layout, store.finish()


def _read_columns(
    file: str,
    rows: Iterator[tuple[int, list[str]]],
    layout: Layout,
    text: set[int],
    asked: Dialect,
    n_columns: int,
) -> tuple[list[CsvColumn], BlockStore]:
    """Read all rows once; the features in `text` are known not to be numbers."""
    columns = [
        CsvColumn(Feature(name, layout.categorical[place], layout.keeps_text), place in text, asked)
        for place, name in enumerate(layout.names)
    ]
    store = BlockStore(file, layout, columns, NO_LABEL if layout.keeps_na else MISSING)
    for block in blocks_of(rows, n_columns):
        store.add(block)
    return columns, store


def delimited_cells(path: Path, *, separator: str, encoding: str) -> Iterator[list[str]]:
    """Yield the names of the columns, then the cells of each sample as spelled."""
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
                Sentence(
                    f"{path.name}: line {reader.line_num} cannot be split into fields, as "
                    f"{reason}. ",
                    *_way_out(path, Dialect(separator, ".", encoding)),
                )
            ) from None


def _way_out(path: Path, asked: Dialect) -> tuple[str | Setting, ...]:
    """Return how to read a file whose lines cannot be split."""
    mark = seems_to_be(path, asked).separator
    if mark == asked.separator:
        return ("Check its quotes and line ends.",)
    return (f"It seems to be separated by {shown(mark)}: pass ", Setting("separator", mark), ".")


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
                f"{path.name}: line {line} has {count(len(record), 'field')}, expected "
                f"{n_columns}. Complete or delete the line; quote fields that hold a "
                f"{separator!r}."
            )
        yield line, record


@dataclass(frozen=True)
class Block:
    """Some rows of a file, turned into columns, with the line each row ends in."""

    columns: tuple[tuple[Any, ...], ...]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class RawTable:
    """The features and the target cells of a file, and the lines or labels of its rows."""

    content: Content
    target: list[Any] | NDArray[Any]
    rows: NDArray[np.int64] | tuple[str, ...] | None = None


def blocks_of(rows: Iterable[tuple[int, Sequence[Any]]], n_columns: int) -> Iterator[Block]:
    """Yield numbered rows in blocks of columns."""
    rows = iter(rows)
    n_rows = max(1, BLOCK_CELLS // n_columns)
    while chunk := list(islice(rows, n_rows)):
        lines, records = zip(*chunk, strict=True)
        yield Block(tuple(zip(*records, strict=True)), lines)


class FileColumn:
    """Collects a feature of a text file: as numbers, or as codes of labels by first appearance."""

    def __init__(self, feature: Feature, coder: CategoryCoder | None) -> None:
        self.feature = feature
        self.coder = coder

    def add(self, cells: Sequence[Any]) -> FloatArray:
        """Return the numbers or codes of a block; raise `NotANumberError` for text in numbers."""
        return self._numbers(cells) if self.coder is None else self.coder.encode(cells)

    def _numbers(self, cells: Sequence[Any]) -> FloatArray:
        raise NotImplementedError

    def finish(self) -> Column:
        """Return what the codes stand for; refuse text that only has another decimal mark."""
        if self.coder is None:
            return Column()
        if not self.feature.categorical:
            self._check_marks(self.coder.values)
        return categorical_column(self.coder.values)

    def _check_marks(self, values: Labels) -> None:
        if has_decimal_commas(values):
            raise self._other_mark(
                f"point, got commas ({listed(values[:3])}). Replace decimal commas by points and "
                "delete thousands separators."
            )

    def _other_mark(self, *problem: str | Setting) -> DataError:
        name = shown(self.feature.name)
        return DataError(Sentence(f"feature {name} must have numbers with a decimal ", *problem))


class CsvColumn(FileColumn):
    """Collects a feature of a CSV file, which is numeric until a cell turns out to be text."""

    def __init__(self, feature: Feature, is_text: bool, dialect: Dialect) -> None:
        self._missing = MISSING - MISSING_WORDS if feature.categorical else MISSING
        super().__init__(feature, CategoryCoder(self._missing) if is_text else None)
        self._decimal = dialect.decimal
        self._separator = dialect.separator
        self._padded: str | None = None
        self._has_cells = False
        self._has_fractions = False
        may_be_thousands = dialect.separator != "," and dialect.decimal == "."
        self._thousands = Thousands() if may_be_thousands else None
        self.is_late = False

    def add(self, cells: Sequence[str]) -> FloatArray:
        """Return the numbers or codes of a block."""
        try:
            values = super().add(cells)
        except NotANumberError:
            if self.feature.categorical is not None:
                raise
            self.coder, self.is_late = CategoryCoder(self._missing), self._has_cells
            values = self.coder.encode(cells)
        self._has_cells = True
        return values

    def _numbers(self, cells: Sequence[str]) -> FloatArray:
        numbers = parse_numbers(cells, self._decimal)
        if merges_integers(cells, numbers):
            raise merged(self.feature.name)
        if self._thousands is not None:
            self._thousands.add(cells)
        self._has_fractions = self._has_fractions or bool((np.floor(numbers) < numbers).any())
        if not self._has_fractions and self._padded is None:  # most columns have fractions
            self._padded = first_padded(cells)
        return numbers

    def finish(self) -> Column:
        """Return what the codes stand for, with a warning if the kind of the feature is unclear."""
        if self.feature.categorical is not None:
            return super().finish()
        if self.coder is None:
            return Column(warning=self._doubt())
        texts = [str(value) for value in self.coder.values]
        found = read_texts(texts, self._decimal, self._separator)
        if found.values is None and not self.feature.keeps_text:
            self._check_marks(self.coder.values)
        column = text_column(self.coder.values, self.feature, found)
        return column if column.labels is None else replace(column, gaps=self._gaps())

    def _doubt(self) -> str | None:
        """Return the warning for numbers that may mean something else."""
        if self._padded is not None and not self._has_fractions:
            return _padded(self.feature.name, self._padded)
        if self._thousands is not None and self._thousands.doubt:
            return points_in_doubt(f"feature {shown(self.feature.name)}", self._thousands.doubt)
        return None

    def _gaps(self) -> str:
        """Return which words for a category were taken as missing, and how often."""
        counts = self.coder.n_missing if self.coder else {}
        words = [f"{n:,} {shown(word)}" for word, n in counts.items() if word in MISSING_WORDS]
        return f"{' and '.join(words)} in {shown(self.feature.name)}" if words else ""

    def _check_marks(self, values: Labels) -> None:
        examples = listed(values[:3])
        if self._decimal == "," and has_points(values):
            raise self._other_mark(
                f"comma, got points ({examples}). Delete thousands separators, or name it in ",
                Setting("categorical"),
                " if these are labels.",
            )
        if self._decimal != "," and (has_decimal_commas(values) or _is_read_with_commas(values)):
            raise self._other_mark(
                f"point, got commas ({examples}). Pass ",
                Setting("decimal", ","),
                " for decimal commas; delete thousands separators.",
            )


def _is_read_with_commas(values: Labels) -> bool:
    """Whether texts such as "12,5 %" are numbers, but only with a decimal comma."""
    texts = [str(value) for value in values]
    return any("," in text for text in texts[:1000]) and read_texts(texts, ",").values is not None


def _padded(name: str, cell: str | None) -> str:
    return Sentence(
        f"feature {shown(name)} holds whole numbers with leading zeros, such as {shown(cell)}, and "
        "is read as numbers: close ones count as similar. Name it in ",
        Setting("categorical"),
        " if they are codes.",
    )


class BlockStore:
    """Builds a table from the blocks of a text file.

    Parameters
    ----------
    file : str
        Name of the file, for messages.
    layout : Layout
        Which columns are features, which is the target.
    columns : sequence of FileColumn
        What collects each feature.
    missing_target : frozenset of str
        Texts that mean "no value" in the target, in addition to None.
    """

    def __init__(
        self,
        file: str,
        layout: Layout,
        columns: Sequence[FileColumn],
        missing_target: frozenset[str] = frozenset(),
    ) -> None:
        self._file = file
        self._layout = layout
        self._columns = columns
        self._missing_target = missing_target
        self._table = GrowingTable(len(layout.features))
        self._target: list[Any] = []
        self._labels: dict[Any, Any] = {}
        self._without_target: list[int] = []
        self._markers: set[str] = set()  # in these lines
        self._lines: list[NDArray[np.int64]] = []
        self._row_labels: list[str] = []

    def add(self, block: Block) -> None:
        """Add the next rows."""
        features = zip(self._columns, self._layout.features, strict=True)
        values = np.stack([self._converted(block, *feature) for feature in features], axis=1)
        self._refuse_infinite(values, block)
        self._table.append(values)
        if self._layout.row_labels is None:
            self._lines.append(np.array(block.lines, np.int64))
        else:
            cells = block.columns[self._layout.row_labels]
            self._row_labels += ("" if cell is None else str(cell).strip() for cell in cells)
        for line, cell in zip(block.lines, block.columns[self._layout.target], strict=True):
            label = cell.strip() if isinstance(cell, str) else cell
            if label is None or label != label or label in self._missing_target:
                self._without_target.append(line)
                self._markers.add(label if label in MISSING - NO_LABEL else "")
                label = None
            # Equal labels share one object, so a long file keeps few texts; numbers are all
            # different, and to remember them takes more memory than to keep them.
            if len(self._labels) < MOST_SHARED:
                label = self._labels.setdefault(label, label)
            self._target.append(label)

    def _converted(self, block: Block, column: FileColumn, place: int) -> FloatArray:
        cells = block.columns[place]
        try:
            return column.add(cells)
        except NotANumberError as error:
            reason = not_listed(column.feature.name, cells[error.position]).args[0]
            line = block.lines[error.position]
            raise DataError(Sentence(f"{self._file}: line {line}: ", reason)) from None
        except DataError as error:
            raise DataError(Sentence(f"{self._file}: ", error.args[0])) from None

    def _refuse_infinite(self, values: FloatArray, block: Block) -> None:
        infinite = np.isinf(values)
        if infinite.any():
            row, feature = np.argwhere(infinite)[0]
            cell = block.columns[self._layout.features[feature]][row]
            raise DataError(
                f"{self._file}: line {block.lines[row]} must hold finite numbers, got "
                f"{shown(cell)} in feature {shown(self._layout.names[feature])}. "
                "Replace it, or leave the cell empty to mark it as missing."
            )

    def finish(self) -> RawTable:
        """Return the whole table."""
        self._refuse_few_rows()
        if self._without_target and not self._layout.drops_unlabeled:
            raise self._missing_labels()
        columns = [self._finished(column) for column in self._columns]
        try:
            content = decoded(self._table, columns, self._layout.names)
        except DataError as error:
            raise DataError(Sentence(f"{self._file}: ", error.args[0])) from None
        check_filled(content.values, self._layout.names, self._file)
        rows = tuple(self._row_labels) if self._row_labels else np.concatenate(self._lines)
        return RawTable(content, self._target, rows)

    def _finished(self, column: FileColumn) -> Column:
        try:
            found = column.finish()
        except DataError as error:
            raise DataError(Sentence(f"{self._file}: ", error.args[0])) from None
        if found.warning is None:
            return found
        return replace(found, warning=Sentence(f"{self._file}: ", found.warning))

    def _missing_labels(self) -> DataError:
        got = " or ".join(shown(one) if one else "no value" for one in sorted(self._markers))
        way_out = Sentence(
            "Fill in or delete these lines, or pass ", Setting("drop_missing_target", True)
        )
        if self._markers != {""}:
            are_labels = Setting("target_kind", "class")
            way_out = Sentence(way_out, ", or ", are_labels, " if it is a label")
        where = f"{got} in line {listed(self._without_target)}"
        return DataError(
            Sentence(f"{self._file}: the target must not be missing, got {where}. ", way_out, ".")
        )

    def _refuse_few_rows(self) -> None:
        if self._table.n_rows < 2:
            got = "none" if self._table.n_rows == 0 else "1"
            raise DataError(
                f"{self._file}: a table must have at least 2 samples below the header, got "
                f"{got}. Check that the file is complete."
            )


@dataclass(frozen=True)
class Dialect:
    """How the cells of a text file are written."""

    separator: str
    decimal: str
    encoding: str

    def differences(self, other: Dialect) -> dict[str, str]:
        """Return the settings that differ from those of another dialect."""
        theirs = asdict(other)
        return {name: value for name, value in asdict(self).items() if value != theirs[name]}


def seems_to_be(path: Path, asked: Dialect) -> Dialect:
    """Return the dialect of a file as far as it can be recognized, otherwise the given one."""
    try:
        with open_bytes(path) as stream:
            head = stream.read(HEAD_BYTES)
    except DataError:
        return asked
    if b"\0" in head:  # UTF-16, or not text at all
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
    except (LookupError, TypeError, ValueError):  # also for an unknown encoding
        return False
    return True


def _separator(lines: Sequence[str], asked: str) -> str:
    """Return the mark that splits all lines into equally many cells, preferably the given one."""
    counts = {mark: _n_cells(lines, mark) for mark in (asked, *SEPARATORS)}
    if counts[asked] > 1:
        return asked
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] > 1 else asked


def _n_cells(lines: Sequence[str], mark: str) -> int:
    """Return the number of cells of every line, or 0 if it differs."""
    sizes = {len(row) for row in _split(lines, mark)}
    return sizes.pop() if len(sizes) == 1 else 0


def _split(lines: Sequence[str], mark: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return []


def _has_decimal_commas(column: Sequence[str]) -> bool:
    return any("," in cell for cell in column) and all_numbers(column, ",")
