"""The Dataset, the one form of data inside fuzzyfrog, and how to make one."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from fuzzyfrog.common.messages import count, listed, shown, suggested, warn
from fuzzyfrog.common.params import is_index
from fuzzyfrog.common.resources import is_on_disk
from fuzzyfrog.data.cells import is_missing
from fuzzyfrog.data.columns import Labels
from fuzzyfrog.data.gathering import Content, check_finite, check_shape, gathered, rows_at_once
from fuzzyfrog.data.target import (
    TargetParts,
    check_same_length,
    check_target_kind,
    encode_target,
    has_categories,
    notes_on_target,
    warn_of_column,
)
from fuzzyfrog.data.weights import has_rare_class, unit_of
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result.parts import UNNAMED

Frame: TypeAlias = nw.DataFrame[Any]


class TableInParts(NamedTuple):
    """A sparse matrix or a collection of Dask, of which some rows at a time are in memory."""

    shape: tuple[int | None, int]  # the number of samples may be unknown until all are computed
    columns: Sequence[Hashable]  # their names; none for an array
    parts: Iterable[Any]


Table: TypeAlias = NDArray[Any] | Frame | TableInParts


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
        if y is not None:
            raise DataError(
                "y must be None when X is a Dataset, which has its own target, got "
                f"{type(y).__name__}. Pass X.values together with y to change the target."
            )
        return X
    check_target_kind(target, "target")
    labels = _dask_labels(y) if is_dask(y) else y
    table = dask_table(X) if is_dask(X) else sparse_table(X) if is_sparse(X) else as_table(X)
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


def _content(
    table: Table, names: Sequence[str], chosen: NDArray[np.bool_] | None, least: int
) -> Content:
    if isinstance(table, TableInParts):
        return gathered(map(as_table, table.parts), names, chosen, least)
    is_numeric = chosen is None or not chosen.any()
    if isinstance(table, np.ndarray) and table.dtype == np.float64 and is_numeric:
        is_by_column = table.flags.f_contiguous and is_on_disk(table)
        if table.flags.c_contiguous or is_by_column:  # it can be used as it is
            check_finite(table, names)
            return Content(table, (None,) * len(names))
    return gathered([table], names, chosen, least)


def sparse_table(matrix: Any) -> TableInParts:
    """Return a sparse matrix of SciPy as blocks of rows."""
    rows, at_once = matrix.tocsr(), rows_at_once(matrix.shape[1])
    firsts = range(0, matrix.shape[0], at_once)
    return TableInParts(
        matrix.shape, (), (rows[first : first + at_once].toarray() for first in firsts)
    )


def dask_table(X: Any) -> TableInParts:
    """Return a Dask DataFrame, or an Array with two dimensions, as its partitions."""
    _check_collection(X, "X")
    if X.ndim != 2:
        raise DataError(
            f"X must have two dimensions, got {X.ndim} ({type(X).__name__} of Dask). "
            "Pass one row per sample: X.to_frame() of a Series, X.reshape(-1, 1) of an Array."
        )
    parts = _computed(_in_rows(X) if hasattr(X, "chunks") else X)
    return TableInParts((None, int(X.shape[1])), list(getattr(X, "columns", ())), parts)


def _dask_labels(y: Any) -> Any:
    """Return a Dask target as one array in memory."""
    _check_collection(y, "y")
    if y.ndim == 2 and y.shape[1] == 1:
        warn_of_column()
        y = y.iloc[:, 0] if hasattr(y, "iloc") else y[:, 0]
    target = TargetParts()
    for part in _computed(y):
        target.add(part)
    return target.finish()


def _check_collection(value: Any, argument: str) -> None:
    # Asked of the type: a Delayed has every attribute.
    if not all(hasattr(type(value), name) for name in ("ndim", "shape", "to_delayed")):
        raise DataError(
            f"{argument} must be a DataFrame, a Series or an Array of Dask, got "
            f"{type(value).__name__}. Convert it, for example with to_dataframe()."
        )


def _in_rows(array: Any) -> Any:
    """Return a Dask Array whose chunks hold all columns."""
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
    columns = [] if isinstance(table, np.ndarray) else list(table.columns)
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
    given = () if categorical_features is None else categorical_features
    return feature_mask(
        "categorical_features", given, feature_names, or_else="'from_dtype', None, "
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
