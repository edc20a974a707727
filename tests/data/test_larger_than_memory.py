"""Tables that are larger than the memory they may take."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from cli_process import COMMAND, environment
from fuzzyfrog import ReductSelector, read_table
from fuzzyfrog.common.resources import is_on_disk
from fuzzyfrog.data import make_dataset
from fuzzyfrog.data.scaling import positions

HAS_PEAK = Path("/proc/self/clear_refs").exists()

READ = """
import re, sys
from pathlib import Path
import numpy as np
from fuzzyfrog.data import make_dataset, read_table

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024

read_table(sys.argv[1], sys.argv[3])
before = peak()
data = read_table(sys.argv[2], sys.argv[3])
print(peak() - before)
print(data.values[::1000].sum(), data.n_samples)
"""


def growth(small, large, target, **changes):
    """Return how many MB a process needs more for a large file than for a small one."""
    command = [sys.executable, "-c", READ, str(small), str(large), target]
    run = subprocess.run(  # noqa: S603 - our own interpreter
        command, capture_output=True, text=True, check=True, env=environment(**changes)
    )
    return [float(word) for word in run.stdout.split()]


@pytest.mark.skipif(not HAS_PEAK, reason="the system does not tell the peak of a process")
@pytest.mark.parametrize(
    ("kind", "n_rows", "most"), [("parquet", 600_000, 180), ("npy", 300_000, 90)]
)
def test_reading_takes_less_memory_than_the_table(tmp_path, kind, n_rows, most):
    n_columns = 50  # 240 MB, 120 MB
    array = np.random.default_rng(0).random((n_rows, n_columns))
    array[:, -1] = np.arange(n_rows) % 2
    paths = [tmp_path / f"{size}.{kind}" for size in ("small", "large")]
    for path, part in zip(paths, (array[:1000], array), strict=True):
        if kind == "npy":
            np.save(path, part)
        else:
            columns = {f"x{place}": part[:, place] for place in range(n_columns)}
            pq.write_table(pa.table(columns), path, use_dictionary=False, compression="none")
    limits = {"FUZZYFROG_SPILL_ABOVE": "20MB", "FUZZYFROG_SPILL": str(tmp_path)}
    grown, total, n_samples = growth(*paths, "x49", **limits)
    assert (total, n_samples) == (pytest.approx(array[::1000, :-1].sum()), n_rows)
    assert grown < most


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    columns = {f"f{k}": rng.normal(size=300).round(2) for k in range(6)}
    columns["color"] = rng.choice(["red", "blue", None], 300)
    columns["class"] = np.where(columns["f1"] + columns["f4"] > 0, "high", "low")
    return pa.table(columns)


@pytest.mark.parametrize("missing", ["similar", "different"])
def test_a_search_on_disk_finds_what_it_finds_in_memory(tmp_path, table, monkeypatch, missing):
    options = {"missing": missing, "random_state": 0, "max_evaluations": 300}
    expected = ReductSelector(**options).fit(table.drop(["class"]), table["class"])
    pq.write_table(table, tmp_path / "x.parquet")
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", "0")
    data = read_table(tmp_path / "x.parquet", "class")
    assert is_on_disk(data.values)
    got = ReductSelector(**options).fit(data)
    assert got.dependency_ == expected.dependency_
    assert got.support_.tolist() == expected.support_.tolist()
    assert [one.features for one in got.reducts_] == [one.features for one in expected.reducts_]


def test_positions_of_a_table_on_disk_are_on_disk(table, monkeypatch):
    data = make_dataset(table.drop(["class"]), table["class"])
    expected, _ = positions(data, "std", "different")
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", "0")
    got, _ = positions(data, "std", "different")
    np.testing.assert_array_equal(got, expected, strict=True)
    assert is_on_disk(got)
    assert got.flags.writeable


def test_a_mapped_array_is_shared_if_it_can_be_and_else_read_in_parts(tmp_path, monkeypatch, same):
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", "0")
    cells = np.random.default_rng(2).integers(0, 5, (50, 3)).astype(float)
    y = np.arange(50) % 2
    for order, dtype in (("C", "f8"), ("F", "f8"), ("C", "f4"), ("F", ">f8"), ("C", "i8")):
        array = np.asarray(cells, dtype, order=order)
        np.save(tmp_path / "x.npy", array)
        mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
        for categorical in (None, [1]):
            data = make_dataset(mapped, y, categorical_features=categorical)
            same(data, make_dataset(array, y, categorical_features=categorical))
            assert is_on_disk(data.values)
            assert np.shares_memory(data.values, mapped) == (dtype == "f8" and categorical is None)


def test_a_csv_file_goes_to_disk_too(tmp_path, monkeypatch, same, table):
    csv.write_csv(table, tmp_path / "x.csv")
    expected = read_table(tmp_path / "x.csv", "class")
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", "3kB")
    monkeypatch.setattr("fuzzyfrog.data.formats.BLOCK_CELLS", 100)
    data = read_table(tmp_path / "x.csv", "class")
    same(data, expected)
    assert data.categories == expected.categories
    assert is_on_disk(data.values)


def test_the_command_line_reads_a_folder(tmp_path, table):
    (tmp_path / "parts").mkdir()
    pq.write_table(table.slice(0, 120), tmp_path / "parts" / "a.parquet")
    pq.write_table(table.slice(120), tmp_path / "parts" / "b.parquet")
    output = tmp_path / "reduced.parquet"
    options = ["--target", "class", "--search", "quickreduct", "--json", "--quiet"]
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [*COMMAND, "reducts", str(tmp_path / "parts"), *options, "--output", str(output)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(FUZZYFROG_SPILL_ABOVE="0"),
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)["result"]
    expected = ReductSelector("quickreduct", random_state=0)
    expected.fit(table.drop(["class"]), table["class"])
    assert found["table"]["name"] == "parts"
    assert found["selected"] == np.flatnonzero(expected.support_).tolist()
    assert found["dependency"] == expected.dependency_
    chosen = [*expected.get_feature_names_out(), "class"]
    assert pq.read_table(output).to_pylist() == table.select(chosen).to_pylist()
