"""What a selection needs to know about a measure: everything in which one differs from another.

`strict` and `soft` are the two kinds of this package, `Custom` is any other measure, of which only
the scores are known. Nothing else knows which one it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.messages import shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.measure.dependency import checked_masks
from fuzzyfrog.measure.sampled import RowSample
from fuzzyfrog.result import Certificate, Reducts, Scored, SoftPath, Verified
from fuzzyfrog.result.result import Parameter
from fuzzyfrog.search import Outcome, Problem, Search
from fuzzyfrog.search.protocol import Oracle
from fuzzyfrog.select.explain import Evidence, Explains

if TYPE_CHECKING:
    from fuzzyfrog.select.verify import NewRows

Orders = Callable[[Sequence[int]], tuple[Integers, list[int]]]


@dataclass(frozen=True)
class Sized:
    """An outcome with the size that was chosen for it.

    Attributes
    ----------
    outcome : Outcome
        The outcome.
    accuracies : list of (float or None), or None
        Those of its front; None if that is not a path.
    substitutes : dict of int to tuple of int
        Redundant features that were dropped, each with the selected ones that it resembles.
    """

    outcome: Outcome
    accuracies: list[float | None] | None = None
    substitutes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """A measure by its settings; what is said here holds for a measure that nothing is known of."""

    search = "quickreduct"  # the search that "auto" stands for
    can_prove = False  # whether something can be proved about subsets
    can_sample = False  # whether subsets can be scored on a part of the samples
    scores_all_rows = True  # whether a cluster scores subsets on all samples
    has_path = False  # whether the size is chosen along the path of a greedy search
    compares_with_all = False  # whether new rows are verified next to all columns
    affordable = 2**28  # pairs of samples, times subsets, that are scored in seconds
    as_noise = 0.4  # share of random columns among those taken that makes the noise guard fail
    exchanges_tried = 0  # columns that say most alone, and that add most, tried for each other one

    @property
    def name(self) -> str:
        """The name of the measure."""
        raise NotImplementedError

    @property
    def rival(self) -> Kind | None:
        """The measure to compare with where models lose; None if this is as good for them."""
        return None

    def parameters(self) -> dict[str, Parameter]:
        """Return the settings by their names, for the result."""
        return {}

    def identity(self) -> tuple[str, ...]:
        """Return what makes scores comparable, for the fingerprint of a checkpoint."""
        return (self.name,)

    def grouped(self, dataset: Dataset, included: Masks, excluded: Masks) -> Dataset:
        """Return the table with the groups of samples that the measure uses."""
        return dataset

    def measured(self, dataset: Dataset, n_jobs: int | None) -> Any:
        """Return the measure of a table: a `Measure` of `measure/dependency.py` with its `dataset`.

        `CustomMeasure` makes one of any object that scores subsets.
        """
        raise NotImplementedError

    def notes(self, measure: Any) -> Iterator[str]:
        """Yield what to know about how a table is measured, as sentences."""
        yield from ()

    def oracle(
        self, measure: Any, allowed: Masks, max_lost: int | None, *, proves: bool
    ) -> Oracle | None:
        """Return the function that says why a subset falls short; None if there is none."""
        return None

    def sample_first(
        self, search: Search, problem: Problem, measure: Any, allowed: Masks, seed: int
    ) -> RowSample | None:
        """Return the sample of the rows that a search starts on; None if it starts on all rows."""
        return None

    def data_doubts(self, measures: tuple[Any, Any], allowed: Masks, full: float) -> Iterator[str]:
        """Yield warnings about the table, before the search."""
        yield from ()

    def sized(
        self, outcome: Outcome, measure: Any, orders: Orders, fixed: Masks, rule: str | None
    ) -> Sized:
        """Return the outcome with the size that a rule chooses; `fixed` features stay.

        `orders` returns the columns of features in their order, and the last place of each.
        """
        return Sized(outcome)

    def answer(
        self, found: dict[str, Any], measure: Any, certificate: Certificate | None
    ) -> Reducts | SoftPath | Scored:
        """Return the answer; `found` is what all kinds of answers have."""
        return Scored(**found, measure=self.name)

    def doubts(self, dataset: Dataset, subset: Masks, allowed: Masks) -> Iterator[str]:
        """Yield warnings about a selection."""
        yield from ()

    def weighed(self, measure: Any, masks: Masks) -> Floats:
        """Return what each subset scores, in a row with a value for each sample if there are any.

        The mean of a row is the score. Without memberships, a row is the score alone; that of an
        empty subset counts as 0.
        """
        masks = np.asarray(masks)
        scores, is_some = np.zeros((len(masks), 1)), masks.any(axis=1)
        scores[is_some, 0] = measure.score(masks[is_some])
        return scores

    def accuracy(self, measure: Any, subset: Masks) -> float | None:
        """Return how well neighbors predict with a subset; None where that is not asked."""
        return None

    def verified(self, rows: NewRows) -> Verified:
        """Return whether a selection still holds with new rows."""
        raise DataError(
            f"verify must be called for SoftSelector or ReductSelector, got {self.name}. "
            "Compute it for the old and new rows together instead."
        )

    def examples(self, measure: Any, evidence: Evidence, selected: tuple[int, ...]) -> Explains:
        """Return what explains a selection: here, how much each feature adds to the score."""
        return Explains(measure, evidence, selected)


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
