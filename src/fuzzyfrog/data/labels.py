"""The target in any form -> one flat array."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.wording import shown
from fuzzyfrog.errors import DataError

__all__ = ["flat_labels", "warn_of_column"]


def flat_labels(y: object) -> NDArray[Any]:
    """Give `y` as an array of one dimension: of a plain dtype, or of Python objects."""
    array = _as_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        warn_of_column()
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(
            f"y must have one dimension, got {array.ndim} (shape {array.shape}). "
            "Pass one label or number per sample; fit several targets one by one."
        )
    if array.dtype.kind in "mM":  # as Python objects, some of these would be bare integers
        raise DataError(
            f"y must hold text, numbers or booleans, got {array.dtype}. "
            "Convert dates to text with astype(str)."
        )
    return _from_list(array.tolist()) if array.dtype == object else array


def warn_of_column() -> None:
    """Warn of a target with two dimensions, of which the second is 1."""
    from sklearn.exceptions import DataConversionWarning  # slow to import, rarely needed

    warnings.warn(
        "y is a column vector, its only column is taken. Pass y.ravel() to silence this.",
        DataConversionWarning,
        stacklevel=5,
    )


def _as_array(y: Any) -> NDArray[Any]:
    if y is None:
        raise DataError(
            "fuzzyfrog requires y to be passed, but the target y is None. "
            "Pass the class of each sample."
        )
    if nw.dependencies.is_into_series(y):
        return _from_list(nw.from_native(y, series_only=True).to_list())
    if nw.dependencies.is_into_dataframe(y):
        return _from_frame(nw.from_native(y, eager_only=True))
    if isinstance(y, Sequence) and not isinstance(y, str | bytes):
        return _from_list(list(y))
    array = np.asarray(y)
    if array.ndim == 0:
        raise DataError(
            f"y must hold one label or number per sample, got {shown(y)}. "
            "Pass the column itself, not its name."
        )
    return array


def _from_frame(frame: nw.DataFrame[Any]) -> NDArray[Any]:
    array = np.empty(frame.shape, dtype=object)
    for position in range(frame.shape[1]):
        array[:, position] = frame[:, position].to_list()
    return array


def _from_list(items: list[Any]) -> NDArray[Any]:
    """Give an array of numbers or of booleans where all items are that, else of objects.

    NumPy alone would make two texts of the list [1, "a"], and would round large integers.
    """
    items = [item.item() if isinstance(item, np.generic) else item for item in items]
    if items and all(isinstance(item, list | tuple | np.ndarray) for item in items):
        return np.array(items, dtype=object)
    kinds = {type(item) for item in items}
    if kinds == {bool} or (kinds and kinds <= {int, float}):
        array = np.array(items)
        if array.dtype.kind in "bif" and not (array.dtype.kind == "f" and kinds == {int}):
            return array
    objects = np.empty(len(items), dtype=object)
    objects[:] = items
    return objects
