"""Features that say the same as another: copies, and those that order the samples alike.

A copy is equal, affine (inches and centimeters) or one-to-one recoded (a label and its code). It
would be selected as if it were a second witness, and no feature that has one would be
irreplaceable, so it is left out. A logarithm or a square orders the samples alike, but has other
distances: a measure may prefer either, so both stay, and the result names them.
"""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.common.deadline import is_interrupted
from fuzzyfrog.data import Dataset

Groups = list[tuple[int, ...]]

MOST_ROWS = 2048  # that decide whether columns are ordered alike, and rule out most copies
MOST_CODES = 20  # values of a number that may be a code of something
FEWEST_ROWS = 10  # for a correlation to mean something
CORRELATED = 0.98
PRODUCTS, FEWEST_PRODUCT_ROWS = 2**34, 64  # for the correlations of all columns, about a second
BLOCK = 256
CELLS_AT_ONCE = 2**20  # of columns whose values are sorted together
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
            for feature, digest in zip(some, _partitions(dataset, some, chosen), strict=True):
                shared.setdefault((group, digest), []).append(feature)
        suspects = [some for some in shared.values() if len(some) > 1]
    return sorted(group for some in suspects for group in _related(dataset, some))


def _in_blocks(
    dataset: Dataset, features: Sequence[int], rows: NDArray[np.intp]
) -> Iterator[Floats]:
    """Yield some rows of features, one feature in each row: fewer calls than features."""
    at_once = max(1, CELLS_AT_ONCE // len(rows))
    for first in range(0, len(features), at_once):
        some = np.asarray(features[first : first + at_once], np.intp)
        yield dataset.values[np.ix_(rows, some)].T.copy()


def _partitions(
    dataset: Dataset, features: Sequence[int], rows: NDArray[np.intp]
) -> Iterator[bytes]:
    """Yield the digest of each feature, together for those without gaps and with many values."""
    for block in _in_blocks(dataset, features, rows):
        order = np.argsort(block, axis=1)
        along = np.take_along_axis(block, order, 1)
        is_new = np.zeros(block.shape, np.bool_)
        is_new[:, 1:] = along[:, 1:] != along[:, :-1]
        ranked = np.cumsum(is_new, axis=1, dtype=np.int32)
        codes = np.empty_like(ranked)
        np.put_along_axis(codes, order, ranked, 1)
        highest = ranked[:, -1:]
        codes = np.where(codes[:, :1] > codes[:, -1:], highest - codes, codes)
        is_plain = (2 * (highest[:, 0] + 1) > block.shape[1]) & ~np.isnan(block).any(axis=1)
        for column, code, is_one in zip(block, codes, is_plain.tolist(), strict=True):
            yield _digest(code) if is_one else _partition(column)


def _digest(codes: NDArray[np.int32]) -> bytes:
    return hashlib.blake2b(codes.tobytes(), digest_size=16).digest()


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
    return _digest(whole)


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
    blocks = map(_directions, _in_blocks(dataset, features, rows))
    directions = np.concatenate([*blocks]).T.copy()
    groups: dict[int, list[int]] = {}
    for first in range(0, len(features), BLOCK):
        if is_interrupted():
            return []  # these are only told, and nobody waits for them any more
        leaders = np.array(list(groups), np.intp)
        block = directions[:, first : first + BLOCK]
        inside = np.abs(block.T @ block)
        nearest, leader_of = np.zeros(block.shape[1]), np.zeros(block.shape[1], np.intp)
        if len(leaders):
            products = block.T @ directions[:, leaders]
            nearest = np.maximum(products.max(axis=1), -products.min(axis=1))
            for place in np.flatnonzero(nearest >= required).tolist():
                leader_of[place] = leaders[np.abs(products[place]).argmax()]
        may_be = (nearest >= required) | (np.tril(inside, -1).max(axis=1) >= required)
        new: list[int] = []
        for place, is_suspect in enumerate(may_be.tolist()):
            near, leader = nearest[place], int(leader_of[place])
            if is_suspect and new and inside[place, new].max() > near:
                best = int(np.argmax(inside[place, new]))
                near, leader = inside[place, new[best]], first + new[best]
            is_alike = near >= required
            if is_alike and not is_sure:
                is_alike = _are_alike(dataset, features[leader], features[first + place])
            if is_alike:
                groups[leader].append(first + place)
            else:
                new.append(place)
                groups[first + place] = []
    return [
        (features[leader], *(features[other] for other in others))
        for leader, others in groups.items()
        if others
    ]


def _are_alike(dataset: Dataset, a: int, b: int) -> bool:
    (block,) = _in_blocks(dataset, [a, b], _rows(dataset, MOST_ROWS))
    x, y = _directions(block)
    return abs(float(x @ y)) >= CORRELATED


def _directions(columns: Floats) -> NDArray[np.float32]:
    """Return the ranks of columns, centered and of length 1; missing ones and constants are 0."""
    is_gap = np.isnan(columns)
    centered = np.zeros(columns.shape)
    is_complete = ~is_gap.any(axis=1)
    ranked = ranks(columns[is_complete])
    centered[is_complete] = ranked - ranked.mean(axis=1, keepdims=True)
    for column, gaps, own in zip(columns, is_gap, centered, strict=True):
        if gaps.any() and 2 * np.count_nonzero(gaps) <= len(column):
            ranked = ranks(column[~gaps])
            own[~gaps] = ranked - ranked.mean()
    length = np.sqrt((centered**2).sum(axis=1, keepdims=True))
    return np.asarray(centered / np.where(length > 0, length, 1.0), np.float32)


def ranks(values: Floats, masses: Floats | None = None) -> Floats:
    """Return the ranks of numbers along the last axis, by masses; equal ones share their mean."""
    # Without masses, equal ones have the same rank in any order, and the faster sort will do.
    order = np.argsort(values, axis=-1, kind=None if masses is None else "stable")
    ordered = np.take_along_axis(values, order, -1)
    counts = np.ones(values.shape) if masses is None else masses[order]
    ends = np.cumsum(counts, axis=-1)
    is_first = np.ones(values.shape, np.bool_)
    is_first[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    is_last = np.roll(is_first, -1, axis=-1)
    below = np.maximum.accumulate(np.where(is_first, ends - counts, 0.0), axis=-1)
    above = np.where(is_last, ends, np.inf)[..., ::-1]
    above = np.minimum.accumulate(above, axis=-1)[..., ::-1]
    found = np.empty(values.shape)
    np.put_along_axis(found, order, (below + above + 1.0) / 2, -1)
    return found
