"""What is sent, how it is cut and where it lies."""

import numpy as np
import pytest

from cluster.made import made_measure, made_table
from fuzzyfrog.cluster.client import workers_of
from fuzzyfrog.cluster.measure import (
    Copies,
    Sharded,
    fits_everywhere,
    layout_for,
    n_shards_for,
    soft_bytes,
)
from fuzzyfrog.errors import ClusterError
from fuzzyfrog.measure import SampledDependency, SoftDependency

GIGABYTE = 2**30


def workers(n_workers, gigabytes=0, nthreads=1):
    """Return what a scheduler reports about its workers; no gigabytes means no limit."""
    one = {"nthreads": nthreads, "memory_limit": gigabytes * GIGABYTE}
    return {f"tcp://10.0.0.{k}:1234": one for k in range(n_workers)}


def bytes_of(n_cells, n_shards, crew):
    """Return what workers hold at most: shards, and for each thread a union and two pairs."""
    n_threads = sum(worker["nthreads"] for worker in crew.values())
    union = 2 * n_cells / n_shards * (12 + 14)
    pairs = 2 * 2 * n_cells / n_shards * 8
    return len(crew) * 300e6 + 8 * n_cells + n_threads * (union + pairs + 2**27)


class TestWhatFits:
    def test_a_table_fits_if_the_smallest_worker_can_hold_two(self):
        crew = workers(2, gigabytes=1)
        assert fits_everywhere(10_000_000, crew)
        assert not fits_everywhere(12_000_000, crew)
        assert fits_everywhere(12_000_000, workers(2))
        assert not fits_everywhere(12_000_000, {**workers(3, 64), "small": crew.popitem()[1]})

    @pytest.mark.parametrize(
        ("n_threads", "n_shards"), [(1, 2), (2, 3), (3, 3), (4, 4), (10, 5), (28, 8), (600, 36)]
    )
    def test_pairs_of_shards_keep_all_threads_busy(self, n_threads, n_shards):
        assert n_shards_for(1_000_000, workers(n_threads, gigabytes=64)) == n_shards
        assert n_shards_for(10**12, workers(n_threads)) == n_shards  # no limit, no reason for more
        assert n_shards_for(1_000_000, workers(1, nthreads=n_threads)) == n_shards

    @pytest.mark.parametrize(
        ("crew", "n_shards"),
        [
            (workers(1, 64), 3),
            (workers(4, 8), 24),
            (workers(4, 16), 9),
            (workers(4, 16, nthreads=2), 18),
            (workers(4, 64), 4),
            (workers(16, 8), 17),
        ],
    )
    def test_pairs_of_shards_fit_beside_the_shards(self, crew, n_shards):
        assert n_shards_for(10**9, crew) == n_shards
        room = 0.7 * sum(worker["memory_limit"] for worker in crew.values())
        assert bytes_of(10**9, n_shards, crew) <= room

    def test_the_smallest_worker_and_the_one_with_most_threads_count(self):
        one, other = workers(2, 16).items()
        assert n_shards_for(10**9, dict([one, other])) == 12
        busy = {**other[1], "nthreads": 2}
        assert n_shards_for(10**9, dict([one, (other[0], busy)])) == 23
        small = {**other[1], "memory_limit": 15 * GIGABYTE}
        assert n_shards_for(10**9, dict([one, (other[0], small)])) == 13

    def test_too_little_memory_is_refused_and_as_much_as_is_asked_for_is_enough(self):
        with pytest.raises(ClusterError) as refused:
            n_shards_for(10**9, workers(4, gigabytes=4))
        assert str(refused.value) == (
            "each worker must have 7.3 GB of memory for its part of a table of 8.0 GB, got 4.2 GB. "
            "Start more workers, fewer threads in each, or workers with more memory."
        )
        assert n_shards_for(10**9, workers(4, gigabytes=7.3e9 / GIGABYTE)) == 32
        with pytest.raises(ClusterError, match=r"must have 7\.3 GB .* got 7\.2 GB"):
            n_shards_for(10**9, workers(4, gigabytes=7.2e9 / GIGABYTE))


def test_workers_with_little_memory_get_shards(client, monkeypatch):
    measure = made_measure()
    assert isinstance(layout_for(client, measure), Copies)
    monkeypatch.setattr("fuzzyfrog.cluster.measure.SHARE", 1e-6)
    assert isinstance(layout_for(client, measure), Sharded)


def test_a_measure_that_has_no_parts_needs_the_whole_table(client, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.cluster.measure.SHARE", 1e-6)
    part = SampledDependency(made_measure(), 60, seed=0)
    with pytest.raises(ClusterError, match=r"must have .* GB of memory for the whole table, got"):
        layout_for(client, part)


class TestColumnsOfTheSoftMeasure:
    def test_more_workers_need_less_memory_each_and_more_threads_need_more(self):
        size = 16_000, 16_000, 10_000, 20  # 1.3 GB
        needed = [soft_bytes(*size, crew) / 1e9 for crew in (workers(1), workers(2), workers(8))]
        assert needed == pytest.approx([4.34, 2.39, 0.94], abs=0.01)
        assert soft_bytes(*size, workers(8, nthreads=4)) > soft_bytes(*size, workers(8))

    def test_beyond_100_000_samples_only_columns_of_the_path_are_longer(self):
        many = soft_bytes(1_000_000, 100_000, 50, 20, workers(2))
        assert many == pytest.approx((3e8 + 17 * 2.5e6 + 26 * 36e6) / 0.7)

    def test_too_little_memory_is_refused(self, client, monkeypatch):
        monkeypatch.setattr("fuzzyfrog.cluster.measure.BARE_BYTES", 10**15)
        soft = SoftDependency(*made_table(), categorical_features=[1])
        with pytest.raises(ClusterError, match=r"its columns of a table of 0\.0 GB, got .* Start"):
            layout_for(client, soft)

    @pytest.mark.parametrize(("n_more", "most"), [(0, 20.0), (5, 25.0), (2000, 512)])
    def test_the_longest_base_is_what_there_is_room_for(self, client, monkeypatch, n_more, most):
        wide = SoftDependency(np.random.default_rng(0).normal(size=(50, 9000)), np.arange(50) % 2)
        room = soft_bytes(50, 50, 9000, 20 + n_more, workers_of(client))
        monkeypatch.setattr("fuzzyfrog.cluster.measure._memory", lambda _: room)
        assert layout_for(client, wide)._most == pytest.approx(most)
        narrow = SoftDependency(*made_table(), categorical_features=[1])
        assert layout_for(client, narrow)._most == 512
