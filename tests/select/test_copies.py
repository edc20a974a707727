"""Columns that say the same are found, those that merely resemble each other are not."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog.data import make_dataset
from fuzzyfrog.data.weights import ranks
from fuzzyfrog.select import copies as module
from fuzzyfrog.select.copies import find_alike

RNG = np.random.default_rng(0)  # for tables made here; a test has its own, `rng`
N = 60
HEIGHT = np.round(RNG.normal(170, 10, N), 1)
COLOR = RNG.choice(["red", "green", "blue"], N)
GAPPY = np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N))


def found(columns, **allowed):
    data = make_dataset(pd.DataFrame(columns), np.arange(len(next(iter(columns.values())))) % 2)
    mask = np.array([allowed.get(name, True) for name in data.feature_names])
    copies, correlated = find_alike(data, mask)

    def named(groups):
        return [[data.feature_names[one] for one in group] for group in groups]

    return named(copies), named(correlated)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (HEIGHT, HEIGHT),
        (HEIGHT, HEIGHT / 2.54),
        (HEIGHT, 180 - 3 * HEIGHT),
        (HEIGHT, HEIGHT + 1e9),
        (GAPPY, 2 * GAPPY + 1),
        (GAPPY, 1 - 2 * GAPPY),
        (HEIGHT > 170, HEIGHT <= 170),
        (COLOR, pd.Series(COLOR).map({"red": "rot", "green": "grün", "blue": "blau"})),
        (COLOR, pd.Series(COLOR).map({"red": 1, "green": 5, "blue": 3})),
        (pd.Series(COLOR).map({"red": 1, "green": 5, "blue": 3}), COLOR),
        (RNG.permutation(N) % 4, None),  # codes in another order
    ],
)
def test_copies(a, b, rng):
    b = np.array([7, 1, 4, 2])[a] if b is None else b
    assert found({"a": a, "other": rng.normal(size=N), "b": b}) == ([["a", "b"]], [])


@pytest.mark.parametrize(
    "b", [np.log(HEIGHT), HEIGHT**2, -np.sqrt(HEIGHT), 1 / HEIGHT, np.round(HEIGHT / 2.54)]
)
def test_functions_and_rounded_values_are_no_copies_but_order_the_samples_alike(b, rng):
    columns = {"a": HEIGHT, "other": rng.normal(size=N), "b": b}
    assert found(columns) == ([], [["a", "b"]])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (HEIGHT, HEIGHT + RNG.normal(0, 5, N)),
        (HEIGHT, HEIGHT**2),
        (np.arange(N), RNG.permutation(N)),
        ([f"name {k}" for k in range(N)], [f"id {k}" for k in range(N)]),  # any two are one-to-one
        ([f"name {k}" for k in range(N)], RNG.normal(size=N)),
        (np.ones(N), np.zeros(N)),
        (COLOR, np.where(np.arange(N) == 7, "red", COLOR)),
        (GAPPY, np.nan_to_num(GAPPY)),
        (np.round(HEIGHT, -1), np.round(HEIGHT + 4, -1)),  # too coarse to tell
    ],
)
def test_no_copies(a, b):
    assert found({"a": a, "b": b})[0] == []


def test_groups_keep_the_order_of_the_table():
    columns = {"x": HEIGHT, "c": COLOR, "y": -HEIGHT, "d": COLOR, "z": np.round(HEIGHT / 2.54, 2)}
    assert found(columns) == ([["x", "y"], ["c", "d"]], [["x", "z"]])
    assert found(columns, x=False) == ([["c", "d"]], [["y", "z"]])


def test_correlated_numbers_are_no_copies(rng):
    noisy = HEIGHT + rng.normal(0, 1, N)
    assert found({"a": HEIGHT, "b": noisy, "c": -noisy}) == ([["b", "c"]], [["a", "b"]])
    assert found({"a": HEIGHT[:9], "b": noisy[:9]}) == ([], [])


def test_gaps_of_only_one_column_are_no_copy_but_a_correlation():
    gappy = np.where(np.arange(N) % 30 == 0, np.nan, HEIGHT)
    assert found({"a": HEIGHT, "b": gappy}) == ([], [["a", "b"]])


def test_rows_beyond_the_first_look_count(monkeypatch, rng):
    monkeypatch.setattr(module, "MOST_ROWS", 16)
    n = 200
    a = rng.integers(0, 3, n).astype(float)
    looked_at = np.linspace(0, n - 1, 16).astype(int)
    b = np.where(np.isin(np.arange(n), looked_at), a, rng.permutation(a))
    assert found({"a": a, "b": b})[0] == []
    assert found({"a": a, "b": 2 * a}) == ([["a", "b"]], [])


def test_many_columns_in_several_blocks(monkeypatch, rng):
    monkeypatch.setattr(module, "BLOCK", 7)
    monkeypatch.setattr(module, "PRODUCTS", 0)
    monkeypatch.setattr(module, "FEWEST_PRODUCT_ROWS", 12)  # the others are looked at afterwards
    X = rng.normal(size=(30, 40))
    X[:, 33] = X[:, 3] * 2
    X[:, 34] = X[:, 4] + 0.05 * X[:, 5]
    X[:, 38] = 0.05 * X[:, 5] - X[:, 6]
    X[:, 39] = -X[:, 20]
    data = make_dataset(X, np.arange(30) % 2)
    copies, correlated = find_alike(data, np.ones(40, bool))
    assert copies == [(3, 33), (20, 39)]
    assert correlated == [(4, 34), (6, 38)]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("compared", [5, 8, 100])
def test_any_two_columns_are_compared_whatever_their_blocks(compared, n_jobs, monkeypatch, rng):
    monkeypatch.setattr(module, "BLOCK", 4)  # the last one is of a single column
    monkeypatch.setattr(module, "COMPARED", compared)
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 30 * 8)
    X, every = rng.normal(size=(30, 17)), np.ones(17, bool)
    for a, b in combinations(range(17), 2):
        values = X.copy()
        values[:, b] = (-1) ** (a + b) * X[:, a] ** 3
        data = make_dataset(values, np.arange(30) % 2)
        assert find_alike(data, every, n_jobs) == ([], [(a, b)])


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_each_column_joins_the_first_of_the_group_that_is_most_like_it(seed, n_jobs, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 6)
    monkeypatch.setattr(module, "COMPARED", 9)
    rng = np.random.default_rng(seed)
    steps = 0.1 * rng.normal(size=(200, 40))
    X = rng.normal(size=(200, 1)) + np.cumsum(steps, axis=1)[:, rng.permutation(40)]
    X[:, 7] = 3.0
    near = np.abs(np.corrcoef(np.argsort(np.argsort(X, axis=0), axis=0).T))
    near[7] = near[:, 7] = 0.0  # constant
    groups: dict[int, list[int]] = {}
    for one in range(40):
        best = max(groups, key=lambda first: near[first, one], default=one)
        if best != one and near[best, one] >= 0.98:
            groups[best].append(one)
        else:
            groups[one] = [one]
    expected = [tuple(group) for group in groups.values() if len(group) > 1]
    assert len(expected) >= 4
    data = make_dataset(X, np.arange(200) % 2)
    assert find_alike(data, np.ones(40, bool), n_jobs)[1] == expected


def test_whole_numbers_that_differ_once_are_no_rounded_copy(rng):
    a = rng.integers(0, 6, N)
    b = a + (np.arange(N) == 7)
    assert found({"a": a, "b": b}) == ([], [["a", "b"]])


def test_a_shared_outlier_makes_no_copies(rng):
    a, b = rng.normal(size=(2, 300))
    a[5] = b[5] = 1e12
    assert found({"a": a, "b": b})[0] == []
    assert found({"a": np.round(a, 2), "b": np.round(b, 2)})[0] == []
    assert found({"a": a, "b": 2.54 * a - 7})[0] == [["a", "b"]]
    a[7] = 0
    assert found({"a": a, "b": a / 2.54})[0] == [["a", "b"]]


BID = np.round(100 + RNG.normal(size=300).cumsum(), 2)
DAY = RNG.integers(0, 3000, 300)
BITS = RNG.integers(0, 2, 300)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (BID, np.round(BID + (1 + BITS) / 100, 2)),  # bid and ask
        (BID, np.round(7 - BID + BITS / 100, 2)),
        (DAY, DAY + BITS),  # start and end
        (DAY, 10 * DAY + BITS),
        (DAY, 10 * DAY + 5 * BITS),
        (DAY, DAY / 10 + BITS / 10),
        (DAY, np.round(2.54 * DAY) + BITS),
        (DAY, np.round(1.8 * DAY) + BITS),
        (DAY, 1000 * (DAY + (np.arange(300) % 15 == 0))),
        (DAY, DAY + (DAY.max() == DAY)),
    ],
)
def test_a_difference_of_one_step_may_mean_something(a, b):
    assert found({"a": a, "b": b}) == ([], [["a", "b"]])
    assert found({"b": b, "a": a}) == ([], [["b", "a"]])


def test_one_of_many_whole_numbers_that_differs_by_one(rng):
    a = rng.integers(0, 10**6, 20_000)
    for row in (0, 777, int(a.argmax())):
        b = a.copy()
        b[row] += 1
        assert found({"a": a, "b": b}) == ([], [["a", "b"]])


@pytest.mark.parametrize(("slope", "shift"), [(1, 0), (2.54, 0), (-1.8, 32), (1 / 2.54, -4)])
def test_a_copy_with_one_value_changed_is_none(slope, shift):
    rng = np.random.default_rng(1)
    a = np.round(rng.normal(170, 10, 300), 1)
    copy = slope * a + shift
    assert found({"a": a, "b": copy})[0] == [["a", "b"]]
    for change in 1e-9 * np.array([1, -1, 3, 1e3, 3e7]):
        b = copy.copy()
        b[rng.integers(300)] += change
        assert found({"a": a, "b": b})[0] == [], change
        assert found({"b": b, "a": a})[0] == [], change


def test_equal_numbers_share_the_mean_of_their_ranks_by_masses():
    rows = np.array([[3.0, 1.0, 3.0, 2.0, 3.0], [0.5, 0.5, -1.0, 0.5, 0.5]])
    assert ranks(rows).tolist() == [[4, 1, 4, 2, 4], [3.5, 3.5, 1, 3.5, 3.5]]
    repeated = np.repeat(rows, [1, 2, 3, 1, 2], axis=1)
    firsts = np.array([0, 1, 3, 6, 7])
    by_masses = ranks(rows, np.array([1.0, 2.0, 3.0, 1.0, 2.0]))
    for own, masses, all_of_them in zip(by_masses, ranks(repeated), repeated, strict=True):
        means = [masses[all_of_them == value].mean() for value in all_of_them[firsts]]
        assert own.tolist() == means
