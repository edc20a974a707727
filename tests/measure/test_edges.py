"""Values at the edge of what float64 holds, columns without values, and arguments without sense."""

import numpy as np
import pytest

from fuzzyfrog.errors import DataError
from fuzzyfrog.measure import Dependency, dependency, lower_approximation, positive_region
from strategies import JIT_IS_OFF


def test_missing_values_stay_different_however_small_the_scale():
    column = [[0.0], [1e-17], [3e-17], [np.nan], [np.nan], [3e-17]]
    y = [0, 0, 1, 0, 1, 1]
    found = positive_region(column, y, spread="variance", missing="different")
    assert found.tolist() == [1.0] * 6


def test_values_far_apart_by_their_variance_are_not_one_value():
    column = np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [1e-300], [2e-300]])
    y = [0, 0, 0, 0, 0, 0, 1]
    assert positive_region(column, y, spread="variance").tolist() == [1.0] * 7
    assert positive_region(column * 1e50, y, spread="variance").tolist() == [1.0] * 7


def test_distances_below_one_survive_beside_distances_beyond_all_bounds():
    near = np.array([0.0, 0.25, 0.5])
    unit = 1e-9  # the variance of the column is about 1, its values lie nearly all within 1e-9
    column = np.concatenate([near, [5.0], near * unit])[:, np.newaxis]
    y = [0, 1, 0, 0, 1, 0, 1]
    values = column[:, 0]
    apart = np.abs(values[:, None] - values) / np.var(values, ddof=1)
    apart[np.equal.outer(y, y)] = np.inf
    found = positive_region(column, y, spread="variance")
    np.testing.assert_allclose(found, np.minimum(1.0, apart.min(axis=1)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-170, 1.0, 1e170])
def test_concept_of_a_numeric_target_at_any_scale(scale):
    X = np.arange(6.0)[:, np.newaxis]
    y = np.array([0.0, 1.0, 2.0, 2.5, 4.0, 7.0]) * scale
    found = lower_approximation(X, y, 2.0 * scale, target="numeric")
    expected = lower_approximation(X, y / scale, 2.0, target="numeric")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("value", [np.nan, np.inf, "2"])
def test_concept_needs_a_finite_number(value):
    with pytest.raises(DataError, match="finite number"):
        lower_approximation([[0.0], [1.0], [2.0]], [0.5, 1.0, 2.0], value)


@pytest.mark.parametrize("missing", ["similar", "different"])
@pytest.mark.parametrize("categorical", [[], [0]])
@pytest.mark.parametrize("engine", ["arrays", "plain", "scan", "tree"])
def test_column_without_a_value(missing, categorical, engine):
    X = np.array([[np.nan, 1.0], [np.nan, 2.0], [np.nan, 3.0], [np.nan, 4.0]])
    measure = Dependency(
        X, [0, 1, 0, 1], missing=missing, categorical_features=categorical, engine=engine
    )
    without, alone, both = measure.score([[False, True], [True, False], [True, True]])
    assert alone == (0.0 if missing == "similar" else 1.0)
    assert both == (without if missing == "similar" else 1.0)


@pytest.mark.parametrize("engine", ["arrays", "plain", "scan", "tree"])
@pytest.mark.parametrize("at_least", [np.nan, [0.5, np.nan], [0.5, 0.5, 0.5], [[0.5, 0.5]]])
def test_bar_without_sense_is_refused(engine, at_least):
    measure = Dependency([[0.0, 1.0], [1.0, 5.0], [2.0, 2.0]], [0, 1, 0], engine=engine)
    with pytest.raises(ValueError, match="at_least must be a number or one per subset"):
        measure.score([[True, False], [False, True]], at_least=at_least)


@pytest.mark.skipif(JIT_IS_OFF, reason="takes a minute without compiled kernels")
@pytest.mark.parametrize("engine", ["scan", "tree"])
def test_more_codes_than_sixteen_bits_hold(engine):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.permutation(40_000)[:3_000] % 20_000, rng.normal(size=3_000)])
    y = rng.integers(0, 2, size=3_000)
    everything = np.ones(2, dtype=bool)
    arguments = {"categorical_features": [0]}
    truth = Dependency(X, y, engine="plain", **arguments).memberships(everything)
    found = Dependency(X, y, engine=engine, **arguments).memberships(everything)
    assert np.min(truth) < 0.5
    assert found.tobytes() == truth.tobytes()


def test_wide_batches_are_scored_in_parts():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 20_000)), rng.integers(0, 2, size=30)
    measure = Dependency(X, y)
    masks = rng.random((600, 20_000)) < 0.0005  # more cells than are scored in one go
    np.testing.assert_array_equal(
        measure.score(masks), np.concatenate([measure.score(masks[:7]), measure.score(masks[7:])])
    )
    assert dependency(X, y, masks[0]) == measure.score(masks[:1])[0]
