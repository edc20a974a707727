"""On a cluster the scores are those of one machine, bit for bit."""

import numpy as np
import pytest

from cluster.made import NEVER, agree, made_measure, made_subsets, on, same_bytes, steps
from cluster.processes import worker
from fuzzyfrog.cluster import ClusterMeasure
from fuzzyfrog.measure import Dependency, SoftDependency

both_ways = pytest.mark.parametrize("layout", ["copies", 3])


@pytest.mark.parametrize("layout", ["copies", 1, 2, 3, 7])
@pytest.mark.parametrize(
    ("kind", "tnorm", "missing"),
    [
        ("class", "lukasiewicz", "similar"),
        ("class", "product", "different"),
        ("numeric", "minimum", "similar"),
    ],
)
def test_scores_are_those_of_one_machine(client, layout, kind, tnorm, missing):
    near = made_measure(kind, tnorm, missing)
    agree(on(client, near, layout), near, made_subsets())


@both_ways
def test_the_best_step_of_a_greedy_search(client, layout):
    near = made_measure()
    masks = steps()
    scores = near.score(masks)
    expected = np.where(scores == scores.max(), scores, NEVER)
    assert same_bytes(on(client, near, layout).best(masks), expected)


class Halves:
    """Scores the halves of a batch apart, as two workers would."""

    n_threads = 2

    def __init__(self, measure):
        self.measure = measure

    def best(self, masks, _n_tasks):
        scores = np.concatenate([self.measure.best(half) for half in np.array_split(masks, 2)])
        return np.where(scores < scores.max() - self.measure.tolerance, NEVER, scores)


def test_a_race_between_estimates_is_not_split(monkeypatch):
    """It ends with its leader, which is not that of halves."""
    monkeypatch.setattr("fuzzyfrog.measure.soft.PAIRS", 180_000)
    monkeypatch.setattr("fuzzyfrog.measure.soft.FEWEST_ANCHORS", 100)
    X = np.random.default_rng(0).normal(size=(600, 9))
    near, masks = SoftDependency(X, X[:, 0] > 0, n_jobs=1), steps(9)
    expected, halves = near.best(masks), Halves(near)
    assert not same_bytes(halves.best(masks, 2), expected)
    assert same_bytes(ClusterMeasure(near, halves, empty_round=0.0).best(masks), expected)


@both_ways
def test_one_bar_for_all_and_ties_of_the_best(client, layout):
    near = made_measure()
    masks = np.concatenate([made_subsets()[2:9]] * 2)  # every subset twice
    far, scores = on(client, near, layout), near.score(masks)
    bar = float(np.median(scores))
    assert same_bytes(far.score(masks, bar), np.where(scores < bar, NEVER, scores))
    assert (far.best(masks) > NEVER).sum() >= 2


@both_ways
def test_few_subsets_and_none(client, layout):
    near = made_measure()
    far, masks = on(client, near, layout), made_subsets()
    assert same_bytes(far.score(masks[5:6]), near.score(masks[5:6]))
    assert far.score(masks[:0]).shape == far.best(masks[:0]).shape == (0,)
    with pytest.raises(ValueError, match="masks must be boolean"):
        far.score(masks[:, :3])
    assert far.n_features == 7


def test_more_shards_than_samples(client):
    near = Dependency([[0.0, 2.0], [1.0, 2.0], [1.0, 3.0], [4.0, 0.0]], ["a", "b", "a", "b"])
    agree(on(client, near, 7), near, made_subsets(n_features=2, count=4))


def test_a_batch_of_shards_is_cut_for_memory(client, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.cluster.measure.MOST_BYTES", 8 * 150 * 2)  # two subsets
    near = made_measure()
    far = on(client, near, 2)
    assert far._layout._at_once() == 2
    agree(far, near, made_subsets(count=5))


def test_three_workers(cluster, client):
    near, masks = made_measure(), made_subsets()
    with worker(cluster.scheduler_address):
        client.wait_for_workers(3, timeout=600)
        for layout in ("copies", 3):
            far = on(client, near, layout)
            assert far._layout.n_threads == 3
            agree(far, near, masks)
