import os
import tracemalloc

import numpy as np
import pytest

from fuzzyfrog.data import read_table
from fuzzyfrog.data.delimited import read_delimited
from fuzzyfrog.data.layout import Wanted
from fuzzyfrog.errors import DataError

HEAD = "a,b,class\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "x.csv: the file must hold a header and samples, got an empty file."),
        ("\n\n", "got an empty file."),
        (HEAD, "at least 2 samples below the header, got none."),
        (HEAD + "1,2,x\n", "at least 2 samples below the header, got 1."),
        (HEAD + "1,2,x\n3,y\n", "x.csv: line 3 has 2 fields, expected 3."),
        (HEAD + "1,2,x\n3,4,y,\n", "x.csv: line 3 has 4 fields, expected 3."),
        (HEAD + '"1\n",2,x\n\n3,4,5,y\n', "x.csv: line 5 has 4 fields, expected 3."),
        (HEAD + '1,"2,x\n3,4,y\n', "x.csv: line 3 cannot be split into fields"),
        (HEAD + '1,"2"2,x\n3,4,y\n', "x.csv: line 2 cannot be split into fields"),
        (HEAD + "1,2,x\r3,4,y\r", "x.csv: line 2 cannot be split into fields"),
        (HEAD + "1," + "2" * 200_000 + ",x\n", "x.csv: line 2 cannot be split into fields"),
        (HEAD + "1,2,x\n3,4,\n5,6,?\n", "must not be missing, got no value in line 3, 4."),
        (
            HEAD + "1,2,x\n3,1e999,y\n",
            "line 3 must hold finite numbers, got '1e999' in feature 'b'",
        ),
        (HEAD + "1,2,x\n-inf,2,y\n", "line 3 must hold finite numbers, got '-inf' in feature 'a'"),
        (HEAD + "1,,x\n3,NA,y\n", "must have a value somewhere, got none in 'b'."),
        (HEAD + '1,"2,5",x\n3,"4,5",y\n', "feature 'b' must have numbers with a decimal point"),
        (HEAD + '1,"2,500.5",x\n3,4,y\n', "feature 'b' must have numbers with a decimal point"),
        ("a;b;class\n1;2;x\n", "seems to be separated by ';': pass separator=';'."),
        ("a\tb\tclass\n1\t2\tx\n", r"pass separator='\t'."),
        ("class\nx\ny\n", "line 1 must name at least 2 columns, got 1. A table needs"),
        ("1,2,3\n4,5,6\n", "line 1 must hold the names of the columns, got only numbers"),
        ("a,a,class\n1,2,x\n", "column names must be distinct, got more than once: 'a'."),
        (",a,class\n0,1,x\n", "got none for column 1."),
    ],
)
def test_a_broken_file_gets_one_sentence_with_the_place(refusal, content, message):
    got = refusal("x.csv", content)
    assert message in got
    assert got.startswith("x.csv: ")


def test_semicolons_with_decimal_commas(refusal):
    got = refusal("x.csv", "a;class\n1,5;x\n2,5;y\n", separator=";")
    assert "feature 'a' must have numbers with a decimal point, got commas ('1,5', '2,5')" in got


def test_text_that_comes_late_keeps_the_spelling_of_all_values(write, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.blocks.BLOCK_CELLS", 6)
    rows = ["7,0,x", "007,1,y", "7,2,x", "7.0,3,y", "NA,4,x", "seven,5,y", "7,6,x"]
    data = read_table(write("x.csv", HEAD + "\n".join(rows)), "class")
    assert data.nominal.tolist() == [True, False]
    np.testing.assert_array_equal(data.values[:, 0], [1, 0, 1, 2, np.nan, 3, 1])
    assert data.values[:, 1].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert data.target.tolist() == [0, 1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("cells", [3, 9, 10**6])
def test_the_size_of_the_blocks_does_not_show(write, monkeypatch, same, cells):
    rows = [f"{row},{'red' if row % 3 else 'blue'},{row % 2}" for row in range(20)]
    path = write("x.csv", HEAD + "\n".join(rows))
    expected = read_table(path, "class")
    monkeypatch.setattr("fuzzyfrog.data.blocks.BLOCK_CELLS", cells)
    same(read_table(path, "class"), expected)


def test_a_large_file_is_not_held_as_text(write, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.blocks.BLOCK_CELLS", 2**12)
    n_samples, n_features = 4_000, 50
    line = ",".join(f"{0.123456789 * k:.9f}" for k in range(n_features))
    names = ",".join(f"f{k}" for k in range(n_features))
    path = write(
        "x.csv", f"{names},class\n" + "".join(f"{line},{r % 2}\n" for r in range(n_samples))
    )
    tracemalloc.start()
    data = read_table(path, "class")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The table twice over, while it is joined; its cells as text take seven times as much.
    assert peak < 2.5 * data.values.nbytes + 2**20


def test_a_file_that_changes_while_it_is_read_is_refused(write):
    path = write("x.csv", HEAD + "1,2,x\n3,4,y\n")

    class Meddling(Wanted):
        def layout(self, header, file):
            with path.open("a") as stream:
                stream.write("5,6,x\n")
            os.utime(path, ns=(1, 1))
            return super().layout(header, file)

    with pytest.raises(DataError, match="the file changed while it was read"):
        read_delimited(path, Meddling("class", (), None), separator=",", encoding="utf-8")


def numbers_and(*others):
    cells = [*map(str, range(30)), *others]
    return HEAD + "".join(f"{cell},0,{'xy'[k % 2]}\n" for k, cell in enumerate(cells))


@pytest.mark.parametrize("others", [["12O"], ["-", "unknown"]])
def test_a_slip_in_a_column_of_numbers_is_warned_of(write, others):
    spelled = ", ".join(repr(cell) for cell in others)
    with pytest.warns(UserWarning, match=f"'a' holds numbers but for {spelled}, so it is read"):
        data = read_table(write("x.csv", numbers_and(*others)), "class")
    assert data.nominal.tolist() == [True, False]


@pytest.mark.parametrize(
    "content",
    [
        numbers_and("low", "middle", "high", "top"),  # too many labels for slips
        HEAD + "1,0,x\nmany,0,y\n3,0,x\n",  # too few numbers to be sure
    ],
)
def test_labels_among_numbers_are_not_taken_for_slips(write, content):
    assert read_table(write("x.csv", content), "class").nominal[0]


def test_a_column_that_was_named_as_nominal_is_not_warned_of(write):
    path = write("x.csv", numbers_and("-"))
    assert read_table(path, "class", categorical_features=["a"]).nominal[0]
