"""The Dataset, the one form of data inside fuzzyfrog, and how to make one."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from fuzzyfrog.common.messages import count, listed, shown, suggested, warn
from fuzzyfrog.common.params import is_index
from fuzzyfrog.common.resources import is_on_disk
from fuzzyfrog.data.cells import is_missing
from fuzzyfrog.data.columns import Labels
from fuzzyfrog.data.dask_tables import DaskTable, dask_labels
from fuzzyfrog.data.gathering import Content, check_finite, check_shape, gathered, rows_at_once
from fuzzyfrog.data.target import (
    check_same_length,
    check_target_kind,
    encode_target,
    has_categories,
    notes_on_target,
)
from fuzzyfrog.data.weights import has_rare_class, unit_of
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result.parts import UNNAMED

Frame: TypeAlias = nw.DataFrame[Any]


@dataclass(frozen=True)
class SparseTable:
    """A sparse matrix of SciPy, in CSR format, whose rows are unpacked in blocks."""

    matrix: Any

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of samples and of features."""
        return self.matrix.shape  # type: ignore[no-any-return]

    def parts(self) -> Iterator[NDArray[Any]]:
        """Yield blocks of rows as arrays."""
        at_once = rows_at_once(self.shape[1])
        for first in range(0, self.shape[0], at_once):
            yield self.matrix[first : first + at_once].toarray()


Table: TypeAlias = NDArray[Any] | Frame | DaskTable | SparseTable


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of samples with a target, checked and ready to be measured.

    Parameters
    ----------
    values : float64[n_samples, n_features]
        One row per sample. A categorical feature holds codes 0, 1, 2, ...; a missing value is NaN.
        No value is infinite.
    target : int64[n_samples] or float64[n_samples]
        Codes into `classes`, or numbers when `classes` is None.
    feature_names : tuple of str
        Distinct names, one per feature.
    categorical : bool[n_features]
        True for features whose values are only equal or different.
    classes : tuple or None
        Labels of the classes in the order of their codes; None for a numeric target.
    target_name : str
        Name of the target column.
    name : str
        Name of the table, for messages and reports.
    categories : tuple of (tuple or None), or None
        For each feature its categories in the order of their codes, or None if it is numeric; None
        as a whole if only the codes are known.
    notes : tuple of str
        The warnings issued when the table was read.
    dates : frozenset of int
        The features that were dates; they hold days since 1970.
    rows : int64[n_samples], tuple of str, or None
        The line of the file that each sample is in, or its label; None if there is neither.
    row_word : str
        What such a line is called.
    label_name : str or None
        The column of the file that has these labels; None without one.
    n_left_out : int
        How many rows more than the table the file has.
    parts_of : mapping of str to str
        For each feature that is a part of a date, the column of the file that it comes from.
    groups : int64[n_samples] or None
        The same number for samples that belong together, such as those of a patient.
    weights : float64[n_samples] or None
        How much each sample counts; None if all count the same.
    weight_unit : float or None
        The weight that counts as one sample by the larger table that this is a part of.
    is_uneven : bool or None
        Whether that table has a class that is much rarer than another; None for a whole table.
    """

    values: NDArray[np.float64]
    target: NDArray[np.int64] | NDArray[np.float64]
    feature_names: tuple[str, ...]
    categorical: NDArray[np.bool_]
    classes: Labels | None
    target_name: str = "class"
    name: str = UNNAMED
    categories: tuple[Labels | None, ...] | None = None
    notes: tuple[str, ...] = ()
    dates: frozenset[int] = frozenset()
    rows: NDArray[np.int64] | tuple[str, ...] | None = None
    row_word: Literal["line", "row"] = "line"
    label_name: str | None = None
    n_left_out: int = 0
    parts_of: Mapping[str, str] = field(default_factory=dict)
    groups: NDArray[np.int64] | None = None
    weights: NDArray[np.float64] | None = None
    weight_unit: float | None = None
    is_uneven: bool | None = None

    def __repr__(self) -> str:
        kind = "a numeric target" if self.classes is None else f"{len(self.classes)} classes"
        n_categorical = int(np.count_nonzero(self.categorical))
        categorical = f" ({n_categorical:,} categorical)" if n_categorical else ""
        return (
            f"<Dataset {self.name!r}: {self.n_samples:,} samples, "
            f"{count(self.n_features, 'feature')}{categorical}, {self.target_name!r} with {kind}>"
        )

    @property
    def n_samples(self) -> int:
        """Number of samples (rows)."""
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features (columns)."""
        return int(self.values.shape[1])

    def take(self, rows: Any = None, columns: Any = None) -> Self:
        """Return a table of some samples and features; every field belongs to these.

        Parameters
        ----------
        rows, columns : indices or mask, default=None
            Which to take, in this order; None for all of them.

        Returns
        -------
        Dataset
            The values are a copy. Classes that no sample has are dropped.
        """
        samples = np.arange(self.n_samples)[slice(None) if rows is None else rows]
        features = np.arange(self.n_features)[slice(None) if columns is None else columns]
        target, classes = self.target[samples], self.classes
        if classes is not None and rows is not None:
            present, codes = np.unique(target, return_inverse=True)
            target = codes.astype(np.int64)
            classes = tuple(classes[one] for one in present.tolist())
        names, labels = self.rows, self.categories
        if isinstance(names, np.ndarray):
            names = names[samples]
        elif names is not None:
            names = tuple(names[one] for one in samples.tolist())
        kept = features.tolist()
        feature_names = tuple(self.feature_names[one] for one in kept)
        return replace(
            self,
            values=np.ascontiguousarray(
                self.values[:, features] if rows is None else self.values[np.ix_(samples, features)]
            ),
            target=target,
            feature_names=feature_names,
            categorical=self.categorical[features],
            classes=classes,
            categories=labels and tuple(labels[one] for one in kept),
            dates=frozenset(np.flatnonzero(np.isin(features, list(self.dates))).tolist()),
            rows=names,
            n_left_out=self.n_left_out + self.n_samples - len(samples),
            parts_of={one: self.parts_of[one] for one in feature_names if one in self.parts_of},
            groups=None if self.groups is None else self.groups[samples],
            weights=None if self.weights is None else self.weights[samples],
            weight_unit=None if self.weights is None else self.weight_unit or unit_of(self.weights),
            is_uneven=None if classes is None else has_rare_class(self),
        )


def make_dataset(
    X: object,
    y: object = None,
    *,
    categorical_features: object = "from_dtype",
    target: str = "auto",
    feature_names: Sequence[str] | None = None,
    target_name: str = "class",
    name: str = "table",
    least: int = 2,
) -> Dataset:
    """Return the Dataset of an array or a frame, checked and ready to be measured.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features), or Dataset
        A NumPy array, a list of rows, a pandas, polars or Arrow table, or a Dask DataFrame or
        Array. NaN and the nulls of frames are missing values and stay missing. Booleans are the
        numbers 0 and 1. A float64 array in C order is shared, not copied, unless categorical
        features must be coded. All else is converted part by part, into a temporary file if it is
        too large for memory. A Dataset is returned unchanged; `y` must then be None.
    y : array-like of shape (n_samples,)
        Class labels (text, numbers or booleans, all of one type), or numbers; also a Series or
        an Array of Dask.
    categorical_features : "from_dtype", list of str or int, bool mask, or None
        Which features are categorical. "from_dtype": columns of text, category or enum; text that
        holds only numbers is read as numbers, with a warning. A list or a mask names all
        categorical features; None means none.
    target : {"auto", "class", "numeric"}
        "auto" treats numbers as a numeric target if any has a fractional part, or if there are more
        than 20 different ones that do not look like codes (consecutive from 0 or 1, all of them
        frequent), or more than five of which over a third are in fewer than five samples, and
        everything else as class labels.
    feature_names : sequence of str, optional
        Names to use; by default those of the frame, or "x0", "x1", ... where there are none.
    target_name : str
        Name of the target.
    name : str
        Name of the table, for messages and reports.
    least : int
        Lowest number of samples, and of different targets; 1 for rows to add to another table.

    Returns
    -------
    Dataset
        Classes are sorted; codes of categorical features follow the sorted order of their values,
        which are kept in `categories`.

    Raises
    ------
    DataError
        If the data cannot be measured; the message names the feature or sample and how to fix it.
    ParameterError
        If another argument is not valid.

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
    table: Table
    if is_dask(X):
        table = DaskTable.of(X)
    else:
        table = SparseTable(X.tocsr()) if is_sparse(X) else as_table(X)  # type: ignore[attr-defined]
    n_samples, n_features = table.shape
    check_shape(n_samples, n_features, least)
    names = check_names(_names(table, n_features, feature_names), n_features)
    kind = "class" if target == "auto" and has_categories(y) else target
    codes, classes = encode_target(labels, n_samples, kind, least)
    content = _content(table, names, chosen_categorical(categorical_features, names), least)
    check_same_length(len(content.values), len(codes))
    notes = (*notes_on_target((codes, classes), target, "target"), *content.warnings)
    for warning in notes:
        warn(warning)
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
        content.dates,
    )


def group_numbers(groups: object, n_samples: int) -> NDArray[np.int64]:
    """Return a number for each sample, the same for equal labels; without a label it is alone.

    Raises
    ------
    DataError
        If there is not one label for each sample.
    """
    labels = np.asarray(groups, dtype=object)
    if labels.shape != (n_samples,):
        raise DataError(
            f"groups must have a label for each of the {n_samples:,} samples, got "
            f"{'a single value' if labels.ndim == 0 else f'an array of shape {labels.shape}'}. "
            f"{'Pass the column itself, not its name. ' if isinstance(groups, str) else ''}"
            "Samples with the same label belong together."
        )
    numbers: dict[Hashable, int] = {}
    found = np.empty(n_samples, np.int64)
    for place, label in enumerate(labels.tolist()):
        group = (place, None) if is_missing(label) else label
        try:
            found[place] = numbers.setdefault(group, len(numbers))
        except TypeError:  # such as a dict
            got = f"{shown(label)} for sample {place}"
            raise DataError(f"groups must be labels such as text or numbers, got {got}.") from None
    return found


def _unchanged(data: Dataset, y: object) -> Dataset:
    if y is not None:
        raise DataError(
            "y must be None when X is a Dataset, which has its own target, got "
            f"{type(y).__name__}. Pass X.values together with y to change the target."
        )
    return data


def _content(
    table: Table, names: Sequence[str], chosen: NDArray[np.bool_] | None, least: int
) -> Content:
    if isinstance(table, np.ndarray) and _is_shared(table, chosen):
        check_finite(table, names)
        return Content(table, (None,) * len(names))
    if isinstance(table, DaskTable | SparseTable):
        return gathered(map(as_table, table.parts()), names, chosen, least)
    return gathered([table], names, chosen, least)


def _is_shared(array: NDArray[Any], chosen: NDArray[np.bool_] | None) -> bool:
    """Whether an array can be used as it is: float64 in C order, or on disk in either order."""
    if array.dtype != np.float64 or (chosen is not None and chosen.any()):
        return False
    return array.flags.c_contiguous or (array.flags.f_contiguous and is_on_disk(array))


def as_table(X: object) -> NDArray[Any] | Frame:
    """Return a table in memory, or mapped into it, as a frame or an array."""
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
    """Return a pandas, polars or Arrow table behind one interface."""
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


def as_matrix(X: object) -> NDArray[Any]:
    """Return `X` as a two-dimensional array of numbers or objects."""
    _refuse_disguised(X)
    try:
        array = np.asarray(X)
        if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
            # NumPy turned the numbers in a mixed list into text: keep the objects as they are.
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
    """Refuse data that NumPy would accept and silently misread."""
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


def is_sparse(value: object) -> bool:
    """Whether a value is a sparse matrix or array of SciPy."""
    return type(value).__module__.startswith("scipy.sparse")


def is_dask(value: object) -> bool:
    """Whether a value is a Dask collection, by where its type is defined."""
    return type(value).__module__.partition(".")[0] in ("dask", "dask_expr")


def without_rows(X: Any) -> Any:
    """Return a small pandas frame with the columns of a Dask DataFrame; anything else as it is."""
    return X.dtypes.to_frame().T if is_dask(X) and hasattr(X, "dtypes") else X


def _names(
    table: Table, n_features: int, feature_names: Sequence[str] | None
) -> Sequence[Hashable]:
    if feature_names is not None:
        return list(feature_names)
    columns: list[Hashable] = []
    if not isinstance(table, np.ndarray | SparseTable):
        columns = list(table.columns)
    if any(isinstance(column, str) for column in columns):
        return columns
    # Like scikit-learn: without any text among them, 0, 1, 2, ... are not names.
    return [f"x{position}" for position in range(n_features)]


def check_names(names: Sequence[object], n_features: int) -> tuple[str, ...]:
    """Return the feature names, or raise unless they are distinct texts, one per feature."""
    if len(names) != n_features:
        raise DataError(
            "feature_names must have one name per feature, got "
            f"{count(len(names), 'name')} for {count(n_features, 'feature')}. "
            "Pass as many names as X has columns."
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


def chosen_categorical(
    categorical_features: object, feature_names: Sequence[str]
) -> NDArray[np.bool_] | None:
    """Return the mask of the features named as categorical, or None if the dtype decides."""
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        return None
    if categorical_features is None:
        categorical_features = ()
    return feature_mask(
        "categorical_features", categorical_features, feature_names, or_else="'from_dtype', None, "
    )


def feature_mask(
    where: str, features: object, names: Sequence[str], or_else: str = ""
) -> NDArray[np.bool_]:
    """Return the mask of the features that a parameter gives by names, by indices or as a mask."""
    items = features.tolist() if isinstance(features, np.ndarray) else features
    if isinstance(items, str) or not isinstance(items, Iterable):
        rule = f"be {or_else}a list of names or indices, or a mask"
        raise ParameterError(where, rule, shown(features))
    items = list(items)
    if items and all(isinstance(item, bool | np.bool_) for item in items):
        if len(items) != len(names):
            got = f"{count(len(items), 'entry', 'entries')} for {count(len(names), 'feature')}"
            raise ParameterError(where, "have one entry per feature if it is a mask", got)
        return np.array(items, np.bool_)
    mask = np.zeros(len(names), np.bool_)
    mask[[feature_index(where, item, names) for item in items]] = True
    return mask


def feature_index(
    where: str, feature: object, names: Sequence[str], others: Iterable[str] = ()
) -> int:
    """Return the index of a feature that a parameter gives by name or index.

    `others` are names that could have been meant.
    """
    if isinstance(feature, str):
        if feature in names:
            return names.index(feature)
        hint = suggested(feature, [*names, *others])
        raise ParameterError(where, "name features", shown(feature), hint)
    if is_index(feature) and 0 <= feature < len(names):
        return int(feature)
    rule = f"have names of features, or indices from 0 to {len(names) - 1}"
    raise ParameterError(where, rule, shown(feature))
