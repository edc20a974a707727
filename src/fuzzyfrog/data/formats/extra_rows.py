"""Rows of a table of text that are no samples: units below the header, and totals at the end."""

from collections.abc import Sequence
from typing import Any

from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.data.cells import MISSING, looks_like_number, read_texts

TOTALS = (
    "total", "totals", "grand total", "sum", "summe", "gesamt", "gesamtsumme", "somme", "suma",
    "totale",
)  # fmt: skip
FEWEST_UNITS = 2  # in a row, or they are typing errors


def note_on_units(columns: Sequence[Any]) -> str:
    """Return why the first row is no sample, or nothing.

    It has texts without digits in two columns or more, and nothing in the others. All other cells
    of these columns are numbers, but for some typing errors.
    """
    first = [_text(column[0]) for column in columns]
    units = {place: cell for place, cell in enumerate(first) if cell not in MISSING}
    has_digits = any(letter.isdecimal() for cell in units.values() for letter in cell)
    if len(units) < FEWEST_UNITS or has_digits:
        return ""
    if not all(_are_numbers(columns[place]) for place in units):
        return ""
    return f"looks like units ({listed(dict.fromkeys(units.values()))}) and is left out."


def note_on_totals(columns: Sequence[Any]) -> str:
    """Return why the last row is no sample, or nothing.

    The first text in it is a word for totals, which its column has nowhere else, next to a number.
    """
    last = [_text(column[-1]) for column in columns]
    are_numbers = [*map(looks_like_number, last)]
    words = (k for k, cell in enumerate(last) if cell not in MISSING and not are_numbers[k])
    place = next(words, 0)
    cell = last[place]
    if cell.rstrip(" :").lower() not in TOTALS or not any(are_numbers):
        return ""
    if cell in map(_text, columns[place][:-1]):
        return ""
    return f"holds totals ({shown(cell)}) and is left out. Rename {shown(cell)} to keep it."


def _text(cell: Any) -> str:
    """Return a cell, which may be a number or a text of Arrow, without blanks around it."""
    return str(cell).strip()


def _are_numbers(column: Sequence[Any]) -> bool:
    """Whether the cells below the first are numbers with either decimal mark, but for a few."""
    texts = list(dict.fromkeys(map(_text, column[1:])))
    found = [read_texts(texts, mark) for mark in ".,"]
    return any(one.values is not None or one.strays or one.doubt for one in found)
