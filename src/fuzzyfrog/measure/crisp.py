"""Rough sets in the crisp sense: samples with equal values cannot be told apart."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data import make_dataset
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure.features import feature_mask

__all__ = ["RoughRegions", "rough_regions"]


@dataclass(frozen=True, eq=False)
class RoughRegions:
    """What a subset of features says about each sample, for sure.

    Parameters
    ----------
    positive : bool[n_samples]
        Samples whose equals all are of one class (or of the class asked for).
    negative : bool[n_samples]
        Samples that surely do not belong to the class asked for.
    boundary : bool[n_samples]
        Samples that remain in doubt.
    """

    positive: NDArray[np.bool_]
    negative: NDArray[np.bool_]
    boundary: NDArray[np.bool_]


def rough_regions(
    X: object,
    y: object = None,
    features: object = None,
    *,
    value: Hashable | None = None,
    categorical_features: object = "from_dtype",
) -> RoughRegions:
    """Give the positive, negative and boundary region of the classes or of one class.

    Parameters
    ----------
    X : array-like, data frame or Dataset
        Samples with discrete features; a missing value equals only other missing values.
    y : array-like, optional
        Class labels; left out for a `Dataset`.
    features : mask, or list of indices or names, optional
        The subset; all features if left out.
    value : label, optional
        One class; if left out, the regions are those of the whole partition into classes.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Nominal features.

    Returns
    -------
    RoughRegions
        Three boolean arrays that cover all samples.

    Examples
    --------
    >>> from fuzzyfrog import rough_regions
    >>> rough_regions([[1], [1], [2]], ["no", "yes", "yes"]).positive.tolist()
    [False, False, True]
    """
    dataset = make_dataset(X, y, categorical_features=categorical_features, target="class")
    classes = dataset.classes
    if classes is None:
        raise DataError("y must hold classes, got a numeric target. Bin it first.")
    if value is not None and value not in classes:
        known = ", ".join(repr(label) for label in classes[:20])
        raise DataError(f"value must be one of the classes, got {value!r}. Known: {known}.")
    group = _groups(dataset.values[:, feature_mask(features, dataset)])
    wanted = range(len(classes)) if value is None else [classes.index(value)]
    lower, upper = np.zeros((2, dataset.n_samples), np.bool_)
    for code in wanted:
        inside, outside = _met(group, dataset.target == code), _met(group, dataset.target != code)
        lower |= (inside & ~outside)[group]
        upper |= inside[group]
    return RoughRegions(positive=lower, negative=~upper, boundary=upper & ~lower)


def _groups(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Give each sample the number of its group of equals."""
    group = np.zeros(len(values), np.intp)
    for column in values.T:
        code = np.unique(column, return_inverse=True, equal_nan=True)[1]
        group = np.unique(group * (code.max() + 1) + code, return_inverse=True)[1]
    return group


def _met(group: NDArray[np.intp], samples: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell for each group whether one of the samples is in it."""
    return np.bincount(group, weights=samples) > 0
