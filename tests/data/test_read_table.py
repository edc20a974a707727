import gzip
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzyfrog import ReductSelector
from fuzzyfrog.data import make_dataset, read_table
from fuzzyfrog.data.write_table import CellSource, write_reduced
from fuzzyfrog.errors import DataError
from fuzzyfrog.result.check import said_first

CSV = """size,color,class
1.5,red,yes
NA,blue,no
3,?,yes
"""


@pytest.fixture
def expected():
    return make_dataset(
        [[1.5, "red"], [None, "blue"], [3, None]],
        ["yes", "no", "yes"],
        feature_names=["size", "color"],
    )


def test_a_csv_file(write, same, expected):
    data = read_table(write("shop.csv", CSV), "class")
    same(data, expected)
    assert (data.name, data.target_name) == ("shop", "class")


@pytest.mark.parametrize("name", ["shop.tsv", "SHOP.TSV", "shop.tsv.gz"])
def test_tabs_and_gzip_are_told_by_the_suffix(write, same, expected, name):
    content = CSV.replace(",", "\t").encode()
    if name.endswith("gz"):
        content = gzip.compress(content)
    data = read_table(write(name, content), "class")
    same(data, expected)
    assert data.name.lower() == "shop"


def test_byte_order_mark_line_ends_quotes_and_blanks_do_not_matter(write, same, expected):
    content = '\ufeff"size", color ,class\r\n1.5,"red",yes\r\n\r\nNA,blue, no\r\n3,?,"yes"'
    same(read_table(write("shop.csv", content), "class"), expected)


def test_the_target_may_stand_anywhere_and_columns_may_be_ignored(write, same, expected):
    content = "id,class,size,color\n7,yes,1.5,red\n8,no,,blue\n9,yes,3,\n"
    same(read_table(write("shop.csv", content), "class", ignore=["id"]), expected)


def test_labels_are_text_as_it_is_spelled(write):
    content = "a,class\n1,007\n2,7\n3,NA\n4,None\n5,null\n"
    data = read_table(write("x.csv", content), "class", target_kind="class")
    assert data.classes == ("007", "7", "NA", "None", "null")


@pytest.mark.parametrize(
    ("labels", "kind", "classes", "target"),
    [
        ("0.5 1 2", "auto", None, [0.5, 1.0, 2.0]),
        ("0.5 1 2", "class", ("0.5", "1", "2"), [0, 1, 2]),
        ("3 1 2", "auto", ("1", "2", "3"), [2, 0, 1]),
        ("3 1 2", "numeric", None, [3.0, 1.0, 2.0]),
        ("1.0 2.0 1.0", "auto", ("1.0", "2.0"), [0, 1, 0]),
        ("0.5 NA 0.5", "class", ("0.5", "NA"), [0, 1, 0]),
    ],
)
def test_kinds_of_target(write, labels, kind, classes, target):
    rows = "".join(f"{row},{label}\n" for row, label in enumerate(labels.split()))
    data = read_table(write("x.csv", "a,t\n" + rows), "t", target_kind=kind)
    assert data.classes == classes
    assert data.target.tolist() == target


def test_named_features_are_categorical_and_keep_their_spelling(write):
    path = write("x.csv", "a,b,class\n1,1,x\n01,2,y\n1,3,x\n")
    data = read_table(path, "class", categorical_features=["a"])
    assert data.categorical.tolist() == [True, False]
    assert data.values[:, 0].tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_utf_8_with_its_mark_is_an_encoding(write, ending):
    for written in ("utf-8", "utf-8-sig"):
        content = "höhe,class\n1,x\n2,ÿ\n".encode(written)
        path = write(f"x.csv{ending}", gzip.compress(content) if ending else content)
        data = read_table(path, "class", encoding="utf-8-sig")
        assert (data.feature_names, data.classes) == (("höhe",), ("x", "ÿ"))


def test_another_separator_and_encoding(write):
    path = write("x.csv", "größe;class\n1,5;a\n2;b\n".replace("1,5", "1.5").encode("latin-1"))
    data = read_table(path, "class", separator=";", encoding="latin-1")
    assert data.feature_names == ("größe",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": None}, "target is missing: name the column to predict, one of 'size'"),
        ({"target": "clas"}, "target must be .* got 'clas'. Did you mean 'class'?"),
        ({"target": "zzz"}, "got 'zzz'. Known: 'size', 'color', 'class'"),
        ({"ignore": ["id"]}, "ignore must be the name of a column, got 'id'"),
        ({"ignore": "size"}, "ignore must be a list of names"),
        ({"ignore": ["class"]}, "ignore must not name the target"),
        ({"ignore": ["size", "color"]}, "must have a feature besides the target"),
        ({"target_kind": "label"}, "target_kind must be one of"),
        ({"target_kind": "numeric"}, "target 'class': .* must hold numbers, got 'yes'"),
        ({"separator": ";;"}, "separator must be one character"),
        ({"decimal": ";"}, "decimal must be one of '.', ',', got ';'"),
        (
            {"categorical": ["Color", "sise"]},
            "categorical must be .* feature, got 'Color'.* 'color'",
        ),
        ({"categorical": "size"}, "categorical must be a list of names"),
        ({"encoding": "utf-16"}, "encoding must be .* got 'utf-16'"),
        ({"encoding": "nonsense"}, "encoding must be .* got 'nonsense'"),
        ({"categorical_features": ["colour"]}, "Did you mean 'color'"),
        ({"categorical_features": None}, "line 2: feature 'color' must be a number, got 'red'"),
    ],
)
def test_wrong_options_are_named(refusal, options, message):
    assert re.search(message, refusal("shop.csv", CSV, **options))


@pytest.mark.parametrize("name", ["table.txt", "table", "table.gz", "table.csv.zip"])
def test_an_unknown_format_lists_the_known_ones(refusal, name):
    assert "'.csv', '.tsv', '.arff', '.npy', '.parquet'" in refusal(name, CSV)


@pytest.mark.parametrize("name", ["table.xls", "table.ods"])
def test_another_spreadsheet_is_to_be_saved_as_one_that_is_read(refusal, name):
    assert "Save the sheet with the table as .xlsx or CSV" in refusal(name, CSV)


def test_categorical_adds_to_what_is_recognized(write):
    path = write("x.csv", "code,color,size,class\n01067,red,1,x\n50667,blue,2,y\n")
    data = read_table(path, "class", categorical=["code"])
    assert data.categorical.tolist() == [True, True, False]
    assert data.categories[0] == ("01067", "50667")
    assert data.notes == ()


@pytest.mark.parametrize("suffix", [".parquet", ".npy", ".arff"])
def test_categorical_adds_in_every_format(write, tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    if suffix == ".parquet":
        pa = pytest.importorskip("pyarrow")
        pa.parquet.write_table(pa.table({"x0": [1, 2, 1], "x1": [3, 4, 5], "x2": [0, 1, 1]}), path)
    elif suffix == ".npy":
        np.save(path, np.array([[1, 3, 0], [2, 4, 1], [1, 5, 1]]))
    else:
        head = "".join(f"@attribute x{k} numeric\n" for k in range(3))
        write("x.arff", f"@relation r\n{head}@data\n1,3,0\n2,4,1\n1,5,1\n")
    assert read_table(path, "x2", categorical=["x0"]).categorical.tolist() == [True, False]


def test_many_whole_numbers_as_a_target_are_a_quantity(write):
    path = write("x.csv", "a,age\n" + "".join(f"{k % 7},{k % 40}\n" for k in range(120)))
    with pytest.warns(UserWarning, match="40 different whole numbers .* target_kind='class'"):
        found = read_table(path, "age")
    assert found.classes is None
    assert found.target[:3].tolist() == [0.0, 1.0, 2.0]
    assert len(read_table(path, "age", target_kind="class").classes) == 40
    assert read_table(path, "age", target_kind="numeric").notes == ()


@pytest.mark.parametrize(
    "cells",
    [
        [f"{k % 20}" for k in range(120)],  # few of them
        [f"{k % 40}" for k in range(400)],  # ten samples each
        [f"0{k % 40 + 10}" for k in range(120)],  # codes
        [f"k{k % 40}" for k in range(120)],
    ],
)
def test_labels_stay_classes(write, cells):
    path = write("x.csv", "a,class\n" + "".join(f"{k % 7},{x}\n" for k, x in enumerate(cells)))
    assert read_table(path, "class").classes == tuple(sorted(set(cells)))


def test_a_single_class_names_the_file_and_the_target(refusal):
    message = refusal("x.csv", "a,class\n1,x\n2,x\n")
    assert message.startswith("x.csv: target 'class': y must have at least 2 classes, got 1 class")


def test_a_path_may_be_text(write, tmp_path):
    write("x.csv", CSV)
    assert read_table(str(tmp_path / "x.csv"), "class").n_samples == 3


def test_all_formats_agree_on_numbers(write, same, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-300, 300, size=(40, 3))
    labels = rng.choice(["x", "y"], size=40)
    expected = make_dataset(X, labels, feature_names=["a", "b", "c"])
    cells = zip(X.tolist(), labels, strict=True)
    rows = "\n".join(",".join([*map(repr, numbers), label]) for numbers, label in cells)
    same(read_table(write("n.csv", "a,b,c,class\n" + rows), "class"), expected)
    declared = "".join(f"@attribute {name} numeric\n" for name in "abc")
    head = f"@relation r\n{declared}@attribute class {{x,y}}\n@data\n"
    same(read_table(write("n.arff", head + rows), "class"), expected)
    columns = dict(zip("abc", X.T, strict=True))
    pq.write_table(pa.table({**columns, "class": labels}), tmp_path / "n.parquet")
    same(read_table(tmp_path / "n.parquet", "class"), expected)


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".arff", ".parquet"])
def test_a_column_without_a_value_is_read(write, tmp_path, suffix):
    frame = pd.DataFrame({"a": [1.0, 2, 4], "b": [np.nan] * 3, "y": ["p", "q", "p"]})
    arff = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute y {p,q}\n@data\n"
    path = write("t.arff", arff + "1,?,p\n2,?,q\n4,?,p\n").with_suffix(suffix)
    if suffix == ".csv":
        frame.to_csv(path, index=False)
    elif suffix == ".xlsx":
        frame.to_excel(path, index=False)
    elif suffix == ".parquet":
        frame.to_parquet(path)
    data = read_table(path, "y")
    np.testing.assert_array_equal(data.values, [[1, np.nan], [2, np.nan], [4, np.nan]])


def test_errors_are_value_errors():
    assert issubclass(DataError, ValueError)


def test_warnings_point_at_the_line_of_the_caller(write):
    path = write("x.csv", "a,class\n1 g,x\n2 g,y\n3 g,x\n")
    with pytest.warns(UserWarning, match="numbers in text") as caught:
        read_table(path, "class")
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="numbers as text") as caught:
        ReductSelector("quickreduct").fit(pd.DataFrame({"a": ["1", "2", "4"]}), [0, 1, 0])
    assert caught[0].filename == __file__


GAPPY = "a,b,c,class\n1,2,3,x\n4,,6,y\n,,9,x\n7,8,5,?\n3,1,2,y\n"


def test_rows_with_many_gaps_or_without_a_target_are_left_out(write, tmp_path):
    path = write("x.csv", GAPPY)
    with pytest.warns(UserWarning, match="left out") as caught:
        data = read_table(path, "class", max_missing=1)
    assert [str(one.message) for one in caught] == [
        "x.csv: 1 row without a target left out.",
        "x.csv: 1 row with more than 1 missing value left out.",
    ]
    assert data.notes == tuple(str(one.message) for one in caught)
    np.testing.assert_array_equal(data.values, [[1, 2, 3], [4, np.nan, 6], [3, 1, 2]])
    assert data.target.tolist() == [0, 1, 1]
    assert data.rows.tolist() == [2, 3, 6]
    write_reduced(data, ["a"], tmp_path / "r.csv", CellSource(path))
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 6  # all rows of the file
    table = pa.table({"a": [1.0, 2.0, None, 4.0], "class": ["x", None, "y", "x"]})
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.warns(UserWarning, match="1 row without a target left out"):
        assert read_table(tmp_path / "x.parquet", "class").n_samples == 3


def test_some_rows_must_stay(refusal):
    got = refusal("x.csv", "a,b,class\n,2,x\n3,,y\n", max_missing=0)
    assert "at least 2 rows must stay, got 0 of 2" in got
    assert "max_missing must be" in refusal("x.csv", GAPPY, max_missing=-1)


AIR = [(41, 7.4), (36, 8.0), ("NA", 14.3), (12, 12.6), ("NA", 8.6), (28, 14.9), (23, 9.7)]


def air(marker="NA"):
    """Return measurements of ozone, one for each hour, as R writes them."""
    cells = [*AIR, *((7 + 3 * hour, 5 + hour % 11) for hour in range(25))]
    rows = (f"{marker if ozone == 'NA' else ozone},{wind}" for ozone, wind in cells)
    return "Ozone,Wind\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("marker", ["NA", "N/A", "nan", "NULL", ""])
def test_a_marker_of_missing_values_is_no_label(write, marker):
    path = write("air.csv", air(marker))
    with pytest.warns(UserWarning, match="quantity|left out") as caught:
        data = read_table(path, "Ozone")
    note = "air.csv: 2 rows without a target left out."
    if marker:
        note += f" Pass target_kind='class' if {marker!r} in the target is a label."
    assert note in [str(one.message) for one in caught]
    assert note in data.notes
    assert data.classes is None
    assert data.target.tolist()[:5] == [41, 36, 12, 28, 23]
    assert data.rows.tolist()[:3] == [2, 3, 5]


def test_a_marker_among_labels_is_missing_unless_the_target_is_said_to_be_classes(write):
    path = write("x.csv", "size,answer\n1,yes\n2,no\n3,None\n4,\n5,yes\n")
    for kind, classes, note in (
        (
            "auto",
            ("no", "yes"),
            "2 of 5 rows have no target and are left out[.] Pass .* if 'None' in the target is",
        ),
        ("class", ("None", "no", "yes"), "1 row without a target left out[.]$"),
    ):
        with pytest.warns(UserWarning, match=note):
            data = read_table(path, "answer", target_kind=kind)
        assert data.classes == classes


@pytest.mark.parametrize("marker", ["None", ""])
def test_that_most_rows_have_a_word_for_a_target_is_said_first(write, marker):
    damage = ["yes", "no", marker] * 9 + [marker] * 10
    path = write("x.csv", "size,damage\n" + "".join(f"{k},{one}\n" for k, one in enumerate(damage)))
    with pytest.warns(UserWarning, match="left out"):
        (note,) = read_table(path, "damage").notes
    weighty = (
        "x.csv: 19 of 37 rows have no target and are left out. "
        "Pass target_kind='class' if 'None' in the target is a label."
    )
    assert note == (weighty if marker else "x.csv: 19 rows without a target left out.")
    assert said_first([note]) == [weighty] * bool(marker)


PLANS = "plan,size,churn\n" + "".join(
    f"{plan},{k},{'yes' if plan == 'None' else 'no'}\n"
    for k, plan in enumerate(["None", "basic", "pro", "None", "NaN", "NA"])
)


def test_words_for_no_value_may_be_categories(write, tmp_path):
    path = write("x.csv", PLANS)
    words = "cells with these words are taken as missing: 2 'None' and 1 'NA' in 'plan'. Name a"
    with pytest.warns(UserWarning, match=words):
        data = read_table(path, "churn")
    assert data.categories[0] == ("basic", "pro")
    kept = read_table(path, "churn", categorical=["plan"])
    assert kept.categories[0] == ("NA", "None", "basic", "pro")
    assert np.isnan(kept.values[:, 0]).tolist() == [False] * 4 + [True, False]
    write_reduced(kept, ["plan"], tmp_path / "r.parquet", CellSource(path))
    again = read_table(tmp_path / "r.parquet", "churn")
    assert again.categories[0] == kept.categories[0]


def test_words_for_no_value_among_numbers_are_missing(write):
    data = read_table(write("x.csv", "a,class\n1,x\nNone,y\n3,x\n"), "class")
    assert data.notes == ()
    np.testing.assert_array_equal(data.values[:, 0], [1, np.nan, 3])


@pytest.mark.parametrize("kind", ["file", "frame"])
def test_a_slip_among_the_numbers_of_a_target_is_told(write, kind):
    target = [f"{k / 7:.3f}" for k in range(1, 60)] + ["n.d."]
    path = write("x.csv", "a,y\n" + "".join(f"{k},{one}\n" for k, one in enumerate(target)))
    with pytest.warns(UserWarning, match="numbers except 'n.d.', so its 60 different values are"):
        data = (
            make_dataset([[k] for k in range(60)], target)
            if kind == "frame"
            else read_table(path, "y")
        )
    assert len(data.classes) == 60


@pytest.mark.parametrize("kind", ["auto", "class"])
def test_classes_that_differ_only_in_capital_letters_are_told(write, kind):
    path = write("x.csv", "a,y\n" + "1,Yes\n2,yes\n3,No\n4,maybe\n" * 3)
    told = "the target has classes that differ only in blanks or capital letters: 'Yes' and 'yes'."
    with pytest.warns(UserWarning, match=told):
        data = read_table(path, "y", target_kind=kind)
    assert data.classes == ("No", "Yes", "maybe", "yes")


def test_many_labels_that_are_numbers_are_classes_without_a_word(write):
    rows = "".join(f"{k},{k % 25}\n" for k in range(300)) + "7,other\n"
    assert len(read_table(write("x.csv", "a,y\n" + rows), "y").classes) == 26


def test_two_spellings_of_a_number_are_one_class(write):
    data = read_table(write("x.csv", "a,y\n1,0\n2,1.0\n3,0.0\n4,1\n5,1.00\n"), "y")
    assert data.classes == ("0", "1")
    assert data.target.tolist() == [0, 1, 0, 1, 1]
    codes = read_table(write("x.csv", "a,y\n1,7\n2,007\n3,7\n"), "y")
    assert codes.classes == ("007", "7")
