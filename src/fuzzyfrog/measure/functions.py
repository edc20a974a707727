"""The measure as functions: one call for one subset of features of one table."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Masks
from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.common.tnorms import TNorm
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.data.dataset import feature_mask
from fuzzyfrog.data.scaling import Missing, Spread, similarity_to
from fuzzyfrog.errors import DataError
from fuzzyfrog.measure.dependency import Dependency
from fuzzyfrog.measure.soft import SoftDependency

TargetKind = Literal["auto", "class", "numeric"]


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
    """Return the fuzzy-rough dependency of the target on a subset of the features.

    Parameters
    ----------
    X : array-like, data frame or Dataset
        The samples.
    y : array-like, optional
        The target; omit it for a `Dataset`.
    features : mask, or list of indices or names, optional
        The subset; all features if omitted.
    tnorm, spread, categorical_features, missing, target, n_jobs
        As in `fuzzyfrog.measure.Dependency`.

    Returns
    -------
    float
        Between 0 (no sample is separated from other classes) and 1 (every sample clearly is).

    Examples
    --------
    >>> from fuzzyfrog import dependency, load_dataset
    >>> round(dependency(load_dataset("wine"), features=["flavanoids", "color_intensity"]), 4)
    0.6338
    """
    measure = Dependency(
        X, y, tnorm=tnorm, spread=spread, categorical_features=categorical_features,
        missing=missing, target=target, n_jobs=n_jobs,
    )  # fmt: skip
    return float(measure.score([_mask(features, measure.dataset)])[0])


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
) -> Floats:
    """Return how certainly each sample belongs to its own class, by a subset of the features.

    With a numeric target: how certainly samples with similar features have a similar target.

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
    measure = Dependency(
        X, y, tnorm=tnorm, spread=spread, categorical_features=categorical_features,
        missing=missing, target=target, n_jobs=n_jobs,
    )  # fmt: skip
    return measure.memberships(_mask(features, measure.dataset))


def soft_dependency(
    X: object,
    y: object = None,
    features: object = None,
    *,
    categorical_features: object = "from_dtype",
    target: TargetKind = "auto",
    n_jobs: int | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> float:
    """Return the soft dependency: how likely it is that a random similar sample has the same class.

    Unlike `dependency`, it looks at all samples, not only at the nearest one of another class, and
    it falls when a feature adds noise. An uninformative subset has a soft dependency near
    chance, the share of pairs of samples with the same class.

    All samples count the same, also where `SoftSelector` lets those of rare classes count for more.

    Parameters
    ----------
    X, y, features
        As in `dependency`.
    categorical_features, target, n_jobs, sample, seed
        As in `fuzzyfrog.measure.SoftDependency`.

    Returns
    -------
    float
        Between 0 and 1. For a numeric target: how alike the targets of similar samples are.

    Examples
    --------
    >>> from fuzzyfrog import load_dataset, soft_dependency
    >>> wine = load_dataset("wine")
    >>> round(soft_dependency(wine), 3)
    0.771
    >>> round(soft_dependency(wine, features=["flavanoids", "color_intensity"]), 3)
    0.8
    """
    measure = SoftDependency(
        X, y, categorical_features=categorical_features, target=target, n_jobs=n_jobs,
        sample=sample, seed=seed,
    )  # fmt: skip
    return float(measure.score([_mask(features, measure.dataset)])[0])


def soft_memberships(
    X: object,
    y: object = None,
    features: object = None,
    *,
    categorical_features: object = "from_dtype",
    target: TargetKind = "auto",
    n_jobs: int | None = None,
) -> Floats:
    """Return for each sample how likely it is that a random similar sample has the same class.

    The mean of these memberships is `soft_dependency`. A sample with a low one is surrounded by
    samples of other classes.

    Parameters
    ----------
    X, y, features
        As in `dependency`.
    categorical_features, target, n_jobs
        As in `fuzzyfrog.measure.SoftDependency`.

    Returns
    -------
    float64[n_samples]
        Memberships between 0 and 1.

    Examples
    --------
    >>> from fuzzyfrog import soft_memberships
    >>> soft_memberships([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "a"]).round(3).tolist()
    [0.986, 0.96, 0.0, 0.019]
    """
    measure = SoftDependency(
        X, y, categorical_features=categorical_features, target=target, n_jobs=n_jobs,
    )  # fmt: skip
    everyone = measure.on_rows(measure.n_samples, 0)
    return everyone.memberships(_mask(features, measure.dataset))


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
) -> Floats:
    """Return how certainly each sample belongs to a class: the lower approximation.

    Parameters
    ----------
    X, y
        As in `dependency`.
    value : label or number
        The class; for a numeric target, the number that targets should be similar to.
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
    measure = Dependency(
        X, y, tnorm=tnorm, spread=spread, categorical_features=categorical_features,
        missing=missing, target=target, n_jobs=n_jobs,
    )  # fmt: skip
    mask = _mask(features, measure.dataset)
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
) -> Floats:
    """Return to what degree each sample possibly belongs to a class: the upper approximation.

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
    measure = Dependency(
        X, y, tnorm=tnorm, spread=spread, categorical_features=categorical_features,
        missing=missing, target=target, n_jobs=n_jobs,
    )  # fmt: skip
    mask = _mask(features, measure.dataset)
    concept = _concept(measure.dataset, value, spread)
    if measure.dataset.classes is None:
        # A sample is possibly in a concept to the degree that it is not certainly outside.
        return 1.0 - measure.infimum(mask, 1.0 - concept)
    return np.where(concept == 1.0, 1.0, 1.0 - _from_the_rest(measure, concept, mask))


def _from_the_rest(measure: Dependency, members: Floats, mask: Masks) -> Floats:
    """Return how far each sample is from the other side of a class, cut at 1."""
    sides = replace(measure.dataset, target=members.astype(np.int64), classes=(False, True))
    return measure.recipe()(sides, n_jobs=measure._n_jobs).memberships(mask)


def _concept(dataset: Dataset, value: Hashable, spread: Spread) -> Floats:
    """Return how much each sample belongs to the class, or to the targets similar to a number."""
    if dataset.classes is not None:
        if value not in dataset.classes:
            raise _unknown_class(value, dataset.classes)
        return np.asarray(dataset.target == dataset.classes.index(value), np.float64)
    if not isinstance(value, int | float | np.number) or not np.isfinite(value):
        raise DataError(f"value must be a finite number for a numeric target, got {value!r}.")
    return similarity_to(np.asarray(dataset.target, np.float64), float(value), spread)


def _unknown_class(value: object, classes: tuple[Hashable, ...]) -> DataError:
    return DataError(
        f"value must be one of the classes, got {shown(value)}. Known: {listed(classes)}."
    )


def _mask(features: object, dataset: Dataset) -> Masks:
    """Return the mask of features given as names, indices or a mask; None for all."""
    if features is None:
        return np.ones(dataset.n_features, np.bool_)
    return feature_mask("features", features, dataset.feature_names)


@dataclass(frozen=True, eq=False)
class RoughRegions:
    """What a subset of features says about each sample with certainty.

    Parameters
    ----------
    positive : bool[n_samples]
        Samples whose equals are all of one class (or of the given class).
    negative : bool[n_samples]
        Samples that certainly do not belong to the given class.
    boundary : bool[n_samples]
        Samples that may or may not belong to it.
    """

    positive: Masks
    negative: Masks
    boundary: Masks


def rough_regions(
    X: object,
    y: object = None,
    features: object = None,
    *,
    value: Hashable | None = None,
    categorical_features: object = "from_dtype",
) -> RoughRegions:
    """Return the positive, negative and boundary region of the classes or of one class.

    Parameters
    ----------
    X : array-like, data frame or Dataset
        Samples with discrete features; a missing value equals only other missing values.
    y : array-like, optional
        Class labels; omit them for a `Dataset`.
    features : mask, or list of indices or names, optional
        The subset; all features if omitted.
    value : label, optional
        One class; if omitted, the regions are those of the whole partition into classes.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Categorical features.

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
        raise _unknown_class(value, classes)
    group = _groups(dataset.values[:, _mask(features, dataset)])
    wanted = range(len(classes)) if value is None else [classes.index(value)]
    lower, upper = np.zeros((2, dataset.n_samples), np.bool_)
    for code in wanted:
        inside, outside = (
            _has_any(group, dataset.target == code),
            _has_any(group, dataset.target != code),
        )
        lower |= (inside & ~outside)[group]
        upper |= inside[group]
    return RoughRegions(positive=lower, negative=~upper, boundary=upper & ~lower)


def _groups(values: Floats) -> NDArray[np.intp]:
    """Return for each sample the number of its group of equals."""
    group = np.zeros(len(values), np.intp)
    for column in values.T:
        code = np.unique(column, return_inverse=True, equal_nan=True)[1]
        group = np.unique(group * (code.max() + 1) + code, return_inverse=True)[1]
    return group


def _has_any(group: NDArray[np.intp], samples: Masks) -> Masks:
    """Return for each group whether one of the samples is in it."""
    return np.bincount(group, weights=samples) > 0
