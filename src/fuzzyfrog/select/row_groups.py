"""Samples that belong together, such as the visits of one patient and copies of a row.

The soft measure does not compare those of an ID with each other, and a check keeps all of them in
the same fold: models must not predict for samples that they have met.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.messages import (
    Answered,
    OfTable,
    Sentence,
    Setting,
    count,
    first_few,
    listed,
    shown,
    warn,
)
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dataset import group_numbers
from fuzzyfrog.data.weights import weighted, without_weightless
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result.check import AFTERWARDS, MAY, REPEAT
from fuzzyfrog.select.identifiers import (
    are_by_time,
    are_in_turn,
    are_panel_in_turn,
    has_many_labels,
    is_left_out_id,
    keeps_together,
    may_be_ids,
    may_be_times,
    may_follow_up,
    may_keep_together,
    ordered_time,
    share_others,
)

Bits = NDArray[np.uint64]
Parts = list[tuple[Integers, Integers]]

TOGETHER = "belong together and are not compared with each other"
ONE_GROUP = "All samples are in the same group, so groups are not used."
IN_TURN = "are next to each other, with similar targets"
COINCIDE = (
    "All samples of a class are in the same group, for every class, so none is compared with "
    "another of its class: the dependency is 0, and the selection means nothing. Pass other groups."
)
TORN = (
    "are on both sides of a fold, where cv puts them: models are tested on what they have seen, "
    "and scores may be too good. A number as cv keeps them together."
)
LEAST_IN_A_FOLD = 4  # samples to predict; with fewer, scores say nothing
MANY_COPIES = 0.1  # of the samples
SAME_TARGET = 0.9  # of the copies, which other equal rows may not have
MOST_CELLS = 20_000_000  # in which copies are looked for, about a second
COLUMNS_AT_ONCE = 64
MOST_CONNECTED = 0.2  # of the samples, by several IDs


def with_metadata(dataset: Dataset, groups: object, sample_weight: object) -> Dataset:
    """Return a table with groups and weights as `fit` takes them, without samples of weight 0."""
    if groups is not None:
        dataset = replace(dataset, groups=group_numbers(groups, dataset.n_samples))
    if sample_weight is not None:
        dataset = weighted(dataset, sample_weight)
    return without_weightless(dataset)


def with_groups_by_id(dataset: Dataset, included: Masks, excluded: Masks) -> Dataset:
    """Return a table with the groups that its IDs make, and a note about them.

    IDs that are features make no groups. Groups that were given stay.
    """
    if dataset.groups is not None:
        n_groups, note = len(np.unique(dataset.groups)), ONE_GROUP
        if n_groups > 1:
            note = f"Samples of the same group ({count(n_groups, 'group')}) {TOGETHER}."
        return _noted_classes(replace(dataset, notes=(*dataset.notes, note)))
    may_be = np.flatnonzero(~included & may_be_ids(dataset)).tolist()
    ids = [one for one in may_be if keeps_together(dataset, one)]
    numbers = numbers_by_id(dataset, np.arange(dataset.n_samples), ids)
    groups, by, _ = joined(numbers, np.arange(dataset.n_samples), MOST_CONNECTED)
    if not by:
        return _noted_copies(noted_patients(dataset, ~included & ~excluded), ~excluded)
    names = [name for name in by if name]
    keep = " or keep it as a feature with ", Setting("must_include", names), "; to"
    alone = "If they do not, ", Setting("remove it from X"), *keep
    note = Sentence(
        f"Samples {with_the_same(by)} {TOGETHER}. ", *(alone if names else ("To",)),
        " group them in another way, pass ", Setting("groups"), ".",
    )  # fmt: skip
    return _noted_classes(warned(replace(dataset, groups=groups), note))


def warned(dataset: Dataset, note: str) -> Dataset:
    """Return a table with a note that is also a warning."""
    warn(note)
    return replace(dataset, notes=(*dataset.notes, note))


def _noted_classes(dataset: Dataset) -> Dataset:
    """Return a table with a note if no sample can be compared with another of its class."""
    if dataset.classes is None or dataset.groups is None:
        return dataset
    n_pairs = len(np.unique(np.column_stack([dataset.groups, dataset.target]), axis=0))
    if n_pairs > len(np.unique(dataset.target)) or len(np.unique(dataset.groups)) == 1:
        return dataset
    return warned(dataset, COINCIDE)


def noted_patients(dataset: Dataset, allowed: Masks) -> Dataset:
    """Return a table with a note if some feature may say which samples belong together."""
    reasons = {
        f"have the same {'target' if dataset.classes is None else 'class'}": may_keep_together,
        IN_TURN: are_panel_in_turn,
        "are of different times": are_by_time,
        "have the same values in other columns": share_others,
    }
    left: list[int] = np.flatnonzero(allowed & may_be_ids(dataset)).tolist()
    for reason, is_so in reasons.items():
        found = [one for one in left if is_so(dataset, one) and not is_left_out_id(dataset, one)]
        left = [one for one in left if one not in found]
        if not found:
            continue
        names = [dataset.feature_names[one] for one in found]
        dataset = warned(dataset, _may_belong(names, f"the samples of each value {reason}"))
    return dataset


def _may_belong(names: Sequence[str], why: str) -> Answered:
    return Answered(
        f"Samples {with_the_same(names)} {MAY}: {why}. If it says which person, place or batch "
        "they are of, scores are too good: pass it as ", Setting("groups", OfTable(names[0])), ".",
    )  # fmt: skip


def noted_selected(dataset: Dataset, selected: Masks) -> Iterator[Answered]:
    """Yield doubts about selected columns: very many labels, samples in turn, times of events.

    In the order of a time, many columns stay the same for a while, such as a price. The time until
    an event is known once it has happened.
    """
    times = [
        dataset.feature_names[one]
        for one in np.flatnonzero(selected).tolist()
        if may_follow_up(dataset, one)
    ]
    if times:
        them = "it" if len(times) == 1 else "them"
        yield Answered(
            f"{listed(times)} {AFTERWARDS}, as are the time until {shown(dataset.target_name)} and "
            f"the end of observation. If so, leave {them} out with ",
            Setting("exclude", times), ".",
        )  # fmt: skip
    if dataset.groups is not None:
        return
    said = " ".join(dataset.notes)
    left = [
        one
        for one in np.flatnonzero(selected).tolist()
        if with_the_same([dataset.feature_names[one]]) not in said
    ]
    reasons = {"its many labels have few samples each": has_many_labels}
    may_be = np.flatnonzero(may_be_times(dataset)).tolist()
    if not any(ordered_time(dataset, one) for one in may_be):
        reasons[f"the samples of each value {IN_TURN}"] = are_in_turn
    for reason, is_so in reasons.items():
        if found := [one for one in left if is_so(dataset, one)]:
            left = [one for one in left if one not in found]
            yield _may_belong([dataset.feature_names[one] for one in found], reason)


def _noted_copies(dataset: Dataset, allowed: Masks) -> Dataset:
    """Return a table with a note if many of its samples repeat others."""
    allowed = allowed.copy()
    for one in np.flatnonzero(allowed & may_be_ids(dataset)).tolist():
        allowed[one] = not is_left_out_id(dataset, one)  # nor a date
    features = np.flatnonzero(allowed)
    if not len(features) or dataset.n_samples * len(features) > MOST_CELLS:
        return dataset
    copies, n_repeating = copies_among(dataset.values[:, features])
    n_copies = dataset.n_samples - 1 - int(copies.max())
    with_target = len(np.unique(np.column_stack([copies, dataset.target]), axis=0))
    is_same = dataset.n_samples - with_target >= SAME_TARGET * n_copies
    if n_copies < MANY_COPIES * dataset.n_samples or not is_same:
        return dataset
    return warned(dataset, Answered(
        f"{n_repeating:,} of the {dataset.n_samples:,} samples {REPEAT} used. If they are copies "
        "of one sample, noise may be selected: remove them, or say which samples belong together "
        "with ", Setting("groups"), ".",
    ))  # fmt: skip


def with_the_same(names: Iterable[str]) -> str:
    """Return "with the same ..." for names of IDs; "" stands for the names of samples."""
    told = [f"with the same {shown(name)}" if name else "of the same name" for name in names]
    return first_few(told, " or ")


def numbers_by_id(dataset: Dataset, rows: Integers, ids: Iterable[int]) -> dict[str, Integers]:
    """Return the groups of some samples by each ID that several of them share.

    Labels of samples are an ID, too; its name is "".
    """
    numbers: dict[str, Integers] = {}
    for feature in ids:
        column = dataset.values[rows, feature]
        numbers[dataset.feature_names[feature]] = numbered(column, np.isnan(column))
    if isinstance(dataset.rows, tuple):
        labels = np.array(dataset.rows)[rows]
        numbers[""] = numbered(labels, labels == "")
    return {name: one for name, one in numbers.items() if 0 < one.max() < len(one) - 1}


def joined(
    kinds: Mapping[str, Integers], together: Integers, most: float
) -> tuple[Integers, list[str], list[str]]:
    """Return groups of samples that several IDs connect, the IDs that do, and those that do not.

    IDs are added to `together` one by one, first those with the most values that samples share,
    unless one would connect more than a share of the samples, and than any of its own values does.
    """
    by: list[str] = []
    not_by: list[str] = []
    for name in sorted(kinds, key=lambda name: -np.count_nonzero(np.bincount(kinds[name]) > 1)):
        both = connected(together, kinds[name])
        largest = max(len(together) * most, _largest(kinds[name]), _largest(together))
        if _largest(both) <= largest:
            together = both
            by.append(name)
        else:
            not_by.append(name)
    return together, by, not_by


def numbered(labels: NDArray[Any], is_missing: Masks) -> Integers:
    """Return a number for each sample, the same for equal labels; without a label it is alone."""
    _, numbers = np.unique(labels, return_inverse=True)
    numbers[is_missing] = len(labels) + np.arange(np.count_nonzero(is_missing))
    return np.unique(numbers, return_inverse=True)[1]


def connected(first: Integers, second: Integers) -> Integers:
    """Return a number for each sample, the same if groups of either kind connect them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_first, n_second = int(first.max()) + 1, int(second.max()) + 1
    size = n_first + n_second
    links = coo_array((np.ones(len(first)), (first, n_first + second)), shape=(size, size))
    return np.unique(connected_components(links, directed=False)[1][first], return_inverse=True)[1]


def _largest(numbers: Integers) -> int:
    return int(np.bincount(numbers).max())


def copies_among(values: Floats) -> tuple[Integers, int]:
    """Return a number for each row, the same for copies, and how many rows repeat another one.

    Copies are equal in every column. In a table of few categories, most rows are equal to others
    and no copies: there, some column can take another value and the row is again one of the table.
    So equal rows are no copies if, without one column, they are equal to more rows, and if others
    have their value in this column, too. That says nothing if only one column varies, or if all
    have two values: each of several that encode a category follows from the others.
    """
    n_rows = len(values)
    whole = np.zeros(n_rows, np.uint64)
    for first in range(0, values.shape[1], COLUMNS_AT_ONCE):
        whole += _digests(values, first, first + COLUMNS_AT_ONCE).sum(axis=1, dtype=np.uint64)
    _, of_kind, kinds = np.unique(whole, return_index=True, return_inverse=True)
    n_repeating = n_rows - len(of_kind)
    if not n_repeating:
        return np.arange(n_rows), 0
    whole, different = whole[of_kind], values[of_kind]
    is_usual = np.zeros(len(whole), np.bool_)
    n_values = []
    for feature in range(values.shape[1]):
        digests = _digests(different, feature, feature + 1)[:, 0]
        has_value, n_here = _shared(digests)
        n_values.append(n_here)
        is_usual |= has_value & _shared(whole - digests)[0]
    if max(n_values) <= 2 or sum(one > 1 for one in n_values) < 2:
        return np.arange(n_rows), n_repeating
    return numbered(kinds, is_usual[kinds]), n_repeating


def _shared(digests: Bits) -> tuple[Masks, int]:
    """Return which rows have a value that others have, too, and the number of values."""
    _, codes, counts = np.unique(digests, return_inverse=True, return_counts=True)
    return counts[codes] > 1, len(counts)


def _digests(values: Floats, first: int, last: int) -> Bits:
    """Return a random number for each value of each column; those of a row are added up."""
    part = values[:, first:last] + 0.0  # a new array, in which -0.0 is 0.0
    part[np.isnan(part)] = np.nan  # there are several
    places = np.arange(first, first + part.shape[1], dtype=np.uint64)
    bits: Any = part.view(np.uint64) + places * STEP
    for shift, factor in zip(SHIFTS, FACTORS, strict=True):
        bits = (bits ^ (bits >> shift)) * factor
    return np.asarray(bits ^ (bits >> SHIFTS[0]), np.uint64)


# Of the generator SplitMix64 (Steele, Lea and Flood 2014).
STEP = np.uint64(0x9E3779B97F4A7C15)
SHIFTS = np.uint64(30), np.uint64(27)
FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, eq=False)
class Together:
    """Which samples belong together.

    Parameters
    ----------
    numbers : int64[n_samples]
        A number for each sample, the same for those that belong together.
    by, not_by : tuple of str
        The columns that say so, and those that would connect too many samples; the names of the
        samples are "".
    copies : int64[n_samples]
        A number for each sample, the same for those that are copies of another one.
    n_repeating : int
        How many samples repeat another one in every feature, if there are two or more, as copies
        do, and rows of few different values.
    ids : dict of str to int64[n_samples]
        Such numbers by each of the columns.
    included : tuple of str
        Columns that would say so, but are features because the user includes them.
    groups : int64[n_samples] or None
        Such numbers by the groups of the table.
    """

    numbers: Integers
    by: tuple[str, ...]
    not_by: tuple[str, ...]
    copies: Integers
    n_repeating: int
    ids: dict[str, Integers]
    included: tuple[str, ...]
    groups: Integers | None

    def __bool__(self) -> bool:
        return int(self.numbers.max()) + 1 < len(self.numbers)

    def notes(self, parts: Parts) -> Iterator[str]:
        """Yield sentences about which samples are in the same fold, and which are not."""
        torn = [name for name in self.by if _are_torn(self.ids[name], parts)]
        if kept := [name for name in self.by if name not in torn]:
            note = (
                f"Samples {with_the_same(kept)} are in the same fold, so models are "
                "tested on IDs they have not seen."
            )
            if self.not_by:
                same = with_the_same(self.not_by)
                note += f" Those {same} are not: too many would be connected."
            yield note
        if torn:
            yield f"Samples {with_the_same(torn)} {TORN}"
        elif self.groups is not None and _are_torn(self.groups, parts):
            yield f"Samples of the same group {TORN}"
        n_copies = len(self.copies) - int(self.copies.max()) - 1
        if n_copies or self.n_repeating >= MANY_COPIES * len(self.copies):
            repeat = (
                f"{self.n_repeating:,} of the {len(self.copies):,} samples "
                f"{'repeats another one in every feature' if self.n_repeating == 1 else REPEAT}"
            )
            are = TORN if _are_torn(self.copies, parts) else "are in the same fold."
            if n_copies == self.n_repeating:
                yield f"{repeat}, and equal samples {are}"
            else:
                which = f" Those that look like copies ({n_copies:,}) {are}" if n_copies else ""
                yield f"{repeat}, as rows of few values do, and may be in different folds.{which}"
        if self.included:
            yield (
                f"Samples {with_the_same(self.included)} may be in different folds, since it is "
                "included as a feature. If they belong together, scores are too good."
            )


def _are_torn(numbers: Integers, parts: Parts) -> bool:
    """Whether samples of the same number are to train on and to predict in some fold."""
    return any(np.isin(numbers[test], numbers[train]).any() for train, test in parts)


def samples_together(
    dataset: Dataset, rows: Integers, seen: Masks, included: Masks, n_folds: int
) -> Together:
    """Return which of some samples belong together; `seen` are the features that models get.

    Groups always do. So do those of an ID, unless the user includes it as a feature, or it would
    connect more samples than a fold has, and copies, unless a group or an ID says what they are.
    """
    says = [keeps_together(dataset, one) for one in range(dataset.n_features)]
    ids = [one for one, is_id in enumerate(says) if is_id and not included[one]]
    kept = tuple(
        dataset.feature_names[one] for one in np.flatnonzero(included).tolist() if says[one]
    )
    copies, n_repeating = copies_among(dataset.values[np.ix_(rows, np.flatnonzero(seen))])
    n_repeating *= int(np.count_nonzero(seen) > 1)
    groups = None
    if dataset.groups is not None:
        groups = np.unique(dataset.groups[rows], return_inverse=True)[1]
    by_id = numbers_by_id(dataset, rows, ids)
    alone = np.arange(len(rows)) if groups is None else groups
    together, by, not_by = joined(by_id, alone, 1 / n_folds)
    # Equal rows of two patients are no copies, and would connect all rows of both.
    is_in_group = np.bincount(together)[together] > 1
    both = np.column_stack([copies, together])
    n_groups = np.bincount(np.unique(both[is_in_group], axis=0)[:, 0], minlength=len(rows))
    together = connected(together, numbered(copies, is_in_group & (n_groups[copies] > 1)))
    copies = np.unique(np.column_stack([copies, together]), axis=0, return_inverse=True)[1]
    return Together(together, tuple(by), tuple(not_by), copies, n_repeating, by_id, kept, groups)


def _checked_part(train: Any, test: Any, n_samples: int) -> tuple[Integers, Integers]:
    """Return the two parts of a fold that was given; raise if they cannot be."""
    parts = np.asarray(train), np.asarray(test)
    for part in parts:
        is_list = part.ndim == 1 and part.size > 0 and part.dtype.kind in "iu"
        if not is_list or part.min() < 0 or part.max() >= n_samples:
            rule = f"give row numbers from 0 to {n_samples - 1} to train on and to predict"
            raise ParameterError("cv", rule, shown(part.tolist()))
    if both := np.intersect1d(*parts).tolist():
        rule = "not train on samples to predict"
        raise ParameterError("cv", rule, f"the same row number in both: {both[0]}")
    return parts


def parts_of(target: NDArray[Any], cv: Any, seed: int, together: Integers | None = None) -> Parts:
    """Return the samples to train on and to predict in each fold.

    A number of folds is stratified by class or along a numeric target; samples with the same
    number in `together` are in the same fold. There are fewer folds if some would have too few
    samples, as for few patients.
    """
    from sklearn import model_selection as folds  # slow to import

    places = np.zeros((len(target), 1))
    if not isinstance(cv, int):
        try:
            with warnings.catch_warnings(action="ignore"):  # most ignore groups, and say so
                split = folds.check_cv(cv).split
                parts = [(train, test) for train, test in split(places, target, together)]
        except (ValueError, TypeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise ParameterError("cv", "suit the table", shown(cv), reason) from None
        parts = [_checked_part(train, test, len(target)) for train, test in parts]
        if len(parts) < 2:
            hint = "The scores of one say nothing about how much they vary."
            raise ParameterError("cv", "make at least 2 folds", shown(cv), hint)
        return parts
    if together is not None and together.min() == together.max():
        raise DataError("a check must have samples of two groups or more, got one group.")
    n_folds = cv if together is None else min(cv, int(together.max()) + 1)
    for n in (n_folds, 2):
        dealer = folds.KFold if together is None else folds.GroupKFold
        strata = target
        if target.dtype.kind == "f":
            strata = np.argsort(np.argsort(target, kind="stable")) * n // len(target)
        if np.unique(strata, return_counts=True)[1].max() >= n:
            dealer = folds.StratifiedKFold if together is None else folds.StratifiedGroupKFold
        with warnings.catch_warnings(action="ignore"):  # a check notes rare classes
            splitter = dealer(n, shuffle=True, random_state=seed)
            parts = [(train, test) for train, test in splitter.split(places, strata, together)]
        if min(len(test) for _, test in parts) >= LEAST_IN_A_FOLD:
            break
    return parts
