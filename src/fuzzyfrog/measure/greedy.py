"""Greedy steps in small tables: all subsets that extend a common one by one feature, at once."""

import numpy as np

from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.measure import engines
from fuzzyfrog.measure.geometry import Floats, Geometry, Integers, Masks
from fuzzyfrog.measure.threads import map_blocks

_kernel_pairs = Kernels("fuzzyfrog.measure._kernel_pairs", "extend")

_AT_ONCE = 64  # extensions of one call: the data of a block of samples stay in the cache
_VECTOR = 16  # extensions are padded to a multiple of this: whole vectors of the unrolled loop
_MOST_COLUMNS = 64  # features of the subset joined block by block; the others, pair by pair
_PER_PAIR = 4  # extensions of a pair of enemies that cost as much as one pair in a scan


def weigh_step(
    geometry: Geometry,
    join: int,
    n_threads: int,
    base: Masks,
    added: Integers,
) -> engines.Weights:
    """Return the `total` of the memberships for each extension of a subset."""
    order = np.argsort(added)
    features, subset = added[order], np.flatnonzero(base)
    columns = np.ascontiguousarray(geometry.Z[:, subset[:_MOST_COLUMNS]].T)
    weights = np.empty((added.size, 2), np.int64)

    def part(start: int) -> None:
        some = features[start : start + _AT_ONCE]
        near = _columns_of(geometry.Z, some)
        totals = np.empty((some.size, 2), np.int64)
        _kernel_pairs.extend(
            geometry.Z, geometry.target, geometry.first_enemy, geometry.masses, subset, columns,
            some, near, join, np.ones(near.shape), totals,
        )  # fmt: skip
        weights[order[start : start + _AT_ONCE]] = totals

    is_worth_it = geometry.n_pairs * added.size // _PER_PAIR >= engines._WORTH_A_THREAD
    map_blocks(part, range(0, added.size, _AT_ONCE), n_threads if is_worth_it else 1)
    return weights


def _columns_of(Z: Floats, features: Integers) -> Floats:
    """Return some features of all samples, filled up with zeros to whole vectors."""
    columns = np.zeros((Z.shape[0], -(-features.size // _VECTOR) * _VECTOR))
    columns[:, : features.size] = Z[:, features]
    return columns
