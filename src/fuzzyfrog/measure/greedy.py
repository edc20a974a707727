"""Greedy steps: subsets that extend a common one by one feature.

In small tables `weigh_step` scores all of them at once; in larger ones the enemies in `Witnesses`
rule out most of them.
"""

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.measure import engines
from fuzzyfrog.measure.geometry import Geometry, parts_of
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
) -> Integers:
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


_REMEMBERED = 4  # enemies of each sample


class Witnesses:
    """Enemies of samples that were found before: under any subset, they are not farther away.

    Safe to use from several threads: what is known is replaced, not changed.
    """

    def __init__(self, geometry: Geometry, join: int, n_threads: int, asked: Integers) -> None:
        self._geometry, self._join, self._n_threads = geometry, join, n_threads
        self._asked = asked
        self._known = np.full((asked.size, _REMEMBERED), -1, np.int64)

    def bounds(self, base: Integers, rows: Integers, features: Integers) -> Floats:
        """Return the largest sum of memberships that adding each feature to a subset can lead to.

        It is that of some rows of the samples, by their masses.
        """
        is_few = 4 * features.size <= self._geometry.n_features  # else a copy is not worth it
        Z = self._geometry.Z
        near = np.ascontiguousarray(Z[:, features]) if is_few else Z
        geometry, join = self._geometry, self._join
        asked, known = self._asked[rows], self._known[rows]
        masses, apart = geometry.masses[asked], np.empty(known.shape)
        _kernel_pairs.measure_pairs(Z, asked, base, join, known, apart)

        def part(block: tuple[int, int]) -> Floats:
            total = np.zeros(near.shape[1])
            _kernel_pairs.bounds(
                near, geometry.target, asked, masses, join, known, apart, *block, total
            )
            return total

        parts = map_blocks(part, parts_of(asked.size, 4 * self._n_threads), self._n_threads)
        found = sum(parts, np.zeros(near.shape[1]))
        return found if is_few else found[features]

    def remember(self, rows: Integers, enemy: Integers) -> None:
        """Put new enemies of some rows first, -1 for none, dropping the last of those known."""
        known = self._known.copy()
        is_new = (enemy >= 0) & (known[rows] != enemy[:, np.newaxis]).all(axis=1)
        new = rows[is_new]
        known[new, 1:] = known[new, :-1]
        known[new, 0] = enemy[is_new]
        self._known = known
