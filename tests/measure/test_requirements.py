"""Rows of requirements: necessary, violated by their subset, and none for the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure import requirements as requirements_module
from fuzzyfrog.measure.requirements import Requirements
from measure_cases import ENGINES, TNORMS, cases, with_table
from strategies import examples

MOST_FEATURES = 7


def every_subset(n_features):
    return (np.arange(2**n_features)[:, None] >> np.arange(n_features) & 1).astype(bool)


def narrowed(case):
    """The case with few enough features for all subsets."""
    kept = slice(MOST_FEATURES)
    table = case.table
    return with_table(case, X=table.X[:, kept], categorical=table.categorical[kept])


def check(measure, allowed, limit=5):
    """Hold the rows of every allowed subset against the scores of all of them."""
    subsets = every_subset(measure.n_features)
    subsets = subsets[~subsets[:, ~allowed].any(axis=1)]
    full = measure.score(allowed[None])[0]
    is_enough = measure.score(subsets) >= max(0.0, full - measure.tolerance)
    requirements = Requirements(measure, allowed, limit=limit)
    for subset, enough in zip(subsets, is_enough, strict=True):
        weights, needed = requirements.broken(subset)
        assert weights.shape == (len(needed), measure.n_features)
        assert len(needed) <= limit
        assert (len(needed) == 0) == enough
        assert (needed > 0).all()
        assert (weights >= 0).all()
        assert (weights <= needed[:, None]).all()
        assert not weights[:, ~allowed].any()
        assert (weights[:, subset].sum(axis=1) < needed).all(), "not broken by its own subset"
        kept = subsets[is_enough]
        assert (kept @ weights.T >= needed).all(), "a subset with the full score breaks it"


@pytest.mark.parametrize("tnorm", TNORMS)
@given(case=cases(), data=st.data())
@examples(60)
def test_rows_tell_who_has_the_full_dependency(tnorm, case, data):
    case = narrowed(case)
    measure = case.measure(tnorm)
    allowed = np.array(data.draw(st.lists(
        st.booleans(), min_size=measure.n_features, max_size=measure.n_features)))  # fmt: skip
    check(measure, allowed | ~allowed.any())


@pytest.mark.parametrize("tnorm", TNORMS)
@given(case=cases(), data=st.data())
@examples(60)
def test_rows_tell_by_whom_few_samples_lose_membership(tnorm, case, data):
    measure = narrowed(case).measure(tnorm)
    allowed = np.ones(measure.n_features, bool)
    allowed[data.draw(st.integers(0, len(allowed) - 1))] = len(allowed) == 1
    max_lost = data.draw(st.integers(0, 3))
    requirements = Requirements(measure, allowed)
    subsets = every_subset(measure.n_features)
    subsets = subsets[~subsets[:, ~allowed].any(axis=1)]
    lowest = measure.memberships(allowed) - measure.tolerance
    n_lost = np.array([(measure.memberships(one) < lowest).sum() for one in subsets])
    kept = subsets[n_lost <= max_lost]
    for subset, lost in zip(subsets, n_lost, strict=True):
        weights, needed = requirements.broken_beyond(subset, max_lost)
        assert (len(needed) == 0) == (lost <= max_lost)
        assert (weights >= 0.0).all()
        assert (weights <= needed[:, None]).all()
        assert not weights[:, ~allowed].any()
        assert (weights[:, subset].sum(axis=1) < needed).all(), "not broken by its own subset"
        assert (kept @ weights.T >= needed).all(), "a subset that loses few breaks it"


@pytest.mark.parametrize("n_groups", [1, 3])
def test_a_wide_table_has_rows_for_fewer_groups_of_samples(monkeypatch, n_groups):
    rng = np.random.default_rng(2)
    measure = Dependency(rng.normal(size=(60, 6)), rng.integers(0, 2, 60))
    monkeypatch.setattr(requirements_module, "CELLS", n_groups * 4 * 6)
    rows = Requirements(measure, np.ones(6, bool))
    subsets = every_subset(6)
    lowest = measure.memberships(subsets[-1]) - measure.tolerance
    n_lost = np.array([(measure.memberships(one) < lowest).sum() for one in subsets])
    weights, needed = rows.broken_beyond(subsets[1], 3)
    assert len(needed) == n_groups + 1  # the last is about all of their samples
    assert (weights[:, subsets[1]].sum(axis=1) < needed).all()
    assert (subsets[n_lost <= 3] @ weights.T >= needed).all()
    assert len(rows.broken_beyond(subsets[-1], 3)[1]) == 0


@pytest.mark.parametrize("tnorm", TNORMS)
def test_rows_are_the_same_for_any_engine_and_number_of_threads(tnorm, every_table_is_huge):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (300, 8)).astype(float), rng.integers(0, 3, 300)
    subset = np.arange(8) < 3
    rows = []
    for engine in ENGINES:
        for n_jobs in (1, 2):
            measure = Dependency(X, y, tnorm=tnorm, engine=engine, n_jobs=n_jobs)
            rows.append(Requirements(measure, np.ones(8, bool)).broken(subset))
    assert len(rows[0][1])
    for weights, needed in rows[1:]:
        assert np.array_equal(weights, rows[0][0])
        assert np.array_equal(needed, rows[0][1])


def test_rows_come_from_different_samples_the_worst_first():
    rng = np.random.default_rng(1)
    measure = Dependency(rng.normal(size=(200, 6)), rng.integers(0, 2, 200))
    requirements = Requirements(measure, np.ones(6, bool), limit=20)
    weights, needed = requirements.broken(np.arange(6) < 1)
    assert 10 <= len(needed) <= 20
    assert len(np.unique(weights, axis=0)) == len(needed)
    lacking = needed - weights[:, 0]
    assert lacking[0] >= lacking.max() - 0.5 * np.ptp(lacking)


def test_a_loss_too_small_to_be_seen_in_the_mean_breaks_nothing():
    """One of 64 samples comes nearer, by less than 64 times the tolerance of the mean."""
    X = np.zeros((64, 3))
    X[:32, 0], X[63, 0] = 0.5, -0.5
    X[0, 1], X[63, 1] = 2.0**-45, 1.0
    measure = Dependency(X, np.repeat([0, 1], 32), spread="range")
    first, everything = np.array([True, False, False]), np.ones(3, bool)
    assert measure.memberships(first)[0] < measure.memberships(everything)[0]
    assert measure.full - measure.tolerance < measure.score(first[None])[0] < measure.full
    check(measure, everything, limit=64)


def test_a_small_loss_of_many_samples_is_answered_by_one_more_feature():
    """All samples come nearer by a little, which the mean shows and no single pair does."""
    unit = 2.0**-44
    X = np.zeros((32, 3))
    X[:16, 0], X[:16, 1] = 0.5, unit
    X[0] = [1.0, 1.0, 1.0]
    measure = Dependency(X, np.repeat([0, 1], 16), spread="range")
    check(measure, np.ones(3, bool))
    weights, needed = Requirements(measure, np.ones(3, bool)).broken(np.array([True, False, True]))
    assert (weights.tolist(), needed.tolist()) == ([[0.0, 1.0, 0.0]], [1.0])


def test_products_of_many_small_similarities_count_as_different():
    """Sixty similarities of a half make a distance that rounds to 1, as one feature may alone."""
    rng = np.random.default_rng(0)
    X = np.zeros((2, 60))
    X[1] = 0.5
    X = np.vstack([X, np.ones(60), rng.random((3, 60))])
    measure = Dependency(X, [0, 1, 0, 0, 0, 0], tnorm="product", spread="range")
    requirements = Requirements(measure, np.ones(60, bool))
    assert len(requirements.broken(np.ones(60, bool))[1]) == 0
    weights, needed = requirements.broken(np.arange(60) < 30)
    assert len(needed)
    assert (weights.sum(axis=1) >= needed).all()
    assert (weights[:, :30].sum(axis=1) < needed).all()
