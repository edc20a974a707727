"""How far an experiment has come, and times as people say them."""

import pytest

from fuzzyfrog.experiment.progress import Progress, duration

SELECTION = ("selection", "frogs")
TREE, RULES = ("accuracy", "weka", "J48"), ("accuracy", "weka", "PART")


@pytest.fixture
def progress():
    return Progress(interval=0, silent_seconds=0)


def last_line(capsys):
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.2, "0 s"), (89, "89 s"), (100, "2 min"), (5000, "83 min"), (8000, "2 h 13 min"),
     (200_000, "2 d 7 h")],
)  # fmt: skip
def test_durations(seconds, told):
    assert duration(seconds) == told


def test_the_time_left_is_in_proportion_to_the_weight(progress, capsys):
    progress.expect(SELECTION, 2, weight=2.0)
    progress.expect(SELECTION, 1, weight=10.0)
    progress.reused(SELECTION, 2.0, seconds=3.0)
    progress.computed(SELECTION, 2.0, seconds=3.0, what="wine")
    assert last_line(capsys) == "fuzzyfrog: 2 of 3 cells; wine; about 15 s left"


def test_every_kind_of_cell_has_its_own_time(progress, capsys):
    for kind in (TREE, RULES):
        progress.expect(kind, 11, weight=1.0)
    progress.computed(TREE, 1.0, seconds=1.0, what="a")
    progress.computed(RULES, 1.0, seconds=5.0, what="b")
    assert last_line(capsys).endswith("b; about 60 s left")


def test_a_kind_that_is_new_takes_what_its_like_take(progress, capsys):
    progress.expect(TREE, 1, weight=1.0)
    progress.expect(RULES, 4, weight=1.0)
    progress.expect(SELECTION, 4, weight=1.0)  # nothing like it was measured
    progress.computed(TREE, 1.0, seconds=3.0, what="a")
    assert last_line(capsys).endswith("about 12 s left")


def test_cells_that_are_shared_are_not_waited_for(progress, capsys):
    progress.expect(TREE, 8, weight=1.0)
    for _ in range(2):
        progress.shared(TREE, 1.0)
    progress.computed(TREE, 1.0, seconds=6.0, what="a")
    # One in three was new; so will be one in three of the five that are open.
    assert last_line(capsys) == "fuzzyfrog: 1 of 6 cells; a; about 10 s left"


def test_the_cell_that_compiles_does_not_count(progress, capsys):
    progress.expect(SELECTION, 14, weight=1.0)
    progress.computed(SELECTION, 1.0, seconds=100.0, what="a")
    for _ in range(3):
        progress.computed(SELECTION, 1.0, seconds=1.0, what="a")
    assert last_line(capsys).endswith("about 10 s left")


def test_nothing_is_said_about_time_at_first(capsys):
    progress = Progress(interval=0, silent_seconds=1000)
    progress.expect(SELECTION, 5, weight=1.0)
    progress.computed(SELECTION, 1.0, seconds=12.0, what="wine: frogs")
    assert last_line(capsys) == "fuzzyfrog: 1 of 5 cells; wine: frogs"
