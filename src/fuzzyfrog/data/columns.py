"""A feature of a table: what collects its cells, and what is known about them in the end."""

import numbers
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.common.messages import Sentence, Setting, listed, shown
from fuzzyfrog.data.cells import (
    CategoryCoder,
    TextNumbers,
    all_numbers,
    distinct,
    is_missing,
    merges_integers,
    parse_numbers,
    read_texts,
)
from fuzzyfrog.errors import DataError
from fuzzyfrog.result.check import AS_LABELS

Series: TypeAlias = "nw.Series[Any]"
Labels: TypeAlias = tuple[Hashable, ...]

MAX_EXACT_INTEGER = 2**53  # from here on float64 cannot tell every integer from its neighbor
MILLISECONDS = 86_400_000  # of a day
_LABELS = (nw.Categorical, nw.Enum, nw.String, nw.Object)


class BadCellError(ValueError):
    """A cell of a file cannot be used; `position` says which, and `reason` follows its line."""

    def __init__(self, position: int, *reason: str) -> None:
        super().__init__(position, *reason)
        self.position, self.reason = position, reason


@dataclass(frozen=True)
class Feature:
    """A feature's name, and whether the user named it as categorical (None: the dtype decides)."""

    name: str
    categorical: bool | None


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
    strays : tuple of str
        The few labels that are not numbers, while all others are.
    """

    values: Floats | None = None
    labels: Labels | None = None
    warning: str | None = None
    reading: str = ""
    gaps: str = ""
    is_date: bool = False
    strays: tuple[str, ...] = ()


def has_numbers(part: Series) -> bool:
    """Whether a column of a frame has a type of numbers."""
    return part.dtype == nw.Boolean or part.dtype.is_numeric()


def has_dates(part: Series) -> bool:
    """Whether a column of a frame has a type of dates."""
    return part.dtype in (nw.Datetime, nw.Date)


def is_arrow_text(part: Series) -> bool:
    """Whether a column is text of an Arrow table, whose distinct texts are found quickly."""
    return part.dtype == nw.String and part.implementation.is_pyarrow()


def distinct_texts(part: Series) -> tuple[NDArray[Any], list[Any]]:
    """Return the place of each cell of such a column among the distinct ones, and these."""
    # Arrow finds no gaps in a view of strings.
    return distinct(part.to_native().cast("large_string").combine_chunks())


def days_since_1970(dates: Series) -> Floats:
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


def _without_values(part: Series, feature: Feature, before: str) -> Floats:
    """Return a part of another type than those before it, which must be empty."""
    if _is_empty(part):
        return np.full(len(part), np.nan)
    raise DataError(
        f"feature {shown(feature.name)} must have one type in the whole table, got "
        f"{_dtype_name(part)} after {before}. Convert the column to one type."
    )


class NumberParts:
    """Collects a column of numbers; `is_late` if it must be collected again, as text."""

    is_late = False

    def __init__(self, feature: Feature) -> None:
        self._feature = feature
        # Numbers that float64 may round, those above zero and those below.
        self._huge: dict[int, list[NDArray[Any]]] = {1: [], -1: []}

    def add(self, part: Series) -> Floats:
        """Return the numbers of a part of a frame's column."""
        if part.dtype == nw.Float64:  # at once: each question costs as much as thousands of cells
            return np.asarray(part.to_numpy(), dtype=np.float64)
        if not has_numbers(part):
            return _without_values(part, self._feature, "numbers")
        if _may_merge(part):
            cells = part.to_list()
            self.note_exact([cell for cell in cells if not is_missing(cell)])
            return _numbers(cells, self._feature)
        return np.asarray(part.cast(nw.Float64).to_numpy(), dtype=np.float64)

    def note_exact(self, exact: Sequence[Any]) -> None:
        """Keep the integers and decimals that float64 may merge with others."""
        for sign, kept in self._huge.items():
            # As they are: arithmetic would round a long decimal.
            found = {one for one in exact if sign * one >= MAX_EXACT_INTEGER}
            is_short = all(isinstance(one, int) and abs(one) < 2**63 for one in found)
            kept.append(np.fromiter(found, np.int64 if is_short else object, count=len(found)))

    def finish(self) -> Column:
        """Refuse numbers that became equal; the others stay as they are."""
        for kept in filter(None, self._huge.values()):
            exact = np.unique(np.concatenate(kept))
            if np.unique(exact.astype(np.float64)).size < exact.size:
                raise _merged(self._feature.name)
        return Column()


class DateParts:
    """Collects a column of dates, as days since 1970."""

    def __init__(self, feature: Feature) -> None:
        self._feature = feature

    def add(self, part: Series) -> Floats:
        """Return the days of a part of a frame's column."""
        if not has_dates(part):
            return _without_values(part, self._feature, "dates")
        return days_since_1970(part)

    def finish(self) -> Column:
        """Return what is known about the column."""
        return Column(is_date=True)


class LabelParts:
    """Collects a column of labels, or of text and objects that may turn out to be numbers.

    Every distinct value gets a code by its first appearance. What the codes mean is decided at
    the end, from the distinct values alone.
    """

    is_late = False

    def __init__(self, feature: Feature, *, is_declared: bool = False) -> None:
        self._feature = feature
        self._coder = CategoryCoder()
        self._is_declared = is_declared
        self._has_integer_dtype = False

    def add(self, part: Series) -> Floats:
        """Return the codes of a part of a frame's column."""
        dtype = part.dtype
        self._is_declared |= dtype in (nw.Categorical, nw.Enum)
        if dtype not in _LABELS and not has_numbers(part):
            if not _is_empty(part):
                raise unusable(self._feature.name, _dtype_name(part))
            return np.full(len(part), np.nan)
        self._has_integer_dtype |= dtype.is_integer()
        if dtype.is_float() or (dtype.is_integer() and not _may_merge(part)):
            numbers = part.cast(nw.Float64).to_numpy()
            return self.add_numbers(numbers, int if dtype.is_integer() else float)
        if is_arrow_text(part):
            places, texts = distinct_texts(part)
            return np.asarray(self._coder.encode(texts)[places])
        return self.add_cells(part.to_list())

    def add_numbers(self, column: NDArray[Any], kind: type | None = None) -> Floats:
        """Return the codes of an array of numbers, which are labels of the given type."""
        distinct, places = np.unique(column, return_inverse=True)
        labels = distinct.tolist()
        if kind is not None:
            labels = [kind(one) if one == one else one for one in labels]
        return self._coder.encode(labels)[places]

    def add_cells(self, cells: Sequence[Any]) -> Floats:
        """Return the codes of a part that is a list of objects."""
        for cell in cells:
            _kind_of(cell, self._feature)  # refuses what is not a value before it is looked up
        return self._coder.encode(cells)

    def finish(self) -> Column:
        """Return what each code by first appearance stands for."""
        values: list[Any] = list(self._coder.values)
        if self._has_integer_dtype and all(
            isinstance(one, int | float) and abs(one) < MAX_EXACT_INTEGER for one in values
        ):
            values = [float(value) for value in values]
        return _meaning(values, self._feature, is_declared=self._is_declared)


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
        parsed = parse_numbers(values)
        if merges_integers(values, parsed):
            raise _merged(feature.name)
        warning = Sentence(
            f"feature {shown(feature.name)} holds numbers as text, they are read as numbers. "
            "Convert the column, or name it in ",
            Setting("categorical_features"),
            " if its values are labels.",
        )
        return Column(parsed, warning=warning)
    if feature.categorical is not None:
        raise not_listed(feature.name, next(text for text in values if not all_numbers([text])))
    found = read_texts(values)
    is_text = found.values is None and not (found.doubt or found.strays)
    if is_text and read_texts(values, ",").values is not None:
        found = TextNumbers(doubt=f"commas that may mark decimals, such as {listed(values[:3])}")
    return text_column(values, feature, found)


def text_column(values: Labels | Sequence[Any], feature: Feature, found: TextNumbers) -> Column:
    """Return the column of distinct texts: numbers if that is what was found in them, or labels."""
    if found.values is not None:
        return Column(found.values, reading=f"{shown(feature.name)} ({found.reading})")
    warning = (
        f"feature {shown(feature.name)} holds {found.doubt}, so it is treated as categorical. "
        "Write plain numbers if close values are to count as similar."
    )
    column = categorical_column(values)
    return replace(column, strays=found.strays, warning=warning if found.doubt else None)


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


def _numbers(cells: Sequence[Any], feature: Feature) -> Floats:
    try:
        column = np.array(
            [np.nan if is_missing(cell) else float(cell) for cell in cells], dtype=np.float64
        )
    except OverflowError:
        raise _merged(feature.name) from None
    if np.nanmax(np.abs(column), initial=0.0) >= MAX_EXACT_INTEGER:
        exact = {cell for cell in cells if not is_missing(cell)}
        if len(exact) > np.unique(column[~np.isnan(column)]).size:
            raise _merged(feature.name)
    return column


def slips_among_numbers(name: str, column: Column, codes: Floats) -> str:
    """Return the warning for a feature that is categorical because of a few texts among numbers."""
    places = [place for place, label in enumerate(column.labels or ()) if label in column.strays]
    return (
        f"feature {shown(name)} holds numbers except {listed(column.strays)}, {AS_LABELS} "
        f"{np.isin(codes, places).sum():,} of {len(codes):,} cells. "
        "Correct these cells, or empty them to mark them as missing."
    )


def not_listed(name: str, text: str) -> DataError:
    """Return the error for text in a feature that was not named as categorical."""
    return DataError(
        f"feature {shown(name)} must be a number, got {shown(text)}. Name it in ",
        Setting("categorical_features"),
        " to make it categorical, or leave that at 'from_dtype'.",
    )


def other_mark(name: str, *problem: str | Setting) -> DataError:
    """Return the error for numbers that have another decimal mark."""
    return DataError(f"feature {shown(name)} must have numbers with a decimal ", *problem)


def _merged(name: str) -> DataError:
    """Return the error for integers or decimals that would become equal in float64."""
    return DataError(
        f"feature {shown(name)} must hold numbers that float64 can tell apart, got distinct "
        "values beyond 2**53 that would become equal. Subtract an offset, drop the column if "
        "it is an id, or name it in ",
        Setting("categorical_features"),
        " if its values are labels.",
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
