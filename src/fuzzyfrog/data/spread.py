"""From raw values to positions: every feature centered, divided by its spread, on one grid.

Why the grid: a sum of multiples of 2**-50 below 8 is exact in float64, so a distance does not
depend on the order of its terms, and neither threads, engines nor shards can change a bit of any
result (docs/theory.md#grid).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.errors import DataError

__all__ = [
    "GRID",
    "MISSING_RULES",
    "SPREADS",
    "Missing",
    "Spread",
    "positions",
    "scaled",
    "snapped",
    "width",
]

Spread = Literal["std", "variance", "range"]
Missing = Literal["similar", "different", "raise"]
SPREADS: tuple[Spread, ...] = ("std", "variance", "range")
MISSING_RULES: tuple[Missing, ...] = ("similar", "different", "raise")

GRID = 2.0**-50
_FAR = 2.0**900  # stands for "any larger distance": differences of such numbers stay finite

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
        Multiples of 2**-50; NaN only under the rule "similar".
    """
    Z = np.empty_like(dataset.values)
    for a in range(dataset.n_features):
        column = dataset.values[:, a]
        gaps = np.isnan(column)
        if missing == "raise" and gaps.any():
            raise DataError(_missing_message(dataset, a, gaps))
        z = column - np.nanmin(column) if dataset.nominal[a] else scaled(column, spread)
        if missing == "different" and gaps.any():
            z[gaps] = _own_places(z[~gaps], int(gaps.sum()))
        Z[:, a] = z
    return Z


def scaled(column: FloatArray, spread: Spread) -> FloatArray:
    """Give a numeric column centered at its median and divided by its spread, on the grid.

    A column without spread (constant, or fewer than two values) is 0 wherever it is present.
    """
    gaps = np.isnan(column)
    parts = _deviations(column[~gaps])
    z = np.where(gaps, np.nan, 0.0)
    if parts is None:
        return z
    deviation, unit = parts
    z[~gaps] = deviation / _width(deviation, spread)
    if spread == "variance":
        with np.errstate(over="ignore"):
            z = np.clip(z / unit, -_FAR, _FAR)
    return snapped(z)


def width(column: FloatArray, spread: Spread) -> float:
    """Give the spread of a numeric column; 0 for a constant one."""
    parts = _deviations(column[~np.isnan(column)])
    if parts is None:
        return 0.0
    deviation, unit = parts
    return _width(deviation, spread) * (unit * unit if spread == "variance" else unit)


def snapped(z: FloatArray) -> FloatArray:
    """Give the nearest multiples of 2**-50 (floats of 4 or more already are multiples)."""
    near = np.abs(z) < 4.0
    z[near] = np.rint(z[near] / GRID) * GRID
    return z


def _deviations(present: FloatArray) -> tuple[FloatArray, float] | None:
    """Give the deviations from the median within [-1, 1] and their unit; None for a constant."""
    if present.size < 2 or present.min() == present.max():
        return None
    coarse = _power_of_two(present)
    small = present / coarse  # scaled down first: 1.7e308 - -1.7e308 must not overflow
    deviation = small - np.median(small)
    fine = _power_of_two(deviation)
    return deviation / fine, coarse * fine


def _power_of_two(values: FloatArray) -> float:
    """Give a power of two that brings values into [-1, 1], all but the smallest bits of them."""
    exponent = int(np.frexp(np.abs(values).max())[1])
    return float(np.ldexp(1.0, min(exponent, 1023)))


def _width(deviation: FloatArray, spread: Spread) -> float:
    """Give the spread of values within [-1, 1], the same for any order of the samples."""
    if spread == "range":
        return float(deviation.max() - deviation.min())
    centered = deviation - _sum(deviation) / deviation.size
    variance = 4.0 * _sum(centered * centered / 4.0) / (deviation.size - 1)
    return variance if spread == "variance" else float(np.sqrt(variance))


def _sum(values: FloatArray) -> float:
    """Give the sum of values within [-2, 2], the same for any order of them.

    Each value is cut into two parts whose sums are exact; what lies below 2**-52 is left out.
    """
    coarse = np.rint(values * 2.0**26) / 2.0**26
    fine = np.rint((values - coarse) * 2.0**52) / 2.0**52
    return float(coarse.sum()) + float(fine.sum())


def _own_places(present: FloatArray, count: int) -> FloatArray:
    """Give places that are at least 1 away from each other and from all that is present."""
    beyond = np.ceil(present.max()) if present.size else 0.0
    return np.asarray(beyond + 2.0 * np.arange(1, count + 1))


def _missing_message(dataset: Dataset, feature: int, gaps: NDArray[np.bool_]) -> str:
    return (
        f"missing='raise' allows no missing value, got {int(gaps.sum())} in feature "
        f"{dataset.feature_names[feature]!r} (first at sample {int(np.argmax(gaps))}). "
        "Fill them in, or choose missing='similar' or missing='different'."
    )
