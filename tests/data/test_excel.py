"""The first sheet of an Excel workbook is read as its CSV file would be."""

import datetime
import gzip
import tracemalloc
import warnings
import zipfile

import numpy as np
import openpyxl
import pytest

from fuzzyfrog.data import formats, read_table
from fuzzyfrog.data.formats import excel
from fuzzyfrog.data.write_table import CellSource, write_reduced
from fuzzyfrog.errors import DataError
from mutated_workbooks import mutated, sound_workbook

ROWS = [
    ["size", "color", "when", "share", "ripe", None],
    [7.5, "red", datetime.datetime(2024, 3, 31), "25%", "yes", None],
    [None, "green", datetime.datetime(2024, 4, 1), "3.5%", "no", None],
    [],
    [6, "red", datetime.datetime(2024, 4, 1, 12), "0", "no", None],
]


def written(path, rows=ROWS):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("notes").append(["not a table"])
    book.save(path)
    return path


def test_a_workbook(tmp_path):
    path = written(tmp_path / "fruit.xlsx")
    with pytest.warns(UserWarning, match="'share' .'25%' as 25"):
        data = read_table(path, "ripe")
    assert data.name == "fruit"
    assert data.feature_names == ("size", "color", "when", "share")
    np.testing.assert_array_equal(data.values[:, 0], [7.5, np.nan, 6])
    assert data.categories[1] == ("green", "red")
    assert data.categories[2] == ("2024-03-31", "2024-04-01", "2024-04-01 12:00:00")
    assert data.values[:, 3].tolist() == [25, 3.5, 0]
    assert (data.rows.tolist(), data.row_word) == ([2, 3, 5], "row")  # as the spreadsheet says
    write_reduced(data, ["size"], tmp_path / "r.csv", CellSource(path))
    assert (tmp_path / "r.csv").read_text() == "size,ripe\n7.5,yes\n,no\n6,no\n"


def test_decimal_commas_in_text_cells(tmp_path):
    rows = [["hb", "crp", "age", "y"], ["13,7", 1.5, 60, "a"], ["12,9", "<0,2", 61.25, "b"]]
    rows += [[14, 1e-7, "1.060,5", "a"]]
    path = written(tmp_path / "x.xlsx", rows)
    with pytest.raises(DataError, match="decimal=','"):
        read_table(path, "y")
    with pytest.warns(UserWarning, match="numbers in text"):
        data = read_table(path, "y", decimal=",")
    assert data.values.tolist() == [[13.7, 1.5, 60], [12.9, 0.2, 61.25], [14, 1e-7, 1060.5]]
    write_reduced(data, ["hb", "crp"], tmp_path / "r.xlsx", CellSource(path, decimal=","))
    assert read_table(tmp_path / "r.xlsx", "y").values.tolist() == data.values[:, :2].tolist()


def test_titles_above_the_header(tmp_path):
    titles = [["Lab values, third quarter"], ["As of", "2026-10-14"], []]
    path = written(tmp_path / "x.xlsx", [*titles, *SMALL])
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("A1:C1")
    book.save(path)
    with pytest.warns(UserWarning, match="row 4 names the columns, below 'Lab values, third"):
        data = read_table(path, "ripe")
    assert data.feature_names == ("size", "color")
    assert data.values[:, 0].tolist() == [1, 2, 3]
    assert data.rows.tolist() == [5, 6, 7]
    write_reduced(data, ["size"], tmp_path / "r.csv", CellSource(path))
    assert (tmp_path / "r.csv").read_text() == "size,ripe\n1,yes\n2,no\n3,no\n"


@pytest.mark.parametrize(
    "below",
    [
        [["size", "color", "ripe", "size"], [1, "red", "yes", 2]],
        [["size", None, "ripe"], [1, "red", "yes"], [2, "red", "no"]],
        [["size"], [1], [2]],
        [["size", "2026", "ripe"], [1, 5, "yes"], [2, 7, "no"]],
    ],
)
def test_titles_above_something_else(tmp_path, below):
    with pytest.raises(DataError, match="A table needs a feature and a target") as raised:
        read_table(written(tmp_path / "x.xlsx", [["Values, and more"], *below]), "ripe")
    assert "separat" not in str(raised.value)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "the first sheet must hold a header and samples, got an empty one"),
        ([["a", "ripe"], [1, "x", 5]], "row 2 has 3 cells, expected 2 as in the header"),
        ([["a", "ripe"], [1, "x"], ["inf", "y"]], "x.xlsx: row 3 must hold finite numbers"),
        ([["a", "a", "ripe"], [1, 2, "x"]], "column names must be distinct"),
        (
            [["a", "ripe"], [1, "x"], [2, None]],
            "at least 2 rows must stay, got 1 of 2",
        ),
    ],
)
def test_what_is_no_table(tmp_path, rows, sentence):
    with pytest.raises(DataError, match=sentence):
        read_table(written(tmp_path / "x.xlsx", rows), "ripe")


def test_another_file_with_that_name(tmp_path):
    (tmp_path / "x.xlsx").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="the file must be an Excel workbook with a sheet"):
        read_table(tmp_path / "x.xlsx", "b")


SMALL = [["size", "color", "ripe"], [1, "red", "yes"], [2, "green", "no"], [3, "red", "no"]]
BOOK = {
    "_rels/.rels": '<Relationships><Relationship Id="a" Type="x/officeDocument" '
    'Target="/xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<x:workbook xmlns:x="m" xmlns:k="n"><x:workbookPr date1904="1"/><x:sheets>'
    '<x:sheet name="one" k:id="s"/></x:sheets></x:workbook>',
    "xl/_rels/workbook.xml.rels": "<Relationships>"
    '<Relationship Id="s" Type="y/worksheet" Target="Sheets/One.xml"/>'
    '<Relationship Id="t" Type="y/sharedStrings" Target="../xl/texts.xml"/>'
    '<Relationship Id="u" Type="y/styles" Target="styles.xml"/></Relationships>',
    "xl/texts.xml": "<sst><si><t>ripe</t></si><si><r><t>y</t></r><r><t>es</t></r>"
    "<rPh><t>yess</t></rPh></si></sst>",
    "xl/styles.xml": '<styles><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm"/>'
    '<numFmt numFmtId="171" formatCode="[h]:mm"/><numFmt numFmtId="172" '
    'formatCode="0 &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
    '<cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/>'
    '<xf numFmtId="172"/></cellXfs></styles>',
}
HEAD = '<row r="3"><c t="inlineStr"><is><t>a</t></is></c><c t="s"><v>0</v></c></row>'


def packed(path, rows, **parts):
    """Write a workbook with these rows as XML."""
    sheet = f'<x:worksheet xmlns:x="m"><x:sheetData>{rows}</x:sheetData></x:worksheet>'
    content = {**BOOK, "xl/sheets/one.xml": sheet, **parts}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in content.items():
            if part is not None:
                archive.writestr(name, part)
    return path


def changed(path, change):
    book = openpyxl.load_workbook(path)
    change(book)
    book.save(path)
    return path


def test_cells_as_other_programs_write_them(tmp_path):
    rows = HEAD + (
        '<row><c s="1"><v>0</v></c><c t="str"><f>x</f><v>no</v></c></row>'
        '<row><c s="2"><v>366.5</v></c><c t="s"><v>1</v></c></row>'
        '<row><c t="b"><v>1</v></c><c t="s"><v>1</v></c></row>'
        '<row><c t="d"><v>2024-01-31</v></c><c t="s"><v>1</v></c></row>'
        '<row><c s="3"><v>1.5</v></c><c t="s"><v>1</v></c></row>'
        '<row><c s="4"><v>0.10000000000000001</v></c><c t="s"><v>1</v></c></row>'
    )
    data = read_table(packed(tmp_path / "x.xlsx", rows), "ripe")
    texts = [data.categories[0][int(code)] for code in data.values[:, 0]]
    assert texts == ["00:00:00", "1905-01-01 12:00:00", "TRUE", "2024-01-31", "1.5", "0.1"]
    assert data.classes == ("no", "yes")
    assert data.rows.tolist() == [4, 5, 6, 7, 8, 9]


def test_a_packed_workbook(tmp_path):
    content = written(tmp_path / "x.xlsx", SMALL).read_bytes()
    (tmp_path / "x.xlsx.gz").write_bytes(gzip.compress(content))
    assert read_table(tmp_path / "x.xlsx.gz", "ripe").values[:, 0].tolist() == [1, 2, 3]


def test_formulas_without_results(tmp_path):
    path = written(tmp_path / "x.xlsx", SMALL)
    changed(path, lambda book: book.worksheets[0].__setitem__("A3", "=A2*2"))
    with pytest.raises(DataError, match="cell A3 must have a value, got a formula whose result is"):
        read_table(path, "ripe")
    assert read_table(path, "ripe", ignore=["size"]).n_features == 1


def test_a_formula_may_give_an_empty_text(tmp_path):
    rows = HEAD + (
        '<row><c t="str"><f>x</f><v></v></c><c t="s"><v>1</v></c></row>'
        '<row><c><f>x</f><v>2</v></c><c t="s"><v>0</v></c></row>'
        '<row><c><v>3</v></c><c t="s"><v>0</v></c></row>'
    )
    data = read_table(packed(tmp_path / "x.xlsx", rows), "ripe")
    np.testing.assert_array_equal(data.values[:, 0], [np.nan, 2, 3])


@pytest.mark.parametrize("cells", ["B3:B4", "A3:B3", "A1:B1", "C2:C40"])
def test_merged_cells(tmp_path, cells):
    rows = [[*row, cell] for row, cell in zip(SMALL, "wxyz", strict=True)]
    path = written(tmp_path / "x.xlsx", rows)
    changed(path, lambda book: book.worksheets[0].merge_cells(cells))
    with pytest.raises(DataError, match=rf"got merged cells \('{cells}'\)|must have a name"):
        read_table(path, "w")


@pytest.mark.parametrize("cells", ["B3:B4", "A6:C7", "E2:F3"])
def test_merged_cells_outside_of_the_table(tmp_path, cells):
    path = written(tmp_path / "x.xlsx", SMALL)
    changed(path, lambda book: book.worksheets[0].merge_cells(cells))
    assert read_table(path, "ripe", ignore=["color"]).n_samples == 3


def test_a_hidden_first_sheet(tmp_path):
    path = written(tmp_path / "x.xlsx", SMALL)

    def hide(book):
        book.create_sheet("lists", 0).append(["not a table"])
        book.worksheets[0].sheet_state = "hidden"
        book.active = 1

    changed(path, hide)
    with pytest.warns(UserWarning, match="first sheet, 'lists', is hidden, so 'Sheet' is read"):
        assert read_table(path, "ripe").n_samples == 3


def test_only_hidden_sheets(tmp_path):
    hidden = BOOK["xl/workbook.xml"].replace('k:id="s"', 'k:id="s" state="veryHidden"')
    path = packed(tmp_path / "x.xlsx", HEAD, **{"xl/workbook.xml": hidden})
    with pytest.raises(DataError, match="a sheet of cells that is not hidden, got 1 hidden one"):
        read_table(path, "ripe")


FAR = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
TEXTS = "xl/texts.xml"


@pytest.mark.parametrize(
    ("rows", "parts", "sentence"),
    [
        (HEAD + FAR, {}, "row 1048576 has 16384 cells, expected 2"),
        (HEAD + '<row r="1048577"/>', {}, "row 1048577 after row 3"),
        (HEAD + '<row r="2"/>', {}, "row 2 after row 3"),
        (HEAD + '<row><c r="XFE4"/></row>', {}, "more than 16,384 columns"),
        (HEAD + '<row><c r="é4"/></row>', {}, "a column 'é'"),
        (HEAD + '<row><c t="s"><v>2</v></c></row>', {}, "got something else .'2' in cell A4"),
        (HEAD + '<row><c t="s"><v>-1</v></c></row>', {}, "'-1' in cell A4"),
        (HEAD + "<row><c><v>x</v></c></row>", {}, "'x' in cell A4"),
        (HEAD + f"<row><c t='str'><v>{'x' * 200_000}</v></c></row>", {}, "131,072 characters"),
        (HEAD + f'<row x="{"x" * 2_000_000}"/>', {}, "a tag of more than 1 MiB"),
        (HEAD, {TEXTS: "<!DOCTYPE sst><sst/>"}, "XML with a document type"),
        (HEAD, {TEXTS: "<sst>" + "<si/>" * 400_000}, "'xl/texts.xml' with more than 1 MiB"),
        (HEAD, {"xl/styles.xml": "<a/><a/>"}, "junk after document element"),
        (HEAD, {"xl/styles.xml": "<a>" + " " * 2**21}, "with more than 1 MiB"),
        (HEAD, {"_rels/.rels": None}, "got something else"),
        (HEAD, {"_rels/.rels": "<a/>"}, "got something else"),
    ],
)
def test_workbooks_that_lie(tmp_path, monkeypatch, rows, parts, sentence):
    monkeypatch.setattr(excel, "MOST_TEXT_BYTES", 2**20)
    monkeypatch.setattr(excel, "MOST_PART_BYTES", 2**20)
    path = packed(tmp_path / "x.xlsx", rows, **parts)
    with pytest.raises(DataError, match=sentence):
        read_table(path, "ripe")


def test_a_sheet_that_is_almost_empty(tmp_path, monkeypatch):
    monkeypatch.setattr(excel, "SMALL_SHEET", 2**16)
    head = "".join(f'<c t="str"><v>c{place}</v></c>' for place in range(4000))
    rows = f"<row>{head}</row>" + '<row><c r="EWV0"><v>1</v></c></row>' * 100
    with pytest.raises(DataError, match="a large sheet must not be almost empty"):
        read_table(packed(tmp_path / "x.xlsx", rows), "c0")


def test_a_sheet_that_explodes(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "RATIO_COUNTS_FROM_BYTES", 2**20)
    path = packed(tmp_path / "x.xlsx", HEAD + " " * 2**22)
    with pytest.raises(DataError, match="unpacks to more than 200 times its size"):
        read_table(path, "ripe")


def test_memory_of_a_row_with_a_far_cell(tmp_path):
    wide = "".join(f'<row><c r="A{n}"/><c r="XFC{n}"><v>1</v></c></row>' for n in range(2, 2000))
    head = '<row r="1"><c t="str"><v>ripe</v></c><c r="XFD1" t="str"><v>b</v></c></row>'
    path = packed(tmp_path / "x.xlsx", head + wide)
    tracemalloc.start()
    with pytest.raises(DataError, match="every column must have a name"):
        read_table(path, "ripe")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**25


def test_damaged_workbooks(tmp_path):
    sound, path, n_refused = sound_workbook(), tmp_path / "x.xlsx", 0
    for seed in range(200):
        path.write_bytes(mutated(sound, seed))
        try:
            with warnings.catch_warnings(action="ignore"):
                read_table(path, "class")
        except DataError:
            n_refused += 1
    assert 100 < n_refused < 200
