"""Text and numbers -> an Excel workbook with one sheet."""

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from fuzzyfrog.common.messages import shown
from fuzzyfrog.data.cells import spelled
from fuzzyfrog.data.formats.excel_sheet import MOST_COLUMNS, MOST_ROWS, column_name
from fuzzyfrog.errors import DataError

MOST_TEXT = 32_767  # characters of a cell in Excel
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
                cells = "".join(_cells(row, number, path))
                stream.write(f'<row r="{number}">{cells}</row>'.encode())
            stream.write(b"</sheetData></worksheet>")


def _cells(row: Sequence[Any], number: int, path: Path) -> Iterator[str]:
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
