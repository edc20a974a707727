"""What a selection is explained by: the training data that is kept, and its cells in words."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data import Dataset
from fuzzyfrog.result import AmbiguousSample, Cell, Example, Explanation, Result

Masks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The training data that a fitted selector keeps.

    Attributes
    ----------
    dataset : Dataset
        All samples, with the features that occur in a reduct.
    features : int64[n_kept]
        The indices of these features in the original table.
    """

    dataset: Dataset
    features: NDArray[np.int64]

    @classmethod
    def of(cls, dataset: Dataset, kept: Masks) -> "Evidence":
        """Return a copy of some features, safe from later changes of the table."""
        return cls(dataset.take(columns=kept), np.flatnonzero(kept))

    def column(self, feature: int) -> int:
        """Return the place of a feature of the original table."""
        return int(np.flatnonzero(self.features == feature)[0])

    def subset(self, selected: tuple[int, ...]) -> Masks:
        """Return the mask of some features of the original table."""
        return np.isin(self.features, selected)


class Explains(Protocol):
    """Finds what explains a selection."""

    @property
    def n_ambiguous(self) -> int:
        """Number of samples that the selected features do not place well."""

    def ambiguous(self, most: int) -> tuple[AmbiguousSample, ...]:
        """Return at most `most` of them, the worst first."""

    def explanation(self, feature: int, n_examples: int) -> Explanation:
        """Return why a feature is selected, with at most `n_examples`."""


def left_without(
    measure: Any, memberships: NDArray[np.float64], subset: Masks, column: int
) -> tuple[Masks, NDArray[np.float64], NDArray[np.intp]]:
    """Return a subset without a feature, its memberships, and the samples that lose, most first.

    `memberships` are those of the subset by the measure.
    """
    rest = subset.copy()
    rest[column] = False
    without = measure.memberships(rest)
    fall = memberships - without
    affected = np.flatnonzero(fall > measure.tolerance)
    return rest, without, affected[np.argsort(-fall[affected], kind="stable")]


def example_of(
    dataset: Dataset, pair: tuple[int, int], column: int, before: float, after: float
) -> Example:
    """Return an example with the targets of two samples and their values of a feature."""
    sample, other = pair
    return Example(
        sample,
        other,
        target_of(dataset, sample),
        target_of(dataset, other),
        cell_of(dataset, sample, column),
        cell_of(dataset, other, column),
        before,
        after,
    )


def ambiguous_of(
    dataset: Dataset, pair: tuple[int, int], membership: float, subset: Masks
) -> AmbiguousSample:
    """Return a sample and the most similar one that differs, with their values."""
    columns = np.flatnonzero(subset).tolist()
    sample, other = pair
    return AmbiguousSample(
        sample,
        other,
        target_of(dataset, sample),
        target_of(dataset, other),
        membership,
        tuple(cell_of(dataset, sample, column) for column in columns),
        tuple(cell_of(dataset, other, column) for column in columns),
    )


def target_of(dataset: Dataset, sample: int) -> str:
    """Return the class or the number of a sample as text."""
    value = dataset.target[sample]
    return f"{value:.6g}" if dataset.classes is None else str(dataset.classes[int(value)])


def cell_of(dataset: Dataset, sample: int, column: int) -> Cell:
    """Return the value of a feature: a number, a category, or None if it is missing."""
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


def used_columns(result: Result) -> Masks:
    """Return which features occur in a subset that is as good as the selected one."""
    return np.asarray(result.answer.feature_frequency) > 0
