import os
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzzyfrog.common.resources import GrowingTable, empty, is_on_disk, spill_folder
from fuzzyfrog.errors import DataError


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """Move arrays of more than 1 kB to a separate folder."""
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", "1kB")
    monkeypatch.setenv("FUZZYFROG_SPILL", str(tmp_path))
    return tmp_path


def kept(block):
    """Change nothing."""


def grown(blocks, n_columns, finalize=kept):
    table = GrowingTable(n_columns)
    for block in blocks:
        table.append(block)
    return table.finish(finalize)


def test_a_file_may_lie_about_its_rows():
    table = GrowingTable(2, -7)
    table.append(np.ones((3, 2)))
    assert table.finish(kept).shape == (3, 2)


def test_an_array_goes_to_disk_when_it_is_too_large():
    small, large = empty((25, 5)), empty((26, 5))
    assert not is_on_disk(small)
    assert is_on_disk(large)
    assert is_on_disk(large.T[1:])
    large[:] = np.arange(130.0).reshape(26, 5)
    np.testing.assert_array_equal(large, np.arange(130.0).reshape(26, 5))
    assert empty((600,), np.int16).dtype == np.int16


def test_a_mapped_file_of_the_user_is_on_disk(tmp_path):
    np.save(tmp_path / "x.npy", np.eye(3))
    assert is_on_disk(np.asarray(np.load(tmp_path / "x.npy", mmap_mode="r"))[1:])
    assert not is_on_disk(np.frombuffer(b"12345678"))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 40), max_size=12), st.integers(1, 5))
def test_blocks_become_one_table(lengths, n_columns):
    cells = np.arange(float(sum(lengths) * n_columns)).reshape(-1, n_columns)
    blocks = np.split(cells.copy(), np.cumsum(lengths)[:-1]) if lengths else []

    def negate(block):
        block *= -1.0

    table = grown(blocks, n_columns, negate)
    np.testing.assert_array_equal(table, -cells, strict=True)
    assert is_on_disk(table) == (cells.nbytes > 1000)


def test_a_table_on_disk_is_read_only_and_stored_feature_by_feature(monkeypatch):
    monkeypatch.setattr("fuzzyfrog.common.resources.BLOCK_CELLS", 15)
    table = grown([np.asfortranarray(np.ones((100, 4)) * [1, 2, 3, 4])], 4)
    assert table.T.flags.c_contiguous
    assert not table.flags.writeable
    assert table.sum(axis=0).tolist() == [100, 200, 300, 400]


def test_no_file_is_to_be_seen(folder):
    table = GrowingTable(4)
    table.append(np.ones((100, 4)))
    values = table.finish(kept), empty((100, 4))
    assert list(folder.iterdir()) == []
    assert all(map(is_on_disk, values))


def test_nothing_is_left_after_a_kill(folder):
    code = (
        "import os, signal, numpy as np\n"
        "from fuzzyfrog.common.resources import GrowingTable, empty\n"
        "table = GrowingTable(4)\n"
        "table.append(np.ones((100, 4)))\n"
        "Z = empty((1000, 4))\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    run = subprocess.run([sys.executable, "-c", code], check=False)  # noqa: S603
    assert run.returncode == -9
    assert list(folder.iterdir()) == []


def open_files(folder):
    """Return the open files of this process in a folder; other threads may have others."""
    opened = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):
            opened.append(os.readlink(f"/proc/self/fd/{number}"))
    return [path for path in opened if path.startswith(str(folder))]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_an_unfinished_table_closes_its_file(folder):
    table = GrowingTable(4)
    table.append(np.ones((100, 4)))
    assert len(open_files(folder)) == 1
    del table
    assert open_files(folder) == []


def test_rows_written_in_place_stay_when_memory_becomes_scarce(monkeypatch):
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", "100MB")
    table = GrowingTable(4, 100_000)
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", "1kB")
    cells = np.arange(400_000.0).reshape(-1, 4)
    for block in (cells[:30], cells[30:]):
        rows = table.next_rows(len(block))
        rows[:] = block
        table.append(rows)
    found = table.finish(kept)
    assert is_on_disk(found)
    np.testing.assert_array_equal(found, cells)


def test_workers_of_joblib_get_the_values():
    table = grown([np.arange(2000.0).reshape(-1, 4)], 4)
    sums = joblib.Parallel(n_jobs=2, max_nbytes=None)([joblib.delayed(np.sum)(table)])
    assert sums == [table.sum()]


def test_the_folder(monkeypatch, folder):
    assert spill_folder() == folder
    monkeypatch.delenv("FUZZYFROG_SPILL")
    monkeypatch.setenv("TMPDIR", "/somewhere")
    assert spill_folder() == Path("/somewhere")
    monkeypatch.delenv("TMPDIR")
    assert spill_folder().is_dir()


def test_a_folder_that_cannot_be_used_is_named(monkeypatch, folder):
    monkeypatch.setenv("FUZZYFROG_SPILL", str(folder / "none"))
    message = r"must have room for .* GB or more, got '.*none' \(No such file or directory\)"
    with pytest.raises(DataError, match=message):
        empty((100, 4))
    with pytest.raises(DataError, match=message):
        GrowingTable(4).append(np.ones((100, 4)))


def test_a_full_disk_is_a_sentence():
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    table = GrowingTable(4)
    table.append(np.ones((100, 4)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(DataError, match=r"room for .* Free some space, or name another"):
            empty((10_000, 4))
        with pytest.raises(DataError, match=r"room for .* Free some space, or name another"):
            table.append(np.ones((10_000, 4)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
