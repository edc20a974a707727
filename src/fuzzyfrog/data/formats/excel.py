"""Excel workbooks -> text, as in a CSV file of the first sheet that is not hidden.

A workbook is a zip archive of XML files, in which a few bytes can stand for billions of cells. It
is therefore streamed here, with limits; memory holds the texts that cells share and one piece of
the sheet.
"""

import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from xml.parsers import expat

from fuzzyfrog.common.messages import count, listed, shown
from fuzzyfrog.data.formats import (
    check_unchanged,
    found_header,
    in_blocks,
    note_on_titles,
    open_seekable,
    something_else,
    stamp,
    unzipped_size_problem,
)
from fuzzyfrog.data.formats.csv import TextTable
from fuzzyfrog.data.formats.excel_sheet import ACROSS, DAY_ZERO, SharedTexts, Sheet, local
from fuzzyfrog.data.gathering import Cells
from fuzzyfrog.data.texts import Dialect, TextColumn
from fuzzyfrog.errors import DataError

MOST_TEXT_BYTES = 128 * 2**20  # of the texts that cells share, which stay in memory
MOST_PART_BYTES = 16 * 2**20  # of the other parts, except for the sheet
MOST_TAG_BYTES = 2**20
PIECE_BYTES = 2**16
# A CSV file has a byte for each cell, also for an empty one; a larger sheet than this must, too.
SMALL_SHEET = 2**24

# What the modules for zip archives and XML raise for damaged ones.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, expat.ExpatError, EOFError, OSError),
    *(ArithmeticError, LookupError, RuntimeError, ValueError),
)

_DATE_IDS = {*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)}  # formats without a code
_NO_DATE_LETTERS = re.compile(r'"[^"]*"|[\\_*].|\[[^\]]*\]')
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]")


@contextmanager
def opened_workbook(
    path: Path, dialect: Dialect, ignored: Sequence[str] = ()
) -> "Iterator[Workbook]":
    """Open the table in a workbook; columns in `ignored` may have cells without a value."""
    before = stamp(path)
    with open_seekable(path) as stream:
        with _damage_named(path):
            archive = zipfile.ZipFile(stream)
        with archive:
            yield Workbook(path, archive, dialect, ignored)
    check_unchanged(path, before)


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    try:
        yield
    except DataError:
        raise
    except DAMAGED as error:
        raise something_else(path, "an Excel workbook with a sheet", error) from None


class Workbook(TextTable):
    """An open workbook: the first sheet that is not hidden, its first filled row the header.

    Titles may be above the header.
    """

    row_word = "row"

    def __init__(
        self, path: Path, archive: zipfile.ZipFile, dialect: Dialect, ignored: Sequence[str]
    ) -> None:
        self.path, self.dialect = path, dialect
        self._archive = archive
        self._ignored = ignored
        # Some programs write other cases and slashes than they refer to.
        self._parts = {_plain_name(one.filename): one for one in archive.infolist()}
        self._texts: list[str] = []
        self._dates: list[bool] = []
        self._is_1904 = False
        self._sheet = ""
        self._n_bytes = 0  # of the sheet, so far
        with _damage_named(path):
            self._open()
        self._header_row = 0  # not known yet
        with closing(self._rows_of(self._new_sheet())) as rows:
            self._header_row, self.names, titles = found_header(rows)
        if not self.names:
            raise DataError(
                f"{path.name}: the first sheet must hold a header and samples, got an empty one. "
                "Move the sheet with the table to the front."
            )
        where = f"{path.name}: row {self._header_row}"
        self.notes = (*self.notes, *note_on_titles(where, titles))

    def _open(self) -> None:
        """Find the sheet, and read everything that its cells refer to."""
        [main, *_] = [place for _, kind, place in self._related("") if kind == "officeDocument"]
        related = list(self._related(main))
        sheets = {key: place for key, kind, place in related if kind == "worksheet"}
        found: list[tuple[str, str, bool]] = []
        for _, name, attributes in self._elements(main):
            if name == "workbookPr":
                self._is_1904 = attributes.get("date1904") in ("1", "true")
            elif name == "sheet" and (place := sheets.get(attributes.get("id", ""))):
                is_hidden = attributes.get("state", "visible") != "visible"
                found.append((attributes.get("name", ""), place, is_hidden))
        self._choose(found)
        for _, kind, place in related:
            if kind == "sharedStrings":
                for _ in self._parsed(place, SharedTexts(self._texts).parser(), MOST_TEXT_BYTES):
                    pass
            elif kind == "styles":
                self._read_styles(place)

    def _choose(self, sheets: list[tuple[str, str, bool]]) -> None:
        visible = [(name, place) for name, place, is_hidden in sheets if not is_hidden]
        if not visible:
            raise DataError(
                f"{self.path.name}: a workbook must have a sheet of cells that is not hidden, got "
                f"{count(len(sheets), 'hidden one')}. Show the sheet with the table."
            )
        name, self._sheet = visible[0]
        if sheets[0][2]:
            self.notes = (
                f"{self.path.name}: the first sheet, {shown(sheets[0][0])}, is hidden, so "
                f"{shown(name)} is read. Delete the hidden sheet, or show it if it has the table.",
            )

    def _related(self, part: str) -> Iterator[tuple[str, str, str]]:
        """Yield the key, the kind and the name of each part that a part refers to."""
        folder, file = posixpath.split(part)
        for _, name, attributes in self._elements(posixpath.join(folder, "_rels", f"{file}.rels")):
            if name == "Relationship" and attributes.get("TargetMode") != "External":
                kind = attributes.get("Type", "").rpartition("/")[2]
                place = posixpath.join("/", folder, attributes.get("Target", ""))
                yield attributes.get("Id", ""), kind, posixpath.normpath(place).lstrip("/")

    def _elements(self, part: str) -> Iterator[tuple[str, str, dict[str, str]]]:
        """Yield the parent, the name and the attributes of each element of a small part."""
        found: list[tuple[str, str, dict[str, str]]] = []
        inside = [""]

        def start(name: str, attributes: dict[str, str]) -> None:
            found.append((inside[-1], local(name), {local(k): v for k, v in attributes.items()}))
            inside.append(found[-1][1])

        parser = expat.ParserCreate()
        parser.StartElementHandler = start
        parser.EndElementHandler = lambda _: inside.pop()
        for _ in self._parsed(part, parser, MOST_PART_BYTES):
            yield from found
            found.clear()

    def _read_styles(self, part: str) -> None:
        codes: dict[str, str] = {}
        for parent, name, attributes in self._elements(part):
            key = attributes.get("numFmtId", "0")
            if name == "numFmt":
                codes[key] = attributes.get("formatCode", "")[:255]  # as many as Excel allows
            elif name == "xf" and parent == "cellXfs":
                self._dates.append(_is_date(codes[key]) if key in codes else int(key) in _DATE_IDS)

    def blocks(self, columns: Mapping[int, TextColumn]) -> Iterator[Cells]:
        """Yield all columns of each block of rows."""
        return in_blocks(self._samples(), len(self.names))

    def _samples(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the cells of each row below the header.

        Refuse cells without a value of their own: uncomputed formulas and merged cells.
        """
        sheet = self._new_sheet()
        header = self.names
        n_cells = 0
        for number, cells in self._rows_of(sheet):
            if number <= self._header_row:
                continue
            if len(cells) > len(header):
                raise DataError(
                    f"{self.path.name}: row {number} has {len(cells)} cells, expected "
                    f"{len(header)} as in the header. Delete what does not belong to the table."
                )
            n_cells += len(header)
            if n_cells > max(SMALL_SHEET, self._n_bytes):
                raise DataError(
                    f"{self.path.name}: a large sheet must not be almost empty, got "
                    f"{self._n_bytes:,} bytes for {n_cells:,} cells. Save the table as Parquet."
                )
            yield number, cells + [""] * (len(header) - len(cells))
        used = [place for place, name in enumerate(header) if name not in self._ignored]
        if cells := [sheet.uncomputed[one] for one in used if one in sheet.uncomputed]:
            raise DataError(
                f"{self.path.name}: cell {cells[0]} must have a value, got a formula whose result "
                "is not in the file. Open the file in a spreadsheet program and save it."
            )
        if cells := [sheet.merged[one] for one in (*used, ACROSS) if one in sheet.merged]:
            raise DataError(
                f"{self.path.name}: every cell of the table must have a value of its own, got "
                f"merged cells ({listed(cells)}). Unmerge them, and fill in the values."
            )

    def _new_sheet(self) -> Sheet:
        day_zero = DAY_ZERO[self._is_1904]
        return Sheet(self._texts, self._dates, day_zero, self.dialect.decimal, self._header_row)

    def _rows_of(self, sheet: Sheet) -> Generator[tuple[int, list[str]], None, None]:
        """Yield the number of each row that is not empty, and its cells up to the last filled."""
        with _damage_named(self.path):
            for _ in self._parsed(self._sheet, sheet.parser(), None):
                for number, cells in sheet.rows:
                    yield number, [cells.get(place, "") for place in range(max(cells) + 1)]
                sheet.rows.clear()

    def _parsed(
        self, part: str, parser: expat.XMLParserType, most_bytes: int | None
    ) -> Iterator[None]:
        """Parse a part piece by piece, with a pause after each."""
        info = self._parts[_plain_name(part)]
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError("a compression that no spreadsheet program uses")
        packed_size = min(info.compress_size, stamp(self.path)[0])
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.buffer_text = True
        self._n_bytes = 0
        with self._archive.open(info) as stream:
            while piece := stream.read(PIECE_BYTES):
                self._n_bytes += len(piece)
                if problem := unzipped_size_problem(self._n_bytes, packed_size):
                    raise DataError(
                        f"{self.path.name}: the file {problem}. Save the table as CSV if you "
                        "trust it."
                    )
                if most_bytes is not None and self._n_bytes > most_bytes:
                    raise ValueError(f"{part!r} with more than {most_bytes // 2**20} MiB")
                parser.Parse(piece)
                if self._n_bytes - parser.CurrentByteIndex > MOST_TAG_BYTES:
                    raise ValueError(f"a tag of more than {MOST_TAG_BYTES // 2**20} MiB")
                yield
        parser.Parse(b"", True)
        yield


def _refuse_doctype(*_: object) -> None:
    raise ValueError("XML with a document type")


def _plain_name(part: str) -> str:
    return part.replace("\\", "/").lower()


def _is_date(code: str) -> bool:
    """Whether a number format shows a date or a time of day."""
    if _ELAPSED.search(code.lower()):
        return False
    return any(letter in "dmyhs" for letter in _NO_DATE_LETTERS.sub("", code.lower()))
