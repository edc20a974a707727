import csv
import gzip

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzyfrog.data import load_dataset, read_table, write_table
from fuzzyfrog.data.write_table import CellSource, check_reduced_name, write_reduced
from fuzzyfrog.errors import DataError

CSV = (
    'id,size,color,class,"a ""b"", c"\n'
    '007,1.50,red,NA,0.1\n008, 2e0 ,"a, b",y,0.2\n009,?,"two\nlines",NA,+3\n010,7,=1+1,y,4\n'
)


def rows_of(path, separator=","):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream, delimiter=separator))


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz"])
def test_cells_of_a_csv_file_are_copied_character_by_character(write, tmp_path, name):
    path = write("x.csv", CSV)
    data = read_table(path, "class", ignore=["id"], target_kind="class")
    write_reduced(data, ['a "b", c', "size"], tmp_path / name, CellSource(path))
    assert rows_of(tmp_path / name, "\t" if "tsv" in name else ",") == [
        ["size", "class", 'a "b", c'],
        ["1.50", "NA", "0.1"],
        [" 2e0 ", "y", "0.2"],
        ["?", "NA", "+3"],
        ["7", "y", "4"],
    ]


def test_separator_and_encoding_of_the_source(write, tmp_path):
    path = write("x.csv", "größe;class\n1;ä\n2;b\n".encode("latin-1"))
    data = read_table(path, "class", separator=";", encoding="latin-1")
    write_reduced(data, ["größe"], tmp_path / "out.csv", CellSource(path, ";", "latin-1"))
    assert (tmp_path / "out.csv").read_text("latin-1") == "größe;class\n1;ä\n2;b\n"
    write_reduced(data, ["größe"], tmp_path / "out.tsv", CellSource(path, ";", "latin-1"))
    assert (tmp_path / "out.tsv").read_text("latin-1") == "größe\tclass\n1\tä\n2\tb\n"


def test_decimal_commas_stay_in_text_and_become_numbers_in_parquet(write, tmp_path):
    path = write("x.csv", "a;b;class\n1,5;7;x\n2;8;y\n")
    data = read_table(path, "class", decimal=",")
    source = CellSource(path, decimal=",")
    write_reduced(data, ["a"], tmp_path / "out.csv", source)
    assert (tmp_path / "out.csv").read_text() == "a;class\n1,5;x\n2;y\n"
    write_reduced(data, ["a"], tmp_path / "out.parquet", source)
    assert pq.read_table(tmp_path / "out.parquet").to_pydict()["a"] == [1.5, 2.0]


def test_numbers_of_an_arff_file_keep_their_spelling(write, tmp_path):
    path = write(
        "x.arff",
        "@relation r\n@attribute n INTEGER\n@attribute 'the color' {red, 'dark blue'}\n"
        "@attribute m real\n@attribute class {x,y}\n@data\n1.70,?,3,x\n5,'dark blue',1e3,y\n",
    )
    data = read_table(path, "class")
    write_reduced(data, ["n", "the color"], tmp_path / "out.csv", CellSource(path))
    assert rows_of(tmp_path / "out.csv") == [
        ["n", "the color", "class"],
        ["1.70", "?", "x"],
        ["5", "dark blue", "y"],
    ]


def test_what_a_sparse_arff_row_leaves_out_is_there(write, tmp_path):
    path = write(
        "x.arff",
        "@relation r\n@attribute n numeric\n@attribute c {red,blue}\n@attribute class {x,y}\n"
        "@data\n{0 1.70}\n{1 blue, 2 y}\n",
    )
    write_reduced(read_table(path, "class"), ["n", "c"], tmp_path / "out.csv", CellSource(path))
    assert rows_of(tmp_path / "out.csv")[1:] == [["1.70", "red", "x"], ["0", "blue", "y"]]


def test_parquet_from_text_has_numbers_where_features_are_numeric(write, tmp_path, same):
    path = write("x.csv", CSV)
    data = read_table(path, "class", ignore=["id"], target_kind="class")
    write_reduced(data, list(data.feature_names), tmp_path / "out.parquet", CellSource(path))
    table = pq.read_table(tmp_path / "out.parquet").to_pydict()
    assert table["size"] == [1.5, 2.0, None, 7.0]
    assert table["class"] == ["NA", "y", "NA", "y"]
    same(read_table(tmp_path / "out.parquet", "class"), data)


def test_parquet_to_parquet_keeps_the_types(tmp_path):
    table = pa.table(
        {
            "a": pa.array([1, 2, None], pa.int16()),
            "b": pa.array(["u", "v", "u"]).dictionary_encode(),
            "class": [7, 8, 7],
        }
    )
    path = tmp_path / "x.parquet"
    pq.write_table(table, path)
    data = read_table(path, "class")
    write_reduced(data, ["b", "a"], tmp_path / "out.parquet", CellSource(path))
    assert pq.read_table(tmp_path / "out.parquet").equals(table)
    write_reduced(data, ["a"], tmp_path / "out.csv", CellSource(path))
    assert rows_of(tmp_path / "out.csv") == [["a", "class"], ["1", "7"], ["2", "8"], ["", "7"]]


def test_a_bundled_data_set_has_no_file(tmp_path, same):
    iris = load_dataset("iris")
    path = tmp_path / "iris.csv"
    write_reduced(iris, list(iris.feature_names), path, CellSource(None))
    assert rows_of(path)[1] == ["5.1", "3.5", "1.4", "0.2", "setosa"]
    same(read_table(path, "class"), iris)


def test_a_file_that_changed_since_it_was_read_is_noticed(write, tmp_path):
    path = write("x.csv", CSV)
    data = read_table(path, "class", ignore=["id"], target_kind="class")
    write("x.csv", CSV + "011,1,red,y,9\n")
    with pytest.raises(DataError, match="must have the 4 rows that were read, got 5"):
        write_reduced(data, ["size"], tmp_path / "out.csv", CellSource(path))


@pytest.mark.parametrize("name", ["out.arff", "out", "out.parquet.gz", "out.xls"])
def test_unknown_endings_are_refused(tmp_path, name):
    with pytest.raises(DataError, match=r"must end in one of '\.csv', '\.tsv'"):
        check_reduced_name(tmp_path / name)


def sheet_of(path):
    return [list(row) for row in openpyxl.load_workbook(path).active.values]


def test_a_workbook_has_numbers_and_texts_that_are_never_formulas(write, tmp_path, same):
    path = write("x.csv", CSV)
    data = read_table(path, "class", ignore=["id"], target_kind="class")
    names = list(data.feature_names)
    write_reduced(data, names, tmp_path / "out.xlsx", CellSource(path))
    assert sheet_of(tmp_path / "out.xlsx") == [
        ["size", "color", "class", 'a "b", c'],
        [1.5, "red", "NA", 0.1],
        [2, "a, b", "y", 0.2],
        [None, "two\nlines", "NA", 3],
        [7, "=1+1", "y", 4],
    ]
    book = openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert book.active["B5"].data_type == "s"
    same(read_table(tmp_path / "out.xlsx", "class", target_kind="class"), data)


@pytest.mark.filterwarnings("ignore:.*numbers in text")
def test_a_workbook_keeps_limits_of_measurements(write, tmp_path):
    path = write("x.csv", "crp,class\n<0.5,y\n1.5,n\n>2,y\n,n\n3,y\n")
    data = read_table(path, "class")
    write_reduced(data, ["crp"], tmp_path / "out.xlsx", CellSource(path))
    cells = [crp for crp, _ in sheet_of(tmp_path / "out.xlsx")]
    assert cells == ["crp", "<0.5", 1.5, ">2", None, 3]
    write_reduced(data, ["crp"], tmp_path / "out.parquet", CellSource(path))
    assert pq.read_table(tmp_path / "out.parquet")["crp"].to_pylist() == [0.5, 1.5, 2, None, 3]


def test_a_workbook_keeps_what_xml_or_excel_would_change(write, tmp_path):
    texts = ["<&>", "_x0041_", "bell\x07", "1e5", "007", "\N{FROG FACE}"]
    rows = "".join(
        f'"{text}",{k},{1234567890123456789 + 1000 * k}\n' for k, text in enumerate(texts)
    )
    path = write("x.csv", f"text,class,far\n{rows}")
    data = read_table(path, "class", target_kind="class", categorical=["far"])
    write_reduced(data, ["text", "far"], tmp_path / "out.xlsx", CellSource(path))
    again = read_table(tmp_path / "out.xlsx", "class", target_kind="class", categorical=["far"])
    assert again.categories == data.categories
    pq.write_table(pa.table({"a": [2**60, 1], "class": ["x", "y"]}), tmp_path / "x.parquet")
    data = read_table(tmp_path / "x.parquet", "class")
    write_reduced(data, ["a"], tmp_path / "out.xlsx", CellSource(tmp_path / "x.parquet"))
    assert sheet_of(tmp_path / "out.xlsx")[1:] == [[str(2**60), "x"], [1, "y"]]


def test_the_limits_of_excel(write, tmp_path, monkeypatch):
    path = write("x.csv", f"a,b,class\n{'long' * 9000},1,x\nu,2,y\n")
    data = read_table(path, "class")
    out = tmp_path / "out.xlsx"
    with pytest.raises(DataError, match=r"at most 32,767 characters, got 36,000 \('longlong"):
        write_reduced(data, ["a"], out, CellSource(path))
    monkeypatch.setattr(write_table, "MOST_ROWS", 3)
    write_reduced(data, ["b"], out, CellSource(path))
    monkeypatch.setattr(write_table, "MOST_ROWS", 2)
    with pytest.raises(DataError, match="at most 2 rows and 16,384 columns, got more"):
        write_reduced(data, ["b"], out, CellSource(path))


@pytest.mark.parametrize("name", ["out.csv", "out.xlsx", "out.parquet"])
@pytest.mark.parametrize("label", ["", "who"])
def test_the_names_of_rows_are_kept_and_so_is_every_row(write, tmp_path, label, name):
    path = write("x.csv", f"{label},a,b,class\nr1,1,5,x\nr2,2,6,\nr3,3,7,y\n")
    with pytest.warns(UserWarning, match="1 row without a target left out"):
        data = read_table(path, "class", row_labels=label or None)
    assert (data.label_name, data.n_left_out) == (label, 1)
    write_reduced(data, ["b"], tmp_path / name, CellSource(path))
    with pytest.warns(UserWarning, match="1 row without a target left out"):
        again = read_table(tmp_path / name, "class", row_labels=label or None)
    assert again.rows == ("r1", "r3")
    assert again.values.tolist() == [[5], [7]]


def test_a_first_column_that_is_ignored_is_not_written(write, tmp_path):
    path = write("x.csv", "Unnamed: 0,a,class\nr1,1,x\nr2,2,y\n")
    data = read_table(path, "class", ignore=["Unnamed: 0"])
    write_reduced(data, ["a"], tmp_path / "out.csv", CellSource(path))
    assert rows_of(tmp_path / "out.csv")[0] == ["a", "class"]


@pytest.mark.parametrize("name", ["out.parquet", "out.xlsx"])
def test_dates_that_are_features_stay_dates(write, tmp_path, name):
    path = write("x.csv", "day,class\n2024-01-05,x\n2024-02-10,y\n")
    data = read_table(path, "class")
    write_reduced(data, ["day"], tmp_path / name, CellSource(path))
    assert read_table(tmp_path / name, "class").values.tolist() == data.values.tolist()
