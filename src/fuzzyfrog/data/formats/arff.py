"""Dense and sparse ARFF files -> numbers and labels; the only module that uses liac-arff."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.common.messages import count, listed, shown
from fuzzyfrog.data.cells import INTEGER, has_decimal_commas
from fuzzyfrog.data.columns import (
    MAX_EXACT_INTEGER,
    BadCellError,
    Column,
    Feature,
    LabelParts,
    NumberParts,
    not_listed,
    other_mark,
)
from fuzzyfrog.data.formats import Layout, Rows, Source, in_blocks, text_lines
from fuzzyfrog.data.gathering import Collector
from fuzzyfrog.data.texts import as_text
from fuzzyfrog.errors import DataError, FuzzyfrogError

_INTEGER = re.compile(r"\s(integer)\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"\s(integer|numeric|real)\s*$", re.IGNORECASE)
_QUOTED = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
_NAME = re.compile(rf"""{_QUOTED}|[^\s{{}}"',%]++""")
_TOKEN = re.compile(rf"""{_QUOTED}|[^\s{{}}"',]++|,""")
_CATEGORY = rf"""\s*+(?:{_QUOTED}|[^\s{{}}"',]*+)\s*+"""
_CATEGORIES = re.compile(rf"\{{{_CATEGORY}(?:,{_CATEGORY})*+\}}")


class ArffTable(Source):
    """An ARFF file; "?" is missing, and the kinds of its columns are declared."""

    gaps = frozenset({"?"})

    def __init__(self, path: Path, encoding: str) -> None:
        self.path, self._encoding = path, encoding
        with self._decoded() as (content, _):
            self._kinds = [kind for _, kind in content["attributes"]]
            self.names = [name for name, _ in content["attributes"]]

    def collectors(self, layout: Layout, text: set[int]) -> list[Collector]:
        """Return what takes each feature."""
        return [
            _Numbers(feature) if self._is_numeric(place, feature) else _Labels(feature)
            for place, feature in zip(layout.features, layout.asked, strict=True)
        ]

    def _is_numeric(self, place: int, feature: Feature) -> bool:
        if feature.categorical is not None:
            return not feature.categorical
        return self._holds_numbers(place)

    def _holds_numbers(self, place: int) -> bool:
        return isinstance(self._kinds[place], str) and self._kinds[place] != "STRING"

    def parts(self, layout: Layout, columns: Sequence[Collector]) -> Iterator[Rows]:
        """Yield the features, the target and the lines of each block of rows."""
        with self._decoded() as (content, lines):
            rows = ((lines.number, row) for row in content["data"])
            for block in in_blocks(rows, len(self.names)):
                target: Any = block.columns[layout.target]
                if self._holds_numbers(layout.target):
                    target = np.array(target, np.float64)
                else:
                    target = as_text(["?" if cell is None else cell for cell in target])
                yield self.rows(block, layout, target)
        for place, column in zip(layout.features, columns, strict=True):
            if isinstance(column, _Numbers) and column.is_far:
                column.note_exact(self._integers(place))

    def _integers(self, place: int) -> list[int]:
        """Return the different integers of an attribute as they are spelled, not rounded."""
        cells = {row[place].strip() for row in islice(self.cells(), 1, None)}
        return [int(Decimal(cell)) for cell in cells if INTEGER.fullmatch(cell)]

    def cells(self) -> Iterator[list[str]]:
        """Yield the names of the attributes, then the cells of each sample as they are spelled.

        A value that a sparse row omits is 0, or the first declared category.
        """
        yield self.names
        # Declared as text, a number keeps its spelling.
        with self._decoded(_NUMBER, " string") as (content, _):
            for row in content["data"]:
                yield ["?" if cell is None else str(cell) for cell in row]

    @contextmanager
    def _decoded(
        self, replaced: re.Pattern[str] = _INTEGER, by: str = " numeric"
    ) -> Iterator[tuple[dict[str, Any], _Lines]]:
        import arff  # needed for this format only

        with closing(text_lines(self.path, self._encoding)) as text:  # type: ignore[type-var]
            lines = _Lines(text, replaced, by)
            try:
                yield arff.ArffDecoder().decode(iter(lines), return_type=arff.DENSE_GEN), lines
            except FuzzyfrogError:
                raise
            # Not foreseen by liac-arff: a keyword alone, an odd escape, a field without end.
            except (arff.ArffException, csv.Error, ValueError, IndexError) as error:
                raise _explained(self.path, lines, error) from None


class _Numbers(NumberParts):
    """Collects numbers, also of an attribute that is declared as something else.

    `is_far` says whether float64 may have merged some.
    """

    is_far = False

    def add(self, part: Any) -> Floats:
        try:
            numbers = np.array(part, dtype=np.float64)  # None becomes NaN
        except ValueError:
            place = [isinstance(cell, str) for cell in part].index(True)
            reason = not_listed(self._feature.name, part[place]).args
            raise BadCellError(place, ": ", *reason) from None
        self.is_far |= bool((np.abs(numbers) >= MAX_EXACT_INTEGER).any())
        return numbers


class _Labels(LabelParts):
    """Collects labels as they are declared."""

    def __init__(self, feature: Feature) -> None:
        super().__init__(feature, is_declared=True)

    def add(self, part: Any) -> Floats:
        return self.add_cells(part)

    def finish(self) -> Column:
        if not self._feature.categorical and has_decimal_commas(self._coder.values):
            raise other_mark(
                self._feature.name,
                f"point, got commas ({listed(self._coder.values[:3])}). Replace decimal commas by "
                "points and delete thousands separators.",
            )
        return super().finish()


class BadCategoriesError(ValueError):
    """Categories that are not declared as a list in braces."""


class _Lines:
    """The lines of a file as liac-arff expects them, with the last one kept for messages.

    liac-arff would cut 1.7 down to 1 in an integer attribute, which the format calls numeric; so
    the kind of an attribute can be replaced.
    """

    def __init__(self, text: Iterator[str], replaced: re.Pattern[str], by: str) -> None:
        self._text = text
        self._replaced, self._by = replaced, by
        self.number = 0
        self.last = ""
        self.n_attributes = 0
        self.declaring = True

    def __iter__(self) -> Iterator[str]:
        for line in self._text:
            self.number, self.last = self.number + 1, line
            if self.declaring and line.lstrip().startswith("@"):
                line = self._declaration(line.strip())
                self.declaring = not line.lower().startswith("@data")
            yield line

    def _declaration(self, line: str) -> str:
        # liac-arff splits declarations at blanks only.
        keyword, *rest = line.split(maxsplit=1)
        if keyword.lower() == "@attribute":
            self.n_attributes += 1
            rest = [self._replaced.sub(self._by, _with_plain_categories(text)) for text in rest]
        return " ".join([keyword, *rest])


def _with_plain_categories(declared: str) -> str:
    """Return a declaration without blanks between its categories.

    liac-arff tries billions of ways to split them if they are not a list in braces, such as
    ``{New York, Rome}`` without quotes or with a remark after it, so these are refused first.
    """
    name = _NAME.match(declared)
    start = name.end() if name else 0
    kind = declared[start:].strip()
    if "{" not in kind:
        return declared
    if not _CATEGORIES.fullmatch(kind):
        raise BadCategoriesError
    return f"{declared[:start]} {{{''.join(_TOKEN.findall(kind))}}}"


def _explained(path: Path, lines: _Lines, error: Exception) -> DataError:
    """Return an error of liac-arff in plain words, with the line where it stopped."""
    reasons = {
        "BadDataFormat": _bad_row(lines),
        "BadNominalValue": "holds a value that its attribute does not declare. Add the value to "
        "the declaration",
        "BadNumericalValue": "holds text in a numeric attribute. Correct it, or declare the "
        "attribute as nominal",
        "BadAttributeType": "declares an attribute that is not numeric, nominal or string. Leave "
        "out date and relational attributes",
        "BadAttributeName": "declares a name for the second time. Rename the attribute",
        "BadCategoriesError": "declares categories that are not a list in braces. Quote those that "
        "hold blanks, and leave out what follows the brace",
        "BadLayout": "breaks the order @relation, @attribute, @data. Check that the file is a "
        "complete ARFF file"
        if lines.declaring
        else "cannot be split into values. Close every quote, and quote values that hold blanks",
    }
    reason = reasons.get(type(error).__name__, "is not valid ARFF. Correct it")
    return DataError(
        f"{path.name}: line {lines.number} {reason} (got {shown(lines.last.strip())})."
    )


def _bad_row(lines: _Lines) -> str:
    if lines.last.lstrip().startswith("{"):
        return (
            f"names an attribute beyond the last, which is {lines.n_attributes - 1}: the first is "
            "0. Correct its number, or declare the attribute"
        )
    n_fields = re.sub(_QUOTED, "", lines.last).count(",") + 1
    return (
        f"has {count(n_fields, 'field')}, expected {lines.n_attributes}. Complete or delete the "
        "line; quote values that hold commas or blanks"
    )
