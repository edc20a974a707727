"""Columns that may not be what they seem: marks of missing values among numbers, and weights."""

import re
from collections.abc import Iterator

import numpy as np

from fuzzyfrog.common.arrays import Floats, Masks
from fuzzyfrog.common.messages import Sentence, Setting, count, first_few, shown
from fuzzyfrog.data import Dataset

MARKS = [sign * (10**n - 1) for n in range(2, 7) for sign in (-1, 1)]  # 99, 999, ...
WEIGHTS = re.compile(
    r"weights|(fnl|final|person|survey|sample|sampling|design|p)[ _.]?(wt|wgt|weights?)", re.I
)
LARGE = 1e100  # of which differences are finite
MAY_BE_WEIGHTS = re.compile(r"weight|wt|wgt|w", re.I)  # or of a body
MEAN_OF_WEIGHTS = 0.01  # how far from 1 it is at most


def odd_values(dataset: Dataset, allowed: Masks) -> Iterator[Sentence]:
    """Yield sentences about marks of missing values, and about weights among the features."""
    features = np.flatnonzero(allowed & ~dataset.categorical).tolist()
    marked = [
        f"{shown(dataset.feature_names[one])} ({mark:g} in {count(n_marked, 'sample')})"
        for one in features
        for mark, n_marked in _marks(dataset.values[:, one])
    ]
    if marked:
        yield Sentence(
            f"These values are far from all others of their column: {first_few(marked)}. If they "
            "stand for missing values, empty these cells before."
        )
    for one in features:
        if _holds_weights(dataset.feature_names[one], dataset.values[:, one]):
            yield Sentence(
                f"feature {shown(dataset.feature_names[one])} may say how much each sample counts. "
                "If so, pass it as ", Setting("sample_weight"), ", and it is no feature.",
            )  # fmt: skip
            return


def _marks(column: Floats) -> Iterator[tuple[float, int]]:
    """Yield numbers of nines that are farther from the rest than the rest is wide."""
    is_mark = np.isin(column, MARKS)
    rest = column[~is_mark & (np.abs(column) < LARGE)]
    if not is_mark.any() or rest.size < np.count_nonzero(is_mark) or np.ptp(rest) == 0:
        return
    for mark, n_marked in zip(*np.unique(column[is_mark], return_counts=True), strict=True):
        if max(rest.min() - mark, mark - rest.max()) > np.ptp(rest):
            yield float(mark), int(n_marked)


def _holds_weights(name: str, column: Floats) -> bool:
    """Whether a column has the name of weights and positive values.

    A name that a body's weight could have must also have a mean of 1, as weights often do.
    """
    if np.isnan(column).any() or column.min() <= 0 or column.min() == column.max():
        return False
    if WEIGHTS.fullmatch(name):
        return True
    if not MAY_BE_WEIGHTS.fullmatch(name) or column.max() > len(column):
        return False
    return abs(float(np.mean(column)) - 1.0) <= MEAN_OF_WEIGHTS
