"""The log of scores: killed runs, damaged files, other runs, other processes, full disks."""

import errno
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from fuzzyfrog.common.files import FileLock
from fuzzyfrog.errors import CheckpointError
from fuzzyfrog.search import Checkpoint, Genetic, QuickReduct, ShuffledFrogs, run
from fuzzyfrog.search import checkpoint as module
from search.lookup import Lookup, mask_of, plain, random_table

TABLE = random_table(n_features=4)
SEARCH = Genetic(n_population=6, n_generations=3)


def go(path, *, search=SEARCH, table=TABLE, seed=0, data="table", **changes):
    """Run a small search with a log; return the outcome and how many subsets were scored."""
    objective = Lookup(table)
    problem = objective.problem(**changes)
    outcome = run(search, objective, problem, seed=seed, checkpoint=Checkpoint(path, data=data))
    return plain(outcome), len(objective.asked)


@pytest.fixture
def finished(tmp_path):
    """The log of a finished run, its outcome and its evaluations."""
    path = tmp_path / "scores"
    outcome, n_scored = go(path)
    return path, outcome, n_scored


def test_a_finished_run_is_replayed_without_scoring(finished):
    path, outcome, n_scored = finished
    assert n_scored > 0
    assert go(path) == (outcome, 0)
    assert sorted(path.parent.iterdir()) == [path], "nothing is left next to the log"


def header_end(content):
    start = len(module.MAGIC) + module.FRAME.size
    return start + module.FRAME.unpack_from(content, len(module.MAGIC))[0]


def test_truncated_anywhere_it_resumes_or_says_so(finished):
    path, outcome, n_scored = finished
    content = path.read_bytes()
    resumed = set()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        if length < header_end(content):
            with pytest.raises(CheckpointError, match="damaged"):
                go(path)
        else:
            result, n_new = go(path)
            assert result == outcome
            resumed.add(n_new)
    assert len(resumed) > 3, "resumed at several places"
    assert max(resumed) == n_scored


def test_no_flipped_bit_gives_another_result(finished):
    path, outcome, _ = finished
    content = path.read_bytes()
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1 << position % 8
        path.write_bytes(damaged)
        try:
            result, _ = go(path)
        except CheckpointError:
            continue
        assert result == outcome


def test_after_a_torn_tail_the_log_is_whole_again(finished):
    path, outcome, _ = finished
    path.write_bytes(path.read_bytes()[:-5])
    assert go(path)[1] > 0
    assert go(path) == (outcome, 0)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"seed": 1}, "seed is 0 there, 1 here"),
        ({"data": "other"}, "data is 'table' there, 'other' here"),
        ({"search": Genetic(n_population=7, n_generations=3)}, "search.n_population is 6 there"),
        ({"search": QuickReduct()}, "search.name is 'Genetic' there, 'QuickReduct' here"),
        ({"ranking": "product"}, "problem.ranking is 'lexicographic' there, 'product' here"),
        ({"must_include": mask_of(4, 2)}, r"problem.must_include is None there, \[2\] here"),
        ({"min_dependency": 0.9}, "problem.min_dependency is 1.0 there, 0.9 here"),
        ({"costs": np.array([2, 1, 1, 3])}, r"problem.costs is None there, \[2, 1, 1, 3\] here"),
    ],
)
def test_another_run_is_refused_and_the_difference_named(finished, changes, name):
    path = finished[0]
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=name):
        go(path, **changes)
    assert path.read_bytes() == before


def test_other_costs_are_refused(tmp_path):
    go(tmp_path / "scores", costs=np.full(4, 10))
    with pytest.raises(CheckpointError, match=r"problem.costs is .*10, 10.* there, .*1, 1.* here"):
        go(tmp_path / "scores", costs=np.ones(4, np.int64))


def test_another_version_is_refused(finished, monkeypatch):
    monkeypatch.setattr(module, "version", lambda name: "99.0")
    with pytest.raises(CheckpointError, match=r"library is '.*' there, '99.0' here"):
        go(finished[0])


def test_scores_of_other_subsets_are_refused(finished, monkeypatch):
    """As after a change of the code that proposes."""
    monkeypatch.setattr(
        "fuzzyfrog.search.populations.diverse_subsets",
        lambda n_subsets, *_: np.ones((n_subsets, 4), dtype=bool),
    )
    with pytest.raises(CheckpointError, match="Another version of the code"):
        go(finished[0])


def test_a_foreign_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a log")
    with pytest.raises(CheckpointError, match="damaged or foreign"):
        go(path)
    assert path.read_text() == "not a log"


def test_a_missing_directory_is_refused_before_anything_is_scored(tmp_path):
    with pytest.raises(CheckpointError, match=r"must be in a directory that exists.* Create"):
        go(tmp_path / "missing" / "scores")


def test_a_place_that_cannot_be_written_costs_the_log_not_the_run(tmp_path, finished):
    (tmp_path / "scores.lock").mkdir()  # stops even root, whom permissions do not stop
    with pytest.warns(RuntimeWarning, match="cannot be written") as warned:
        outcome, _ = go(tmp_path / "scores")
    assert outcome == finished[1]
    assert len(warned) == 1


def test_a_full_disk_leaves_no_lock_behind(tmp_path, monkeypatch):
    def full(file, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("os.write", full)
        with pytest.raises(OSError, match="No space left"):
            FileLock(tmp_path / "scores.lock")
    assert list(tmp_path.iterdir()) == []
    FileLock(tmp_path / "scores.lock").release()  # the first one is closed, too


def test_a_full_disk_costs_the_log_not_the_run(tmp_path, finished, monkeypatch):
    """The third write fails half-way, as on a full disk; the torn log can still be resumed."""
    real, calls = module.write_all, []

    def failing(file, content):
        calls.append(content)
        if len(calls) == 3:
            real(file, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file, content)

    path = tmp_path / "full"
    monkeypatch.setattr(module, "write_all", failing)
    with pytest.warns(RuntimeWarning, match="No space left") as warned:
        outcome, _ = go(path)
    assert outcome == finished[1]
    assert len(warned) == 1
    assert len(calls) == 3, "after a failure nothing more is written"
    monkeypatch.setattr(module, "write_all", real)
    assert go(path)[0] == finished[1]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_really_full_device():
    file = os.open("/dev/full", os.O_WRONLY)
    try:
        with pytest.raises(OSError, match="No space left"):
            module.write_all(file, b"scores")
    finally:
        os.close(file)


SCRIPT = Path(__file__).with_name("resumable.py")


def start(log, result, n_bytes):
    command = [sys.executable, str(SCRIPT), str(log), str(result), str(n_bytes)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603 - our script


def finish(log, result):
    """Run to the end; return the exit code and stderr."""
    with start(log, result, np.inf) as process:
        _, message = process.communicate()
        return process.returncode, message


@contextmanager
def waiting(log, result, n_bytes):
    """Start a run that waits as soon as its log has `n_bytes`, and kill it in the end."""
    with start(log, result, n_bytes) as process:
        while not log.exists() or log.stat().st_size < n_bytes:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        yield process
        process.kill()
    assert process.returncode == -signal.SIGKILL, "it was still running"


def test_a_second_process_is_refused_and_told_who_holds_the_log(tmp_path):
    log, result = tmp_path / "scores", tmp_path / "result"
    with waiting(log, result, 1) as holder:
        code, message = finish(log, result)
    assert code == 1
    assert f"process {holder.pid} holds it" in message
    assert finish(log, result) == (0, ""), "the lock vanishes with its process"


def check_kills(folder, moments):
    """Kill a run at each moment, a share of its log, resume it, and compare the results."""
    whole, undisturbed = folder / "whole", folder / "undisturbed"
    assert finish(whole, undisturbed) == (0, "")
    for number, moment in enumerate(moments):
        log, result = folder / f"log{number}", folder / f"result{number}"
        with waiting(log, result, moment * whole.stat().st_size):
            pass
        assert finish(log, result) == (0, "")
        assert result.read_text() == undisturbed.read_text()


def test_killed_and_resumed_is_identical(tmp_path):
    check_kills(tmp_path, [0.3])


@pytest.mark.long
def test_killed_twenty_times_is_identical(tmp_path):
    check_kills(tmp_path, np.random.default_rng(0).uniform(0, 0.95, 20))


@pytest.mark.long
def test_killed_again_and_again_it_still_gets_there(tmp_path):
    assert finish(tmp_path / "whole", tmp_path / "undisturbed") == (0, "")
    log, result = tmp_path / "scores", tmp_path / "result"
    for n_bytes in (0, 900, 1800):
        with waiting(log, result, n_bytes):
            pass
    assert finish(log, result) == (0, "")
    assert result.read_text() == (tmp_path / "undisturbed").read_text()


@pytest.mark.parametrize("search", [ShuffledFrogs(), QuickReduct()])
def test_a_run_goes_on_where_a_shorter_one_ended(tmp_path, search):
    """Budgets may grow and shrink: each run is what it would be without a log."""
    objective = Lookup(random_table())
    problem = objective.problem()
    checkpoint = Checkpoint(tmp_path / "scores")
    for limit in (10, 18, 9, 12, None):
        alone = run(search, objective, problem, seed=0, max_evaluations=limit)
        again = Lookup(objective.table)
        resumed = run(search, again, problem, seed=0, max_evaluations=limit, checkpoint=checkpoint)
        assert plain(resumed) == plain(alone)
    assert len(again.asked) < resumed.n_evaluations


def test_what_follows_a_damaged_record_is_cut_off(finished):
    path = finished[0]
    content = bytearray(path.read_bytes())
    header, end = module._read_header(bytes(content), path)
    content[end + module.FRAME.size] ^= 1
    path.write_bytes(content)
    module.ScoreLog(path, header).close()
    assert path.stat().st_size == end


def test_an_answer_to_another_question_is_refused(tmp_path):
    log = module.ScoreLog(tmp_path / "scores", {"seed": 0})
    log.append(b"question", b"answer")
    log.close()
    for question in (b"question", b"another?"):
        again = module.ScoreLog(tmp_path / "scores", {"seed": 0})
        if question == b"question":
            assert again.answer(question) == b"answer"
            assert again.answer(question) is None
        else:
            with pytest.raises(CheckpointError, match="Another version of the code wrote it"):
                again.answer(question)
        again.close()
