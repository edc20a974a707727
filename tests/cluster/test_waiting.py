"""Every wait ends: leaving workers, lost schedulers."""

import errno
from concurrent.futures import CancelledError

import pytest
from distributed import Client
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from cluster.inside import threads
from cluster.made import made_measure, made_subsets, on
from fuzzyfrog.cluster import client as rounds_of
from fuzzyfrog.cluster import on_cluster
from fuzzyfrog.cluster.client import collected, is_loss
from fuzzyfrog.cluster.measure import Copies
from fuzzyfrog.errors import ClusterError


def test_the_last_worker_leaves_with_its_results(monkeypatch):
    monkeypatch.setattr(rounds_of, "LOOK_AROUND", 0.2)
    monkeypatch.setattr(rounds_of, "WORKER_SECONDS", 1.0)
    near, masks = made_measure(), made_subsets()
    with threads() as (cluster, client):
        far = on(client, near, "copies")
        gather = client.gather

        async def too_late(futures):
            (address,) = cluster.scheduler.workers
            await cluster.scheduler.remove_worker(address, stimulus_id="test")
            return await gather(futures)

        client.gather = too_late
        with pytest.raises(ClusterError, match=r"must have a worker .* got none within 1 seconds"):
            far.score(masks)


@pytest.mark.parametrize("layout", ["copies", 3])
def test_a_scheduler_that_is_lost_between_rounds(cluster, layout):
    near, masks = made_measure(), made_subsets()
    with Client(cluster, set_as_default=False) as client:
        far = on(client, near, layout)
        far.score(masks)
    with pytest.raises(ClusterError, match="the scheduler of the cluster was lost"):
        far.score(masks)


def test_a_scheduler_that_is_lost_before_the_first_round(cluster):
    with Client(cluster, set_as_default=False) as client:
        pass
    with pytest.raises(ClusterError, match="the scheduler of the cluster was lost"):
        Copies(client, made_measure())


def test_the_error_that_ended_a_run_is_not_masked(cluster, client, monkeypatch):
    monkeypatch.setattr(Copies, "withdraw", lambda self: 1 / 0)
    near, address = made_measure(), cluster.scheduler_address
    with pytest.raises(KeyError, match="mine"), on_cluster(near, address):
        raise KeyError("mine")


def test_a_task_may_not_fit_on_its_own_cluster(cluster, client):
    def fit(address):
        from fuzzyfrog import ReductSelector

        ReductSelector(cluster=address).fit([[0.0], [1.0], [0.5]], [0, 1, 0])

    address = cluster.scheduler_address.replace("127.0.0.1", "localhost")
    task = client.submit(fit, address, pure=False)
    with pytest.raises(ValueError, match="cluster must not be the one whose task calls"):
        task.result(timeout=600)


LOST = [
    CommClosedError("closed"),
    ConnectionResetError(errno.ECONNRESET, "reset"),
    TimeoutError("late"),
    OSError("Timed out trying to connect to tcp://10.0.0.1:1234 after 30 s"),
    CancelledError(),
    KilledWorker("task", None, 3),
]
WRONG = [
    PermissionError(errno.EACCES, "no"),
    FileNotFoundError(errno.ENOENT, "no such file"),
    OSError(errno.ENOSPC, "disk full"),
    ValueError("wrong"),
]


@pytest.mark.parametrize("error", LOST, ids=lambda error: type(error).__name__)
def test_a_loss(error):
    assert is_loss(error)


@pytest.mark.parametrize("error", WRONG, ids=lambda error: type(error).__name__)
def test_what_no_other_worker_would_cure(client, error):
    submitted = []

    def fail(part):
        raise error

    def submit(missing):
        submitted.extend(missing)
        return client.map(fail, missing, pure=False)

    with pytest.raises(type(error)):
        collected(client, 1, submit, lambda: None)
    assert submitted == [0]
