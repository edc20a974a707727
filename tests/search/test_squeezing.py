"""Squeezing and the tabu search: from a plateau down to the next smaller size, and up there."""

import itertools

import numpy as np
import pytest

from fuzzyfrog.search import Problem
from fuzzyfrog.search.archive import Archive, ranking_of
from fuzzyfrog.search.frogs.local_search import Explorer, Squeeze, TabuSearch
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
    monkeypatch.setattr("fuzzyfrog.search.frogs.local_search.TRIED_TOGETHER", together)
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


class Scored:
    """Answers the batches of some steps by a function, and keeps what was tried."""

    def __init__(self, best, score):
        self.best, self.score, self.batches = best, score, []

    def run(self, steps):
        batch = next(steps, None)
        while batch is not None:
            self.batches.append(batch.subsets)
            scores = self.score(batch.subsets)
            if batch.only_best:
                scores = np.where(scores >= scores.max() - batch.within, scores, -np.inf)
            self.best.add(batch.subsets, scores)
            try:
                batch = steps.send(scores)
            except StopIteration:
                return

    @property
    def tried(self):
        return np.concatenate(self.batches)


def deceptive(subsets):
    """Score on which every single exchange of 4, 5, 6 leads down; the pair 0, 1 is hidden."""
    decoys = subsets[:, [4, 5, 6]].sum(axis=1) / 4
    return np.where(subsets[:, [0, 1]].all(axis=1), 1.0, decoys)


def walked(problem, score, n_steps, *best, seed=0):
    found = Archive(ranking_of(problem))
    masks = np.array([mask_of(problem.n_features, *one) for one in best])
    found.add(masks, np.ones(len(masks)))
    asked = Scored(found, score)
    asked.run(TabuSearch(problem, found, Stream(seed, "test")).walk(n_steps))
    return found, asked


def test_the_tabu_search_leaves_a_summit():
    """A climb stays on 4, 5, 6: no exchange of one feature is better, nor as good."""
    found, _ = walked(Problem(9, 90, 1.0), deceptive, 60, (4, 5, 6, 7))
    subset = found.ranked()[0][0]
    assert subset[[0, 1]].all()
    assert subset.sum() < 4


def test_a_feature_that_left_does_not_come_back_at_once():
    _, asked = walked(Problem(30, 90, 9.0), scored, 40, (4, 5, 6, 7))
    steps = [batch for batch in asked.batches[2:] if len(batch) > 10]
    for before, after in itertools.pairwise(steps):
        left = before.all(axis=0) & ~after.any(axis=0)
        assert not left.any() or not after[:, left].any()
    absent = [30 - int(batch.any(axis=0).sum()) for batch in steps]
    assert max(absent) >= 6, "features that left are not tried for some steps"


def test_the_tabu_search_tries_one_size_and_that_less_a_feature():
    _, asked = walked(Problem(9, 90, 1.0), lambda s: scored(s) / 2, 30, (3, 4, 5, 6, 7))
    assert set(asked.tried.sum(axis=1)) == {3, 4}


def test_the_tabu_search_follows_to_a_smaller_size():
    found, asked = walked(Problem(9, 90, 1.0), scored, 15, (3, 4, 5, 6, 7))
    assert found.size == 3
    assert set(asked.tried.sum(axis=1)) == {1, 2, 3, 4}


def test_the_tabu_search_starts_again_from_a_random_subset():
    _, asked = walked(Problem(40, 90, 1.0), lambda s: np.zeros(len(s)), 70, (3, 4, 5))
    starts = [tuple(np.flatnonzero(batch[0])) for batch in asked.batches if len(batch) == 1]
    assert len(starts) == 3, "one after 20 steps in vain each"
    assert len(set(starts)) == 3


def test_the_tabu_search_never_tries_the_empty_subset():
    _, asked = walked(Problem(9, 90, 1.0), lambda s: np.zeros(len(s)), 9, (3, 4))
    assert not asked.batches


def test_the_tabu_search_keeps_required_and_excluded_features():
    problem = Problem(9, 90, 1.0, must_include=mask_of(9, 7), exclude=mask_of(9, 0, 8))
    _, asked = walked(problem, scored, 50, (4, 5, 6, 7))
    assert asked.tried[:, 7].all()
    assert not asked.tried[:, [0, 8]].any()


def test_only_some_losses_are_measured_again_in_each_step():
    subset = tuple(range(20, 60))
    _, asked = walked(Problem(80, 90, 9.0), lambda s: s @ np.arange(80) / 1e4, 5, subset)
    assert [len(batch) for batch in asked.batches[2::2]] == [10] * 4
    # The smallest losses are those of the lowest features, whose loss is remembered.
    leaving = [~batch.all(axis=0) & batch.any(axis=0) for batch in asked.batches[2::2]]
    assert np.flatnonzero(leaving[0])[:7].tolist() == list(range(21, 28))


def test_of_very_many_features_some_are_tried_to_come_in():
    _, asked = walked(Problem(3_000, 90, 9.0), scored, 3, (4, 5, 6, 7))
    assert max(len(batch) for batch in asked.batches) == 1_024
    wide = [batch.any(axis=0) for batch in asked.batches if len(batch) == 1_024]
    assert not np.array_equal(wide[0], wide[1])
