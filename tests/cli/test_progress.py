"""The progress of a running command: what is shown, and when."""

import re
import threading
import time

import numba
import pytest

from clock import set_clock
from fuzzyfrog.cli import progress
from fuzzyfrog.cli.progress import Limits, ProgressState, shown_progress
from fuzzyfrog.common.jit import compiling_heard
from fuzzyfrog.search import Moment


def moment(n_evaluations: int, score: float = 0.5) -> Moment:
    return Moment(
        n_evaluations=n_evaluations, score=score, size=3, n_best=1, diversity=0.1, lower_bound=2
    )


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that is set by hand: what follows is about time, and takes none."""
    now = [100.0]
    set_clock(monkeypatch, lambda: now[0])
    return now


def test_the_budget_and_the_proof(clock):
    course = ProgressState(Limits(max_seconds=10, max_evaluations=1000, certify=True))
    assert course.share() is None
    course.phase("choosing columns")
    course.start_clock()
    clock[0] += 3
    assert course.parts() == ["choosing columns", "7 s left", "3 s"]
    course.hear(moment(100, score=-1.0))
    assert course.share() == pytest.approx(0.3)
    clock[0] += 1
    assert course.share() == pytest.approx(0.4)
    first, *others = course.parts()
    assert first == "choosing columns"
    assert {"at least 2 needed", "6 s left"} <= set(others)
    clock[0] += 7
    course.phase("explaining the result")
    assert course.parts() == ["explaining the result", "time limit reached", "0 s"]


def test_a_phase_tells_how_long_it_takes(clock):
    course = ProgressState(Limits())
    course.phase("reading x.csv")
    clock[0] += 7
    assert course.parts() == ["reading x.csv", "7 s"]
    course.hear(moment(5))
    course.phase("writing")
    assert course.parts() == ["writing", "0 s"]


def test_the_time_goes_on_in_a_search_and_compiling_is_said(clock):
    course = ProgressState(Limits())
    course.phase("searching")
    course.hear(moment(5))
    clock[0] += 30
    assert course.parts() == [
        "choosing columns, 3 so far", "5 combinations tried", "30 s",
    ]  # fmt: skip
    course.hear(moment(1))
    assert course.parts()[1] == "1 combination tried"
    course.hear(moment(5))
    course.compile(1)
    course.compile(1)
    course.compile(-1)
    assert course.parts()[1] == "compiling, which later runs need not"
    course.compile(-1)
    assert "compiling" not in ", ".join(course.parts())


def test_what_numba_compiles_is_heard():
    function = numba.njit(lambda x: x + 1)
    heard = []
    with compiling_heard(heard.append):
        function(1)
        function(2)
    function(2.0)
    assert (len(heard) > 0, sum(heard), heard[0]) == (True, 0, 1)
    assert len(heard) == 2


@pytest.fixture
def looks(monkeypatch):
    """Let lines be due at once, and return a list that grows with each look whether one is."""
    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 0.001)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.001)
    seen, state = [], ProgressState.state

    def look(self):
        seen.append(self)
        return state(self)

    monkeypatch.setattr(ProgressState, "state", look)
    return seen


def wait_for_looks(looks, n_more):
    n_before, deadline = len(looks), time.monotonic() + 100
    while len(looks) < n_before + n_more:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def writers():
    return [one for one in threading.enumerate() if one.name == "progress"]


def test_lines_come_from_a_timer_while_nothing_is_heard(monkeypatch, capsys, looks):
    monkeypatch.setattr(progress, "SAME_LINE_SECONDS", 0)
    with shown_progress("reading x.csv", quiet=False):
        wait_for_looks(looks, 3)  # at the third, two lines are written
        assert writers()
    assert not writers()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2
    assert all(re.fullmatch(r"fuzzyfrog: reading x\.csv, \d+ s", line) for line in lines)


def test_a_line_that_says_nothing_new_waits(monkeypatch, capsys, looks):
    monkeypatch.setattr(progress, "SAME_LINE_SECONDS", 3600)
    with shown_progress("reading x.csv", quiet=False) as course:
        wait_for_looks(looks, 4)
        course.phase("searching")
        wait_for_looks(looks, 4)
    lines = r"fuzzyfrog: reading x\.csv, \d+ s\nfuzzyfrog: searching, \d+ s\n"
    assert re.fullmatch(lines, capsys.readouterr().err)


def test_quiet_shows_nothing():
    with shown_progress("reading x.csv", quiet=True):
        assert not writers()
