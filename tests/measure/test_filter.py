"""The 16-bit filter on tables made to deceive it."""

import numpy as np
import pytest

from fuzzyfrog.measure import Dependency
from strategies import JIT_IS_OFF

STEPS, GRID = 16383, 2**50


def just_beside_half_a_step(side, parity):
    """Return positions whose product with STEPS rounds to a half, though it is `units` off.

    Rounding the half to even then moves the position away from where it is.
    """
    inverse = pow(STEPS, -1, GRID)
    found = []
    for units in range(1023, 0, -1):
        position = (GRID // 2 - side * units) * inverse % GRID
        z = position / GRID
        is_half = float(z * STEPS) % 1 == 0.5
        if 0.5 < z < 0.75 and position * STEPS // GRID % 2 == parity and is_half:
            found.append((z, units))
    return found


def deceiving_table():
    """Return samples so that the steps between two of them exceed the bound of one per feature."""
    pairs = [
        (16384 // (up + down) + 4, high, low)
        for high, up in just_beside_half_a_step(1, 1)
        for low, down in just_beside_half_a_step(-1, 0)
        if high > low
    ]
    n_features, high, low = min((n + -n % 4, x, y) for n, x, y in pairs if (n + 4) * (x - y) < 0.9)
    nearer = np.full(n_features, low)
    nearer[0] -= 2.0**-50  # one unit farther away, met first
    ends = [np.full(n_features, 0.9375), np.full(n_features, -0.0625)]  # so that the range is 1
    friends = [np.full(n_features, low), np.full(n_features, high)]
    enemies = [nearer, *np.zeros((150, n_features)), *ends, np.full(n_features, low)]
    return np.array(friends + enemies), ["a"] * 2 + ["b"] * len(enemies)


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("engine", ["scan", "tree"])
def test_steps_that_were_rounded_twice_lose_no_pair(engine, numeric):
    X, y = deceiving_table()
    target = "numeric" if numeric else "class"
    if numeric:  # one spread apart: enemies like two classes
        y = [float(label == "b") for label in y]
    everything = np.ones(X.shape[1], dtype=bool)
    truth = Dependency(X, y, spread="range", target=target, engine="plain").memberships(everything)
    found = Dependency(X, y, spread="range", target=target, engine=engine).memberships(everything)
    assert truth[1] < 0.9
    assert found.tobytes() == truth.tobytes()


@pytest.mark.skipif(JIT_IS_OFF, reason="takes half a minute without compiled kernels")
def test_beyond_sixteen_thousand_features_sums_still_decide():
    """More features than the filter takes: the rest must come in through the exact measure."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 2, size=(12, 1)), 20_000, axis=1) * 1e-9
    X[:, 16_000:] += rng.normal(size=(12, 4_000)) * 1e-12
    X[0], X[1] = -1.0, 1.0  # so that the others are close together
    y = ["a", "b"] * 6
    everything = np.ones(X.shape[1], dtype=bool)
    truth = Dependency(X, y, engine="plain").memberships(everything)
    assert 0.0 < np.min(truth) < 1e-3
    for engine in ("scan", "tree"):
        found = Dependency(X, y, engine=engine).memberships(everything)
        assert found.tobytes() == truth.tobytes()
