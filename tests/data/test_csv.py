import csv
import io
import os
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from broken_tables import BROKEN, HEAD
from fuzzyfrog.data import read_table
from fuzzyfrog.data.formats import csv as csv_format
from fuzzyfrog.data.formats.csv import DelimitedTable
from fuzzyfrog.data.texts import Dialect
from fuzzyfrog.data.write_table import CellSource, write_reduced
from fuzzyfrog.errors import DataError


@pytest.mark.parametrize(("content", "message"), BROKEN)
def test_a_broken_file_gets_one_sentence_with_the_place(refusal, content, message):
    got = refusal("x.csv", content)
    assert message in got
    assert got.startswith("x.csv: ")


def test_lines_that_end_as_on_old_macs(write, refusal):
    content = 'a,"b\rc",class\r1.5,u,x\r\r2,v,y\r3,"u",x'
    data = read_table(write("x.csv", content), "class")
    assert data.feature_names == ("a", "b\rc")
    np.testing.assert_array_equal(data.values, [[1.5, 0], [2, 1], [3, 0]])
    assert data.target.tolist() == [0, 1, 0]
    assert "line 3 has 1 field, expected 2." in refusal("x.csv", "a,class\r1,x\r2\r")


def test_settings_are_named_together_for_lines_of_old_macs(refusal):
    content = "a;class\r" + "1,5;x\r" * 20_000
    assert "Pass all of these: separator=';' decimal=','" in refusal("x.csv", content)


def test_semicolons_with_decimal_commas(refusal, write):
    content = "a;class\n1,5;x\n-2e1;y\n?;y\n"
    got = refusal("x.csv", content, separator=";")
    assert "feature 'a' must have numbers with a decimal point, got commas ('1,5', '-2e1')" in got
    assert "Pass decimal=','" in got
    data = read_table(write("x.csv", content), "class", decimal=",")
    np.testing.assert_array_equal(data.values[:, 0], [1.5, -20, np.nan])
    numeric = read_table(write("y.csv", "a;b\n1;1,5\n2;2,5\n"), "b", decimal=",")
    assert numeric.target.tolist() == [1.5, 2.5]


def test_with_decimal_commas_a_point_is_no_part_of_a_number(refusal, write):
    assert "got points ('1.23'" in refusal("x.csv", "a;class\n1.23;x\n2,5;y\n", decimal=",")
    path = write("x.csv", "a;class\n1.2.2020;x\n3.2.2020;y\n")
    assert read_table(path, "class", decimal=",").categorical.all()


COMMA = {"separator": ","}


@pytest.mark.parametrize(
    ("content", "options", "settings"),
    [
        ("größe;class\n1,5;x\n2;y\n", COMMA, "separator=';' decimal=',' encoding='cp1252'"),
        ("size;class\n1,5;x\n2;y\n", COMMA, "separator=';' decimal=','"),
        ("größe|class\n1|x\n2|y\n", COMMA, "separator='|' encoding='cp1252'"),
        ("größe;class\n1,5;x\n2;y\n", {}, "decimal=',' encoding='cp1252'"),
        ("größe;class\n1,5;x\n2;y\n", {"separator": ";"}, "decimal=',' encoding='cp1252'"),
    ],
)
def test_all_that_is_wrong_with_a_file_is_told_at_once(refusal, content, options, settings):
    got = refusal("x.csv", content.encode("cp1252"), **options)
    assert got.endswith(f" Pass all of these: {settings}")


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_quoted_names_with_another_separator(refusal, mark):
    got = refusal("x.csv", f'"a"{mark}"class"\n"1"{mark}"x"\n"2"{mark}"y"\n', separator=",")
    assert got == (
        "x.csv: line 1 cannot be split into fields, as text follows a closing quote. It seems to "
        f"be separated by {mark!r}: pass separator={mark!r}."
    )
    broken = refusal("x.csv", '"a","class"\n"1"2,"x"\n"2","y"\n')
    assert "line 2 cannot be split" in broken
    assert broken.endswith("Check its quotes and line ends.")


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_the_separator_of_the_header_is_used(write, tmp_path, mark):
    path = write(
        "x.csv", mark.join(["a", '"b"', "class"]) + f"\n1{mark}2,5{mark}x\n3{mark}7{mark}y\n"
    )
    note = f"x.csv: cells are separated by {mark!r}, as the header is."
    with pytest.warns(UserWarning, match=re.escape(note)):
        data = read_table(path, "class", categorical=["b"])
    assert data.notes == (note,)
    assert data.feature_names == ("a", "b")
    assert read_table(path, "class", separator=mark, categorical=["b"]).notes == ()
    write_reduced(data, ["b"], tmp_path / "r.csv", CellSource(path))
    assert (tmp_path / "r.csv").read_text() == f"b{mark}class\n2,5{mark}x\n7{mark}y\n"


def test_a_single_wrong_setting_is_told_by_its_own_sentence(refusal):
    assert "Pass all" not in refusal("x.csv", "a;class\n1,5;x\n2;y\n".encode("utf-16"))
    assert "Pass all" not in refusal("x.csv", "a;class\n1;x\n2;y\n", **COMMA)
    assert "Pass all" not in refusal("x.csv", HEAD + "1,2,x\n3,y\n")


def test_codes_with_leading_zeros_are_warned_of(write, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.formats.BLOCK_CELLS", 6)
    rows = ["80331,007,x", "50667,1,y", "01067,2,x", "50667,0.5,y"]
    path = write("x.csv", HEAD + "\n".join(rows))
    with pytest.warns(UserWarning, match="leading zeros, such as '01067'") as caught:
        data = read_table(path, "class")
    assert len(caught) == 1  # 007 stands among fractions
    assert not data.categorical.any()
    assert read_table(path, "class", categorical=["a"]).categorical.tolist() == [True, False]
    assert read_table(path, "class", categorical_features=None).notes == ()


def test_text_that_comes_late_keeps_the_spelling_of_all_values(write, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.formats.BLOCK_CELLS", 6)
    rows = ["7,0,x", "007,1,y", "7,2,x", "7.0,3,y", "NA,4,x", "seven,5,y", "7,6,x"]
    with pytest.warns(UserWarning, match="1 'NA' in 'a'"):
        data = read_table(write("x.csv", HEAD + "\n".join(rows)), "class")
    assert data.categorical.tolist() == [True, False]
    np.testing.assert_array_equal(data.values[:, 0], [1, 0, 1, 2, np.nan, 3, 1])
    assert data.values[:, 1].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert data.target.tolist() == [0, 1, 0, 1, 0, 1, 0]


CELLS = st.one_of(
    st.floats(-1e6, 1e6).map(lambda number: f"{number:.4f}"),
    st.integers(-9, 2000).map(str),
    st.sampled_from(
        ["", "NA", "?", "nan", "red", "two words", 'a "b" c', "x\ny", "1,5", " 7 ", "007"]
    ),
    st.sampled_from(["+3", "1e3", "1_000", "12345678901234567890", "nan(1)", "\xa05", "ü", "\r"]),
)


@st.composite
def text_files(draw):
    """Return a CSV file as a program writes it, its lines and its cells."""
    columns = draw(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=3))
    n_rows = draw(st.integers(2, 30))
    records = [[draw(st.sampled_from(pool)) for pool in columns] for _ in range(n_rows)]
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator=draw(st.sampled_from(["\n", "\r\n"])))
    writer.writerow([*(f"f{place}" for place in range(len(columns))), "class"])
    for row, record in enumerate(records):
        writer.writerow([*record, "xy"[row % 2]])
        if draw(st.integers(0, 9)) == 0:
            stream.write("\n")
    return stream.getvalue()


def outcome(path, **options):
    """Return all that a file is read as, or the sentence that refuses it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            data = read_table(path, "class", **options)
        except DataError as error:
            return str(error)
    labels = data.values.tobytes(), data.target.tobytes(), data.categories, data.rows.tolist()
    return *labels, tuple(map(str, data.notes))


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text_files(), st.sampled_from([20, 50, 200]))
def test_blocks_and_readers_do_not_show(tmp_path, content, n_bytes):
    """The same by Arrow in one block or in many, and by Python's csv module."""
    path = tmp_path / "x.csv"
    path.write_bytes(content.encode())
    expected = outcome(path)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FIRST_BYTES", "BLOCK_BYTES"):
            patch.setattr(f"fuzzyfrog.data.formats.csv.{name}", n_bytes)
        patch.setattr("fuzzyfrog.data.formats.csv.LEAST_ROWS", 0)
        assert outcome(path) == expected
        patch.setattr("fuzzyfrog.data.formats.csv.DelimitedTable._cells", lambda *_: None)
        assert outcome(path) == expected
    if isinstance(expected, tuple):
        reader = csv.reader(line + "\n" for line in content.split("\n"))
        lines = [reader.line_num for record in reader if record][1:]
        assert expected[3] == lines


def test_plain_numbers_after_the_first_block_are_those_of_python(write, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.formats.csv.FIRST_BYTES", 40)
    rng = np.random.default_rng(0)
    cells = [
        repr(one) for one in (rng.normal(size=400) * 10.0 ** rng.integers(-300, 15, 400)).tolist()
    ]
    cells[100], cells[200], cells[300] = "NA", " 2.5 ", "9007199254740993"
    rows = "".join(f"{cell},{'xy'[row % 2]}\n" for row, cell in enumerate(cells))
    data = read_table(write("x.csv", "a,class\n" + rows), "class")
    cells[100] = "nan"
    np.testing.assert_array_equal(data.values[:, 0], [float(cell) for cell in cells])
    late = write("x.csv", "a,class\n" + rows + "1e999,x\n")
    with pytest.raises(DataError, match="line 402 must hold finite numbers, got '1e999'"):
        read_table(late, "class")


@pytest.mark.parametrize("n_bytes", [40, 2**18])
def test_infinity_among_text_is_a_category_in_blocks_of_any_size(write, n_bytes, monkeypatch):
    for name, value in {"FIRST_BYTES": n_bytes, "BLOCK_BYTES": n_bytes, "LEAST_ROWS": 1}.items():
        monkeypatch.setattr(f"fuzzyfrog.data.formats.csv.{name}", value)
    rows = "inf,1,x\n" + "2,1,y\n" * 50 + "high,1,x\n" + "3,2,y\n" * 50
    data = read_table(write("x.csv", "a,b,class\n" + rows), "class")
    assert data.categories == (("2", "3", "high", "inf"), None)
    path = write("x.csv", "a,b,class\n" + rows + "2,-inf,x\n2,inf,x\n")
    with pytest.raises(DataError, match="line 104 must hold finite numbers, got '-inf' in feature"):
        read_table(path, "class")


@pytest.mark.parametrize(
    ("cell", "label"), [('5" pipe', '5" pipe'), (' "b"', '"b"'), ('"a\rb"', "a\rb"), ("ü§", "ü§")]
)
def test_cells_that_arrow_would_split_differently(write, cell, label):
    rows = "1,red,x\n" * 20_000 + f"2,{cell},y\n" + "3,blue,x\n" * 20_000
    data = read_table(write("x.csv", HEAD + rows), "class")
    assert data.categories[1] == tuple(sorted(["red", "blue", label]))
    assert data.rows.tolist() == list(range(2, 40_003))


@pytest.mark.parametrize("large", [2**53, -(2**53) - 1, -(10**30) - 1, 10**30])
def test_integers_far_apart_in_a_file_are_told_apart_or_refused(refusal, large):
    rows = [f"{large if row < 3 else row},{'xy'[row % 2]}" for row in range(60_000)]
    rows[-1] = f"{large + 1},x"
    assert "that float64 can tell apart" in refusal("x.csv", "a,class\n" + "\n".join(rows))


PEAK = """
import re, sys
from pathlib import Path
from fuzzyfrog.data import read_table

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])

read_table(sys.argv[1], "class")
before = peak()
data = read_table(sys.argv[2], "class")
print(peak() - before, data.values.nbytes // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_a_large_file_is_not_held_as_text(write):
    n_samples, n_features = 60_000, 50
    line = ",".join(f"{0.123456789 * k:.9f}" for k in range(n_features))
    head = ",".join(f"f{k}" for k in range(n_features)) + ",class\n"
    rows = [f"{line},{r % 2}\n" for r in range(n_samples)]
    paths = write("small.csv", head + "".join(rows[:9])), write("x.csv", head + "".join(rows))
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", PEAK, *paths], capture_output=True, text=True, check=True
    )
    peak, size = map(int, run.stdout.split())
    # Split as a whole, the cells would take four times as much as the table, next to it.
    assert peak < 2.5 * size + 2**16  # Arrow keeps some memory of each thread


def test_a_bad_cell_is_named_before_a_fault_that_was_read_ahead(write, monkeypatch):
    for name, value in {"FIRST_BYTES": 40, "BLOCK_BYTES": 40, "LEAST_ROWS": 1}.items():
        monkeypatch.setattr(f"fuzzyfrog.data.formats.csv.{name}", value)
    whole = csv_format._whole_records

    def then_cut_off(*arguments):
        yield from whole(*arguments)
        raise DataError("x.csv: the file ends in the middle")

    monkeypatch.setattr(csv_format, "_whole_records", then_cut_off)
    good = HEAD + "1,2,x\n3,4,y\n" * 30
    bad = good + "oops,5,x\n" + "6,7,y\n" * 16
    for rows, told in ((bad, "line 62: "), (good, "ends in the middle")):
        with pytest.raises(DataError, match=told):
            read_table(write("x.csv", rows), "class", categorical_features=None)


def test_a_file_that_changes_while_it_is_read_is_refused(write):
    path = write("x.csv", HEAD + "1,2,x\n3,4,y\n")

    table = DelimitedTable(path, Dialect())
    with path.open("a") as stream:
        stream.write("5,6,x\n")
    os.utime(path, ns=(1, 1))
    with pytest.raises(DataError, match="the file changed while it was read"):
        list(table.blocks({}))


def numbers_and(*others):
    cells = [*map(str, range(30)), *others]
    return HEAD + "".join(f"{cell},0,{'xy'[k % 2]}\n" for k, cell in enumerate(cells))


@pytest.mark.parametrize("others", [["12O"], ["-", "unknown"]])
def test_a_slip_in_a_column_of_numbers_is_warned_of(write, others):
    spelled = ", ".join(repr(cell) for cell in others)
    with pytest.warns(
        UserWarning, match=f"holds numbers except {spelled}, so it is treated as categorical"
    ):
        data = read_table(write("x.csv", numbers_and(*others)), "class")
    assert data.categorical.tolist() == [True, False]


@pytest.mark.parametrize(
    "content",
    [
        numbers_and(*"abcdefgh"),  # too many labels for slips
        HEAD + "1,0,x\nmany,0,y\n3,0,x\n",  # too few numbers to be sure
    ],
)
def test_labels_among_numbers_are_not_taken_for_slips(write, content):
    assert read_table(write("x.csv", content), "class").categorical[0]


def test_a_column_that_was_named_as_categorical_is_not_warned_of(write):
    path = write("x.csv", numbers_and("-"))
    assert read_table(path, "class", categorical_features=["a"]).categorical[0]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("title", ["Values of 2026", "Values of 2026,,,", '"Values\nof 2026"'])
def test_titles_above_the_header(write, title, end):
    text = f"{title}\n\nsize,color,ripe\n1.5,red,yes\n2,green,no\n3,red,no\n"
    with pytest.warns(UserWarning, match="names the columns, below 'Values"):
        data = read_table(write("x.csv", text.replace("\n", end)), "ripe")
    assert data.feature_names == ("size", "color")
    assert data.values[:, 0].tolist() == [1.5, 2, 3]
    n_above = title.count("\n") + 3
    assert data.rows.tolist() == [n_above + 1, n_above + 2, n_above + 3]


def test_titles_above_another_separator(write, refusal):
    text = "Values of 2026\nsize;color;class\n1;red;yes\n2;green;no\n3;red;no\n"
    with pytest.warns(UserWarning, match="x") as caught:
        data = read_table(write("x.csv", text), "class")
    assert data.feature_names == ("size", "color")
    assert [str(one.message) for one in caught] == [
        "x.csv: line 2 names the columns, below 'Values of 2026'.",
        "x.csv: cells are separated by ';', as the header is.",
    ]
    text = text.replace("\n1;", "\n1,5;").replace("of ", "of spring, ")
    assert "Pass all of these: separator=';' decimal=','" in refusal("x.csv", text)
