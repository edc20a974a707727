"""The noise guard: whether a measure takes shuffled columns for features."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.data import Dataset
from fuzzyfrog.records import NoiseGuard

if TYPE_CHECKING:
    from fuzzyfrog.select.selector import FuzzyRoughSelector

MOST_SHUFFLES = 5
MOST_SAMPLES = 1_000
FEWEST_SAMPLES = 100  # with fewer, a part of a table says little about it
PAIRS = 1_000_000_000  # pairs of samples x columns that a greedy search compares in seconds
STEPS = 8  # that it usually takes
SHUFFLING = 0x7477696E73  # next to the seed: no other part of a check draws from it


def noise_guard(selector: FuzzyRoughSelector, dataset: Dataset, seed: int) -> NoiseGuard | str:
    """Return how many shuffled twins a greedy search takes, or a sentence why it was left out.

    Every column that may be selected gets a twin with the same values in another order. The
    measure and its settings are those of the selector, which must be a clone that nobody watches.
    """
    per_pair = 2 * dataset.n_features * STEPS
    affordable = math.isqrt(PAIRS // per_pair)
    if affordable < min(FEWEST_SAMPLES, dataset.n_samples):
        return (
            f"The noise guard was left out: {dataset.n_features:,} columns and their shuffled "
            "twins take too long."
        )
    n_samples = min(dataset.n_samples, MOST_SAMPLES, affordable)
    n_shuffles = min(MOST_SHUFFLES, max(1, PAIRS // (n_samples**2 * per_pair)))
    random = np.random.default_rng([seed, SHUFFLING])
    n_taken = n_twins = 0
    for _ in range(n_shuffles):
        stop_if_late()
        chosen = random.permutation(dataset.n_samples)[:n_samples]
        doubled = _with_twins(rows_of(dataset, np.sort(chosen)), random)
        greedy = clone(selector).set_params(search="quickreduct", must_include=None, exclude=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            taken = greedy.fit(doubled).get_support()
        n_taken += int(taken.sum())
        n_twins += int(taken[dataset.n_features :].sum())
    return NoiseGuard(n_taken, n_twins, n_shuffles, n_samples)


def rows_of(dataset: Dataset, rows: Any) -> Dataset:
    """Return some samples of a table; classes that none of them has are dropped."""
    part = replace(
        dataset, values=dataset.values[rows], target=dataset.target[rows], notes=(), rows=None
    )
    if dataset.classes is None:
        return part
    present, codes = np.unique(part.target, return_inverse=True)
    classes = tuple(dataset.classes[one] for one in present.tolist())
    return replace(part, target=codes.astype(np.int64), classes=classes)


def columns_of(dataset: Dataset, kept: Any) -> Dataset:
    """Return some features of a table."""
    features = np.flatnonzero(kept)
    names = tuple(dataset.feature_names[one] for one in features)
    labels = dataset.categories and tuple(dataset.categories[one] for one in features)
    return replace(
        dataset,
        values=np.ascontiguousarray(dataset.values[:, features]),
        feature_names=names,
        categorical=dataset.categorical[features],
        categories=labels,
        dates=frozenset(np.flatnonzero(np.isin(features, list(dataset.dates))).tolist()),
    )


def _with_twins(dataset: Dataset, random: np.random.Generator) -> Dataset:
    """Return a table with a shuffled twin of each column behind all columns."""
    twins = [column[random.permutation(len(column))] for column in dataset.values.T]
    names = [f"{name} (twin {place})" for place, name in enumerate(dataset.feature_names)]
    return replace(
        dataset,
        values=np.column_stack([dataset.values, *twins]),
        feature_names=(*dataset.feature_names, *names),
        categorical=np.tile(dataset.categorical, 2),
        categories=dataset.categories and dataset.categories * 2,
    )
