"""Read a table of scores, data sets x methods, from a frame or a mapping."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf, isfinite, isnan, log10, nan
from numbers import Real
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.data.dataset import as_frame
from fuzzyfrog.errors import DataError, ParameterError

Floats = NDArray[np.float64]

DIGITS = 12  # significant digits of the largest score; the rest is rounding
MAX_POWER = 290  # of ten; numbers that need more are too small to be scores


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of methods on data sets; higher is better."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    values: Floats  # [n_datasets, n_methods]; a gap is NaN

    def filled(self, missing: object) -> Floats:
        """Return the scores with every gap as the worst of all (-inf), or as a number."""
        if missing == "worst":
            return np.where(np.isnan(self.values), -inf, self.values)
        if isinstance(missing, bool) or not isinstance(missing, Real) or not isfinite(missing):
            raise ParameterError("missing", "be 'worst' or a finite number", shown(missing))
        return np.where(np.isnan(self.values), float(missing), self.values)


@dataclass(frozen=True, eq=False)
class Gridded:
    """Scores as whole steps, so that scores equal up to rounding are equal in every test."""

    steps: Floats  # whole numbers, whose differences are exact; a gap may be minus infinity
    steps_in_one: float


def on_grid(values: Floats) -> Gridded:
    """Return the scores rounded to 12 digits of the largest: 0.1 + 0.2 and 0.3 are the same."""
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0) or 1.0
    # A power of ten, so that no decimal fraction lies halfway between two steps.
    steps_in_one = 10.0 ** min(DIGITS - ceil(log10(largest)), MAX_POWER)
    return Gridded(np.asarray(np.rint(values * steps_in_one)), steps_in_one)


def read_scores(scores: object) -> ScoreTable:
    """Return a table of at least two data sets and two methods, or raise DataError."""
    table = _of_mapping(scores) if isinstance(scores, Mapping) else _of_frame(scores)
    repeated = [name for name, count in Counter(table.methods).items() if count > 1]
    if repeated:
        raise DataError(f"methods must have distinct names, got {listed(repeated)} more than once.")
    if len(table.datasets) < 2 or len(table.methods) < 2:
        raise DataError(
            "scores must have at least 2 data sets (rows) and 2 methods (columns), got "
            f"{len(table.datasets)} and {len(table.methods)}."
        )
    if np.isinf(table.values).any():
        row, column = np.argwhere(np.isinf(table.values))[0]
        raise DataError(
            f"scores must be finite, got {table.values[row, column]} for "
            f"{shown(table.methods[column])} on {shown(table.datasets[row])}. "
            "Leave it out to mark a gap."
        )
    return table


def _of_mapping(scores: Mapping[Any, Any]) -> ScoreTable:
    rows = list(scores.values())
    if not all(isinstance(row, Mapping) for row in rows):
        raise DataError(
            "scores must map data sets to mappings from methods to scores, got "
            f"{shown(scores)}. For example {{'wine': {{'frogs': 95.2, 'swarm': 92.4}}}}."
        )
    methods = list(dict.fromkeys(method for row in rows for method in row))
    values = [[_number(row.get(method), method) for method in methods] for row in rows]
    return ScoreTable(
        tuple(map(str, scores)), tuple(map(str, methods)), np.array(values, np.float64, ndmin=2)
    )


def _of_frame(scores: object) -> ScoreTable:
    try:
        frame = as_frame(scores)
    except DataError:
        raise DataError(
            "methods must have distinct names, got a frame with repeated columns. "
            "Rename or drop them."
        ) from None
    except TypeError:
        raise DataError(
            "scores must be a frame or a mapping, data sets x methods, got "
            f"{type(scores).__name__}. Name the methods: pandas.DataFrame(scores, columns=[...])."
        ) from None
    index = nw.maybe_get_index(frame)
    names = [str(name) for name in (range(len(frame)) if index is None else index)]
    columns = {name: frame[:, place] for place, name in enumerate(frame.columns)}
    first = next(iter(columns), None)
    if first is not None and columns[first].dtype in (nw.String, nw.Categorical, nw.Object):
        names = [str(name) for name in columns.pop(first).to_list()]
    values = [[_number(cell, name) for cell in one.to_list()] for name, one in columns.items()]
    return ScoreTable(
        tuple(names), tuple(map(str, columns)), np.array(values, np.float64, ndmin=2).T
    )


def _number(cell: object, method: object) -> float:
    if cell is None:
        return nan
    if isinstance(cell, bool | np.bool_) or not isinstance(cell, Real):
        raise DataError(
            f"scores of {shown(method)} must be numbers, got {listed([cell])}. "
            "Only the first column of a frame may hold text, the names of the data sets."
        )
    number = float(cell)
    return nan if isnan(number) else number
