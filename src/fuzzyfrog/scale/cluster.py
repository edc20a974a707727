"""A measure that scores on a cluster: the same scores, to the last bit, as at home."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data import Dataset
from fuzzyfrog.measure import Dependency
from fuzzyfrog.scale.client import connected
from fuzzyfrog.scale.layouts import Layout, layout_for
from fuzzyfrog.scale.pace import TASK_SECONDS, Pace, round_seconds
from fuzzyfrog.scale.stamp import require_same_code

if TYPE_CHECKING:
    from fuzzyfrog.search import Objective

__all__ = ["ClusterMeasure", "on_cluster"]

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

    def score(self, masks: Masks, at_least: float | Floats | None = None) -> Floats:
        """Give the dependency of each subset; -inf exactly where it is less than `at_least`."""
        pace = self._score_pace
        if not self._is_sent(masks, pace):
            with pace.timed(len(masks)):
                return self._measure.score(masks, at_least)
        bars = np.full(len(masks), -inf if at_least is None else at_least, np.float64)
        n_tasks = pace.n_tasks(len(masks), self._layout.n_threads)
        with pace.timed_round(len(masks), min(n_tasks, self._layout.n_threads)):
            return self._layout.score(masks, bars, n_tasks)

    def best(self, masks: Masks) -> Floats:
        """Give the dependency of the best subsets of a batch, -inf for the others."""
        pace = self._best_pace
        if not self._is_sent(masks, pace):
            with pace.timed(len(masks)):
                return self._measure.best(masks)
        n_tasks = pace.n_tasks(len(masks), self._layout.n_threads)
        with pace.timed_round(len(masks), min(n_tasks, self._layout.n_threads)):
            return self._layout.best(masks, n_tasks)

    def _is_sent(self, masks: Masks, pace: Pace) -> bool:
        self._measure.score(masks[:0])  # refuses what are no masks of this table
        if pace.is_unknown and len(masks) > 1:
            with pace.timed(1):
                self._measure.score(masks[:1])
        return len(masks) > 0 and pace.is_worth_a_round(len(masks))


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
                layout.withdraw()  # whose client stays, may come again with the same table
