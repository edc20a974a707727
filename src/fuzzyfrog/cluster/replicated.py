"""The whole table on every worker: a batch of subsets is cut into parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.cluster import worker
from fuzzyfrog.cluster.client import Client, Future, is_loss
from fuzzyfrog.cluster.code_version import stamp
from fuzzyfrog.cluster.retry import (
    asked,
    collected,
    sent,
    threads_now,
    threads_of,
    working_of,
)
from fuzzyfrog.cluster.worker import (
    MOST_TABLES,
    Packed,
    Placeable,
    Table,
    forget,
    holds,
    n_held,
    take,
)
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import ClusterError

ATTEMPTS = 5  # to hand a table over to workers that drop it at once

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


class Copies:
    """Scores subsets on workers of which each has the whole table.

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

        def submit(missing: list[int]) -> list[Future]:
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
    )
    return Table(bare, measure.recipe())


def _parts(n_subsets: int, n_parts: int) -> list[slice]:
    cuts = np.linspace(0, n_subsets, n_parts + 1).astype(np.int64).tolist()
    return [slice(first, last) for first, last in pairwise(cuts)]
