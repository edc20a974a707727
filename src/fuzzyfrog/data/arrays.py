"""NumPy arrays and lists of lists -> the values of a Dataset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.columns import (
    MAX_EXACT_INTEGER,
    Column,
    Feature,
    coded,
    convert_objects,
    merged,
    unusable,
)
from fuzzyfrog.data.content import Content, stacked
from fuzzyfrog.data.dataset import Labels
from fuzzyfrog.data.wording import shown
from fuzzyfrog.errors import DataError

__all__ = ["as_matrix", "check_matrix_dtype", "convert_matrix", "rounding"]


def as_matrix(X: object) -> NDArray[Any]:
    """Give `X` as an array of two dimensions, of numbers or of objects."""
    _refuse_disguised(X)
    try:
        array = np.asarray(X)
        if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
            # NumPy made texts of the numbers in a mixed list: keep the objects as they are.
            array = np.array(X, dtype=object)
    except ValueError:
        raise DataError(
            "X must have rows of equal length, got rows of different lengths. "
            "Pass one value per feature in every row; use NaN where a value is missing."
        ) from None
    if array.ndim != 2:
        raise DataError(
            f"X must have two dimensions, got {array.ndim} (shape {array.shape}). "
            "Reshape your data: X.reshape(-1, 1) for a single feature, one row per sample."
        )
    return array


def _refuse_disguised(X: object) -> None:
    """Refuse what NumPy would accept and silently misread."""
    if hasattr(X, "nnz") and hasattr(X, "shape"):
        size = int(np.prod(X.shape, dtype=object)) * 8 / 1e6
        raise DataError(
            f"X must be dense, got sparse data ({type(X).__name__}). "
            f"Pass X.toarray(), which takes {size:,.1f} MB."
        )
    if isinstance(X, np.ma.MaskedArray):
        raise DataError(
            "X must be a plain array, got a masked array. Pass X.filled(np.nan) to mark the "
            "masked values as missing."
        )
    if X is None or isinstance(X, str | bytes | dict):
        raise DataError(
            f"X must be an array, a frame or a list of rows, got {shown(X)}. "
            "Read files with read_table, named data sets with load_dataset."
        )


def convert_matrix(
    array: NDArray[Any], names: Sequence[str], chosen: NDArray[np.bool_] | None
) -> Content:
    """Give the content of an array, its values as float64 in C order.

    A float64 array in C order is not copied unless nominal features must be coded.
    """
    if array.dtype.kind in "OU":
        return stacked(_columns(array, names, chosen), array.shape)
    check_matrix_dtype(array, names)
    nominal = np.zeros(array.shape[1], dtype=np.bool_) if chosen is None else chosen
    _refuse_merging(array, names, nominal)
    values = np.ascontiguousarray(array, dtype=np.float64)
    labels: list[Labels | None] = [None] * array.shape[1]
    if nominal.any():
        values = values.copy() if np.shares_memory(values, array) else values
        for feature in np.flatnonzero(nominal).tolist():
            column = coded(array[:, feature])
            values[:, feature], labels[feature] = column.values, column.labels
    return Content(values, tuple(labels), rounding(array))


def check_matrix_dtype(array: NDArray[Any], names: Sequence[str]) -> None:
    """Refuse an array that holds neither numbers nor objects."""
    if array.dtype.kind not in "biuf":
        raise unusable(names[0], str(array.dtype))


def _columns(
    array: NDArray[Any], names: Sequence[str], chosen: NDArray[np.bool_] | None
) -> Iterator[Column]:
    for position, name in enumerate(names):
        asked = Feature(name, None if chosen is None else bool(chosen[position]))
        yield convert_objects(array[:, position].tolist(), asked)


def _refuse_merging(array: NDArray[Any], names: Sequence[str], nominal: NDArray[np.bool_]) -> None:
    """Refuse integers that would become equal in float64; nominal ones are only coded."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8:
        return
    for position in np.flatnonzero(~nominal).tolist():
        column = array[:, position]
        if max(-int(column.min()), int(column.max())) < MAX_EXACT_INTEGER:
            continue
        if np.unique(column).size > np.unique(column.astype(np.float64)).size:
            raise merged(names[position])


def rounding(array: NDArray[Any]) -> tuple[str, ...]:
    """Give the warning for numbers that are longer than float64."""
    if array.dtype.kind != "f" or array.dtype.itemsize <= 8:
        return ()
    return (f"X is {array.dtype}, it is rounded to float64. Pass X.astype(float) to silence this.",)
