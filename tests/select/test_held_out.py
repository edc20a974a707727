"""The quick test of a fit: noise is told from information, and nothing else is said."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations, product

import numpy as np
import pytest

from fuzzyfrog import PredictionWarning, ReductSelector, SoftSelector, load_dataset
from fuzzyfrog.select.held_out import above_chance

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


@pytest.mark.parametrize("heaviest", [1, 3])
def test_the_deviation_is_that_of_all_permutations(heaviest):
    random = np.random.default_rng(0)
    target, neighbors = np.arange(15) % 3, random.integers(3, size=(15, 5))
    neighbors[:, 0] = target
    masses = [random.integers(1, heaviest + 1, size) * 1.0 for size in ((15, 5), 15)]
    shares = np.stack(
        [np.average(neighbors == code, axis=1, weights=masses[0]) for code in range(3)], axis=1
    )
    weights = 1 / np.bincount(target, masses[1])

    def score(order):
        counts = enumerate(order)
        return sum(masses[1][k] * shares[i, target[k]] * weights[target[k]] for i, k in counts)

    shuffled = [score(random.permutation(15)) for _ in range(20_000)]
    expected = (score(range(15)) - np.mean(shuffled)) / np.std(shuffled)
    alone = np.arange(15)
    assert above_chance(neighbors, target, masses, alone) == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("is_constant", [False, True])
def test_groups_change_places_and_rows_only_within_them(is_constant):
    random = np.random.default_rng(1)
    neighbors, target = random.normal(size=(3, 3, 5)), random.normal(size=(3, 3))
    if is_constant:  # in each group
        target = np.repeat(target[:, :1], 3, axis=1)
    means = target.mean(axis=1, keepdims=True)
    rests, orders = target - means, [list(order) for order in permutations(range(3))]

    def score(order, within):
        moved = means[order] + [rest[rows] for rest, rows in zip(rests, within, strict=True)]
        return (neighbors.mean(axis=2) * (moved - target.mean())).sum()

    every = [score(order, within) for order in orders for within in product(orders, repeat=3)]
    expected = (score([0, 1, 2], [[0, 1, 2]] * 3) - np.mean(every)) / np.std(every)
    table = neighbors.reshape(9, 5), target.ravel(), (np.ones((9, 5)), np.ones(9))
    assert above_chance(*table, np.arange(9) // 3) == pytest.approx(expected)


def test_a_constant_in_the_target_changes_nothing_for_groups_of_any_size():
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(40), random.integers(1, 30, size=40))
    target = random.normal(size=40)[patient] + random.normal(size=len(patient))
    neighbors = target[:, np.newaxis] + random.normal(size=(len(patient), 5))
    masses = np.ones(neighbors.shape), np.ones(len(patient))
    found = [above_chance(neighbors + k, target + k, masses, patient) for k in (0, 1000)]
    assert found[0] == pytest.approx(found[1])
    assert found[0] > 4


def test_noise_that_patients_share_is_not_above_chance():
    random, patient, n_above = np.random.default_rng(0), np.repeat(np.arange(15), 10), 0
    for _ in range(200):
        others, target = random.integers(2, size=(15, 5))[patient], random.permutation(15) % 2
        masses = np.ones((150, 5)), np.ones(150)
        n_above += above_chance(others, target[patient], masses, patient) > 2
    assert n_above <= 10


@pytest.mark.parametrize("is_numeric", [False, True])
def test_weights_that_depend_on_the_target_do_not_make_noise_look_better_or_worse(is_numeric):
    found = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        target = 100 + random.normal(size=400) if is_numeric else random.integers(2, size=400)
        weights = np.exp(target - target.mean())
        near = random.integers(200, size=(200, 5))
        masses = weights[near], weights[200:]
        alone = np.arange(200)
        found.append(above_chance(target[near], target[200:], masses, alone))
    assert abs(np.mean(found)) < 0.6
    assert 0.7 < np.std(found) < 1.3


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
@pytest.mark.parametrize("sizes", [(57, 3), (60,), (1,) * 60, (30, 30)])
def test_groups_of_any_size_are_kept_whole(selector, sizes):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 3)), random.permutation(60) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(X, y, groups=np.repeat(np.arange(len(sizes)), sizes))
    assert selector.n_features_ >= 1


def test_the_same_doubts_with_any_seed():
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 30))
    y = (X[:, 0] + 2 * random.normal(size=60) > 0).astype(int)
    said = [doubts(SoftSelector(random_state=seed), X, y) for seed in range(6)]
    assert said == [said[0]] * 6


def test_fits_in_threads_leave_the_filters_of_warnings_alone():
    X, y = np.random.default_rng(0).normal(size=(80, 6)), np.arange(80) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PredictionWarning)
        before = list(warnings.filters)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: SoftSelector().fit(X, y), range(12)))
        assert warnings.filters == before
