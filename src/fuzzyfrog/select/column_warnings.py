"""Features that a user may not want to be selected, and what to say of them."""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.columns import empty_features

__all__ = [
    "suspects",
]

FEWEST_SAMPLES = 10  # below that, values that all differ are nothing special
FEWEST_VALUES = 20  # of a feature that is nearly an identifier
FEWEST_NUMBERS = 50  # below that, counts and prices may well all differ
FEWEST_DATES = 3
HEAD = 1000  # samples by which most features of numbers are known not to be identifiers
YEAR = r"(19|20)\d\d"
DATE = re.compile(
    rf"({YEAR}[-/.]\d{{1,2}}([-/.]\d{{1,2}})?"  # 2024-03-31 and 2024-03
    rf"|\d{{1,2}}([-/.])\d{{1,2}}\4({YEAR}|\d\d)"  # 31.03.2024 and 3/31/24
    rf"|\d{{1,2}}[-/.]{YEAR})([T ].*)?"  # 03/2024
)


def suspects(
    dataset: Dataset, allowed: NDArray[np.bool_], left_out_by: str = "exclude"
) -> Iterator[str]:
    """Yield a warning for each allowed feature without values, or like an identifier or a date.

    Parameters
    ----------
    dataset : Dataset
        The table.
    allowed : bool[n_features]
        The features that may be selected.
    left_out_by : str
        What the caller calls the parameter that leaves features out.

    Yields
    ------
    str
        One warning.
    """
    for feature in empty_features(dataset.values):
        if allowed[feature]:
            yield (
                f"feature {shown(dataset.feature_names[feature])} has no value in any sample. "
                "Leave its column out: nothing can be learned from it."
            )
    way_out = f"Name it in {left_out_by}, or leave its column out, if it is one."
    for feature in np.flatnonzero(allowed).tolist():
        name = shown(dataset.feature_names[feature])
        found = _labels if dataset.categorical[feature] else _numbers
        yield from (f"feature {name} {doubt}" for doubt in found(dataset, feature, way_out))


def _labels(dataset: Dataset, feature: int, way_out: str) -> Iterator[str]:
    column = dataset.values[:, feature]
    n_values, n_samples = np.unique(column[~np.isnan(column)]).size, dataset.n_samples
    if _holds_dates(dataset, feature):
        yield (
            "holds dates written as text: turn them into numbers, such as days since the first, "
            "so that dates close to each other count as similar."
        )
    elif FEWEST_SAMPLES <= n_samples == n_values:
        yield (
            "has another value in every sample, as an identifier has, and so tells all of them "
            f"apart. {way_out}"
        )
    elif n_values >= FEWEST_VALUES and n_values > n_samples / 2:
        yield (
            f"has {n_values:,} different labels in {n_samples:,} samples, so it is nearly an "
            f"identifier and tells most of them apart. {way_out}"
        )


def _numbers(dataset: Dataset, feature: int, way_out: str) -> Iterator[str]:
    column = dataset.values[:, feature]
    if len(column) >= FEWEST_NUMBERS and _are_counted(column[:HEAD]) and _are_counted(column):
        yield (
            "has another whole number in every sample, as an identifier or a row number has. "
            f"{way_out}"
        )


def _are_counted(numbers: NDArray[np.float64]) -> bool:
    """Return whether all numbers are whole, and no two are the same."""
    return bool((numbers == np.floor(numbers)).all()) and np.unique(numbers).size == numbers.size


def _holds_dates(dataset: Dataset, feature: int) -> bool:
    labels = dataset.categories[feature] if dataset.categories is not None else None
    if labels is None or len(labels) < FEWEST_DATES:
        return False
    return all(DATE.fullmatch(str(label)) for label in labels)
