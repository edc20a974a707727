"""Dense and sparse ARFF files -> numbers and labels; the only module that uses liac-arff."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from fuzzyfrog.common.messages import count, shown
from fuzzyfrog.data.cells import CategoryCoder, NotANumberError
from fuzzyfrog.data.columns import Feature, FloatArray
from fuzzyfrog.data.formats import Layout, Wanted, check_header, text_lines
from fuzzyfrog.data.formats.csv import BlockStore, FileColumn, RawTable, blocks_of
from fuzzyfrog.errors import DataError, FuzzyfrogError

_INTEGER = re.compile(r"\s(integer)\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"\s(integer|numeric|real)\s*$", re.IGNORECASE)
_QUOTED = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
_NAME = re.compile(rf"""{_QUOTED}|[^\s{{}}"',%]++""")
_TOKEN = re.compile(rf"""{_QUOTED}|[^\s{{}}"',]++|,""")
_CATEGORY = rf"""\s*+(?:{_QUOTED}|[^\s{{}}"',]*+)\s*+"""
_CATEGORIES = re.compile(rf"\{{{_CATEGORY}(?:,{_CATEGORY})*+\}}")


def read_arff(path: Path, wanted: Wanted, *, encoding: str) -> tuple[Layout, RawTable]:
    """Return the layout and the content of an ARFF file; "?" is missing, as declared there."""
    import arff  # needed for this format only

    with closing(text_lines(path, encoding)) as text:  # type: ignore[type-var]
        lines = _Lines(text)
        try:
            content = arff.ArffDecoder().decode(iter(lines), return_type=arff.DENSE_GEN)
            header = [name for name, _ in content["attributes"]]
            check_header(header, path.name, None)
            layout = wanted.layout(header, path.name)
            return layout, _read(path, layout, content, lines)
        except FuzzyfrogError:
            raise
        # Not foreseen by liac-arff: a keyword alone, an odd escape, a field without end.
        except (arff.ArffException, csv.Error, ValueError, IndexError) as error:
            raise _explained(path, lines, error) from None


def arff_cells(path: Path, *, encoding: str) -> Iterator[list[str]]:
    """Yield the names of the attributes, then the cells of each sample as they are spelled.

    A missing value is "?"; a value that a sparse row omits is 0, or the first declared category.
    """
    import arff  # needed for this format only

    with closing(text_lines(path, encoding)) as text:  # type: ignore[type-var]
        # Declared as text, a number keeps its spelling.
        lines = _Lines(text, replaced=_NUMBER, by=" string")
        content = arff.ArffDecoder().decode(iter(lines), return_type=arff.DENSE_GEN)
        yield [name for name, _ in content["attributes"]]
        for row in content["data"]:
            yield ["?" if cell is None else str(cell) for cell in row]


class BadCategoriesError(ValueError):
    """Categories that are not declared as a list in braces."""


class _Lines:
    """The lines of a file as liac-arff expects them, with the last one kept for messages.

    liac-arff would cut 1.7 down to 1 in an integer attribute, which the format calls numeric; so
    the kind of an attribute can be replaced.
    """

    def __init__(
        self, text: Iterator[str], replaced: re.Pattern[str] = _INTEGER, by: str = " numeric"
    ) -> None:
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


def _read(path: Path, layout: Layout, content: dict[str, Any], lines: _Lines) -> RawTable:
    kinds = [kind for _, kind in content["attributes"]]
    columns = [
        _ArffColumn(Feature(name, asked), kinds[place])
        for name, asked, place in zip(
            layout.names, layout.categorical, layout.features, strict=True
        )
    ]
    store = BlockStore(path.name, layout, columns)
    for block in blocks_of(((lines.number, row) for row in content["data"]), len(kinds)):
        store.add(block)
    return store.finish()


class _ArffColumn(FileColumn):
    """Collects a feature, whose cells liac-arff gives as numbers or text, as declared."""

    def __init__(self, feature: Feature, kind: object) -> None:
        is_declared = not isinstance(kind, str) or kind == "STRING"
        is_categorical = is_declared if feature.categorical is None else feature.categorical
        super().__init__(feature, CategoryCoder() if is_categorical else None)

    def _numbers(self, cells: Sequence[Any]) -> FloatArray:
        try:
            return np.array(cells, dtype=np.float64)  # None becomes NaN
        except ValueError:
            is_text = [isinstance(cell, str) for cell in cells]
            raise NotANumberError(is_text.index(True)) from None


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
