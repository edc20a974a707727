"""How long subsets take, and so what is worth a round trip and how it is cut."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil

from fuzzyfrog.scale import tasks
from fuzzyfrog.scale.client import Client, Future
from fuzzyfrog.scale.resilience import collected

__all__ = ["TASK_SECONDS", "Pace", "round_seconds"]

TASK_SECONDS = 0.1  # of work in a task: some twenty times what Dask needs to hand it out
WORTH = 2.0  # rounds without work that sending a batch must save
TASKS_PER_THREAD = 4  # for subsets that take longer than others
WEIGHT = 0.5  # of the latest batch
EMPTY_ROUNDS = 3  # that are timed
MOST_EMPTY_TASKS = 16  # of each


class Pace:
    """The work of a subset, in seconds of one thread, learned from batch to batch.

    Only speed depends on it: a batch has the same scores wherever it is scored.

    Parameters
    ----------
    empty_round : float
        Seconds that a round without work takes; 0 has every batch sent.
    task_seconds : float
        Least work of a task where there is enough; 0 has every batch cut as finely as is allowed.
    """

    def __init__(self, empty_round: float, task_seconds: float = TASK_SECONDS) -> None:
        self._empty_round = empty_round
        self._task_seconds = task_seconds
        self._seconds: float | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether a subset has to be timed before anything can be said."""
        return self._seconds is None and self._empty_round > 0

    def is_worth_a_round(self, n_subsets: int, n_here: int, n_there: int) -> bool:
        """Tell whether so many threads of a cluster give a batch sooner than those at home."""
        work = n_subsets * (self._seconds or 0.0)
        saved = work / n_here - work / n_there
        return self._empty_round == 0 or saved >= WORTH * self._empty_round

    def n_tasks(self, n_subsets: int, n_threads: int) -> int:
        """Give the number of tasks for a batch."""
        most = min(n_subsets, TASKS_PER_THREAD * n_threads)
        if self._task_seconds == 0 or self._seconds is None:
            return most
        return max(1, min(most, ceil(n_subsets * self._seconds / self._task_seconds)))

    @contextmanager
    def timed(self, n_subsets: int, n_threads: int) -> Iterator[None]:
        """Learn from a batch that is scored at home, by all threads there."""
        start = time.monotonic()
        yield
        self._learn((time.monotonic() - start) * n_threads, n_subsets)

    @contextmanager
    def timed_round(self, n_subsets: int, n_threads: int) -> Iterator[None]:
        """Learn from a batch that is sent; all threads are taken to be busy all the time."""
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
    """Give what a round of tasks without work takes."""

    def submit(missing: list[int]) -> list[Future]:
        return client.map(tasks.nothing, missing, pure=False)

    laps = []
    for _ in range(EMPTY_ROUNDS):
        start = time.monotonic()
        collected(client, min(n_threads, MOST_EMPTY_TASKS), submit, _nothing_to_recover)
        laps.append(time.monotonic() - start)
    return min(laps)


def _nothing_to_recover() -> None:
    """Tasks without work need nothing."""
