"""Data for the benchmarks: files of the paper, synthetic tables, and subsets of their features."""

import numpy as np

from fuzzyfrog.measure import Dependency
from fuzzyfrog_lab.catalog import load_dataset

PAPER_SIX = ("coil_2000", "cnae_9", "micromass", "molecular_biology", "madelon", "sonar")


def load(name):
    """Return values and class codes of a data set of the paper."""
    data = load_dataset(name)
    return data.values, data.target


def gaussian_classes(n_samples, n_features, n_classes=2, seed=0):
    """Return overlapping Gaussian classes, made in place so that memory holds one copy."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, size=n_samples)
    centers = rng.normal(scale=0.5, size=(n_classes, n_features))
    X = rng.standard_normal((n_samples, n_features))
    for first in range(0, n_samples, 10_000):
        block = slice(first, first + 10_000)
        X[block] += centers[y[block]]
    return X, y


def mixed_features(n_samples, n_features=50, n_classes=2, seed=0):
    """Return classes that a fifth of the features tell, a fifth repeat, and the rest do not.

    The first fifth are Gaussians around a center for each class, the next are noisy mixes of two
    of them. Of the rest, which is noise, every third feature has ten values only. Made feature by
    feature, so that memory holds one copy.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, size=n_samples)
    n_told = n_features // 5
    X = np.empty((n_samples, n_features))
    centers = rng.normal(scale=1.0, size=(n_classes, n_told))
    for a in range(n_told):
        X[:, a] = rng.standard_normal(n_samples) + centers[y, a]
    for a in range(n_told, 2 * n_told):
        first, second = rng.choice(n_told, size=2, replace=False)
        X[:, a] = X[:, first] - X[:, second] + rng.standard_normal(n_samples)
    for a in range(2 * n_told, n_features):
        X[:, a] = rng.standard_normal(n_samples)
        if a % 3 == 0:
            X[:, a] = rng.integers(0, 10, size=n_samples)
    return X, y


def divided_by_spread(X):
    """Return each feature divided by its standard deviation (n - 1), constants as zeros."""
    constant = X.max(axis=0) == X.min(axis=0)
    spread = np.where(constant, 1.0, X.std(axis=0, ddof=1))
    return np.where(constant, 0.0, X / spread)


def random_subsets(n_features, size, count, seed=0):
    """Return subsets of one size, one row each."""
    rng = np.random.default_rng(seed)
    masks = np.zeros((count, n_features), dtype=bool)
    for mask in masks:
        mask[rng.choice(n_features, size=size, replace=False)] = True
    return masks


def bell_shaped_subsets(n_features, count=900, seed=0):
    """Return subsets whose sizes follow a bell curve around 0.43 of the features, as frogs do."""
    rng = np.random.default_rng(seed)
    sizes = np.rint(rng.normal(0.43, 0.2, size=count) * n_features).astype(int)
    masks = np.zeros((count, n_features), dtype=bool)
    for mask, size in zip(masks, np.clip(sizes, 1, n_features), strict=True):
        mask[rng.choice(n_features, size=size, replace=False)] = True
    return masks


def ready_measure(X, y, n_jobs):
    """Return a measure with its tables made, as the peers have theirs; it remembers no score."""
    measure = Dependency(X, y, target="class", n_jobs=n_jobs)
    measure.score(random_subsets(X.shape[1], min(3, X.shape[1]), 2, seed=1))
    measure.score(random_subsets(X.shape[1], X.shape[1] // 2, 2, seed=1))
    return measure
