"""Single cells: which are missing, which texts are numbers, and which codes categories get."""

from __future__ import annotations

import numbers
import re
from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Texts that mean "no value" in a feature of a text file, in exactly this spelling; "none" and "Na"
# are not among them, as they are categories in real tables.
MISSING = frozenset(
    {"", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None"}
)

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
    """Whether an object stands for a missing value: None, NaN, or the NA of a library."""
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
    if decimal == ",":  # then a cell with a point is not a number, like one with a comma otherwise
        cells = [cell.translate(_SWAPPED) for cell in cells]
    try:
        parsed = np.fromiter(map(float, cells), np.float64, count=len(cells))
    except ValueError:
        return _parse_one_by_one(cells)
    # Python reads "1_000" as a number, but nobody writes it in a table.
    return _parse_one_by_one(cells) if "_" in "".join(cells) else parsed


def merges_integers(cells: Sequence[str], parsed: NDArray[np.float64]) -> bool:
    """Whether texts of different integers became the same float64."""
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


def has_decimal_commas(values: Iterable[object]) -> bool:
    """Whether texts are numbers except for commas, as in "3,14" or "1,234.5"."""
    texts = [str(value) for value in values]
    with_comma = [text for text in texts if _COMMA_NUMBER.fullmatch(text)]
    without = [text for text in texts if not _COMMA_NUMBER.fullmatch(text)]
    return bool(with_comma) and all_numbers(without)


def has_points(values: Iterable[object]) -> bool:
    """Whether texts are numbers with a decimal comma except for points, as in "1.234,5"."""
    texts = [str(value) for value in values]
    without = [text for text in texts if not _POINT_NUMBER.fullmatch(text)]
    return len(without) < len(texts) and all_numbers(without, ",")


def first_padded(cells: Iterable[str]) -> str | None:
    """Return the first whole number with a leading zero, like a code, or None."""
    return next((text for cell in cells if _PADDED.fullmatch(text := cell.strip())), None)


def all_numbers(texts: Sequence[str], decimal: str = ".") -> bool:
    """Whether every text is a number or missing."""
    try:
        parse_numbers(texts, decimal)
    except NotANumberError:
        return False
    return True


class CategoryCoder:
    """Assigns a code to each distinct value of a categorical feature, block by block.

    The texts in `missing` mean "no value", in addition to None, NaN and NA.
    """

    def __init__(self, missing: frozenset[str] = frozenset()) -> None:
        self._missing = missing
        self._codes: dict[Hashable, int] = {}

    @property
    def values(self) -> tuple[Hashable, ...]:
        """The distinct values, in the order of their appearance."""
        return tuple(self._codes)

    def encode(self, cells: Iterable[Any]) -> NDArray[np.float64]:
        """Return the code of each cell, in the order of first appearance; NaN if it is missing."""
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
        """Turn codes by appearance, in place, into codes by sorted value; return these values.

        The codes then do not depend on the order of the samples.
        """
        order = sorted(self._codes, key=lambda value: (type(value).__name__, value))
        rank = np.empty(len(order))
        rank[[self._codes[value] for value in order]] = np.arange(len(order))
        present = ~np.isnan(codes)
        codes[present] = rank[codes[present].astype(np.intp)]
        return tuple(order)
