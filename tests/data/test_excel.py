"""The first sheet of an Excel workbook is read as its CSV file would be."""

import datetime

import numpy as np
import openpyxl
import pytest

from fuzzyfrog.data import read_table
from fuzzyfrog.data.write_table import CellSource, write_reduced
from fuzzyfrog.errors import DataError

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
    assert data.rows.tolist() == [2, 3, 5]  # as the spreadsheet numbers them
    write_reduced(data, ["size"], tmp_path / "r.csv", CellSource(path))
    assert (tmp_path / "r.csv").read_text() == "size,ripe\n7.5,yes\n,no\n6,no\n"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "the first sheet must hold a header and samples, got an empty one"),
        ([["a", "ripe"], [1, "x", 5]], "row 2 has 3 cells, expected 2 as in the header"),
        ([["a", "a", "ripe"], [1, 2, "x"]], "column names must be distinct"),
        (
            [["a", "ripe"], [1, "x"], [2, None]],
            "must not be missing, got no value in line 3",
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
