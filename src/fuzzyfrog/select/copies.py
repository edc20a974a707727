"""Columns that say the same as another one, and those that order the samples alike.

A copy is equal, affine (inches and centimeters) or one-to-one recoded (a label and its code).
"""

import hashlib
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Integers
from fuzzyfrog.common.deadline import is_interrupted
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.weights import ranks
from fuzzyfrog.measure.threads import blas, effective_threads, map_blocks

Found = TypeVar("Found")
Groups = list[tuple[int, ...]]

MOST_ROWS = 2048  # that decide whether columns are ordered alike, and rule out most copies
MOST_CODES = 20  # values of a number that may be a code of something
FEWEST_ROWS = 10  # for a correlation to mean something
CORRELATED = 0.98
PRODUCTS, FEWEST_PRODUCT_ROWS = 2**34, 64  # for the correlations of all columns, about a second
BLOCK, COMPARED = 256, 2048  # columns whose products fit into the cache
SINGLE_ROUNDING = 1e-5  # more than that of a correlation in float32
CELLS_AT_ONCE = 2**16  # of columns whose values are sorted together
MOST_GROUPS = 50  # of columns that rise and fall together, such as sums over time
ROUNDING = 16 * float(np.finfo(np.float64).eps)  # of a value, after a few operations


def find_alike(
    dataset: Dataset, allowed: NDArray[np.bool_], n_jobs: int | None = 1
) -> tuple[Groups, Groups]:
    """Return the groups of copies among the allowed features, and those of correlated numbers.

    Each begins with the first feature of the table. In a group of correlated numbers, all have a
    rank correlation of 0.98 or more with the first; it has at most one of a group of copies.
    """
    n_threads = effective_threads(n_jobs)
    copies = _copies(dataset, np.flatnonzero(allowed).tolist(), n_threads)
    repeated = {feature for group in copies for feature in group[1:]}
    numbers = np.flatnonzero(allowed & ~dataset.categorical).tolist()
    numbers = [one for one in numbers if one not in repeated]
    return copies, _correlated(dataset, numbers, n_threads)


def _rows(dataset: Dataset, most: int) -> NDArray[np.intp]:
    """Return rows that are evenly spread over the table."""
    n_rows = min(dataset.n_samples, most)
    return np.linspace(0, dataset.n_samples - 1, n_rows).astype(np.intp)


def _copies(dataset: Dataset, features: list[int], n_threads: int) -> Groups:
    """Return the groups of features that are exact, affine or one-to-one recoded copies."""
    suspects = [features]
    is_long = dataset.n_samples > MOST_ROWS  # some of the rows rule out most features
    for most in (MOST_ROWS, dataset.n_samples) if is_long else (MOST_ROWS,):
        shared: dict[tuple[int, bytes], list[int]] = {}
        chosen = _rows(dataset, most)
        for group, some in enumerate(suspects):
            digests = chain(*_in_blocks(dataset, some, chosen, _partitions, n_threads))
            for feature, digest in zip(some, digests, strict=True):
                shared.setdefault((group, digest), []).append(feature)
        suspects = [some for some in shared.values() if len(some) > 1]
    return sorted(group for some in suspects for group in _related(dataset, some))


def _in_blocks(
    dataset: Dataset,
    features: Sequence[int],
    rows: NDArray[np.intp],
    function: Callable[[Floats], Found],
    n_threads: int,
) -> list[Found]:
    """Return what a function makes of some rows of features, one feature in each row.

    It takes many features at once: fewer calls than features.
    """
    at_once = max(1, CELLS_AT_ONCE // len(rows))

    def block(first: int) -> Found:
        some = np.asarray(features[first : first + at_once], np.intp)
        return function(dataset.values[np.ix_(rows, some)].T.copy())

    return map_blocks(block, range(0, len(features), at_once), n_threads)


def _partitions(block: Floats) -> list[bytes]:
    """Return the digest of each feature, together for those without gaps and with many values."""
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
    return [
        _digest(code) if is_one else _partition(column)
        for column, code, is_one in zip(block, codes, is_plain.tolist(), strict=True)
    ]


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


def _correlated(dataset: Dataset, features: Sequence[int], n_threads: int) -> Groups:
    """Return groups of features whose ranks are strongly correlated with those of the first.

    Each is compared with those that are not correlated with an earlier one. In a wide table few
    rows are compared first, and more of them where these look correlated.
    """
    if dataset.n_samples < FEWEST_ROWS or len(features) < 2:
        return []
    rows = _rows(dataset, min(max(FEWEST_PRODUCT_ROWS, PRODUCTS // len(features) ** 2), MOST_ROWS))
    is_sure = len(rows) == len(_rows(dataset, MOST_ROWS))
    required = CORRELATED - (0.0 if is_sure else 0.015)
    directions = np.concatenate(_in_blocks(dataset, features, rows, _directions, n_threads))
    suspects = _suspects(directions, required - SINGLE_ROUNDING, n_threads)
    if is_interrupted():
        return []  # these are only told, and nobody waits for them any more
    leading = directions.copy()  # zeros if not known to be first of their groups
    leading[suspects] = 0.0
    groups: dict[int, list[int]] = {}
    for start in range(0, len(suspects), BLOCK):
        places = suspects[start : start + BLOCK]
        block = directions[places]
        products, inside = np.abs(block @ leading.T), np.abs(block @ block.T)
        new: list[int] = []
        for at, place in enumerate(places.tolist()):
            leader = int(products[at].argmax())
            near = products[at, leader]
            if new and inside[at, new].max() > near:
                best = new[int(np.argmax(inside[at, new]))]
                leader, near = int(places[best]), inside[at, best]
            is_alike = near >= required
            if is_alike and not is_sure:
                two, most = [features[leader], features[place]], _rows(dataset, MOST_ROWS)
                ((x, y),) = _in_blocks(dataset, two, most, _directions, 1)
                is_alike = abs(float(x @ y)) >= CORRELATED
            if is_alike:
                groups.setdefault(leader, []).append(place)
            else:
                new.append(at)
        leading[places[new]] = block[new]
    return sorted(
        (features[leader], *(features[other] for other in others))
        for leader, others in groups.items()
    )


def _suspects(directions: NDArray[np.float32], required: float, n_threads: int) -> Integers:
    """Return the columns that some earlier one is correlated with."""
    is_suspect = np.zeros(len(directions), np.bool_)

    def compare(first: int) -> None:
        if is_interrupted():
            return
        block = directions[first : first + BLOCK]
        nearest = np.abs(np.tril(block @ block.T, -1)).max(axis=1)
        for start in range(0, first, COMPARED):
            products = block @ directions[start : min(start + COMPARED, first)].T
            for found in (products.max(axis=1), -products.min(axis=1)):
                np.maximum(nearest, found, out=nearest)
        is_suspect[first : first + BLOCK] = nearest >= required

    # Those with the most to compare come first, so that all threads are done at the same time.
    with blas().limit(limits=1):
        map_blocks(compare, range(0, len(directions), BLOCK)[::-1], n_threads)
    return np.flatnonzero(is_suspect)


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
