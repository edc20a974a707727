"""The parts of a run: subsets, explanations, the summary of the table."""

from dataclasses import dataclass
from math import ceil, floor
from typing import Literal

__all__ = [
    "UNNAMED",
    "Alike",
    "AmbiguousSample",
    "Cell",
    "ClassCount",
    "ExamplePair",
    "FeatureExplanation",
    "FeatureSet",
    "FeatureSummary",
    "FrontPoint",
    "HistoryPoint",
    "Reduct",
    "RowNames",
    "Sampling",
    "TableSummary",
    "TargetSummary",
    "WorseSample",
]


@dataclass(frozen=True)
class Reduct:
    """One of the best subsets of features.

    Attributes
    ----------
    features : tuple of int
        Indices of the features, ascending.
    names : tuple of str
        Their names.
    dependency : float
        How well they tell the classes apart, from 0 to 1.
    minimal : bool
        Whether it was checked that no feature can be left out without the dependency falling
        below the required one (or below its own, if it does not reach that).
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    dependency: float
    minimal: bool

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.features)


@dataclass(frozen=True)
class FrontPoint:
    """The best subset found of its size.

    Attributes
    ----------
    features : tuple of int
        Indices of the features, ascending.
    names : tuple of str
        Their names.
    dependency : float
        The highest dependency found with that many features.
    accuracy : float or None
        With the soft measure: the share of samples whose class their five nearest neighbors vote
        for, or R² of their mean for a numeric target. None with other measures, or without time.
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    dependency: float
    accuracy: float | None = None

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.features)


Cell = float | str | None  # a number, a category, or a missing value


@dataclass(frozen=True)
class FeatureSet:
    """A subset of the features as a run keeps it.

    Attributes
    ----------
    features : tuple of int
        Indices of the features, ascending.
    dependency : float
        How well they tell the classes apart, from 0 to 1.
    minimal : bool or None
        Whether it was checked that no feature can be left out; None if it was not checked.
    accuracy : float or None
        As in `FrontPoint`; None for a subset that is not on a path.
    """

    features: tuple[int, ...]
    dependency: float
    minimal: bool | None
    accuracy: float | None = None

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.features)


@dataclass(frozen=True)
class HistoryPoint:
    """The state of the search at some time.

    Attributes
    ----------
    n_evaluations : int
        Subsets scored so far.
    seconds : float or None
        Time since the start, if it was measured.
    dependency, size : float, int
        Of the best subset so far.
    n_reducts : int
        Distinct subsets found that are as good.
    diversity : float or None
        How much the subsets of the batch differ, from 0 (all the same) to 1; None for an empty
        batch.
    lower_bound : int or None
        Least number of features of any reduct, as far as proved by then.
    """

    n_evaluations: int
    seconds: float | None
    dependency: float
    size: int
    n_reducts: int
    diversity: float | None
    lower_bound: int | None


@dataclass(frozen=True)
class ExamplePair:
    """Two samples that a feature helps to tell apart.

    Attributes
    ----------
    sample, enemy : int
        Rows of the training data, counted from 0.
    sample_target, enemy_target : str
        Their classes, or their numbers.
    sample_value, enemy_value : float, str or None
        Their values of the feature.
    distance_with, distance_without : float
        Their distance on the selected features, cut at 1, with the feature and without it.
    """

    sample: int
    enemy: int
    sample_target: str
    enemy_target: str
    sample_value: Cell
    enemy_value: Cell
    distance_with: float
    distance_without: float


@dataclass(frozen=True)
class WorseSample:
    """A sample whose neighborhood gets worse without a feature.

    Attributes
    ----------
    sample, neighbor : int
        Rows of the training data, counted from 0; the neighbor is unlike the sample, and the one
        that gains most weight in its neighborhood.
    sample_target, neighbor_target : str
        Their classes, or their numbers.
    sample_value, neighbor_value : float, str or None
        Their values of the feature.
    membership_with, membership_without : float
        How likely a random similar sample has the class of this one, with the feature and without
        it.
    """

    sample: int
    neighbor: int
    sample_target: str
    neighbor_target: str
    sample_value: Cell
    neighbor_value: Cell
    membership_with: float
    membership_without: float


@dataclass(frozen=True)
class FeatureExplanation:
    """Why a feature is among the selected ones.

    Attributes
    ----------
    feature : int
        Index of the feature.
    name : str
        Its name.
    dependency, dependency_without : float
        Of all selected features, and of all but this one.
    n_affected : int
        Samples that get closer to another class without the feature; with the soft measure, those
        whose neighborhood gets worse.
    pairs : tuple of ExamplePair
        With the strict measure: some of them, each with the sample that is then nearest; those
        that lose most first.
    samples : tuple of WorseSample
        With the soft measure: some of them, those that lose most first.
    """

    feature: int
    name: str
    dependency: float
    dependency_without: float
    n_affected: int
    pairs: tuple[ExamplePair, ...]
    samples: tuple[WorseSample, ...] = ()

    @property
    def lost(self) -> float:
        """How much the dependency falls without the feature."""
        return self.dependency - self.dependency_without


@dataclass(frozen=True)
class AmbiguousSample:
    """A sample that the selected features do not surely tell from another class.

    Attributes
    ----------
    sample, enemy : int
        Rows of the training data, counted from 0; the enemy is the nearest one.
    sample_target, enemy_target : str
        Their classes, or their numbers.
    membership : float
        How surely the sample belongs to its class, from 0 to 1.
    sample_values, enemy_values : tuple of float, str or None
        Their values of the selected features, in the order of the selection.
    """

    sample: int
    enemy: int
    sample_target: str
    enemy_target: str
    membership: float
    sample_values: tuple[Cell, ...]
    enemy_values: tuple[Cell, ...]


UNNAMED = "table"  # the name of a table that was given none


@dataclass(frozen=True)
class FeatureSummary:
    """A feature of the table.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"numeric", "categorical"}
        Whether differences count, or only equality.
    n_missing : int
        Samples without a value.
    """

    name: str
    kind: Literal["numeric", "categorical"]
    n_missing: int


@dataclass(frozen=True)
class ClassCount:
    """A class and the number of its samples."""

    name: str
    count: int


@dataclass(frozen=True)
class TargetSummary:
    """The target of the table.

    Attributes
    ----------
    name : str
        Name of the column.
    classes : tuple of ClassCount
        The classes in their order; empty for a numeric target.
    lowest, highest : float or None
        Range of a numeric target; None for classes.
    """

    name: str
    classes: tuple[ClassCount, ...]
    lowest: float | None
    highest: float | None

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number."""
        return not self.classes


@dataclass(frozen=True)
class TableSummary:
    """A table without its values.

    Attributes
    ----------
    name : str
        Its name.
    n_samples : int
        Number of samples.
    features : tuple of FeatureSummary
        All features, in their order.
    target : TargetSummary
        The target.
    sha256 : str
        Digest of the values, the kinds of the features and the target, in hexadecimal; names
        are not part of it.
    """

    name: str
    n_samples: int
    features: tuple[FeatureSummary, ...]
    target: TargetSummary
    sha256: str

    @property
    def is_named(self) -> bool:
        """Whether the table was given a name."""
        return self.name != UNNAMED

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    @property
    def n_missing(self) -> int:
        """Number of missing values."""
        return sum(feature.n_missing for feature in self.features)


@dataclass(frozen=True)
class Alike:
    """A feature, and others that say the same or nearly the same.

    Attributes
    ----------
    feature : int
        Index of the feature.
    others : tuple of int
        Indices of the others, ascending.
    """

    feature: int
    others: tuple[int, ...]


@dataclass(frozen=True)
class RowNames:
    """What the samples that a run mentions are called.

    Attributes
    ----------
    kind : {"line", "label"}
        The lines of the file that they are in, or labels that the table has.
    names : dict of str to str
        The names by the index of the sample, which is text in JSON.
    """

    kind: Literal["line", "label"]
    names: dict[str, str]


@dataclass(frozen=True)
class Sampling:
    """How the dependencies of a run were estimated from a random sample.

    Attributes
    ----------
    n_sampled : int
        Number of samples that subsets were scored on, each against all samples.
    low, high : float
        The interval for the dependency of the selected features on all samples. It comes from
        samples that the search did not see.
    confidence : float
        The probability with which it holds.
    """

    n_sampled: int
    low: float
    high: float
    confidence: float

    def in_words(self, n_samples: int) -> str:
        """Return the estimate in words, to end a sentence."""
        low, high = floor(1000 * self.low) / 1000, ceil(1000 * self.high) / 1000
        return (
            f"estimated from {self.n_sampled:,} of {n_samples:,} samples, {self.confidence:.0%} "
            f"interval for the dependency of the selected features [{low:.3f}, {high:.3f}]"
        )
