"""Numbers as people write them are read, and what only resembles them is not."""

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog.data import make_dataset, read_table
from fuzzyfrog.data.cells import parse_numbers, read_texts
from fuzzyfrog.data.write_table import CellSource, write_reduced
from fuzzyfrog.errors import DataError

CARS = """model,price,tax,mileage,weight,power,emission,owners,class
a,"$15,900.00",25.0%,"1,234",3750 g,1.5e3,<0.1,1,x
b,"$7,250.50",19 %,"98,100",4100 g,900,0.25,n/a,y
a,"-$1,000.00",7.5%,950,3800 g,1e2,0.1,2,x
b,$0,0,0,0,,~0.3,3,y
"""


def test_a_table_of_cars_as_a_spreadsheet_shows_it(write):
    with pytest.warns(UserWarning, match="numbers in text are read as numbers") as caught:
        data = read_table(write("cars.csv", CARS), "class")
    assert data.categorical.tolist() == [True] + 7 * [False]
    columns = dict(zip(data.feature_names, data.values.T, strict=True))
    assert columns["price"].tolist() == [15900, 7250.5, -1000, 0]
    assert columns["tax"].tolist() == [25, 19, 7.5, 0]
    assert columns["mileage"].tolist() == [1234, 98100, 950, 0]
    assert columns["weight"].tolist() == [3750, 4100, 3800, 0]
    np.testing.assert_array_equal(columns["power"], [1500, 900, 100, np.nan])
    assert columns["emission"].tolist() == [0.1, 0.25, 0.1, 0.3]
    np.testing.assert_array_equal(columns["owners"], [1, np.nan, 2, 3])
    (note,) = data.notes
    assert [str(one.message) for one in caught] == [note]
    assert "'price' ('$15,900.00' as 15900)" in note
    assert "'emission' ('<0.1' as 0.1)" in note
    assert "Name a column in categorical_features if its values are labels." in note


def test_texts_are_kept_on_request(write):
    path = write("cars.csv", CARS)
    with pytest.warns(UserWarning, match="numbers in text"):
        one = read_table(path, "class", categorical=["price"])
    assert one.categorical.tolist() == [True, True] + 6 * [False]


def test_numbers_that_are_all_in_brackets_may_be_labels():
    found = read_texts([f"({k})" for k in range(1, 9)])
    assert found.values is None
    assert found.doubt == "numbers in brackets, which may be labels, such as '(1)', '(2)', '(3)'"
    assert read_texts(["(-3)", "5", "(3", "4)", "7", "8"]).values is None


@pytest.mark.parametrize(
    ("texts", "decimal", "separator", "numbers"),
    [
        (["25.0%", "3 %", "0"], ".", None, [25, 3, 0]),
        (["€ 1.234,50", "€ 99,00"], ",", ";", [1234.5, 99]),
        (["1.234.567", "12"], ",", ";", [1234567, 12]),
        (["1,234", "12"], ".", ",", [1234, 12]),
        (["1,234,567", "12"], ".", ";", [1234567, 12]),
        (["1,234.5", "12"], ".", ";", [1234.5, 12]),
        (["$1,234", "$12"], ".", ";", [1234, 12]),
        (["1’234", "12"], ".", ";", [1234, 12]),
        (["1\u00a0234", "12"], ".", ";", [1234, 12]),
        (["12.5 mg/dl", "13 mg/dl"], ".", None, [12.5, 13]),
        (["1248 CC", "998 CC"], ".", None, [1248, 998]),
        (["36 months", "60 months"], ".", None, [36, 60]),
        (["(1,250.50)", "300", "(7)"], ".", ",", [-1250.5, 300, -7]),
        (["<0.1", "0.2", "0.3"], ".", None, [0.1, 0.2, 0.3]),
        (["−5 °C", "+3.5 °C", ".5 °C"], ".", None, [-5, 3.5, 0.5]),
        (["19 M", "8.7 M"], ".", None, [19, 8.7]),
        (["19\u00a0m", "8 m"], ".", None, [19, 8]),
        (["5 Mb", "7 Mb"], ".", None, [5, 7]),
        (["1.200 €", "12.50 €"], ".", None, [1.2, 12.5]),
        (["1.200 €", "0.459 €"], ".", None, [1.2, 0.459]),
        (["1.200,00 €", "850,00 €"], ",", ";", [1200, 850]),
        (["$1.459", "$1.519"], ".", None, [1.459, 1.519]),
        (["1.200 kg", "850 kg"], ".", None, [1.2, 850]),
        (["10,000+", "500+"], ".", ",", [10000, 500]),
        (["5 €", "NA", "7 €"], ".", None, [5, np.nan, 7]),
        (["1 234", "12"], ".", ",", [1234, 12]),
        (["1 234 567,5", "12"], ",", ";", [1234567.5, 12]),
        (["1.475", "800"], ",", ";", [1475, 800]),
        (["1.475", "2.310"], ",", ";", [1475, 2310]),
        (["1.234.000", "1.475", "800"], ".", ";", [1234000, 1475, 800]),
        (["<0.5", "3,4", "12"], ",", ";", [0.5, 3.4, 12]),  # a point before one digit
        (["74.6 kg", "71,3 kg", "1.200 kg"], ",", ";", [74.6, 71.3, 1200]),
    ],
)
def test_numbers(texts, decimal, separator, numbers):
    np.testing.assert_array_equal(read_texts(texts, decimal, separator).values, numbers)


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-03-31", "2024-04-01"],
        ["31.03.2024", "1.4.2024"],
        ["3/31/24", "4/1/24"],
        ["10:30", "11:45"],
        ["1.2.3", "1.10.0"],
        ["v1.2", "v1.3"],
        ["555-1234", "555-9876"],
        ["+49 89 123456", "+49 30 654321"],
        ["030 123 456", "040 123 456"],
        ["192.168.1.1", "10.0.0.1"],
        ["555.123.456", "555.654.321"],
        ["555 123", "555 321"],
        ["A123", "A124"],
        ["12A", "13B"],
        ["12A", "13A"],
        ["1b", "2b"],
        ["1 MW", "1 mW"],
        ["1 M", "1 m"],
        ["1 Mb", "2 MB"],
        ["1.200 €", "12.000 €", "850 €"],
        ["1st", "2nd", "3rd"],
        ["5th", "6th"],
        ["18-25", "26-35", ">35"],
        ["<=50K", ">50K"],
        ["<5", ">5"],
        ["3 red", "4 red"],
        ["1_000", "2_000"],
        ["0,123", "1,234"],
        ["25% ab", "30% ab"],
        ["$5 kg", "$6 kg"],
        ["inf", "1"],
        ["", "NA"],
    ],
)
def test_other_texts(texts):
    assert read_texts(texts, ".", ",").values is None


@pytest.mark.parametrize(
    ("texts", "separator", "doubt"),
    [
        (
            ["3 kg", "500 g", "1 kg", "2 kg", "4 kg"],
            ",",
            "different units or forms, such as '3 kg', '500 g'",
        ),
        (
            ["25%", "0.25", "30%", "40%", "0.5"],
            ",",
            "different units or forms, such as '25%', '0.25'",
        ),
        (["1,234", "12", "1,5e3", "2", "3"], ",", ""),  # typing errors, but too few numbers
        (["1,234", "12", "2,345", "9,999", "3"], ";", "commas that may mark decimals or thousands"),
        (
            ["1,234", "1500", "2,345", "9,999", "3"],
            ",",
            "such as '1,234' and '1500'",
        ),
        (["1,234", "1'500", "2,345", "9,999", "3"], ",", "two spellings"),
        (["001", "002", "136A", "17", "203"], ",", ""),  # codes
        (["12A", "13", "14", "15", "16"], ",", ""),
        (["12V", "13A", "14A", "15A", "16A"], ",", ""),
        (["12a", "13", "14", "15", "16"], ",", "different units or forms, such as '12a', '13'"),
        (["<1", "<2", "<3", "4", "5"], ",", "limits rather than values, such as '<1', '<2', '<3'"),
        (
            ["1 MW", "2 mW", "3 MW", "4 MW", "5 MW"],
            ",",
            "different units or forms, such as '1 MW', '2 mW'",
        ),
        (
            [f"{k}A" for k in range(9)],
            ",",
            "a letter, which may be labels, such as '0A', '1A', '2A'",
        ),
        (
            ["1.200 €", "12.000 €", "850 €", "2.000 €", "3.500 €"],
            ",",
            "points that may mark decimals or thousands, such as '1.200 €', '12.000 €', '2.000 €'",
        ),
        ([f"1.{k}00.000" for k in range(1, 9)], ",", "or codes, such as '1.100.000', '1.200.000'"),
        ([f"555 {k}00" for k in range(1, 9)], ",", "thousands, or codes, such as '555 100'"),
        ([f"{k}.5k" for k in range(15)] + [f"{k}M" for k in range(15)], ",", "different units"),
    ],
)
def test_a_doubt_is_told(texts, separator, doubt):
    found = read_texts(texts, ".", separator)
    assert found.values is None
    assert doubt in found.doubt
    assert bool(doubt) == bool(found.doubt)


def test_a_column_in_two_units_is_warned_of(write):
    rows = "".join(f"{k} {'kg' if k % 2 else 'g'},{'xy'[k % 2]}\n" for k in range(30))
    with pytest.warns(UserWarning, match="'a' holds numbers in different units") as caught:
        data = read_table(write("x.csv", "a,class\n" + rows), "class")
    assert data.categorical.all()
    assert "so it is treated as categorical" in str(caught[0].message)


def test_slips_among_numbers_with_a_unit_are_told(write):
    rows = "".join(f"{k} g,{'xy'[k % 2]}\n" for k in range(30))
    with pytest.warns(
        UserWarning,
        match="holds numbers except 'heavy', so it is treated as categorical because of 2 of 32",
    ):
        read_table(write("x.csv", f"a,class\n{rows}heavy,x\n heavy,y\n"), "class")


def test_columns_with_the_same_doubt_share_a_warning(write):
    rows = "".join(f"{k}.5,{k}.5,{k}.5,{k}.5,{k}.5,{k}.5,{'xy'[k % 2]}\n" for k in range(30))
    more = "a,b,c,d,e,f,class\n" + rows + "n.d.,-,-,-,-,-,x\n"
    with pytest.warns(UserWarning, match="'a' holds numbers except 'n.d.'") as caught:
        read_table(write("x.csv", more), "class")
    (message,) = [str(one.message) for one in caught]
    assert message.endswith("The same goes for 5 more features: 'b', 'c', 'd' and 2 more.")


@pytest.mark.parametrize(("separator", "decimal"), [(",", "."), (";", ",")])
def test_a_lone_point_is_a_missing_value(write, separator, decimal):
    rows = [f"{k}{decimal}5{separator}{'xy'[k % 2]}\n" for k in range(30)]
    text = f"a{separator}class\n{''.join(rows)}.{separator}x\n . {separator}y\n"
    data = read_table(write("x.csv", text), "class", separator=separator, decimal=decimal)
    assert data.values[:, 0].tolist()[:2] == [0.5, 1.5]
    assert np.isnan(data.values[30:, 0]).all()


def test_four_different_slips_among_numbers_are_told(write):
    rows = "".join(f"{k}.5,{'xy'[k % 2]}\n" for k in range(40)) + "n.d.,x\n-,y\n*,x\n12;3,y\n"
    with pytest.warns(UserWarning, match=r"numbers except 'n\.d\.', '-', '\*', '12;3', so it is"):
        read_table(write("x.csv", f"a,class\n{rows}"), "class")


def test_another_minus_is_named(write):
    with pytest.warns(UserWarning, match="read as numbers: 'v' .'−3' as -3.[.] Name"):
        data = read_table(write("x.csv", "v,class\n1,x\n−3,y\n"), "class")
    assert data.values[:, 0].tolist() == [1, -3]


@pytest.mark.parametrize("target", ["a", "b"])
def test_points_in_a_file_with_semicolons_may_mark_thousands(write, target):
    path = write("x.csv", "a;b\n800;1\n1.475;2\n2.310;1\n0;2\n")
    thing = "the target" if target == "a" else "feature 'a'"
    doubt = f"{thing} holds points that may mark decimals or thousands, '1.475' next to '800'"
    with pytest.warns(UserWarning, match=doubt):
        read_table(path, target, separator=";")
    with pytest.warns(UserWarning, match="'1.475' as 1475"):
        data = read_table(path, "b", decimal=",")
    assert data.values[:, 0].tolist() == [800, 1475, 2310, 0]


@pytest.mark.parametrize("cells", ["0.475", "1.4", "1475", "2.310.5"])
def test_points_that_mark_decimals(write, cells):
    rows = "".join(f"{cell};{'xy'[k % 2]}\n" for k, cell in enumerate(["800", "1.475", cells]))
    data = read_table(write("x.csv", "a;class\n" + rows), "class", separator=";")
    assert data.notes == ()


def test_frames_as_files():
    frame = pd.DataFrame({"share": ["25.0%", "19%", None], "price": ["$1,200", "$950", "$3"]})
    with pytest.warns(UserWarning, match=r"'share' \('25.0%' as 25\), 'price'"):
        data = make_dataset(frame, ["x", "y", "x"])
    np.testing.assert_array_equal(data.values, [[25, 1200], [19, 950], [np.nan, 3]])
    kept = make_dataset(frame, ["x", "y", "x"], categorical_features=["share", "price"])
    assert kept.categorical.all()
    assert make_dataset(frame.astype("category"), ["x", "y", "x"]).categorical.all()


def test_percent_with_decimal_commas_is_sent_to_the_option(refusal, write):
    content = "a;class\n12,5 %;x\n13 %;y\n"
    assert "Pass decimal=','" in refusal("x.csv", content, separator=";")
    with pytest.warns(UserWarning, match="'12,5 %' as 12.5|'13 %' as 13"):
        data = read_table(write("x.csv", content), "class", decimal=",")
    assert data.values[:, 0].tolist() == [12.5, 13]


def test_a_price_is_a_numeric_target(write):
    rows = "".join(f'{k},"${k + 1},500"\n' for k in range(25))
    path = write("x.csv", "a,price\n" + rows)
    with pytest.warns(UserWarning, match="the target holds numbers in text, read as numbers"):
        data = read_table(path, "price")
    assert data.classes is None
    assert data.target.tolist() == [1000 * (k + 1) + 500 for k in range(25)]
    assert len(read_table(path, "price", target_kind="class").classes) == 25


def test_few_amounts_are_classes_unless_asked_for(write):
    path = write("x.csv", "a,price\n1,$5\n2,$7\n3,$5\n")
    assert read_table(path, "price").classes == ("$5", "$7")
    with pytest.warns(UserWarning, match="'\\$5' as 5"):
        assert read_table(path, "price", target_kind="numeric").target.tolist() == [5, 7, 5]


def test_a_reduced_table_in_parquet_has_the_numbers(write, tmp_path):
    import pyarrow.parquet as pq

    path = write("cars.csv", CARS)
    with pytest.warns(UserWarning, match="numbers in text"):
        data = read_table(path, "class")
    write_reduced(data, ["price", "mileage"], tmp_path / "r.parquet", CellSource(path))
    assert pq.read_table(tmp_path / "r.parquet")["price"].to_pylist() == [15900, 7250.5, -1000, 0]
    write_reduced(data, ["price"], tmp_path / "r.csv", CellSource(path))
    assert (tmp_path / "r.csv").read_text().splitlines()[1] == '"$15,900.00",x'


def test_plain_numbers_mean_the_same():
    plain = ["1", "-2.5", "+3", ".5", "4.", "1e3", "2E-2"]
    np.testing.assert_array_equal(read_texts(plain).values, parse_numbers(plain))


def test_an_infinite_number_in_text_is_refused(refusal):
    rule = "X must be finite, got inf in feature 'a' of sample 0. Replace infinite values"
    content = "a,class\n1e999%,x\n5%,y\n"
    assert rule in refusal("x.csv", content)
    with pytest.raises(DataError, match=rule):
        make_dataset(pd.DataFrame({"a": ["1e999%", "5%"]}), ["x", "y"])
