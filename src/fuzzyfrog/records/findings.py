"""The parts of a run: what was found, why, and how the search went."""

from dataclasses import dataclass

__all__ = [
    "AmbiguousSample",
    "Cell",
    "ExamplePair",
    "FeatureExplanation",
    "FeatureSet",
    "HistoryPoint",
]

Cell = float | str | None  # a number, a category, or a missing value


@dataclass(frozen=True)
class FeatureSet:
    """A subset of the features as it is kept in a run.

    Attributes
    ----------
    features : tuple of int
        Indices of the features, ascending.
    dependency : float
        How well they tell the classes apart, from 0 to 1.
    minimal : bool or None
        Whether it was checked that no feature can go; None where that was not asked.
    """

    features: tuple[int, ...]
    dependency: float
    minimal: bool | None

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.features)


@dataclass(frozen=True)
class HistoryPoint:
    """Where the search stood at some time.

    Attributes
    ----------
    n_evaluations : int
        Subsets scored so far.
    seconds : float or None
        Time since the start, if it was taken.
    dependency, size : float, int
        Of the best subset so far.
    n_reducts : int
        Distinct subsets met that are as good.
    diversity : float or None
        How much the subsets of the batch differ, from 0 (all the same) to 1; None for a batch
        without subsets.
    lower_bound : int or None
        Number of features that every reduct has at least, as far as was proved by then.
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
        How far they are apart on the selected features, cut at 1, with it and without it.
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
        Samples that come closer to another class when the feature goes.
    pairs : tuple of ExamplePair
        Some of them, with the sample that is then nearest; those that lose most come first.
    """

    feature: int
    name: str
    dependency: float
    dependency_without: float
    n_affected: int
    pairs: tuple[ExamplePair, ...]

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
