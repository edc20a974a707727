"""The whole table on every worker: a batch is cut into parts of subsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data import Dataset
from fuzzyfrog.measure import Dependency
from fuzzyfrog.scale import tasks
from fuzzyfrog.scale.client import Client, Future, is_loss
from fuzzyfrog.scale.packing import Packed
from fuzzyfrog.scale.resilience import ClusterError, collected, threads_of
from fuzzyfrog.scale.stamp import stamp
from fuzzyfrog.scale.tables import Table, forget, holds, take

__all__ = ["BYTES_PER_CELL", "Copies"]

BYTES_PER_CELL = 28  # values as sent and as kept, and a geometry of them
ATTEMPTS = 5  # to hand a table over to workers that let go of it at once

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


class Copies:
    """Scores subsets on workers of which each has the whole table.

    The table is sent once. A worker process keeps it, so that a second run on the same data
    sends nothing; a worker that comes later is sent it when it is first asked for a score.

    Parameters
    ----------
    client : Client
        The cluster.
    measure : Dependency
        The measure of the table.
    fingerprint : str
        What stands for the table and all that its scores depend on.
    """

    def __init__(self, client: Client, measure: Dependency, fingerprint: str) -> None:
        self._client = client
        self._fingerprint = fingerprint
        self._table = _table_of(measure)
        self.n_threads = threads_of(client)
        self.supply()

    def score(self, masks: Masks, bars: Floats, n_tasks: int) -> Floats:
        """Give the dependency of each subset, -inf where it is below its bar."""
        parts = _parts(len(masks), n_tasks)
        some = [(Packed.of(masks[part]), bars[part]) for part in parts]
        return self._collected(tasks.score, some)

    def best(self, masks: Masks, n_tasks: int) -> Floats:
        """Give the dependency of the best subsets, -inf for the others."""
        # Each part finds its own best one: more parts than threads would only cost.
        parts = _parts(len(masks), min(n_tasks, self.n_threads))
        scores = self._collected(tasks.best, [(Packed.of(masks[part]),) for part in parts])
        scores[scores < scores.max()] = -np.inf
        return scores

    def supply(self) -> None:
        """Send the table to the workers that do not have it."""
        for _ in range(ATTEMPTS):
            held = self._client.run(holds, self._fingerprint, on_error="return")
            lacking = [address for address, answer in held.items() if answer is False]
            if not lacking:  # a worker that cannot be reached is none
                return
            self._send(lacking)
        raise ClusterError(
            f"the worker {lacking[0]} must keep the table that it is sent, but let go of it "
            f"{ATTEMPTS} times. It may have too little memory; see its log."
        )

    def withdraw(self) -> None:
        """Have the workers let go of the table."""
        self._client.run(forget, self._fingerprint, on_error="return")

    def _collected(
        self, task: Callable[..., Floats], arguments: Sequence[tuple[object, ...]]
    ) -> Floats:
        """Give what a task answers to each set of arguments, one answer behind the other."""

        def submit(missing: list[int]) -> list[Future]:
            same = [[stamp()] * len(missing), [self._fingerprint] * len(missing)]
            others = zip(*(arguments[part] for part in missing), strict=True)
            return self._client.map(task, *same, *map(list, others), pure=False)

        return np.concatenate(collected(self._client, len(arguments), submit, self.supply))

    def _send(self, workers: Sequence[str]) -> None:
        try:
            sent = self._client.scatter(self._table, workers=workers, broadcast=True, hash=False)
            # Dask drops copies that no task needs, now and then even before they are taken.
            self._client.run(take, self._fingerprint, sent.key, workers=workers, on_error="return")
        except Exception as error:
            if not isinstance(error, KeyError) and not is_loss(error):
                raise  # KeyError: the scheduler knows one of the workers no more


def _table_of(measure: Dependency) -> Table:
    """Give what workers need of a table; names and labels stay at home."""
    full = measure.dataset
    bare = Dataset(
        full.values,
        full.target,
        tuple(map(str, range(full.n_features))),
        full.nominal,
        None if full.classes is None else tuple(range(len(full.classes))),
    )
    return Table(bare, measure._tnorm, measure._spread, measure._missing)


def _parts(n_subsets: int, n_parts: int) -> list[slice]:
    cuts = np.linspace(0, n_subsets, n_parts + 1).astype(np.int64).tolist()
    return [slice(first, last) for first, last in pairwise(cuts)]
