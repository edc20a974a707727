"""Certificates, lists and cores against whole numbers: what ties by the definition ties here."""

import numpy as np
import pytest

from fuzzyfrog import ReductSelector, enumerate_reducts
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure import Dependency
from fuzzyfrog.search import Problem
from fuzzyfrog.search.archive import Archive, ranking_of
from measure_cases import TNORMS
from naive import exact

KINDS = [
    ("range", "lukasiewicz"),
    ("range", "minimum"),
    ("range", "product"),
    ("variance", "lukasiewicz"),
    ("std", "lukasiewicz"),
    ("std", "minimum"),
]


def whole_numbers(seed):
    """A table of small whole numbers, some columns multiples or shuffled copies of others."""
    rng = np.random.default_rng(seed)
    n_samples, n_features = int(rng.integers(8, 41)), int(rng.integers(3, 8))
    X = rng.integers(0, int(rng.integers(2, 10)), (n_samples, n_features))
    for a in range(1, n_features):
        kind, source = rng.integers(0, 4), X[:, rng.integers(0, a)]
        if kind == 0:
            X[:, a] = source * rng.integers(2, 12) + rng.integers(0, 5)
        elif kind == 1:
            X[:, a] = rng.permutation(source)
    y = rng.integers(0, 3, n_samples)
    y[:2] = 0, 1
    return X.astype(np.float64), y


def fitted(X, y, spread, tnorm, **settings):
    settings = {"search": "exact", "certify": True, "random_state": 0, "copies": "keep"} | settings
    return ReductSelector(spread=spread, tnorm=tnorm, **settings).fit(X, y)


def listed(selector):
    return {reduct.features for reduct in selector.reducts_}


def check(seed, spread, tnorm):
    """Compare everything that is claimed of one table with whole numbers."""
    X, y = whole_numbers(seed)
    truth = exact.dependencies(X, y, spread=spread, tnorm=tnorm)
    reducts, core = exact.smallest(truth)
    one = fitted(X, y, spread, tnorm)
    assert one.certificate_.proven
    assert one.certificate_.all_listed
    assert listed(one) == reducts
    assert set(one.core_) == core
    assert {r.features for r in enumerate_reducts(X, y, spread=spread, tnorm=tnorm)} == reducts
    assert {r.dependency for r in one.reducts_} == {one.full_dependency_}
    greedy = fitted(X, y, spread, tnorm, search="quickreduct", certify=False)
    assert truth[tuple(np.flatnonzero(greedy.support_))] == max(truth.values())
    assert set(greedy.core_) == core
    check_constraints(seed, X, y, spread, tnorm, truth)


def check_constraints(seed, X, y, spread, tnorm, truth):
    """Compare what is found for a size, a share and products."""
    size = 1 + seed % X.shape[1]
    sized = fitted(X, y, spread, tnorm, n_features_to_select=size)
    assert sized.certificate_.proven
    assert listed(sized) <= exact.of_size(truth, size)
    if sized.certificate_.all_listed:
        assert listed(sized) == exact.of_size(truth, size)
    else:
        assert truth[sized.reducts_[0].features] == max(truth.values())
    share = fitted(X, y, spread, tnorm, min_dependency=0.75)
    assert (listed(share), set(share.core_)) == exact.smallest(truth, exact.Fraction(3, 4))
    product = fitted(X, y, spread, tnorm, ranking="product")
    assert product.certificate_.proven
    assert product.certificate_.all_listed
    assert listed(product) == exact.by_product(truth)


@pytest.mark.parametrize(("spread", "tnorm"), KINDS)
def test_whole_numbers(spread, tnorm):
    for seed in range(6):
        check(seed, spread, tnorm)


@pytest.mark.long
@pytest.mark.parametrize(("spread", "tnorm"), KINDS)
def test_many_tables_of_whole_numbers(spread, tnorm):
    for seed in range(1000, 1334):
        check(seed, spread, tnorm)


def multiples():
    rng = np.random.default_rng(1)
    c, o = rng.integers(0, 60, 100), rng.integers(0, 60, 100)
    y = (c + o + rng.integers(0, 30, 100) > 75).astype(int)
    return np.column_stack([c, 3 * c, 7 * c, o]), y


@pytest.mark.parametrize("search", ["frogs", "quickreduct", "genetic", "swarm", "exact"])
def test_multiples_of_a_column_are_as_good_as_the_column(search):
    X, y = multiples()
    one = fitted(X, y, "std", "minimum", search=search)
    text = "Proven for these samples: 2 features are the fewest. There are exactly 3 such subsets."
    assert str(one.certificate_) == text
    assert listed(one) == {(0, 3), (1, 3), (2, 3)}
    assert one.core_ == [3]
    assert one.dependency_ == one.full_dependency_


def test_the_greedy_search_takes_the_first_of_equals():
    X, y = multiples()
    for order in ([0, 1, 2, 3], [2, 1, 0, 3], [1, 2, 0, 3]):
        one = fitted(X[:, order], y, "std", "minimum", search="quickreduct", certify=False)
        assert np.flatnonzero(one.support_).tolist() == [0, 3]


def nearly_equal(difference):
    """Two features; the second moves one sample closer to 50 others, by `difference` on average."""
    first = np.repeat([0.0, 1.0], 50)
    second = first.copy()
    second[-1] -= 100 * difference / 51
    return np.column_stack([first, second]), np.repeat([0, 1], 50)


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("difference", [2e-9, 1e-8])
def test_a_true_difference_is_no_tie(tnorm, difference):
    X, y = nearly_equal(difference)
    one = fitted(X, y, "range", tnorm)
    assert listed(one) == {(0,)}
    assert one.core_ == [0]
    sized = fitted(X, y, "range", tnorm, n_features_to_select=1, must_include=[1])
    assert one.full_dependency_ - sized.dependency_ == pytest.approx(difference, rel=1e-5)


@pytest.mark.parametrize("tnorm", TNORMS)
def test_no_difference_above_a_billionth_is_within_the_tolerance(tnorm):
    rng = np.random.default_rng(0)
    wide = Dependency(rng.normal(size=(60, 5000)), rng.integers(0, 2, 60), tnorm=tnorm)
    assert 0 < 2 * wide.tolerance < 1e-9


def test_what_hangs_on_rounding_is_not_proved():
    pairs = np.repeat(np.arange(2500.0), 2) + np.tile([0.0, 0.01], 2500)
    X = np.repeat(pairs[:, np.newaxis] * 1e-7, 400, axis=1)  # 2,500 pairs, each far from the next
    with pytest.raises(DataError, match="rounding errors of the dependency must stay below 1e-09"):
        fitted(X, np.arange(5000) % 2, "variance", "lukasiewicz")


@pytest.mark.parametrize("name", ["lexicographic", "product"])
@pytest.mark.parametrize("seed", range(20))
def test_an_archive_is_the_same_for_any_order(name, seed):
    rng = np.random.default_rng(seed)
    ranking = ranking_of(Problem(6, 60, 0.9, name, tolerance=1e-3))
    subsets = np.unique(rng.random((40, 6)) < 0.5, axis=0)[1:]
    scores = np.round(0.5 + rng.integers(0, 8, len(subsets)) * 4e-4, 6)
    if name == "product":
        scores = scores / (1 - subsets.mean(axis=1)).clip(0.1)
    met = set()
    for _ in range(6):
        archive = Archive(ranking)
        for part in np.array_split(rng.permutation(len(subsets)), 7):
            archive.add(subsets[part], scores[part])
        found, values = archive.ranked()
        met.add((found.tobytes(), values.tobytes(), archive.score, archive.size))
    assert len(met) == 1
