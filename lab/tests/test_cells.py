"""Cells on disk: appended whole, read back, guarded."""

import json

import pytest

from fuzzyfrog_lab.cells import Cells, StoreError, pack_cells, packed_file, read_cells

KEY = {"kind": "selection", "data": "wine", "fold": None}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out" / "cells.jsonl"


def filled(path, **outcome):
    with Cells(path, {"numpy": "2"}) as cells:
        cells.add(KEY, **(outcome or {"value": {"features": [1]}}), seconds=1.23456)


def test_a_cell_is_there_again(path):
    filled(path)
    with Cells(path, {}) as cells:
        line = cells.get(dict(reversed(KEY.items())))
        assert cells.get({**KEY, "fold": 0}) is None
    assert line["value"] == {"features": [1]}
    assert line["versions"] == {"numpy": "2"}
    assert line["seconds"] == 1.2346
    assert list(read_cells(path).values()) == [line]


def test_a_torn_line_is_cut_off(path):
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:-5])
    assert len(read_cells(path)) == 1
    filled(path)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [line["key"] for line in lines if "key" in line] == [KEY, KEY]


def test_a_damaged_line_is_told(path):
    filled(path)
    path.write_bytes(b"{nonsense}\n" + path.read_bytes())
    with pytest.raises(StoreError, match="line 1 must be JSON"):
        Cells(path, {})


def test_failures_are_kept_until_they_are_forgotten(path):
    filled(path, error="it took too long")
    with Cells(path, {}) as cells:
        assert cells.get(KEY)["error"] == "it took too long"
        cells.forget_failures()
        assert cells.get(KEY) is None


def test_a_second_process_is_refused(path):
    with Cells(path, {}), pytest.raises(StoreError, match="must belong to one process"):
        Cells(path, {})
    Cells(path, {}).close()


OLD_LINE = {
    "key": KEY,
    "value": {"features": [3]},
    "seconds": 1,
    "when": "",
    "versions": {"a": "1"},
}


def test_versions_are_written_once_and_hold_for_all_cells_below(path):
    with Cells(path, {"numpy": "2"}) as cells:
        for fold in range(3):
            cells.add({**KEY, "fold": fold}, value={}, seconds=0)
    with Cells(path, {"numpy": "3"}) as cells:
        cells.add({**KEY, "fold": 3}, value={}, seconds=0)
    assert path.read_text(encoding="utf-8").count("versions") == 2
    found = [line["versions"]["numpy"] for line in read_cells(path).values()]
    assert found == ["2", "2", "2", "3"]


def test_cells_with_versions_of_their_own_are_read(path):
    filled(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**OLD_LINE, "key": {"kind": "old"}}) + "\n")
    filled(path)
    found = [line["versions"] for line in read_cells(path).values()]
    assert found == [{"a": "1"}, {"numpy": "2"}]  # in the order of the last lines


def test_packed_cells_count_and_nothing_is_lost(path):
    filled(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**OLD_LINE, "key": {"kind": "old"}}) + "\n")
    before = read_cells(path)
    assert pack_cells(path) == packed_file(path)
    assert not path.exists()
    assert read_cells(path) == before
    with Cells(path, {"numpy": "3"}) as cells:
        assert cells.get(KEY)["value"] == {"features": [1]}
        cells.add({"kind": "new"}, value={}, seconds=0)
    assert len(read_cells(path)) == 3
    pack_cells(path)
    assert len(read_cells(path)) == 3


def test_packing_gives_the_same_bytes_and_packing_again_changes_nothing(path, tmp_path):
    filled(path)
    copy = tmp_path / "copy" / path.name
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    first = pack_cells(path).read_bytes()
    assert first[4:8] == bytes(4)  # the time in the head of a gzip file
    assert pack_cells(copy).read_bytes() == first
    assert pack_cells(path).read_bytes() == first


def test_a_newer_cell_replaces_a_packed_one(path):
    filled(path, error="it took too long")
    pack_cells(path)
    filled(path)
    assert [line.get("error") for line in read_cells(path).values()] == [None]


def test_a_damaged_packed_file_is_told(path):
    filled(path)
    packed = pack_cells(path)
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(StoreError, match=r"cells\.jsonl\.gz must be a whole gzip file, got"):
        read_cells(path)
    with pytest.raises(StoreError, match="must be a whole gzip file"):
        Cells(path, {})
    packed.unlink()
    Cells(path, {}).close()  # the lock was let go


def test_what_is_being_written_is_not_packed(path):
    with Cells(path, {}), pytest.raises(StoreError, match="must belong to one process"):
        pack_cells(path)
