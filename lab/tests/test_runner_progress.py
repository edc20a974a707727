"""How far an experiment has come, and how long the rest may take."""

import threading
import time

import pytest

from clock import set_clock
from fuzzyfrog_lab.runner import CellProgress, duration


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands at 0 until it is set."""
    now = [0.0]
    set_clock(monkeypatch, lambda: now[0])
    return now


def last_line(capsys):
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.2, "0 s"), (89, "89 s"), (100, "2 min"), (5000, "83 min"), (8000, "2 h 13 min"),
     (200_000, "2 d 7 h")],
)  # fmt: skip
def test_durations(seconds, told):
    assert duration(seconds) == told


def compute(progress, what):
    with progress.computing(what):
        pass


def test_the_time_left_follows_the_mean_pace_of_what_was_computed(clock, capsys):
    progress = CellProgress(interval=0, silent_seconds=10)
    progress.expect(12)
    progress.reused()  # took no time
    compute(progress, "wine: frogs")
    clock[0] = 9.0
    compute(progress, "wine: swarm")
    assert last_line(capsys) == "fuzzyfrog: 2 of 12 cells; wine: swarm"  # too early to tell
    clock[0] = 20.0
    compute(progress, "wine: genetic")
    assert last_line(capsys) == "fuzzyfrog: 3 of 12 cells; wine: genetic; about 2 min left"


def test_the_first_cell_is_named_before_it_is_done(clock, capsys):
    progress = CellProgress()
    progress.expect(2)
    clock[0] = 100.0  # long enough for the table to be read
    with progress.computing("wine: NBTree, 5 features"):
        assert last_line(capsys) == "fuzzyfrog: 0 of 2 cells; wine: NBTree, 5 features"


def test_a_long_cell_that_begins_soon_after_a_line_is_named(capsys):
    progress = CellProgress(interval=0.05)
    compute(progress, "short")
    with progress.computing("long"):
        assert waits_for(lambda: "cells; long" in capsys.readouterr().err)


def test_a_short_cell_is_not_named_once_it_is_done(capsys):
    progress = CellProgress(interval=3600)
    compute(progress, "first")
    compute(progress, "short")
    for one in threading.enumerate():
        if isinstance(one, threading.Timer):  # which would name it in an hour
            one.join(100)
            assert not one.is_alive()
    assert "short" not in capsys.readouterr().err


def test_cells_that_are_shared_are_not_waited_for(clock, capsys):
    progress = CellProgress(interval=0, silent_seconds=0)
    progress.expect(8)
    progress.expect(-2)
    compute(progress, "a")
    clock[0] = 6.0
    compute(progress, "b")
    assert last_line(capsys) == "fuzzyfrog: 1 of 6 cells; b; about 30 s left"


def test_lines_are_apart_and_quiet_runs_have_none(clock, capsys):
    progress, quiet = CellProgress(interval=5), CellProgress(quiet=True, interval=0)
    for second in (1.0, 2.0, 7.0):
        clock[0] = second
        compute(progress, f"at {second:g}")
        compute(quiet, "never")
    assert [line.split("; ")[1] for line in capsys.readouterr().err.splitlines()] == [
        "at 1",
        "at 7",
    ]


def waits_for(happens, seconds=100.0):
    """Whether something happens soon."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if happens():
            return True
        time.sleep(0.01)
    return False
