"""What is worth a round trip, and how it is cut."""

import pytest

from clock import set_clock
from cluster.made import made_measure, made_subsets, on
from fuzzyfrog.cluster.measure import Pace, round_seconds

MANY = 10**6  # threads


def paced(empty_round, *laps):
    """Return a pace that has learned from batches of one subset."""
    pace = Pace(empty_round)
    for seconds in laps:
        with pytest.MonkeyPatch.context() as patch:
            now = iter([0.0, seconds])
            set_clock(patch, lambda now=now: next(now))
            with pace.timed(1, 1):
                pass
    return pace


def test_a_subset_is_timed_first():
    assert Pace(0.02).is_unknown
    assert not paced(0.02, 0.001).is_unknown


def test_a_batch_is_sent_when_that_saves_two_empty_rounds():
    pace = paced(0.02, 0.001)
    assert not pace.is_worth_a_round(39, 1, MANY)
    assert pace.is_worth_a_round(41, 1, MANY)


@pytest.mark.parametrize(("n_here", "n_there"), [(2, 2), (4, 2)])
def test_nothing_is_sent_to_fewer_threads_than_there_are_at_home(n_here, n_there):
    assert not paced(0.02, 1.0).is_worth_a_round(10_000, n_here, n_there)


def test_the_threads_of_both_sides_count():
    pace = paced(0.02, 0.001)  # 1 second of work for 1000 subsets
    assert pace.is_worth_a_round(1000, 8, 16)
    assert not pace.is_worth_a_round(1000, 16, 32)
    assert not pace.is_worth_a_round(1000, 8, 10)


def test_work_at_home_is_that_of_all_threads_there(monkeypatch):
    now = iter([100.0, 103.0])
    set_clock(monkeypatch, lambda: next(now))
    pace = Pace(0.02)
    with pace.timed(6, n_threads=4):
        pass
    assert pace._seconds == 2.0


def test_a_task_has_a_tenth_of_a_second_of_work():
    pace = paced(0.02, 0.01)
    assert [pace.n_tasks(n, 4) for n in (1, 10, 50, 10_000)] == [1, 1, 5, 16]


def test_the_latest_batch_counts_half():
    assert paced(0.02, 1.0, 2.0)._seconds == 1.5


def test_of_a_batch_that_is_sent_the_round_is_no_work(monkeypatch):
    now = iter([100.0, 103.0, 200.0, 200.1])
    set_clock(monkeypatch, lambda: next(now))
    pace = Pace(1.0)
    with pace.timed(4, n_threads=2, is_sent=True):
        pass
    assert pace._seconds == 1.0
    with pace.timed(4, n_threads=2, is_sent=True):  # quicker than an empty one
        pass
    assert pace._seconds == 0.5


def test_without_a_price_everything_is_sent_at_once():
    assert not Pace(0.0).is_unknown
    assert paced(0.0, 1.0).is_worth_a_round(1, 8, 1)


def test_an_empty_round_takes_time(client):
    assert round_seconds(client, 2) > 0


BAD_BARS = [float("nan"), [0.1, 0.2], [[0.5]]]


@pytest.mark.parametrize("bar", BAD_BARS, ids=str)
@pytest.mark.parametrize("layout", ["copies", 3])
def test_what_is_sent_is_refused_with_the_sentence_of_home(client, layout, bar):
    near, masks = made_measure(), made_subsets()
    with pytest.raises(
        ValueError, match=r"at_least must be a number or one per subset \(21\)"
    ) as a:
        near.score(masks, bar)
    with pytest.raises(ValueError, match="at_least must be") as b:
        on(client, near, layout).score(masks, bar)
    assert str(a.value) == str(b.value)
