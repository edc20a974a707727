"""Squeezing: from a plateau down to the next smaller size, and up there."""

import numpy as np
import pytest

from fuzzyfrog.search import Problem
from fuzzyfrog.search.archive import Archive, ranking_of
from fuzzyfrog.search.frogs import Explorer, Squeeze
from fuzzyfrog.search.protocol import Constraints, Stream
from search.lookup import mask_of

HIDDEN = (0, 1, 2)


def scored(subsets):
    """Score that points to the hidden subset, and does not see what the known one is good for."""
    return subsets[:, list(HIDDEN)].mean(axis=1)


def squeeze_of(problem, *subsets):
    best = Archive(ranking_of(problem))
    masks = np.array([mask_of(problem.n_features, *one) for one in subsets])
    best.add(masks, np.ones(len(masks)))
    around = Explorer(best, ranking_of(problem), Constraints(problem), Stream(0, "test"))
    return best, Squeeze(problem, best, ranking_of(problem), around)


def climb(squeeze, best, n_trials):
    """Run a climb; return everything that it tried."""
    tried, steps = [], squeeze.climb(n_trials)
    batch = next(steps, None)
    while batch is not None:
        tried.append(batch.subsets)
        scores = scored(batch.subsets)
        if batch.at_least is not None:
            scores = np.where(scores >= batch.at_least, scores, -np.inf)
        best.add(batch.subsets, scores)
        try:
            batch = steps.send(scores)
        except StopIteration:
            break
    return np.concatenate(tried) if tried else np.empty((0, 0), dtype=bool)


@pytest.mark.parametrize("together", [4, 128])
@pytest.mark.parametrize("ranking", ["lexicographic", "product"])
def test_climbs_to_a_smaller_subset_that_no_plateau_leads_to(together, ranking, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.search.frogs.TRIED_TOGETHER", together)
    best, squeeze = squeeze_of(Problem(9, 90, 1.0, ranking=ranking), (4, 5, 6, 7))
    climb(squeeze, best, 400)
    subsets, scores = best.ranked()
    assert np.flatnonzero(subsets[0]).tolist() == list(HIDDEN)
    assert scores[0] == 1.0


def test_all_that_is_tried_is_one_smaller_than_the_best():
    best, squeeze = squeeze_of(Problem(9, 90, 2.0), (3, 4, 5, 6, 7))
    tried = climb(squeeze, best, 30)
    assert set(tried.sum(axis=1)) == {4}


def test_the_next_call_goes_on():
    best, squeeze = squeeze_of(Problem(9, 90, 1.0), (4, 5, 6, 7))
    for _ in range(40):  # none of them alone would come far
        climb(squeeze, best, 10)
    assert np.flatnonzero(best.ranked()[0][0]).tolist() == list(HIDDEN)


def test_every_best_subset_is_begun_from_once():
    problem = Problem(6, 60, 3.0, exclude=mask_of(6, *HIDDEN))
    best, squeeze = squeeze_of(problem, (3, 4), (4, 5))
    found = {tuple(np.flatnonzero(row).tolist()) for row in climb(squeeze, best, 10_000)}
    assert found == {(3,), (4,), (5,)}
    assert not len(climb(squeeze, best, 10))


def test_required_features_stay():
    problem = Problem(9, 90, 1.0, must_include=mask_of(9, 7))
    best, squeeze = squeeze_of(problem, (4, 5, 6, 7))
    assert climb(squeeze, best, 200)[:, 7].all()


def test_nothing_is_tried_below_the_smallest_size():
    best, squeeze = squeeze_of(Problem(9, 90, 1.0, must_include=mask_of(9, 7)), (7,))
    assert not len(climb(squeeze, best, 10))
