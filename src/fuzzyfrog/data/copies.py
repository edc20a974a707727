"""Columns that say the same as another one, and numbers that are nearly proportional.

Two features are copies if each tells the other: equal, affine (inches and centimeters, also
rounded), or one-to-one recoded (a label and its code). A copy would be selected as if it were a
second witness, and no feature that has a copy would be irreplaceable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.dataset import Dataset

FloatArray = NDArray[np.float64]

SAMPLE = 1024  # rows that rule out most pairs
MOST_CODES = 20  # values of a number that may be a code of something
FEWEST_ROWS = 10  # for a correlation to mean something
CORRELATED = 0.98
NOISE = 0.05  # of the spread of the middle half: the most that rounding may hide
CELLS_AT_ONCE = 2**22
PRODUCTS = 2**34  # for the correlations of all columns, about a second
FEWEST_PRODUCT_ROWS, MOST_PRODUCT_ROWS = 64, 4096
BLOCK = 256
MOST_GROUPS = 50  # of columns that rise and fall together, such as sums over time
TRIED = 3  # candidates whose correlation is computed on all rows
ROUNDING = 16 * float(np.finfo(np.float64).eps)  # of a value, after a few operations
HALVINGS = 40  # of the range of slopes
# Differences due to rounding fill a step evenly, so they span nearly 1 and deviate by 0.29 of it.
SPANS = 0.6, 1 + 1e-6  # halves may be rounded up and down
FEW = 5  # rows, whose share of a step may stay empty by chance
DEVIATIONS = 0.2, 0.33
WHOLE_RATIO = 0.02


def find_alike(
    dataset: Dataset, allowed: NDArray[np.bool_]
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return the groups of copies among the allowed features, and those of correlated numbers.

    In a group of correlated numbers, all have a correlation of 0.98 or more with the first. It
    has at most one of a group of copies.
    """
    exact = _same_partitions(dataset, np.flatnonzero(allowed))
    groups = {group[0]: list(group) for group in exact}
    seen = {one for group in exact for one in group[1:]}
    numbers = [
        one for one in np.flatnonzero(allowed & ~dataset.categorical).tolist() if one not in seen
    ]
    correlated: list[tuple[int, ...]] = []
    for leader, others in _correlated(dataset, numbers).items():
        near = []
        for one in others:
            if _is_rounded_copy(dataset.values[:, leader], dataset.values[:, one]):
                groups.setdefault(leader, [leader]).extend(groups.pop(one, [one]))
            else:
                near.append(one)
        if near:
            correlated.append((leader, *near))
    copies = [tuple(sorted(groups[first])) for first in sorted(groups)]
    return copies, correlated


def _same_partitions(dataset: Dataset, features: NDArray[np.intp]) -> list[tuple[int, ...]]:
    """Return the groups of features that are exact, affine or one-to-one recoded copies."""
    rows = _some_rows(dataset.n_samples, SAMPLE)
    suspects: dict[bytes, list[int]] = {}
    at_once = max(1, CELLS_AT_ONCE // len(rows))
    for first in range(0, len(features), at_once):
        part = features[first : first + at_once]
        head = dataset.values[np.ix_(rows, part)]
        for place, feature in enumerate(part.tolist()):
            suspects.setdefault(_partition(head[:, place]), []).append(feature)
    found = []
    for some in suspects.values():
        if len(some) > 1:
            for same in _refined(dataset, some) if len(rows) < dataset.n_samples else [some]:
                found += _related(dataset, same)
    return found


def _some_rows(n_samples: int, most: int) -> NDArray[np.intp]:
    """Return rows that are evenly spread over the table."""
    if n_samples <= most:
        return np.arange(n_samples)
    return np.linspace(0, n_samples - 1, most).astype(np.intp)


def _partition(column: FloatArray) -> bytes:
    """Return a digest that columns share if they are one-to-one.

    It depends on which samples have the same value, and not on the values. If nearly all values
    differ, that is true of most columns, so it depends on the order of the values then, in
    whichever direction; only affine copies are told in that case.
    """
    present = ~np.isnan(column)
    values = column if present.all() else column[present]
    distinct, first, codes = np.unique(values, return_index=True, return_inverse=True)
    if 2 * len(distinct) <= len(column):
        rank = np.empty(len(first), np.int32)
        rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    else:
        rank = np.arange(len(first), dtype=np.int32)
        if codes[0] > codes[-1]:
            rank = rank[::-1].copy()
    whole = np.full(len(column), -1, np.int32)
    whole[present] = rank[codes]
    return hashlib.blake2b(whole.tobytes(), digest_size=16).digest()


def _refined(dataset: Dataset, features: Sequence[int]) -> Iterable[list[int]]:
    """Return the features that have the same partition on all rows."""
    found: dict[bytes, list[int]] = {}
    for feature in features:
        found.setdefault(_partition(dataset.values[:, feature]), []).append(feature)
    return [some for some in found.values() if len(some) > 1]


def _related(dataset: Dataset, features: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the groups of copies among features with the same partition."""
    column = dataset.values[:, features[0]]
    n_values = np.unique(column[~np.isnan(column)]).size
    if n_values < 2:
        return []  # constants say the same: nothing
    # If nearly all values differ, any two columns are one-to-one.
    is_coded = 2 * n_values <= dataset.n_samples
    groups: list[list[int]] = []
    for feature in features:
        for group in groups[:MOST_GROUPS]:
            if _is_recoded(dataset, group[0], feature, n_values, is_coded=is_coded):
                group.append(feature)
                break
        else:
            groups.append([feature])
    return [tuple(group) for group in groups if len(group) > 1]


def _is_recoded(dataset: Dataset, a: int, b: int, n_values: int, *, is_coded: bool) -> bool:
    n_labels = int(dataset.categorical[a]) + int(dataset.categorical[b])
    if n_labels < 2 and _is_affine(dataset.values[:, a], dataset.values[:, b]):
        return n_labels == 0 or is_coded
    return is_coded and (n_labels > 0 or n_values <= MOST_CODES)


def _is_affine(x: FloatArray, y: FloatArray) -> bool:
    """Whether y = a x + b up to the rounding of float64; both have the same gaps."""
    present = ~np.isnan(x)
    x, y = x[present], y[present]
    low, high = int(np.argmin(x)), int(np.argmax(x))
    with np.errstate(all="ignore"):
        slope = (y[high] - y[low]) / (x[high] - x[low])
        rest = y - slope * x
        shift = float(np.median(rest))
        # Each value has its own rounding: an outlier must not excuse what the others differ by.
        size = np.abs(y) + np.abs(slope * x) + abs(shift)
        allowed = ROUNDING * (size + np.median(size))  # the shift has that of a usual value
        return bool((np.abs(rest - shift) <= allowed).all())


def _correlated(dataset: Dataset, features: Sequence[int]) -> dict[int, list[int]]:
    """Return for some features the later ones that are strongly correlated with them.

    Each feature is compared with those that are not correlated with an earlier one, on some rows;
    only pairs that look correlated are compared on all rows.
    """
    if dataset.n_samples < FEWEST_ROWS or len(features) < 2:
        return {}
    most = min(max(FEWEST_PRODUCT_ROWS, PRODUCTS // len(features) ** 2), MOST_PRODUCT_ROWS)
    rows = _some_rows(dataset.n_samples, most)
    required = CORRELATED - (0.015 if len(rows) < dataset.n_samples else 1e-4)
    directions = np.empty((len(rows), len(features)), np.float32)
    for first in range(0, len(features), BLOCK):
        part = np.asarray(features[first : first + BLOCK], np.intp)
        directions[:, first : first + BLOCK] = _directions(dataset.values[np.ix_(rows, part)])
    found: dict[int, list[int]] = {}
    leaders: list[int] = []
    for first in range(0, len(features), BLOCK):
        block = directions[:, first : first + BLOCK]
        to_leaders = np.abs(block.T @ directions[:, leaders])
        inside = np.abs(block.T @ block)
        new: list[int] = []
        for place in range(block.shape[1]):
            shares = np.concatenate([to_leaders[place], inside[place, new]])
            candidates = np.flatnonzero(shares >= required)
            best = candidates[np.argsort(-shares[candidates], kind="stable")][:TRIED]
            y = dataset.values[:, features[first + place]]
            for at in best.tolist():
                n_known = len(leaders)
                leader = features[leaders[at] if at < n_known else first + new[at - n_known]]
                if abs(_correlation(dataset.values[:, leader], y)) >= CORRELATED:
                    found.setdefault(leader, []).append(features[first + place])
                    break
            else:
                new.append(place)
        leaders += [first + one for one in new]
    return found


def _directions(values: FloatArray) -> NDArray[np.float32]:
    """Return columns centered and of length 1; a missing value is the mean, a constant is 0."""
    with np.errstate(all="ignore"):
        scale = np.nanmax(np.abs(values), axis=0, initial=0.0)
        values = values / np.where(scale > 0, scale, 1.0)
        n_present = np.maximum((~np.isnan(values)).sum(axis=0), 1)
        centered = np.nan_to_num(values - np.nansum(values, axis=0) / n_present)
        length = np.sqrt((centered**2).sum(axis=0))
        return np.asarray(centered / np.where(length > 1e-12, length, np.inf), np.float32)


def _correlation(x: FloatArray, y: FloatArray) -> float:
    """Return the correlation of two columns where both have values; 0 for too few."""
    both = ~np.isnan(x) & ~np.isnan(y)
    if 2 * int(both.sum()) < len(x) or int(both.sum()) < FEWEST_ROWS:
        return 0.0
    a, b = (_directions(one[both, np.newaxis])[:, 0].astype(np.float64) for one in (x, y))
    return float(a @ b)


def _is_rounded_copy(x: FloatArray, y: FloatArray) -> bool:
    """Whether one column is an affine image of the other, rounded, and the steps are fine."""
    gaps = np.isnan(x)
    if not np.array_equal(gaps, np.isnan(y)):
        return False
    x, y = x[~gaps], y[~gaps]
    if _is_affine(x, y):
        return True
    steps = _step(x), _step(y)
    return _rounds_to(x, y, *steps) or _rounds_to(y, x, *steps[::-1])


def _rounds_to(x: FloatArray, y: FloatArray, x_step: float, y_step: float) -> bool:
    """Whether y = a x + b for some a and b, rounded to the steps of y, in every row."""
    deviation = float(x.std())
    spread = float(np.subtract(*np.percentile(y, [75, 25]))) / 1.35
    if y_step == 0 or not 0 < deviation < np.inf:
        return False
    centered = x - x.mean()
    slope = float(centered @ (y - y.mean()) / (centered @ centered))
    if (y_step + abs(slope) * x_step) / 2 > NOISE * spread:
        return False
    ratio = abs(slope) * x_step / y_step
    nearest = np.rint(ratio)
    least = SPANS[0]
    if 0.5 < ratio < 1:
        return False  # a column that is finer by less than two steps may add just yes or no
    if ratio < 1:  # the finer column must not have a few values only for each of the coarser
        is_whole = ratio > 0 and abs(1 / ratio - np.rint(1 / ratio)) <= WHOLE_RATIO
        least = max(least, 1 - FEW / len(x) - (1.1 * ratio if is_whole else 0))
    if np.array_equal(np.rint(np.round(x, _places(y_step)) / y_step), np.rint(y / y_step)):
        return _fill_a_step((x - y) / y_step, least)
    near = max(WHOLE_RATIO, 2 * x_step / float(np.ptp(x)))
    if nearest >= 1 and abs(ratio - nearest) <= near:
        return False  # nothing to round, so a difference of one step means something
    rest = (y - y.mean() - slope * centered) / y_step
    if rest.std() > 0.5:
        return False
    # If some line is within half a step of all values, its slope differs by no more than this.
    low, high = -0.5 / deviation, 0.5 / deviation
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        tilted = rest - middle * centered
        top, bottom = int(np.argmax(tilted)), int(np.argmin(tilted))
        if tilted[top] - tilted[bottom] < 1:
            break
        if centered[top] > centered[bottom]:
            low = middle
        else:
            high = middle
    return _fill_a_step(tilted, least)


def _fill_a_step(rest: FloatArray, least: float) -> bool:
    """Whether differences, in steps, are like those due to rounding."""
    span, deviation = float(np.ptp(rest)), float(rest.std())
    return least <= span <= SPANS[1] and DEVIATIONS[0] <= deviation <= DEVIATIONS[1]


def _step(column: FloatArray) -> float:
    """Return the last decimal place that the values of a column have; 0 for floats."""
    for places in range(-6, 7):
        scaled = column * 10.0**places
        if (np.abs(scaled - np.rint(scaled)) <= ROUNDING * np.abs(scaled)).all():
            return float(10.0**-places)
    return 0.0


def _places(step: float) -> int:
    return int(np.rint(-np.log10(step)))
