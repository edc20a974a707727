"""Which work is worth a round to the cluster, and how finely it is cut."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import Any

from fuzzyfrog.cluster.client import Client, collected

TASK_SECONDS = 0.1  # of work in a task: some twenty times the overhead of Dask
WORTH = 2.0  # empty rounds: sending a batch must save more time than these take
TASKS_PER_THREAD = 4  # because some subsets take longer than others
WEIGHT = 0.5  # of the latest batch in the running estimate
EMPTY_ROUNDS = 3  # timed to measure the overhead
MOST_EMPTY_TASKS = 16  # in each empty round


class Pace:
    """The work of a subset, in seconds of one thread, learned from batch to batch.

    Only speed depends on it: a batch has the same scores wherever it is scored. `empty_round` is
    that of `ClusterMeasure`.
    """

    def __init__(self, empty_round: float) -> None:
        self._empty_round = empty_round
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
        if self._empty_round == 0 or self._seconds is None:
            return most
        return max(1, min(most, ceil(n_subsets * self._seconds / TASK_SECONDS)))

    @contextmanager
    def timed(self, n_subsets: int, n_threads: int, *, is_sent: bool = False) -> Iterator[None]:
        """Learn from a batch, as if all these threads were busy all the time."""
        start = time.monotonic()
        yield
        work = time.monotonic() - start - (self._empty_round if is_sent else 0.0)
        if n_subsets:
            latest = max(work, 0.0) * n_threads / n_subsets
            before = latest if self._seconds is None else self._seconds
            self._seconds = (1.0 - WEIGHT) * before + WEIGHT * latest


def round_seconds(client: Client, n_threads: int) -> float:
    """Return the seconds that a round of tasks without work takes."""

    def submit(missing: list[int]) -> Any:
        return client.map(int, missing, pure=False)  # the shortest possible task

    laps = []
    for _ in range(EMPTY_ROUNDS):
        start = time.monotonic()
        collected(client, min(n_threads, MOST_EMPTY_TASKS), submit, lambda: None)
        laps.append(time.monotonic() - start)
    return min(laps)
