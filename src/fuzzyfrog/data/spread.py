"""From raw values to positions: every feature centered, divided by its spread, on one grid.

Why the grid: a sum of multiples of 2**-50 below 8 is exact in float64, so a distance does not
depend on the order of its terms, and neither threads, engines nor shards can change a bit of any
result (docs/theory.md#grid).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.data.spill import empty
from fuzzyfrog.errors import DataError

__all__ = [
    "GRID",
    "MISSING_RULES",
    "SPREADS",
    "Missing",
    "Spread",
    "positions",
    "scaled",
    "similarity_to",
    "snapped",
]

Spread = Literal["std", "variance", "range"]
Missing = Literal["similar", "different", "raise"]
SPREADS: tuple[Spread, ...] = ("std", "variance", "range")
MISSING_RULES: tuple[Missing, ...] = ("similar", "different", "raise")

GRID = 2.0**-50
_CELLS = 500_000  # values that are worked on at once
_FAR = 2.0**30  # positions beyond would lose digits that matter

FloatArray = NDArray[np.float64]


def positions(dataset: Dataset, spread: Spread, missing: Missing) -> FloatArray:
    """Give the position of every sample on every feature.

    The absolute difference of two positions is the distance of two samples on that feature: 1 or
    more means "not similar at all".

    Parameters
    ----------
    dataset : Dataset
        The table.
    spread : {"std", "variance", "range"}
        What a numeric feature is divided by.
    missing : {"similar", "different", "raise"}
        A missing value is similar to every value (it stays NaN), different from every value
        (it gets a place of its own, far from all others), or not allowed.

    Returns
    -------
    float64[n_samples, n_features]
        Multiples of 2**-50; NaN only under the rule "similar". On disk if they are too large for
        memory.
    """
    Z = empty(dataset.values.shape)
    gaps = _gaps(dataset, missing)
    plain = np.flatnonzero(~dataset.nominal & ~np.array([len(rows) > 0 for rows in gaps]))
    for part in column_blocks(dataset.n_samples, plain.size):
        Z[:, plain[part]] = _scaled(dataset.values[:, plain[part]], spread)
    for a in np.setdiff1d(np.arange(dataset.n_features), plain):
        column = dataset.values[:, a]
        z = column.copy() if dataset.nominal[a] else scaled(column, spread)
        if missing == "different":
            z[gaps[a]] = _own_places(z[~np.isnan(z)], len(gaps[a]))
        Z[:, a] = z
    return Z


def column_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Give the columns of a table in blocks: fewer calls than columns, less memory than all."""
    at_once = max(1, _CELLS // n_rows)
    for first in range(0, n_columns, at_once):
        yield slice(first, min(first + at_once, n_columns))


def scaled(column: FloatArray, spread: Spread) -> FloatArray:
    """Give a numeric column centered at its median and divided by its spread, on the grid.

    A column without spread (constant, or fewer than two values) is 0 wherever it is present.
    """
    z = np.full(column.shape, np.nan)
    present = ~np.isnan(column)
    z[present] = _scaled(column[present, np.newaxis], spread)[:, 0]
    return z


def similarity_to(column: FloatArray, value: float, spread: Spread) -> FloatArray:
    """Give how similar each value of a complete numeric column is to a given one."""
    values = column[:, np.newaxis]
    if not _varies(values)[0]:
        return np.ones(column.shape)
    deviation, unit = _deviations(values)
    apart = np.abs(column - value)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        distance = apart / unit / _width(deviation, spread)
        if spread == "variance":
            distance /= unit
    distance[apart == 0.0] = 0.0  # also where the unit is too small to be divided by
    return np.asarray(np.maximum(0.0, 1.0 - distance))


def _scaled(values: FloatArray, spread: Spread) -> FloatArray:
    """Give complete columns scaled."""
    z = np.zeros(values.shape)
    varies = _varies(values)
    if not varies.any():
        return z
    deviation, unit = _deviations(values[:, varies])
    width = _width(deviation, spread)
    found = deviation / width
    if spread == "variance":
        with np.errstate(over="ignore", divide="ignore"):
            found /= unit
        for k in np.flatnonzero(np.abs(found).max(axis=0) > _FAR):
            found[:, k] = _closed_up(deviation[:, k], width[k], unit[k])
    z[:, varies] = snapped(found)
    return z


def _closed_up(deviation: FloatArray, width: float, unit: float) -> FloatArray:
    """Give positions of which no two neighbors are more than 2 apart.

    A distance of 1 or more counts as 1, so that gaps wider than 2 say nothing more; closing them
    keeps positions within what float64 can hold.
    """
    places, at = np.unique(deviation, return_inverse=True)
    with np.errstate(over="ignore", divide="ignore"):
        gaps = np.minimum(np.diff(places) / width / unit, 2.0)
    return np.concatenate([[0.0], np.cumsum(snapped(gaps))])[at]


def snapped(z: FloatArray) -> FloatArray:
    """Give the nearest multiples of 2**-50 (floats of 4 or more already are multiples)."""
    near = np.abs(z) < 4.0
    z[near] = np.rint(z[near] / GRID) * GRID
    return z


def _varies(values: FloatArray) -> NDArray[np.bool_]:
    """Tell which columns have two different values."""
    if len(values) == 0:
        return np.zeros(values.shape[1], np.bool_)
    return np.asarray(values.min(axis=0) != values.max(axis=0))


def _deviations(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the deviations from the median within [-1, 1], and the unit of each column."""
    coarse = _powers_of_two(values)
    deviation = values / coarse  # scaled down first: 1.7e308 - -1.7e308 must not overflow
    deviation -= np.median(deviation, axis=0)
    fine = _powers_of_two(deviation)
    deviation /= fine
    with np.errstate(over="ignore"):  # an infinite unit makes differences 0, which they nearly are
        return deviation, coarse * fine


def _powers_of_two(values: FloatArray) -> FloatArray:
    """Give for each column a power of two that brings it into [-1, 1] (or just beyond)."""
    largest = np.maximum(values.max(axis=0, initial=0.0), -values.min(axis=0, initial=0.0))
    return np.asarray(np.ldexp(1.0, np.minimum(np.frexp(largest)[1], 1023)))


def _width(deviation: FloatArray, spread: Spread) -> FloatArray:
    """Give the spread of columns within [-1, 1], the same for any order of the samples."""
    if spread == "range":
        return np.asarray(deviation.max(axis=0, initial=-1.0) - deviation.min(axis=0, initial=1.0))
    centered = deviation - _sums(deviation) / len(deviation)
    variance = 4.0 * _sums(centered * centered / 4.0) / (len(deviation) - 1)
    return variance if spread == "variance" else np.sqrt(variance)


def _sums(values: FloatArray) -> FloatArray:
    """Give the sums of columns within [-2, 2], the same for any order of the samples.

    Each value is cut into two parts whose sums are exact; what lies below 2**-52 is left out.
    """
    coarse = np.rint(values * 2.0**26) / 2.0**26
    fine = np.rint((values - coarse) * 2.0**52) / 2.0**52
    return np.asarray(coarse.sum(axis=0) + fine.sum(axis=0))


def _gaps(dataset: Dataset, missing: Missing) -> list[NDArray[np.intp]]:
    """Give the samples in which each feature is missing, where the rule allows that."""
    gaps = [np.flatnonzero(np.isnan(dataset.values[:, a])) for a in range(dataset.n_features)]
    for a, rows in enumerate(gaps):
        if missing == "raise" and len(rows):
            raise DataError(
                f"missing='raise' allows no missing value (NaN), got {len(rows)} in feature "
                f"{dataset.feature_names[a]!r} (first at sample {rows[0]}). "
                "Fill them in, or choose missing='similar' or missing='different'."
            )
    return gaps


def _own_places(present: FloatArray, count: int) -> FloatArray:
    """Give places that are at least 1 away from each other and from all that is present."""
    beyond = np.ceil(present.max()) if present.size else 0.0
    return np.asarray(beyond + 2.0 * np.arange(1, count + 1))
