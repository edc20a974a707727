"""The measure on a cluster: how the table is distributed, and which batches are worth sending.

Every worker has the whole table, or shards of it if it is too large for that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count, pairwise
from math import ceil, floor, inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyfrog.cluster import worker
from fuzzyfrog.cluster.client import Client, connected, is_loss
from fuzzyfrog.cluster.retry import (
    asked,
    collected,
    sent,
    threads_now,
    threads_of,
    workers_of,
    working_of,
)
from fuzzyfrog.cluster.sharded import Sharded, shard_bytes, thread_bytes
from fuzzyfrog.cluster.worker import (
    BYTES_PER_CELL,
    MOST_TABLES,
    SHARE,
    Packed,
    Placeable,
    Table,
    forget,
    holds,
    n_held,
    nothing,
    require_same_code,
    stamp,
    take,
)
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import ClusterError
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.dependency import _checked_bar, checked_masks

if TYPE_CHECKING:
    from fuzzyfrog.search import Objective

TASK_SECONDS = 0.1  # of work in a task: some twenty times the overhead of Dask
WORTH = 2.0  # empty rounds: sending a batch must save more time than these take
TASKS_PER_THREAD = 4  # because some subsets take longer than others
WEIGHT = 0.5  # of the latest batch in the running estimate
EMPTY_ROUNDS = 3  # timed to measure the overhead
MOST_EMPTY_TASKS = 16  # in each empty round
FULL = 0.7  # share of a worker's memory to use in all; beyond that, Dask spills to disk
BARE_BYTES = 300_000_000  # memory of a worker process that holds no data
ATTEMPTS = 5  # to send a table to workers that drop it at once
MOST_SHARDS = 32  # unless threads need more: work grows with them, and tasks with their square

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


@contextmanager
def on_cluster(
    measure: Placeable, cluster: object, fingerprint: Callable[[Dataset], str]
) -> Iterator[Objective]:
    """Lend an objective for the table: on a cluster, or the measure itself without one.

    `cluster` is None, the address of a scheduler, or a client, which is left open. `fingerprint`
    returns a text that identifies a table and everything else that its scores depend on.
    """
    with connected(cluster) as client:
        if client is None:
            yield measure
            return
        require_same_code(client)
        layout = layout_for(client, measure, fingerprint(measure.dataset))
        try:
            yield ClusterMeasure(
                measure, layout, empty_round=round_seconds(client, layout.n_threads)
            )
        finally:
            if isinstance(cluster, str) and client.status == "running":
                # The owner of a client may come back with the same table.
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
        Seconds that a round without work takes; with 0, every batch is sent.
    task_seconds : float
        Least work of a task; with 0, every batch is cut as finely as allowed.
    """

    def __init__(
        self,
        measure: Placeable,
        layout: Copies | Sharded,
        *,
        empty_round: float,
        task_seconds: float = TASK_SECONDS,
    ) -> None:
        self._measure = measure
        self._layout = layout
        self._score_pace = Pace(empty_round, task_seconds)
        self._best_pace = Pace(empty_round, task_seconds)

    @property
    def n_features(self) -> int:
        """Number of features, the length of every mask."""
        return self._measure.n_features

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
        if pace.is_unknown and n_subsets > 1:
            with pace.timed(1, n_here):
                self._measure.score(masks[:1])
        if n_subsets == 0 or not pace.is_worth_a_round(n_subsets, n_here, n_there):
            with pace.timed(n_subsets, n_here):
                return here()
        n_tasks = pace.n_tasks(n_subsets, n_there)
        with pace.timed_round(n_subsets, min(n_tasks, n_there)):
            return there(n_tasks)


class Pace:
    """The work of a subset, in seconds of one thread, learned from batch to batch.

    Only speed depends on it: a batch has the same scores wherever it is scored. The parameters are
    those of `ClusterMeasure`.
    """

    def __init__(self, empty_round: float, task_seconds: float = TASK_SECONDS) -> None:
        self._empty_round = empty_round
        self._task_seconds = task_seconds
        self._seconds: float | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether no subset has been timed yet."""
        return self._seconds is None and self._empty_round > 0

    def is_worth_a_round(self, n_subsets: int, n_here: int, n_there: int) -> bool:
        """Whether `n_there` threads of a cluster are worth it over the `n_here` of this process."""
        work = n_subsets * (self._seconds or 0.0)
        saved = work / n_here - work / n_there
        return self._empty_round == 0 or saved >= WORTH * self._empty_round

    def n_tasks(self, n_subsets: int, n_threads: int) -> int:
        """Return the number of tasks for a batch."""
        most = min(n_subsets, TASKS_PER_THREAD * n_threads)
        if self._task_seconds == 0 or self._seconds is None:
            return most
        return max(1, min(most, ceil(n_subsets * self._seconds / self._task_seconds)))

    @contextmanager
    def timed(self, n_subsets: int, n_threads: int) -> Iterator[None]:
        """Learn from a batch that all threads of this process have scored."""
        start = time.monotonic()
        yield
        self._learn((time.monotonic() - start) * n_threads, n_subsets)

    @contextmanager
    def timed_round(self, n_subsets: int, n_threads: int) -> Iterator[None]:
        """Learn from a batch that is sent, as if all threads were busy all the time."""
        start = time.monotonic()
        yield
        work = max(time.monotonic() - start - self._empty_round, 0.0)
        self._learn(work * n_threads, n_subsets)

    def _learn(self, seconds: float, n_subsets: int) -> None:
        if n_subsets:
            latest = seconds / n_subsets
            before = latest if self._seconds is None else self._seconds
            self._seconds = (1.0 - WEIGHT) * before + WEIGHT * latest


def round_seconds(client: Client, n_threads: int) -> float:
    """Return the seconds that a round of tasks without work takes."""

    def submit(missing: list[int]) -> Any:
        return client.map(nothing, missing, pure=False)

    laps = []
    for _ in range(EMPTY_ROUNDS):
        start = time.monotonic()
        collected(client, min(n_threads, MOST_EMPTY_TASKS), submit, lambda: None)
        laps.append(time.monotonic() - start)
    return min(laps)


def layout_for(client: Client, measure: Placeable, fingerprint: str) -> Copies | Sharded:
    """Return a layout with the whole table on every worker if it fits, else one with shards."""
    workers = workers_of(client)
    n_cells = measure.n_samples * measure.n_features
    if fits_everywhere(n_cells, workers):
        return Copies(client, measure, fingerprint)
    if not isinstance(measure, Dependency):
        raise ClusterError(
            f"each worker must have {_enough(_copies_bytes(n_cells))} GB of memory for the whole "
            f"table, got {_at_least(_memory(workers))} GB. Only the strict measure works with "
            "parts of a table: start workers with more memory, or measure on this machine."
        )
    return Sharded(client, measure, n_shards_for(n_cells, workers))


def fits_everywhere(n_cells: int, workers: Mapping[str, Any]) -> bool:
    """Whether every worker can hold as many such tables as workers keep."""
    return _copies_bytes(n_cells) <= _memory(workers)


def _copies_bytes(n_cells: int) -> float:
    """Return the memory that a worker must have to keep tables as a whole."""
    return MOST_TABLES * BYTES_PER_CELL * n_cells / SHARE


def n_shards_for(n_cells: int, workers: Mapping[str, Any]) -> int:
    """Return the fewest shards whose pairs keep all threads busy and fit into memory.

    Raises ClusterError if a worker has too little memory, however the table is cut.
    """
    n_threads = sum(one["nthreads"] for one in workers.values())
    by_threads = next(n for n in count(2) if n * (n - 1) // 2 >= n_threads)
    most = max(by_threads, MOST_SHARDS)
    for n_shards in range(by_threads, most + 1):
        if all(spare >= 0 for spare in _spare(n_cells, n_shards, workers).values()):
            return n_shards
    raise ClusterError(_refusal(n_cells, most, workers))


def memory_needed(n_cells: int, n_shards: int, n_workers: int, n_threads: int) -> float:
    """Return the bytes of memory that a worker needs for shards."""
    own_shards = shard_bytes(n_cells) / n_workers
    return (BARE_BYTES + own_shards + n_threads * thread_bytes(n_cells, n_shards)) / FULL


def _spare(n_cells: int, n_shards: int, workers: Mapping[str, Any]) -> dict[str, float]:
    """Return how much more memory each worker has than it needs."""
    return {
        address: _memory({address: one})
        - memory_needed(n_cells, n_shards, len(workers), one["nthreads"])
        for address, one in workers.items()
    }


def _refusal(n_cells: int, n_shards: int, workers: Mapping[str, Any]) -> str:
    """Return the sentence about the worker that lacks the most memory."""
    spare = _spare(n_cells, n_shards, workers)
    address = min(spare, key=lambda one: spare[one])
    has = workers[address]["memory_limit"]
    needs = _enough(has - spare[address])
    return (
        f"the worker {address}, one of {len(workers)}, must have {needs} GB of memory for its "
        f"part of a table of {shard_bytes(n_cells) / 1e9:.1f} GB with "
        f"nthreads={workers[address]['nthreads']}, got {_at_least(has)} GB. Start workers with "
        "that much memory or fewer threads, or start more workers."
    )


def _enough(n_bytes: float) -> float:
    """Return gigabytes, rounded up."""
    return ceil(n_bytes / 1e8) / 10


def _at_least(n_bytes: float) -> float:
    """Return gigabytes, rounded down, so that too few never look like enough."""
    return floor(n_bytes / 1e8) / 10


def _memory(workers: Mapping[str, Any]) -> float:
    """Return the memory of the smallest worker in bytes; infinite if none has a limit."""
    return min(one["memory_limit"] or inf for one in workers.values())


class Copies:
    """Scores subsets on workers that each have the whole table.

    The table is sent once. A worker process keeps it, so that a second run on the same data
    sends nothing; a worker that joins later gets it when it is first asked for a score.
    `fingerprint` identifies the table and everything else that its scores depend on.
    """

    def __init__(self, client: Client, measure: Placeable, fingerprint: str) -> None:
        self._client = client
        self._fingerprint = fingerprint
        self._table = _table_of(measure)
        self._tolerance = measure.tolerance
        self.n_threads = threads_of(client)
        self.supply()

    def score(self, masks: Masks, bars: Floats, n_tasks: int) -> Floats:
        """Return the dependency of each subset, -inf where it is below its bar."""
        parts = _parts(len(masks), n_tasks)
        some = [(Packed.of(masks[part]), bars[part]) for part in parts]
        return self._collected(worker.score, some)

    def best(self, masks: Masks, n_tasks: int) -> Floats:
        """Return the dependency of the best subsets, -inf for the others."""
        # Each part finds its own best subset: more parts than threads would only cost time.
        parts = _parts(len(masks), min(n_tasks, self.n_threads))
        scores = self._collected(worker.best, [(Packed.of(masks[part]),) for part in parts])
        scores[scores < scores.max() - self._tolerance] = -np.inf
        return scores

    def supply(self) -> None:
        """Send the table to the workers that do not have it."""
        for _ in range(ATTEMPTS):
            workers = list(working_of(self._client))
            held = asked(self._client, holds, self._fingerprint, workers=workers)
            lacking = [address for address, answer in held.items() if answer is False]
            if not lacking:  # an unreachable worker answers with an error
                return
            self._send(lacking)
        if True not in held.values():  # else a task that misses it has it sent again
            raise ClusterError(self._refusal(lacking[0]))

    def withdraw(self) -> None:
        """Make the workers drop the table."""
        asked(self._client, forget, self._fingerprint)

    def _refusal(self, worker: str) -> str:
        n_tables = asked(self._client, n_held, workers=[worker])[worker]
        is_crowded = isinstance(n_tables, int) and n_tables >= MOST_TABLES
        reason = (
            f"It has {n_tables} tables of other runs at the same time. Start fewer runs at once."
            if is_crowded
            else "It may have too little memory; see its log."
        )
        return (
            f"the worker {worker} must keep the table that it is sent, but dropped it "
            f"{ATTEMPTS} times. {reason}"
        )

    def _collected(
        self, task: Callable[..., Floats], arguments: Sequence[tuple[object, ...]]
    ) -> Floats:
        """Return the results of a task for all sets of arguments, concatenated."""

        def submit(missing: list[int]) -> Any:
            same = [[stamp()] * len(missing), [self._fingerprint] * len(missing)]
            others = zip(*(arguments[part] for part in missing), strict=True)
            return self._client.map(task, *same, *map(list, others), pure=False)

        answers = collected(self._client, len(arguments), submit, self.supply)
        self.n_threads = threads_now(self._client) or self.n_threads  # after workers joined or left
        return np.concatenate(answers)

    def _send(self, workers: Sequence[str]) -> None:
        try:
            table = sent(self._client, self._table, workers)
            # Dask drops copies that no task needs, now and then even before they are taken.
            asked(self._client, take, self._fingerprint, table.key, workers=workers)
        except Exception as error:
            if not isinstance(error, KeyError) and not is_loss(error):
                raise  # KeyError: the scheduler no longer knows one of the workers


def _table_of(measure: Placeable) -> Table:
    """Return what workers need of a table; names and labels stay here."""
    full = measure.dataset
    # Copies, because a worker in this process keeps these very arrays even if the user changes
    # the original ones; one that joins late gets what the measure was made from.
    bare = Dataset(
        np.array(full.values),
        full.target.copy(),
        tuple(map(str, range(full.n_features))),
        full.categorical.copy(),
        None if full.classes is None else tuple(range(len(full.classes))),
        groups=full.groups,
    )
    return Table(bare, measure.recipe())


def _parts(n_subsets: int, n_parts: int) -> list[slice]:
    cuts = np.linspace(0, n_subsets, n_parts + 1).astype(np.int64).tolist()
    return [slice(first, last) for first, last in pairwise(cuts)]
