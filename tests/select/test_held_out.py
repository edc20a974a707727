"""The quick test of a fit: noise is told from information, and nothing else is said."""

import warnings

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from fuzzyfrog import PredictionWarning, ReductSelector, SoftSelector, load_dataset
from fuzzyfrog.select.held_out import above_shuffled

SELECTORS = [SoftSelector(random_state=0), ReductSelector("quickreduct", random_state=0)]
SAID = "no better than chance"


def doubts(selector, *table):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = selector.fit(*table)
    said = [str(one.message) for one in caught if one.category is PredictionWarning]
    assert set(said) <= set(fitted.record().notes)
    return [one for one in said if SAID in one]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
@pytest.mark.parametrize("is_numeric", [False, True])
def test_noise_is_called_so(selector, is_numeric):
    n_said = 0
    for seed in range(5):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(60, 100)), random.permutation(60) % 2
        n_said += len(doubts(selector, X, random.normal(size=60) if is_numeric else y))
    assert n_said >= 4


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_information_is_not(name):
    assert doubts(SELECTORS[0], load_dataset(name)) == []


def test_few_samples_and_short_times_are_not_tested():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 10)), random.permutation(60) % 2
    assert doubts(SoftSelector(), X[:30], y[:30]) == []
    assert doubts(SoftSelector(max_seconds=60), X, y) == []


def test_the_deviation_is_that_of_all_permutations():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 2)), np.arange(40) % 3
    model = KNeighborsClassifier().fit(X, y)
    rows, target = X[:15] + 0.1, y[:15]
    right, weights = model.predict_proba(rows), 1 / np.bincount(target)

    def score(order):
        return sum(right[i, target[k]] * weights[target[k]] for i, k in enumerate(order))

    shuffled = [score(random.permutation(15)) for _ in range(20_000)]
    expected = (score(range(15)) - np.mean(shuffled)) / np.std(shuffled)
    assert above_shuffled(model, rows, target) == pytest.approx(expected, rel=0.03)
