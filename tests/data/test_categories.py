"""Labels of categorical features and warnings stay with a table, however it came in."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzyfrog.data import Dataset, make_dataset, read_table
from fuzzyfrog.select.selection import fingerprint

Y = ["x", "y", "x", "y"]
COLUMNS = {"size": [1.5, 2.0, 2.5, 3.0], "side": ["Süd", "Nord", None, "Nord"]}
ARFF = """@relation t
@attribute size numeric
@attribute side {Ost,Süd,Nord}
@attribute class {x,y}
@data
1.5,Süd,x
2,Nord,y
2.5,?,x
3,Nord,y
"""


def from_csv(folder):
    (folder / "t.csv").write_text("size,side,class\n1.5,Süd,x\n2,Nord,y\n2.5,,x\n3, Nord,y\n")
    return read_table(folder / "t.csv", "class")


def from_arff(folder):
    (folder / "t.arff").write_text(ARFF, encoding="utf-8")
    return read_table(folder / "t.arff", "class")


def from_parquet(folder):
    pq.write_table(pa.table({**COLUMNS, "class": Y}), folder / "t.parquet")
    return read_table(folder / "t.parquet", "class")


SOURCES = {
    "csv": from_csv,
    "arff": from_arff,
    "parquet": from_parquet,
    "pandas": lambda _: make_dataset(pd.DataFrame(COLUMNS), Y),
    "category": lambda _: make_dataset(pd.DataFrame(COLUMNS).astype({"side": "category"}), Y),
    "polars": lambda _: make_dataset(pl.DataFrame(COLUMNS), Y),
    "rows": lambda _: make_dataset([list(row) for row in zip(*COLUMNS.values(), strict=True)], Y),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_labels_are_kept_in_the_order_of_the_codes(source, tmp_path):
    data = source(tmp_path)
    assert data.categories == (None, ("Nord", "Süd"))
    np.testing.assert_array_equal(data.values[:, 1], [1, 0, np.nan, 0])
    assert pickle.loads(pickle.dumps(data)).categories == data.categories  # noqa: S301


@pytest.mark.parametrize(
    ("column", "labels"),
    [
        (np.array([[7], [3], [7], [3]]), (3, 7)),
        (np.array([[0.5], [np.nan], [0.25], [0.5]]), (0.25, 0.5)),
        (np.array([[True], [False], [True], [True]]), (False, True)),
        (pd.DataFrame({"a": [7, 3, 7, 3]}), (3, 7)),
        (pl.DataFrame({"a": [True, False, None, True]}), (False, True)),
        (pd.DataFrame({"a": [2**60, 2**60 + 1, 5, 6]}), (5, 6, 2**60, 2**60 + 1)),
    ],
)
def test_numbers_named_as_categorical_are_their_own_labels(column, labels):
    (got,) = make_dataset(column, Y, categorical_features=[0]).categories
    assert got == labels
    assert isinstance(got[0], bool) == isinstance(labels[0], bool)


def test_labels_do_not_change_the_fingerprint():
    data = make_dataset(pd.DataFrame(COLUMNS), Y)
    bare = Dataset(data.values, data.target, data.feature_names, data.categorical, data.classes)
    assert bare.categories is None
    assert fingerprint(data) == fingerprint(bare) == fingerprint(replace(data, notes=("note",)))
    # The digest of this table before labels were kept: checkpoints must stay readable.
    assert fingerprint(data).startswith("sha256:42d689717e20")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_slip_among_numbers_is_warned_of_and_noted(frame):
    cells = [str(number) for number in range(25)]
    cells[7] = "7O"
    with pytest.warns(
        UserWarning, match="'a' holds numbers except '7O', so it is treated as categorical"
    ) as told:
        data = make_dataset(frame({"a": cells}), [0, 1] * 12 + [0])
    assert data.categorical.tolist() == [True]
    assert data.notes == (str(told[0].message),)
    assert told[0].filename == __file__
    make_dataset(frame({"a": cells}), [0, 1] * 12 + [0], categorical_features=["a"])


def test_warnings_of_a_file_are_noted(tmp_path):
    rows = "".join(f"{number},{number % 2}\n" for number in range(25))
    (tmp_path / "t.csv").write_text(f"a,class\n7O,1\n{rows}")
    with pytest.warns(UserWarning, match="except '7O'") as told:
        data = read_table(tmp_path / "t.csv", "class")
    assert data.notes == (str(told[0].message),)
    assert data.notes[0].startswith("t.csv: feature 'a'")
    assert told[0].filename == __file__


@pytest.mark.parametrize("kind", [int, float])
def test_many_whole_numbers_are_a_quantity_with_a_note(kind):
    y = (np.arange(60) // 2).astype(kind)
    with pytest.warns(UserWarning, match="different whole numbers") as told:
        data = make_dataset(np.arange(60.0)[:, np.newaxis], y)
    assert data.classes is None
    assert data.target.tolist() == y.tolist()
    assert data.notes == (
        "the target holds 30 different whole numbers in 60 samples, taken as a quantity. Pass "
        "target='class' if they are labels, target='numeric' if not.",
    )
    assert told[0].filename == __file__
    assert len(make_dataset(np.arange(60.0)[:, np.newaxis], y, target="class").classes) == 30


def test_whole_numbers_that_no_float_tells_apart_are_classes(tmp_path):
    y = [10**18 + k for k in range(40)]
    assert make_dataset(np.arange(40.0)[:, np.newaxis], y).classes == tuple(y)
    rows = "".join(f"{k},{label}\n" for k, label in enumerate(y))
    (tmp_path / "t.csv").write_text(f"x,y\n{rows}", encoding="utf-8")
    assert len(read_table(tmp_path / "t.csv", "y").classes) == 40


@pytest.mark.filterwarnings("ignore:y is a column vector")
@pytest.mark.parametrize("kind", ["series", "array", "frame", "arrow", "text"])
def test_whole_numbers_that_are_categories_are_classes(kind):
    X, y = np.arange(60.0)[:, np.newaxis], pd.Series(np.arange(60) // 2, name="y")
    labels = y.astype("category")
    target = {
        "series": lambda: labels,
        "array": lambda: labels.array,
        "frame": lambda: labels.to_frame(),
        "arrow": lambda: pa.chunked_array([pa.array(y).dictionary_encode()]),
        "text": lambda: y.astype(str),
    }[kind]()
    assert len(make_dataset(X, target).classes) == 30
