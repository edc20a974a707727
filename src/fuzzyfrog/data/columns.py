"""One column of objects or of a frame -> float64, its labels, and what to warn of."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.cells import NominalCoder, all_numbers, is_missing, parse_numbers, strays
from fuzzyfrog.data.dataset import Labels
from fuzzyfrog.data.wording import listed, shown
from fuzzyfrog.errors import DataError

__all__ = [
    "MAX_EXACT_INTEGER",
    "Column",
    "Feature",
    "coded",
    "codes_among_numbers",
    "column_of",
    "convert_objects",
    "convert_series",
    "dtype_name",
    "kind_of",
    "may_merge",
    "nominal_column",
    "slips_among_numbers",
]

# From here on float64 cannot tell every integer from its neighbor.
MAX_EXACT_INTEGER = 2**53


@dataclass(frozen=True)
class Column:
    """A converted column.

    Parameters
    ----------
    values : float64[n_samples]
        Numbers, or codes of a nominal feature; NaN where the value is missing.
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
    nominal : bool or None
        Whether the feature was named as nominal; None where its dtype is to decide.
    """

    name: str
    nominal: bool | None


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
    if dtype in (nw.String, nw.Object) or (dtype == nw.Boolean and feature.nominal):
        return convert_objects(series.to_list(), feature)
    if dtype != nw.Boolean and not dtype.is_numeric():
        if series.null_count() == len(series):  # polars and Arrow have a type for nothing
            return convert_objects([None] * len(series), feature)
        raise unusable(feature.name, dtype_name(series))
    if may_merge(series) or (dtype == nw.Decimal and feature.nominal):
        return convert_objects(series.to_list(), feature)
    column = np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return coded(column) if feature.nominal else Column(column)


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
    """Give a column of Python objects as float64.

    Text is nominal unless `feature` says otherwise; text that holds only numbers is read as
    numbers, with a warning, unless the dtype of the column is `declared` to be nominal.
    """
    kinds = {kind_of(cell, feature) for cell in cells} - {"missing"}
    if feature.nominal or (declared and feature.nominal is None):
        return nominal_column(cells)
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
    if feature.nominal is None:
        column = nominal_column(cells)
        found = strays(column.labels or ())
        return (
            replace(column, warning=slips_among_numbers(feature.name, found)) if found else column
        )
    text = next(cell for cell in texts if not all_numbers([cell]))
    raise not_listed(feature.name, text)


def not_listed(name: str, text: str) -> DataError:
    """Give the error for text in a feature that was not named as nominal."""
    return DataError(
        f"feature {shown(name)} must be a number, got {shown(text)}. Name it in "
        "categorical_features to make it nominal, or leave that at 'from_dtype'."
    )


def slips_among_numbers(name: str, found: Sequence[str]) -> str:
    """Give the warning for a feature that is nominal because of a few texts among numbers."""
    return (
        f"feature {shown(name)} holds numbers but for {listed(found)}, so it is read as nominal: "
        "only equality of its values counts. Correct these cells, or empty them to mark them as "
        "missing."
    )


def codes_among_numbers(name: str, cell: str) -> str:
    """Give the warning for a feature of whole numbers of which some have leading zeros."""
    return (
        f"feature {shown(name)} holds whole numbers with leading zeros, such as {shown(cell)}, and "
        "is read as numbers: close ones count as similar. Name it in nominal if they are codes."
    )


def nominal_column(cells: Sequence[Any]) -> Column:
    """Give the codes of labels, in the sorted order of these."""
    coder = NominalCoder()
    codes = coder.encode(cells)
    return Column(codes, coder.sort(codes))


def kind_of(cell: Any, feature: Feature) -> str:
    """Give "text", "number" or "missing", or refuse what a cell must not be."""
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
    """Give the codes 0, 1, 2, ... of a column of numbers, in their order; NaN stays NaN."""
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
    """Give the error for a column whose type is neither a number nor a label."""
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
