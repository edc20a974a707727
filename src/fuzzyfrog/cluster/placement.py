"""How a table lies on the workers: whole on each of them, or in shards if it is too large."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from math import ceil, inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.cluster import replicated
from fuzzyfrog.cluster.client import Client
from fuzzyfrog.cluster.replicated import Copies
from fuzzyfrog.cluster.retry import workers_of
from fuzzyfrog.cluster.sharded import Sharded, shard_bytes, thread_bytes
from fuzzyfrog.cluster.worker import MOST_TABLES, SHARE
from fuzzyfrog.errors import ClusterError
from fuzzyfrog.measure import Dependency

__all__ = [
    "Layout",
    "fits_everywhere",
    "layout_for",
    "memory_needed",
    "n_shards_for",
]

FULL = 0.7  # of the memory of a worker, everything counted; beyond, Dask moves data to disk
BARE_BYTES = 300_000_000  # of a worker process that holds nothing
MOST_SHARDS = 32  # unless threads need more: work grows with them, and tasks with their square


class Layout(Protocol):
    """How a table lies on the workers, and so how they share the work of a batch."""

    n_threads: int

    def score(
        self, masks: NDArray[np.bool_], bars: NDArray[np.float64], n_tasks: int
    ) -> NDArray[np.float64]:
        """Return the dependency of each subset, -inf where it is below its bar."""

    def best(self, masks: NDArray[np.bool_], n_tasks: int) -> NDArray[np.float64]:
        """Return the dependency of the best subsets, -inf for the others."""

    def withdraw(self) -> None:
        """Have the workers let go of the table."""


def layout_for(client: Client, measure: Dependency, fingerprint: str) -> Layout:
    """Return the whole table to every worker if each can hold it, else shards of it."""
    workers = workers_of(client)
    n_cells = measure.n_samples * measure.n_features
    if fits_everywhere(n_cells, workers):
        return Copies(client, measure, fingerprint)
    return Sharded(client, measure, n_shards_for(n_cells, workers))


def fits_everywhere(n_cells: int, workers: Mapping[str, Any]) -> bool:
    """Return whether every worker can hold as many such tables as workers keep."""
    return MOST_TABLES * replicated.BYTES_PER_CELL * n_cells <= SHARE * _memory(workers)


def n_shards_for(n_cells: int, workers: Mapping[str, Any]) -> int:
    """Return the fewest shards whose pairs keep all threads busy and fit beside the shards.

    Raises
    ------
    ClusterError
        If a worker has too little memory for its part, however the table is cut.
    """
    n_threads = sum(worker["nthreads"] for worker in workers.values())
    by_threads = next(n for n in count(2) if n * (n - 1) // 2 >= n_threads)
    most = max(by_threads, MOST_SHARDS)
    for n_shards in range(by_threads, most + 1):
        if all(spare >= 0 for spare in _spare(n_cells, n_shards, workers).values()):
            return n_shards
    raise ClusterError(_refusal(n_cells, most, workers))


def memory_needed(n_cells: int, n_shards: int, n_workers: int, n_threads: int) -> float:
    """Return the bytes of memory that a worker with some threads has to have for shards."""
    own_shards = shard_bytes(n_cells) / n_workers
    return (BARE_BYTES + own_shards + n_threads * thread_bytes(n_cells, n_shards)) / FULL


def _spare(n_cells: int, n_shards: int, workers: Mapping[str, Any]) -> dict[str, float]:
    """Return how much more memory each worker has than it needs."""
    return {
        address: _memory({address: worker})
        - memory_needed(n_cells, n_shards, len(workers), worker["nthreads"])
        for address, worker in workers.items()
    }


def _refusal(n_cells: int, n_shards: int, workers: Mapping[str, Any]) -> str:
    """Return the sentence on the worker that lacks the most."""
    spare = _spare(n_cells, n_shards, workers)
    address = min(spare, key=lambda one: spare[one])
    has = workers[address]["memory_limit"]
    needs = ceil((has - spare[address]) / 1e8) / 10  # what it says must be enough
    return (
        f"the worker {address}, one of {len(workers)}, must have {needs} GB of memory for its "
        f"part of a table of {shard_bytes(n_cells) / 1e9:.1f} GB with "
        f"nthreads={workers[address]['nthreads']}, got {has / 1e9:.1f} GB. Start workers with as "
        "much, or with fewer threads, or more of them."
    )


def _memory(workers: Mapping[str, Any]) -> float:
    """Return the memory of the smallest worker in bytes; infinite if none has a limit."""
    return min(worker["memory_limit"] or inf for worker in workers.values())
