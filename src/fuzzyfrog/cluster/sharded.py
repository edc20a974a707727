"""A table in shards: a task looks at a pair of them, and no worker needs the whole table.

The membership of a sample is a minimum over its enemies, so the smallest of the memberships that
it has in each pair of shards is its membership in the whole table, and their mean is exact. Neither
depends on how the samples are split or in which order parts arrive.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from fuzzyfrog.cluster.client import Client, Future, collected, threads_of
from fuzzyfrog.cluster.worker import Bits, require_stamp, stamp, unpacked
from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.dependency import SubsetScores
from fuzzyfrog.measure.geometry import Geometry, subset_of

MOST_BYTES = 2**25  # of memberships in the result of a task
PER_THREAD = 2  # pairs of shards in a worker: one being scored, one being fetched


class Sharded:
    """Scores subsets on workers that each hold some shards and fetch others."""

    def __init__(self, client: Client, measure: Dependency, n_shards: int) -> None:
        self._client = client
        self._measure, self._geometry = measure, measure._geometry
        self._join = measure._join
        self._tolerance = measure.tolerance
        self._n_shards = min(n_shards, measure.n_samples)
        # A pair of shards covers the pairs of samples within each of the two as well.
        self._pairs: list[tuple[int, ...]] = list(combinations(range(self._n_shards), 2)) or [(0,)]
        self._shards: dict[int, Future] = {}
        self.n_threads = threads_of(client)

    def score(self, masks: Masks, bars: Floats, n_tasks: int) -> Floats:
        """Return the dependency of each subset, -inf where it is below its bar.

        The batch is split only to save memory: workers share the table, so `n_tasks` is unused.
        """
        at_once = self._at_once()
        parts = [slice(first, first + at_once) for first in range(0, len(masks), at_once)]
        scores = np.concatenate([self._scored(masks[part], bars[part]) for part in parts])
        return np.where(scores < bars, -np.inf, scores)

    def best(self, masks: Masks, n_tasks: int) -> Floats:
        """Return the dependency of the best subsets, -inf for the others."""
        scores, highest, at_once = np.empty(len(masks)), -np.inf, self._at_once()
        for first in range(0, len(masks), at_once):
            rows = slice(first, first + at_once)
            bars = np.full(len(masks[rows]), highest - self._tolerance)
            scores[rows] = self.score(masks[rows], bars, n_tasks)
            highest = max(highest, float(scores[rows].max()))
        return np.where(scores < highest - self._tolerance, -np.inf, scores)

    def withdraw(self) -> None:
        """Make the workers drop the table."""
        self._shards.clear()

    def _at_once(self) -> int:
        """Return the number of subsets of a round."""
        share = len(self._pairs[0]) / self._n_shards
        return max(1, int(MOST_BYTES / (8 * share * self._geometry.n_samples)))

    def _scored(self, masks: Masks, bars: Floats) -> Floats:
        """Return the scores of some subsets; -inf where a pair of shards rules them out.

        Pairs are submitted a few at a time: otherwise a worker would fetch the shards of all its
        pairs and hold all their memberships.
        """
        allowed, bits = self._measure._may_lose(bars), np.packbits(masks, axis=1)
        lowest = np.ones((len(masks), self._geometry.n_samples))
        few = PER_THREAD * threads_of(self._client)
        for first in range(0, len(self._pairs), few):
            pairs = self._pairs[first : first + few]
            for pair, found in zip(pairs, self._weighed(pairs, bits, allowed), strict=True):
                for k, memberships in zip(pair, found, strict=True):
                    mine = lowest[:, k :: self._n_shards]
                    np.minimum(mine, memberships, out=mine)  # NaN stays
        scores = [-np.inf if np.isnan(one).any() else self._measure._mean(one) for one in lowest]
        return np.array(scores)

    def _weighed(self, pairs: Sequence[tuple[int, ...]], bits: Bits, allowed: Floats) -> list[Any]:
        def submit(missing: list[int]) -> Any:
            n = len(missing)
            same = [[one] * n for one in (stamp(), bits, allowed, self._join)]
            members = zip(*(pairs[part] for part in missing), strict=True)
            shards = [[self._shard(k) for k in side] for side in members]
            return self._client.map(weigh_pair, *same, *shards, pure=False)

        return collected(self._client, len(pairs), submit, self._forget_lost)

    def _shard(self, k: int) -> Future:
        if k not in self._shards:
            shard = self._geometry.take(np.arange(k, self._geometry.n_samples, self._n_shards))
            self._shards[k] = self._client.scatter(shard, broadcast=False, hash=False)
        return self._shards[k]

    def _forget_lost(self) -> None:
        """Forget shards that are no longer on the cluster, so that they are sent again."""
        here = {"pending", "finished"}
        self._shards = {k: one for k, one in self._shards.items() if one.status in here}


def shard_bytes(n_cells: int) -> int:
    """Return the memory that the shards of a table take on all workers together."""
    return 8 * n_cells


def thread_bytes(n_cells: int, n_shards: int) -> float:
    """Return the memory that a thread needs to work on a table in shards.

    Each cell of a pair takes 8 bytes as it arrives, also for the next pair, 12 for a geometry, and
    up to 14 in an engine for a subset of all features (measured). Memberships that are computed,
    split and sent are added to that.
    """
    return (8 * PER_THREAD + 26) * 2 * n_cells / n_shards + 4 * MOST_BYTES


def unite(*shards: Geometry) -> tuple[Geometry, Integers]:
    """Return the samples of shards as a geometry, and which of the shards each comes from."""
    place = np.concatenate([shard.order for shard in shards])
    order = np.argsort(place)
    origin = np.repeat(np.arange(len(shards)), [shard.n_samples for shard in shards])
    Z = np.empty((order.size, shards[0].n_features))  # filled shard by shard, without a second copy
    where = np.argsort(order)
    for k, shard in enumerate(shards):
        Z[where[origin == k]] = shard.Z
    target = np.concatenate([shard.target for shard in shards])
    together = replace(
        shards[0],
        Z=Z,
        order=place[order],
        starts=np.unique(sum(shard.starts for shard in shards)),  # of classes that have samples
        target=target[order] if target.size else target,
        masses=np.concatenate([shard.masses for shard in shards])[order],
    )
    return together, origin[order]


def weigh_pair(
    stamp: str, bits: Bits, allowed: Floats, join: int, *pair: Geometry
) -> tuple[Floats, ...]:
    """Return the memberships of the samples of each shard within the pair.

    Parameters
    ----------
    stamp : str
        The code that this must be.
    bits : uint8[n_subsets, n_bytes]
        The subsets.
    allowed : float64[n_subsets]
        Largest sum of (1 - membership) over the whole table that is still of interest.
    join : int
        How features are joined: a constant of the scan kernel.
    *pair : Geometry
        One or two shards: every n-th sample, at its place in the whole geometry.

    Returns
    -------
    tuple of float64[n_subsets, n_samples]
        One array for each shard; NaN for subsets that were given up, because these samples alone
        lose more than allowed.
    """
    require_stamp(stamp)
    geometry, origin = unite(*pair)
    masks = unpacked(bits, geometry.n_features)
    memberships = np.full((len(masks), geometry.n_samples), np.nan)
    everybody = np.arange(geometry.n_samples)
    scores = SubsetScores(geometry, join, 1, "auto", everybody)  # other threads have other tasks
    for k, mask in enumerate(masks):
        subset = subset_of(geometry, mask)
        found = scores._engine_for(subset).nearest(subset, float(allowed[k]))
        if found.complete:
            memberships[k] = found.membership
    return tuple(memberships[:, origin == part] for part in range(len(pair)))
