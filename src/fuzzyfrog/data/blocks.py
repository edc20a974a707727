"""Rows of a text file -> float64, block by block, so that no file is held as text at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.cells import NominalCoder, has_decimal_commas, has_points
from fuzzyfrog.data.checks import check_filled
from fuzzyfrog.data.columns import nominal_column
from fuzzyfrog.data.content import Content, decoded
from fuzzyfrog.data.layout import Layout
from fuzzyfrog.data.spill import GrowingTable
from fuzzyfrog.data.wording import listed, shown
from fuzzyfrog.errors import DataError

__all__ = ["Block", "BlockStore", "RawTable", "blocks_of"]

# About 20 MB of text at a time.
BLOCK_CELLS = 2**18


@dataclass(frozen=True)
class Block:
    """Some rows of a file, turned into columns, with the line each row ends in."""

    columns: tuple[tuple[Any, ...], ...]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class RawTable:
    """What a file holds: the features and the target cells."""

    content: Content
    target: list[Any] | NDArray[Any]


def blocks_of(rows: Iterable[tuple[int, Sequence[Any]]], n_columns: int) -> Iterator[Block]:
    """Yield numbered rows in blocks of columns."""
    rows = iter(rows)
    n_rows = max(1, BLOCK_CELLS // n_columns)
    while chunk := list(islice(rows, n_rows)):
        lines, records = zip(*chunk, strict=True)
        yield Block(tuple(zip(*records, strict=True)), lines)


class BlockStore:
    """Collects the blocks of a file and makes one table of them.

    Parameters
    ----------
    file : str
        Name of the file, for messages.
    layout : Layout
        Which columns are features, which is the target.
    missing_target : frozenset of str
        Texts that mean "no value" in the target, beside None.
    decimal : {".", ","} or None
        The decimal mark; None in a format that has no other than the point.
    """

    def __init__(
        self,
        file: str,
        layout: Layout,
        missing_target: frozenset[str],
        decimal: str | None = None,
    ) -> None:
        self._file = file
        self._decimal = decimal
        self._layout = layout
        self._missing_target = missing_target
        self._table = GrowingTable(len(layout.features))
        self._target: list[Any] = []
        self._labels: dict[Any, Any] = {}
        self._without_target: list[int] = []

    @property
    def n_rows(self) -> int:
        """Number of rows collected so far."""
        return self._table.n_rows

    def add(self, block: Block, columns: Sequence[NDArray[np.float64]]) -> None:
        """Keep the converted feature columns of a block and its target cells."""
        values = np.stack(columns, axis=1)
        self._refuse_infinite(values, block)
        self._table.append(values)
        for line, cell in zip(block.lines, block.columns[self._layout.target], strict=True):
            label = cell.strip() if isinstance(cell, str) else cell
            if label is None or label != label or label in self._missing_target:
                self._without_target.append(line)
            # Equal labels share one object, so a long file keeps few texts.
            self._target.append(self._labels.setdefault(label, label))

    def _refuse_infinite(self, values: NDArray[np.float64], block: Block) -> None:
        infinite = np.isinf(values)
        if infinite.any():
            row, feature = np.argwhere(infinite)[0]
            cell = block.columns[self._layout.features[feature]][row]
            raise DataError(
                f"{self._file}: line {block.lines[row]} must hold finite numbers, got "
                f"{shown(cell)} in feature {shown(self._layout.names[feature])}. "
                "Replace it, or leave the cell empty to mark it as missing."
            )

    def finish(
        self, coders: Sequence[NominalCoder | None], warnings: tuple[str, ...] = ()
    ) -> RawTable:
        """Give the whole table; the store is empty afterwards."""
        self._refuse_few_rows()
        if self._without_target:
            raise DataError(
                f"{self._file}: the target must not be missing, got no value in line "
                f"{listed(self._without_target)}. Fill in or delete these lines."
            )
        self._refuse_other_marks(coders)
        columns = [None if coder is None else nominal_column(coder.values) for coder in coders]
        content = decoded(self._table, columns, warnings)
        check_filled(content.values, self._layout.names, self._file)
        return RawTable(content, self._target)

    def _refuse_few_rows(self) -> None:
        if self.n_rows < 2:
            got = "none" if self.n_rows == 0 else "1"
            raise DataError(
                f"{self._file}: a table must have at least 2 samples below the header, got "
                f"{got}. Check that the file is complete."
            )

    def _refuse_other_marks(self, coders: Sequence[NominalCoder | None]) -> None:
        """Refuse features that are text only because of a decimal mark or of thousands."""
        is_other = has_points if self._decimal == "," else has_decimal_commas
        asked = zip(self._layout.names, coders, self._layout.nominal, strict=True)
        for name, coder, nominal in asked:
            if coder is not None and not nominal and is_other(coder.values):
                raise DataError(
                    f"{self._file}: feature {shown(name)} must have numbers with a decimal "
                    f"{self._marks(listed(coder.values[:3]))}"
                )

    def _marks(self, examples: str) -> str:
        if self._decimal == ",":
            return (
                f"comma, got points ({examples}). Delete thousands separators, or name it in "
                "nominal if these are labels."
            )
        way_out = (
            "Replace decimal commas by points and"
            if self._decimal is None
            else "Pass decimal=',' for decimal commas;"
        )
        return f"point, got commas ({examples}). {way_out} delete thousands separators."
