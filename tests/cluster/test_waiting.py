"""Every wait ends: frozen or leaving workers, lost schedulers."""

import asyncio
import errno
import os
import signal
import threading
import time
from concurrent.futures import CancelledError

import numpy as np
import pytest
from distributed import Client
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from cluster.inside import threads
from cluster.made import made_measure, made_subsets, mark_of, on, same_bytes
from cluster.processes import scheduler, worker
from fuzzyfrog.cluster import on_cluster, retry
from fuzzyfrog.cluster.client import is_loss
from fuzzyfrog.cluster.measure import Copies
from fuzzyfrog.cluster.retry import asked, collected, sent, threads_now, workers_of
from fuzzyfrog.errors import ClusterError
from fuzzyfrog.measure import Dependency


@pytest.fixture
def impatient(monkeypatch):
    """Check often, and treat silence as death at once."""
    monkeypatch.setattr(retry, "LOOK_AROUND", 0.2)
    monkeypatch.setattr(retry, "SILENT_SECONDS", 1.0)
    monkeypatch.setattr(retry, "WORKER_SECONDS", 1.0)


@pytest.fixture
def frozen(client):
    """One of the two workers, that does nothing and is not dead either."""
    address, process = min(client.run(os.getpid).items())
    os.kill(process, signal.SIGSTOP)
    yield address
    os.kill(process, signal.SIGCONT)


WAYS = {
    "asked": lambda client: asked(client, abs, -1),
    "sent": lambda client: sent(client, object(), list(workers_of(client))),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_frozen_worker_is_named(client, impatient, frozen, way):
    with pytest.raises(ClusterError, match=rf"must answer within 1 seconds, .* from {frozen}\. R"):
        way(client)


def test_what_takes_long_is_waited_for(client, impatient):
    async def nap():
        await asyncio.sleep(2.5)
        return "slept"

    assert list(asked(client, nap).values()) == ["slept"] * 2


def test_the_last_worker_leaves_with_its_results(impatient):
    near, masks = made_measure(), made_subsets()
    with threads() as (cluster, client):
        far = on(client, near, "copies")
        gather = client.gather

        async def too_late(futures):
            (address,) = cluster.scheduler.workers
            await cluster.scheduler.remove_worker(address, stimulus_id="test")
            return await gather(futures)

        client.gather = too_late
        with pytest.raises(ClusterError, match="must have a worker, got none within 1 seconds"):
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
    near = made_measure()
    with Client(cluster, set_as_default=False) as client:
        pass
    for begin in (workers_of, lambda lost: Copies(lost, near, mark_of(near))):
        with pytest.raises(ClusterError, match="the scheduler of the cluster was lost"):
            begin(client)
    assert threads_now(client) == 0


def test_the_error_that_ended_a_run_is_not_masked(cluster, client, monkeypatch):
    monkeypatch.setattr(Copies, "withdraw", lambda self: asked(None, abs, -1))
    near, address = made_measure(), cluster.scheduler_address
    with pytest.raises(KeyError, match="mine"), on_cluster(near, address, lambda _: "any"):
        raise KeyError("mine")


def test_a_task_may_not_fit_on_its_own_cluster(cluster, client):
    def fit(address):
        from fuzzyfrog import ReductSelector

        ReductSelector(cluster=address).fit([[0.0], [1.0], [0.5]], [0, 1, 0])

    address = cluster.scheduler_address.replace("127.0.0.1", "localhost")
    task = client.submit(fit, address, pure=False)
    with pytest.raises(ValueError, match="cluster must not be the one whose task calls"):
        task.result(timeout=60)


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


def stop_the_worker_of_a_task(client):
    """Freeze the first worker that is busy."""
    address = next(address for address in busy_workers(client))
    process = client.run(os.getpid, workers=[address])[address]
    os.kill(process, signal.SIGSTOP)
    return process


def busy_workers(client):
    while True:
        yield from (address for address, keys in client.processing().items() if keys)
        time.sleep(0.01)


@pytest.fixture
def hasten(monkeypatch):
    """A function that shortens the wait for a frozen worker."""

    def hasten():
        monkeypatch.setattr(retry, "LOOK_AROUND", 0.2)
        monkeypatch.setattr(retry, "CALL_SECONDS", 0.5)
        monkeypatch.setattr(retry, "SILENT_SECONDS", 2.0)

    return hasten


@pytest.fixture
def freezing(client):
    """Freeze a worker in the middle of the round that follows."""
    stopped = []
    thread = threading.Thread(target=lambda: stopped.append(stop_the_worker_of_a_task(client)))
    yield thread
    thread.join()
    for process in stopped:
        os.kill(process, signal.SIGKILL)  # awake, it would leave for good; its nanny has a new one


@pytest.mark.parametrize("layout", ["copies", pytest.param(3, marks=pytest.mark.long)])
def test_a_worker_that_freezes_in_a_round_is_done_without(client, hasten, freezing, layout):
    check_round(client, freezing, layout, hasten)


@pytest.mark.long
def test_it_is_done_without_before_dask_gives_it_up(client, freezing):
    """With the limits as they are: 30 seconds, on however busy a machine; Dask takes 300."""
    assert retry.CALL_SECONDS + retry.SILENT_SECONDS == 30
    begun = time.monotonic()
    check_round(client, freezing, "copies", lambda: None)
    assert time.monotonic() - begun < 150


def check_round(client, freezing, layout, hasten):
    """Score a batch while a worker freezes; the scores are right, and the worker is dropped."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    near = Dependency(X, X[:, :3].sum(axis=1) + rng.normal(size=2000) > 0, n_jobs=1)
    masks = made_subsets(20, 120)
    expected, far = near.score(masks), on(client, near, layout)
    before = set(client.nthreads())
    hasten()
    freezing.start()
    assert same_bytes(far.score(masks), expected)
    freezing.join()
    assert set(client.nthreads()) != before, "no worker was taken for dead"


@pytest.mark.long
def test_a_scheduler_that_freezes_in_a_round_is_an_error(monkeypatch):
    near, masks = made_measure(), made_subsets()
    with (
        scheduler() as (process, address),
        worker(address),
        Client(address, set_as_default=False) as client,
    ):
        far = on(client, near, "copies")
        assert same_bytes(far.score(masks), near.score(masks))
        monkeypatch.setattr(retry, "SILENT_SECONDS", 3.0)
        process.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(ClusterError, match="must answer within 3 seconds, got nothing"):
                far.score(masks)
        finally:
            process.send_signal(signal.SIGCONT)
