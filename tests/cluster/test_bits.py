"""On a cluster the scores are those of one machine, bit for bit."""

import numpy as np
import pytest

from cluster.made import NEVER, agree, made_measure, made_subsets, on, same_bytes, steps
from cluster.processes import worker
from fuzzyfrog.measure import Dependency

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
