"""A custom measure: scores of subsets, about which nothing else is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from fuzzyfrog.common.arrays import Floats, Masks
from fuzzyfrog.common.messages import shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure.dependency import checked_masks
from fuzzyfrog.select.kind import Kind


class Scores(Protocol):
    """What a custom measure must have: the scores of subsets."""

    def score(self, masks: Masks) -> ArrayLike:
        """Return the score of each subset, a row of bool[n_subsets, n_features]."""


MakeMeasure = Callable[[Dataset], Scores]


class CustomMeasure:
    """A measure that a user wrote, as the searches and the selector see it.

    Parameters
    ----------
    make : callable
        Called with the `Dataset`; returns an object with ``score(masks)``. If that has a true
        ``is_monotone``, the fewest features that keep the score of all features are searched for,
        else the highest score. It must have a true ``uses_weights`` to be called with weights.
    dataset : Dataset
        The samples.
    """

    tolerance = 1e-12
    chance = None
    _n_threads = 1

    def __init__(self, make: MakeMeasure, dataset: Dataset) -> None:
        self.dataset, self.n_features = dataset, dataset.n_features
        self.n_samples = self.n_sampled = dataset.n_samples  # all are measured
        self._make = make
        self._measure = make(dataset)
        if not callable(getattr(self._measure, "score", None)):
            raise ParameterError(
                "measure", "return an object with a method score(masks)", shown(self._measure)
            )
        self.is_monotone = bool(getattr(self._measure, "is_monotone", False))
        if dataset.weights is not None and not getattr(self._measure, "uses_weights", False):
            hint = "If it reads dataset.weights, set uses_weights = True in it."
            raise ParameterError("sample_weight", "be None for this measure", "weights", hint)

    def score(self, masks: ArrayLike, at_least: float | ArrayLike | None = None) -> Floats:
        """Return the score of each subset; -inf where it is less than `at_least`."""
        checked = checked_masks(masks, self.n_features)
        if not len(checked):
            return np.empty(0)
        scores = np.array(self._measure.score(checked), dtype=np.float64)
        if scores.shape != (len(checked),) or not np.isfinite(scores).all():
            got = f"shape {scores.shape}" if scores.shape != (len(checked),) else shown(scores)
            raise ParameterError("measure", "return a finite number for each subset", got)
        if at_least is not None:
            scores[scores < np.asarray(at_least, dtype=np.float64)] = -np.inf
        return scores

    def best(self, masks: ArrayLike) -> Floats:
        """Return the score of the best subsets of a batch, -inf for the others."""
        scores = self.score(masks)
        scores[scores < scores.max(initial=-np.inf) - self.tolerance] = -np.inf
        return scores

    def on_rows(self, n_rows: int | None, seed: int) -> CustomMeasure:
        """Return the measure itself: only its author can draw samples."""
        return self

    def interval(self, mask: ArrayLike, confidence: float) -> tuple[float, float]:
        """Return the score of a subset twice."""
        score = float(self.score(np.atleast_2d(mask))[0])
        return score, score

    def recipe(self) -> partial[CustomMeasure]:
        """Return what makes this measure of its table, to be sent to another process."""
        return partial(CustomMeasure, self._make)


@dataclass(frozen=True)
class Custom(Kind):
    """A measure that a function makes of a table."""

    make: MakeMeasure | Any

    def __post_init__(self) -> None:
        if not callable(self.make) or isinstance(self.make, str):
            rule = "be a function that makes a measure of a Dataset"
            hint = "For the measures of this package, use SoftSelector or ReductSelector."
            raise ParameterError("measure", rule, shown(self.make), hint)

    @property
    def name(self) -> str:
        """The name of the function."""
        made = self.make.func if isinstance(self.make, partial) else self.make
        return f"{made.__module__}.{getattr(made, '__qualname__', type(made).__qualname__)}"

    def identity(self) -> tuple[str, ...]:
        """Return the function and its arguments."""
        if isinstance(self.make, partial):
            return self.name, repr(self.make.args), repr(self.make.keywords)
        return (self.name,)

    def measured(self, dataset: Dataset, n_jobs: int | None) -> CustomMeasure:
        """Return the measure of a table."""
        return CustomMeasure(self.make, dataset)
