"""Dependency, positive region and approximations, each in one call."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data import Dataset
from fuzzyfrog.data.spread import Missing, Spread, similarity_to
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure.features import feature_mask
from fuzzyfrog.measure.scoring import Dependency, TNorm

__all__ = ["dependency", "lower_approximation", "positive_region", "upper_approximation"]

TargetKind = Literal["auto", "class", "numeric"]
FloatArray = NDArray[np.float64]


def dependency(
    X: object,
    y: object = None,
    features: object = None,
    *,
    tnorm: TNorm = "lukasiewicz",
    spread: Spread = "std",
    categorical_features: object = "from_dtype",
    missing: Missing = "similar",
    target: TargetKind = "auto",
    n_jobs: int | None = None,
) -> float:
    """Give the fuzzy-rough dependency of the target on a subset of the features.

    Parameters
    ----------
    X : array-like, data frame or Dataset
        The samples.
    y : array-like, optional
        The target; left out for a `Dataset`.
    features : mask, or list of indices or names, optional
        The subset; all features if left out.
    tnorm, spread, categorical_features, missing, target, n_jobs
        As in `fuzzyfrog.measure.Dependency`.

    Returns
    -------
    float
        Between 0 (nothing can be told apart) and 1 (everything surely).

    Examples
    --------
    >>> from fuzzyfrog import dependency, load_dataset
    >>> round(dependency(load_dataset("wine"), features=["flavanoids", "color_intensity"]), 4)
    0.6338
    """
    measure = _measure(X, y, tnorm, spread, categorical_features, missing, target, n_jobs)
    return float(measure.score([feature_mask(features, measure.dataset)])[0])


def positive_region(
    X: object,
    y: object = None,
    features: object = None,
    *,
    tnorm: TNorm = "lukasiewicz",
    spread: Spread = "std",
    categorical_features: object = "from_dtype",
    missing: Missing = "similar",
    target: TargetKind = "auto",
    n_jobs: int | None = None,
) -> FloatArray:
    """Give how surely each sample belongs to its own class, judged by a subset of the features.

    With a numeric target: how surely samples with similar features have a similar target.

    Parameters
    ----------
    X, y, features
        As in `dependency`.
    tnorm, spread, categorical_features, missing, target, n_jobs
        As in `fuzzyfrog.measure.Dependency`.

    Returns
    -------
    float64[n_samples]
        Memberships in the positive region.

    Examples
    --------
    >>> from fuzzyfrog import positive_region
    >>> positive_region([[0.0], [1.0], [4.0]], ["a", "b", "b"], spread="range").tolist()
    [0.25, 0.25, 1.0]
    """
    measure = _measure(X, y, tnorm, spread, categorical_features, missing, target, n_jobs)
    return measure.memberships(feature_mask(features, measure.dataset))


def lower_approximation(
    X: object,
    y: object,
    value: Hashable,
    features: object = None,
    *,
    tnorm: TNorm = "lukasiewicz",
    spread: Spread = "std",
    categorical_features: object = "from_dtype",
    missing: Missing = "similar",
    target: TargetKind = "auto",
    n_jobs: int | None = None,
) -> FloatArray:
    """Give how surely each sample belongs to a class: its membership in the lower approximation.

    Parameters
    ----------
    X, y
        As in `dependency`.
    value : label or number
        The class; for a numeric target the number that targets are to be similar to.
    features
        As in `dependency`.
    tnorm, spread, categorical_features, missing, target, n_jobs
        As in `fuzzyfrog.measure.Dependency`.

    Returns
    -------
    float64[n_samples]
        Memberships; 0 for samples of other classes.

    Examples
    --------
    >>> from fuzzyfrog import lower_approximation
    >>> X, y = [[0.0], [1.0], [4.0]], ["a", "b", "b"]
    >>> lower_approximation(X, y, "b", spread="range").tolist()
    [0.0, 0.25, 1.0]
    """
    measure = _measure(X, y, tnorm, spread, categorical_features, missing, target, n_jobs)
    mask = feature_mask(features, measure.dataset)
    concept = _concept(measure.dataset, value, spread)
    if measure.dataset.classes is None:
        return measure.infimum(mask, concept)
    return np.where(concept == 1.0, _from_the_rest(measure, concept, mask), 0.0)


def upper_approximation(
    X: object,
    y: object,
    value: Hashable,
    features: object = None,
    *,
    tnorm: TNorm = "lukasiewicz",
    spread: Spread = "std",
    categorical_features: object = "from_dtype",
    missing: Missing = "similar",
    target: TargetKind = "auto",
    n_jobs: int | None = None,
) -> FloatArray:
    """Give how possibly each sample belongs to a class: its membership in the upper approximation.

    Parameters
    ----------
    X, y, value, features
        As in `lower_approximation`.
    tnorm, spread, categorical_features, missing, target, n_jobs
        As in `fuzzyfrog.measure.Dependency`.

    Returns
    -------
    float64[n_samples]
        Memberships; 1 for the samples of the class.

    Examples
    --------
    >>> from fuzzyfrog import upper_approximation
    >>> X, y = [[0.0], [1.0], [4.0]], ["a", "b", "b"]
    >>> upper_approximation(X, y, "b", spread="range").tolist()
    [0.75, 1.0, 1.0]
    """
    measure = _measure(X, y, tnorm, spread, categorical_features, missing, target, n_jobs)
    mask = feature_mask(features, measure.dataset)
    concept = _concept(measure.dataset, value, spread)
    if measure.dataset.classes is None:
        # What is possibly in a concept is what is not surely outside of it.
        return 1.0 - measure.infimum(mask, 1.0 - concept)
    return np.where(concept == 1.0, 1.0, 1.0 - _from_the_rest(measure, concept, mask))


def _measure(
    X: object,
    y: object,
    tnorm: TNorm,
    spread: Spread,
    categorical_features: object,
    missing: Missing,
    target: TargetKind,
    n_jobs: int | None,
) -> Dependency:
    return Dependency(
        X,
        y,
        tnorm=tnorm,
        spread=spread,
        categorical_features=categorical_features,
        missing=missing,
        target=target,
        n_jobs=n_jobs,
    )


def _from_the_rest(measure: Dependency, members: FloatArray, mask: NDArray[np.bool_]) -> FloatArray:
    """Give how far each sample is from the other side of a class, cut at 1."""
    return measure.with_target(members.astype(np.int64), (False, True)).memberships(mask)


def _concept(dataset: Dataset, value: Hashable, spread: Spread) -> FloatArray:
    """Give how much each sample belongs to the class, or to the targets similar to a number."""
    if dataset.classes is not None:
        if value not in dataset.classes:
            known = ", ".join(repr(label) for label in dataset.classes[:20])
            raise DataError(f"value must be one of the classes, got {value!r}. Known: {known}.")
        return np.asarray(dataset.target == dataset.classes.index(value), np.float64)
    if not isinstance(value, int | float | np.number) or not np.isfinite(value):
        raise DataError(f"value must be a finite number for a numeric target, got {value!r}.")
    return similarity_to(np.asarray(dataset.target, np.float64), float(value), spread)
