"""Samples that belong together, such as the visits of one patient and copies of a row.

A check keeps them in the same fold: models must not predict for samples that they have met.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)

from fuzzyfrog.common.arrays import Integers, Masks
from fuzzyfrog.common.messages import shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.select.identifiers import keeps_together
from fuzzyfrog.select.row_groups import (
    MANY_COPIES,
    connected,
    copies_among,
    joined,
    numbered,
    numbers_by_id,
    with_the_same,
)

Parts = list[tuple[Integers, Integers]]

TORN = (
    "are on both sides of a fold, where cv puts them: models are tested on what they have seen, "
    "and scores may be too good. A number as cv keeps them together."
)
LEAST_IN_A_FOLD = 4  # samples to predict; with fewer, scores say nothing


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
                f"{'repeats' if self.n_repeating == 1 else 'repeat'} another one in every feature"
            )
            are = TORN if _are_torn(self.copies, parts) else "are in the same fold."
            if n_copies == self.n_repeating:
                yield f"{repeat}, and equal samples {are}"
            else:
                which = "If they are copies, remove them."
                if n_copies:
                    which = f"Those that look like copies ({n_copies:,}) {are}"
                yield (
                    f"{repeat}. That alone does not make them copies, so they may be in different "
                    f"folds. {which}"
                )
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
    places = np.zeros((len(target), 1))
    if not isinstance(cv, int):
        try:
            with warnings.catch_warnings(action="ignore"):  # most ignore groups, and say so
                split = check_cv(cv).split
                parts = [(train, test) for train, test in split(places, target, together)]
        except (ValueError, TypeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise ParameterError("cv", "suit the table", shown(cv), reason) from None
        if not parts:
            raise ParameterError("cv", "make a fold or more", shown(cv))
        return [_checked_part(train, test, len(target)) for train, test in parts]
    if together is not None and together.min() == together.max():
        raise DataError("a check must have samples of two groups or more, got one group.")
    n_folds = cv if together is None else min(cv, int(together.max()) + 1)
    for n in (n_folds, 2):
        dealer = KFold if together is None else GroupKFold
        strata = target
        if target.dtype.kind == "f":
            strata = np.argsort(np.argsort(target, kind="stable")) * n // len(target)
        if np.unique(strata, return_counts=True)[1].max() >= n:
            dealer = StratifiedKFold if together is None else StratifiedGroupKFold
        with warnings.catch_warnings(action="ignore"):  # a check notes rare classes
            splitter = dealer(n, shuffle=True, random_state=seed)
            parts = [(train, test) for train, test in splitter.split(places, strata, together)]
        if min(len(test) for _, test in parts) >= LEAST_IN_A_FOLD:
            break
    return parts
