"""Positions against exact arithmetic: no distance is off by more than its bound."""

from fractions import Fraction
from math import fsum, isqrt

import numpy as np
import pytest

from fuzzyfrog.data.scaling import _sums, scaled

BITS = 200


def true_spread(values, spread):
    """The spread of the numbers that the floats are, to 200 bits."""
    if spread == "range":
        return max(values) - min(values)
    n = len(values)
    variance = (sum(v * v for v in values) - sum(values) ** 2 / n) / (n - 1)
    if spread == "variance":
        return variance
    return root_of(variance)


def root_of(number):
    """The square root of a fraction, to 200 bits at least."""
    p, q = number.numerator, number.denominator
    return Fraction(isqrt((p * q) << 2 * BITS), q << BITS)


def worst_error(column, spread):
    """The largest error of a distance, cut at 1, as a share of its bound."""
    z, bound = scaled(column, spread)
    values = [Fraction(value) for value in column.tolist()]
    width = true_spread(values, spread)
    worst = Fraction(0)
    for i in range(len(values)):
        for j in range(i):
            true = min(Fraction(1), abs(values[i] - values[j]) / width)
            found = min(Fraction(1), abs(Fraction(z[i]) - Fraction(z[j])))
            worst = max(worst, abs(true - found))
    return float(worst / Fraction(bound))


def columns():
    rng = np.random.default_rng(0)
    normal, heavy = rng.normal(size=60), rng.standard_cauchy(60) ** 3
    yield "whole numbers", rng.integers(0, 9, 60).astype(float)
    yield "decimals", np.round(normal, 1)
    yield "tiny", normal * 1e-9
    yield "tiny and decimal", np.round(normal, 1) * 1e-7
    yield "tinier", normal * 1e-300
    yield "huge", normal * 1e300
    yield "huge and both signs", np.linspace(-1.7, 1.7, 60) * 1e308
    yield "far from 0", 1e9 + normal
    yield "farther from 0", 1e15 + np.round(10 * normal)
    yield "tails", heavy
    yield "tiny tails", heavy * 1e-6
    yield "two lumps", np.concatenate([normal[:30] * 1e-6, 1 + normal[30:] * 1e-6])
    yield "one outlier of many", np.append(np.repeat([0.0, 1e-4, 3e-4], 800)[::40], 1e3)


@pytest.mark.parametrize("spread", ["std", "variance", "range"])
@pytest.mark.parametrize("column", [pytest.param(c, id=name) for name, c in columns()])
def test_a_distance_is_off_by_less_than_is_said(column, spread):
    assert worst_error(column, spread) <= 1.0


def test_what_is_said_is_not_far_from_the_truth():
    assert max(worst_error(column, "std") for _, column in columns()) > 0.1


@pytest.mark.parametrize("spread", ["std", "variance", "range"])
def test_little_is_lost_on_any_scale(spread):
    for name, column in columns():
        assert scaled(column, spread)[1] < 1e-12, name


def test_the_spread_of_many_values_is_exact_to_the_last_bits():
    """One outlier, and many values so close together that a coarse sum would lose them."""
    column = np.append(np.linspace(0.0, 1e-8, 200_000), 1.0)
    z, bound = scaled(column, "std")
    n, values = len(column), np.array([int(value * 2**100) for value in column], dtype=object)
    total, squares = int(values.sum()), int((values * values).sum())
    width = root_of(Fraction(n * squares - total**2, n * (n - 1)))
    true = Fraction(int(values[-2]) - int(values[0])) / width
    assert abs(true - (Fraction(z[-2]) - Fraction(z[0]))) <= bound < 1e-13


def test_sums_do_not_depend_on_the_order_of_values_however_small(rng):
    values = rng.integers(-(2**20), 2**20, (300, 5)) * 2.0 ** np.array([-78, -70, -55, -40, -20])
    values[:7] += rng.uniform(-1, 1, (7, 5))
    before = values.copy()
    found = _sums(values)
    assert np.array_equal(values, before)
    assert np.array_equal(found, _sums(rng.permutation(values)))
    assert found == pytest.approx([fsum(column) for column in values.T], rel=2**-51, abs=0)
    few = values[7:, :3]
    assert _sums(few).tolist() == [fsum(column) for column in few.T]
