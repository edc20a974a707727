"""The features of a table -> float64, collected from parts; a whole table is one part.

`Gathering` takes arrays, frames and the cells of files. For each feature a collector of `columns`
turns the cells of a part into numbers, or into codes by first appearance, and says at the end what
the codes stand for.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.common.messages import (
    MAX_ITEMS,
    Answered,
    Sentence,
    Setting,
    count,
    first_few,
    shown,
)
from fuzzyfrog.common.resources import GrowingTable
from fuzzyfrog.data.columns import (
    MAX_EXACT_INTEGER,
    BadCellError,
    Column,
    DateParts,
    Feature,
    LabelParts,
    Labels,
    NumberParts,
    Series,
    has_dates,
    has_numbers,
    slips_among_numbers,
    unusable,
)
from fuzzyfrog.errors import DataError
from fuzzyfrog.result.check import AS_LABELS

BLOCK_CELLS = 2**20  # cells of a table that are converted at once: about 8 MB
MOST_SENTENCES = 3  # with the same advice; if there are more, they become one
LEAST_FRAME_ROWS = 1000  # below, the call for each column of a frame costs more than its cells
ROWS_IN_CACHE = 1024  # of some columns that are written next to each other


@dataclass(frozen=True)
class Cells:
    """Some rows of a file as columns of cells, and the line of the file that each row ends in."""

    columns: Sequence[Any]
    lines: NDArray[np.int64]


Collector: TypeAlias = NumberParts | DateParts | LabelParts
Part: TypeAlias = "NDArray[Any] | nw.DataFrame[Any] | Cells"


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

    values: Floats
    labels: tuple[Labels | None, ...]
    warnings: tuple[str, ...] = ()
    dates: frozenset[int] = frozenset()

    @property
    def categorical(self) -> NDArray[np.bool_]:
        """The mask of the categorical features."""
        return np.array([labels is not None for labels in self.labels], dtype=np.bool_)


def gathered(
    parts: Iterable[Part], names: Sequence[str], chosen: NDArray[np.bool_] | None, least: int = 2
) -> Content:
    """Return the content of a table whose parts are arrays or frames with the same columns."""
    kinds = [None] * len(names) if chosen is None else chosen.tolist()
    gathering = Gathering([Feature(*one) for one in zip(names, kinds, strict=True)])
    for part in parts:
        gathering.add(part)
    return gathering.finish(least)


class Gathering:
    """Collects the parts of a table.

    Parameters
    ----------
    features : sequence of Feature
        What is asked of each column.
    columns : sequence of collectors, optional
        What takes the cells of each feature; required for a file whose columns have no types.
    n_rows : int
        As how many rows to make room for at once, if that is known.
    """

    def __init__(
        self, features: Sequence[Feature], columns: Sequence[Collector] = (), n_rows: int = 0
    ) -> None:
        self._features = features
        self._names = [feature.name for feature in features]
        self._columns = list(columns)
        self._table = GrowingTable(len(features), n_rows)
        self._values, self._n_filled = np.empty((0, 0)), 0  # rows of which some columns are missing
        self._warnings: tuple[str, ...] = ()
        self._infinite: DataError | None = None  # about the first cell, unless text follows it

    def add(self, part: Part) -> None:
        """Take the next rows: an array, a frame or cells with one column per feature.

        Frames with fewer columns are parts of the same rows, until these are complete.
        """
        if isinstance(part, Cells):
            self._table.append(self._cells(part))
        elif isinstance(part, np.ndarray):
            n_rows = rows_at_once(len(self._names))
            for first in range(0, len(part), n_rows):
                self._append(self._array(part[first : first + n_rows]))
        elif part.shape[1] < len(self._names):
            self._frame(part)
        else:
            n_rows = max(rows_at_once(len(self._names)), LEAST_FRAME_ROWS)
            for first in range(0, len(part), n_rows):
                self._frame(part[first : first + n_rows])

    def _append(self, values: Floats) -> None:
        check_finite(values, self._names, first_sample=self._table.n_rows)
        self._table.append(values)

    def finish(self, least: int, file: str = "") -> Content:
        """Return the content of the whole table, which must have at least some rows.

        The final codes or numbers are in place of the first codes.
        """
        names = self._names
        check_shape(self._table.n_rows, len(names), least)
        if self._infinite is not None:
            raise self._infinite
        columns = [column.finish() for column in self._columns]

        def decode(block: Floats) -> None:
            for place, meaning in enumerate(columns):
                if meaning.values is not None:
                    column = block[:, place]
                    present = ~np.isnan(column)
                    column[present] = meaning.values[column[present].astype(np.intp)]

        values = self._table.finish(decode)
        if any(column.values is not None and np.isinf(column.values).any() for column in columns):
            check_finite(values, names)  # a text can be an infinite number
        for place, (name, column) in enumerate(zip(names, columns, strict=True)):
            if column.strays:
                warning = slips_among_numbers(name, column, values[:, place])
                columns[place] = replace(column, warning=warning)
        notes = [*_doubts(columns, names, f"{file}: " if file else "")]
        if readings := [column.reading for column in columns if column.reading]:
            notes.insert(0, _numbers_in_text(readings))
        if gaps := [column.gaps for column in columns if column.gaps]:
            notes.append(_words_as_gaps(gaps))
        dates = frozenset(place for place, column in enumerate(columns) if column.is_date)
        labels = tuple(column.labels for column in columns)
        return Content(values, labels, (*self._warnings, *notes), dates)

    def _cells(self, part: Cells) -> Floats:
        values, found = np.empty((len(part.lines), len(self._names))), []
        for cells, column in zip(part.columns, self._columns, strict=True):
            try:
                found.append(column.add(cells))
            except BadCellError as error:
                line = f"line {part.lines[error.position]}"
                raise DataError(line, *error.reason) from None
        _fill(values, found)
        infinite = np.isinf(values)
        if self._infinite is None and infinite.any():
            row, place = np.argwhere(infinite)[0]
            cell = part.columns[place][row]
            self._infinite = DataError(
                f"line {part.lines[row]} must hold finite numbers, got "
                f"{shown(cell.as_py() if hasattr(cell, 'as_py') else cell)} in feature "
                f"{shown(self._names[place])}. Replace it, or leave the cell empty to mark it as "
                "missing."
            )
        return values

    def _frame(self, block: nw.DataFrame[Any]) -> None:
        first = self._n_filled
        if not first:
            self._values = self._table.next_rows(len(block))
        found = []
        for place, series in enumerate(cast(Iterator[Series], block.iter_columns()), first):
            series = _dense(series)
            if place == len(self._columns):
                self._columns.append(_collector(self._features[place], series))
            found.append(self._columns[place].add(series))
        _fill(self._values[:, first:], found)
        self._n_filled = (first + len(found)) % len(self._names)
        if not self._n_filled:
            self._append(self._values)

    def _array(self, block: NDArray[Any]) -> Floats:
        has_objects = block.dtype.kind in "OU"
        if not has_objects and block.dtype.kind not in "biuf":
            raise unusable(self._names[0], str(block.dtype))
        if not self._columns:
            if block.dtype.kind == "f" and block.dtype.itemsize > 8:
                way_out = "Pass X.astype(float) to silence this."
                self._warnings = (f"X is {block.dtype}, it is rounded to float64. {way_out}",)
            self._columns = [
                LabelParts(asked) if has_objects or asked.categorical else NumberParts(asked)
                for asked in self._features
            ]
        values = np.empty(block.shape) if has_objects else np.array(block, np.float64, order="C")
        is_far = _is_far(block)
        for place, column in enumerate(self._columns):
            if isinstance(column, LabelParts):
                cells = block[:, place]
                values[:, place] = (
                    column.add_cells(cells.tolist()) if has_objects else column.add_numbers(cells)
                )
            elif isinstance(column, DateParts):
                raise unusable(self._names[place], str(block.dtype))
            elif is_far[place]:
                column.note_exact(block[:, place].tolist())
        return values


def _collector(asked: Feature, series: Series) -> Collector:
    """Return what takes the cells of a column of a frame."""
    if asked.categorical or not (has_dates(series) or has_numbers(series)):
        return LabelParts(asked)
    return DateParts(asked) if has_dates(series) else NumberParts(asked)


def _fill(values: Floats, columns: Sequence[Floats]) -> None:
    """Write columns next to each other, a few rows at a time, which stay in the cache."""
    for first in range(0, len(values), ROWS_IN_CACHE):
        rows = slice(first, first + ROWS_IN_CACHE)
        for place, column in enumerate(columns):
            values[rows, place] = column[rows]


def rows_at_once(n_columns: int) -> int:
    """Return the number of rows of a table to convert at once."""
    return max(1, BLOCK_CELLS // max(1, n_columns))


def _doubts(columns: Sequence[Column], names: Sequence[str], prefix: str) -> Iterator[str]:
    """Yield the warnings about columns; of more than three with the same advice, the first."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for name, column in zip(names, columns, strict=True):
        if column.warning:
            kinds.setdefault(column.warning.rpartition(". ")[2], []).append((name, column.warning))
    for some in kinds.values():
        kind = Answered if AS_LABELS in some[0][1] else Sentence
        if len(some) <= MOST_SENTENCES:
            yield from (kind(prefix, warning) for _, warning in some)
            continue
        others = first_few([shown(name) for name, _ in some[1:]])
        more = f" The same goes for {len(some) - 1:,} more features: {others}."
        yield kind(prefix, some[0][1], more)


def check_shape(n_samples: int | None, n_features: int, least: int = 2) -> None:
    """Refuse a table in which nothing can be compared; None is a number not known yet."""
    if n_features == 0:
        raise DataError(
            f"X must have at least one feature, got 0 feature(s) (shape=({n_samples}, 0)) "
            "while a minimum of 1 is required. Pass the columns to select from."
        )
    if n_samples is not None and n_samples < least:
        raise DataError(
            f"X must have at least 2 samples, got {count(n_samples, 'sample')}. "
            "Pass more rows: classes are told apart by comparing samples."
        )


def check_finite(values: Floats, names: Sequence[str], *, first_sample: int = 0) -> None:
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


def _dense(series: Series) -> Series:
    """Return a column of a frame, dense where pandas keeps it sparse."""
    if series.dtype == nw.Unknown and hasattr(native := series.to_native(), "sparse"):
        return nw.from_native(native.sparse.to_dense(), series_only=True)
    return series


def _is_far(block: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which columns have integers that float64 may merge with others."""
    if block.dtype.kind not in "iu" or block.dtype.itemsize < 8:
        return np.zeros(block.shape[1], np.bool_)
    far = (block >= MAX_EXACT_INTEGER) | (block <= -MAX_EXACT_INTEGER)
    return np.asarray(far.any(axis=0))


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
