"""Arrays and frames of any library -> Dataset."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from fuzzyfrog.data.arrays import as_matrix, convert_matrix
from fuzzyfrog.data.checks import check_finite, check_names, check_shape, chosen_nominal
from fuzzyfrog.data.columns import Column, Feature, column_of, convert_series
from fuzzyfrog.data.content import Content, stacked
from fuzzyfrog.data.dask_tables import DaskTable, dask_labels, is_dask
from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.data.gathering import gathered
from fuzzyfrog.data.spill import is_on_disk
from fuzzyfrog.data.targets import (
    check_same_length,
    check_target_kind,
    doubts_about_classes,
    encode_target,
)
from fuzzyfrog.errors import DataError

__all__ = ["as_frame", "make_dataset"]

Frame: TypeAlias = nw.DataFrame[Any]
Table: TypeAlias = NDArray[Any] | Frame | DaskTable


def make_dataset(
    X: object,
    y: object = None,
    *,
    categorical_features: object = "from_dtype",
    target: str = "auto",
    feature_names: Sequence[str] | None = None,
    target_name: str = "class",
    name: str = "table",
) -> Dataset:
    """Give the Dataset of an array or a frame, checked and ready to be measured.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features), or Dataset
        A NumPy array, a list of rows, or a pandas, polars or Arrow table. NaN and the nulls of
        frames are missing values and stay so. Booleans are the numbers 0 and 1. A float64 array
        in C order is shared, not copied, unless nominal features must be coded. A memory-mapped
        array, a Dask DataFrame and a Dask Array are read part by part, and end on disk if they
        are too large for memory. A Dataset is given back as it is; `y` must then be None.
    y : array-like of shape (n_samples,)
        Class labels (text, numbers or booleans, all of one type), or numbers; also a Series or
        an Array of Dask.
    categorical_features : "from_dtype", list of str or int, bool mask, or None
        Which features are nominal. "from_dtype": columns of text, category or enum; text that
        holds only numbers is read as numbers, with a warning. A list or a mask names all of
        them, None means none.
    target : {"auto", "class", "numeric"}
        "auto" takes floating-point numbers of which at least one has a fractional part as a
        numeric target, everything else as class labels.
    feature_names : sequence of str, optional
        Names to use; by default those of the frame, or "x0", "x1", ... where there are none.
    target_name : str
        Name of the target.
    name : str
        What to call the table when speaking to a person.

    Returns
    -------
    Dataset
        Classes are sorted; codes of nominal features follow the sorted order of their values,
        which are kept in `categories`.

    Raises
    ------
    DataError
        If the data cannot be measured; the message names the feature or sample and a way out.

    Examples
    --------
    >>> from fuzzyfrog.data import make_dataset
    >>> data = make_dataset([[1.0, "red"], [2.0, "blue"], [4.0, "red"]], ["no", "yes", "no"])
    >>> data.values.tolist(), data.nominal.tolist(), data.classes
    ([[1.0, 1.0], [2.0, 0.0], [4.0, 1.0]], [False, True], ('no', 'yes'))
    >>> data.categories
    (None, ('blue', 'red'))
    """
    if isinstance(X, Dataset):
        return _unchanged(X, y)
    check_target_kind(target, "target")
    labels = dask_labels(y) if is_dask(y) else y
    table = DaskTable.of(X) if is_dask(X) else _as_table(X)
    n_samples, n_features = table.shape
    check_shape(n_samples, n_features)
    names = check_names(_names(table, n_features, feature_names), n_features)
    codes, classes = encode_target(labels, n_samples, target)
    content = _convert(table, names, chosen_nominal(categorical_features, names))
    check_same_length(len(content.values), len(codes))
    notes = (*doubts_about_classes(classes, len(codes), target, "target"), *content.warnings)
    for warning in notes:
        warnings.warn(warning, UserWarning, stacklevel=2)
    return Dataset(
        content.values,
        codes,
        names,
        content.nominal,
        classes,
        target_name,
        name,
        content.labels,
        notes,
    )


def _unchanged(data: Dataset, y: object) -> Dataset:
    if y is not None:
        raise DataError(
            "y must be None when X is a Dataset, which has its own target, got "
            f"{type(y).__name__}. Pass X.values together with y to change the target."
        )
    return data


def _as_table(X: object) -> NDArray[Any] | Frame:
    """Give what is held in memory, or mapped into it, as a frame or an array."""
    native = nw.to_native(X, pass_through=True)
    if nw.dependencies.is_into_dataframe(native):
        return as_frame(native)
    if nw.dependencies.is_into_series(native):
        raise DataError(
            "X must have two dimensions, got a single column. Pass a frame with one column "
            "(in pandas: X.to_frame())."
        )
    if hasattr(native, "collect") and hasattr(native, "lazy"):
        raise DataError("X must be held in memory, got a lazy frame. Pass X.collect().")
    return as_matrix(native)


def as_frame(native: Any) -> Frame:
    """Give a table of pandas, polars or another library behind one interface."""
    try:
        frame: Frame = nw.from_native(native, eager_only=True)
        _ = frame.schema  # some libraries find repeated names only when asked for the columns
    except (DuplicateError, ValueError) as error:
        raise DataError(
            f"feature names must be distinct, got repeated ones "
            f"({' '.join(str(error).split())}). "
            "Rename or drop the repeated columns."
        ) from None
    return frame


def _names(
    table: Table, n_features: int, feature_names: Sequence[str] | None
) -> Sequence[Hashable]:
    if feature_names is not None:
        return list(feature_names)
    columns: list[Hashable] = [] if isinstance(table, np.ndarray) else list(table.columns)
    if any(isinstance(column, str) for column in columns):
        return columns
    # Like scikit-learn: names of which none is text, as 0, 1, 2, ..., are no names.
    return [f"x{position}" for position in range(n_features)]


def _convert(table: Table, names: Sequence[str], chosen: NDArray[np.bool_] | None) -> Content:
    if isinstance(table, DaskTable):
        return gathered(map(_as_table, table.parts()), names, chosen)
    if isinstance(table, np.ndarray):
        content = (_from_disk if is_on_disk(table) else convert_matrix)(table, names, chosen)
    else:
        content = stacked(_columns(table, names, chosen), table.shape)
    check_finite(content.values, names)
    return content


def _from_disk(
    array: NDArray[Any], names: Sequence[str], chosen: NDArray[np.bool_] | None
) -> Content:
    """Give the content of a memory-mapped array, which is shared if it holds float64."""
    if array.dtype == np.float64 and array.flags.forc and (chosen is None or not chosen.any()):
        return Content(array, (None,) * len(names))
    return gathered([array], names, chosen)


def _columns(
    frame: Frame, names: Sequence[str], chosen: NDArray[np.bool_] | None
) -> Iterator[Column]:
    for position, name in enumerate(names):
        asked = Feature(name, None if chosen is None else bool(chosen[position]))
        yield convert_series(column_of(frame, position), asked)
