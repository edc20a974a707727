"""The features of a table -> float64, collected from parts; a whole table is one part.

`Gathering` takes arrays and frames. For each feature an object turns the cells of a part into
numbers, or into codes by first appearance, and says at the end what the codes stand for.
"""

import numbers
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import MAX_ITEMS, Sentence, Setting, listed, shown
from fuzzyfrog.common.resources import GrowingTable
from fuzzyfrog.data.cells import (
    CategoryCoder,
    TextNumbers,
    all_numbers,
    is_missing,
    parse_numbers,
    read_texts,
)
from fuzzyfrog.errors import DataError

FloatArray: TypeAlias = NDArray[np.float64]
Series: TypeAlias = "nw.Series[Any]"
Part: TypeAlias = "NDArray[Any] | nw.DataFrame[Any]"
Labels: TypeAlias = tuple[Hashable, ...]

BLOCK_CELLS = 2**20  # cells of a table that are converted at once: about 8 MB
LEAST_FRAME_ROWS = 1000  # below, the call for each column of a frame costs more than its cells
MAX_EXACT_INTEGER = 2**53  # from here on float64 cannot tell every integer from its neighbor
MILLISECONDS = 86_400_000  # of a day
_LABELS = (nw.Categorical, nw.Enum, nw.String, nw.Object)


@dataclass(frozen=True)
class Feature:
    """A feature's name, and whether the user named it as categorical (None: the dtype decides).

    `keeps_text` says that "25.0%" and the like are labels.
    """

    name: str
    categorical: bool | None
    keeps_text: bool = False


@dataclass(frozen=True)
class Column:
    """What is known about a feature once all its cells have been seen.

    Parameters
    ----------
    values : float64[n_codes] or None
        What each code by first appearance becomes; None if the cells already are numbers.
    labels : tuple or None
        The categories, in the order of their final codes; None for a numeric feature.
    warning : str or None
        What the user should know about it.
    reading : str
        How texts were read as numbers, as in "'price' ('$15,900.00' as 15900)".
    gaps : str
        Words among labels that were taken as missing, as in "37 'None' in 'plan'".
    is_date : bool
        Whether the numbers are days since 1970.
    """

    values: FloatArray | None = None
    labels: Labels | None = None
    warning: str | None = None
    reading: str = ""
    gaps: str = ""
    is_date: bool = False


@dataclass(frozen=True)
class Content:
    """The features of a table.

    Parameters
    ----------
    values : float64[n_samples, n_features]
        Numbers, and codes of categorical features; NaN where a value is missing.
    labels : tuple of (tuple or None)
        The categories of each feature, in the order of their codes; None for a numeric one.
    warnings : tuple of str
        What the user should know about the table.
    dates : frozenset of int
        The features that are dates, as days since 1970.
    """

    values: FloatArray
    labels: tuple[Labels | None, ...]
    warnings: tuple[str, ...] = ()
    dates: frozenset[int] = frozenset()

    @property
    def categorical(self) -> NDArray[np.bool_]:
        """The mask of the categorical features."""
        return np.array([labels is not None for labels in self.labels], dtype=np.bool_)


def gathered(
    parts: Iterable[Part], names: Sequence[str], chosen: NDArray[np.bool_] | None
) -> Content:
    """Return the content of a table whose parts are arrays or frames with the same columns."""
    gathering = Gathering(names, [None] * len(names) if chosen is None else chosen.tolist())
    for part in parts:
        gathering.add(part)
    return gathering.finish()


class Gathering:
    """Collects the parts of a table; `kinds` says which features were named as categorical."""

    def __init__(
        self, names: Sequence[str], kinds: Sequence[bool | None], *, keeps_text: bool = False
    ) -> None:
        self._names = names
        self._features = [
            Feature(name, kind, keeps_text) for name, kind in zip(names, kinds, strict=True)
        ]
        self._columns: list[LabelParts | NumberParts | DateParts] = []
        self._table = GrowingTable(len(names))
        self._warnings: tuple[str, ...] = ()

    def add(self, part: Part) -> None:
        """Take the next rows: an array or a frame with one column per feature."""
        is_array = isinstance(part, np.ndarray)
        n_rows = max(rows_at_once(len(self._names)), 1 if is_array else LEAST_FRAME_ROWS)
        for first in range(0, len(part), n_rows):
            block = part[first : first + n_rows]
            values = self._array(block) if isinstance(block, np.ndarray) else self._frame(block)
            check_finite(values, self._names, first_sample=self._table.n_rows)
            self._table.append(values)

    def finish(self) -> Content:
        """Return the content of the whole table."""
        check_shape(self._table.n_rows, len(self._names))
        columns = [column.finish() for column in self._columns]
        return decoded(self._table, columns, self._names, self._warnings)

    def _frame(self, block: nw.DataFrame[Any]) -> FloatArray:
        all_series = [_dense(block[:, place]) for place in range(len(self._names))]
        if not self._columns:
            self._columns = [
                DateParts(asked)
                if has_dates(series) and not asked.categorical
                else NumberParts(asked)
                if _has_numbers(series) and not asked.categorical
                else LabelParts(asked)
                for series, asked in zip(all_series, self._features, strict=True)
            ]
        values = np.empty((len(block), len(self._names)))
        for place, (series, column) in enumerate(zip(all_series, self._columns, strict=True)):
            values[:, place] = column.add(series)
        return values

    def _array(self, block: NDArray[Any]) -> FloatArray:
        has_objects = block.dtype.kind in "OU"
        if not has_objects and block.dtype.kind not in "biuf":
            raise unusable(self._names[0], str(block.dtype))
        if not self._columns:
            self._warnings = _rounding(block)
            self._columns = [
                LabelParts(asked) if has_objects or asked.categorical else NumberParts(asked)
                for asked in self._features
            ]
        values = np.empty(block.shape) if has_objects else np.array(block, np.float64, order="C")
        is_far = _is_far(block)
        for place, column in enumerate(self._columns):
            if isinstance(column, NumberParts):
                if is_far[place]:
                    column.note_exact(block[:, place].tolist())
            elif isinstance(column, DateParts):
                raise unusable(self._names[place], str(block.dtype))
            elif has_objects:
                values[:, place] = column.add_cells(block[:, place].tolist())
            else:
                values[:, place] = column.add_numbers(block[:, place])
        return values


def rows_at_once(n_columns: int) -> int:
    """Return the number of rows of a table to convert at once."""
    return max(1, BLOCK_CELLS // max(1, n_columns))


def decoded(
    table: GrowingTable,
    columns: Sequence[Column],
    names: Sequence[str],
    warnings: tuple[str, ...] = (),
) -> Content:
    """Return the collected rows, with the final codes or numbers in place of the first codes."""
    codes = {place: column.values for place, column in enumerate(columns)}

    def decode(block: FloatArray) -> None:
        for place, meaning in codes.items():
            if meaning is not None:
                column = block[:, place]
                present = ~np.isnan(column)
                column[present] = meaning[column[present].astype(np.intp)]

    values = table.finish(decode)
    if any(column.values is not None and np.isinf(column.values).any() for column in columns):
        check_finite(values, names)  # a text can be an infinite number
    notes = [column.warning for column in columns if column.warning]
    if readings := [column.reading for column in columns if column.reading]:
        notes.insert(0, _numbers_in_text(readings))
    if gaps := [column.gaps for column in columns if column.gaps]:
        notes.append(_words_as_gaps(gaps))
    dates = frozenset(place for place, column in enumerate(columns) if column.is_date)
    labels = tuple(column.labels for column in columns)
    return Content(values, labels, (*warnings, *notes), dates)


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


def check_finite(values: FloatArray, names: Sequence[str], *, first_sample: int = 0) -> None:
    """Refuse infinite values, naming the first; missing values (NaN) pass."""
    n_rows = rows_at_once(values.shape[1])
    for first in range(0, values.shape[0], n_rows):
        infinite = np.isinf(values[first : first + n_rows])
        if infinite.any():
            sample, feature = (int(position) for position in np.argwhere(infinite)[0])
            raise DataError(
                f"X must be finite, got {values[first + sample, feature]} in feature "
                f"{shown(names[feature])} of sample {first_sample + first + sample}. "
                "Replace infinite values, or set them to NaN to mark them as missing."
            )


def check_filled(values: FloatArray, names: Sequence[str], file: str) -> None:
    """Refuse features of a file that have no value in any sample."""
    empty = empty_features(values)
    if empty:
        raise DataError(
            Sentence(
                f"{file}: every feature must have a value somewhere, got none in "
                f"{listed(names[feature] for feature in empty)}. Delete the column or name it in ",
                Setting("ignore"),
                ".",
            )
        )


def empty_features(values: FloatArray) -> list[int]:
    """Return the features that have no value in any sample."""
    # Few columns are empty in their first sample; only those need a second look.
    candidates = np.flatnonzero(np.isnan(values[0])).tolist()
    return [feature for feature in candidates if np.isnan(values[:, feature]).all()]


def _dense(series: Series) -> Series:
    """Return a column of a frame, dense where pandas keeps it sparse."""
    if series.dtype == nw.Unknown and hasattr(native := series.to_native(), "sparse"):
        return nw.from_native(native.sparse.to_dense(), series_only=True)
    return series


def _rounding(array: NDArray[Any]) -> tuple[str, ...]:
    """Return the warning for numbers that are longer than float64."""
    if array.dtype.kind != "f" or array.dtype.itemsize <= 8:
        return ()
    return (f"X is {array.dtype}, it is rounded to float64. Pass X.astype(float) to silence this.",)


def _is_far(block: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which columns have integers that float64 may merge with others."""
    if block.dtype.kind not in "iu" or block.dtype.itemsize < 8:
        return np.zeros(block.shape[1], np.bool_)
    far = (block >= MAX_EXACT_INTEGER) | (block <= -MAX_EXACT_INTEGER)
    return np.asarray(far.any(axis=0))


def _has_numbers(part: Series) -> bool:
    return part.dtype == nw.Boolean or part.dtype.is_numeric()


def has_dates(part: Series) -> bool:
    """Whether a column of a frame has a type of dates."""
    return part.dtype in (nw.Datetime, nw.Date)


def days_since_1970(dates: Series) -> FloatArray:
    """Return dates as days by the clock of their time zone, with the time of day as a fraction."""
    if dates.dtype == nw.Datetime:
        dates = dates.dt.replace_time_zone(None)
    stamps = dates.dt.timestamp("ms").cast(nw.Float64)
    return np.asarray(stamps.to_numpy(), dtype=np.float64) / MILLISECONDS


def _is_empty(part: Series) -> bool:
    return bool(part.null_count() == len(part))  # Arrow and polars have a type for nothing


def _may_merge(part: Series) -> bool:
    """Whether a column of integers or decimals has some that float64 may merge with others."""
    if not part.dtype.is_integer() and part.dtype != nw.Decimal:
        return False
    bounds = part.min(), part.max()
    return any(not is_missing(bound) and abs(int(bound)) >= MAX_EXACT_INTEGER for bound in bounds)


def _dtype_name(part: Series) -> str:
    """Return the type of a column, as its own library calls it if narwhals does not know it."""
    native = part.to_native()
    is_known = part.dtype != nw.Unknown
    return str(part.dtype if is_known else getattr(native, "dtype", None) or native.type)


class NumberParts:
    """Collects a column of numbers."""

    def __init__(self, feature: Feature) -> None:
        self._feature = feature
        # Numbers that float64 may round, those above zero and the others without their sign.
        self._huge: dict[int, list[NDArray[Any]]] = {1: [], -1: []}

    def add(self, part: Series) -> FloatArray:
        """Return the numbers of a part of a frame's column."""
        if not _has_numbers(part):
            return self._without_values(part)
        if _may_merge(part):
            cells = part.to_list()
            self.note_exact([cell for cell in cells if not is_missing(cell)])
            return _numbers(cells, self._feature)
        return np.asarray(part.cast(nw.Float64).to_numpy(), dtype=np.float64)

    def _without_values(self, part: Series) -> FloatArray:
        if _is_empty(part):
            return np.full(len(part), np.nan)
        raise DataError(
            f"feature {shown(self._feature.name)} must have one type in the whole table, got "
            f"{_dtype_name(part)} after numbers. Convert the column to one type."
        )

    def note_exact(self, exact: Sequence[Any]) -> None:
        """Keep the integers and decimals that float64 may merge with others."""
        for sign, kept in self._huge.items():
            found = {sign * one for one in exact if sign * one >= MAX_EXACT_INTEGER}
            is_short = all(isinstance(one, int) and one < 2**64 for one in found)
            kept.append(np.fromiter(found, np.uint64 if is_short else object, count=len(found)))

    def finish(self) -> Column:
        """Refuse numbers that became equal; the others stay as they are."""
        for kept in self._huge.values():
            exact = np.unique(np.concatenate(kept)) if kept else np.empty(0)
            if np.unique(exact.astype(np.float64)).size < exact.size:
                raise merged(self._feature.name)
        return Column()


class DateParts:
    """Collects a column of dates, as days since 1970."""

    def __init__(self, feature: Feature) -> None:
        self._feature = feature

    def add(self, part: Series) -> FloatArray:
        """Return the days of a part of a frame's column."""
        if _is_empty(part):
            return np.full(len(part), np.nan)
        if not has_dates(part):
            raise DataError(
                f"feature {shown(self._feature.name)} must have one type in the whole table, got "
                f"{_dtype_name(part)} after dates. Convert the column to one type."
            )
        return days_since_1970(part)

    def finish(self) -> Column:
        """Return what is known about the column."""
        return Column(is_date=True)


class LabelParts:
    """Collects a column of labels, or of text and objects that may turn out to be numbers.

    Every distinct value gets a code by its first appearance. What the codes mean is decided at
    the end, from the distinct values alone.
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
                raise unusable(self._feature.name, _dtype_name(part))
            return np.full(len(part), np.nan)
        self._has_integer_dtype |= dtype.is_integer()
        if dtype.is_float() or (dtype.is_integer() and not _may_merge(part)):
            numbers = part.cast(nw.Float64).to_numpy()
            return self.add_numbers(numbers, int if dtype.is_integer() else float)
        return self.add_cells(part.to_list())

    def add_numbers(self, column: NDArray[Any], kind: type | None = None) -> FloatArray:
        """Return the codes of an array of numbers, which are labels of the given type."""
        distinct, places = np.unique(column, return_inverse=True)
        labels = distinct.tolist()
        if kind is not None:
            labels = [kind(one) if one == one else one for one in labels]
        return self._coder.encode(labels)[places]

    def add_cells(self, cells: Sequence[Any]) -> FloatArray:
        """Return the codes of a part that is a list of objects."""
        for cell in cells:
            _kind_of(cell, self._feature)  # refuses what is not a value before it is looked up
        return self._coder.encode(cells)

    def finish(self) -> Column:
        """Return what each code by first appearance stands for."""
        values: list[Any] = list(self._coder.values)
        if self._has_integer_dtype and all(map(_is_exact, values)):
            values = [float(value) for value in values]
        return _meaning(values, self._feature, is_declared=self._is_declared)


def _is_exact(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < MAX_EXACT_INTEGER


def _meaning(values: Sequence[Any], feature: Feature, *, is_declared: bool) -> Column:
    """Return the column of distinct objects.

    Text is categorical unless `feature` says otherwise; text that holds only numbers is read as
    numbers, with a warning, unless the dtype of the column is declared to be categorical.
    """
    kinds = {_kind_of(value, feature) for value in values}
    if feature.categorical or (is_declared and feature.categorical is None):
        return categorical_column(values)
    if kinds == {"number", "text"}:
        text = next(value for value in values if isinstance(value, str))
        raise DataError(
            f"feature {shown(feature.name)} must hold numbers or text, not both, got "
            f"{shown(text)} among numbers. Replace the text, or convert the column to text."
        )
    if "text" not in kinds:
        return Column(_numbers(values, feature))
    if all_numbers(values):
        return Column(parse_numbers(values), warning=_numbers_as_text(feature.name))
    if feature.categorical is not None:
        raise not_listed(feature.name, next(text for text in values if not all_numbers([text])))
    return text_column(values, feature, read_texts(values))


def text_column(values: Labels | Sequence[Any], feature: Feature, found: TextNumbers) -> Column:
    """Return the column of distinct texts: numbers if that is what was found in them, or labels."""
    if found.values is not None and not feature.keeps_text:
        return Column(found.values, reading=f"{shown(feature.name)} ({found.reading})")
    column = categorical_column(values)
    if found.strays:
        return replace(column, warning=slips_among_numbers(feature.name, found.strays))
    if found.doubt and not feature.keeps_text:
        return replace(column, warning=_nearly_numbers(feature.name, found.doubt))
    return column


def categorical_column(values: Sequence[Any]) -> Column:
    """Return the column of distinct labels, whose codes follow their sorted order."""
    coder = CategoryCoder()
    codes = coder.encode(values)
    return Column(codes, coder.sort(codes))


def _kind_of(cell: Any, feature: Feature) -> str:
    """Return "text", "number" or "missing", or refuse a cell that is none of these."""
    if isinstance(cell, str):
        return "text"
    if is_missing(cell):
        return "missing"
    # Decimal is a Number that is neither Real nor Complex.
    is_decimal = isinstance(cell, numbers.Number) and not isinstance(cell, numbers.Complex)
    if is_decimal or isinstance(cell, bool | np.bool_ | numbers.Real):
        return "number"
    raise unusable(feature.name, type(cell).__name__)


def _numbers(cells: Sequence[Any], feature: Feature) -> FloatArray:
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


def _numbers_as_text(name: str) -> str:
    return Sentence(
        f"feature {shown(name)} holds numbers as text, they are read as numbers. Convert the "
        "column, or name it in ",
        Setting("categorical_features"),
        " if its values are labels.",
    )


def _words_as_gaps(gaps: Sequence[str]) -> str:
    return Sentence(
        f"cells with these words are taken as missing: {_first_few(gaps)}. Name a column in ",
        Setting("categorical"),
        " if they are categories of it.",
    )


def _first_few(phrases: Sequence[str]) -> str:
    more = f", ... ({len(phrases)} in all)" if len(phrases) > MAX_ITEMS else ""
    return ", ".join(phrases[:MAX_ITEMS]) + more


def _numbers_in_text(readings: Sequence[str]) -> str:
    return Sentence(
        f"numbers in text are read as numbers: {_first_few(readings)}. Name a column in ",
        Setting("categorical_features"),
        " if its values are labels.",
    )


def _nearly_numbers(name: str, doubt: str) -> str:
    return (
        f"feature {shown(name)} holds {doubt}, so it is categorical: only equality of its values "
        "counts. Write plain numbers if close values are to count as similar."
    )


def slips_among_numbers(name: str, found: Sequence[str]) -> str:
    """Return the warning for a feature that is categorical because of a few texts among numbers."""
    return (
        f"feature {shown(name)} holds numbers except {listed(found)}, so it is categorical: "
        "only equality of its values counts. Correct these cells, or empty them to mark them as "
        "missing."
    )


def not_listed(name: str, text: str) -> DataError:
    """Return the error for text in a feature that was not named as categorical."""
    return DataError(
        Sentence(
            f"feature {shown(name)} must be a number, got {shown(text)}. Name it in ",
            Setting("categorical_features"),
            " to make it categorical, or leave that at 'from_dtype'.",
        )
    )


def merged(name: str) -> DataError:
    """Return the error for integers or decimals that would become equal in float64."""
    return DataError(
        Sentence(
            f"feature {shown(name)} must hold numbers that float64 can tell apart, got distinct "
            "values beyond 2**53 that would become equal. Subtract an offset, drop the column if "
            "it is an id, or name it in ",
            Setting("categorical_features"),
            " if its values are labels.",
        )
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
    if "duration" in kind or "timedelta" in kind:
        return "Convert durations to numbers, for example to seconds with .dt.total_seconds()."
    if any(word in kind for word in ("date", "time", "duration", "period")):
        return "Convert dates to numbers, for example to days since the first."
    if "bytes" in kind or "binary" in kind or kind.startswith("|s"):
        return "Decode bytes to text with .decode()."
    if kind.startswith("float"):  # longer ones than any library of frames knows
        return "Convert the column with astype(float)."
    return "Convert or drop the column."
