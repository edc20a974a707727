"""Positions: every feature centered, divided by its spread, and rounded to one grid.

Why the grid: a sum of multiples of 2**-50 below 8 is exact in float64, so a distance does not
depend on the order of its terms, and neither threads, engines nor shards can change a bit of any
result (docs/theory.md#grid).
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.common.messages import Setting
from fuzzyfrog.common.resources import empty
from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.data.weights import others_of
from fuzzyfrog.errors import DataError

Spread = Literal["std", "variance", "range"]
Missing = Literal["similar", "different", "raise"]
SPREADS: tuple[Spread, ...] = ("std", "variance", "range")
MISSING_RULES: tuple[Missing, ...] = ("similar", "different", "raise")

GRID = 2.0**-50
ROUNDING = 2.0**-53  # the largest relative error of one operation
_CELLS = 2**15  # values scaled at once: they and a few copies fit into the cache
_FAR = 32.0  # positions beyond this lose more than a few digits
_SECOND_ORDER = 1.0 + 2.0**-10  # allows for products of errors, which the bounds ignore


def positions(
    dataset: Dataset,
    spread: Spread,
    missing: Missing,
    mapped: Callable[[Callable[[slice], None], Iterable[slice]], Iterable[None]] = map,
    closed_beyond: float = _FAR,
    masses: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return the position of every sample on every feature, and bounds on the error of distances.

    The absolute difference of two positions is the distance of two samples on that feature: 1 or
    more means "not similar at all".

    Parameters
    ----------
    dataset : Dataset
        The table.
    spread : {"std", "variance", "range"}
        The divisor of a numeric feature.
    missing : {"similar", "different", "raise"}
        A missing value is similar to every value (it stays NaN), different from every value
        (it gets a place of its own, far from all others), or not allowed.
    mapped : callable
        Calls a function with each block of columns, like `map`, perhaps in several threads.
    closed_beyond : float
        Where a column has positions beyond this, gaps wider than 2 are closed, which is right for
        distances that are cut at 1. Infinity keeps all gaps as wide as they are.
    masses : float64[n_samples], optional
        How many samples each one counts as in a spread; 1 if left out.

    Returns
    -------
    float64[n_samples, n_features]
        Multiples of 2**-50; NaN only under the rule "similar". On disk if too large for memory.
    float64[n_features]
        For each feature a bound on the error of a distance, cut at 1, against the definition
        (docs/theory.md#error); 0 for categorical features.
    """
    Z, errors = empty(dataset.values.shape), np.zeros(dataset.n_features)
    gaps = gaps_of(dataset, missing)
    plain = np.flatnonzero(~dataset.categorical & ~np.array([len(rows) > 0 for rows in gaps]))

    def scale(part: slice) -> None:
        some = plain[part]
        Z[:, some], errors[some] = _scaled(dataset.values[:, some], spread, closed_beyond, masses)

    for _ in mapped(scale, column_blocks(dataset.n_samples, plain.size)):
        pass
    for a in np.setdiff1d(np.arange(dataset.n_features), plain).tolist():
        z = dataset.values[:, a].copy()
        if not dataset.categorical[a]:
            z, errors[a] = scaled(z, spread, closed_beyond, masses)
        if missing == "different":
            z[gaps[a]] = _own_places(z[~np.isnan(z)], len(gaps[a]))
        Z[:, a] = z
    return Z, errors


def column_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield the columns of a table in blocks: fewer calls than columns, less memory than all."""
    at_once = max(1, _CELLS // n_rows)
    for first in range(0, n_columns, at_once):
        yield slice(first, min(first + at_once, n_columns))


def scaled(
    column: Floats,
    spread: Spread,
    closed_beyond: float = _FAR,
    masses: Floats | None = None,
) -> tuple[Floats, float]:
    """Return a numeric column centered at its median and divided by its spread, on the grid.

    A column without spread (constant, or fewer than two values) is 0 wherever it is present. The
    second result is a bound on the error of a distance between two positions, cut at 1. Gaps are
    closed as in `positions`.
    """
    z = np.full(column.shape, np.nan)
    present = ~np.isnan(column)
    masses = None if masses is None else masses[present]
    found, errors = _scaled(column[present, np.newaxis], spread, closed_beyond, masses)
    z[present] = found[:, 0]
    return z, float(errors[0])


def similarity_to(column: Floats, value: float, spread: Spread) -> Floats:
    """Return how similar each value of a complete numeric column is to a given one."""
    values = column[:, np.newaxis]
    if not _varies(values)[0]:
        return np.ones(column.shape)
    deviation, coarse, fine = _deviations(values)
    apart = np.abs(column - value)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        unit = coarse * fine
        distance = apart / unit / _width(deviation, spread)
        if spread == "variance":
            distance /= unit
    distance[apart == 0.0] = 0.0  # also where the unit is too small to be divided by
    return np.asarray(np.maximum(0.0, 1.0 - distance))


def _scaled(
    values: Floats, spread: Spread, closed_beyond: float, masses: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return complete columns scaled, and a bound on the error of a distance on each."""
    z, errors = np.zeros(values.shape), np.zeros(values.shape[1])
    varies = _varies(values)
    if not varies.any():
        return z, errors
    values = values[:, varies]
    deviation, coarse, fine = _deviations(values)
    width = _width(deviation, spread, masses)
    if spread == "variance":
        with np.errstate(over="ignore"):  # an infinite width makes distances 0, nearly as they are
            width = width * (coarse * fine)
    with np.errstate(over="ignore", divide="ignore"):
        found = deviation / width
    farthest = np.abs(found).max(axis=0)
    # Two positions, each from a rounded difference and a rounded quotient.
    rounded = 2.0 * farthest * 2.0 * ROUNDING
    for k in np.flatnonzero(farthest > closed_beyond):
        found[:, k], rounded[k] = _closed_up(values[:, k] / coarse[k], fine[k], width[k])
    z[:, varies] = snapped(found)
    errors[varies] = (rounded + GRID + _width_error(spread, len(values))) * _SECOND_ORDER
    return z, errors


def _closed_up(values: Floats, fine: float, width: float) -> tuple[Floats, float]:
    """Return positions without wide gaps between neighbors, and a bound on the error of distances.

    A distance of 1 or more counts as 1, so gaps wider than 2 carry no information. The values
    between two such gaps are measured from the lowest of them, which is placed on a whole number:
    so no digits are lost, no matter how wide the column is.
    """
    places, at = np.unique(values, return_inverse=True)
    with np.errstate(over="ignore", divide="ignore"):
        is_first = np.concatenate([[True], np.diff(places) / fine / width > 2.0])
    part = np.cumsum(is_first) - 1
    with np.errstate(invalid="ignore"):  # 0 / 0 where a value stands alone
        inside = np.nan_to_num((places - places[is_first][part]) / fine / width)
    is_last = np.concatenate([is_first[1:], [True]])
    starts = np.concatenate([[0.0], np.cumsum(np.ceil(inside[is_last]) + 2.0)[:-1]])
    middle = np.partition(at, len(at) // 2)[len(at) // 2]
    found = (starts - starts[part[middle]] - np.rint(inside[middle]))[part] + inside
    longest = float(inside.max())
    farthest = float(np.abs(found).max()) if longest > 0.0 else 0.0  # whole numbers are exact
    return found[at], 2.0 * (2.0 * longest + farthest) * ROUNDING


def _width_error(spread: Spread, n_values: int) -> float:
    """Return a bound on the relative error of a spread (docs/theory.md#error)."""
    if spread == "range":
        return 2.0 * ROUNDING
    left_out = n_values * 2.0**-74
    return (12.0 if spread == "variance" else 8.0) * ROUNDING + left_out


def snapped(z: Floats) -> Floats:
    """Return the nearest multiples of 2**-50 (floats of 4 or more already are multiples)."""
    near = np.abs(z) < 4.0
    z[near] = np.rint(z[near] / GRID) * GRID
    return z


def _varies(values: Floats) -> NDArray[np.bool_]:
    """Return which columns have two different values."""
    if len(values) == 0:
        return np.zeros(values.shape[1], np.bool_)
    return np.asarray(values.min(axis=0) != values.max(axis=0))


def _deviations(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the deviations from the median within [-1, 1], and the two units they are in."""
    coarse = _powers_of_two(values)
    deviation = values / coarse  # scaled down first: 1.7e308 - -1.7e308 must not overflow
    deviation -= np.median(deviation, axis=0)
    fine = _powers_of_two(deviation)
    deviation /= fine
    return deviation, coarse, fine


def _powers_of_two(values: Floats) -> Floats:
    """Return for each column a power of two that brings it into [-1, 1] (or just beyond)."""
    largest = np.maximum(values.max(axis=0, initial=0.0), -values.min(axis=0, initial=0.0))
    return np.asarray(np.ldexp(1.0, np.minimum(np.frexp(largest)[1], 1023)))


def _width(deviation: Floats, spread: Spread, masses: Floats | None = None) -> Floats:
    """Return the spread of columns within [-1, 1], the same for any order of the samples."""
    if spread == "range":
        return np.asarray(deviation.max(axis=0, initial=-1.0) - deviation.min(axis=0, initial=1.0))
    counts: Floats | float = 1.0
    n_samples, unit = float(len(deviation)), 1.0
    if masses is not None:
        unit = float(_powers_of_two(masses[:, np.newaxis])[0])
        counts, n_samples = (masses / unit)[:, np.newaxis], float(masses.sum())
    centered = deviation - _sums(deviation * counts) / (n_samples / unit)
    variance = 4.0 * _sums(centered * centered / 4.0 * counts) / (others_of(n_samples) / unit)
    return variance if spread == "variance" else np.sqrt(variance)


def _sums(values: Floats) -> Floats:
    """Return the sums of columns within [-2, 2], the same for any order of the samples.

    Each value is cut into three parts whose sums are exact; digits below 2**-78 are dropped.
    """
    total, left = np.zeros(values.shape[1]), values.copy()
    parts = []
    for unit in (2.0**-26, 2.0**-52, 2.0**-78):
        part = left + 1.5 * 2.0**52 * unit  # of which the last digit is the unit
        part -= 1.5 * 2.0**52 * unit
        parts.append(part.sum(axis=0))
        left -= part
    for one in reversed(parts):
        total = total + one
    return total


def gaps_of(dataset: Dataset, missing: Missing) -> list[NDArray[np.intp]]:
    """Return the samples in which each feature is missing, or raise if the rule forbids any."""
    gaps = [np.empty(0, np.intp)] * dataset.n_features
    lowest = dataset.values.min(axis=0, initial=np.inf)  # NaN if any value is
    for a in np.flatnonzero(np.isnan(lowest)).tolist():
        gaps[a] = np.flatnonzero(np.isnan(dataset.values[:, a]))
    for a, rows in enumerate(gaps):
        if missing == "raise" and len(rows):
            raise DataError(
                Setting("missing", "raise"),
                f" allows no missing value (NaN), got {len(rows)} in feature "
                f"{dataset.feature_names[a]!r} (first at sample {rows[0]}). "
                "Fill them in, or choose ",
                Setting("missing", "similar"),
                " or ",
                Setting("missing", "different"),
                ".",
            )
    return gaps


def _own_places(present: Floats, count: int) -> Floats:
    """Return places at least 1 away from each other and from all present values."""
    beyond = np.ceil(present.max()) if present.size else 0.0
    return np.asarray(beyond + 2.0 * np.arange(1, count + 1))
