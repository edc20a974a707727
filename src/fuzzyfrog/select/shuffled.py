"""How far predictions are above those for targets in another order: whether they beat chance."""

from math import sqrt

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers


def above_shuffled(predicted: Floats, wanted: Floats, groups: Integers) -> float:
    """Return how far a score is above its mean over all orders of the targets, in deviations.

    The score is the sum of the products of what is predicted for each sample and what its target
    wants, both float64[n_samples, n]. Mean and variance are those of a sum over a random
    permutation (Hoeffding 1951). Rows of a group are alike, so whole groups change places, with
    their mean targets, and rows only within their group.
    """
    _, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order, starts = np.argsort(place, kind="stable"), np.cumsum(sizes) - sizes
    a, b = predicted[order], wanted[order]
    sums = np.add.reduceat(a, starts)
    means = np.add.reduceat(b, starts) / sizes[:, np.newaxis]
    variance = _variance(sums, means)
    for start, size in zip(starts[sizes > 1], sizes[sizes > 1], strict=True):
        rows = slice(start, start + size)
        variance += _variance(a[rows], b[rows])
    expected = float(sums.mean(axis=0) @ means.sum(axis=0))
    return 0.0 if variance <= 0.0 else (float((a * b).sum()) - expected) / sqrt(variance)


def _variance(a: Floats, b: Floats) -> float:
    """Return the variance of the sum of products of rows of one and permuted rows of another."""
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    return float(((a.T @ a) * (b.T @ b)).sum() / max(1, len(a) - 1))


def by_class(codes: Integers, counts: Floats, n_classes: int) -> Floats:
    """Return for each sample its share of its class, float64[n_samples, n_classes]."""
    found = np.zeros((len(codes), n_classes))
    found[np.arange(len(codes)), codes] = counts / np.bincount(codes, counts)[codes]
    return found
