"""The readers, one module for each file format, and what they share.

Files are opened as bytes or lines of text, with limits that protect against files that are not
what they seem; a `Layout` says which columns are features and which is the target.
"""

import codecs
import gzip
import io
import shutil
import stat
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from fuzzyfrog.common.messages import Setting, listed, shown, suggested
from fuzzyfrog.common.resources import spill_folder
from fuzzyfrog.data.cells import MISSING, all_numbers
from fuzzyfrog.data.columns import Feature
from fuzzyfrog.data.dataset import chosen_categorical
from fuzzyfrog.data.gathering import Cells
from fuzzyfrog.errors import DataError, ParameterError

MAX_LINE_BYTES = 64 * 2**20
MAX_UNZIPPED_BYTES = 8 * 2**30
# A table of zeros packs 1:1000 like a bomb does, so the ratio counts only above a size.
MAX_UNZIPPED_RATIO = 200
RATIO_COUNTS_FROM_BYTES = 64 * 2**20

NAMELESS = ("", "Unnamed: 0")  # as pandas writes, and as it calls such a column when it reads it
MOST_TITLES = 20  # filled rows below the first in which a header is looked for
BLOCK_CELLS = 2**18  # of rows that Python splits: about 20 MB of text

FileStamp = tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """Positions of the features and of the target in a row.

    `categorical` says whether each feature was named as categorical; None if the file decides.
    `row_labels` is the column that names the samples, None if there is none.
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    target: int
    categorical: tuple[bool | None, ...]
    row_labels: int | None = None

    @property
    def asked(self) -> list[Feature]:
        """What is asked of each feature."""
        return [Feature(*one) for one in zip(self.names, self.categorical, strict=True)]


@dataclass(frozen=True)
class Rows:
    """Some rows of a file: the features, the target, and what names them (None: nothing does).

    Without a target, the features are only some columns, and those of the next ones belong to them.
    """

    features: Any
    target: Any
    names: Any = None


class Source:
    """A file of one format.

    `names` are its columns, `gaps` the texts that mean "no value" in a target of text, `notes`
    what the user should know about the file, `n_rows` how many rows to make room for, and
    `row_word` what its numbered rows are called.
    """

    path: Path
    names: list[str]
    gaps: frozenset[str] = MISSING
    notes: tuple[str, ...] = ()
    n_rows: int = 0
    row_word: Literal["line", "row"] = "line"

    def collectors(self, layout: Layout, text: set[int]) -> Sequence[Any]:
        """Return what takes each feature, nothing if the columns of the file have types.

        Of untyped ones, those in `text` are known not to be numbers.
        """
        return ()

    def parts(self, layout: Layout, columns: Sequence[Any]) -> Iterator[Rows]:
        """Yield all rows in blocks."""
        raise NotImplementedError

    def cells(self) -> Iterator[list[Any]]:
        """Yield the names of the columns, then the cells of each sample as spelled."""
        raise NotImplementedError

    def rows(self, block: Cells, layout: Layout, target: Any) -> Rows:
        """Return the rows of a block of all columns of a text file."""
        features = Cells([block.columns[place] for place in layout.features], block.lines)
        if layout.row_labels is None:
            return Rows(features, target, block.lines)
        labels = block.columns[layout.row_labels]
        labels = labels.to_pylist() if hasattr(labels, "to_pylist") else labels
        return Rows(features, target, ["" if one is None else str(one).strip() for one in labels])


def in_blocks(rows: Iterator[tuple[int, Sequence[Any]]], n_columns: int) -> Iterator[Cells]:
    """Yield numbered rows in blocks of columns."""
    n_rows = max(1, BLOCK_CELLS // n_columns)
    while chunk := list(islice(rows, n_rows)):
        lines, records = zip(*chunk, strict=True)
        yield Cells(list(zip(*records, strict=True)), np.array(lines, np.int64))


@dataclass(frozen=True)
class Wanted:
    """The user's choices for a file: its target, ignored columns, categorical features.

    The features in `categorical` are added to those in `categorical_features`. `max_missing` is the
    highest number of gaps in a row, `least` the lowest number of rows.
    """

    target: str | None
    ignore: tuple[str, ...]
    categorical_features: object
    categorical: tuple[str, ...] = ()
    row_labels: str | None = None
    target_kind: str = "auto"
    max_missing: int | None = None
    least: int = 2

    def layout(self, header: Sequence[str], file: str) -> Layout:
        """Return the layout of a file with this header."""
        if self.target is None:
            raise DataError(
                f"{file}: ",
                Setting("target"),
                f" is missing: name the column to predict, one of {listed(header)}.",
            )
        target = _position(self.target, header, file, "target")
        left_out = {_position(name, header, file, "ignore") for name in self.ignore}
        labels = self._row_labels(header, file)
        if target in left_out or target == labels:
            raise DataError(
                f"{file}: ",
                Setting("ignore" if target in left_out else "row_labels"),
                f" must not name the target, got {shown(self.target)}. Name another column.",
            )
        left_out.add(-1 if labels is None else labels)
        features = tuple(p for p in range(len(header)) if p != target and p not in left_out)
        if not features:
            raise DataError(
                f"{file}: a table must have a feature besides the target, got the columns "
                f"{listed(header)}. Pass a file with at least one more column."
            )
        names = tuple(header[position] for position in features)
        return Layout(features, names, target, self._kinds(names, file), labels)

    def _row_labels(self, header: Sequence[str], file: str) -> int | None:
        """Return the column that names the samples: the given one, or a nameless first one."""
        if self.row_labels is not None:
            return _position(self.row_labels, header, file, "row_labels")
        return 0 if header[0] in NAMELESS and header[0] != self.target else None

    def _kinds(self, names: tuple[str, ...], file: str) -> tuple[bool | None, ...]:
        chosen = chosen_categorical(self.categorical_features, names)
        kinds: list[bool | None] = [None] * len(names) if chosen is None else chosen.tolist()
        for name in self.categorical:
            kinds[_position(name, names, file, "categorical")] = True
        return tuple(kinds)


def _position(name: str, header: Sequence[str], file: str, argument: str) -> int:
    if name not in header:
        kind = "feature" if argument == "categorical" else "column"
        raise DataError(
            f"{file}: ",
            Setting(argument),
            f" must be the name of a {kind}, got {shown(name)}. {suggested(name, header)}",
        )
    return header.index(name)


def found_header(rows: Iterator[tuple[int, list[str]]]) -> tuple[int, list[str], list[str]]:
    """Return the number and the names of the header, and the titles above it.

    A first row with a single filled cell is a title. The header below it is the first of the rows
    with the most filled cells, provided that these are distinct names without a gap.
    """
    first, names = next(rows, (0, []))
    names = [name.strip() for name in names]
    if sum(map(bool, names)) != 1:
        return first, names, []
    head = [(first, names)]
    for number, cells in islice(rows, MOST_TITLES):
        head.append((number, [cell.strip() for cell in cells]))
    place = max(range(len(head)), key=lambda one: sum(map(bool, head[one][1])))
    number, found = head[place]
    are_names = len(set(found)) == len(found) and all(found[1:])
    if not place or not are_names or any(name and all_numbers([name]) for name in found):
        return first, names, []
    return number, found, [cell for _, cells in head[:place] for cell in cells if cell]


def note_on_titles(where: str, titles: Sequence[str]) -> tuple[str, ...]:
    """Return a note on the titles above a header, if there are any."""
    return (f"{where} names the columns, below {listed(titles)}.",) if titles else ()


def check_header(header: Sequence[str], file: str, separator: str | None) -> None:
    """Refuse a header with numbers, repeated or empty names, or a single column."""
    if len(header) == 1:
        raise _single_column(header[0], file, separator)
    if not any(name in MISSING for name in header) and all_numbers(header):
        raise DataError(
            f"{file}: line 1 must hold the names of the columns, got only numbers "
            f"({listed(header[:3])}). Add a header line."
        )
    # R and pandas write the labels of rows as a first column without a name.
    unnamed = [position + 1 for position, name in enumerate(header) if not name]
    if unnamed and (unnamed != [1] or len(header) == 2):
        raise DataError(
            f"{file}: every column must have a name in line 1, got none for column "
            f"{listed(unnamed)}. Name it, or drop it if it only counts the rows "
            "(in pandas: to_csv(index=False))."
        )
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        raise DataError(
            f"{file}: column names must be distinct, got more than once: {listed(repeated)}. "
            "Rename or drop the repeated columns."
        )


def _single_column(cell: str, file: str, separator: str | None) -> DataError:
    marks = () if separator is None else (",", ";", "\t", "|")
    found = [mark for mark in marks if mark in cell and mark != separator]
    problem = f"{file}: line 1 must name at least 2 columns, got 1. "
    if not found:
        return DataError(
            f"{problem}A table needs a feature and a target. Delete what is above their names."
        )
    hint = f"It seems to be separated by {shown(found[0])}: pass "
    return DataError(problem, hint, Setting("separator", found[0]), ".")


def stamp(path: Path) -> FileStamp:
    """Return size and time of a regular file, to notice a change later."""
    if "\0" in str(path):
        raise DataError(
            f"path must be one that a disk can have, got {shown(str(path))}, with a NUL."
        )
    try:
        status = path.stat()
    except OSError as error:
        raise _not_found(path, error) from None
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or device"
        raise DataError(
            f"{path.name}: a table must be a regular file, got {kind}. "
            "Pass the path of a file; save piped data to a file first."
        )
    return status.st_size, status.st_mtime_ns


def check_unchanged(path: Path, before: FileStamp) -> None:
    """Raise if a file has changed."""
    if stamp(path) != before:
        raise changed(path)


def changed(path: Path) -> DataError:
    """Return the error for a file that changed after reading began."""
    return DataError(f"{path.name}: the file changed while it was read. Read it again.")


def _not_found(path: Path, error: OSError) -> DataError:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        return DataError(f"{path.name}: cannot be read ({error.strerror}). Check the permissions.")
    folder = path.parent
    if not folder.is_dir():
        return DataError(
            f"{path.name}: no such file, because there is no folder {shown(str(folder))}."
        )
    others = []
    with suppress(OSError):  # a folder can be readable but not listable
        others = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    if not others:
        return DataError(
            f"{path.name}: no such file, and the folder {shown(str(folder))} has none."
        )
    return DataError(f"{path.name}: no such file. {suggested(path.name, others)}")


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file for reading, unpacking it where its name ends in ".gz"."""
    stamp(path)
    try:
        packed = path.open("rb")
    except OSError as error:
        raise _not_found(path, error) from None
    with packed:
        if path.suffix.lower() != ".gz":
            yield packed
        else:
            with gzip.GzipFile(fileobj=packed) as unzipped:
                yield io.BufferedReader(_Unzipped(path, packed, unzipped), 2**20)


@contextmanager
def open_seekable(path: Path) -> Iterator[BinaryIO]:
    """Open a file that is not read from its beginning to its end; a packed one is unpacked."""
    with open_bytes(path) as stream:
        if path.suffix.lower() != ".gz":
            yield stream
        else:
            with tempfile.TemporaryFile(dir=spill_folder()) as unpacked:
                shutil.copyfileobj(stream, unpacked)
                unpacked.seek(0)
                yield unpacked


def something_else(path: Path, expected: str, error: Exception) -> DataError:
    """Return the error for a file that is not of the format that its name says."""
    reason = "".join(c for c in " ".join(str(error).split())[:200] if c.isprintable())
    return DataError(
        f"{path.name}: the file must be {expected}, got something else ({reason}). Save it again, "
        "or rename it to its real format."
    )


class _Unzipped(io.RawIOBase):
    """The unpacked bytes of a gzip file, up to a sane size."""

    def __init__(self, path: Path, packed: BinaryIO, unzipped: gzip.GzipFile) -> None:
        self._path, self._packed, self._unzipped = path, packed, unzipped
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            chunk = self._unzipped.read(len(buffer))
        except EOFError:
            raise self._error("ends in the middle, it was cut off") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise self._error(f"is not a valid gzip file ({error})") from None
        self._size += len(chunk)
        if problem := unzipped_size_problem(self._size, self._packed.tell()):
            raise self._error(problem)
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _error(self, problem: str) -> DataError:
        return DataError(
            f"{self._path.name}: the file {problem}. Get it again, or unpack it yourself if "
            "you trust it and pass the unpacked file."
        )


def unzipped_size_problem(size: int, packed_size: int) -> str:
    """Return what is wrong if something unpacks to an insane size, otherwise nothing."""
    if size > MAX_UNZIPPED_BYTES:
        return f"unpacks to more than {MAX_UNZIPPED_BYTES / 2**30:.3g} GiB"
    if size > RATIO_COUNTS_FROM_BYTES and size > MAX_UNZIPPED_RATIO * packed_size:
        return f"unpacks to more than {MAX_UNZIPPED_RATIO} times its size"
    return ""


def text_lines(path: Path, encoding: str) -> Iterator[str]:
    """Yield the lines of a text file with their line ends, without a byte order mark."""
    _check_encoding(encoding)
    with open_bytes(path) as stream:
        yield from decoded_lines(path, raw_lines(stream), encoding)


def decoded_lines(path: Path, raw: Iterable[bytes], encoding: str, first: int = 1) -> Iterator[str]:
    """Yield lines as text; the number of the first is needed for messages."""
    for number, line in enumerate(raw, first):
        if number == 1:
            if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise DataError(
                    f"{path.name}: the file must be UTF-8, got UTF-16. Save it as UTF-8 "
                    "(in a spreadsheet: CSV UTF-8)."
                )
            line = line.removeprefix(codecs.BOM_UTF8)
        yield _decoded(path, line, number, encoding)


def raw_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file; one that is too long is cut."""
    first = stream.readline(MAX_LINE_BYTES + 1)
    if b"\r" in first and b"\n" not in first and len(first) <= MAX_LINE_BYTES:
        yield from first.splitlines(keepends=True)  # the line ends of old Macs
    elif first:
        yield first
        yield from iter(lambda: stream.readline(MAX_LINE_BYTES + 1), b"")


def _check_encoding(encoding: str) -> None:
    try:
        by_byte = "a,\n".encode(encoding).removeprefix(codecs.BOM_UTF8) == b"a,\n"
    except (LookupError, TypeError, ValueError):  # unknown, not text, or one that cannot encode
        by_byte = False
    if not by_byte:
        raise ParameterError(
            "encoding",
            "be a known one that contains ASCII, such as 'utf-8' or 'latin-1'",
            shown(encoding),
            "Convert the file to UTF-8.",
        )


def _decoded(path: Path, raw: bytes, number: int, encoding: str) -> str:
    if len(raw) > MAX_LINE_BYTES:
        raise DataError(
            f"{path.name}: line {number} is longer than {MAX_LINE_BYTES // 2**20} MiB. "
            "Check that the file is a table with one sample per line."
        )
    if b"\0" in raw:
        raise DataError(
            f"{path.name}: line {number} holds a NUL byte, so the file is not UTF-8 text. "
            "Save it as UTF-8; UTF-16 and binary files cannot be read."
        )
    try:
        text = raw.decode(encoding)
        text.encode()  # some encodings have codes for half a character
        return text
    except UnicodeError as error:
        place = error.start if isinstance(error, UnicodeDecodeError) else 0
        raise DataError(
            f"{path.name}: line {number} is not {encoding} (byte 0x{raw[place]:02x} at "
            f"position {place + 1}). Save the file as UTF-8, or pass ",
            Setting("encoding", "cp1252"),
            " if it comes from a Western Windows program.",
        ) from None
