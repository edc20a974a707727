"""Excel workbooks -> text, as in a CSV file of the first sheet; the only user of openpyxl."""

import datetime
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from fuzzyfrog.data.formats import Layout, Wanted, check_header, check_unchanged, open_bytes, stamp
from fuzzyfrog.data.formats.csv import Dialect, RawTable, read_records
from fuzzyfrog.errors import DataError

PLAIN = Dialect(",", ".", "utf-8")


def read_excel(path: Path, wanted: Wanted) -> tuple[Layout, RawTable]:
    """Return the layout and the content of the first sheet; its first filled row is the header."""
    before = stamp(path)
    with closing(_rows(path)) as rows:
        first = next(rows, None)
    if first is None:
        raise DataError(
            f"{path.name}: the first sheet must hold a header and samples, got an empty one. Move "
            "the sheet with the table to the front."
        )
    header = first[1]
    check_header(header, path.name, None)

    def samples() -> Iterator[tuple[int, list[str]]]:
        below = _rows(path)
        next(below)
        for number, cells in below:
            if len(cells) > len(header):
                raise DataError(
                    f"{path.name}: row {number} has {len(cells)} cells, expected {len(header)} as "
                    "in the header. Delete what does not belong to the table."
                )
            yield number, cells + [""] * (len(header) - len(cells))

    found = read_records(path.name, header, samples, wanted, PLAIN)
    check_unchanged(path, before)
    return found


def excel_cells(path: Path) -> Iterator[list[str]]:
    """Yield the names of the columns, then the cells of each sample."""
    rows = _rows(path)
    _, header = next(rows)
    yield header
    for _, cells in rows:
        yield cells + [""] * (len(header) - len(cells))


def _rows(path: Path) -> Generator[tuple[int, list[str]], None, None]:
    """Yield the number of each row that is not empty, and its cells up to the last filled one."""
    try:
        import openpyxl
    except ImportError:
        raise DataError(
            f"{path.name}: Excel files need openpyxl, which is not installed. Install it with: "
            "pip install 'fuzzyfrog[excel]', or save the table as CSV."
        ) from None
    with open_bytes(path) as stream:
        try:
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            sheet = book.worksheets[0]
            for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
                cells = [_text(cell) for cell in row]
                while cells and not cells[-1]:
                    cells.pop()
                if cells:
                    yield number, cells
        except (zipfile.BadZipFile, KeyError, IndexError, ValueError, TypeError, OSError) as error:
            reason = " ".join(str(error).split())[:200]
            raise DataError(
                f"{path.name}: the file must be an Excel workbook with a sheet, got something else "
                f"({reason}). Save it again, or rename it to its real format."
            ) from None


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, datetime.datetime):
        is_day = cell.time() == datetime.time()
        return cell.date().isoformat() if is_day else cell.isoformat(" ")
    return str(cell).strip()
