"""A quick test of a fit: whether neighbors predict held-out samples better than by chance.

The selection is repeated on one half of the samples, because neighbors of columns that were chosen
on the same samples do well on any noise. `check` says much more, and takes longer.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.weights import masses_of
from fuzzyfrog.errors import FuzzyfrogError
from fuzzyfrog.result import Result
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.selection import select
from fuzzyfrog.select.settings import Settings

MOST_TESTED = 1_000  # samples of both halves
FEWEST_TESTED = 20  # samples of each half
N_NEIGHBORS = 5
CLEARLY = 2.0  # standard deviations of shuffled targets
HALVING = 0x68616C766573  # the same halves with any seed


def chance_doubts(
    result: Result, settings: Settings, dataset: Dataset, groups: Groups
) -> Iterator[str]:
    """Yield a warning if neighbors do no better than with shuffled targets."""
    train, test = _halves(dataset)
    if min(len(train), len(test)) < FEWEST_TESTED:
        return
    excluded = np.isin(np.arange(dataset.n_features), result.excluded) & ~groups.members
    again = replace(
        settings.for_part(excluded),
        search="quickreduct",
        sample=None,
        max_evaluations=None,
        random_state=result.seed,
    )
    try:
        chosen = select(dataset.take(train), again, end_warning=None)
    except (FuzzyfrogError, MemoryError):  # the fit is complete without it
        return
    if chosen.stop_reason != "converged":
        return
    nearest = _nearest(dataset, np.flatnonzero(groups.mask(chosen.selected)), train, test)
    masses = masses_of(dataset)
    target, weighed = dataset.target, (masses[nearest], masses[test])
    units = test if dataset.groups is None else dataset.groups[test]
    if above_chance(target[nearest], target[test], weighed, units) < CLEARLY:
        yield (
            "The selected columns may predict nothing: if selected on one half of the samples, "
            "they predict the other half no better than chance (by five nearest neighbors). For "
            "more, see fuzzyfrog.check."
        )


def _halves(dataset: Dataset) -> tuple[Integers, Integers]:
    """Return the samples to select on and those to predict, of which no group is in both."""
    random = np.random.default_rng(HALVING)
    rows = np.sort(random.permutation(dataset.n_samples)[:MOST_TESTED])
    units = rows if dataset.groups is None else np.unique(dataset.groups[rows])
    first = random.permutation(units)[: len(units) // 2]
    is_first = np.isin(rows if dataset.groups is None else dataset.groups[rows], first)
    return rows[is_first], rows[~is_first]


def _nearest(dataset: Dataset, features: Integers, train: Integers, test: Integers) -> Integers:
    """Return the nearest samples of `train` for each of `test`, by the mean difference."""
    apart = np.zeros((len(test), len(train)))
    for feature in features.tolist():
        column = dataset.values[:, feature]
        if dataset.categorical[feature]:
            some = (column[test][:, np.newaxis] != column[train]).astype(np.float64)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                spread = np.nanstd(column[train]) if np.isfinite(column[train]).any() else 0.0
                some = np.abs(column[test][:, np.newaxis] - column[train])
                some /= spread if 0.0 < spread < np.inf else 1.0
        apart += np.where(np.isnan(some), 1.0, np.minimum(some, 1e6))  # a gap is one spread away
    return train[np.argsort(apart, axis=1, kind="stable")[:, :N_NEIGHBORS]]


def above_chance(
    neighbors: Floats | Integers,
    target: Floats | Integers,
    masses: tuple[Floats, Floats],
    groups: Integers,
) -> float:
    """Return how far neighbors are above those of shuffled targets, in standard deviations.

    `neighbors` are the targets of the neighbors of each sample, `masses` how much these and the
    samples count. The score is the mean share of neighbors with the right class, with classes
    counting equally, or the covariance of their mean with a numeric target. A sample keeps its mass
    in any order, as both may depend on each other.
    """
    shares_of, counts = masses[0] / masses[0].sum(axis=1, keepdims=True), masses[1]
    if target.dtype.kind == "f":
        scale = max(np.abs(neighbors).max(), np.abs(target).max(), np.finfo(float).tiny)
        mean = (neighbors / scale * shares_of).sum(axis=1, keepdims=True)
        apart = target / scale - np.average(target / scale, weights=counts)
        return above_shuffled(mean, (counts * apart)[:, np.newaxis], groups)
    codes = range(max(int(target.max()), int(neighbors.max())) + 1)
    shares = np.stack([((neighbors == code) * shares_of).sum(axis=1) for code in codes], axis=1)
    wanted = by_class(target.astype(np.int64), counts, len(codes))
    return above_shuffled(shares, wanted, groups)


def above_shuffled(predicted: Floats, wanted: Floats, groups: Integers) -> float:
    """Return how far a score is above its mean over all orders of the targets, in deviations.

    The score is the sum of the products of what is predicted for each sample and what its target
    wants, both float64[n_samples, n]. Mean and variance are those of a sum over a random
    permutation (Hoeffding 1951). Rows of a group are alike, so whole groups change places, with
    their mean targets, and rows only within their group. A constant in what is predicted would
    weigh groups by their size.
    """
    predicted = predicted - predicted.mean(axis=0)
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
