"""The parts of a run: subsets, explanations, the summary of the table, the certificate."""

from dataclasses import dataclass
from math import ceil, floor
from typing import Literal

from fuzzyfrog.common.messages import count

Claim = Literal["fewest", "size", "product"]

_BETTER = {
    "size": "no other subset of {size} has a higher dependency",
    "product": "no subset has a larger product than the best one, of {size}",
}


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
    """The state of the search at one point in time.

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
        Their distance on the selected features, capped at 1, with the feature and without it.
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
        How likely it is that a random similar sample has the class of this one, with the feature
        and without it.
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
    """A sample that the selected features do not clearly separate from another class.

    Attributes
    ----------
    sample, enemy : int
        Rows of the training data, counted from 0; the enemy is the nearest one.
    sample_target, enemy_target : str
        Their classes, or their numbers.
    membership : float
        How certainly the sample belongs to its class, from 0 to 1.
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


UNNAMED = "table"  # the name of a table without a name


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


MAX_SAMPLED_ROWS = 400  # enough for a picture of a distribution
MAX_SAMPLED_COLUMNS = 12  # the report draws no more


@dataclass(frozen=True)
class SampledColumn:
    """The values of a selected feature in some rows.

    Attributes
    ----------
    feature : int
        Index of the feature.
    values : tuple of int, float or None
        One for each row: a number, a position in `labels`, or None for a missing value.
    labels : tuple of str or None
        The categories that occur, shortened where they are long; None for a numeric feature.
    """

    feature: int
    values: tuple[int | float | None, ...]
    labels: tuple[str, ...] | None


@dataclass(frozen=True)
class DataSample:
    """Some rows of the table, for the pictures of a report.

    Attributes
    ----------
    targets : tuple of int or float
        One for each row: a position in the classes of the table, or a number.
    columns : tuple of SampledColumn
        The selected features that matter most, ascending by index.
    """

    targets: tuple[int | float, ...]
    columns: tuple[SampledColumn, ...]


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
        The confidence level of the interval.
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


@dataclass(frozen=True)
class Certificate:
    """What was proved about the best subsets.

    Attributes
    ----------
    proven : bool
        Whether no subset is better, by proof.
    lower_bound : int
        No allowed subset with fewer features is as good, by proof, even if `proven` is False.
        If the size was given, it is that size, since no other is allowed.
    size : int
        Number of features of the best known subsets.
    n_reducts : int
        Number of known subsets that are as good as the best one.
    all_listed : bool
        Whether these are all of them, by proof.
    claim : {"fewest", "size", "product"}
        What "better" means: fewer features that reach the required dependency, a higher
        dependency with as many features, or a larger dependency · (1 - size / all features).

    Examples
    --------
    >>> from fuzzyfrog.records import Certificate
    >>> print(Certificate(True, 5, 5, n_reducts=343, all_listed=True))
    Proven for these samples: 5 features are the fewest. There are exactly 343 such subsets.
    >>> print(Certificate(False, 4, 7, n_reducts=12, all_listed=False))
    Not proven: the fewest are between 4 and 7 features (gap 3). 12 subsets of 7 are known.
    """

    proven: bool
    lower_bound: int
    size: int
    n_reducts: int
    all_listed: bool
    claim: Claim = "fewest"

    def __post_init__(self) -> None:
        if self.lower_bound > self.size:
            raise ValueError(
                f"lower_bound must be at most size, {self.size}, got {self.lower_bound}."
            )

    @property
    def gap(self) -> int:
        """How many fewer features might be enough: `size` minus `lower_bound`, 0 if proven."""
        return 0 if self.proven else self.size - self.lower_bound

    def __str__(self) -> str:
        if self.proven:
            return f"Proven for these samples: {self._claimed()}. {self._counted()}"
        if self.claim != "fewest":
            return f"Not proven: that {self._claimed()}. {self._counted()}"
        between = f"between {self.lower_bound} and {_features(self.size)} (gap {self.gap})"
        known = count(self.n_reducts, "subset") + f" of {self.size}"
        is_known = "is known" if self.n_reducts == 1 else "are known"
        return f"Not proven: the fewest are {between}. {known} {is_known}."

    def _claimed(self) -> str:
        if self.claim == "fewest":
            return f"{_features(self.size)} {'is' if self.size == 1 else 'are'} the fewest"
        return _BETTER[self.claim].format(size=_features(self.size))

    def _counted(self) -> str:
        there = "There is" if self.n_reducts == 1 else "There are"
        how_many = "exactly" if self.all_listed else "at least"
        return f"{there} {how_many} {count(self.n_reducts, 'such subset')}."


def _features(number: int) -> str:
    return count(number, "feature")
