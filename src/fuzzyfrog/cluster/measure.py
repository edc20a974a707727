"""How long subsets take, and so what is worth a round trip and how it is cut."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyfrog.cluster import worker
from fuzzyfrog.cluster.client import Client, Future, connected
from fuzzyfrog.cluster.code_version import require_same_code
from fuzzyfrog.cluster.placement import Layout, layout_for
from fuzzyfrog.cluster.retry import collected
from fuzzyfrog.data import Dataset
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.dependency import _checked_bar

if TYPE_CHECKING:
    from fuzzyfrog.search import Objective

__all__ = [
    "TASK_SECONDS",
    "ClusterMeasure",
    "Pace",
    "on_cluster",
    "round_seconds",
]

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
        """Return whether so many threads of a cluster give a batch sooner than those at home."""
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
    """Return what a round of tasks without work takes."""

    def submit(missing: list[int]) -> list[Future]:
        return client.map(worker.nothing, missing, pure=False)

    laps = []
    for _ in range(EMPTY_ROUNDS):
        start = time.monotonic()
        collected(client, min(n_threads, MOST_EMPTY_TASKS), submit, _nothing_to_recover)
        laps.append(time.monotonic() - start)
    return min(laps)


def _nothing_to_recover() -> None:
    """Tasks without work need nothing."""


Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


class ClusterMeasure:
    """Scores subsets on a cluster, and at home where that is quicker.

    Parameters
    ----------
    measure : Dependency
        The measure of the whole table, at home.
    layout : Copies or Sharded
        How the table lies on the cluster.
    empty_round : float
        Seconds that a round without work takes; 0 has every batch sent.
    task_seconds : float
        Least work of a task; 0 has every batch cut as finely as is allowed.
    """

    def __init__(
        self,
        measure: Dependency,
        layout: Layout,
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
        checked = self._measure._checked(masks)  # whichever way the batch goes
        bars = _checked_bar(at_least, len(checked))
        return self._scored(
            checked,
            self._score_pace,
            lambda: self._measure.score(checked, bars),
            lambda n_tasks: self._layout.score(checked, bars, n_tasks),
        )

    def best(self, masks: ArrayLike) -> Floats:
        """Return the dependency of the best subsets of a batch, -inf for the others."""
        checked = self._measure._checked(masks)
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
        """Return the scores of a batch from where they are to be had sooner."""
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


@contextmanager
def on_cluster(
    measure: Dependency, cluster: object, fingerprint: Callable[[Dataset], str]
) -> Iterator[Objective]:
    """Lend what scores the subsets of a table: on a cluster, or the measure itself without one.

    Parameters
    ----------
    measure : Dependency
        The measure of the table.
    cluster : None, str or distributed.Client
        No cluster, the address of a scheduler, or a client, which is left open.
    fingerprint : callable
        Gives what stands for a table and all that its scores depend on.
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
                # Whose client stays, may come again with the same table.
                with suppress(Exception):  # an error that led here says more
                    layout.withdraw()
