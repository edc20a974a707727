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
from fuzzyfrog.select.identifiers import keeps_together
from fuzzyfrog.select.row_groups import connected, copies_among, joined, numbers_by_id

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Masks = NDArray[np.bool_]

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
        together = connected(together, groups)
    kinds = numbers_by_id(dataset, rows, ids)
    together, by, not_by = joined(kinds, together, 1 / n_folds)
    return Together(together, tuple(by), tuple(not_by), categories, n_copies)


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
