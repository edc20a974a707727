"""The measures that a selector can use: the strict dependency, the soft one, and your own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyfrog.common.deadline import TimeIsUp
from fuzzyfrog.common.messages import Sentence, Setting, listed, shown
from fuzzyfrog.common.tnorms import TNorm
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import Missing, Spread, gaps_of
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure import Dependency, SampledDependency, SoftDependency
from fuzzyfrog.measure.dependency import checked_masks
from fuzzyfrog.measure.row_sample import FEWEST_PAIRS
from fuzzyfrog.search import FrontPoint, Problem, QuickReduct, Search

if TYPE_CHECKING:
    from fuzzyfrog.select.selection import Selection

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
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
MOST_COMPARED = 1_000  # samples by which the selected features are compared with all
COMPARED_CELLS = 10_000_000  # of pairs and features, which NumPy compares in a moment
FEWEST_COMPARED = 30  # with fewer samples, a mean says little
_STREAM = 0x636F6D70617265  # of the key that draws them: no other part of a run uses it
RULES = ("auto", "peak", "accuracy", "one-se")  # for the number of features


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

    tolerance = 1e-12
    _n_threads = 1

    def __init__(self, make: MakeMeasure, dataset: Dataset) -> None:
        self.dataset = dataset
        self._make = make
        self._measure = make(dataset)
        if not callable(getattr(self._measure, "score", None)):
            raise ParameterError(
                "measure", "return an object with a method score(masks)", shown(self._measure)
            )
        self.is_monotone = bool(getattr(self._measure, "is_monotone", False))

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

    def recipe(self) -> partial[OwnMeasure]:
        """Return what makes this measure of its table, to be sent to another process."""
        return partial(OwnMeasure, self._make)


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
    def of(cls, selector: Selection) -> MeasureSettings:
        """Return the checked settings of a selector."""
        measure = selector.measure
        is_name = isinstance(measure, str) and measure in NAMES
        if not is_name and (not callable(measure) or isinstance(measure, str)):
            raise ParameterError(
                "measure",
                f"be one of {listed(NAMES)}, or a function that makes a measure of a Dataset",
                shown(measure),
            )
        found = cls(measure, selector.tnorm, selector.spread, selector.missing)
        if not found.is_strict:
            found._check_unused(selector)
        return found

    def _check_unused(self, selector: Selection) -> None:
        """Raise if a parameter is given that only the strict measure has."""
        for name, values in STRICT_ONLY.items():
            given = getattr(selector, name)
            is_free = name in {"ranking", "min_dependency"} and not self.is_soft
            if given not in values and not is_free:
                raise ParameterError(
                    name,
                    f"be {shown(values[0])} with another measure than the strict one",
                    shown(given),
                    Sentence("Leave it out, or use ", Setting("measure", "strict"), "."),
                )

    @property
    def is_strict(self) -> bool:
        """Whether this is the measure of the paper."""
        return isinstance(self.measure, str) and self.measure == "strict"

    @property
    def is_soft(self) -> bool:
        """Whether this is the soft dependency."""
        return isinstance(self.measure, str) and self.measure == "soft"

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

    def measured(
        self, dataset: Dataset, n_jobs: int | None
    ) -> Dependency | SoftDependency | OwnMeasure:
        """Return the measure of a table."""
        if self.is_strict:
            return Dependency(
                dataset, tnorm=self.tnorm, spread=self.spread, missing=self.missing, n_jobs=n_jobs
            )
        if self.missing == "raise":
            gaps_of(dataset, "raise")
        if isinstance(self.measure, str):
            return SoftDependency(dataset, n_jobs=n_jobs)
        return OwnMeasure(self.measure, dataset)


def sampled(measure: Any, sample: int | None, seed: int) -> Any:
    """Return the measure on a sample, or the measure itself if that is not smaller."""
    if isinstance(measure, SoftDependency):
        return measure.on_sample(sample, seed)
    if isinstance(measure, OwnMeasure) or sample is None or sample >= measure.n_samples:
        return measure
    return SampledDependency(measure, int(sample), seed=seed)


def is_large(measure: Dependency) -> bool:
    """Whether a search is to begin on a sample of the rows."""
    return measure.n_pairs >= FEWEST_PAIRS


def starts_on_sample(
    measure: object, search: Search, problem: Problem, sample: int | None
) -> TypeGuard[Dependency]:
    """Whether the search is to begin on a sample of the rows, and confirm its answers on all.

    That is for the fewest features that keep the dependency of all, in large tables. A greedy
    search promises its very path, a proof is about all rows, and with `sample` the caller decides.
    """
    is_fewest = problem.ranking == "lexicographic" and problem.n_features_to_select is None
    return (
        isinstance(measure, Dependency)
        and sample is None
        and is_fewest
        and problem.min_dependency == 1
        and problem.oracle is None
        and not isinstance(search, QuickReduct)
        and is_large(measure)
    )


def interval_of(measure: Any, subset: Masks, confidence: float) -> tuple[float, float]:
    """Return the interval of the score on all samples, from samples that no search saw."""
    if isinstance(measure, SoftDependency):
        return measure.interval(subset, confidence)
    (found,) = measure.confirm(subset[np.newaxis], confidence)
    return found.low, found.high


def soft_comparison(dataset: Dataset, subset: Masks, allowed: Masks) -> tuple[float, float, float]:
    """Return the soft dependency of a subset and of all allowed features, and a standard error.

    The error is that of their difference. Of a large table, both are those of some random rows.
    Nothing is compiled for it.
    """
    rows = _some_rows(dataset, int(subset.sum() + allowed.sum()))
    part = replace(dataset, values=dataset.values[rows], target=dataset.target[rows])
    soft = SoftDependency(part, n_jobs=1)
    ours, others = soft.memberships_in_numpy(subset), soft.memberships_in_numpy(allowed)
    apart = others - ours
    error = float(np.std(apart, ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else np.inf
    return float(ours.mean()), float(others.mean()), error


def _some_rows(dataset: Dataset, n_columns: int) -> NDArray[np.int64]:
    affordable = int(np.sqrt(COMPARED_CELLS / max(1, n_columns)))
    n_rows = min(dataset.n_samples, max(FEWEST_COMPARED, min(MOST_COMPARED, affordable)))
    # Raw words: their sequence is the same in every version of NumPy.
    words = np.random.Philox(key=[0, _STREAM]).random_raw(dataset.n_samples)
    return np.sort(np.argsort(words, kind="stable")[:n_rows])


@dataclass(frozen=True, eq=False)
class Path:
    """Subsets of which each adds features to the one before, and how many features to take.

    The soft dependency has a peak, but on some tables it comes too early for prediction. So the
    size is chosen by the peak and by how often the five nearest neighbors of a sample, itself left
    out, have its class (docs/decisions/0007).

    Attributes
    ----------
    points : tuple of FrontPoint
        The subsets, in ascending size.
    features : int64[n]
        The features in the order in which they were added.
    losses : float64[n_points, n_anchors] or None
        How wrong the nearest neighbors of each sample are; None if there was no time or memory for
        it.
    """

    points: tuple[FrontPoint, ...]
    features: Integers
    losses: Floats | None

    @classmethod
    def of(
        cls,
        front: Sequence[FrontPoint],
        measure: SoftDependency,
        orders: Callable[[Sequence[int]], tuple[Integers, list[int]]],
    ) -> Path | None:
        """Return the path through the best subsets of each size; None if they are not nested.

        `orders` returns the columns of features in their order, and the last place of each.
        """
        for smaller, larger in pairwise(front):
            if larger.size != smaller.size + 1 or (smaller.subset & ~larger.subset).any():
                return None
        added = [np.flatnonzero(front[0].subset)]
        for smaller, larger in pairwise(front):
            added.append(np.flatnonzero(larger.subset & ~smaller.subset))
        features = np.concatenate(added).astype(np.int64)
        try:
            columns, ends = orders(features.tolist())
            losses = measure.left_out_losses(columns)[ends][front[0].size - 1 :]
        except (TimeIsUp, MemoryError):
            losses = None
        return cls(tuple(front), features, losses)

    @property
    def accuracies(self) -> list[float] | None:
        """For each point the share of samples that are right, or R² for a numeric target."""
        if self.losses is None:
            return None
        return [float(1.0 - loss) for loss in self.losses.mean(axis=1)]

    def chosen_by(self, rule: str) -> FrontPoint:
        """Return the point that a rule chooses.

        "peak" is the highest dependency; "accuracy" the one whose neighbors are right most often;
        "one-se" the fewest features whose neighbors are right as often, up to a standard error;
        "auto" the larger of "peak" and "one-se", if beyond the peak accuracy gains more than the
        dependency loses, else "peak". Without accuracies all of them are the peak.
        """
        return self.points[self._place_by(rule)]

    def _place_by(self, rule: str) -> int:
        scores = np.array([point.score for point in self.points])
        peak = int(np.argmax(scores))
        if rule == "peak" or self.losses is None:
            return peak
        losses = self.losses.mean(axis=1)
        best = int(np.argmin(losses))
        behind = self.losses[: best + 1] - self.losses[best]
        n_anchors = behind.shape[1]
        errors = behind.std(axis=1, ddof=min(1, n_anchors - 1)) / np.sqrt(n_anchors)
        fewest = int(np.argmax(behind.mean(axis=1) <= errors))
        # The best of many sizes owes something to luck, with any number of samples.
        pays = losses[peak] - losses[fewest] > scores[peak] - scores[fewest]
        auto = fewest if fewest > peak and pays else peak
        return {"auto": auto, "accuracy": best, "one-se": fewest}[rule]
