"""Weights of samples: how many samples each one counts as (docs/theory.md#weights)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.common.messages import count, shown
from fuzzyfrog.errors import ParameterError

if TYPE_CHECKING:
    from fuzzyfrog.data.dataset import Dataset


UNIT = 2.0**-20  # of masses: sums of multiples are exact, so their order does not matter
MOST_MEAN = 5.0  # from which on a usual sample alone would be all of the five nearest neighbors
RARE = 1 / 9  # of the most frequent class: of two classes, one has less than a tenth of the samples
WEIGHTED = "Samples count by their weights"


def checked_weights(given: Any, n_samples: int) -> Floats:
    """Return the weights of samples; raise unless they are numbers of at least 0, not all of it."""
    name = "sample_weight"
    try:  # numpy would drop imaginary parts, and masks
        weights = None if np.iscomplexobj(np.asarray(given)) else np.asarray(given, np.float64)
    except (TypeError, ValueError):
        weights = None
    if weights is None:
        raise ParameterError(name, "be numbers", shown(given))
    if isinstance(given, np.ma.MaskedArray):
        weights = np.where(given.mask, np.nan, weights)
    if weights.shape != (n_samples,):
        rule = f"have a value for each of the {n_samples:,} samples"
        got = "a single value" if weights.ndim == 0 else f"an array of shape {weights.shape}"
        raise ParameterError(name, rule, got)
    if (wrong := np.flatnonzero(~((weights >= 0) & (weights < np.inf)))).size:
        got = f"{weights[wrong[0]]:g} for sample {wrong[0]}"
        raise ParameterError(name, "be finite numbers of at least 0", got)
    if not weights.any():
        raise ParameterError(name, "be above zero for some samples", "only zeros")
    return weights


def weighted(dataset: Dataset, given: object, column: str | None = None) -> Dataset:
    """Return a table with weights and a note about them; samples of weight 0 are left out.

    `column` is the name of the column that has the weights, if there is one.
    """
    weights = checked_weights(given, dataset.n_samples)
    kept = weights > 0
    if kept.sum() < 2:
        raise ParameterError("sample_weight", "be above zero for at least 2 samples", "1")
    few, n_out = weights[kept], int((~kept).sum())
    named = "" if column is None else f" in {shown(column)}, which is no feature"
    note = f"{WEIGHTED}{named}, from {few.min():.4g} to {few.max():.4g}."
    if n_out:
        note += f" {count(n_out, 'sample of weight 0 is', 'samples of weight 0 are')} left out."
    if (unit := unit_of(few)) != 1.0:
        note += f" The weights were divided by their mean, {unit:.4g}."
    notes = (*dataset.notes, note)
    dataset = replace(dataset, weights=weights, weight_unit=None, notes=notes)
    return without_weightless(dataset)


def without_weightless(dataset: Dataset) -> Dataset:
    """Return a table without samples of weight 0, which keep their names."""
    if dataset.weights is None or dataset.weights.all():
        return dataset
    kept = dataset.weights > 0
    if dataset.rows is None:
        dataset = replace(dataset, rows=tuple(map(str, range(dataset.n_samples))))
    return dataset.take(kept)


def masses_of(dataset: Dataset) -> Floats:
    """Return how many samples each sample counts as, which is 1 without weights."""
    if dataset.weights is None:
        return np.ones(dataset.n_samples)
    weights = dataset.weights / (dataset.weight_unit or unit_of(dataset.weights))
    return np.maximum(np.rint(weights / UNIT) * UNIT, UNIT)


def has_rare_class(dataset: Dataset) -> bool:
    """Whether a class is much rarer than another in a table, or in the one that it is a part of."""
    if dataset.classes is None or dataset.is_uneven is not None:
        return bool(dataset.is_uneven)
    counts = np.bincount(dataset.target.astype(np.int64))
    return bool(RARE * counts.max() > counts[counts > 0].min())


def unit_of(weights: Floats) -> float:
    """Return the weight that counts as one sample: 1, or the mean.

    Weights that cannot be counts of samples, with a mean below 1 or of 5 and more, are divided by
    their mean, which is the same for any order. Samples of weight 0 do not count.
    """
    few = weights[weights > 0]
    try:
        mean = math.fsum(few.tolist()) / len(few)
    except OverflowError:
        largest = few.max()
        mean = float(largest * (math.fsum((few / largest).tolist()) / len(few)))
    return 1.0 if 1.0 <= mean < MOST_MEAN else mean


def others_of(total: float) -> float:
    """Return the mass of what a sample of mass 1 is compared with.

    Where fractions of samples add up to less than two, half of them.
    """
    return max(total - 1.0, total / 2)


def mean_by(values: Floats, masses: Floats | None) -> Floats:
    """Return the means over the last axis, by masses unless these are None."""
    if masses is None:
        return np.asarray(values.mean(axis=-1))
    return np.asarray((values * masses).sum(axis=-1) / masses.sum())


def median_by(values: Floats, masses: Floats | None) -> float:
    """Return the median; of two in the middle, the mean."""
    if masses is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    below = np.cumsum(masses[order])
    half = below[-1] / 2
    low, high = np.searchsorted(below, half), np.searchsorted(below, half, side="right")
    return float((values[order[low]] + values[order[high]]) / 2)


def ranks(values: Floats, masses: Floats | None = None) -> Floats:
    """Return the ranks of numbers along the last axis, by masses; equal ones share their mean."""
    # Without masses, equal ones have the same rank in any order, and the faster sort will do.
    order = np.argsort(values, axis=-1, kind=None if masses is None else "stable")
    ordered = np.take_along_axis(values, order, -1)
    counts = np.ones(values.shape) if masses is None else masses[order]
    ends = np.cumsum(counts, axis=-1)
    is_first = np.ones(values.shape, np.bool_)
    is_first[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    is_last = np.roll(is_first, -1, axis=-1)
    below = np.maximum.accumulate(np.where(is_first, ends - counts, 0.0), axis=-1)
    above = np.where(is_last, ends, np.inf)[..., ::-1]
    above = np.minimum.accumulate(above, axis=-1)[..., ::-1]
    found = np.empty(values.shape)
    np.put_along_axis(found, order, (below + above + 1.0) / 2, -1)
    return found
