"""A few values of a numeric target on which R² depends."""

import numpy as np
import pytest

from fuzzyfrog import SoftSelector, check
from fuzzyfrog.select.cross_validation import far_out, told

SOFT = SoftSelector(random_state=0)


def table(seed=0):
    """Return columns and a target that the first of them predicts."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(120, 4))
    return X, 50 + 10 * X[:, 0] + random.normal(size=120)


@pytest.mark.parametrize("unit", [1.0, -1.0, 1e-300, 1e305])
def test_few_values_that_make_most_squares_are_far_out(unit):
    _, y = table()
    y[[3, 70]] = 326.51, 210.0
    assert np.flatnonzero(far_out(y * unit)).tolist() == [3, 70]


@pytest.mark.parametrize(("n_far", "is_said"), [(3, True), (4, False)])
def test_three_values_are_few_even_in_a_small_table(n_far, is_said):
    y = table()[1][:50]
    y[:n_far] = 300.0 + 90.0 * np.arange(n_far)
    assert np.count_nonzero(far_out(y)) == n_far * is_said


@pytest.mark.parametrize(
    "y",
    [
        table()[1],
        np.append(table()[1], 100.0),  # far out, but most squares are those of others
        np.repeat([0.0, 1000.0], [100, 20]),  # not few, and no quartiles apart
        np.append(np.zeros(100), 5.0),  # the usual value and another one
        np.concatenate([table()[1], np.full(20, 900.0)]),  # a second group
        np.zeros(50),
    ],
)
def test_other_values_are_not(y):
    assert not far_out(y).any()


def test_equal_ones_are_named_once():
    y = np.append(table()[1], [900.0, 900.0, 900.0, 800.0])
    assert "4 values of the target lie far out (900, 800), and" in told(y, far_out(y))[0]


def test_they_are_named_with_the_score_without_them():
    X, y = table()
    assert check(SOFT, X, y).far_out is None
    y[[3, 70]] = 1326.51, -910.0
    found = check(SOFT, X, y)
    assert found.far_out.startswith(
        "2 values of the target lie far out (1327, −910), and R² depends on them: without them, "
        "the best model scores 0.9"
    )
    assert found.all.best < 0.5
    assert found.n_samples == 120
    assert found.notes == ()  # none about the check without them
