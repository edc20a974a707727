import numpy as np
import pytest

from fuzzyfrog.data import read_table

HEAD = """% a comment
@RELATION shop
@attribute\tsize\tINTEGER
@attribute 'main color' {red, 'dark blue', ?}
@attribute class {yes,no,'not sure'}

@DATA
"""


def test_a_dense_file(write):
    rows = "1.7,red,yes\n% between\n?,'dark blue',no\n3,?,'not sure'\n"
    data = read_table(write("shop.arff", HEAD.replace(", ?}", "}") + rows), "class")
    assert data.feature_names == ("size", "main color")
    assert data.categorical.tolist() == [False, True]
    assert data.classes == ("no", "not sure", "yes")
    assert data.target.tolist() == [2, 0, 1]
    np.testing.assert_array_equal(data.values, [[1.7, 1], [np.nan, 0], [3, np.nan]])


def test_a_sparse_file(write):
    head = "@relation r\n@attribute a numeric\n@attribute b {u,v}\n@attribute class {x,y}\n@data\n"
    data = read_table(write("s.arff", head + "{0 5, 2 y}\n{1 v}\n{}\n{0 ?, 1 v, 2 y}\n"), "class")
    np.testing.assert_array_equal(data.values, [[5, 0], [0, 1], [0, 0], [np.nan, 1]])
    assert data.target.tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("kind", ["numeric", "INTEGER", "real"])
def test_integers_that_float64_would_merge_are_refused(refusal, write, kind):
    head = f"@relation r\n@attribute b numeric\n@attribute id {kind}\n@attribute class {{x,y}}\n"
    rows = f"@data\n1,{2**53},x\n2, {2**53 + 1} ,y\n3,?,x\n"
    assert "'id' must hold numbers that float64 can tell apart" in refusal("i.arff", head + rows)
    data = read_table(write("even.arff", head + rows.replace("40993", "40994")), "class")
    assert data.values[:2, 1].tolist() == [2.0**53, 2.0**53 + 2]


def test_text_attributes_are_categorical_and_na_is_a_value(write):
    head = "@relation r\n@attribute a string\n@attribute class {NA,y}\n@data\n"
    data = read_table(write("s.arff", head + "NA,NA\n'b c',y\nNA,y\n"), "class")
    assert data.categorical.tolist() == [True]
    assert data.values[:, 0].tolist() == [0.0, 1.0, 0.0]
    assert data.classes == ("NA", "y")


def test_lines_that_end_as_on_old_macs(write):
    content = HEAD.replace(", ?}", "}") + "1.7,red,yes\n2,?,no\n"
    data = read_table(write("shop.arff", content.replace("\n", "\r")), "class")
    np.testing.assert_array_equal(data.values, [[1.7, 0], [2, np.nan]])


def test_a_numeric_target(write):
    head = "@relation r\n@attribute a real\n@attribute t real\n@data\n"
    data = read_table(write("s.arff", head + "1,0.5\n2,1.5\n"), "t")
    assert data.classes is None
    assert data.target.tolist() == [0.5, 1.5]


SHORT = "@relation r\n@attribute a numeric\n@attribute class {x,y}\n@data\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (SHORT + "1,x\n2\n", "line 6 has 1 field, expected 2."),
        (SHORT + "1,x\n2,x,y\n", "line 6 has 3 fields, expected 2."),
        (SHORT + '1,x\n"2,x"\n', "line 6 has 1 field, expected 2."),
        (SHORT + "1,x\n'2\\',x'\n", "line 6 has 1 field, expected 2."),
        (SHORT + "1,x\n{0 1, 2 x}\n", "line 6 names an attribute beyond the last, which is 1: "),
        (SHORT + "1,x\n{7 3}\n", "line 6 names an attribute beyond the last, which is 1: "),
        (SHORT + "1,x\n2 x\n", "line 6 cannot be split into values."),
        (SHORT + "1,x\n2,'x\n", "line 6 cannot be split into values."),
        (SHORT + "1,x\n{0 1 1 x}\n", "line 6 cannot be split into values."),
        (SHORT + "1,x\n2,z\n", "line 6 holds a value that its attribute does not declare."),
        (SHORT + "1,x\nred,y\n", "line 6 holds text in a numeric attribute."),
        (SHORT + "1,x\n1e999,y\n", "line 6 must hold finite numbers"),
        (SHORT + "1,x\n2,?\n", "at least 2 rows must stay, got 1 of 2."),
        (SHORT, "at least 2 samples below the header, got none."),
        (SHORT.replace("numeric", "date"), "line 2 declares an attribute that is not numeric"),
        (SHORT.replace("class {", "a {"), "line 3 declares a name for the second time."),
        (SHORT.replace("@data", ""), "breaks the order @relation, @attribute, @data."),
        ("", "breaks the order"),
        ("@relation r\n@attribute a\n@data\n", "line 2 is not valid ARFF."),
    ],
)
def test_a_broken_file_gets_one_sentence_with_the_line(refusal, content, message):
    got = refusal("x.arff", content)
    assert message in got
    assert got.startswith("x.arff: ")


def test_categorical_text_cannot_be_made_numbers(refusal):
    head = "@relation r\n@attribute a {u,v}\n@attribute class {x,y}\n@data\n"
    got = refusal("x.arff", head + "u,x\nv,y\n", categorical_features=None)
    assert "line 5: feature 'a' must be a number, got 'u'" in got
