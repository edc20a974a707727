"""The soft measure on a cluster: the bits of one machine, for any table and whoever is killed."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from msgspec import structs

from cluster.inside import threads
from cluster.killing import kills
from cluster.made import made_table, same_bytes
from cluster.processes import worker
from fuzzyfrog import SoftSelector
from fuzzyfrog.cluster import soft
from fuzzyfrog.common.arrays import Extensions
from fuzzyfrog.common.deadline import Deadline, TimeIsUp, limited
from fuzzyfrog.data import make_dataset
from fuzzyfrog.measure import SoftDependency

PAIRS_AND_FEWEST = {"all": None, "estimates": (100_000, 100), "few references": (60_000, 200)}


@pytest.fixture(params=PAIRS_AND_FEWEST)
def beyond(request, monkeypatch):
    """All samples are anchors; or a part of them; or these race on a part of all samples."""
    monkeypatch.setattr("fuzzyfrog.measure.soft._FIRST_ROUND", 40)
    if thresholds := PAIRS_AND_FEWEST[request.param]:
        for name, value in zip(("PAIRS", "FEWEST_ANCHORS"), thresholds, strict=True):
            monkeypatch.setattr(f"fuzzyfrog.measure.soft.{name}", value)
    return request.param


@pytest.fixture
def in_pieces(monkeypatch):
    """Pieces of three features, and no rule that keeps a round in this process."""
    monkeypatch.setattr(soft, "FEW", 1)
    monkeypatch.setattr(soft, "TASKS_PER_THREAD", 1)
    monkeypatch.setattr(soft, "PIECE_BYTES", 3 * 8 * 400)
    monkeypatch.setattr("fuzzyfrog.cluster.measure.round_seconds", lambda *_: 0.0)


def made_soft(kind="class", *, grouped=False):
    X, y = made_table(kind, 400)
    X[:, 4] = np.exp(3 * X[:, 4])  # some so far out that float32 cannot weigh them
    table = make_dataset(X, y, categorical_features=[1], target=kind)
    if grouped:
        weights = np.random.default_rng(2).exponential(size=400)
        table = replace(table, groups=np.arange(400) // 2, weights=weights)
    return SoftDependency(table, n_jobs=1)


def spread(client, near, empty_round=0.0):
    """Return a measure whose pairs of samples are looked at by workers, and what does that."""
    pairs = soft.PairsThere(client, near, empty_round)
    return near.with_pairs(pairs), pairs


def agree(far, near):
    """Check that two measures give the same bits along a path."""
    base = np.zeros(near.n_features, bool)
    for added in ([], [2, 5]):
        base[added] = True
        step = Extensions(base.copy(), np.flatnonzero(~base)[::-1])
        assert same_bytes(far.best(step), near.best(step))
        assert same_bytes(far.memberships(step), near.memberships(step))
    assert same_bytes(far.score(step[:2]), near.score(step[:2]))
    path = np.array([3, 0, 5, 1, 4])
    for start in (0, 3):
        assert same_bytes(far.left_out_losses(path, start), near.left_out_losses(path, start))


def only(*names):
    """Choose from the sizes of `beyond`."""
    return pytest.mark.parametrize("beyond", names, indirect=True)


TABLES = [
    ("all", "class", False),
    ("estimates", "numeric", False),
    ("few references", "class", True),
]


@pytest.mark.parametrize(("beyond", "kind", "grouped"), TABLES, indirect=["beyond"])
def test_bits_are_those_of_one_machine(client, beyond, kind, grouped):
    near = made_soft(kind, grouped=grouped)
    assert (near.n_sampled < 400) == (beyond != "all")
    assert (near.n_racing < 400) == (beyond == "few references")
    agree(spread(client, near)[0], near)


@pytest.mark.usefixtures("in_pieces", "beyond")
@only("few references")
def test_pieces_of_columns_have_the_same_bits(client):
    near = made_soft()
    far, pairs = spread(client, near)
    agree(far, near)
    sizes = {last - first for _, first, *end in pairs._data._sent if end for last in end}
    assert sizes == {1, 3, 4}  # four, where fewer samples race


@pytest.mark.usefixtures("beyond")
@only("estimates")
def test_three_workers(cluster, client):
    near = made_soft()
    with worker(cluster.scheduler_address):
        client.wait_for_workers(3, timeout=600)
        far, pairs = spread(client, near)
        assert pairs.n_threads == 3
        agree(far, near)


def fitted(cluster, **more):
    """Return the record of a path but for its times."""
    X, y = made_table(n_samples=400)
    X = np.hstack([X, np.random.default_rng(3).normal(size=(400, 6))])
    y = y + 3 * (X[:, 0] > 0) * (X[:, 8] > 0)
    chosen = {"must_include": [2], "n_features_to_select": 4, **more}
    selector = SoftSelector(cluster=cluster, random_state=0, n_jobs=1, **chosen)
    record = selector.fit(X, y).record()
    history = tuple(structs.replace(point, seconds=0.0) for point in record.history)
    return structs.replace(record, seconds=0.0, history=history)


@pytest.mark.usefixtures("in_pieces", "beyond")
@pytest.mark.parametrize(
    ("beyond", "groups"), [("few references", None), ("all", {"two": [8, 9]})], indirect=["beyond"]
)
def test_a_path_is_that_of_one_machine(client, groups):
    far, near = (fitted(one, feature_groups=groups) for one in (client, None))
    assert far == near


@pytest.mark.usefixtures("in_pieces", "beyond")
@only("few references")
def test_killed_workers_change_no_bit(client):
    near = fitted(None)
    with kills(client, times=1) as goes_on:
        while goes_on():
            assert fitted(client) == near


@pytest.mark.long
@pytest.mark.parametrize("beyond", PAIRS_AND_FEWEST, indirect=True)
@pytest.mark.usefixtures("in_pieces", "beyond")
def test_five_workers_killed_at_random_change_no_bit(client):
    near = fitted(None)
    with kills(client, times=5, pause=(0.0, 2.0)) as goes_on:
        while goes_on():
            assert fitted(client) == near


def test_columns_are_spread_and_dropped_in_the_end(client, monkeypatch):
    monkeypatch.setattr(soft, "FEW", 0)
    near = made_soft()
    far, pairs = spread(client, near)
    far.best(Extensions(np.zeros(7, bool), np.arange(7)))
    pieces = [one.key for name, one in pairs._data._sent.items() if len(name) == 3]
    held = [set(keys) & set(pieces) for keys in client.has_what().values()]
    assert len(pieces) > 1
    assert all(len(some) > 0 for some in held)
    pairs.withdraw()
    assert not pairs._data._sent


def test_what_was_lost_is_sent_again():
    near = made_soft()
    with threads(2) as (_, client):
        far, pairs = spread(client, near)
        agree(far, near)
        client.cancel(list(pairs._data._sent.values()))
        agree(far, near)


def test_small_rounds_stay_here(client):
    near = made_soft()
    far, pairs = spread(client, near, empty_round=inf)
    agree(far, near)
    assert not pairs._data._sent


def test_a_base_that_is_too_long_for_a_worker_stays_here(client):
    near = made_soft()
    pairs = soft.PairsThere(client, near, 0.0, most=2)
    far, sent = near.with_pairs(pairs), pairs._data._sent
    every = np.ones((1, 7), bool)
    assert same_bytes(far.score(every), near.score(every))
    assert same_bytes(far.left_out_losses([0, 1, 2]), near.left_out_losses([0, 1, 2]))
    assert not sent
    assert same_bytes(far.score(every & (np.arange(7) < 3)), near.score(every & (np.arange(7) < 3)))
    assert same_bytes(far.left_out_losses([0, 1]), near.left_out_losses([0, 1]))
    assert sent


def test_long_rounds_are_sent(client):
    near = made_soft()
    far, pairs = spread(client, near, empty_round=1e-9)
    agree(far, near)
    assert pairs._data._sent


def test_a_worker_with_other_code_is_refused(client, monkeypatch):
    monkeypatch.setattr(soft, "stamp", lambda: "other code")
    near = made_soft()
    far, _ = spread(client, near)
    for ask in (lambda: far.score(np.ones((1, 7), bool)), lambda: far.left_out_losses([0, 1])):
        with pytest.raises(ValueError, match="cluster must have the code of this process on every"):
            ask()


def test_a_worker_that_rounds_otherwise_is_refused(client, monkeypatch):
    monkeypatch.setattr(soft, "exponentials", lambda: "of another processor")
    far, _ = spread(client, made_soft())
    with pytest.raises(ValueError, match=r"rounds exponentials as .* on the worker tcp://"):
        far.score(np.ones((1, 7), bool))


def test_a_deadline_ends_a_round(client):
    near = made_soft()
    far, pairs = spread(client, near)
    with limited(Deadline(0.0)), pytest.raises(TimeIsUp):
        far.left_out_losses([0, 1])
    assert pairs._data._sent  # it had begun
