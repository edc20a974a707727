"""Every engine agrees with the textbook twin, to 1e-12."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzyfrog.errors import DataError
from fuzzyfrog.measure import (
    Dependency,
    dependency,
    lower_approximation,
    positive_region,
    rough_regions,
    upper_approximation,
)
from measure_cases import ENGINES, KINDS, TNORMS, cases
from naive import twins
from strategies import SHORT_NUMBERS, examples, subsets, tables

EXACT = {"rtol": 0.0, "atol": 1e-12}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("engine", ENGINES)
@examples(40)
@given(data=st.data())
def test_memberships_and_scores_equal_the_twin(engine, tnorm, kind, data):
    case = data.draw(cases(kinds=[kind]))
    measure = case.measure(tnorm, engine)
    expected = case.twin_memberships(tnorm)
    found = np.array([measure.memberships(mask) for mask in case.masks])
    np.testing.assert_allclose(found, expected, **EXACT)
    gammas = [twins.dependency(row) for row in expected]
    np.testing.assert_allclose(measure.score(case.masks), gammas, **EXACT)


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("engine", ENGINES)
@examples(25)
@given(case=cases())
def test_nearest_enemies_attain_the_memberships(engine, tnorm, case):
    measure = case.measure(tnorm, engine)
    for mask, R in zip(case.masks, case.similarities(tnorm), strict=True):
        memberships, enemies = measure.memberships(mask), measure.nearest_enemies(mask)
        assert enemies.dtype == np.int64
        np.testing.assert_array_equal(enemies == -1, memberships == 1.0)
        x = np.flatnonzero(enemies >= 0)
        attained = twins.implies(R[x, enemies[x]], target_similarity(case)[x, enemies[x]])
        np.testing.assert_allclose(attained, memberships[x], **EXACT)


def target_similarity(case):
    """Return R_target of all pairs: 1 and 0 for friends and enemies of crisp classes."""
    y = case.table.y
    if case.kind == "class":
        return twins.feature_similarity(y.astype(float), categorical=True)
    return twins.feature_similarity(y, spread=case.spread)


@examples(25)
@given(case=cases())
def test_the_object_knows_its_size_and_full_dependency(case):
    measure = case.measure()
    assert (measure.n_samples, measure.n_features) == case.table.X.shape
    everything = np.ones((1, measure.n_features), dtype=bool)
    assert measure.full == measure.score(everything)[0]


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(25)
@given(case=cases())
def test_functions_equal_the_twin(tnorm, case):
    table, mask = case.table, case.masks[0]
    keywords = {"tnorm": tnorm, **case.keywords}
    expected = case.twin_memberships(tnorm)[0]
    for features in (mask, np.flatnonzero(mask)):
        found = positive_region(table.X, table.y, features, **keywords)
        np.testing.assert_allclose(found, expected, **EXACT)
        gamma = dependency(table.X, table.y, features, **keywords)
        assert isinstance(gamma, float)
        assert gamma == pytest.approx(twins.dependency(expected), abs=1e-12, rel=0)


@examples(25)
@given(case=cases())
def test_no_features_named_means_all_of_them(case):
    everything = np.arange(case.table.n_features)
    given_none = dependency(case.table.X, case.table.y, **case.keywords)
    assert given_none == dependency(case.table.X, case.table.y, everything, **case.keywords)
    assert given_none == case.measure().full


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(25)
@given(case=cases(kinds=["class"]))
def test_approximations_of_a_class_equal_the_twin(tnorm, case):
    R = case.similarities(tnorm)[0]
    for label in np.unique(case.table.y):
        check_approximations(case, tnorm, label, R, twins.class_membership(case.table.y, label))


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(25)
@given(case=cases(kinds=["numeric"]))
def test_approximations_of_a_numeric_target_equal_the_twin(tnorm, case):
    R = case.similarities(tnorm)[0]
    for value in (case.table.y[0], float(case.table.y.mean()), case.table.y.max() + 0.125):
        members = twins.target_membership(case.table.y, value, case.spread)
        check_approximations(case, tnorm, value, R, members)


def check_approximations(case, tnorm, value, R, members):
    arguments = (case.table.X, case.table.y, value, case.masks[0])
    lower = lower_approximation(*arguments, tnorm=tnorm, **case.keywords)
    upper = upper_approximation(*arguments, tnorm=tnorm, **case.keywords)
    np.testing.assert_allclose(lower, twins.lower_approximation(R, members), **EXACT)
    np.testing.assert_allclose(upper, twins.upper_approximation(R, members), **EXACT)


@examples(60)
@given(data=st.data())
def test_rough_regions_equal_the_twin(data):
    table = data.draw(tables(recipes=SHORT_NUMBERS))
    mask = data.draw(subsets(table.n_features))[0]
    for value in (None, *np.unique(table.y)):
        found = rough_regions(table.X, table.y, mask, value=value)
        expected = twins.crisp_regions(table.X[:, mask], table.y.tolist(), value)
        for region, samples in zip(("positive", "negative", "boundary"), expected, strict=True):
            assert set(np.flatnonzero(getattr(found, region))) == samples, region


def test_features_can_be_named():
    frame = pd.DataFrame({"width": [0.0, 1.0, 4.0], "color": [0.0, 0.0, 1.0]})
    y = ["a", "b", "a"]
    by_name = dependency(frame, y, ["width"], spread="range")
    assert by_name == dependency(frame, y, [0], spread="range")
    assert by_name == pytest.approx((0.25 + 0.25 + 0.75) / 3, abs=1e-15)


def test_gaps_are_refused_on_request():
    X = np.array([[0.0], [np.nan], [1.0]])
    with pytest.raises(DataError, match="missing"):
        Dependency(X, ["a", "b", "a"], missing="raise")
