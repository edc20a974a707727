"""A killed proof resumes where it was; a damaged log costs time, never the answer."""

import shutil
from contextlib import closing, suppress
from dataclasses import replace

import numpy as np
import pytest

from fuzzyfrog.errors import CheckpointError
from fuzzyfrog.measure import Dependency
from fuzzyfrog.search import Checkpoint, Exact, Problem, QuickReduct, exact, run
from fuzzyfrog.search import checkpoint as log_file
from fuzzyfrog.search.covering.search import CoverSearch, Stack
from fuzzyfrog.search.protocol import Rows
from fuzzyfrog.select.outcome import oracle_of
from search.lookup import plain

N_FEATURES = 20


class Killed(BaseException):
    """Stands for kill -9: nothing catches it, and the files stay as they are."""


@pytest.fixture
def task(monkeypatch):
    """A measure and a problem whose proof takes many slices, and every slice leaves a place."""
    monkeypatch.setattr(exact, "SLICE_WORK", 0)
    monkeypatch.setattr(log_file, "PLACE_SECONDS", 0.0)
    monkeypatch.setattr(log_file, "WRITING_SHARE", np.inf)
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(100, N_FEATURES)), rng.integers(0, 3, 100)
    measure = Dependency(X, y, n_jobs=1)
    everything = np.ones(N_FEATURES, bool)
    full = float(measure.score(everything[np.newaxis])[0])
    problem = Problem(N_FEATURES, X.size, full, oracle=oracle_of(measure, everything))
    return measure, problem


@pytest.fixture
def slices(monkeypatch):
    """Count the slices of branch and bound that were computed; kill after some of them."""
    count, advance = {"done": 0, "kill_after": np.inf}, CoverSearch.advance

    def counted(self, *arguments):
        if count["done"] >= count["kill_after"]:
            raise Killed
        count["done"] += 1
        return advance(self, *arguments)

    monkeypatch.setattr(CoverSearch, "advance", counted)
    return count


def go(task, path):
    measure, problem = task
    checkpoint = None if path is None else Checkpoint(path, data="made")
    return plain(run(Exact(), measure, problem, seed=0, checkpoint=checkpoint))


def killed(task, path, slices, after):
    slices.update(done=0, kill_after=after)
    with pytest.raises(Killed):
        go(task, path)
    slices.update(done=0, kill_after=np.inf)


def test_a_proof_that_is_killed_again_and_again_gets_there(task, slices, tmp_path):
    expected, n_slices = go(task, None), slices["done"]
    assert n_slices >= 12
    n_kills, outcome = 0, None
    slices["kill_after"] = n_slices // 4  # from the start, none of the runs would get there
    while outcome is None:
        slices["done"] = 0
        try:
            outcome = go(task, tmp_path / "scores")
        except Killed:
            n_kills += 1
            assert n_kills <= 6, "a restart got no further than the one before"
    assert outcome == expected
    assert n_kills >= 4


def test_lives_too_short_for_a_place_get_there_too(task, slices, tmp_path, monkeypatch):
    """Each first repeats the slices since the newest place: what it repeated stays done."""
    expected = go(task, None)
    monkeypatch.setattr(log_file, "PLACE_SECONDS", np.inf)
    n_slices, n_lives, outcome = slices["done"], 0, None
    slices["kill_after"] = n_slices // 6
    while outcome is None:
        slices["done"], n_lives = 0, n_lives + 1
        assert n_lives <= 18, "repeated slices are repeated again and again"
        with suppress(Killed):
            outcome = go(task, tmp_path / "scores")
    assert outcome == expected
    assert n_lives > 4


@pytest.mark.long
def test_damaged_files_change_nothing_but_the_time(task, slices, tmp_path):
    expected = go(task, None)
    killed(task, tmp_path / "scores", slices, 15)
    files = (tmp_path / "scores", log_file.place_file(tmp_path / "scores"))
    whole = {path: path.read_bytes() for path in files}
    _, start = log_file._read_header(whole[files[0]], files[0])  # which is not forgiven
    rng = np.random.default_rng(0)
    for path, content in whole.items():
        least = start if path == files[0] else 9
        for place in [least, *rng.integers(least, len(content), 2).tolist()]:
            for one, saved in whole.items():
                one.write_bytes(saved)
            damaged = bytearray(content)
            damaged[place] ^= 1
            path.write_bytes(damaged if place % 2 else content[:place])
            assert go(task, tmp_path / "scores") == expected


def test_no_flipped_bit_of_a_place_is_taken(task, slices, tmp_path):
    killed(task, tmp_path / "scores", slices, 10)
    path = log_file.place_file(tmp_path / "scores")
    content = path.read_bytes()
    assert log_file._read_place(path)[0]
    for position in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[position] ^= 1 << position % 8
        path.write_bytes(damaged)
        assert log_file._read_place(path) == (b"", ())


@pytest.mark.parametrize("change", ["removed", "of another run"])
def test_without_its_place_branch_and_bound_takes_its_slices_again(task, slices, tmp_path, change):
    expected = go(task, None)
    n_slices = slices["done"]
    other = tmp_path / "other"
    other.mkdir()
    measure, problem = task
    slices.update(done=0, kill_after=10)
    with pytest.raises(Killed):
        run(Exact(), measure, problem, seed=1, checkpoint=Checkpoint(other / "scores"))
    killed(task, tmp_path / "scores", slices, 10)
    place = log_file.place_file(tmp_path / "scores")
    if change == "removed":
        place.unlink()
    else:
        shutil.copy(log_file.place_file(other / "scores"), place)
    assert go(task, tmp_path / "scores") == expected
    assert slices["done"] > n_slices - 10
    killed(task, other / "again", slices, 10)
    assert go(task, other / "again") == expected
    assert slices["done"] == n_slices - 10, "the place spares all slices before it"


def test_answers_of_another_proof_are_refused(task, slices, tmp_path):
    """As after a change of the code: the questions are others."""
    killed(task, tmp_path / "scores", slices, 10)
    path = tmp_path / "scores"
    content = path.read_bytes()
    _, start = log_file._read_header(content, path)
    records, _ = log_file._read_records(content, start)
    swapped = [records[0], records[2], records[1], *records[3:]]
    frames = b"".join(log_file.framed(b"".join(record)) for record in swapped)
    path.write_bytes(content[:start] + frames)
    with pytest.raises(CheckpointError, match="Another version of the code wrote it"):
        go(task, path)


def cover_search():
    rng = np.random.default_rng(0)
    rows = Rows(rng.uniform(0.0, 0.6, (40, 12)), np.ones(40))
    return CoverSearch(rows, 5, fixed=np.zeros(12, bool), allowed=np.ones(12, bool))


def rest(search):
    found = []
    while not search.is_exhausted:
        found += search.advance(50, 10).covers.tolist()
    return found


def test_a_place_is_taken_to_the_same_end():
    search, other = cover_search(), cover_search()
    search.advance(20, 10)
    assert other.take_place(search.place(), [])
    assert rest(other) == rest(search)
    assert search.place() is None


def test_a_place_is_taken_once_though_the_table_outgrows_it(tmp_path, monkeypatch):
    monkeypatch.setattr(log_file, "PLACE_SECONDS", 0.0)
    monkeypatch.setattr(log_file, "WRITING_SHARE", np.inf)
    weights = np.random.default_rng(1).random((300, 12))  # more than the table has room for
    later = Rows(weights, np.full(300, 1.0))

    undisturbed = cover_search()
    expected = [undisturbed.advance(20, 10).covers.tolist() for _ in range(3)]
    undisturbed.add(later)
    expected += rest(undisturbed)
    for is_resumed in (False, True):
        with closing(log_file.ScoreLog(tmp_path / "scores", {})) as log:
            search = log_file.RecordedSearch(cover_search(), log)
            found = [search.advance(20, 10).covers.tolist() for _ in range(3)]
            if is_resumed:
                search.add(later)
                found += rest(search)
    assert found == expected


def test_a_place_of_other_arrays_is_not_taken():
    search = cover_search()
    search.advance(20, 10)
    place = search.place()
    assert not cover_search().take_place(place[:-1], [])
    assert not cover_search().take_place(place[::-1], [])
    assert not cover_search().take_place([one.astype(np.int16) for one in place], [])


@pytest.mark.parametrize(
    "name", ["level", "chosen", "allowed", "branches", "n_branches", "n_taken", "rows", "n_open"]
)
@pytest.mark.parametrize("wrong", [2**30, -(2**30)])
def test_a_place_with_impossible_numbers_is_not_taken(name, wrong):
    """A checksum can be forged: compiled code would read and write outside its arrays."""
    search = cover_search()
    search.advance(20, 10)
    place = search.place()
    array = place[Stack._fields.index(name)]
    array.flat[-1] = 2**63 if array.dtype == np.uint64 else wrong
    assert not cover_search().take_place(place, [])


def test_a_run_without_a_proof_leaves_no_file_of_one(task, tmp_path):
    measure, problem = task
    run(QuickReduct(), measure, problem, seed=0, checkpoint=Checkpoint(tmp_path / "scores"))
    assert [path.name for path in tmp_path.iterdir()] == ["scores"]


def test_a_folder_that_is_removed_meanwhile_costs_the_log_not_the_run(task, tmp_path, slices):
    expected, folder = go(task, None), tmp_path / "folder"
    folder.mkdir()
    killed(task, folder / "scores", slices, 8)
    measure, problem = task

    def oracle(subset):
        shutil.rmtree(folder, ignore_errors=True)
        return problem.oracle(subset)

    removed = replace(problem, oracle=oracle)
    assert go((measure, removed), folder / "scores") == expected
