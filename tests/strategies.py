"""Hypothesis strategies for tables that hurt: ties, constants, duplicates, outliers, gaps.

A table is drawn in two ways. Small tables have every cell drawn, so that a failure shrinks to the
smallest one. Made tables draw a recipe for each feature and the seed of a generator, so that they
are large enough for blocks, leaves and paddings of the engines.
"""

import os
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

# Examples that are drawn for each that a test asks for; `make test-long` draws sixteen times these.
AS_MANY = float(os.environ.get("FUZZYFROG_EXAMPLES", "0.25"))
JIT_IS_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") not in {"", "0"}
LARGEST_TABLE = 24 if JIT_IS_OFF else 150


def examples(count):
    """Return settings for `count` examples times `AS_MANY`, few where kernels are plain Python."""
    return settings(max_examples=max(3, count // 10 if JIT_IS_OFF else round(count * AS_MANY)))


def seeds(count, first):
    """Return the seeds of random cases; those behind the first ones are for `make test-long`."""
    others = (pytest.param(seed, marks=pytest.mark.long) for seed in range(first, count))
    return [*range(first), *others]


@dataclass(frozen=True)
class Table:
    """Samples with classes or numbers as target; its repr is what a failing test prints."""

    X: np.ndarray
    y: np.ndarray
    categorical: np.ndarray

    @property
    def n_samples(self):
        return self.X.shape[0]

    @property
    def n_features(self):
        return self.X.shape[1]


# ------------------------------------------------------------------------------ features


def _outlier(rng, n):
    values = rng.normal(size=n)
    values[rng.integers(n)] = rng.choice([-1e6, 1e6])
    return values


RECIPES = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.lognormal(sigma=1.5, size=n),
    "tiny integers": lambda rng, n: rng.integers(0, 3, size=n).astype(float),
    "tied quarters": lambda rng, n: rng.integers(-8, 9, size=n) / 4.0,
    "constant": lambda rng, n: np.full(n, rng.choice([0.0, 0.1, -1e6])),
    "large offset": lambda rng, n: 1e6 + rng.integers(0, 50, size=n) / 1024.0,
    "outlier": _outlier,
    "huge": lambda rng, n: rng.normal(size=n) * 1e300,
    "minute": lambda rng, n: rng.normal(size=n) * 1e-300,
    "categorical": lambda rng, n: rng.integers(0, 4, size=n).astype(float),
}
# The variance of 1e300 is not a float, that of 1e-300 is zero, and values far above their own
# variance have no digits left for their differences: the other recipes serve that spread.
WITHIN_VARIANCE = tuple(sorted(set(RECIPES) - {"huge", "minute", "large offset"}))
# Values with so few digits that scaling and shifting them by powers of two loses none.
SHORT_NUMBERS = ("constant", "categorical", "tied quarters", "tiny integers")
EVERY_RECIPE = tuple(sorted(RECIPES))


def recipes_for(spread):
    """Return the names of the recipes whose spread is a number that a float can hold."""
    return WITHIN_VARIANCE if spread == "variance" else EVERY_RECIPE


# ------------------------------------------------------------------------------ targets


def _classes(rng, n, n_classes):
    """Assign one sample to each class and deal out the rest, now and then none to the last."""
    n_dealt = rng.choice([n_classes, n_classes - 1])
    rest = rng.integers(0, n_dealt, size=n - n_classes)
    return rng.permutation(np.concatenate([np.arange(n_classes), rest]))


def _numbers(rng, n):
    """Return numbers with ties, at least two of them different."""
    values = rng.integers(0, max(2, n // 3), size=n) / 4.0
    values[:2] = [0.0, 0.25]
    return rng.permutation(values)


def _target(draw, kind, rng, n):
    if kind == "numeric":
        return _numbers(rng, n)
    return _classes(rng, n, draw(st.integers(2, min(5, n))))


# ------------------------------------------------------------------------------ tables


def _repeat_rows(rng, X, share):
    """Overwrite a share of the rows with copies of others, whatever their targets are."""
    copies = rng.random(X.shape[0]) < share
    X[copies] = X[rng.integers(X.shape[0], size=X.shape[0])][copies]


def _punch_gaps(rng, X, share):
    """Make a share of the values missing, but never a whole feature: that is refused."""
    gaps = rng.random(X.shape) < share
    gaps[rng.integers(X.shape[0]), gaps.all(axis=0)] = False
    X[gaps] = np.nan


@st.composite
def made_tables(draw, *, kind="class", recipes=EVERY_RECIPE, gaps=False):
    """Draw a recipe for each feature and let a seeded generator fill in the cells."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, LARGEST_TABLE))
    chosen = draw(st.lists(st.sampled_from(recipes), min_size=1, max_size=12))
    X = np.column_stack([RECIPES[recipe](rng, n) for recipe in chosen])
    _repeat_rows(rng, X, draw(st.sampled_from([0.0, 0.0, 0.3, 0.9])))
    if gaps:
        _punch_gaps(rng, X, draw(st.sampled_from([0.02, 0.3, 0.95])))
    return Table(X, _target(draw, kind, rng, n), np.array([r == "categorical" for r in chosen]))


@st.composite
def small_tables(draw, *, kind="class", gaps=False):
    """Draw every cell of a table of a few samples, from few values, so that it shrinks well."""
    n, n_features = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    cell = st.sampled_from([0.0, 1.0, 2.0, 0.5, -3.0, 0.1] + [np.nan] * gaps)
    row = st.lists(cell, min_size=n_features, max_size=n_features)
    X = np.array(draw(st.lists(row, min_size=n, max_size=n)))
    X[0, np.isnan(X).all(axis=0)] = 1.0
    categorical = draw(st.lists(st.booleans(), min_size=n_features, max_size=n_features))
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 2), min_size=n - 2, max_size=n - 2))])
    return Table(X, y / 2.0 if kind == "numeric" else y, np.array(categorical))


def tables(*, kind="class", recipes=EVERY_RECIPE, gaps=False):
    """Draw a table of numbers and categorical codes.

    Parameters
    ----------
    kind : {"class", "numeric"}
        What the target holds: codes of 2 to 5 classes, or numbers with ties.
    recipes : sequence of str
        Names in `RECIPES` that the features of the larger tables may have.
    gaps : bool
        Whether values may be missing (NaN).
    """
    return st.one_of(
        small_tables(kind=kind, gaps=gaps), made_tables(kind=kind, recipes=recipes, gaps=gaps)
    )


def subsets(n_features, max_size=10):
    """Draw a boolean matrix of subsets; the empty and the full one are always among them."""
    mask = st.lists(st.booleans(), min_size=n_features, max_size=n_features)
    edges = [[False] * n_features, [True] * n_features]
    drawn = st.lists(mask, max_size=max_size)
    return drawn.flatmap(lambda rows: st.permutations(rows + edges)).map(np.array)
