"""Subsets that extend a common one by a feature each, all scored at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.measure import engines
from fuzzyfrog.measure._kernel_pairs import extend
from fuzzyfrog.measure.geometry import Geometry
from fuzzyfrog.measure.threads import map_blocks

__all__ = ["one_step", "weigh_step"]

_AT_ONCE = 64  # extensions of one call: what is known of a block of samples stays in the cache
_VECTOR = 16  # they are filled up to a multiple: the vectors of a loop as the compiler unrolls it
_MOST_COLUMNS = 64  # features of the subset joined block by block; the others, pair by pair
_PER_PAIR = 4  # extensions of a pair of enemies that cost as much as one pair in a scan


def one_step(masks: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]] | None:
    """Give the common subset and the feature that each adds to it, or None where they do not."""
    sizes = masks.sum(axis=1)
    if sizes.size < 2 or np.any(sizes != sizes[0]):
        return None
    base = np.asarray(masks.all(axis=0))
    if np.count_nonzero(base) != sizes[0] - 1:
        return None
    return base, np.argmax(masks & ~base, axis=1)


def weigh_step(
    geometry: Geometry,
    join: int,
    n_threads: int,
    base: NDArray[np.bool_],
    added: NDArray[np.int64],
) -> engines.Weights:
    """Give the `total` of the memberships for each extension of a subset.

    Parameters
    ----------
    geometry : Geometry
        The samples.
    join : int
        How features are joined.
    n_threads : int
        Number of threads, if there is enough to do.
    base : bool[n_features]
        The subset.
    added : int64[n_extensions]
        The feature that each extension adds.
    """
    order = np.argsort(added)
    features, subset = added[order], np.flatnonzero(base)
    columns = np.ascontiguousarray(geometry.Z[:, subset[:_MOST_COLUMNS]].T)
    weights = np.empty((added.size, 2), np.int64)

    def part(start: int) -> None:
        some = features[start : start + _AT_ONCE]
        near = _columns_of(geometry.Z, some)
        totals = np.empty((some.size, 2), np.int64)
        extend(
            geometry.Z, geometry.target, geometry.first_enemy, subset, columns, some, near, join,
            np.ones(near.shape), totals,
        )  # fmt: skip
        weights[order[start : start + _AT_ONCE]] = totals

    is_worth_it = geometry.n_pairs * added.size // _PER_PAIR >= engines._WORTH_A_THREAD
    map_blocks(part, range(0, added.size, _AT_ONCE), n_threads if is_worth_it else 1)
    return weights


def _columns_of(Z: NDArray[np.float64], features: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give some features of all samples, filled up with zeros to whole vectors."""
    columns = np.zeros((Z.shape[0], -(-features.size // _VECTOR) * _VECTOR))
    columns[:, : features.size] = Z[:, features]
    return columns
