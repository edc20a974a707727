"""What a table holds besides its target, however it came in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.columns import Column
from fuzzyfrog.data.dataset import Labels
from fuzzyfrog.data.spill import GrowingTable

__all__ = ["Content", "decoded", "stacked"]


@dataclass(frozen=True)
class Content:
    """The features of a table.

    Parameters
    ----------
    values : float64[n_samples, n_features]
        Numbers, and codes of nominal features; NaN where a value is missing.
    labels : tuple of (tuple or None)
        For each feature what its codes stand for; None for a numeric one.
    warnings : tuple of str
        What the user should know of the table.
    """

    values: NDArray[np.float64]
    labels: tuple[Labels | None, ...]
    warnings: tuple[str, ...] = ()

    @property
    def nominal(self) -> NDArray[np.bool_]:
        """The mask of the nominal features."""
        return np.array([labels is not None for labels in self.labels], dtype=np.bool_)


def stacked(columns: Iterable[Column], shape: tuple[int, ...]) -> Content:
    """Give columns, taken one at a time, as the content of a table."""
    values = np.empty(shape, dtype=np.float64)
    labels: list[Labels | None] = []
    warnings: list[str] = []
    for position, column in enumerate(columns):
        values[:, position] = column.values
        labels.append(column.labels)
        warnings += [column.warning] if column.warning else []
    return Content(values, tuple(labels), tuple(warnings))


def decoded(
    table: GrowingTable, columns: Sequence[Column | None], warnings: tuple[str, ...] = ()
) -> Content:
    """Give collected rows, with what they stand for in the place of codes by appearance.

    Parameters
    ----------
    table : GrowingTable
        The rows, of which it is the end.
    columns : sequence of (Column or None)
        For each feature that holds codes what each of them stands for; None where it holds
        numbers.
    warnings : tuple of str
        What else the user should know of the table.
    """
    coded = {place: column for place, column in enumerate(columns) if column is not None}

    def decode(block: NDArray[np.float64]) -> None:
        for place, column in coded.items():
            column.replace_codes(block[:, place])

    values = table.finish(decode)
    labels = tuple(None if column is None else column.labels for column in columns)
    notes = (column.warning for column in coded.values() if column.warning)
    return Content(values, labels, (*warnings, *notes))
