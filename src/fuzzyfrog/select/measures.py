"""The measures that a selector can use: the strict dependency, the soft one, and your own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyfrog.common.messages import Sentence, Setting, listed, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import Missing, Spread, gaps_of
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure import Dependency, SampledDependency, SoftDependency
from fuzzyfrog.measure.dependency import TNorm, checked_masks

if TYPE_CHECKING:
    from fuzzyfrog.select.selector import FuzzyRoughSelector

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]

NAMES = ("strict", "soft")
# What only the strict measure has, with the values that change nothing.
STRICT_ONLY: dict[str, tuple[object, ...]] = {
    "tnorm": ("lukasiewicz",),
    "spread": ("std",),
    "missing": ("similar", "raise"),
    "ranking": ("lexicographic",),
    "min_dependency": (1,),
}
COMPARED_CELLS = 20_000_000  # samples x anchors x features that NumPy compares in a moment
FEWEST_COMPARED = 30  # anchors; with fewer, a mean says little


class Scores(Protocol):
    """What a measure of one's own must have: the scores of subsets."""

    def score(self, masks: Masks) -> ArrayLike:
        """Return the score of each subset, a row of bool[n_subsets, n_features]."""


MakeMeasure = Callable[[Dataset], Scores]


class OwnMeasure:
    """A measure that a user wrote, as the searches and the selector see it.

    Parameters
    ----------
    make : callable
        Called with the `Dataset`; returns an object with ``score(masks)``. If that has a true
        ``is_monotone``, the fewest features that keep the score of all features are searched for,
        else the highest score.
    dataset : Dataset
        The samples.
    """

    def __init__(self, make: MakeMeasure, dataset: Dataset) -> None:
        self.dataset = dataset
        self._measure = make(dataset)
        if not callable(getattr(self._measure, "score", None)):
            raise ParameterError(
                "measure", "return an object with a method score(masks)", shown(self._measure)
            )
        self.is_monotone = bool(getattr(self._measure, "is_monotone", False))
        self.tolerance = 1e-12

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.dataset.n_features

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.dataset.n_samples

    @property
    def n_sampled(self) -> int:
        """Number of samples that are measured: all of them."""
        return self.dataset.n_samples

    def score(self, masks: ArrayLike, at_least: float | ArrayLike | None = None) -> Floats:
        """Return the score of each subset; -inf where it is less than `at_least`."""
        checked = checked_masks(masks, self.n_features)
        scores = np.array(self._measure.score(checked), dtype=np.float64)
        if scores.shape != (len(checked),) or np.isnan(scores).any():
            got = f"shape {scores.shape}" if scores.shape != (len(checked),) else "NaN"
            raise ParameterError("measure", "return a number for each subset", got)
        if at_least is not None:
            scores[scores < np.asarray(at_least, dtype=np.float64)] = -np.inf
        return scores

    def best(self, masks: ArrayLike) -> Floats:
        """Return the score of the best subsets of a batch, -inf for the others."""
        scores = self.score(masks)
        scores[scores < scores.max(initial=-np.inf) - self.tolerance] = -np.inf
        return scores


Measure = Dependency | SampledDependency | SoftDependency | OwnMeasure


@dataclass(frozen=True)
class MeasureSettings:
    """Which measure a fit uses, and how.

    Attributes
    ----------
    measure : {"strict", "soft"} or callable
        The measure.
    tnorm, spread, missing : str
        The settings of the strict one.
    """

    measure: str | MakeMeasure
    tnorm: TNorm
    spread: Spread
    missing: Missing

    @classmethod
    def of(cls, selector: FuzzyRoughSelector) -> MeasureSettings:
        """Return the checked settings of a selector."""
        measure = selector.measure
        if not (isinstance(measure, str) and measure in NAMES) and not callable(measure):
            raise ParameterError(
                "measure",
                f"be one of {listed(NAMES)}, or a function that makes a measure of a Dataset",
                shown(measure),
            )
        if measure == "strict":
            return cls(measure, selector.tnorm, selector.spread, selector.missing)
        for name, values in STRICT_ONLY.items():
            given = getattr(selector, name)
            is_free = name in {"ranking", "min_dependency"} and measure != "soft"
            if given not in values and not is_free:
                raise ParameterError(
                    name,
                    f"be {shown(values[0])} with another measure than the strict one",
                    shown(given),
                    Sentence("Leave it out, or leave out ", Setting("measure", "soft"), "."),
                )
        return cls(measure, selector.tnorm, selector.spread, selector.missing)

    @property
    def is_strict(self) -> bool:
        """Whether this is the measure of the paper."""
        return self.measure == "strict"

    @property
    def name(self) -> str:
        """The name of the measure, also of one's own."""
        if isinstance(self.measure, str):
            return self.measure
        made = self.measure.func if isinstance(self.measure, partial) else self.measure
        return f"{made.__module__}.{getattr(made, '__qualname__', type(made).__qualname__)}"

    def words(self) -> tuple[str, ...]:
        """Return the settings as words that go into the fingerprint of a checkpoint."""
        if self.is_strict:
            return self.tnorm, self.spread, self.missing
        if isinstance(self.measure, partial):
            return (self.name, repr(self.measure.args), repr(self.measure.keywords))
        return (self.name,)

    def measured(self, dataset: Dataset, n_jobs: int | None) -> Dependency | Any:
        """Return the measure of a table."""
        if self.is_strict:
            return Dependency(
                dataset, tnorm=self.tnorm, spread=self.spread, missing=self.missing, n_jobs=n_jobs
            )
        if self.missing == "raise":
            gaps_of(dataset, "raise")
        if self.measure == "soft":
            return SoftDependency(dataset, n_jobs=n_jobs)
        return OwnMeasure(self.measure, dataset)  # type: ignore[arg-type]


def sampled(measure: Measure, sample: int | None, seed: int) -> Any:
    """Return the measure on a sample, or the measure itself if that is not smaller."""
    if isinstance(measure, SoftDependency):
        return measure.on_sample(sample, seed)
    if isinstance(measure, OwnMeasure) or sample is None or sample >= measure.n_samples:
        return measure
    return SampledDependency(measure, int(sample), seed=seed)  # type: ignore[arg-type]


def interval_of(measure: Measure, subset: Masks, confidence: float) -> tuple[float, float]:
    """Return the interval of the score on all samples, from samples that no search saw."""
    if isinstance(measure, SampledDependency):
        (found,) = measure.confirm(subset[np.newaxis], confidence)
        return found.low, found.high
    return measure.interval(subset, confidence)  # type: ignore[union-attr]


def soft_loss(dataset: Dataset, subset: Masks, allowed: Masks) -> tuple[float, float, float]:
    """Return the soft dependency of a subset and of all allowed features, and a standard error.

    The error is that of their difference. Large tables are compared on a few samples. Nothing is
    compiled for it.
    """
    cells = dataset.n_samples * max(1, int(subset.sum() + allowed.sum()))
    n_anchors = int(np.clip(COMPARED_CELLS // cells, FEWEST_COMPARED, dataset.n_samples))
    soft = SoftDependency(dataset, n_jobs=1, sample=n_anchors)
    ours, others = soft.memberships_one_by_one(subset), soft.memberships_one_by_one(allowed)
    apart = others - ours
    error = float(np.std(apart, ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else np.inf
    return float(ours.mean()), float(others.mean()), error
