"""What is sent, how it is cut and where it lies."""

import pytest

from fuzzyfrog.scale.copies import Copies
from fuzzyfrog.scale.layouts import fits_everywhere, layout_for, n_shards_for
from fuzzyfrog.scale.pace import Pace, round_seconds
from fuzzyfrog.scale.sharded import Sharded
from scale.made import agree, made_measure, made_subsets, mark_of, on

GIGABYTE = 2**30


def workers(n_workers, gigabytes=0, nthreads=1):
    """Give what a scheduler tells of its workers; no gigabytes stand for no limit."""
    one = {"nthreads": nthreads, "memory_limit": gigabytes * GIGABYTE}
    return {f"tcp://10.0.0.{k}:1234": one for k in range(n_workers)}


def paced(empty_round, *laps):
    """Give a pace that has learned from batches of one subset."""
    pace = Pace(empty_round)
    for seconds in laps:
        pace._learn(seconds, 1)
    return pace


class TestWhatFits:
    def test_a_table_fits_if_the_smallest_worker_can_hold_two(self):
        crew = workers(2, gigabytes=1)
        assert fits_everywhere(10_000_000, crew)
        assert not fits_everywhere(12_000_000, crew)
        assert fits_everywhere(12_000_000, workers(2))
        assert not fits_everywhere(12_000_000, {**workers(3, 64), "small": crew.popitem()[1]})

    @pytest.mark.parametrize(
        ("crew", "n_shards"),
        [
            (workers(1, 64), 2),
            (workers(3, 64), 3),
            (workers(4, 64), 4),
            (workers(10, 64), 5),
            (workers(28, 64), 8),
            (workers(1, 1), 63),  # 40 bytes for each cell of a pair of shards in 0.6 gigabytes
            (workers(2, 2, nthreads=2), 63),
        ],
    )
    def test_pairs_of_shards_keep_all_threads_busy_and_fit(self, crew, n_shards):
        assert n_shards_for(1_000_000_000, crew) == max(n_shards, n_shards_for(10**9, crew))
        assert n_shards_for(1_000, crew) <= n_shards


def test_workers_with_little_memory_get_shards(client, monkeypatch):
    measure = made_measure()
    assert isinstance(layout_for(client, measure, mark_of(measure)), Copies)
    monkeypatch.setattr("fuzzyfrog.scale.layouts.SHARE", 1e-6)
    assert isinstance(layout_for(client, measure, mark_of(measure)), Sharded)


class TestPace:
    def test_a_subset_is_timed_first(self):
        assert Pace(0.02).is_unknown
        assert not paced(0.02, 0.001).is_unknown

    def test_a_batch_is_sent_when_it_takes_longer_than_two_empty_rounds(self):
        pace = paced(0.02, 0.001)
        assert not pace.is_worth_a_round(39)
        assert pace.is_worth_a_round(40)

    def test_a_task_has_a_tenth_of_a_second_of_work(self):
        pace = paced(0.02, 0.01)
        assert [pace.n_tasks(n, 4) for n in (1, 10, 50, 10_000)] == [1, 1, 5, 16]

    def test_the_latest_batch_counts_half(self):
        assert paced(0.02, 1.0, 2.0)._seconds == 1.5

    def test_without_a_price_everything_is_sent_at_once(self):
        pace = Pace(0.0)
        assert not pace.is_unknown
        assert pace.is_worth_a_round(1)

    def test_an_empty_round_takes_time(self, client):
        assert 0 < round_seconds(client, 2) < 10


def n_scattered(cluster):
    events = cluster.scheduler.get_events("all")
    return sum(1 for _, event in events if event.get("action") == "scatter")


def test_a_second_run_on_the_same_table_sends_nothing(cluster, client):
    measure = made_measure(n_samples=140)
    before = n_scattered(cluster)
    on(client, measure, "copies")
    assert n_scattered(cluster) == before + 1
    again = on(client, made_measure(n_samples=140), "copies")
    assert n_scattered(cluster) == before + 1
    agree(again, measure, made_subsets())


def test_a_worker_keeps_two_tables(client):
    marks = []
    for n_samples in (141, 142, 143):
        measure = made_measure(n_samples=n_samples)
        on(client, measure, "copies")
        marks.append(mark_of(measure))
    from fuzzyfrog.scale.tables import holds

    held = [set(client.run(holds, mark).values()) for mark in marks]
    assert held == [{False}, {True}, {True}]


def test_a_table_that_was_pushed_out_is_sent_again(client):
    measure = made_measure(n_samples=144)
    first = on(client, measure, "copies")
    for n_samples in (145, 146):
        on(client, made_measure(n_samples=n_samples), "copies")
    agree(first, measure, made_subsets())
