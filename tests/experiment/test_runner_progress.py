"""How far an experiment has come, and how long the rest may take."""

import pytest

from fuzzyfrog.experiment import runner
from fuzzyfrog.experiment.runner import CellProgress, duration


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands at 0 until it is set."""
    now = [0.0]
    monkeypatch.setattr(runner.time, "monotonic", lambda: now[0])
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


def test_the_time_left_follows_the_mean_pace_of_what_was_computed(clock, capsys):
    progress = CellProgress(interval=0, silent_seconds=10)
    progress.expect(12)
    progress.reused()  # took no time
    clock[0] = 9.0
    progress.computed("wine: frogs")
    assert last_line(capsys) == "fuzzyfrog: 2 of 12 cells; wine: frogs"  # too early to tell
    clock[0] = 20.0
    progress.computed("wine: swarm")
    assert last_line(capsys) == "fuzzyfrog: 3 of 12 cells; wine: swarm; about 2 min left"


def test_cells_that_are_shared_are_not_waited_for(clock, capsys):
    progress = CellProgress(interval=0, silent_seconds=0)
    progress.expect(8)
    progress.expect(-2)
    clock[0] = 6.0
    progress.computed("a")
    assert last_line(capsys) == "fuzzyfrog: 1 of 6 cells; a; about 30 s left"


def test_lines_are_apart_and_quiet_runs_have_none(clock, capsys):
    progress, quiet = CellProgress(interval=5), CellProgress(quiet=True, interval=0)
    for second in (1.0, 2.0, 7.0):
        clock[0] = second
        progress.computed(f"at {second:g}")
        quiet.computed("never")
    assert [line.split("; ")[1] for line in capsys.readouterr().err.splitlines()] == [
        "at 1",
        "at 7",
    ]
