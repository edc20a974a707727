"""The core against its definition: leave out one feature and look."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fuzzyfrog import ReductSelector
from fuzzyfrog.measure import Dependency
from fuzzyfrog.select.outcome import core_of


def by_definition(measure, allowed, required):
    core = []
    for feature in np.flatnonzero(allowed):
        rest = allowed & (np.arange(len(allowed)) != feature)
        if measure.score(rest[np.newaxis])[0] < required:
            core.append(int(feature))
    return core


def a_table(seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, size=(40, 7)).astype(float)
    return X, (X[:, 0] + X[:, 2] > 2).astype(int) ^ (X[:, 5] == 1)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("share", [0.6, 0.9, 1.0])
def test_core_from_nothing_known(seed, share):
    measure = Dependency(*a_table(seed))
    allowed = np.arange(7) != seed
    required = share * measure.score(allowed[np.newaxis])[0]
    nothing = np.empty((0, 7), bool)
    expected = by_definition(measure, allowed, required)
    assert core_of(measure, allowed, required, nothing) == expected
    assert core_of(measure, allowed, required, allowed[np.newaxis]) == expected


class Counting(Dependency):
    """The measure, with a count of the subsets that were scored."""

    n_scored = 0

    def score(self, masks, at_least=None):
        self.n_scored += len(masks)
        return super().score(masks, at_least)


def test_only_features_that_all_known_subsets_share_are_tried():
    measure = Counting(*load_wine(return_X_y=True))
    known = np.zeros((2, 13), bool)
    known[0, [0, 1, 2, 3, 7]] = known[1, [0, 6, 9, 10, 12]] = True
    assert measure.score(known).tolist() == [1.0, 1.0]
    measure.n_scored = 0
    assert core_of(measure, np.ones(13, bool), 1.0, known) == []
    assert measure.n_scored == 1


@pytest.mark.parametrize("search", ["frogs", "quickreduct"])
@pytest.mark.parametrize("options", [{}, {"exclude": [1]}, {"n_features_to_select": 2},
                                     {"min_dependency": 0.9}, {"ranking": "product"}])  # fmt: skip
def test_core_of_a_fit(search, options):
    found = []
    for seed in range(4):
        X, y = a_table(seed)
        selector = ReductSelector(search, random_state=0, **options).fit(X, y)
        measure = Dependency(X, y)
        allowed = np.ones(7, bool)
        allowed[options.get("exclude", [])] = False
        required = options.get("min_dependency", 1.0) * selector.full_dependency_
        assert selector.core_ == by_definition(measure, allowed, required)
        found += selector.core_
    assert found  # else nothing was shown


def test_every_reduct_has_the_core():
    selector = ReductSelector(random_state=0).fit(*a_table(0))
    assert selector.core_
    assert all(set(selector.core_) <= set(reduct.features) for reduct in selector.reducts_)


def test_wine_has_no_core():
    assert ReductSelector("quickreduct").fit(*load_wine(return_X_y=True)).core_ == []


def test_the_only_feature_is_the_core():
    selector = ReductSelector(random_state=0).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    assert selector.core_ == [0]
