"""How a table lies on the workers: whole on each of them, or in shards if it is too large."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from math import ceil, inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.measure import Dependency
from fuzzyfrog.scale import copies, sharded
from fuzzyfrog.scale.client import Client
from fuzzyfrog.scale.copies import Copies
from fuzzyfrog.scale.resilience import workers_of
from fuzzyfrog.scale.sharded import Sharded
from fuzzyfrog.scale.tables import MOST_TABLES

__all__ = ["Layout", "fits_everywhere", "layout_for", "n_shards_for"]

SHARE = 0.6  # of the memory of a worker; beyond, Dask begins to move data to disk


class Layout(Protocol):
    """How a table lies on the workers, and so how they share the work of a batch."""

    n_threads: int

    def score(
        self, masks: NDArray[np.bool_], bars: NDArray[np.float64], n_tasks: int
    ) -> NDArray[np.float64]:
        """Give the dependency of each subset, -inf where it is below its bar."""

    def best(self, masks: NDArray[np.bool_], n_tasks: int) -> NDArray[np.float64]:
        """Give the dependency of the best subsets, -inf for the others."""

    def withdraw(self) -> None:
        """Have the workers let go of the table."""


def layout_for(client: Client, measure: Dependency, fingerprint: str) -> Layout:
    """Give the whole table to every worker if each can hold it, else shards of it."""
    workers = workers_of(client)
    n_cells = measure.n_samples * measure.n_features
    if fits_everywhere(n_cells, workers):
        return Copies(client, measure, fingerprint)
    return Sharded(client, measure, n_shards_for(n_cells, workers))


def fits_everywhere(n_cells: int, workers: Mapping[str, Any]) -> bool:
    """Tell whether every worker can hold as many such tables as workers keep."""
    return MOST_TABLES * copies.BYTES_PER_CELL * n_cells <= SHARE * _memory(workers)


def n_shards_for(n_cells: int, workers: Mapping[str, Any]) -> int:
    """Give the fewest shards whose pairs keep all threads busy and fit each of them."""
    n_threads = sum(worker["nthreads"] for worker in workers.values())
    by_threads = next(n for n in count(2) if n * (n - 1) // 2 >= n_threads)
    per_thread = SHARE * _memory(workers) / max(worker["nthreads"] for worker in workers.values())
    by_memory = ceil(2 * sharded.BYTES_PER_CELL * n_cells / per_thread)
    return int(max(by_threads, by_memory))


def _memory(workers: Mapping[str, Any]) -> float:
    """Give the memory of the smallest worker in bytes; infinite if none has a limit."""
    return min(worker["memory_limit"] or inf for worker in workers.values())
