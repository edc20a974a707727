"""Columns that come in parts -> what the whole column would give, without ever holding it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.cells import NominalCoder, is_missing
from fuzzyfrog.data.columns import (
    MAX_EXACT_INTEGER,
    Column,
    Feature,
    convert_objects,
    dtype_name,
    kind_of,
    may_merge,
    merged,
    unusable,
)
from fuzzyfrog.data.labels import flat_labels
from fuzzyfrog.data.wording import shown
from fuzzyfrog.errors import DataError

__all__ = ["LabelParts", "NumberParts", "TargetParts", "parts_of_series"]

FloatArray: TypeAlias = NDArray[np.float64]
Series: TypeAlias = "nw.Series[Any]"

_LABELS = (nw.Categorical, nw.Enum, nw.String, nw.Object)


def parts_of_series(first: Series, feature: Feature) -> LabelParts | NumberParts:
    """Give what collects a column of a frame, told by its first part."""
    is_plain = _has_numbers(first) and not feature.nominal
    return NumberParts(feature) if is_plain else LabelParts(feature)


def _has_numbers(part: Series) -> bool:
    return part.dtype == nw.Boolean or part.dtype.is_numeric()


def _is_empty(part: Series) -> bool:
    # Arrow and polars have a type for nothing.
    return bool(part.null_count() == len(part))


class LabelParts:
    """Collects a column of labels, or of text and objects that may turn out to be numbers.

    Every distinct value gets a code by its first appearance. What the codes mean is decided at
    the end, by the distinct values alone: they tell all that the whole column would.

    Parameters
    ----------
    feature : Feature
        What is asked of the column.
    """

    def __init__(self, feature: Feature) -> None:
        self._feature = feature
        self._coder = NominalCoder()
        self._is_declared = False
        self._has_integer_dtype = False

    def add(self, part: Series) -> FloatArray:
        """Give the codes of a part of a frame's column."""
        dtype = part.dtype
        self._is_declared |= dtype in (nw.Categorical, nw.Enum)
        if dtype not in _LABELS and not _has_numbers(part):
            if not _is_empty(part):
                raise unusable(self._feature.name, dtype_name(part))
            return np.full(len(part), np.nan)
        self._has_integer_dtype |= dtype.is_integer()
        if dtype.is_float():
            part = part.cast(nw.Float64)
        return self.add_cells(part.to_list())

    def add_cells(self, cells: Sequence[Any]) -> FloatArray:
        """Give the codes of a part that is a list of objects."""
        for cell in cells:
            kind_of(cell, self._feature)  # refuses what is no value, before it is looked up
        return self._coder.encode(cells)

    def finish(self) -> Column:
        """Give the column of the distinct values: what each code by appearance stands for."""
        values: list[Any] = list(self._coder.values)
        if self._has_integer_dtype and all(map(_is_exact, values)):
            values = [float(value) for value in values]
        return convert_objects(values, self._feature, declared=self._is_declared)


def _is_exact(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < MAX_EXACT_INTEGER


class NumberParts:
    """Collects a column of numbers.

    Parameters
    ----------
    feature : Feature
        What is asked of the column.
    """

    def __init__(self, feature: Feature) -> None:
        self._feature = feature
        # What float64 may round, numbers above zero and the others without their sign.
        self._huge: dict[int, list[NDArray[Any]]] = {1: [], -1: []}

    def add(self, part: Series) -> FloatArray:
        """Give the numbers of a part of a frame's column."""
        if not _has_numbers(part):
            return self._without_values(part)
        if may_merge(part):
            cells = part.to_list()
            self.note_exact([cell for cell in cells if not is_missing(cell)])
            return convert_objects(cells, self._feature).values
        return np.array(part.cast(nw.Float64).to_numpy(), dtype=np.float64)

    def _without_values(self, part: Series) -> FloatArray:
        if _is_empty(part):
            return np.full(len(part), np.nan)
        raise DataError(
            f"feature {shown(self._feature.name)} must have one type in the whole table, got "
            f"{dtype_name(part)} after numbers. Convert the column to one type."
        )

    def note_exact(self, exact: Sequence[Any]) -> None:
        """Keep the integers and decimals that float64 may merge with others."""
        for sign, kept in self._huge.items():
            found = {sign * one for one in exact if sign * one >= MAX_EXACT_INTEGER}
            is_short = all(isinstance(one, int) and one < 2**64 for one in found)
            kept.append(np.fromiter(found, np.uint64 if is_short else object, count=len(found)))

    def finish(self) -> None:
        """Refuse numbers that became equal; the numbers are what they are."""
        for kept in self._huge.values():
            exact = np.unique(np.concatenate(kept)) if kept else np.empty(0)
            if np.unique(exact.astype(np.float64)).size < exact.size:
                raise merged(self._feature.name)


class TargetParts:
    """Collects a target that comes in parts."""

    def __init__(self) -> None:
        self._parts: list[NDArray[Any]] = []
        self._texts: dict[str, str] = {}

    def add(self, part: object) -> None:
        """Keep a part."""
        labels = flat_labels(part).copy()  # a view would keep all that it is a part of
        if labels.dtype == object:
            labels[:] = [self._shared(label) for label in labels.tolist()]
        self._parts.append(labels)

    def _shared(self, label: Any) -> Any:
        # Equal texts share one object, so a long table keeps few of them.
        return self._texts.setdefault(label, label) if isinstance(label, str) else label

    def finish(self) -> NDArray[Any]:
        """Give the whole target, as `flat_labels` gives it."""
        if len({part.dtype.kind for part in self._parts}) > 1:
            self._parts = [part.astype(object) for part in self._parts]
        return np.concatenate(self._parts) if self._parts else np.empty(0)
