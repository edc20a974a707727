"""Why each feature is selected, and which samples stay ambiguous, by the data that is kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf, isnan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec.structs import replace

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import ALLOWANCE, TimeIsUp, current_deadline, limited, stop_if_late
from fuzzyfrog.common.messages import warn
from fuzzyfrog.data import Dataset
from fuzzyfrog.result import (
    AmbiguousSample,
    Cell,
    DataSample,
    Example,
    Explanation,
    Result,
    RowNames,
    SampledColumn,
    Subset,
)
from fuzzyfrog.result.parts import MAX_SAMPLED_COLUMNS, MAX_SAMPLED_ROWS

if TYPE_CHECKING:
    from fuzzyfrog.select.groups import Groups
    from fuzzyfrog.select.settings import Settings

Pair = tuple[tuple[int, int], float, float]

MAX_EXAMPLES = 8  # for each feature
MAX_AMBIGUOUS = 20
FEWEST_OF_A_CLASS = 10  # sampled rows of a class, if it has them and there is room
LONGEST_LABEL = 100  # characters of a sampled category


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
    def of(cls, dataset: Dataset, result: Result, groups: Groups) -> Evidence:
        """Return a copy of the features in any reduct, safe from later changes of the table."""
        kept = groups.expanded(np.asarray(result.answer.feature_frequency) > 0)
        return cls(dataset.take(columns=kept), np.flatnonzero(kept))

    def column(self, feature: int) -> int:
        """Return the place of a feature of the original table."""
        return int(np.flatnonzero(self.features == feature)[0])

    def subset(self, selected: tuple[int, ...]) -> Masks:
        """Return the mask of some features of the original table."""
        return np.isin(self.features, selected)


class Explains:
    """Finds how much each feature adds to a score, which says nothing of single samples."""

    def __init__(self, measure: Any, evidence: Evidence, selected: tuple[int, ...]) -> None:
        self._evidence, self._dataset, self._measure = evidence, evidence.dataset, measure
        self._subset: Masks = evidence.subset(selected)

    @property
    def n_ambiguous(self) -> int:
        """Number of samples that the selected features do not place well."""
        return 0

    def _without(self, feature: int) -> tuple[int, Masks]:
        """Return the column of a feature, and the mask of the other selected ones."""
        column, rest = self._evidence.column(feature), self._subset.copy()
        rest[column] = False
        return column, rest

    def ambiguous(self, most: int) -> tuple[AmbiguousSample, ...]:
        """Return nothing: there are no memberships."""
        return ()

    def explanation(self, feature: int, n_examples: int) -> Explanation:
        """Return the scores with a feature and without it; the score of nothing counts as 0."""
        column, rest = self._without(feature)
        masks = np.array([self._subset, rest])[: 2 if rest.any() else 1]
        score, without = (*self._measure.score(masks).tolist(), 0.0)[:2]
        name = self._dataset.feature_names[column]
        return Explanation(feature, name, score, without, 0, "score")


class Examples(Explains, ABC):
    """Finds the samples that explain a selection, by their memberships."""

    kind: Literal["distance", "membership"]  # what examples compare

    def __init__(
        self, measure: Any, evidence: Evidence, selected: tuple[int, ...], sure: float
    ) -> None:
        super().__init__(measure, evidence, selected)
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
        column, rest = self._without(feature)
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


def lost_among_all_rows(subsets: Sequence[Subset], weights: Floats | None) -> list[Subset]:
    """Return subsets with the places of the samples that they lose among all samples."""
    if weights is None or weights.all():
        return list(subsets)
    places = np.flatnonzero(weights).tolist()
    return [replace(one, lost=tuple(places[row] for row in one.lost)) for one in subsets]


def explained(result: Result, evidence: Evidence, settings: Settings, groups: Groups) -> Result:
    """Return a result with explanations, and with each group of columns as one feature.

    Explaining must end by the current deadline, and in what `max_seconds` left.
    """
    found = _with_explanations(result, evidence, settings, groups)
    alone = [one for one in found.by_loss if not groups.grouped[one]]
    drawn = sorted(alone[:MAX_SAMPLED_COLUMNS])
    sample = None
    if drawn:
        dataset, rows = evidence.dataset, _sampled_rows(evidence.dataset, result.seed)
        of = evidence.column
        columns = (SampledColumn(one, *_column(dataset, rows, of(one))) for one in drawn)
        sample = DataSample(tuple(dataset.target[rows].tolist()), tuple(columns))
    return groups.in_result(replace(found, data_sample=sample))


def examples_of(result: Result, evidence: Evidence, settings: Settings) -> Explains:
    """Return what explains the selected features, by the measure that selected them."""
    measure = settings.kind.measured(evidence.dataset, settings.n_jobs)
    if not settings.kind.scores_all_rows:  # memberships of the samples that were measured
        measure = measure.on_rows(result.n_sampled, result.seed)
    return settings.kind.examples(measure, evidence, result.selected)


def _with_explanations(
    result: Result, evidence: Evidence, settings: Settings, groups: Groups
) -> Result:
    if groups:
        note = "Features are not explained where columns form groups."
        return replace(result, notes=(*result.notes, note))
    limit = inf if settings.max_seconds is None else settings.max_seconds
    left = max(limit - result.seconds + ALLOWANCE, ALLOWANCE / 2)
    try:
        with limited(current_deadline().within(left)):
            stop_if_late()  # before the measure is made again, which may take long
            examples = examples_of(result, evidence, settings)
            explanations = tuple(examples.explanation(one, MAX_EXAMPLES) for one in result.selected)
            ambiguous = examples.ambiguous(MAX_AMBIGUOUS)
    except Exception as error:  # it must never cost the result that it is about
        what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        note = f"Why each feature is selected could not be explained ({what})."
        if isinstance(error, TimeIsUp | MemoryError):
            lack = "no time" if isinstance(error, TimeIsUp) else "too little memory"
            note = f"There was {lack} to explain why each feature is selected."
        warn(note)
        return replace(result, notes=(*result.notes, note))
    pairs: list[tuple[int, ...]] = [
        (one.sample, one.other) for why in explanations for one in why.examples
    ]
    pairs += [(one.sample, one.other) for one in ambiguous]
    pairs += [one.lost for one in (result.chosen, *result.front)]
    return replace(
        result,
        explanations=explanations,
        ambiguous=ambiguous,
        n_ambiguous=examples.n_ambiguous,
        rows=_row_names(evidence.dataset, {row for pair in pairs for row in pair}),
    )


def _row_names(dataset: Dataset, mentioned: set[int]) -> RowNames | None:
    """Return the names of the samples that are mentioned."""
    if dataset.rows is None:
        return None
    kind: Any = "label" if isinstance(dataset.rows, tuple) else dataset.row_word
    return RowNames(kind, {str(row): str(dataset.rows[row]) for row in sorted(mentioned)})


def _sampled_rows(dataset: Dataset, seed: int) -> Integers:
    """Return all rows of a small table, else random ones with some of every class."""
    n_samples, classes = dataset.n_samples, dataset.classes
    if n_samples <= MAX_SAMPLED_ROWS:
        return np.arange(n_samples)
    shuffled = np.random.default_rng(seed).permutation(n_samples)
    if classes is None or len(classes) > MAX_SAMPLED_ROWS:
        return np.sort(shuffled[:MAX_SAMPLED_ROWS])
    counts = np.bincount(dataset.target.astype(np.int64), minlength=len(classes))
    fewest = min(FEWEST_OF_A_CLASS, MAX_SAMPLED_ROWS // len(classes))
    least = np.minimum(counts, fewest)
    spare = MAX_SAMPLED_ROWS - least.sum()
    quotas = least + spare * (counts - least) // (n_samples - least.sum())
    by_class = shuffled[np.argsort(dataset.target[shuffled], kind="stable")]
    places_in_class = np.arange(n_samples) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(by_class[places_in_class < np.repeat(quotas, counts)])


def _column(
    dataset: Dataset, rows: Integers, place: int
) -> tuple[tuple[int | float | None, ...], tuple[str, ...] | None]:
    """Return the values of a feature in some rows, and their labels if they are categories."""
    values = [None if isnan(one) else one for one in dataset.values[rows, place].tolist()]
    if not dataset.categorical[place]:
        return tuple(values), None
    codes = sorted({int(one) for one in values if one is not None})
    at = {code: position for position, code in enumerate(codes)}
    labels = tuple(category_name(dataset, place, code)[:LONGEST_LABEL] for code in codes)
    return tuple(None if one is None else at[int(one)] for one in values), labels
