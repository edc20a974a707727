"""Samples that belong together, such as the visits of one patient and copies of a row.

A check keeps them in the same fold: models must not predict for samples that they have met.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from fuzzyfrog.common.messages import shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.select.column_warnings import keeps_together
from fuzzyfrog.select.row_groups import connected, joined, numbered, numbers_by_id

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Masks = NDArray[np.bool_]
Bits = NDArray[np.uint64]

LEAST_IN_A_FOLD = 4  # samples to predict; with fewer, scores say nothing
COLUMNS_AT_ONCE = 64


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
    categories : dict of str to int
        Columns with the name of an ID whose values look like categories: their number.
    n_copies : int
        Samples that repeat another one.
    """

    numbers: Integers
    by: tuple[str, ...]
    not_by: tuple[str, ...]
    categories: dict[str, int]
    n_copies: int

    def __bool__(self) -> bool:
        return int(self.numbers.max()) + 1 < len(self.numbers)


def samples_together(dataset: Dataset, rows: Integers, seen: Masks, n_folds: int) -> Together:
    """Return which of some samples belong together; `seen` are the features that models get.

    Copies and groups always do. So do those of an ID, unless that would connect more samples than
    a fold has.
    """
    says = [keeps_together(dataset, one) for one in range(dataset.n_features)]
    ids = [one for one, is_id in enumerate(says) if is_id]
    categories = {
        dataset.feature_names[one]: int(np.unique(column[~np.isnan(column)]).size)
        for one, column in enumerate(dataset.values.T)
        if says[one] is None
    }
    together = copies_among(dataset.values[np.ix_(rows, np.flatnonzero(seen))])
    n_copies = len(rows) - int(together.max()) - 1
    if dataset.groups is not None:
        groups = np.unique(dataset.groups[rows], return_inverse=True)[1]
        together = connected([together, groups])
    kinds = numbers_by_id(dataset, rows, ids)
    together, by, not_by = joined(kinds, together, 1 / n_folds)
    return Together(together, tuple(by), tuple(not_by), categories, n_copies)


def copies_among(values: Floats) -> Integers:
    """Return a number for each row, the same for copies.

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
    if len(of_kind) == n_rows:
        return np.arange(n_rows)
    whole, different = whole[of_kind], values[of_kind]
    is_usual = np.zeros(len(whole), np.bool_)
    n_values = []
    for feature in range(values.shape[1]):
        digests = _digests(different, feature, feature + 1)[:, 0]
        has_value, n_here = _shared(digests)
        n_values.append(n_here)
        is_usual |= has_value & _shared(whole - digests)[0]
    if max(n_values) <= 2 or sum(one > 1 for one in n_values) < 2:
        return np.arange(n_rows)
    return numbered(kinds, is_usual[kinds])


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


def parts_of(
    target: NDArray[Any], cv: Any, seed: int, together: Integers | None = None
) -> list[tuple[Integers, Integers]]:
    """Return the samples to train on and to predict in each fold.

    A number of folds is stratified by class or along a numeric target; samples with the same
    number in `together` are in the same fold. There are fewer folds if some would have too few
    samples, as for few patients.
    """
    places = np.zeros((len(target), 1))
    if hasattr(cv, "split"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # most splitters ignore groups, and say so
                return [(train, test) for train, test in cv.split(places, target, together)]
        except (ValueError, TypeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise ParameterError("cv", "suit the table", shown(cv), reason) from None
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a check notes rare classes
            splitter = dealer(n, shuffle=True, random_state=seed)
            parts = [(train, test) for train, test in splitter.split(places, strata, together)]
        if min(len(test) for _, test in parts) >= LEAST_IN_A_FOLD:
            break
    return parts
