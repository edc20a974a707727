"""Features that say the same as another: copies, and those that order the samples alike.

A copy is equal, affine (inches and centimeters) or one-to-one recoded (a label and its code). It
would be selected as if it were a second witness, and no feature that has one would be
irreplaceable, so it is left out. A logarithm or a square orders the samples alike, but has other
distances: a measure may prefer either, so both stay, and the result names them.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.data import Dataset

Groups = list[tuple[int, ...]]

MOST_ROWS = 2048  # that decide whether columns are ordered alike, and rule out most copies
MOST_CODES = 20  # values of a number that may be a code of something
FEWEST_ROWS = 10  # for a correlation to mean something
CORRELATED = 0.98
PRODUCTS, FEWEST_PRODUCT_ROWS = 2**34, 64  # for the correlations of all columns, about a second
BLOCK = 256
MOST_GROUPS = 50  # of columns that rise and fall together, such as sums over time
ROUNDING = 16 * float(np.finfo(np.float64).eps)  # of a value, after a few operations


def find_alike(dataset: Dataset, allowed: NDArray[np.bool_]) -> tuple[Groups, Groups]:
    """Return the groups of copies among the allowed features, and those of correlated numbers.

    Each begins with the first feature of the table. In a group of correlated numbers, all have a
    rank correlation of 0.98 or more with the first; it has at most one of a group of copies.
    """
    copies = _copies(dataset, np.flatnonzero(allowed).tolist())
    repeated = {feature for group in copies for feature in group[1:]}
    numbers = np.flatnonzero(allowed & ~dataset.categorical).tolist()
    return copies, _correlated(dataset, [one for one in numbers if one not in repeated])


def _rows(dataset: Dataset, most: int) -> NDArray[np.intp]:
    """Return rows that are evenly spread over the table."""
    n_rows = min(dataset.n_samples, most)
    return np.linspace(0, dataset.n_samples - 1, n_rows).astype(np.intp)


def _copies(dataset: Dataset, features: list[int]) -> Groups:
    """Return the groups of features that are exact, affine or one-to-one recoded copies."""
    suspects = [features]
    is_long = dataset.n_samples > MOST_ROWS  # some of the rows rule out most features
    for most in (MOST_ROWS, dataset.n_samples) if is_long else (MOST_ROWS,):
        shared: dict[tuple[int, bytes], list[int]] = {}
        chosen = _rows(dataset, most)
        for group, some in enumerate(suspects):
            for feature in some:
                key = group, _partition(dataset.values[chosen, feature])
                shared.setdefault(key, []).append(feature)
        suspects = [some for some in shared.values() if len(some) > 1]
    return sorted(group for some in suspects for group in _related(dataset, some))


def _partition(column: Floats) -> bytes:
    """Return a digest that columns share if they are one-to-one.

    It depends on which samples have the same value, and not on the values. If nearly all values
    differ, that is true of most columns, so it depends on the order of the values then, in
    whichever direction; only affine copies are told in that case.
    """
    present = ~np.isnan(column)
    distinct, first, codes = np.unique(column[present], return_index=True, return_inverse=True)
    rank = np.arange(len(first), dtype=np.int32)
    if 2 * len(distinct) <= len(column):
        rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    elif codes[0] > codes[-1]:
        rank = rank[::-1].copy()
    whole = np.full(len(column), -1, np.int32)
    whole[present] = rank[codes]
    return hashlib.blake2b(whole.tobytes(), digest_size=16).digest()


def _related(dataset: Dataset, features: Sequence[int]) -> Groups:
    """Return the groups of copies among features with the same partition."""
    column = dataset.values[:, features[0]]
    n_values = np.unique(column[~np.isnan(column)]).size
    if n_values < 2:
        return []  # constants say the same: nothing
    groups: list[list[int]] = []
    for feature in features:
        for group in groups[:MOST_GROUPS]:
            if _is_recoded(dataset, group[0], feature, n_values):
                group.append(feature)
                break
        else:
            groups.append([feature])
    return [tuple(group) for group in groups if len(group) > 1]


def _is_recoded(dataset: Dataset, a: int, b: int, n_values: int) -> bool:
    is_coded = 2 * n_values <= dataset.n_samples  # else any two columns are one-to-one
    n_labels = int(dataset.categorical[a]) + int(dataset.categorical[b])
    if n_labels < 2 and _is_affine(dataset.values[:, a], dataset.values[:, b]):
        return n_labels == 0 or is_coded
    return is_coded and (n_labels > 0 or n_values <= MOST_CODES)


def _is_affine(x: Floats, y: Floats) -> bool:
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


def _correlated(dataset: Dataset, features: Sequence[int]) -> Groups:
    """Return groups of features whose ranks are strongly correlated with those of the first.

    Each is compared with those that are not correlated with an earlier one. In a wide table few
    rows are compared first, and more of them where these look correlated.
    """
    if dataset.n_samples < FEWEST_ROWS or len(features) < 2:
        return []
    rows = _rows(dataset, min(max(FEWEST_PRODUCT_ROWS, PRODUCTS // len(features) ** 2), MOST_ROWS))
    is_sure = len(rows) == len(_rows(dataset, MOST_ROWS))
    required = CORRELATED - (0.0 if is_sure else 0.015)
    directions = np.column_stack([_direction(dataset.values[rows, one]) for one in features])
    groups: dict[int, list[int]] = {}
    for first in range(0, len(features), BLOCK):
        leaders = np.array(list(groups), np.intp)
        block = directions[:, first : first + BLOCK]
        to_leaders, inside = np.abs(block.T @ directions[:, leaders]), np.abs(block.T @ block)
        new: list[int] = []
        for place in range(block.shape[1]):
            near = np.concatenate([to_leaders[place], inside[place, new]])
            best = int(np.argmax(near)) if len(near) else 0
            leader = None
            if len(near) and near[best] >= required:
                leader = (
                    int(leaders[best]) if best < len(leaders) else first + new[best - len(leaders)]
                )
                if not is_sure and not _are_alike(
                    dataset, features[leader], features[first + place]
                ):
                    leader = None
            if leader is None:
                new.append(place)
                groups[first + place] = []
            else:
                groups[leader].append(first + place)
    return [
        (features[leader], *(features[other] for other in others))
        for leader, others in groups.items()
        if others
    ]


def _are_alike(dataset: Dataset, a: int, b: int) -> bool:
    rows = _rows(dataset, MOST_ROWS)
    x, y = (_direction(dataset.values[rows, one]) for one in (a, b))
    return abs(float(x @ y)) >= CORRELATED


def _direction(column: Floats) -> NDArray[np.float32]:
    """Return the ranks of a column, centered and of length 1; missing ones and constants are 0."""
    present = ~np.isnan(column)
    centered = np.zeros(len(column))
    if 2 * int(present.sum()) >= len(column):
        ranked = ranks(column[present])
        centered[present] = ranked - ranked.mean()
    length = float(np.sqrt((centered**2).sum()))
    return np.asarray(centered / (length or 1.0), np.float32)


def ranks(values: Floats, masses: Floats | None = None) -> Floats:
    """Return the ranks of numbers, by masses; equal ones share the mean of theirs."""
    codes = np.unique(values, return_inverse=True)[1]
    counts = np.bincount(codes, masses)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[codes])
