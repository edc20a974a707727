"""What a selection is explained by: the training data that is kept, and its cells in words."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np
from msgspec.structs import replace

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.data import Dataset
from fuzzyfrog.result import AmbiguousSample, Cell, Example, Explanation, Result

Pair = tuple[tuple[int, int], float, float]


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
    features: Integers

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


class ExplainsByScore:
    """Finds how much each feature adds to a score, which says nothing of single samples."""

    n_ambiguous = 0

    def __init__(self, measure: Any, evidence: Evidence, selected: tuple[int, ...]) -> None:
        self._evidence, self._measure = evidence, measure
        self._subset = evidence.subset(selected)

    def ambiguous(self, most: int) -> tuple[AmbiguousSample, ...]:
        """Return nothing: there are no memberships."""
        return ()

    def explanation(self, feature: int, n_examples: int) -> Explanation:
        """Return the scores with a feature and without it; the score of nothing counts as 0."""
        column = self._evidence.column(feature)
        rest = self._subset.copy()
        rest[column] = False
        masks = np.array([self._subset, rest])[: 2 if rest.any() else 1]
        score, without = (*self._measure.score(masks).tolist(), 0.0)[:2]
        name = self._evidence.dataset.feature_names[column]
        return Explanation(feature, name, score, without, 0, "score")


class Examples(ABC):
    """Finds the samples that explain a selection, by their memberships."""

    kind: Literal["distance", "membership"]  # what examples compare

    def __init__(
        self, measure: Any, evidence: Evidence, selected: tuple[int, ...], sure: float
    ) -> None:
        self._evidence, self._dataset, self._measure = evidence, evidence.dataset, measure
        self._subset: Masks = evidence.subset(selected)
        self.memberships: Floats = measure.memberships(self._subset)
        self._sure = sure  # the membership from which on a sample is well placed

    @abstractmethod
    def _pairs(self, affected: list[int], rest: Masks, without: Floats) -> Iterator[Pair]:
        """Yield pairs of samples, the more so affected first, with a number before and after."""

    @abstractmethod
    def _nearest(self, place: int) -> tuple[int, int]:
        """Return a sample and the most similar one that differs."""

    def explanation(self, feature: int, n_examples: int) -> Explanation:
        """Return why a selected feature is needed, with at most `n_examples`."""
        column, rest = self._evidence.column(feature), self._subset.copy()
        rest[column] = False
        without = self._measure.memberships(rest)
        fall = self.memberships - without
        affected = np.flatnonzero(fall > self._measure.tolerance)
        worst = affected[np.argsort(-fall[affected], kind="stable")].tolist()
        dataset = self._dataset
        return Explanation(
            feature=feature,
            name=dataset.feature_names[column],
            dependency=self._measure.mean(self.memberships),
            dependency_without=self._measure.mean(without),
            n_affected=len(affected),
            kind=self.kind,
            examples=tuple(
                Example(
                    one, other, target_of(dataset, one), target_of(dataset, other),
                    cell_of(dataset, one, column), cell_of(dataset, other, column), before, after,
                )
                for (one, other), before, after in islice(
                    self._pairs(worst, rest, without), n_examples
                )
            ),
        )  # fmt: skip

    @property
    def n_ambiguous(self) -> int:
        """Number of samples that the selected features do not place well."""
        return int((self.memberships < self._sure).sum())

    def ambiguous(self, most: int) -> tuple[AmbiguousSample, ...]:
        """Return at most `most` of them, the lowest membership first."""
        dataset, columns = self._dataset, np.flatnonzero(self._subset).tolist()
        order = np.argsort(self.memberships, kind="stable")
        found = []
        for place in order[self.memberships[order] < self._sure][:most].tolist():
            one, other = self._nearest(place)
            found.append(
                AmbiguousSample(
                    one, other, target_of(dataset, one), target_of(dataset, other),
                    float(self.memberships[place]),
                    tuple(cell_of(dataset, one, column) for column in columns),
                    tuple(cell_of(dataset, other, column) for column in columns),
                )
            )  # fmt: skip
        return tuple(found)


Explains = ExplainsByScore | Examples


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


def among_all_rows(found: Explanation, weights: Floats | None) -> Explanation:
    """Return an explanation of the samples above weight 0 with their places among all samples."""
    if weights is None:
        return found
    places = np.flatnonzero(weights).tolist()
    pairs = (
        replace(one, sample=places[one.sample], other=places[one.other]) for one in found.examples
    )
    return replace(found, examples=tuple(pairs))


def used_columns(result: Result) -> Masks:
    """Return which features occur in a subset that is as good as the selected one."""
    return np.asarray(result.answer.feature_frequency) > 0
