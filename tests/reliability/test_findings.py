"""What fuzzing found, kept: each once ended in a crash, a hang or a bare error of a library."""

from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzyfrog import dependency, read_table
from fuzzyfrog.errors import DataError

ARFF = "@relation r\n@attribute a {kind}\n@attribute class {{x,y}}\n@data\n"


@pytest.mark.parametrize(
    "kind",
    [
        "{" + ", ".join(["New York"] * 24) + "}",
        "{" + ",".join("abcdefghijklmnopqrstuvwxyz") + "} % a remark",
        "{" + "a," * 24,
        "{x,y}@a" + "," * 24 + "t",
    ],
    ids=["blanks", "a remark", "no end", "text behind"],
)
def test_categories_that_are_no_list_are_refused_at_once(kind, tmp_path):
    """liac-arff alone doubles its time with every comma: 24 take seconds, 40 take days."""
    path = tmp_path / "x.arff"
    path.write_text(ARFF.format(kind=kind))
    with pytest.raises(DataError, match="line 2 declares categories that are not a list in braces"):
        read_table(path, "class")


def test_categories_may_hold_anything_in_quotes(tmp_path):
    path = tmp_path / "x.arff"
    path.write_text(
        ARFF.format(kind="{ 'New York' , \"a,b\", 'it\\'s' ,c }") + "'New York',x\nc,y\n"
    )
    data = read_table(path, "class")
    assert data.categories == (("New York", "c"),)


def test_column_names_of_parquet_that_are_no_text(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"name?": [1.0, 2.0], "class": ["x", "y"]}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"name?", b"name\xf3"))
    with pytest.raises(DataError, match=r"x\.parquet: the file must be Parquet, got"):
        read_table(path, "class")


@pytest.mark.parametrize(
    "header",
    [b"{'descr': '<f8', 'fortran_order': True", b"{'descr': '<f8'}", b"(" * 300, b"\xff\x00'"],
    ids=["no end", "no shape", "deep", "no text"],
)
def test_a_header_of_npy_that_is_no_header(header, tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(DataError, match=r"x\.npy: the file must be an array written by"):
        read_table(path, "x1")


def test_a_decimal_that_cannot_be_compared_is_missing():
    y = ["a", "b", "a"]
    odd, plain = ([[gap], [Decimal(1)], [Decimal(2)]] for gap in (Decimal("sNaN"), None))
    assert dependency(odd, y) == dependency(plain, y)


@pytest.mark.parametrize("content", [b"a;class\n\n", b"a;class\r\n\n", b"a;class\n\r\n\r\n"])
def test_a_header_above_empty_lines_alone(content, tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"x\.csv: a table must have at least 2 samples"):
        read_table(path, "class")
