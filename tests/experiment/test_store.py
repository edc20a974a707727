"""Cells on disk: appended whole, read back, guarded."""

import json

import pytest

from fuzzyfrog.experiment.store import Cells, StoreError, read_cells

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
    assert [json.loads(line)["key"] for line in path.read_bytes().splitlines()] == [KEY, KEY]


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
