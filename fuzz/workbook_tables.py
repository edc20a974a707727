"""Excel workbooks: ``python fuzz SECONDS workbook_tables``.

A checksum refuses nearly every change of an archive, so the fuzzer changes the parts inside of it,
between the lines that name them.
"""

import io
import zipfile

import atheris

with atheris.instrument_imports(include=["fuzzyfrog", "zipfile"]):
    from harness import run
    from tables import reader

    from fuzzyfrog.errors import DataError

BORDER = b"\n====\n"
PARTS = ("_rels/.rels", "xl/_rels/b.rels", "xl/b", "xl/texts", "xl/styles", "xl/sheet")
FIXED = (
    b'<R><Relationship Type="/officeDocument" Target="xl/b"/></R>',
    b'<R><Relationship Id="1" Type="/worksheet" Target="sheet"/>'
    b'<Relationship Type="/sharedStrings" Target="texts"/>'
    b'<Relationship Type="/styles" Target="styles"/></R>',
    b'<w><workbookPr date1904="0"/><sheet state="hidden"/><sheet name="s" id="1"/></w>',
    b"<sst><si><t>a</t></si><si><r><t>cla</t></r><r><t>ss</t></r><rPh/></si></sst>",
    b'<s><numFmt numFmtId="164" formatCode="yyyy"/><cellXfs><xf/><xf numFmtId="164"/>'
    b'<xf numFmtId="14"/></cellXfs></s>',
)
HEADER = b'<row r="1"><c r="A1" t="s"><v>0</v></c><c t="s"><v>1</v></c></row>'
SHEETS = (
    b'<row><c><v>1.5</v></c><c t="str"><f>x</f><v>x</v></c></row>'
    b'<row><c t="b"><v>1</v></c><c t="inlineStr"><is><t>y</t></is></c></row>',
    b'<row r="7"><c s="1"><v>45000.5</v></c><c r="B7"><v>1</v></c></row>'
    b'<row><c s="2"><v>0.5</v></c><c t="e"><v>2</v></c></row>',
)
SEEDS = tuple(
    BORDER.join((*FIXED, b"<w><sheetData>" + HEADER + rows + b"</sheetData>" + merged + b"</w>"))
    for rows in SHEETS
    for merged in (b"", b'<mergeCells><mergeCell ref="A1:B2"/></mergeCells>')
)

read = reader("x.xlsx")


def check(content: bytes) -> None:
    """Read the workbook of these parts."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as book:
        for name, part in zip(PARTS, content.split(BORDER), strict=False):
            book.writestr(name, part)
    read(archive.getvalue())


if __name__ == "__main__":
    run(check, SEEDS, (DataError,))
