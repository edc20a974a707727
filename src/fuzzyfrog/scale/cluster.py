"""A measure that scores on a cluster: the same scores, to the last bit, as at home."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzyfrog.data import Dataset
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.scores import _checked_bar
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

    @property
    def n_at_once(self) -> int:
        """Number of subsets that are scored at the same time."""
        return max(self._measure._n_threads, self._layout.n_threads)

    def score(self, masks: ArrayLike, at_least: float | ArrayLike | None = None) -> Floats:
        """Give the dependency of each subset; -inf exactly where it is less than `at_least`."""
        checked = self._measure._checked(masks)  # whichever way the batch goes
        bars = _checked_bar(at_least, len(checked))
        return self._scored(
            checked,
            self._score_pace,
            lambda: self._measure.score(checked, bars),
            lambda n_tasks: self._layout.score(checked, bars, n_tasks),
        )

    def best(self, masks: ArrayLike) -> Floats:
        """Give the dependency of the best subsets of a batch, -inf for the others."""
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
        """Give the scores of a batch from where they are to be had sooner."""
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
