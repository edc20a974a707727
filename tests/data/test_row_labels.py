"""Samples are named by a column, or by the lines of their file."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzyfrog import ReductSelector
from fuzzyfrog.data import read_table

R = """"","bill","mass","class"
"a1",39.1,3750,"x"
"a2",39.5,3800,"x"

"g1",46.1,4500,"y"
"g2",50.0,5700,"y"
"""


def test_the_first_column_of_r_names_the_rows(write):
    data = read_table(write("x.csv", R), "class")
    assert data.feature_names == ("bill", "mass")
    assert data.rows == ("a1", "a2", "g1", "g2")


def test_the_index_that_pandas_read_and_wrote_again_names_the_rows(write):
    content = "Unnamed: 0,a,class\n0,1.5,x\n2,2.5,y\n7,3.5,x\n"
    data = read_table(write("x.csv", content), "class")
    assert data.feature_names == ("a",)
    assert data.rows == ("0", "2", "7")
    assert read_table(write("x.csv", content), "Unnamed: 0").feature_names == ("a", "class")


def test_lines_are_those_that_an_editor_shows(write):
    path = write("x.csv", 'a,"b\nc",class\n1,2,x\n\n3,4,y\n5,"6",x\n')
    np.testing.assert_array_equal(read_table(path, "class").rows, [3, 5, 6])


def test_a_column_names_the_rows(write, tmp_path):
    named = R.replace('"","bill"', '"who","bill"', 1)
    data = read_table(write("x.csv", named), "class", row_labels="who")
    assert data.feature_names == ("bill", "mass")
    assert data.rows == ("a1", "a2", "g1", "g2")
    table = pa.table({"who": ["u", None, "w"], "a": [1, 2, 4], "class": ["x", "y", "x"]})
    pq.write_table(table, tmp_path / "x.parquet")
    assert read_table(tmp_path / "x.parquet", "class", row_labels="who").rows == ("u", "", "w")
    np.save(tmp_path / "x.npy", np.array([[7.0, 1, 0], [8, 2, 1], [9, 3, 0]]))
    assert read_table(tmp_path / "x.npy", "x2", row_labels="x0").rows == ("7", "8", "9")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("clas", "row_labels must be the name of a column, got 'clas'. Did you mean 'class'?"),
        ("class", "row_labels must not name the target, got 'class'."),
    ],
)
def test_other_columns_are_refused(refusal, name, sentence):
    assert sentence in refusal("x.csv", R, row_labels=name)


def test_the_record_names_the_samples_that_it_mentions(write):
    selector = ReductSelector("quickreduct").fit(read_table(write("x.csv", R), "class"))
    run = selector.record()
    assert run.rows.kind == "label"
    sample = run.explanations[0].examples[0].sample
    assert run.row_name(sample) == ("a1", "a2", "g1", "g2")[sample]
    assert type(run).from_json(run.to_json()).rows == run.rows
    X, y = [[1.0], [2.0], [4.0]], [0, 1, 0]
    assert ReductSelector("quickreduct").fit(X, y).record().rows is None


def test_the_lines_of_a_text_file_are_no_rows_whatever_its_name(write, refusal):
    content = "a,class\n1,x\n2,y\n"
    assert read_table(write("a.xlsx.csv", content), "class").row_word == "line"
    assert "line 4" in refusal("a.xlsx.csv", content + "inf,x\n")
