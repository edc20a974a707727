"""Workers are killed, schedulers are lost, Ctrl-C is pressed: the same bits, or a sentence."""

import os
import signal
import threading

import numpy as np
import pytest

from cluster.killing import always_lost, kills, wrong
from cluster.made import made_subsets, on, same_bytes, wait_until
from fuzzyfrog.cluster import client as rounds_of
from fuzzyfrog.cluster.client import collected
from fuzzyfrog.errors import ClusterError
from fuzzyfrog.measure import Dependency


@pytest.fixture(scope="module")
def slow():
    """A measure whose batch of subsets takes about a second, and its scores."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 20))
    measure = Dependency(X, X[:, :3].sum(axis=1) + rng.normal(size=3000) > 0, n_jobs=1)
    masks = made_subsets(20, 120)
    return measure, masks, measure.score(masks)


def survive(client, slow, layout, times, pause=(0.0, 0.0)):
    """Score until all kills are done; return the number of rounds."""
    measure, masks, scores = slow
    far, n_rounds = on(client, measure, layout), 0
    with kills(client, times, pause) as go_on:
        while go_on() or n_rounds == 0:
            assert same_bytes(far.score(masks), scores)
            n_rounds += 1
    assert same_bytes(far.score(masks), scores)
    return n_rounds


@pytest.mark.parametrize(("layout", "times"), [("copies", 2), (3, 1)])
def test_killed_workers_change_no_bit(client, slow, layout, times):
    survive(client, slow, layout, times)


@pytest.mark.long
@pytest.mark.parametrize("layout", ["copies", 3])
def test_five_workers_killed_at_random_change_no_bit(client, slow, layout):
    survive(client, slow, layout, times=5, pause=(0.0, 3.0))


def test_work_that_is_lost_every_time_ends_in_a_sentence(client, monkeypatch):
    monkeypatch.setattr(rounds_of, "RESUBMISSIONS", 0)
    with pytest.raises(ClusterError, match=r"lost the same work 1 times \(KilledWorker"):
        collected(
            client,
            1,
            lambda missing: client.map(always_lost, missing, pure=False),
            lambda: None,
        )


def test_work_that_is_wrong_is_not_tried_again(client):
    submitted = []

    def submit(missing):
        submitted.extend(missing)
        return client.map(wrong, missing, pure=False)

    with pytest.raises(ZeroDivisionError, match="part 0"):
        collected(client, 2, submit, lambda: None)
    assert submitted == [0, 1]


def test_ctrl_c_cancels_what_is_outstanding(cluster, client, slow):
    measure, masks, _ = slow
    far = on(client, measure, "copies")
    far.score(masks[:2])  # the workers have their measures
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        far.score(np.repeat(masks, 20, axis=0))
    wait_until(lambda: not any("score" in str(key) for key in list(cluster.scheduler.tasks)))
