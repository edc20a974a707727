"""What a worker process keeps: the last tables it was sent, and the measures made of them.

Not as results of Dask, which would move them between workers and drop copies as it sees fit: a
task that scores subsets is a second's work, and a table may be a gigabyte.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from fuzzyfrog.data import Dataset
from fuzzyfrog.data.spread import Missing, Spread
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.scoring import TNorm

if TYPE_CHECKING:
    from distributed import Worker

__all__ = ["MOST_TABLES", "Table", "TableMissingError", "forget", "holds", "measure_of", "take"]

MOST_TABLES = 2  # in one process

_tables: OrderedDict[str, Table] = OrderedDict()
_building = threading.Lock()


class TableMissingError(LookupError):
    """A worker was asked to score subsets of a table that it does not have (any more)."""


class Table:
    """A table as it is sent to workers, and the measure that one of them makes of it.

    Parameters
    ----------
    dataset : Dataset
        The samples.
    tnorm, spread, missing : str
        As in `fuzzyfrog.measure.Dependency`.
    """

    def __init__(self, dataset: Dataset, tnorm: TNorm, spread: Spread, missing: Missing) -> None:
        self._dataset = dataset
        self._settings = (tnorm, spread, missing)
        self._measure: Dependency | None = None

    def measure(self) -> Dependency:
        """Give the measure, made by the first thread that asks for it."""
        with _building:
            if self._measure is None:
                tnorm, spread, missing = self._settings
                self._measure = Dependency(
                    self._dataset, tnorm=tnorm, spread=spread, missing=missing
                )
            return self._measure


def holds(fingerprint: str) -> bool:
    """Tell whether this process has a table."""
    return fingerprint in _tables


def take(fingerprint: str, key: str, dask_worker: Worker) -> None:
    """Keep a table that was sent to this worker, if it is still there."""
    table = dask_worker.data.get(key)
    if isinstance(table, Table):
        _tables[fingerprint] = table
        while len(_tables) > MOST_TABLES:
            _tables.popitem(last=False)


def forget(fingerprint: str) -> None:
    """Let go of a table."""
    _tables.pop(fingerprint, None)


def measure_of(fingerprint: str) -> Dependency:
    """Give the measure of a table that this process has."""
    try:
        _tables.move_to_end(fingerprint)
        table = _tables[fingerprint]
    except KeyError:
        raise TableMissingError(f"no table {fingerprint} in this process") from None
    return table.measure()
