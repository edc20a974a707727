"""CSV and TSV files -> columns of cells, block by block, never holding a whole file.

Arrow splits the lines of a block and converts plain numbers. From the first block on in which it
finds a fault, or in which its rules for quotes and line ends differ from those of Python's csv
module, the file is read by that module, which knows the line of a fault.
"""

import codecs
import csv
import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import Setting, count, listed, shown
from fuzzyfrog.data.cells import MISSING, all_numbers, looks_like_number, read_texts
from fuzzyfrog.data.columns import MAX_EXACT_INTEGER
from fuzzyfrog.data.formats import (
    MAX_LINE_BYTES,
    Layout,
    Rows,
    Source,
    check_header,
    check_unchanged,
    decoded_lines,
    found_header,
    in_blocks,
    note_on_titles,
    open_bytes,
    raw_lines,
    stamp,
    text_lines,
)
from fuzzyfrog.data.gathering import Cells
from fuzzyfrog.data.texts import Dialect, TextColumn, as_text
from fuzzyfrog.errors import DataError

FIRST_BYTES = 2**18  # of the first block, which shows what columns hold numbers
BLOCK_BYTES, MOST_BLOCK_BYTES = 2**21, 2**25
FIRST_BLOCKS = 2  # that show what columns hold numbers, split one by one
MOST_THREADS = 4  # that split blocks
LEAST_ROWS = 128  # of a block, if lines are long: every column costs some calls
MOST_CHARACTERS = 2**17  # of a cell
HEAD_BYTES = 2**16
SEPARATORS = (",", ";", "\t", "|")
WESTERN = "cp1252"  # the encoding of spreadsheets on Windows if it is not UTF-8

# Rows that are no samples: units below the header, and totals at the end.
TOTALS = (
    "total", "totals", "grand total", "sum", "summe", "gesamt", "gesamtsumme", "somme", "suma",
    "totale",
)  # fmt: skip
FEWEST_UNITS = 2  # in a row, or they are typing errors

# What Python's reader says, and what that means.
UNSPLIT = {
    "end of data": "a quote is never closed",
    "expected after": "text follows a closing quote",
    "new-line": "a carriage return is in the middle of it",
    "field limit": "one has more than 131,072 characters",
    "": "it is not valid CSV",
}
_QUOTE, _LINE_END, _RETURN = b'"\n\r'


class TextTable(Source):
    """The rows of a file in which all cells are text."""

    dialect = Dialect()

    def collectors(self, layout: Layout, text: set[int]) -> list[TextColumn]:
        """Return what takes each feature; those in `text` are known not to be numbers."""
        return [TextColumn(one, self.dialect, k in text) for k, one in enumerate(layout.asked)]

    def blocks(self, columns: Mapping[int, TextColumn]) -> Iterator[Cells]:
        """Yield all columns of each block of rows; `columns` are the collectors of some."""
        raise NotImplementedError

    def samples(self, columns: Mapping[int, TextColumn]) -> Iterator[Cells]:
        """Yield the blocks without a first row of units and a last row of totals."""
        held: Cells | None = None  # a block that may be the last
        for block in self.blocks(columns):
            if not len(block.lines):  # empty lines alone
                continue
            if held is not None:
                yield held
            elif note := _note_on_units(block.columns):
                block = self._without(block, 0, note)
            held = block
        if held is not None and len(held.lines) and (note := self._note_on_totals(held.columns)):
            held = self._without(held, -1, note)
        if held is not None and len(held.lines):
            yield held

    def _note_on_totals(self, columns: Sequence[Any]) -> str:
        """Return why the last row is no sample, or nothing.

        The first text in it is a word for totals, which its column has nowhere else, next to a
        number. `columns` are those of the last block; the others are read again for it.
        """
        import pyarrow.compute as pc

        last = [_text(column[-1]) for column in columns]
        are_numbers = [*map(looks_like_number, last)]
        words = (k for k, cell in enumerate(last) if cell not in MISSING and not are_numbers[k])
        place = next(words, 0)
        cell = last[place]
        if cell.rstrip(" :").lower() not in TOTALS or not any(are_numbers):
            return ""
        texts = (pc.utf8_trim_whitespace(as_text(one.columns[place])) for one in self.blocks({}))
        if sum(pc.sum(pc.equal(one, cell), min_count=0).as_py() for one in texts) > 1:
            return ""
        return f"holds totals ({shown(cell)}) and is left out. Rename {shown(cell)} to keep it."

    def _without(self, block: Cells, row: int, note: str) -> Cells:
        """Return a block without its first or its last row, and note why."""
        note = f"{self.path.name}: {self.row_word} {block.lines[row]} {note}"
        if note not in self.notes:  # a file may be read twice
            self.notes = (*self.notes, note)
        rest = slice(1, None) if row == 0 else slice(row)
        return Cells([column[rest] for column in block.columns], block.lines[rest])

    def parts(self, layout: Layout, columns: Sequence[TextColumn]) -> Iterator[Rows]:
        """Yield the features, the target and the names of each block of rows."""
        for block in self.samples(dict(zip(layout.features, columns, strict=True))):
            yield self.rows(block, layout, as_text(block.columns[layout.target]))

    def cells(self) -> Iterator[list[str]]:
        """Yield the names of the columns, then the cells of each sample as spelled."""
        yield self.names
        for block in self.samples({}):
            columns = [as_text(column).to_pylist() for column in block.columns]
            yield from map(list, zip(*columns, strict=True))


class DelimitedTable(TextTable):
    """A text file with one sample per line."""

    def __init__(self, path: Path, dialect: Dialect) -> None:
        self.path, self.dialect = path, dialect
        self._stamp = stamp(path)
        lines = text_lines(path, dialect.encoding)
        with closing(lines), closing(_records(path, dialect, lines)) as records:  # type: ignore[type-var]
            # The lines up to the header, its cells, and what is above it.
            self._n_head, self.names, titles = found_header(records)
        if not self.names:
            raise DataError(
                f"{path.name}: the file must hold a header and samples, got an empty file. "
                "Check that it was written completely."
            )
        self.notes = note_on_titles(f"{path.name}: line {self._n_head}", titles)
        check_header(self.names, path.name, dialect.separator)
        with open_bytes(path) as stream:
            has_line_end = b"\n" in stream.readline(MAX_LINE_BYTES)
        self._suits_arrow = has_line_end and dialect.separator.isascii()

    def blocks(self, columns: Mapping[int, TextColumn]) -> Iterator[Cells]:
        """Yield all columns of each block of rows, as numbers if their collector takes these."""
        check_unchanged(self.path, self._stamp)
        if self._suits_arrow:
            with open_bytes(self.path) as stream:
                yield from self._by_arrow(stream, columns)
        else:
            with closing(text_lines(self.path, self.dialect.encoding)) as lines:  # type: ignore[type-var]
                yield from self._by_python(lines, is_header=True)
        check_unchanged(self.path, self._stamp)

    def _by_arrow(self, stream: BinaryIO, columns: Mapping[int, TextColumn]) -> Iterator[Cells]:
        """Yield the blocks in their order, while threads split those that follow."""
        import pyarrow as pa

        n_threads = min(MOST_THREADS, pa.cpu_count())
        blocks = _whole_records(stream, self._n_head)
        ahead: deque[tuple[int, Future[Cells | None]]] = deque()
        fault: DataError | None = None  # in what is read ahead, so it comes last
        with ThreadPoolExecutor(n_threads) as pool:
            for n_done in itertools.count():
                # The first blocks show what columns hold numbers.
                n_wanted = 1 if n_done < FIRST_BLOCKS else n_threads + 1
                try:
                    for line, block in islice(blocks, n_wanted - len(ahead)):
                        numbers = {place for place, one in columns.items() if one.takes_numbers}
                        ahead.append((line, pool.submit(self._cells, block, line, numbers)))
                except DataError as error:
                    fault = error
                if not ahead:
                    break
                line, found = ahead.popleft()
                cells = found.result()
                if cells is None:
                    yield from self._from_line(line)
                    return
                yield cells
        if fault is not None:
            raise fault

    def _from_line(self, first: int) -> Iterator[Cells]:
        """Yield the blocks from a line of the file on, which Python reads."""
        with open_bytes(self.path) as stream:
            raw = islice(raw_lines(stream), first - 1, None)
            lines = decoded_lines(self.path, raw, self.dialect.encoding, first)
            yield from self._by_python(lines, first=first)

    def _cells(self, block: bytes, line: int, numbers: set[int]) -> Cells | None:
        """Return the cells of a block of whole records, or None if Python must look at it."""
        if len(block) > MAX_LINE_BYTES:
            return None
        if codecs.lookup(self.dialect.encoding).name != "utf-8":
            try:
                block = block.decode(self.dialect.encoding).encode()
            except UnicodeError:
                return None
        data = np.frombuffer(block, np.uint8)
        quotes = np.flatnonzero(data == _QUOTE) if b'"' in block else np.empty(0, np.intp)
        is_odd = b"\0" in block or (b"\r" in block and block.count(b"\r") != block.count(b"\r\n"))
        if is_odd or not _are_neat(data, quotes, ord(self.dialect.separator)):
            return None
        cells = self._split(block, numbers, bool(quotes.size))
        if cells is None:
            return None
        n_lines = _n_lines(block) + (not block.endswith(b"\n"))
        lines = np.arange(line, line + n_lines)
        if quotes.size or len(cells[0]) != n_lines:
            lines = lines[_ends_record(data, quotes)]
        return Cells(cells, lines) if len(lines) == len(cells[0]) else None

    def _split(self, block: bytes, numbers: set[int], is_quoted: bool) -> list[Any] | None:
        """Return the columns of a block, those in `numbers` as float64 if all of these can be."""
        import pyarrow as pa
        import pyarrow.compute as pc
        from pyarrow import csv as arrow

        names = [str(place) for place in range(len(self.names))]
        kinds = {one: pa.float64() if k in numbers else pa.string() for k, one in enumerate(names)}
        size = max(2**16, len(block) // 4)
        reading = arrow.ReadOptions(use_threads=False, column_names=names, block_size=size)
        parsing = arrow.ParseOptions(delimiter=self.dialect.separator, newlines_in_values=is_quoted)
        converting = arrow.ConvertOptions(
            column_types=kinds, null_values=sorted(MISSING), decimal_point=self.dialect.decimal
        )
        try:
            table = arrow.read_csv(pa.py_buffer(block), reading, parsing, converting)
        except pa.ArrowInvalid:
            return self._split(block, set(), is_quoted) if numbers else None
        cells = []
        for place, column in enumerate(table.columns):
            if place in numbers:
                found = column.to_numpy()
                if not _is_plain(found, column.null_count):
                    return self._split(block, set(), is_quoted)
            else:
                found = column.combine_chunks()
                if (pc.max(pc.binary_length(found)).as_py() or 0) > MOST_CHARACTERS:
                    return None
            cells.append(found)
        return cells

    def _by_python(
        self, lines: Iterator[str], first: int = 1, is_header: bool = False
    ) -> Iterator[Cells]:
        records = _records(self.path, self.dialect, lines, first)
        if is_header:
            records = (one for one in records if one[0] > self._n_head)
        return in_blocks(self._checked(records), len(self.names))

    def _checked(self, records: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
        for line, record in records:
            if len(record) != len(self.names):
                raise DataError(
                    f"{self.path.name}: line {line} has {count(len(record), 'field')}, expected "
                    f"{len(self.names)}. Complete or delete the line; quote fields that hold a "
                    f"{self.dialect.separator!r}."
                )
            yield line, record


def _records(
    path: Path, dialect: Dialect, lines: Iterator[str], first: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the last line of each record, and its fields; skip empty lines."""
    reader = csv.reader(lines, delimiter=dialect.separator, strict=True)
    try:
        for record in reader:
            if record:
                yield first - 1 + reader.line_num, record
    except csv.Error as error:
        reason = next(ours for theirs, ours in UNSPLIT.items() if theirs in str(error))
        line = first - 1 + reader.line_num
        raise DataError(
            f"{path.name}: line {line} cannot be split into fields, as {reason}. ",
            *_way_out(path, dialect),
        ) from None


def _way_out(path: Path, asked: Dialect) -> tuple[str | Setting, ...]:
    """Return how to read a file whose lines cannot be split."""
    mark = seems_to_be(path, asked).separator
    if mark == asked.separator:
        return ("Check its quotes and line ends.",)
    return (f"It seems to be separated by {shown(mark)}: pass ", Setting("separator", mark), ".")


def _whole_records(stream: BinaryIO, n_head: int) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole records below the header, and the line that each begins in."""
    n_header = sum(len(stream.readline()) for _ in range(n_head))
    least = min(MOST_BLOCK_BYTES, LEAST_ROWS * n_header)
    line, rest, n_bytes = n_head + 1, b"", max(FIRST_BYTES, least)
    while pending := rest + (new := stream.read(n_bytes)):
        is_last = len(new) < n_bytes
        end = len(pending) if is_last else _last_end(pending)
        if not end and len(pending) > MAX_LINE_BYTES:
            end = len(pending)  # is too long to be a record
        if end:
            yield line, pending[:end]
        if is_last:
            return
        line += _n_lines(pending[:end])
        rest = pending[end:]
        n_bytes = max(BLOCK_BYTES, least, len(rest))


def _n_lines(block: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == _LINE_END))


def _last_end(pending: bytes) -> int:
    """Return where the last whole record ends, if quotes are only around cells."""
    if b'"' not in pending:
        return pending.rfind(b"\n") + 1
    data = np.frombuffer(pending, np.uint8)
    ends = np.flatnonzero(data == _LINE_END)
    is_outside = np.searchsorted(np.flatnonzero(data == _QUOTE), ends) % 2 == 0
    return int(ends[is_outside][-1]) + 1 if is_outside.any() else 0


def _are_neat(data: NDArray[np.uint8], quotes: NDArray[np.intp], separator: int) -> bool:
    """Whether every quote is at the beginning or the end of a cell, or doubled inside of one."""
    if not quotes.size:
        return True
    if quotes.size % 2:
        return False
    around = np.concatenate(([_LINE_END], data, [_LINE_END]))
    before, after = around[quotes[::2]], around[quotes[1::2] + 2]
    return bool(
        np.isin(before, (separator, _LINE_END, _QUOTE)).all()
        and np.isin(after, (separator, _LINE_END, _RETURN, _QUOTE)).all()
    )


def _ends_record(data: NDArray[np.uint8], quotes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return for each line whether a record ends in it: not in quotes, not in an empty line."""
    ends = np.flatnonzero(data == _LINE_END)
    if data[-1] != _LINE_END:
        ends = np.append(ends, len(data))
    starts = np.append(0, ends[:-1] + 1)
    is_empty = (ends == starts) | ((ends == starts + 1) & (data[starts] == _RETURN))
    return np.asarray((np.searchsorted(quotes, ends) % 2 == 0) & ~is_empty)


def _is_plain(numbers: NDArray[np.float64], n_missing: int) -> bool:
    """Whether numbers are such that nothing more about their spelling matters."""
    largest = np.fmax.reduce(np.abs(numbers), initial=0.0)
    return bool(np.count_nonzero(np.isnan(numbers)) == n_missing and largest < MAX_EXACT_INTEGER)


@contextmanager
def settings_together(path: Path, asked: Dialect) -> Iterator[None]:
    """Name all settings that seem to be wrong in an error, if there is more than one."""
    try:
        yield
    except DataError as error:
        others = seems_to_be(path, asked).differences(asked)
        if len(others) < 2:
            raise
        settings = [part for one in others.items() for part in (" ", Setting(*one))]
        raise DataError(*error.args, " Pass all of these:", *settings) from None


def recognized(path: Path, asked: Dialect) -> Dialect:
    """Return the dialect with the separator that a header has instead of the expected one."""
    with open_bytes(path) as stream:
        header = stream.readline(HEAD_BYTES)
    if asked.separator.encode() in header:
        return asked
    return replace(asked, separator=seems_to_be(path, asked).separator)


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
    encoding = asked.encoding
    try:
        head.decode(encoding)
    except (LookupError, TypeError, ValueError):  # also for an unknown encoding
        encoding = WESTERN
    lines = head.decode(encoding, errors="replace").splitlines()
    separator = _separator(lines, asked.separator)
    rows = _split(lines, separator)
    columns = list(zip(*rows[_header_place(rows) + 1 :], strict=False))
    if columns and _note_on_units(columns):
        columns = [column[1:] for column in columns]
    commas = separator != "," and any(
        any("," in cell for cell in column) and all_numbers(column, ",") for column in columns
    )
    return Dialect(separator, "," if commas else asked.decimal, encoding)


def _separator(lines: Sequence[str], asked: str) -> str:
    """Return the mark that splits all lines into equally many cells, preferably the given one.

    If none does, there may be titles above the header, which count less than a header with marks.
    """
    split = {mark: _split(lines, mark) for mark in (asked, *SEPARATORS)}
    headed = {mark: rows[_header_place(rows) :] for mark, rows in split.items()}
    for found in (split, headed):
        sizes = {mark: {len(row) for row in rows} for mark, rows in found.items()}
        counts = {mark: max(some) if len(some) == 1 else 0 for mark, some in sizes.items()}
        best = max(counts, key=lambda mark: counts[mark])
        if counts[best] > 1:
            return asked if counts[asked] > 1 else best
    return asked


def _header_place(rows: list[list[str]]) -> int:
    return found_header(iter(enumerate(rows)))[0]


def _split(lines: Sequence[str], mark: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return []


def _note_on_units(columns: Sequence[Any]) -> str:
    """Return why the first row is no sample, or nothing.

    It has texts without digits in two columns or more, and nothing in the others. All other cells
    of these columns are numbers, but for some typing errors.
    """
    first = [_text(column[0]) for column in columns]
    units = {place: cell for place, cell in enumerate(first) if cell not in MISSING}
    has_digits = any(letter.isdecimal() for cell in units.values() for letter in cell)
    if len(units) < FEWEST_UNITS or has_digits:
        return ""
    if not all(_are_numbers(columns[place]) for place in units):
        return ""
    return f"looks like units ({listed(dict.fromkeys(units.values()))}) and is left out."


def _text(cell: Any) -> str:
    """Return a cell, which may be a number or a text of Arrow, without blanks around it."""
    return str(cell).strip()


def _are_numbers(column: Sequence[Any]) -> bool:
    """Whether the cells below the first are numbers with either decimal mark, but for a few."""
    texts = list(dict.fromkeys(map(_text, column[1:])))
    found = [read_texts(texts, mark) for mark in ".,"]
    return any(one.values is not None or one.strays or one.doubt for one in found)
