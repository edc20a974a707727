"""Features that a user may not want to be selected, and what to say of them."""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data import Dataset
from fuzzyfrog.data.checks import empty_features
from fuzzyfrog.data.wording import shown

__all__ = ["suspects"]

FEWEST_SAMPLES = 10  # below that, values that all differ are nothing special
FEWEST_VALUES = 20  # of a feature that is nearly an identifier
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")

LEAVE_OUT = "Name it in exclude, or leave its column out, if it is one."
AS_NUMBERS = (
    "Its values are dates written as text: turn them into numbers, such as days since the first, "
    "so that dates close to each other count as similar."
)


def suspects(dataset: Dataset, allowed: NDArray[np.bool_]) -> Iterator[str]:
    """Yield a warning for each allowed feature without values or like an identifier."""
    for feature in empty_features(dataset.values):
        if allowed[feature]:
            yield (
                f"feature {shown(dataset.feature_names[feature])} has no value in any sample. "
                "Leave its column out: nothing can be learned from it."
            )
    for feature in np.flatnonzero(dataset.nominal & allowed).tolist():
        yield from _identifier(dataset, feature)


def _identifier(dataset: Dataset, feature: int) -> Iterator[str]:
    column = dataset.values[:, feature]
    n_values, n_samples = np.unique(column[~np.isnan(column)]).size, dataset.n_samples
    name = shown(dataset.feature_names[feature])
    way_out = AS_NUMBERS if _holds_dates(dataset, feature) else LEAVE_OUT
    if FEWEST_SAMPLES <= n_samples == n_values:
        yield (
            f"feature {name} has another value in every sample, as an identifier has, and so "
            f"tells all of them apart. {way_out}"
        )
    elif n_values >= FEWEST_VALUES and n_values > n_samples / 2:
        yield (
            f"feature {name} has {n_values:,} different labels in {n_samples:,} samples, so it is "
            f"nearly an identifier and tells most of them apart. {way_out}"
        )


def _holds_dates(dataset: Dataset, feature: int) -> bool:
    labels = dataset.categories[feature] if dataset.categories is not None else None
    return bool(labels) and all(DATE.fullmatch(str(label)) for label in labels or ())
