"""Whole tables on workers that share memory, are paused, come late or are crowded."""

import threading

import dask
import numpy as np
import pytest
from distributed.core import Status

from cluster.inside import threads
from cluster.made import agree, made_measure, made_subsets, on, wait_until
from fuzzyfrog.cluster import client as rounds_of
from fuzzyfrog.cluster import worker
from fuzzyfrog.cluster.measure import Copies
from fuzzyfrog.errors import ClusterError
from fuzzyfrog.measure import Dependency


@pytest.fixture(autouse=True)
def _no_tables():
    """Workers in this process have no tables at first."""
    worker._tables.clear()


@pytest.mark.parametrize("kind", ["class", "numeric"])
def test_a_table_that_was_sent_does_not_change_with_that_of_the_user(kind):
    rng = np.random.default_rng(0)
    X, masks = rng.normal(size=(60, 6)), made_subsets(6)
    y = rng.integers(0, 2, 60) if kind == "class" else rng.normal(size=60)
    before = X.copy(), y.copy()
    with threads() as (_, client):
        first = Dependency(X, y, target=kind, n_jobs=1)
        far = on(client, first, "copies")  # sent, and nobody asks for a score
        X[:] = rng.normal(size=X.shape)
        first.dataset.target[:] = first.dataset.target[::-1].copy()
        agree(far, Dependency(*before, target=kind, n_jobs=1), masks)


def pause(dask_worker):
    dask_worker.status = Status.paused


def test_a_paused_worker_is_left_out():
    with threads(2) as (cluster, client):
        paused, other = client.nthreads()
        client.run(pause, workers=[paused])
        wait_until(lambda: cluster.scheduler.workers[paused].status == Status.paused)
        near = made_measure()
        agree(on(client, near, "copies"), near, made_subsets(count=5))
        assert set(rounds_of.workers_of(client)) == {other}


def test_nobody_but_paused_workers_end_in_a_sentence(monkeypatch):
    monkeypatch.setattr(rounds_of, "WORKER_SECONDS", 0.5)
    with threads() as (cluster, client):
        client.run(pause)
        wait_until(lambda: not cluster.scheduler.running)
        with pytest.raises(ClusterError, match="that takes work, neither paused nor leaving"):
            Copies(client, made_measure())


def test_threads_of_workers_that_come_later_count():
    near = made_measure()
    with threads() as (cluster, client):
        far = on(client, near, "copies")
        assert far._layout.n_threads == 1
        cluster.scale(3)
        client.wait_for_workers(3, timeout=600)
        agree(far, near, made_subsets())
        assert far._layout.n_threads == 3


def test_a_cluster_that_grows_with_its_work_begins_without_workers():
    near = made_measure()
    with threads(0) as (cluster, client):
        cluster.adapt(minimum=0, maximum=1, interval="100ms", wait_count=100)
        agree(on(client, near, "copies"), near, made_subsets(count=5))
        wait_until(lambda: not any("int" in str(key) for key in list(cluster.scheduler.tasks)))


def test_more_runs_at_once_than_tables_that_are_kept(monkeypatch):
    monkeypatch.setattr(worker, "MOST_TABLES", 4)
    with threads(2) as (_, client):
        crew = [threading.Thread(target=rounds, args=(client, 60 + k)) for k in range(5)]
        for one in crew:
            one.start()
        for one in crew:
            one.join()
    assert dask.config.get("scheduler", None) is None  # which holds for the whole process


def rounds(client, n_samples):
    near = made_measure(n_samples=n_samples)
    far = on(client, near, "copies")
    for _ in range(3):
        agree(far, near, made_subsets(count=5))
