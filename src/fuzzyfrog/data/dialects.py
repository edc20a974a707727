"""How a text file is written: asked for, or as it seems to be from its first lines."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from fuzzyfrog.data.cells import all_numbers
from fuzzyfrog.data.files import open_bytes
from fuzzyfrog.errors import DataError

__all__ = ["Dialect", "seems_to_be"]

HEAD_BYTES = 2**16
SEPARATORS = (",", ";", "\t", "|")
WESTERN = "cp1252"  # what spreadsheets on Windows write where they do not write UTF-8


@dataclass(frozen=True)
class Dialect:
    """How the cells of a text file are written.

    Attributes
    ----------
    separator : str
        What stands between two cells.
    decimal : {".", ","}
        The decimal mark of numbers.
    encoding : str
        Encoding of the text.
    """

    separator: str
    decimal: str
    encoding: str

    def differences(self, other: Dialect) -> dict[str, str]:
        """Give the settings that another one has otherwise."""
        theirs = asdict(other)
        return {name: value for name, value in asdict(self).items() if value != theirs[name]}


def seems_to_be(path: Path, asked: Dialect) -> Dialect:
    """Give what a file seems to be written with; what cannot be told is as it was asked for."""
    try:
        with open_bytes(path) as stream:
            head = stream.read(HEAD_BYTES)
    except DataError:
        return asked
    if b"\0" in head:  # UTF-16, or no text at all
        return asked
    if len(head) == HEAD_BYTES:
        head = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]  # the last line may be cut
    encoding = asked.encoding if _decodes(head, asked.encoding) else WESTERN
    lines = head.decode(encoding, errors="replace").splitlines()
    separator = _separator(lines, asked.separator)
    rows = _split(lines, separator)
    columns = list(zip(*rows[1:], strict=False))
    commas = separator != "," and any(_has_decimal_commas(column) for column in columns)
    return Dialect(separator, "," if commas else asked.decimal, encoding)


def _decodes(head: bytes, encoding: str) -> bool:
    try:
        head.decode(encoding)
    except (LookupError, TypeError, ValueError):  # also an encoding that does not exist
        return False
    return True


def _separator(lines: Sequence[str], asked: str) -> str:
    """Give the mark that cuts all lines into the same number of cells, the asked one first."""
    counts = {mark: _n_cells(lines, mark) for mark in (asked, *SEPARATORS)}
    if counts[asked] > 1:
        return asked
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] > 1 else asked


def _n_cells(lines: Sequence[str], mark: str) -> int:
    """Give the number of cells of every line, 0 where they differ."""
    sizes = {len(row) for row in _split(lines, mark)}
    return sizes.pop() if len(sizes) == 1 else 0


def _split(lines: Sequence[str], mark: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return []


def _has_decimal_commas(column: Sequence[str]) -> bool:
    return any("," in cell for cell in column) and all_numbers(column, ",")
