"""Rows that are no samples: units below the header, and totals at the end."""

import warnings

import openpyxl
import pytest

from fuzzyfrog.data import read_table
from fuzzyfrog.data.write_table import CellSource, write_reduced

HEAD = ["shop", "area", "sales", "margin", "open"]
UNITS = [None, "m²", "TEUR", "%", None]
SHOPS = [[f"F-{k:03}", 50 + k, 1.5 * k, k / 4, "yes" if k % 3 else "no"] for k in range(30)]
TOTALS = ["Sum", 1935, 652.5, None, "20 yes"]
NOTES = [
    "line 2 looks like units ('m²', 'TEUR', '%') and is left out.",
    "line 33 holds totals ('Sum') and is left out. Rename 'Sum' to keep it.",
]


def text(rows, separator=",", decimal=".", end="\n"):
    cells = [["" if one is None else str(one).replace(".", decimal) for one in row] for row in rows]
    return "".join(separator.join(row) + end for row in cells)


def read(path, target="open", **options):
    with warnings.catch_warnings(record=True, action="always") as caught:
        data = read_table(path, target, **options)
    return data, [str(one.message) for one in caught]


@pytest.mark.parametrize("end", ["\n", "\r"])
@pytest.mark.parametrize(("separator", "decimal"), [(",", "."), (";", ",")])
def test_units_and_totals_are_left_out(write, tmp_path, separator, decimal, end):
    path = write("x.csv", text([HEAD, UNITS, *SHOPS, TOTALS], separator, decimal, end))
    data, told = read(path, separator=separator, decimal=decimal)
    assert data.values[:, 1:].tolist() == [row[1:4] for row in SHOPS]
    assert data.classes == ("no", "yes")
    assert data.rows.tolist() == list(range(3, 33))
    assert told == [f"x.csv: {note}" for note in NOTES] == list(data.notes)
    write_reduced(data, ["area"], tmp_path / "r.csv", CellSource(path, separator, decimal=decimal))
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 31


def test_so_are_those_of_a_workbook(tmp_path):
    book = openpyxl.Workbook()
    for row in [HEAD, UNITS, *SHOPS, [], TOTALS]:
        book.active.append(row)
    book.save(tmp_path / "x.xlsx")
    data, told = read(tmp_path / "x.xlsx")
    assert data.values[:, 1:].tolist() == [row[1:4] for row in SHOPS]
    notes = [note.replace("line", "row").replace("33", "34") for note in NOTES]
    assert told == [f"x.xlsx: {note}" for note in notes]


def test_wrong_settings_are_named_all_the_same(write, refusal):
    rows = [["Übersicht", *[None] * 4], HEAD, UNITS, *SHOPS, TOTALS]
    table = text(rows, ";", ",").encode("cp1252")
    settings = "separator=';' decimal=',' encoding='cp1252'"
    assert settings in refusal("x.csv", table, "open", separator=",")


@pytest.mark.parametrize("word", ["Total", "TOTALS:", " grand total ", "Gesamtsumme", "Suma :"])
def test_words_for_totals(write, word):
    rows = [["year", "region", "x", "y"], *([k, f"r{k}", k / 2, k % 2] for k in range(9))]
    data, told = read(write("x.csv", text([*rows, [9, word, 18, None]])), "y")
    assert data.n_samples == 9
    assert ["holds totals" in one for one in told] == [True]


def test_totals_below_many_rows(write):
    rows = [["a", "b", "x", "y"], *([f"r{k % 7}", k / 8, k, k % 2] for k in range(40_000))]
    path = write("x.csv", text([*rows, ["Total", 99.5, None, None]]))
    data, told = read(path, "y")
    assert data.values[:, 1].tolist() == [row[1] for row in rows[1:]]
    assert data.rows[-1] == 40_001
    assert told == [
        "x.csv: line 40002 holds totals ('Total') and is left out. Rename 'Total' to keep it."
    ]


def test_a_word_for_totals_that_many_rows_above_have_is_a_label(write):
    rows = [["a", "x", "y"], *(["pq"[k % 2], k / 8, k % 2] for k in range(40_000))]
    rows[1][0] = "total"
    data, told = read(write("x.csv", text([*rows, ["total", 99.5, 0]])), "y")
    assert (data.n_samples, told) == (40_001, [])


@pytest.mark.parametrize(
    "last",
    [
        ["Total", "a", 3, "yes"],  # as an operation
        ["north", "Total", 3, "yes"],
        ["Total sum of squares", "b", 3, "yes"],
        ["Totals", "b", None, "yes"],  # no number
        ["7", "8", 3, "sum"],  # a class
    ],
)
def test_other_last_rows_stay(write, last):
    rows = [["kind", "of", "x", "open"], *([*"pq", k, "no"] for k in range(9))]
    rows.insert(4, ["Total", "p", 0, "yes"])
    rows.insert(5, ["p", "p", 0, "sum"])
    data, told = read(write("x.csv", text([*rows, last])))
    assert (data.n_samples, told) == (12, [])


@pytest.mark.parametrize(
    "first",
    [
        ["n.d.", None, "red", "yes"],  # a sample with a label and a class
        ["n.d.", 3, None, None],
        [None, "kg", None, None],  # a typing error
        ["m2", "kg", None, None],  # codes have digits
    ],
)
def test_other_first_rows_stay(write, first):
    rows = [["a", "b", "color", "open"], first]
    rows += [[k / 3, k, "red", "no" if k % 2 else "yes"] for k in range(30)]
    told = read(write("x.csv", text(rows)))[1]
    assert not any("units" in one for one in told)


def test_a_table_of_text_has_no_units(write):
    rows = [["a", "b", "open"], *([*one, "no"] for one in ("pq", "rs", "tu", "vw"))]
    assert read(write("x.csv", text([*rows, ["p", "q", "yes"]])))[1] == []
