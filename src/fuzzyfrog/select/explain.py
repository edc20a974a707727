"""Why a feature is selected: the samples that it tells from others, or keeps among their own."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.common.tnorms import CODES, LARGEST, SUM, TNorm, both
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import positions, scaled, snapped
from fuzzyfrog.measure import Dependency, SoftDependency
from fuzzyfrog.measure.dependency import Measure
from fuzzyfrog.measure.geometry import mean_membership
from fuzzyfrog.records import (
    AmbiguousSample,
    Cell,
    ExamplePair,
    FeatureExplanation,
    WorseSample,
)
from fuzzyfrog.select.base import Evidence
from fuzzyfrog.select.measures import sampled

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pair:
    """Two samples of different classes that a feature separates.

    Attributes
    ----------
    sample, enemy : int
        Rows of the training data, counted from 0.
    distance_with, distance_without : float
        Distance of the two samples on the selected features, cut at 1, with the feature and
        without it.
    """

    sample: int
    enemy: int
    distance_with: float
    distance_without: float


@dataclass(frozen=True)
class Loss:
    """A sample whose neighborhood gets worse without a feature.

    Attributes
    ----------
    sample : int
        Row of the training data, counted from 0.
    neighbor : int
        The sample unlike it that gains most weight among its neighbors without the feature.
    membership_with, membership_without : float
        How likely a random similar sample has the class of this one, with the feature and without
        it.
    """

    sample: int
    neighbor: int
    membership_with: float
    membership_without: float


@dataclass(frozen=True)
class Explanation:
    """Why a feature is selected; print it to get the numbers as a table.

    Attributes
    ----------
    feature : int
        Index of the feature.
    name : str
        Name of the feature.
    dependency : float
        Dependency of all selected features.
    dependency_without : float
        Dependency of the selected features without this one.
    n_affected : int
        Number of samples that come closer to another class without the feature; with the soft
        measure, number of samples whose neighborhood gets worse.
    pairs : tuple of Pair
        Affected samples, each with its nearest enemy once the feature is removed, ordered by
        how much the sample loses. No pair is listed twice. Empty with other measures.
    losses : tuple of Loss
        With the soft measure: affected samples, ordered by how much they lose.
    """

    feature: int
    name: str
    dependency: float
    dependency_without: float
    n_affected: int
    pairs: tuple[Pair, ...]
    losses: tuple[Loss, ...] = ()

    @property
    def lost(self) -> float:
        """How much the dependency falls without the feature; negative if it rises."""
        return self.dependency - self.dependency_without

    def __str__(self) -> str:
        moves = "rises" if self.lost < 0 else "falls"
        head = (
            f"Without {self.name} the dependency {moves} by {abs(self.lost):.6f}, from "
            f"{self.dependency:.6f} to {self.dependency_without:.6f}."
        )
        if self.losses:
            return "\n".join([head, *self._lost_lines()])
        if not self.pairs:
            return head
        lines = [
            f"{pair.sample:>8}  {pair.enemy:>8}  {pair.distance_with:>13.6f}  "
            f"{pair.distance_without:>16.6f}"
            for pair in self.pairs
        ]
        title = f"{'sample':>8}  {'enemy':>8}  {'distance with':>13}  {'distance without':>16}"
        affected = f"Samples that come closer to another class: {self.n_affected:,}. Most of all:"
        return "\n".join([head, affected, title, *lines])

    def _lost_lines(self) -> list[str]:
        title = f"{'sample':>8}  {'membership with':>15}  {'without':>9}  {'unlike neighbor':>15}"
        return [
            f"Samples whose neighborhood gets worse: {self.n_affected:,}. Most of all:",
            title,
            *(
                f"{one.sample:>8}  {one.membership_with:>15.6f}  {one.membership_without:>9.6f}  "
                f"{one.neighbor:>15}"
                for one in self.losses
            ),
        ]

    @classmethod
    def of(cls, found: FeatureExplanation) -> "Explanation":
        """Return what a record says about a feature, without the values of the samples."""
        return cls(
            found.feature,
            found.name,
            found.dependency,
            found.dependency_without,
            found.n_affected,
            tuple(
                Pair(one.sample, one.enemy, one.distance_with, one.distance_without)
                for one in found.pairs
            ),
            tuple(
                Loss(one.sample, one.neighbor, one.membership_with, one.membership_without)
                for one in found.samples
            ),
        )


class Explains(Protocol):
    """Finds what explains a selection."""

    @property
    def n_ambiguous(self) -> int:
        """Number of samples that the selected features do not place well."""

    def ambiguous(self, most: int) -> tuple[AmbiguousSample, ...]:
        """Return at most `most` of them, the worst first."""

    def explanation(self, feature: int, n_examples: int) -> FeatureExplanation:
        """Return why a feature is selected, with at most `n_examples`."""


def examples_of(evidence: Evidence, selected: tuple[int, ...], n_jobs: int | None) -> Explains:
    """Return what explains a selection, by the measure that selected it."""
    measure = evidence.measure(n_jobs)
    if isinstance(measure, Dependency):
        return Examples(measure, evidence, selected)
    if isinstance(measure, SoftDependency):
        return SoftExamples(sampled(measure, *evidence.part), evidence, selected)
    return OwnExamples(measure, evidence, selected)


class OwnExamples:
    """Finds how much each feature adds to a measure of one's own, which says nothing of samples."""

    n_ambiguous = 0

    def __init__(self, measure: Measure, evidence: Evidence, selected: tuple[int, ...]) -> None:
        self._names = evidence.dataset.feature_names
        self._features = evidence.features
        self._measure = measure
        self._subset: Mask = np.isin(evidence.features, selected)

    def ambiguous(self, most: int) -> tuple[AmbiguousSample, ...]:
        """Return nothing: there are no memberships."""
        return ()

    def explanation(self, feature: int, n_examples: int) -> FeatureExplanation:
        """Return the scores with a feature and without it; the score of nothing counts as 0."""
        column = int(np.flatnonzero(self._features == feature)[0])
        rest = self._subset.copy()
        rest[column] = False
        masks = np.array([self._subset, rest])[: 2 if rest.any() else 1]
        score, without = (*self._measure.score(masks).tolist(), 0.0)[:2]
        return FeatureExplanation(feature, self._names[column], score, without, 0, ())


class SoftExamples:
    """Finds the samples whose neighborhoods explain a selection by the soft dependency."""

    def __init__(
        self, measure: SoftDependency, evidence: Evidence, selected: tuple[int, ...]
    ) -> None:
        self._dataset = evidence.dataset
        self._features = evidence.features
        self._subset: Mask = np.isin(evidence.features, selected)
        self._measure = measure
        self._memberships = measure.memberships(self._subset)

    def explanation(self, feature: int, n_examples: int) -> FeatureExplanation:
        """Return what a selected feature adds, with at most `n_examples` samples."""
        column = int(np.flatnonzero(self._features == feature)[0])
        rest = self._subset.copy()
        rest[column] = False
        without = self._measure.memberships(rest)
        fall = self._memberships - without
        affected = np.flatnonzero(fall > self._measure.tolerance)
        affected = affected[np.argsort(-fall[affected], kind="stable")]
        return FeatureExplanation(
            feature=feature,
            name=self._dataset.feature_names[column],
            dependency=mean_membership(self._memberships),
            dependency_without=mean_membership(without),
            n_affected=len(affected),
            pairs=(),
            samples=tuple(
                self._worse(place, column, rest, float(without[place]))
                for place in affected[:n_examples].tolist()
            ),
        )

    def _worse(self, place: int, column: int, rest: Mask, without: float) -> WorseSample:
        stop_if_late()
        sample = int(self._measure.anchors[place])
        gained = self._measure.neighborhood(sample, rest)
        gained -= self._measure.neighborhood(sample, self._subset)
        neighbor = int(np.argmax(gained * (1.0 - self._measure.likeness(sample))))
        return WorseSample(
            sample=sample,
            neighbor=neighbor,
            sample_target=_target(self._dataset, sample),
            neighbor_target=_target(self._dataset, neighbor),
            sample_value=_cell(self._dataset, sample, column),
            neighbor_value=_cell(self._dataset, neighbor, column),
            membership_with=float(self._memberships[place]),
            membership_without=without,
        )

    @property
    def n_ambiguous(self) -> int:
        """Number of samples with less than half of their neighborhood on their side."""
        return int((self._memberships < 0.5).sum())

    def ambiguous(self, most: int) -> tuple[AmbiguousSample, ...]:
        """Return at most `most` of them, the lowest membership first."""
        order = np.argsort(self._memberships, kind="stable")
        worst = order[self._memberships[order] < 0.5][:most]
        return tuple(self._ambiguous(int(place)) for place in worst)

    def _ambiguous(self, place: int) -> AmbiguousSample:
        stop_if_late()
        sample = int(self._measure.anchors[place])
        weights = self._measure.neighborhood(sample, self._subset)
        enemy = int(np.argmax(weights * (1.0 - self._measure.likeness(sample))))
        columns = np.flatnonzero(self._subset).tolist()
        return AmbiguousSample(
            sample=sample,
            enemy=enemy,
            sample_target=_target(self._dataset, sample),
            enemy_target=_target(self._dataset, enemy),
            membership=float(self._memberships[place]),
            sample_values=tuple(_cell(self._dataset, sample, one) for one in columns),
            enemy_values=tuple(_cell(self._dataset, enemy, one) for one in columns),
        )


class Examples:
    """Finds the samples that explain a selection by the strict dependency.

    The measure gives the memberships of all samples. Nearest enemies are searched only for the
    few samples that become examples, which keeps this fast for large tables.
    """

    def __init__(self, measure: Dependency, evidence: Evidence, selected: tuple[int, ...]) -> None:
        self._dataset = evidence.dataset
        self._features = evidence.features
        self._tnorm = evidence.settings.tnorm
        self._subset: Mask = np.isin(evidence.features, selected)
        self._measure = measure
        self._memberships = self._measure.memberships(self._subset)
        self._sure = 1.0 - self._measure.tolerance  # a membership of 1, up to rounding
        self._Z, _ = positions(
            evidence.dataset, evidence.settings.spread, evidence.settings.missing
        )
        self._targets = np.empty(0)
        if evidence.dataset.classes is None:
            target = np.asarray(evidence.dataset.target, np.float64)
            self._targets, _ = scaled(target, evidence.settings.spread)

    def explanation(self, feature: int, n_examples: int) -> FeatureExplanation:
        """Return why a selected feature is needed, with at most `n_examples` pairs."""
        column = int(np.flatnonzero(self._features == feature)[0])
        rest = self._subset.copy()
        rest[column] = False
        without = self._measure.memberships(rest)
        fall = self._memberships - without
        affected = np.flatnonzero(fall > self._measure.tolerance)
        affected = affected[np.argsort(-fall[affected], kind="stable")]
        pairs: dict[frozenset[int], tuple[int, int]] = {}
        for sample in affected.tolist():
            if len(pairs) == n_examples:
                break
            enemy = self._enemy(sample, rest)
            pairs.setdefault(frozenset((sample, enemy)), (sample, enemy))
        return FeatureExplanation(
            feature=feature,
            name=self._dataset.feature_names[column],
            dependency=mean_membership(self._memberships),
            dependency_without=mean_membership(without),
            n_affected=len(affected),
            pairs=tuple(self._pair(*pair, column, rest) for pair in pairs.values()),
        )

    def _pair(self, sample: int, enemy: int, column: int, rest: Mask) -> ExamplePair:
        return ExamplePair(
            sample=sample,
            enemy=enemy,
            sample_target=_target(self._dataset, sample),
            enemy_target=_target(self._dataset, enemy),
            sample_value=_cell(self._dataset, sample, column),
            enemy_value=_cell(self._dataset, enemy, column),
            distance_with=float(self._distances(sample, self._subset)[enemy]),
            distance_without=float(self._distances(sample, rest)[enemy]),
        )

    @property
    def n_ambiguous(self) -> int:
        """Number of samples whose membership is below 1."""
        return int((self._memberships < self._sure).sum())

    def ambiguous(self, most: int) -> tuple[AmbiguousSample, ...]:
        """Return at most `most` samples with memberships below 1, the lowest first."""
        below = np.flatnonzero(self._memberships < self._sure)
        worst = below[np.argsort(self._memberships[below], kind="stable")][:most]
        return tuple(self._ambiguous(int(sample)) for sample in worst)

    def _ambiguous(self, sample: int) -> AmbiguousSample:
        enemy = self._enemy(sample, self._subset)
        return AmbiguousSample(
            sample=sample,
            enemy=enemy,
            sample_target=_target(self._dataset, sample),
            enemy_target=_target(self._dataset, enemy),
            membership=float(self._memberships[sample]),
            sample_values=self._values(sample),
            enemy_values=self._values(enemy),
        )

    def _values(self, sample: int) -> tuple[Cell, ...]:
        columns = np.flatnonzero(self._subset).tolist()
        return tuple(_cell(self._dataset, sample, column) for column in columns)

    def _enemy(self, sample: int, subset: Mask) -> int:
        """Return the first of the nearest enemies of a sample."""
        apart = self._distances(sample, subset)
        if self._targets.size:
            apart += np.maximum(0.0, 1.0 - np.abs(self._targets - self._targets[sample]))
            apart[sample] = np.inf
        else:
            apart[self._dataset.target == self._dataset.target[sample]] = np.inf
        return int(np.argmin(apart))

    def _distances(self, sample: int, subset: Mask) -> Floats:
        """Return the distances of all samples from one, cut at 1."""
        stop_if_late()
        Z = self._Z
        # One column at a time: all of them would be another copy of the table.
        columns = (np.abs(Z[:, one] - Z[sample, one]) for one in np.flatnonzero(subset))
        apart = (np.nan_to_num(column) for column in columns)  # missing: similar to anything
        return _joined(apart, self._dataset.n_samples, self._tnorm)


def _joined(apart: Iterable[Floats], n_pairs: int, tnorm: TNorm) -> Floats:
    """Return distances of pairs, cut at 1, from those on each feature."""
    code = CODES[tnorm]
    if code in (SUM, LARGEST):
        join = np.add if code == SUM else np.maximum
        found = np.zeros(n_pairs)
        for column in apart:
            join(found, column, out=found)
        return np.asarray(np.minimum(1.0, found))
    similarity = np.ones(n_pairs)
    for column in apart:
        similarity = both(similarity, np.maximum(0.0, 1.0 - column), code)
    return snapped(1.0 - similarity)


def _target(dataset: Dataset, sample: int) -> str:
    value = dataset.target[sample]
    return f"{value:.6g}" if dataset.classes is None else str(dataset.classes[int(value)])


def _cell(dataset: Dataset, sample: int, column: int) -> Cell:
    value = float(dataset.values[sample, column])
    if np.isnan(value):
        return None
    return category_name(dataset, column, int(value)) if dataset.categorical[column] else value


def category_name(dataset: Dataset, column: int, code: int) -> str:
    """Return a category of a feature as text."""
    labels = dataset.categories[column] if dataset.categories is not None else None
    if labels is None:
        return f"category {code}"
    label = labels[code]
    is_whole = isinstance(label, float) and label.is_integer()
    return str(int(label) if is_whole else label)  # type: ignore[call-overload]
