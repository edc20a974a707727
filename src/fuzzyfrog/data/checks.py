"""What every table must fulfill, whether it came from memory or from a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import listed, shown, suggested
from fuzzyfrog.errors import DataError

__all__ = [
    "check_filled",
    "check_finite",
    "check_names",
    "check_shape",
    "chosen_categorical",
    "empty_features",
]

# Cells looked at in one go: the temporaries stay small for a table of any size.
BLOCK_CELLS = 2**18


def check_shape(n_samples: int | None, n_features: int) -> None:
    """Refuse a table in which nothing can be compared; None is a number not known yet."""
    if n_features == 0:
        raise DataError(
            f"X must have at least one feature, got 0 feature(s) (shape=({n_samples}, 0)) "
            "while a minimum of 1 is required. Pass the columns to select from."
        )
    if n_samples is not None and n_samples < 2:
        noun = "sample" if n_samples == 1 else "samples"
        raise DataError(
            f"X must have at least 2 samples, got {n_samples} {noun}. "
            "Pass more rows: classes are told apart by comparing samples."
        )


def check_names(names: Sequence[object], n_features: int) -> tuple[str, ...]:
    """Return the feature names as a tuple of distinct texts, one per feature."""
    if len(names) != n_features:
        raise DataError(
            f"feature_names must have one name per feature, got {len(names)} names "
            f"for {n_features} features. Pass as many names as X has columns."
        )
    for name in names:
        if not isinstance(name, str):
            raise DataError(
                f"feature names must be text, got {shown(name)}. Rename the columns, "
                "for example with str()."
            )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"feature names must be distinct, got more than once: {listed(repeated)}. "
            "Rename or drop the repeated columns."
        )
    return tuple(str(name) for name in names)


def check_finite(
    values: NDArray[np.float64], names: Sequence[str], *, first_sample: int = 0
) -> None:
    """Refuse infinite values, naming the first; missing values (NaN) pass."""
    rows = max(1, BLOCK_CELLS // values.shape[1])
    for first in range(0, values.shape[0], rows):
        infinite = np.isinf(values[first : first + rows])
        if infinite.any():
            sample, feature = (int(position) for position in np.argwhere(infinite)[0])
            raise DataError(
                f"X must be finite, got {values[first + sample, feature]} in feature "
                f"{shown(names[feature])} of sample {first_sample + first + sample}. "
                "Replace infinite values, or set them to NaN to mark them as missing."
            )


def check_filled(values: NDArray[np.float64], names: Sequence[str], file: str) -> None:
    """Refuse features of a file that have no value in any sample."""
    empty = empty_features(values)
    if empty:
        raise DataError(
            f"{file}: every feature must have a value somewhere, got none in "
            f"{listed(names[feature] for feature in empty)}. Delete the column or name it in "
            "ignore."
        )


def empty_features(values: NDArray[np.float64]) -> list[int]:
    """Return the features that have no value in any sample."""
    # Few columns are empty in their first sample; only those need a second look.
    candidates = np.flatnonzero(np.isnan(values[0])).tolist()
    return [feature for feature in candidates if np.isnan(values[:, feature]).all()]


def chosen_categorical(
    categorical_features: object, feature_names: Sequence[str]
) -> NDArray[np.bool_] | None:
    """Return the features named as categorical as a mask, or None where the dtype is to decide."""
    n_features = len(feature_names)
    if categorical_features is None:
        return np.zeros(n_features, dtype=np.bool_)
    if isinstance(categorical_features, str):
        if categorical_features == "from_dtype":
            return None
        raise _bad_choice(categorical_features)
    items = _as_list(categorical_features)
    if items and all(isinstance(item, bool) for item in items):
        return _mask(items, n_features)
    chosen = np.zeros(n_features, dtype=np.bool_)
    for item in items:
        chosen[_position(item, feature_names)] = True
    return chosen


def _as_list(categorical_features: object) -> list[object]:
    to_list = getattr(categorical_features, "tolist", None)
    items = to_list() if callable(to_list) else categorical_features
    if not isinstance(items, list | tuple | set | frozenset | range):
        raise _bad_choice(categorical_features)
    # NumPy scalars in a list become the Python values they stand for.
    return [item.item() if isinstance(item, np.generic) else item for item in items]


def _mask(items: Sequence[object], n_features: int) -> NDArray[np.bool_]:
    if len(items) != n_features:
        raise DataError(
            f"categorical_features as a mask must have one entry per feature, got {len(items)} "
            f"entries for {n_features} features. Pass a mask of that length, or names."
        )
    return np.array(items, dtype=np.bool_)


def _position(item: object, feature_names: Sequence[str]) -> int:
    if isinstance(item, str):
        if item in feature_names:
            return feature_names.index(item)
        raise DataError(
            f"categorical_features must name features, got {shown(item)}. "
            f"{suggested(item, feature_names)}"
        )
    if isinstance(item, int) and not isinstance(item, bool):
        if 0 <= item < len(feature_names):
            return item
        raise DataError(
            f"categorical_features must be positions from 0 to {len(feature_names) - 1}, "
            f"got {item}. Count the features from 0."
        )
    raise _bad_choice(item)


def _bad_choice(value: object) -> DataError:
    return DataError(
        "categorical_features must be 'from_dtype', None, a list of names or positions, or a "
        f"boolean mask, got {shown(value)}. Name the categorical features, for example ['color']."
    )
