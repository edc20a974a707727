"""Single cells: which are missing, which are numbers, which codes categorical ones get."""

from __future__ import annotations

import numbers
import re
import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.data.dataset import Labels
from fuzzyfrog.errors import DataError

__all__ = [
    "MAX_EXACT_INTEGER",
    "MISSING",
    "CategoryCoder",
    "Column",
    "Feature",
    "LabelParts",
    "NotANumberError",
    "NumberParts",
    "TargetParts",
    "categorical_column",
    "coded",
    "codes_among_numbers",
    "column_of",
    "convert_objects",
    "convert_series",
    "dtype_name",
    "flat_labels",
    "is_missing",
    "kind_of",
    "may_merge",
    "merges_integers",
    "parse_numbers",
    "parts_of_series",
    "slips_among_numbers",
    "warn_of_column",
]

# Texts that mean "no value" in a feature of a text file, spelled exactly so; "none" and "Na"
# are left out, as they are categories in real tables.
MISSING = frozenset(
    {"", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None"}
)

_MOST_STRAYS, _LEAST_NUMBERS = 3, 20
_INTEGER = re.compile(r"[+-]?\d+")
_COMMA_NUMBER = re.compile(r"[+-]?[\d.]*\d,\d[\d.,]*(e[+-]?\d+)?", re.IGNORECASE)
_POINT_NUMBER = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+\.\d+)(,\d+)?")  # no date
_SWAPPED = str.maketrans(",.", ".,")
_PADDED = re.compile(r"0\d\d+")


class NotANumberError(ValueError):
    """A cell of a column is not a number; `position` says which."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def is_missing(cell: object) -> bool:
    """Return whether an object stands for a missing value: None, NaN, or the NA of a library."""
    if cell is None:
        return True
    if isinstance(cell, Decimal):
        return cell.is_nan()  # there is one that cannot even be compared
    if isinstance(cell, numbers.Number):
        return bool(cell != cell)
    # The NA and NaT of pandas are known by name, so that pandas need not be imported.
    return type(cell).__name__ in ("NAType", "NaTType")


def parse_numbers(cells: Sequence[str], decimal: str = ".") -> NDArray[np.float64]:
    """Return the numbers of a column of text, NaN where it is missing."""
    if decimal == ",":  # then a point makes a cell no number, as a comma does elsewhere
        cells = [cell.translate(_SWAPPED) for cell in cells]
    try:
        parsed = np.fromiter(map(float, cells), np.float64, count=len(cells))
    except ValueError:
        return _parse_one_by_one(cells)
    # Python reads "1_000" as a number, people do not write tables so.
    return _parse_one_by_one(cells) if "_" in "".join(cells) else parsed


def merges_integers(cells: Sequence[str], parsed: NDArray[np.float64]) -> bool:
    """Return whether texts of different integers became the same float64."""
    large = np.flatnonzero(np.isfinite(parsed) & (np.abs(parsed) >= 2.0**53)).tolist()
    exact = {Decimal(cells[row]) for row in large if _INTEGER.fullmatch(cells[row].strip())}
    return len(exact) > len({float(one) for one in exact})


def _parse_one_by_one(cells: Sequence[str]) -> NDArray[np.float64]:
    parsed = np.full(len(cells), np.nan)
    for position, cell in enumerate(cells):
        if cell.strip() in MISSING:
            continue
        if "_" in cell:
            raise NotANumberError(position)
        try:
            parsed[position] = float(cell)
        except ValueError:
            raise NotANumberError(position) from None
    return parsed


class CategoryCoder:
    """Gives each distinct value of a categorical feature a code, block by block.

    Parameters
    ----------
    missing : frozenset of str
        Texts that mean "no value", beside None, NaN and NA.
    """

    def __init__(self, missing: frozenset[str] = frozenset()) -> None:
        self._missing = missing
        self._codes: dict[Hashable, int] = {}

    @property
    def values(self) -> tuple[Hashable, ...]:
        """The distinct values, in the order of their appearance."""
        return tuple(self._codes)

    def encode(self, cells: Iterable[Any]) -> NDArray[np.float64]:
        """Return the code of each cell, counted by first appearance; NaN where it is missing."""
        return np.array([self._code(cell) for cell in cells], dtype=np.float64)

    def _code(self, cell: Any) -> float:
        if isinstance(cell, str):
            cell = cell.strip()
            if cell in self._missing:
                return np.nan
        elif is_missing(cell):
            return np.nan
        return self._codes.setdefault(cell, len(self._codes))

    def sort(self, codes: NDArray[np.float64]) -> tuple[Hashable, ...]:
        """Turn codes by appearance, in place, into codes by the sorted order of the values.

        The codes then do not depend on the order of the samples. Gives the sorted values.
        """
        order = sorted(self._codes, key=lambda value: (type(value).__name__, value))
        rank = np.empty(len(order))
        rank[[self._codes[value] for value in order]] = np.arange(len(order))
        present = ~np.isnan(codes)
        codes[present] = rank[codes[present].astype(np.intp)]
        return tuple(order)


def has_decimal_commas(values: Iterable[object]) -> bool:
    """Return whether texts are numbers but for commas, as in "3,14" or "1,234.5"."""
    texts = [str(value) for value in values]
    with_comma = [text for text in texts if _COMMA_NUMBER.fullmatch(text)]
    without = [text for text in texts if not _COMMA_NUMBER.fullmatch(text)]
    return bool(with_comma) and all_numbers(without)


def has_points(values: Iterable[object]) -> bool:
    """Return whether texts are numbers with a decimal comma but for points, as in "1.234,5"."""
    texts = [str(value) for value in values]
    without = [text for text in texts if not _POINT_NUMBER.fullmatch(text)]
    return len(without) < len(texts) and all_numbers(without, ",")


def first_padded(cells: Iterable[str]) -> str | None:
    """Return the first whole number with a leading zero, as codes have; None without any."""
    return next((text for cell in cells if _PADDED.fullmatch(text := cell.strip())), None)


def strays(values: Sequence[Hashable], decimal: str = ".") -> list[str]:
    """Return the texts among distinct values that are numbers otherwise: slips, not labels.

    Nothing unless there are at most 3 of them among at least 20 different numbers.
    """
    texts = [str(value) for value in values]
    others = [text for text in texts if not all_numbers([text], decimal)]
    is_slip = len(others) <= _MOST_STRAYS and len(texts) - len(others) >= _LEAST_NUMBERS
    return others if is_slip else []


def all_numbers(texts: Sequence[str], decimal: str = ".") -> bool:
    """Return whether every text is a number or missing."""
    try:
        parse_numbers(texts, decimal)
    except NotANumberError:
        return False
    return True


def flat_labels(y: object) -> NDArray[Any]:
    """Return `y` as an array of one dimension: of a plain dtype, or of Python objects."""
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
    """Return an array of numbers or of booleans where all items are that, else of objects.

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


# From here on float64 cannot tell every integer from its neighbor.
MAX_EXACT_INTEGER = 2**53


@dataclass(frozen=True)
class Column:
    """A converted column.

    Parameters
    ----------
    values : float64[n_samples]
        Numbers, or codes of a categorical feature; NaN where the value is missing.
    labels : tuple or None
        What the codes stand for; None for a numeric feature.
    warning : str or None
        What the user should know of it.
    """

    values: NDArray[np.float64]
    labels: Labels | None = None
    warning: str | None = None

    def replace_codes(self, codes: NDArray[np.float64]) -> None:
        """Put values of this column in the place of their positions; NaN stays NaN."""
        present = ~np.isnan(codes)
        codes[present] = self.values[codes[present].astype(np.intp)]


@dataclass(frozen=True)
class Feature:
    """What is asked of a column.

    Parameters
    ----------
    name : str
        Name of the feature, for messages.
    categorical : bool or None
        Whether the feature was named as categorical; None where its dtype is to decide.
    """

    name: str
    categorical: bool | None


def column_of(frame: nw.DataFrame[Any], place: int) -> nw.Series[Any]:
    """Return a column of a frame, dense where pandas keeps it sparse."""
    series = frame[:, place]
    native = series.to_native()
    if series.dtype == nw.Unknown and hasattr(native, "sparse"):
        return nw.from_native(native.sparse.to_dense(), series_only=True)
    return series


def convert_series(series: nw.Series[Any], feature: Feature) -> Column:
    """Return the column of a frame as float64."""
    dtype = series.dtype
    if dtype in (nw.Categorical, nw.Enum):
        return convert_objects(series.to_list(), feature, declared=True)
    if dtype in (nw.String, nw.Object) or (dtype == nw.Boolean and feature.categorical):
        return convert_objects(series.to_list(), feature)
    if dtype != nw.Boolean and not dtype.is_numeric():
        if series.null_count() == len(series):  # polars and Arrow have a type for nothing
            return convert_objects([None] * len(series), feature)
        raise unusable(feature.name, dtype_name(series))
    if may_merge(series) or (dtype == nw.Decimal and feature.categorical):
        return convert_objects(series.to_list(), feature)
    column = np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return coded(column) if feature.categorical else Column(column)


def dtype_name(series: nw.Series[Any]) -> str:
    """Return the type of a column, as its own library calls it where that is all there is."""
    native = series.to_native()
    is_known = series.dtype != nw.Unknown
    return str(series.dtype if is_known else getattr(native, "dtype", None) or native.type)


def may_merge(series: nw.Series[Any]) -> bool:
    """Whether a column of integers or decimals has some that float64 may merge with others."""
    if not series.dtype.is_integer() and series.dtype != nw.Decimal:
        return False
    low, high = series.min(), series.max()
    return any(
        not is_missing(bound) and abs(int(bound)) >= MAX_EXACT_INTEGER for bound in (low, high)
    )


def convert_objects(cells: Sequence[Any], feature: Feature, *, declared: bool = False) -> Column:
    """Return a column of Python objects as float64.

    Text is categorical unless `feature` says otherwise; text that holds only numbers is read as
    numbers, with a warning, unless the dtype of the column is `declared` to be categorical.
    """
    kinds = {kind_of(cell, feature) for cell in cells} - {"missing"}
    if feature.categorical or (declared and feature.categorical is None):
        return categorical_column(cells)
    if kinds == {"number", "text"}:
        text = next(cell for cell in cells if isinstance(cell, str))
        raise DataError(
            f"feature {shown(feature.name)} must hold numbers or text, not both, got "
            f"{shown(text)} among numbers. Replace the text, or convert the column to text."
        )
    if "text" not in kinds:
        return Column(_numbers(cells, feature))
    return _text(cells, feature)


def _text(cells: Sequence[Any], feature: Feature) -> Column:
    texts = ["" if is_missing(cell) else cell for cell in cells]
    if all_numbers(texts):
        warning = (
            f"feature {shown(feature.name)} holds numbers as text, they are read as numbers. "
            "Convert the column, or name it in categorical_features if its values are labels."
        )
        return Column(parse_numbers(texts), warning=warning)
    if feature.categorical is None:
        column = categorical_column(cells)
        found = strays(column.labels or ())
        return (
            replace(column, warning=slips_among_numbers(feature.name, found)) if found else column
        )
    text = next(cell for cell in texts if not all_numbers([cell]))
    raise not_listed(feature.name, text)


def not_listed(name: str, text: str) -> DataError:
    """Return the error for text in a feature that was not named as categorical."""
    return DataError(
        f"feature {shown(name)} must be a number, got {shown(text)}. Name it in "
        "categorical_features to make it categorical, or leave that at 'from_dtype'."
    )


def slips_among_numbers(name: str, found: Sequence[str]) -> str:
    """Return the warning for a feature that is categorical because of a few texts among numbers."""
    return (
        f"feature {shown(name)} holds numbers except {listed(found)}, so it is categorical: "
        "only equality of its values counts. Correct these cells, or empty them to mark them as "
        "missing."
    )


def codes_among_numbers(name: str, cell: str) -> str:
    """Return the warning for a feature of whole numbers of which some have leading zeros."""
    return (
        f"feature {shown(name)} holds whole numbers with leading zeros, such as {shown(cell)}, and "
        "is read as numbers: close ones count as similar. Name it in categorical if they are codes."
    )


def categorical_column(cells: Sequence[Any]) -> Column:
    """Return the codes of labels, in the sorted order of these."""
    coder = CategoryCoder()
    codes = coder.encode(cells)
    return Column(codes, coder.sort(codes))


def kind_of(cell: Any, feature: Feature) -> str:
    """Return "text", "number" or "missing", or refuse what a cell must not be."""
    if isinstance(cell, str):
        return "text"
    if is_missing(cell):
        return "missing"
    if isinstance(cell, bool | np.bool_ | numbers.Real) or _is_decimal(cell):
        return "number"
    raise unusable(feature.name, type(cell).__name__)


def _is_decimal(cell: object) -> bool:
    # Decimal is a Number that is neither Real nor Complex.
    return isinstance(cell, numbers.Number) and not isinstance(cell, numbers.Complex)


def _numbers(cells: Sequence[Any], feature: Feature) -> NDArray[np.float64]:
    try:
        column = np.array(
            [np.nan if is_missing(cell) else float(cell) for cell in cells], dtype=np.float64
        )
    except OverflowError:
        raise merged(feature.name) from None
    if np.nanmax(np.abs(column), initial=0.0) >= MAX_EXACT_INTEGER:
        exact = {cell for cell in cells if not is_missing(cell)}
        if len(exact) > np.unique(column[~np.isnan(column)]).size:
            raise merged(feature.name)
    return column


def coded(column: NDArray[Any]) -> Column:
    """Return the codes 0, 1, 2, ... of a column of numbers, in their order; NaN stays NaN."""
    codes = np.full(column.shape, np.nan)
    present = ~np.isnan(column)
    labels, codes[present] = np.unique(column[present], return_inverse=True)
    return Column(codes, tuple(labels.tolist()))


def merged(name: str) -> DataError:
    """Return the error for integers or decimals that would become equal in float64."""
    return DataError(
        f"feature {shown(name)} must hold numbers that float64 can tell apart, got distinct "
        "values beyond 2**53 that would become equal. Subtract an offset, drop the column if "
        "it is an id, or name it in categorical_features if its values are labels."
    )


def unusable(name: str, kind: str) -> DataError:
    """Return the error for a column whose type is neither a number nor a label."""
    return DataError(
        f"feature {shown(name)} must hold numbers, booleans or text, got {kind}. "
        f"{_way_out(kind.lower())}"
    )


def _way_out(kind: str) -> str:
    if "complex" in kind:
        return "Complex data not supported: pass real and imaginary parts as two features."
    if any(word in kind for word in ("date", "time", "duration", "period")):
        return "Convert dates to numbers, for example to days since the first."
    if "bytes" in kind or "binary" in kind or kind.startswith("|s"):
        return "Decode bytes to text with .decode()."
    if kind.startswith("float"):  # longer ones than any library of frames knows
        return "Convert the column with astype(float)."
    return "Convert or drop the column."


FloatArray: TypeAlias = NDArray[np.float64]
Series: TypeAlias = "nw.Series[Any]"

_LABELS = (nw.Categorical, nw.Enum, nw.String, nw.Object)


def parts_of_series(first: Series, feature: Feature) -> LabelParts | NumberParts:
    """Return what collects a column of a frame, told by its first part."""
    is_plain = _has_numbers(first) and not feature.categorical
    return NumberParts(feature) if is_plain else LabelParts(feature)


def _has_numbers(part: Series) -> bool:
    return part.dtype == nw.Boolean or part.dtype.is_numeric()


def _is_empty(part: Series) -> bool:
    # Arrow and polars have a type for nothing.
    return bool(part.null_count() == len(part))


class LabelParts:
    """Collects a column of labels, or of text and objects that may turn out to be numbers.

    Every distinct value gets a code by its first appearance. What the codes mean is decided at
    the end, by the distinct values alone: they tell all that the whole column would.

    Parameters
    ----------
    feature : Feature
        What is asked of the column.
    """

    def __init__(self, feature: Feature) -> None:
        self._feature = feature
        self._coder = CategoryCoder()
        self._is_declared = False
        self._has_integer_dtype = False

    def add(self, part: Series) -> FloatArray:
        """Return the codes of a part of a frame's column."""
        dtype = part.dtype
        self._is_declared |= dtype in (nw.Categorical, nw.Enum)
        if dtype not in _LABELS and not _has_numbers(part):
            if not _is_empty(part):
                raise unusable(self._feature.name, dtype_name(part))
            return np.full(len(part), np.nan)
        self._has_integer_dtype |= dtype.is_integer()
        if dtype.is_float():
            part = part.cast(nw.Float64)
        return self.add_cells(part.to_list())

    def add_cells(self, cells: Sequence[Any]) -> FloatArray:
        """Return the codes of a part that is a list of objects."""
        for cell in cells:
            kind_of(cell, self._feature)  # refuses what is no value, before it is looked up
        return self._coder.encode(cells)

    def finish(self) -> Column:
        """Return the column of the distinct values: what each code by appearance stands for."""
        values: list[Any] = list(self._coder.values)
        if self._has_integer_dtype and all(map(_is_exact, values)):
            values = [float(value) for value in values]
        return convert_objects(values, self._feature, declared=self._is_declared)


def _is_exact(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < MAX_EXACT_INTEGER


class NumberParts:
    """Collects a column of numbers.

    Parameters
    ----------
    feature : Feature
        What is asked of the column.
    """

    def __init__(self, feature: Feature) -> None:
        self._feature = feature
        # What float64 may round, numbers above zero and the others without their sign.
        self._huge: dict[int, list[NDArray[Any]]] = {1: [], -1: []}

    def add(self, part: Series) -> FloatArray:
        """Return the numbers of a part of a frame's column."""
        if not _has_numbers(part):
            return self._without_values(part)
        if may_merge(part):
            cells = part.to_list()
            self.note_exact([cell for cell in cells if not is_missing(cell)])
            return convert_objects(cells, self._feature).values
        return np.array(part.cast(nw.Float64).to_numpy(), dtype=np.float64)

    def _without_values(self, part: Series) -> FloatArray:
        if _is_empty(part):
            return np.full(len(part), np.nan)
        raise DataError(
            f"feature {shown(self._feature.name)} must have one type in the whole table, got "
            f"{dtype_name(part)} after numbers. Convert the column to one type."
        )

    def note_exact(self, exact: Sequence[Any]) -> None:
        """Keep the integers and decimals that float64 may merge with others."""
        for sign, kept in self._huge.items():
            found = {sign * one for one in exact if sign * one >= MAX_EXACT_INTEGER}
            is_short = all(isinstance(one, int) and one < 2**64 for one in found)
            kept.append(np.fromiter(found, np.uint64 if is_short else object, count=len(found)))

    def finish(self) -> None:
        """Refuse numbers that became equal; the numbers are what they are."""
        for kept in self._huge.values():
            exact = np.unique(np.concatenate(kept)) if kept else np.empty(0)
            if np.unique(exact.astype(np.float64)).size < exact.size:
                raise merged(self._feature.name)


class TargetParts:
    """Collects a target that comes in parts."""

    def __init__(self) -> None:
        self._parts: list[NDArray[Any]] = []
        self._texts: dict[str, str] = {}

    def add(self, part: object) -> None:
        """Keep a part."""
        labels = flat_labels(part).copy()  # a view would keep all that it is a part of
        if labels.dtype == object:
            labels[:] = [self._shared(label) for label in labels.tolist()]
        self._parts.append(labels)

    def _shared(self, label: Any) -> Any:
        # Equal texts share one object, so a long table keeps few of them.
        return self._texts.setdefault(label, label) if isinstance(label, str) else label

    def finish(self) -> NDArray[Any]:
        """Return the whole target, as `flat_labels` gives it."""
        if len({part.dtype.kind for part in self._parts}) > 1:
            self._parts = [part.astype(object) for part in self._parts]
        return np.concatenate(self._parts) if self._parts else np.empty(0)
