"""Why a feature is there, against the textbook twins."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fuzzyfrog import ReductSelector, dependency
from naive import twins

SETTINGS = [
    ("lukasiewicz", "std", "similar"),
    ("lukasiewicz", "range", "different"),
    ("minimum", "std", "similar"),
    ("product", "std", "different"),
    ("product", "variance", "similar"),
]


def a_table():
    """Numbers, labels and gaps; the class depends on all features a little."""
    random = np.random.default_rng(5)
    X = random.normal(size=(40, 5)).round(1)
    X[:, 3] = random.integers(0, 3, 40)
    y = (X.sum(axis=1) > 1).astype(int)
    X[random.random(X.shape) < 0.05] = np.nan
    return X, y


def fitted(tnorm="lukasiewicz", spread="std", missing="similar"):
    return ReductSelector(
        tnorm=tnorm,
        spread=spread,
        missing=missing,
        categorical_features=[3],
        n_features_to_select=3,
        random_state=0,
    ).fit(*a_table())


def twin_distances(selector, subset):
    """Return all distances of samples on a subset, from the definition."""
    X, _ = a_table()
    each = twins.all_similarities(
        X, categorical=np.arange(5) == 3, spread=selector.spread, missing=selector.missing
    )
    return 1.0 - twins.join(each, subset, selector.tnorm)


@pytest.mark.parametrize("settings", SETTINGS)
def test_pairs_are_those_of_the_definition(settings):
    selector = fitted(*settings)
    _, y = a_table()
    enemies = y[:, np.newaxis] != y
    for feature in selector.get_support(indices=True):
        with_it = twin_distances(selector, selector.support_)
        without = twin_distances(selector, selector.support_ & (np.arange(5) != feature))
        before = np.where(enemies, with_it, 1.0).min(axis=1)
        after = np.where(enemies, without, 1.0).min(axis=1)
        found = selector.explain(int(feature), limit=1000)
        assert found.n_affected == (before - after > 1e-9).sum()
        assert found.lost == pytest.approx(np.mean(before - after), abs=1e-12)
        falls = []
        for pair in found.examples:
            assert y[pair.sample] != y[pair.other]
            assert pair.before == pytest.approx(with_it[pair.sample, pair.other])
            assert pair.after == pytest.approx(after[pair.sample])
            assert pair.after < pair.before
            falls.append(before[pair.sample] - after[pair.sample])
        assert (np.diff(falls) <= 1e-9).all()
        covered = {one for pair in found.examples for one in (pair.sample, pair.other)}
        assert set(np.flatnonzero(before - after > 1e-9)) <= covered


def test_a_pair_and_its_reverse_are_one():
    found = fitted().explain(int(fitted().get_support(indices=True)[0]), limit=1000)
    assert len({frozenset((pair.sample, pair.other)) for pair in found.examples}) == len(
        found.examples
    )
    assert len(found.examples) < found.n_affected


def test_dependencies_are_those_of_the_measure():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = ReductSelector("quickreduct").fit(X, y)
    names = selector.get_feature_names_out().tolist()
    for name in names:
        found = selector.explain(name)
        rest = [other for other in names if other != name]
        assert found.dependency == selector.dependency_
        assert found.dependency_without == dependency(X, y, rest)
        assert found.feature == X.columns.get_loc(name)
        assert found == selector.explain(found.feature)
        assert found.lost > 0  # a minimal reduct needs each of its features


def test_the_only_feature_is_compared_with_none():
    X, y = load_wine(return_X_y=True)
    selector = ReductSelector(n_features_to_select=1, random_state=0).fit(X, y)
    found = selector.explain(int(selector.get_support(indices=True)[0]))
    assert found.dependency_without == 0.0
    assert {pair.after for pair in found.examples} == {0.0}


def test_numeric_target():
    X, _ = a_table()
    y = np.nansum(X, axis=1) + 0.5
    selector = ReductSelector(n_features_to_select=2, random_state=0).fit(X, y)
    feature = int(selector.get_support(indices=True)[0])
    found = selector.explain(feature)
    rest = selector.support_ & (np.arange(5) != feature)
    assert found.dependency_without == dependency(X, y, rest)
    assert all(pair.after < pair.before for pair in found.examples)
    assert "class" not in str(found)


def test_text_has_the_numbers():
    X, y = load_wine(return_X_y=True, as_frame=True)
    found = ReductSelector("quickreduct").fit(X, y).explain("proline", limit=3)
    lines = str(found).splitlines()
    assert lines[0].startswith(
        f"Without proline the dependency falls by {found.lost:.6f}, from 1.0"
    )
    assert f"closer to an enemy: {found.n_affected}." in lines[1]
    assert lines[2].split() == ["sample", "enemy", "distance", "with", "without"]
    assert [int(line.split()[0]) for line in lines[3:]] == [pair.sample for pair in found.examples]
    assert len(found.examples) == 3


def test_text_of_a_feature_that_tells_nothing():
    X = np.column_stack([np.zeros(6), [0, 1] * 3])
    selector = ReductSelector(must_include=[0, 1], random_state=0).fit(X, [0, 1] * 3)
    found = selector.explain(0)
    assert (found.lost, found.n_affected, found.examples) == (0.0, 0, ())
    assert str(found) == ("Without x0 the dependency falls by 0.000000, from 1.000000 to 1.000000.")


def test_changes_of_the_table_after_fit_do_not_matter():
    X, y = load_wine(return_X_y=True)
    selector = ReductSelector(n_features_to_select=3, random_state=0).fit(X, y)
    feature = int(selector.get_support(indices=True)[0])
    before = selector.explain(feature)
    X[:], y[:] = 0.0, 0
    assert selector.explain(feature) == before


def test_reduct_that_was_switched_to_is_explained():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = ReductSelector(random_state=0).fit(X, y)
    selector.select_reduct(len(selector.reducts_) - 1)
    names = selector.reducts_[-1].names
    found = selector.explain(names[-1])
    assert found.dependency_without == dependency(X, y, names[:-1])


@pytest.mark.parametrize("feature", ["ash", "nonsense", 2, -1, 1.5, None])
def test_other_features_get_a_sentence(feature):
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = ReductSelector("quickreduct").fit(X, y)
    sentence = r"feature must be the name or the index of a selected feature, got .*'proline'"
    with pytest.raises(ValueError, match=sentence):
        selector.explain(feature)
    with pytest.raises(ValueError, match=r"not selected\. why_not\('ash'\) says why\."):
        selector.explain("ash")


def test_limit_must_be_a_count():
    first = int(fitted().get_support(indices=True)[0])
    assert fitted().explain(first, limit=10**30) == fitted().explain(first, limit=1000)
    with pytest.raises(ValueError, match="limit must be an integer of at least 1, got 0"):
        fitted().explain(int(fitted().get_support(indices=True)[0]), limit=0)
