import gzip
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzyfrog.data import make_dataset, read_table
from fuzzyfrog.errors import DataError

TABLE = pa.table(
    {"id": [1, 2, 3], "size": [1.5, None, 3.0], "color": ["u", "v", None], "class": [7, 8, 7]}
)


@pytest.fixture
def path(tmp_path):
    pq.write_table(TABLE, tmp_path / "shop.parquet")
    return tmp_path / "shop.parquet"


def test_a_parquet_file_plain_and_packed(path, same):
    expected = make_dataset(TABLE.select(["size", "color"]), [7, 8, 7])
    data = read_table(path, "class", ignore=["id"])
    same(data, expected)
    assert data.name == "shop"
    packed = path.with_name("shop.parquet.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    same(read_table(packed, "class", ignore=["id"]), expected)


def test_errors_name_the_file(path, refusal):
    with pytest.raises(DataError, match=r"shop\.parquet: target must be .* Known"):
        read_table(path, "zzz")
    with pytest.raises(DataError, match=r"shop\.parquet: feature 'color' must be a number"):
        read_table(path, "class", categorical_features=None)
    assert "must be Parquet, got something else" in refusal("x.parquet", "a,class\n")


def test_without_pyarrow_the_way_out_is_told(path):
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from fuzzyfrog.data import read_table\n"
        f"read_table({str(path)!r}, 'class')"
    )
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert "DataError: shop.parquet: Parquet files need pyarrow" in run.stderr
    assert "pip install 'fuzzyfrog[parquet]'" in run.stderr
