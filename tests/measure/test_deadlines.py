"""One evaluation, cut into pieces that a deadline or Ctrl-C can end between."""

import numpy as np
import pytest

from fuzzyfrog.common.deadline import Deadline, TimeIsUp, limited
from fuzzyfrog.measure import Dependency, SampledDependency, engines

RNG = np.random.default_rng(5)
X = RNG.normal(size=(700, 6))
CLASSES = (X[:, 0] + RNG.normal(size=700) > 0).astype(int)
NUMBERS = X[:, 0] + RNG.normal(size=700)
MASKS = np.array([[1, 1, 0, 0, 1, 0], [1] * 6, [0, 1, 1, 1, 1, 0]], bool)


def measures(engine: str, n_jobs: int) -> list:
    """Return all that look for enemies: classes, numbers, and a part of the samples of each."""
    classes = Dependency(X, CLASSES, engine=engine, n_jobs=n_jobs)
    numbers = Dependency(X, NUMBERS, target="numeric", engine=engine, n_jobs=n_jobs)
    return [classes, numbers, SampledDependency(classes, 90), SampledDependency(numbers, 90)]


class AfterSomeLooks(Deadline):
    """A deadline that passes after a number of checks."""

    def __init__(self, n_looks):
        super().__init__()
        self.n_looks = n_looks

    def expired(self):
        self.n_looks -= 1
        return self.n_looks < 0


@pytest.mark.parametrize("engine", ["scan", "tree"])
@pytest.mark.parametrize("bar", [None, 0.2])
def test_pieces_change_no_bit(engine, bar, monkeypatch):
    whole = [one.score(MASKS, bar) for one in measures(engine, 1)]
    monkeypatch.setattr(engines, "_PAIRS_AT_ONCE", 3_000)
    monkeypatch.setattr(engines, "_WORTH_A_THREAD", 0)
    for n_jobs in (1, 3):
        for one, scores in zip(measures(engine, n_jobs), whole, strict=True):
            assert np.array_equal(one.score(MASKS, bar), scores)
            assert np.array_equal(one.score(MASKS[1:2], bar), scores[1:2])


@pytest.mark.parametrize("engine", ["arrays", "scan", "tree", "plain"])
def test_one_evaluation_is_abandoned_in_the_middle(engine, monkeypatch):
    monkeypatch.setattr(engines, "_PAIRS_AT_ONCE", 3_000)
    monkeypatch.setattr(engines, "_PAIRS", 3_000)
    for one in measures(engine, 1):
        scores = one.score(MASKS)
        looks = AfterSomeLooks(10**9)
        with limited(looks):
            one.score(MASKS[:1])
        n_looks = 10**9 - looks.n_looks
        assert n_looks >= 8, "one evaluation is one piece"
        with limited(AfterSomeLooks(n_looks // 2)), pytest.raises(TimeIsUp):
            one.score(MASKS[:1])
        assert np.array_equal(one.score(MASKS), scores), "what was abandoned left something behind"
