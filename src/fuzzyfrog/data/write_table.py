"""Write some columns of a table to a new file, with the cells spelled as in the old one."""

import csv
import gzip
import re
import zipfile
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TextIO, cast
from xml.sax.saxutils import escape

from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.data.cells import MISSING, NotANumberError, parse_numbers, read_texts, spelled
from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.data.formats.excel_sheet import MOST_COLUMNS, MOST_ROWS, column_name
from fuzzyfrog.data.formats.parquet import ParquetTable, write_arrow
from fuzzyfrog.data.read_table import SEPARATORS, dialect_of, file_format, opened_table
from fuzzyfrog.errors import DataError

FORMATS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".xlsx", ".parquet")
MOST_TEXT = 32_767  # characters of a cell in Excel
LIMITS = ("<", ">", "≤", "≥")  # of what could be measured
LARGEST = 10**15  # whole numbers beyond it lose digits in Excel
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SCHEMAS = "http://schemas.openxmlformats.org"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_RELATED = f'<Relationships xmlns="{_SCHEMAS}/package/2006/relationships"><Relationship Id="rId1" '
_OFFICE = f"{_SCHEMAS}/officeDocument/2006/relationships"
_MAIN = f"{_SCHEMAS}/spreadsheetml/2006/main"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_SCHEMAS}/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/sheet.xml" ContentType="{_SHEET_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'{_RELATED}Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    "</Relationships>",
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{_RELATED}Type="{_OFFICE}/worksheet" Target="sheet.xml"/>'
    "</Relationships>",
}
# What XML cannot hold, and what Excel would read as its way of writing that.
_SPECIAL = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


@dataclass(frozen=True)
class CellSource:
    """The file that a table was read from, or None, and how it was read."""

    file: Path | None
    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."


def check_reduced_name(path: Path) -> None:
    """Raise unless the name of the file to write ends in a known format."""
    if not path.name.lower().endswith(FORMATS):
        raise DataError(
            f"{path.name}: the name of a reduced table must end in one of {listed(FORMATS)}, got "
            f"{shown(path.suffix)}. Use one of these endings."
        )


def write_reduced(dataset: Dataset, columns: Sequence[str], path: Path, source: CellSource) -> None:
    """Write some columns of a table, the names of its rows and its target, in its order.

    All samples of the file are written, also those that were left out when it was read. Cells are
    copied character by character, and a CSV file keeps the separator and encoding of its source. In
    a Parquet file or a workbook that comes from another format, numeric features become numbers. Of
    a date whose parts are features, the date itself is written. Without a source file the cells are
    the numbers of the data set.
    """
    check_reduced_name(path)
    features = (dataset.parts_of.get(one, one) for one in columns)
    names = {*features, dataset.label_name, dataset.target_name}
    kind = path.suffix.lower()
    rows = _rows(dataset, names, source)
    if kind not in (".parquet", ".xlsx"):
        _write_text(rows, path, source)
    elif source.file is not None and file_format(source.file) == ".parquet":  # it has types
        if kind == ".xlsx":
            write_workbook(rows, path)
        else:
            ParquetTable.of(source.file).copy(names, path)
    else:
        typed = _columns(
            rows, dataset, source.decimal, keeps_limits=kind == ".xlsx" and source.decimal == "."
        )
        if kind == ".xlsx":
            write_workbook(chain([list(typed)], zip(*typed.values(), strict=True)), path)
        else:
            write_arrow(typed, path)


def _cells(dataset: Dataset, source: CellSource) -> Iterator[list[Any]]:
    """Yield the names of all columns, then the cells of each sample; numbers without a file."""
    if source.file is not None:
        dialect = dialect_of(source.file, source.separator, source.decimal, source.encoding)
        with opened_table(source.file, dialect) as table:
            yield from table.cells()
        return
    yield [*dataset.feature_names, dataset.target_name]
    for values, target in zip(dataset.values.tolist(), dataset.target.tolist(), strict=True):
        label = spelled(target) if dataset.classes is None else str(dataset.classes[target])
        yield [*map(spelled, values), label]


def _rows(
    dataset: Dataset, names: Collection[str | None], source: CellSource
) -> Iterator[list[Any]]:
    """Yield the names of some columns, then their cells in each sample.

    Raise at the end if the number of samples is not that of the data set.
    """
    rows = _cells(dataset, source)
    header = next(rows)
    places = [place for place, name in enumerate(header) if name in names]
    yield [header[place] for place in places]
    n_rows = 0
    for row in rows:
        n_rows += 1
        yield [row[place] for place in places]
    if n_rows != (n_read := dataset.n_samples + dataset.n_left_out):
        name = dataset.name if source.file is None else source.file.name
        raise DataError(
            f"{name}: the file must have the {n_read} rows that were read, got {n_rows}. It "
            "changed in the meantime: start over."
        )


def _write_text(rows: Iterable[list[Any]], path: Path, source: CellSource) -> None:
    separator = SEPARATORS[file_format(path)]
    if separator == "," and source.file is not None and file_format(source.file) == ".csv":
        marks = source.separator, source.decimal, source.encoding
        separator = dialect_of(source.file, *marks).separator
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "wt", encoding=source.encoding, newline="") as stream:
        writer = csv.writer(cast(TextIO, stream), delimiter=separator, lineterminator="\n")
        writer.writerows(rows)  # None becomes an empty cell


def _columns(
    rows: Iterator[list[Any]], dataset: Dataset, decimal: str, *, keeps_limits: bool
) -> dict[str, list[Any]]:
    """Return the cells of each column as numbers or texts; limits such as "<0.5" may stay texts."""
    header = next(rows)
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    categories = dataset.categories or [() if one else None for one in dataset.categorical]
    labels_of = dict(zip(dataset.feature_names, categories, strict=True))
    labels_of[dataset.target_name] = dataset.classes
    for name in columns.keys() & labels_of.keys():
        cells, labels = columns[name], labels_of[name]
        if labels is not None:
            columns[name] = _texts(cells, labels)
            continue
        pairs = zip(cells, _numbers(cells, decimal), strict=True)
        columns[name] = [
            cell.strip() if keeps_limits and cell.strip().startswith(LIMITS) else number
            for cell, number in pairs
        ]
    return columns


def _numbers(cells: list[str], decimal: str) -> list[float | None]:
    try:
        numbers = parse_numbers(cells, decimal).tolist()
    except NotANumberError:  # they were read from texts such as "25.0%"
        texts = list(dict.fromkeys(cells))
        # Cells that were read as numbers agree in their marks, so commas are thousands.
        found = read_texts(texts, decimal, ",").values
        assert found is not None  # noqa: S101
        number_of = dict(zip(texts, found.tolist(), strict=True))
        numbers = [number_of[cell] for cell in cells]
    return [None if number != number else number for number in numbers]


def _texts(cells: list[str], labels: Iterable[Hashable]) -> list[str | None]:
    missing = MISSING - set(map(str, labels))
    return [None if cell.strip() in missing else cell for cell in cells]


def write_workbook(rows: Iterable[Sequence[Any]], path: Path) -> None:
    """Write rows of texts, numbers and None; a text is never a formula, whatever it begins with."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in _PARTS.items():
            archive.writestr(name, _XML + part)
        with archive.open("xl/sheet.xml", "w", force_zip64=True) as stream:
            stream.write(f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            for number, row in enumerate(rows, start=1):
                if number > MOST_ROWS or len(row) > MOST_COLUMNS:
                    raise DataError(
                        f"{path.name}: a sheet of Excel must have at most {MOST_ROWS:,} rows and "
                        f"{MOST_COLUMNS:,} columns, got more. Write a CSV or Parquet file."
                    )
                cells = "".join(_sheet_cells(row, number, path))
                stream.write(f'<row r="{number}">{cells}</row>'.encode())
            stream.write(b"</sheetData></worksheet>")


def _sheet_cells(row: Sequence[Any], number: int, path: Path) -> Iterator[str]:
    for place, value in enumerate(row):
        if value is None or value != value or value == "":
            continue
        at = f"{column_name(place)}{number}"
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and abs(value) < LARGEST:
            yield f'<c r="{at}"><v>{spelled(value)}</v></c>'
            continue
        text = spelled(value) if is_number else str(value)
        if len(text) > MOST_TEXT:
            raise DataError(
                f"{path.name}: a cell of Excel must have at most {MOST_TEXT:,} characters, got "
                f"{len(text):,} ({shown(text[:20])}...). Write a CSV or Parquet file."
            )
        text = escape(_SPECIAL.sub(lambda one: f"_x{ord(one[0]):04X}_", text))
        yield f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
