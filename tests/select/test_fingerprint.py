"""The fingerprint changes with what changes a score, and with nothing else."""

import numpy as np
import pytest

from fuzzyfrog.data import make_dataset, scaling
from fuzzyfrog.select.selection import fingerprint

X = np.array([[0.0, 1.0], [2.0, np.nan], [3.0, 1.0], [4.0, 2.0]])
Y = [0, 1, 0, 1]


def digest(X=X, y=Y, options=("std",), **keywords):
    return fingerprint(make_dataset(X, y, **keywords), *options)


def other_bits():
    """The same table with a negative zero and a missing value of another sign."""
    same = X.copy()
    same[0, 0] = -0.0
    same[1, 1] = -np.nan
    return same


@pytest.mark.parametrize(
    "same",
    [
        {"X": other_bits()},
        {"X": np.asfortranarray(X)},
        {"y": ["no", "yes", "no", "yes"]},
        {"feature_names": ["a", "b"]},
    ],
)
def test_what_does_not_matter(same):
    assert digest(**same) == digest()


def test_labels_differ_from_the_numbers_that_code_them():
    codes = np.array([[0.0], [1.0], [2.0], [0.0]])
    assert digest(X=codes) != digest(X=codes, categorical_features=[0])


@pytest.mark.parametrize(
    "other",
    [
        {"X": X + np.array([0.0, 1e-9]) * (X == 2.0)},
        {"X": X[:, ::-1]},
        {"y": [1, 0, 0, 1]},
        {"y": [0.0, 1.0, 0.0, 1.0], "target": "numeric"},
        {"categorical_features": [0]},
        {"options": ("range",)},
    ],
)
def test_what_matters(other):
    assert digest(**other) != digest()


@pytest.mark.parametrize("n_cells", [4, 8])
def test_it_does_not_matter_how_many_columns_are_hashed_at_once(n_cells, monkeypatch):
    expected = digest(X=np.hstack([X, 2 * X, 3 * X]))
    monkeypatch.setattr(scaling, "_CELLS", n_cells)
    assert digest(X=np.hstack([X, 2 * X, 3 * X])) == expected
