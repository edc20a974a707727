"""What a table holds besides its target, however it came in."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from fuzzyfrog.common.messages import shown
from fuzzyfrog.data.checks import check_finite, check_names, check_shape, chosen_categorical
from fuzzyfrog.data.columns import (
    MAX_EXACT_INTEGER,
    Column,
    Feature,
    LabelParts,
    NumberParts,
    TargetParts,
    coded,
    column_of,
    convert_objects,
    convert_series,
    merged,
    parts_of_series,
    unusable,
    warn_of_column,
)
from fuzzyfrog.data.dataset import Dataset, Labels
from fuzzyfrog.data.spill import GrowingTable, is_on_disk
from fuzzyfrog.data.target import (
    check_same_length,
    check_target_kind,
    doubts_about_classes,
    encode_target,
)
from fuzzyfrog.errors import DataError

__all__ = [
    "Content",
    "DaskTable",
    "Gathering",
    "Part",
    "as_frame",
    "as_matrix",
    "check_matrix_dtype",
    "convert_matrix",
    "dask_columns",
    "dask_labels",
    "decoded",
    "gathered",
    "is_dask",
    "make_dataset",
    "rounding",
    "rows_at_once",
    "stacked",
    "without_rows",
]


@dataclass(frozen=True)
class Content:
    """The features of a table.

    Parameters
    ----------
    values : float64[n_samples, n_features]
        Numbers, and codes of categorical features; NaN where a value is missing.
    labels : tuple of (tuple or None)
        For each feature what its codes stand for; None for a numeric one.
    warnings : tuple of str
        What the user should know of the table.
    """

    values: NDArray[np.float64]
    labels: tuple[Labels | None, ...]
    warnings: tuple[str, ...] = ()

    @property
    def categorical(self) -> NDArray[np.bool_]:
        """The mask of the categorical features."""
        return np.array([labels is not None for labels in self.labels], dtype=np.bool_)


def stacked(columns: Iterable[Column], shape: tuple[int, ...]) -> Content:
    """Return columns, taken one at a time, as the content of a table."""
    values = np.empty(shape, dtype=np.float64)
    labels: list[Labels | None] = []
    warnings: list[str] = []
    for position, column in enumerate(columns):
        values[:, position] = column.values
        labels.append(column.labels)
        warnings += [column.warning] if column.warning else []
    return Content(values, tuple(labels), tuple(warnings))


def decoded(
    table: GrowingTable, columns: Sequence[Column | None], warnings: tuple[str, ...] = ()
) -> Content:
    """Return collected rows, with what they stand for in the place of codes by appearance.

    Parameters
    ----------
    table : GrowingTable
        The rows, of which it is the end.
    columns : sequence of (Column or None)
        For each feature that holds codes what each of them stands for; None where it holds
        numbers.
    warnings : tuple of str
        What else the user should know of the table.
    """
    coded = {place: column for place, column in enumerate(columns) if column is not None}

    def decode(block: NDArray[np.float64]) -> None:
        for place, column in coded.items():
            column.replace_codes(block[:, place])

    values = table.finish(decode)
    labels = tuple(None if column is None else column.labels for column in columns)
    notes = (column.warning for column in coded.values() if column.warning)
    return Content(values, labels, (*warnings, *notes))


def as_matrix(X: object) -> NDArray[Any]:
    """Return `X` as an array of two dimensions, of numbers or of objects."""
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
    """Return the content of an array, its values as float64 in C order.

    A float64 array in C order is not copied unless categorical features must be coded.
    """
    if array.dtype.kind in "OU":
        return stacked(_matrix_columns(array, names, chosen), array.shape)
    check_matrix_dtype(array, names)
    categorical = np.zeros(array.shape[1], dtype=np.bool_) if chosen is None else chosen
    _refuse_merging(array, names, categorical)
    values = np.ascontiguousarray(array, dtype=np.float64)
    labels: list[Labels | None] = [None] * array.shape[1]
    if categorical.any():
        values = values.copy() if np.shares_memory(values, array) else values
        for feature in np.flatnonzero(categorical).tolist():
            column = coded(array[:, feature])
            values[:, feature], labels[feature] = column.values, column.labels
    return Content(values, tuple(labels), rounding(array))


def check_matrix_dtype(array: NDArray[Any], names: Sequence[str]) -> None:
    """Refuse an array that holds neither numbers nor objects."""
    if array.dtype.kind not in "biuf":
        raise unusable(names[0], str(array.dtype))


def _matrix_columns(
    array: NDArray[Any], names: Sequence[str], chosen: NDArray[np.bool_] | None
) -> Iterator[Column]:
    for position, name in enumerate(names):
        asked = Feature(name, None if chosen is None else bool(chosen[position]))
        yield convert_objects(array[:, position].tolist(), asked)


def _refuse_merging(
    array: NDArray[Any], names: Sequence[str], categorical: NDArray[np.bool_]
) -> None:
    """Refuse integers that would become equal in float64; categorical ones are only coded."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8:
        return
    for position in np.flatnonzero(~categorical).tolist():
        column = array[:, position]
        if max(-int(column.min()), int(column.max())) < MAX_EXACT_INTEGER:
            continue
        if np.unique(column).size > np.unique(column.astype(np.float64)).size:
            raise merged(names[position])


def rounding(array: NDArray[Any]) -> tuple[str, ...]:
    """Return the warning for numbers that are longer than float64."""
    if array.dtype.kind != "f" or array.dtype.itemsize <= 8:
        return ()
    return (f"X is {array.dtype}, it is rounded to float64. Pass X.astype(float) to silence this.",)


FloatArray: TypeAlias = NDArray[np.float64]
Part: TypeAlias = "NDArray[Any] | nw.DataFrame[Any]"

# Cells of a table that are looked at in one go: about 8 MB.
BLOCK_CELLS = 2**20


def rows_at_once(n_columns: int) -> int:
    """Return the number of rows of a table to look at in one go."""
    return max(1, BLOCK_CELLS // max(1, n_columns))


def gathered(
    parts: Iterable[Part], names: Sequence[str], chosen: NDArray[np.bool_] | None
) -> Content:
    """Return the content of a table that comes in parts, arrays or frames with equal columns.

    The result is what the whole table would give, bit by bit.
    """
    gathering = Gathering(names, [None] * len(names) if chosen is None else chosen.tolist())
    for part in parts:
        gathering.add(part)
    return gathering.finish()


class Gathering:
    """Collects the parts of a table.

    Parameters
    ----------
    names : sequence of str
        Names of the features, for messages.
    kinds : sequence of (bool or None)
        Whether each feature was named as categorical; None where the dtype is to decide.
    """

    def __init__(self, names: Sequence[str], kinds: Sequence[bool | None]) -> None:
        self._names = names
        self._features = [Feature(*asked) for asked in zip(names, kinds, strict=True)]
        self._columns: list[LabelParts | NumberParts] = []
        self._table = GrowingTable(len(names))
        self._warnings: tuple[str, ...] = ()

    def add(self, part: Part) -> None:
        """Take the next rows: an array, or a frame, with one column per feature."""
        n_rows = rows_at_once(len(self._names))
        for first in range(0, len(part), n_rows):
            block = part[first : first + n_rows]
            values = self._numbers(block) if isinstance(block, np.ndarray) else self._frame(block)
            check_finite(values, self._names, first_sample=self._table.n_rows)
            self._table.append(values)

    def finish(self) -> Content:
        """Return the content of the whole table."""
        check_shape(self._table.n_rows, len(self._names))
        columns = [column.finish() for column in self._columns]
        content = decoded(self._table, columns, self._warnings)
        if any(column is not None and np.isinf(column.values).any() for column in columns):
            check_finite(content.values, self._names)  # a text can be an infinite number
        return content

    def _frame(self, block: nw.DataFrame[Any]) -> FloatArray:
        all_series = [column_of(block, place) for place in range(len(self._names))]
        if not self._columns:
            pairs = zip(all_series, self._features, strict=True)
            self._columns = [parts_of_series(*pair) for pair in pairs]
        values = np.empty((len(block), len(self._names)))
        for place, (series, column) in enumerate(zip(all_series, self._columns, strict=True)):
            values[:, place] = column.add(series)
        return values

    def _numbers(self, block: NDArray[Any]) -> FloatArray:
        has_objects = block.dtype.kind in "OU"
        if not has_objects:
            check_matrix_dtype(block, self._names)
        if not self._columns:
            self._warnings = rounding(block)
            self._columns = [
                LabelParts(asked) if has_objects or asked.categorical else NumberParts(asked)
                for asked in self._features
            ]
        values = np.empty(block.shape) if has_objects else np.array(block, np.float64, order="C")
        is_far = _is_far(block)
        for place, column in enumerate(self._columns):
            if isinstance(column, LabelParts):
                values[:, place] = column.add_cells(block[:, place].tolist())
            elif is_far[place]:
                column.note_exact(block[:, place].tolist())
        return values


def _is_far(block: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which columns have integers that float64 may merge with others."""
    if block.dtype.kind not in "iu" or block.dtype.itemsize < 8:
        return np.zeros(block.shape[1], np.bool_)
    far = (block >= MAX_EXACT_INTEGER) | (block <= -MAX_EXACT_INTEGER)
    return np.asarray(far.any(axis=0))


def is_dask(value: object) -> bool:
    """Return whether a value is one of Dask's collections, told by where its type is defined."""
    return type(value).__module__.partition(".")[0] in ("dask", "dask_expr")


@dataclass(frozen=True)
class DaskTable:
    """A Dask DataFrame, or a Dask Array of two dimensions.

    Parameters
    ----------
    native : dask.dataframe.DataFrame or dask.array.Array
        What was passed.
    """

    native: Any

    @classmethod
    def of(cls, X: Any) -> DaskTable:
        """Return the table of what a user passed as `X`."""
        _check_collection(X, "X")
        if X.ndim != 2:
            raise DataError(
                f"X must have two dimensions, got {X.ndim} ({type(X).__name__} of Dask). "
                "Pass one row per sample: X.to_frame() of a Series, X.reshape(-1, 1) of an Array."
            )
        return cls(X)

    @property
    def columns(self) -> list[Hashable]:
        """What the columns are called; nothing for an array."""
        return list(getattr(self.native, "columns", ()))

    @property
    def shape(self) -> tuple[None, int]:
        """Number of samples, which is not known before all are computed, and of features."""
        return None, int(self.native.shape[1])

    def parts(self) -> Iterator[Any]:
        """Yield the rows of one partition after the other, as a pandas frame or an array."""
        is_array = hasattr(self.native, "chunks")
        yield from _computed(_in_rows(self.native) if is_array else self.native)


def dask_labels(y: Any) -> NDArray[Any]:
    """Return a target that Dask computes as one array in memory."""
    _check_collection(y, "y")
    if y.ndim == 2 and y.shape[1] == 1:
        warn_of_column()
        y = y.iloc[:, 0] if hasattr(y, "iloc") else y[:, 0]
    target = TargetParts()
    for part in _computed(y):
        target.add(part)
    return target.finish()


def without_rows(X: Any) -> Any:
    """Return a small pandas frame with the columns of a Dask DataFrame; anything else as it is."""
    return X.dtypes.to_frame().T if is_dask(X) and hasattr(X, "dtypes") else X


def dask_columns(X: Any, chosen: NDArray[np.intp]) -> Any:
    """Return some columns of a Dask DataFrame or Array, which stay uncomputed."""
    return X.iloc[:, chosen.tolist()] if hasattr(X, "iloc") else X[:, chosen]


def _check_collection(value: Any, argument: str) -> None:
    # Asked of the type: a Delayed has every attribute.
    if not all(hasattr(type(value), name) for name in ("ndim", "shape", "to_delayed")):
        raise DataError(
            f"{argument} must be a DataFrame, a Series or an Array of Dask, got "
            f"{type(value).__name__}. Convert it, for example with to_dataframe()."
        )


def _in_rows(array: Any) -> Any:
    """Return an array of which every chunk has all columns."""
    if array.numblocks[1] == 1:
        return array
    n_rows = rows_at_once(array.shape[1])
    longest = max(array.chunks[0])
    # Chunks of unknown length (NaN) can only stay as they are.
    keep = longest != longest or longest <= n_rows
    return array.rechunk({1: -1} if keep else {0: n_rows, 1: -1})


def _computed(collection: Any) -> Iterator[Any]:
    for part in np.ravel(np.asarray(collection.to_delayed(), dtype=object)):
        yield part.compute()


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
    """Return the Dataset of an array or a frame, checked and ready to be measured.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features), or Dataset
        A NumPy array, a list of rows, or a pandas, polars or Arrow table. NaN and the nulls of
        frames are missing values and stay so. Booleans are the numbers 0 and 1. A float64 array
        in C order is shared, not copied, unless categorical features must be coded. A memory-mapped
        array, a Dask DataFrame and a Dask Array are read part by part, and end on disk if they
        are too large for memory. A Dataset is given back as it is; `y` must then be None.
    y : array-like of shape (n_samples,)
        Class labels (text, numbers or booleans, all of one type), or numbers; also a Series or
        an Array of Dask.
    categorical_features : "from_dtype", list of str or int, bool mask, or None
        Which features are categorical. "from_dtype": columns of text, category or enum; text that
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
        Classes are sorted; codes of categorical features follow the sorted order of their values,
        which are kept in `categories`.

    Raises
    ------
    DataError
        If the data cannot be measured; the message names the feature or sample and a way out.

    Examples
    --------
    >>> from fuzzyfrog.data import make_dataset
    >>> data = make_dataset([[1.0, "red"], [2.0, "blue"], [4.0, "red"]], ["no", "yes", "no"])
    >>> data.values.tolist(), data.categorical.tolist(), data.classes
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
    content = _convert(table, names, chosen_categorical(categorical_features, names))
    check_same_length(len(content.values), len(codes))
    notes = (*doubts_about_classes(classes, len(codes), target, "target"), *content.warnings)
    for warning in notes:
        warnings.warn(warning, UserWarning, stacklevel=2)
    return Dataset(
        content.values,
        codes,
        names,
        content.categorical,
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
    """Return what is held in memory, or mapped into it, as a frame or an array."""
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
    """Return a table of pandas, polars or another library behind one interface."""
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
    """Return the content of a memory-mapped array, which is shared if it holds float64."""
    if array.dtype == np.float64 and array.flags.forc and (chosen is None or not chosen.any()):
        return Content(array, (None,) * len(names))
    return gathered([array], names, chosen)


def _columns(
    frame: Frame, names: Sequence[str], chosen: NDArray[np.bool_] | None
) -> Iterator[Column]:
    for position, name in enumerate(names):
        asked = Feature(name, None if chosen is None else bool(chosen[position]))
        yield convert_series(column_of(frame, position), asked)
