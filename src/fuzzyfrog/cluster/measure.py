"""The measure on a cluster: how the table is distributed, and which batches are worth sending.

Every worker has the whole table (`Copies`), or shards of it if it is too large (`Sharded`):
then a task looks at a pair of shards. Only the soft measure asks for sums instead of scores
(`soft.py`). The membership of a sample is a minimum over its enemies, so
the smallest of those that it has in each pair is its membership in the whole table, and their mean
is exact. Neither depends on how the samples are split or in which order parts arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import combinations, count
from math import ceil, floor, inf
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from numpy.typing import ArrayLike

from fuzzyfrog.cluster import worker
from fuzzyfrog.cluster.client import (
    Client,
    Future,
    Scattered,
    collected,
    connected,
    threads_of,
    workers_of,
)
from fuzzyfrog.cluster.pace import Pace, round_seconds
from fuzzyfrog.cluster.soft import FEW, PairsThere
from fuzzyfrog.cluster.worker import (
    Bits,
    require_same_code,
    require_stamp,
    stamp,
    unpacked,
)
from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import ClusterError
from fuzzyfrog.measure import Dependency, SoftDependency
from fuzzyfrog.measure.dependency import Measure, SubsetScores, _checked_bar, checked_masks
from fuzzyfrog.measure.geometry import Geometry, parts_of, subset_of
from fuzzyfrog.search.stepwise import PATH

if TYPE_CHECKING:
    from fuzzyfrog.search import Objective

BYTES_PER_CELL = 28  # of a whole table: values as sent and as kept, and a geometry of them
BYTES_OF_SHARDS = 8  # of each cell, on all workers together
SHARE = 0.3  # of the memory of a worker that a whole table may take
FULL = 0.7  # share of a worker's memory to use in all; beyond that, Dask spills to disk
BARE_BYTES = 300_000_000  # memory of a worker process that holds no data
MOST_SHARDS = 32  # unless threads need more: work grows with them, and tasks with their square
MOST_BYTES = 2**25  # of memberships in the result of a task
MORE_WORKERS = "Start more workers, fewer threads in each, or"
PER_THREAD = 2  # pairs of shards in a worker: one being scored, one being fetched


@contextmanager
def on_cluster(measure: Any, cluster: object) -> Iterator[Objective]:
    """Lend an objective for the table on a cluster.

    `cluster` is the address of a scheduler, or a client, which is left open.
    """
    with connected(cluster) as client:
        require_same_code(client)
        empty_round = round_seconds(client, threads_of(client))
        layout = layout_for(client, measure, empty_round)
        try:
            if isinstance(layout, PairsThere):
                yield measure.with_pairs(layout)
            else:
                yield ClusterMeasure(measure, layout, empty_round=empty_round)
        finally:
            with suppress(Exception):  # an error that led here says more
                layout.withdraw()


class ClusterMeasure:
    """Scores subsets on a cluster, or in this process where that is faster.

    Parameters
    ----------
    measure : Dependency or another measure
        The measure of the whole table, in this process.
    layout : Copies or Sharded
        How the table is distributed over the cluster.
    empty_round : float
        Seconds that a round without work takes; with 0, every batch is sent, cut as finely as
        allowed.
    """

    def __init__(self, measure: Measure, layout: Copies | Sharded, *, empty_round: float) -> None:
        self.n_features = measure.n_features
        self._measure = measure
        self._layout = layout
        self._score_pace, self._best_pace = Pace(empty_round), Pace(empty_round)

    @property
    def n_at_once(self) -> int:
        """Number of subsets that are scored at the same time."""
        return max(self._measure._n_threads, self._layout.n_threads)

    def score(self, masks: ArrayLike, at_least: float | ArrayLike | None = None) -> Floats:
        """Return the dependency of each subset; -inf exactly where it is less than `at_least`."""
        checked = checked_masks(masks, self.n_features)  # wherever the batch is scored
        bars = _checked_bar(at_least, len(checked))
        return self._scored(
            checked,
            self._score_pace,
            lambda: self._measure.score(checked, bars),
            lambda n_tasks: self._layout.score(checked, bars, n_tasks),
        )

    def best(self, masks: ArrayLike) -> Floats:
        """Return the dependency of the best subsets of a batch, -inf for the others."""
        checked = checked_masks(masks, self.n_features)
        return self._scored(
            checked,
            self._best_pace,
            lambda: self._measure.best(checked),
            lambda n_tasks: self._layout.best(checked, n_tasks),
        )

    def _scored(
        self,
        masks: Masks,
        pace: Pace,
        here: Callable[[], Floats],
        there: Callable[[int], Floats],
    ) -> Floats:
        """Return the scores of a batch, computed wherever that is faster."""
        n_subsets = len(masks)
        n_here, n_there = self._measure._n_threads, self._layout.n_threads
        if pace.is_unknown:
            if n_subsets < 2:  # the first one also prepares for others
                return here()
            with pace.timed(1, n_here):
                self._measure.score(masks[:1])
        if n_subsets == 0 or not pace.is_worth_a_round(n_subsets, n_here, n_there):
            with pace.timed(n_subsets, n_here):
                return here()
        n_tasks = pace.n_tasks(n_subsets, n_there)
        with pace.timed(n_subsets, min(n_tasks, n_there), is_sent=True):
            return there(n_tasks)


def layout_for(
    client: Client, measure: Any, empty_round: float = 0.0
) -> Copies | Sharded | PairsThere:
    """Return how a table is distributed: whole if every worker can hold it, else in shards.

    For the soft measure, columns are spread. Raises ClusterError if a worker has too little memory.
    """
    workers, n_cells = workers_of(client), measure.n_samples * measure.n_features
    if isinstance(measure, SoftDependency):
        size = measure.n_samples, measure.n_racing, measure.n_features
        usual = soft_bytes(*size, PATH, workers)
        if usual > _memory(workers):
            part = f"its columns of a table of {BYTES_OF_SHARDS * n_cells / 1e9:.1f} GB"
            raise _too_little(usual, part, workers, MORE_WORKERS)
        per_feature = soft_bytes(*size, PATH + 1, workers) - usual
        most = PATH + (_memory(workers) - usual) / per_feature if per_feature else inf
        return PairsThere(client, measure, empty_round, most)
    if fits_everywhere(n_cells, workers):
        return Copies(client, measure)
    if isinstance(measure, Dependency):
        return Sharded(client, measure, n_shards_for(n_cells, workers))
    hint = "This measure needs all of it: measure on this machine, or start"
    raise _too_little(_copy_bytes(n_cells), "the whole table", workers, hint)


def soft_bytes(
    n_samples: int, n_racing: int, n_features: int, n_base: int, workers: Mapping[str, Any]
) -> float:
    """Return the bytes of memory that a worker needs for columns of the soft measure.

    Each cell takes 17 bytes where it lies, with its exponentials in float32, and 26 in a task that
    reads it: those of a base, and of a few features that extend it.
    """
    own = 17 * n_racing * n_features / len(workers)
    n_threads = max(one["nthreads"] for one in workers.values())
    for_thread = 26 * n_samples * min(n_features, n_base + FEW)
    return float((BARE_BYTES + own + n_threads * for_thread) / FULL)


def _copy_bytes(n_cells: int) -> float:
    """Return the memory that a worker must have to keep a whole table."""
    return BYTES_PER_CELL * n_cells / SHARE


def fits_everywhere(n_cells: int, workers: Mapping[str, Any]) -> bool:
    """Whether every worker can hold such a table, and another run as large a one."""
    return _copy_bytes(n_cells) <= _memory(workers)


def n_shards_for(n_cells: int, workers: Mapping[str, Any]) -> int:
    """Return the fewest shards whose pairs keep all threads busy and fit into memory."""
    n_threads = [one["nthreads"] for one in workers.values()]
    n_shards = next(n for n in count(2) if n * (n - 1) // 2 >= sum(n_threads))
    most = max(n_shards, MOST_SHARDS)
    size = len(workers), max(n_threads)
    while (needs := memory_needed(n_cells, n_shards, *size)) > _memory(workers):
        if n_shards == most:
            part = f"its part of a table of {BYTES_OF_SHARDS * n_cells / 1e9:.1f} GB"
            raise _too_little(needs, part, workers, MORE_WORKERS)
        n_shards += 1
    return n_shards


def memory_needed(n_cells: int, n_shards: int, n_workers: int, n_threads: int) -> float:
    """Return the bytes of memory that a worker needs for shards.

    For a thread, each cell of a pair takes 8 bytes as it arrives, also for the next pair, 12 for a
    geometry, and up to 14 in an engine for a subset of all features (measured). Memberships that
    are computed, split and sent are added to that.
    """
    own_shards = BYTES_OF_SHARDS * n_cells / n_workers
    for_thread = (8 * PER_THREAD + 26) * 2 * n_cells / n_shards + 4 * MOST_BYTES
    return (BARE_BYTES + own_shards + n_threads * for_thread) / FULL


def _memory(workers: Mapping[str, Any]) -> float:
    """Return the memory of the smallest worker in bytes; infinite if none has a limit."""
    return min(one["memory_limit"] or inf for one in workers.values())


def _too_little(needs: float, what: str, workers: Mapping[str, Any], hint: str) -> ClusterError:
    """Return the error about memory; too few gigabytes never look like enough."""
    needed, got = ceil(needs / 1e8) / 10, floor(_memory(workers) / 1e8) / 10
    return ClusterError(
        f"each worker must have {needed} GB of memory for {what}, got {got} GB. {hint} workers "
        "with more memory."
    )


class Copies:
    """Scores subsets on workers that each have the whole table.

    It is sent once; a worker that joins later gets it when it is first asked for a score.
    """

    def __init__(self, client: Client, measure: Measure) -> None:
        self._client = client
        self._name = uuid4().hex
        full = measure.dataset
        # Copies, because a worker in this process keeps these very arrays even if the user changes
        # the original ones. Names and labels stay here.
        bare = Dataset(
            np.array(full.values),
            full.target.copy(),
            tuple(map(str, range(full.n_features))),
            full.categorical.copy(),
            None if full.classes is None else tuple(range(len(full.classes))),
            groups=full.groups,
            weights=full.weights,
            weight_unit=full.weight_unit,
        )
        self._table = worker.Table(bare, measure.recipe())
        self._tolerance = measure.tolerance
        self.n_threads = threads_of(client)
        self._supply()

    def score(self, masks: Masks, bars: Floats, n_tasks: int) -> Floats:
        """Return the dependency of each subset, -inf where it is below its bar."""
        return self._collected(worker.score, masks, n_tasks, bars)

    def best(self, masks: Masks, n_tasks: int) -> Floats:
        """Return the dependency of the best subsets, -inf for the others."""
        # Each part finds its own best subset: more parts than threads would only cost time.
        scores = self._collected(worker.best, masks, min(n_tasks, self.n_threads))
        return np.where(scores < scores.max() - self._tolerance, -np.inf, scores)

    def withdraw(self) -> None:
        """Make the workers drop the table."""
        self._client.run(worker.forget, self._name, on_error="ignore")

    def _supply(self) -> None:
        """Send the table to the workers that do not have it."""
        client = self._client
        held = client.run(worker.holds, self._name, on_error="ignore")
        lacking = [address for address, is_there in held.items() if not is_there]

        def submit(missing: list[int]) -> Any:
            table = client.scatter(self._table, broadcast=False, hash=False)
            return [
                client.submit(
                    worker.keep, self._name, table, workers=[lacking[k]],
                    allow_other_workers=True, pure=False,
                )
                for k in missing
            ]  # fmt: skip

        collected(client, len(lacking), submit, lambda: None)

    def _collected(
        self, task: Callable[..., Floats], masks: Masks, n_tasks: int, *arguments: Floats
    ) -> Floats:
        """Return the results of a task for all parts of a batch, concatenated."""
        parts = [slice(*cut) for cut in parts_of(len(masks), n_tasks)]

        def submit(missing: list[int]) -> Any:
            same = [[stamp()] * len(missing), [self._name] * len(missing)]
            bits = [np.packbits(masks[parts[k]], axis=1) for k in missing]
            others = [[one[parts[k]] for k in missing] for one in arguments]
            return self._client.map(task, *same, bits, *others, pure=False)

        answers = collected(self._client, len(parts), submit, self._supply)
        self.n_threads = threads_of(self._client)  # after workers joined or left
        return np.concatenate(answers)


class Sharded:
    """Scores subsets on workers that each hold some shards and fetch others."""

    def __init__(self, client: Client, measure: Dependency, n_shards: int) -> None:
        self._client = client
        self._measure, self._geometry = measure, measure._geometry
        self._n_shards = min(n_shards, measure.n_samples)
        # A pair of shards covers the pairs of samples within each of the two as well.
        self._pairs: list[tuple[int, ...]] = list(combinations(range(self._n_shards), 2)) or [(0,)]
        self._shards = Scattered(client)
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
            bars = np.full(len(masks[rows]), highest - self._measure.tolerance)
            scores[rows] = self.score(masks[rows], bars, n_tasks)
            highest = max(highest, float(scores[rows].max()))
        return np.where(scores < highest - self._measure.tolerance, -np.inf, scores)

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
            same = [[one] * n for one in (stamp(), bits, allowed, self._measure._join)]
            members = zip(*(pairs[part] for part in missing), strict=True)
            shards = [[self._shard(k) for k in side] for side in members]
            return self._client.map(weigh_pair, *same, *shards, pure=False)

        return collected(self._client, len(pairs), submit, self._shards.forget_lost)

    def _shard(self, k: int) -> Future:
        samples = np.arange(k, self._geometry.n_samples, self._n_shards)
        return self._shards.at(k, lambda: self._geometry.take(samples))


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
