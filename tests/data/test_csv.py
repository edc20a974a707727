import os
import tracemalloc

import numpy as np
import pytest

from broken_tables import BROKEN, HEAD
from fuzzyfrog.data import read_table
from fuzzyfrog.data.formats import Wanted
from fuzzyfrog.data.formats.csv import read_delimited
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


@pytest.mark.parametrize(
    ("content", "options", "settings"),
    [
        ("größe;class\n1,5;x\n2;y\n", {}, "separator=';' decimal=',' encoding='cp1252'"),
        ("size;class\n1,5;x\n2;y\n", {}, "separator=';' decimal=','"),
        ("größe|class\n1|x\n2|y\n", {}, "separator='|' encoding='cp1252'"),
        ("größe;class\n1,5;x\n2;y\n", {"separator": ";"}, "decimal=',' encoding='cp1252'"),
    ],
)
def test_all_that_is_wrong_with_a_file_is_told_at_once(refusal, content, options, settings):
    got = refusal("x.csv", content.encode("cp1252"), **options)
    assert got.endswith(f" Pass all of these: {settings}")


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_quoted_names_with_another_separator(refusal, mark):
    got = refusal("x.csv", f'"a"{mark}"class"\n"1"{mark}"x"\n"2"{mark}"y"\n')
    assert got == (
        "x.csv: line 1 cannot be split into fields, as text follows a closing quote. It seems to "
        f"be separated by {mark!r}: pass separator={mark!r}."
    )
    broken = refusal("x.csv", '"a","class"\n"1"2,"x"\n"2","y"\n')
    assert "line 2 cannot be split" in broken
    assert broken.endswith("Check its quotes and line ends.")


def test_a_single_wrong_setting_is_told_by_its_own_sentence(refusal):
    assert "Pass all" not in refusal("x.csv", "a;class\n1,5;x\n2;y\n".encode("utf-16"))
    assert "Pass all" not in refusal("x.csv", "a;class\n1;x\n2;y\n")
    assert "Pass all" not in refusal("x.csv", HEAD + "1,2,x\n3,y\n")


def test_codes_with_leading_zeros_are_warned_of(write, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.formats.csv.BLOCK_CELLS", 6)
    rows = ["80331,007,x", "50667,1,y", "01067,2,x", "50667,0.5,y"]
    path = write("x.csv", HEAD + "\n".join(rows))
    with pytest.warns(UserWarning, match="leading zeros, such as '01067'") as caught:
        data = read_table(path, "class")
    assert len(caught) == 1  # 007 stands among fractions
    assert not data.categorical.any()
    assert read_table(path, "class", categorical=["a"]).categorical.tolist() == [True, False]
    assert read_table(path, "class", categorical_features=None).notes == ()


def test_text_that_comes_late_keeps_the_spelling_of_all_values(write, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.formats.csv.BLOCK_CELLS", 6)
    rows = ["7,0,x", "007,1,y", "7,2,x", "7.0,3,y", "NA,4,x", "seven,5,y", "7,6,x"]
    with pytest.warns(UserWarning, match="1 'NA' in 'a'"):
        data = read_table(write("x.csv", HEAD + "\n".join(rows)), "class")
    assert data.categorical.tolist() == [True, False]
    np.testing.assert_array_equal(data.values[:, 0], [1, 0, 1, 2, np.nan, 3, 1])
    assert data.values[:, 1].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert data.target.tolist() == [0, 1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("cells", [3, 9, 10**6])
def test_the_size_of_the_blocks_does_not_show(write, monkeypatch, same, cells):
    rows = [f"{row},{'red' if row % 3 else 'blue'},{row % 2}" for row in range(20)]
    path = write("x.csv", HEAD + "\n".join(rows))
    expected = read_table(path, "class")
    monkeypatch.setattr("fuzzyfrog.data.formats.csv.BLOCK_CELLS", cells)
    same(read_table(path, "class"), expected)


def test_a_large_file_is_not_held_as_text(write, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.formats.csv.BLOCK_CELLS", 2**12)
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
    with pytest.warns(UserWarning, match=f"holds numbers except {spelled}, so it is categorical"):
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
