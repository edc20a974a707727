"""The last steps of a run cost no more than they need to."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from fuzzyfrog.search import Batch, Problem, ShuffledFrogs, frogs, run
from fuzzyfrog.search.stepwise import grow
from search.lookup import Lookup, random_table

N_FEATURES = 60


class FirstIsEnough:
    """Scores 1 with the first feature, 0 without."""

    n_features = N_FEATURES

    def score(self, masks, at_least=None):
        scores = masks[:, 0].astype(float)
        return scores if at_least is None else np.where(scores >= at_least, scores, -np.inf)


class ManyLarge(BaseEstimator):
    """Proposes all but one feature, in every way that keeps the first."""

    def propose(self, problem, seed):
        yield Batch(~np.eye(N_FEATURES, dtype=bool)[1:])


def test_the_best_is_reduced_before_all_others_are_checked():
    problem = Problem(N_FEATURES, 10**6, 1.0)
    outcome = run(ManyLarge(), FirstIsEnough(), problem, seed=0)
    assert np.flatnonzero(outcome.subset).tolist() == [0]
    assert outcome.n_evaluations < 2 * N_FEATURES


@pytest.mark.parametrize(
    ("variant", "grows"), [("learning", True), ("local", True), ("paper", False)]
)
def test_only_local_frogs_grow_one_greedily(variant, grows, monkeypatch):
    calls = []
    monkeypatch.setattr(frogs, "grow", lambda problem: calls.append(problem) or grow(problem))
    objective = Lookup(random_table())
    run(ShuffledFrogs(variant=variant), objective, objective.problem(), seed=0)
    assert (len(calls) > 0) == grows
