"""The soft measure on a cluster: workers sum up similarities, this process decides.

A race between the features that extend a base stays in this process, round by round. What takes
time in a round, the sums over all pairs of its anchors with all samples, are tasks: some features
on some anchors. The columns they need lie on the workers, each on one of them and on those that
asked for it. A membership has the same bits whatever else is in its task (`summed`), so the path is
that of one machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzyfrog.cluster.client import Client, Future, Scattered, collected, threads_of
from fuzzyfrog.cluster.pace import TASKS_PER_THREAD, Pace
from fuzzyfrog.cluster.worker import require_stamp, stamp
from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.measure.geometry import parts_of
from fuzzyfrog.measure.soft_columns import (
    DOUBLE_PRECISION,
    SINGLE_PRECISION,
    Precision,
    References,
    SoftColumns,
    SoftFeatures,
)
from fuzzyfrog.measure.soft_sums import scale_of, summed

FEW = 16  # features that are sent one by one and share a task, as they share the sums of the base
PIECE_BYTES = 2**24  # of the other ones that are sent together, and share a task
FIRST = np.zeros(1, np.int64)  # of the features of a piece, which is the only one


class SumsThere:
    """Sums up similarities on a cluster, or in this process where that is faster.

    Parameters
    ----------
    client : Client
        The cluster.
    measure : SoftDependency
        The measure in this process.
    empty_round : float
        Seconds that a round without work takes; with 0, every round is sent, cut as finely as
        allowed.
    """

    def __init__(self, client: Client, measure: SoftDependency, empty_round: float) -> None:
        self._client = client
        self._here = measure._sums
        self._n_here = measure._n_threads
        self._paces = {one: Pace(empty_round) for one in (SINGLE_PRECISION, DOUBLE_PRECISION)}
        self._data = Scattered(client)
        self.n_threads = threads_of(client)
        self._n_features = measure.n_features
        self._share = -(-measure.n_features // (TASKS_PER_THREAD * self.n_threads))

    def __call__(
        self,
        columns: SoftColumns,
        base: Integers,
        added: Integers,
        precision: Precision,
        places: Integers,
    ) -> tuple[Floats, Masks]:
        """Return what `SumsHere` does."""
        step = columns, base, added, precision, places
        work = len(columns.place) * len(places) * (len(base) + 2 * len(added))
        pace, n_there = self._paces[precision], self.n_threads
        if pace.is_unknown or not pace.is_worth_a_round(work, self._n_here, n_there):
            with pace.timed(work, self._n_here):
                return self._here(*step)
        with pace.timed(work, n_there, is_sent=True):
            found = self._there(*step, pace.n_tasks(work, n_there))
        self.n_threads = threads_of(self._client)  # after workers joined or left
        return found

    def withdraw(self) -> None:
        """Make the workers drop the columns."""
        self._data.clear()

    def _there(
        self,
        columns: SoftColumns,
        base: Integers,
        added: Integers,
        precision: Precision,
        places: Integers,
        n_tasks: int,
    ) -> tuple[Floats, Masks]:
        groups, n_blocks = self._groups(columns, added), -(-len(places) // precision.lanes)
        parts = [
            slice(first * precision.lanes, last * precision.lanes)
            for first, last in parts_of(n_blocks, -(-n_tasks // len(groups)))
        ]
        tasks = [(group, part) for group in groups for part in parts]
        path = [(one, one + 1) for one in base.tolist()]

        def submit(missing: list[int]) -> Any:
            references = self._data.at(columns, lambda: columns.references)
            futures = []
            for group, part in (tasks[k] for k in missing):
                pieces = [self._piece(columns, *piece) for piece in path + group.pieces]
                picks = [FIRST] * len(path) + group.picks
                asked = stamp(), len(path), picks, precision, places[part]
                futures.append(self._client.submit(weigh, *asked, references, *pieces, pure=False))
            return futures

        answers = collected(self._client, len(tasks), submit, self._data.forget_lost)
        found = np.empty((len(added), len(places)))
        is_unsure = np.empty(found.shape, np.bool_)
        for (group, part), (some, unsure) in zip(tasks, answers, strict=True):
            found[group.rows, part], is_unsure[group.rows, part] = some, unsure
        return found, is_unsure

    def _groups(self, columns: SoftColumns, added: Integers) -> list[_Group]:
        if len(added) <= FEW:
            one_by_one = [(one, one + 1) for one in added.tolist()]
            return [_Group(np.arange(len(added)), one_by_one, [FIRST] * len(added))]
        width = max(FEW, min(self._share, PIECE_BYTES // (8 * len(columns.place))))
        number, groups = added // width, []
        for k in np.unique(number).tolist():
            rows = np.flatnonzero(number == k)
            piece = k * width, min((k + 1) * width, self._n_features)
            groups.append(_Group(rows, [piece], [added[rows] - piece[0]]))
        return groups

    def _piece(self, columns: SoftColumns, first: int, last: int) -> Future:
        return self._data.at((columns, first, last), lambda: columns.part(first, last))


@dataclass(frozen=True)
class _Group:
    """Some of the features that extend a base, whose tasks need the same pieces of the table."""

    rows: Integers  # which of the features
    pieces: list[tuple[int, int]]  # first and last feature of each
    picks: list[Integers]  # which of the features of each piece


def weigh(
    stamp: str,
    n_base: int,
    picks: Sequence[Integers],
    precision: Precision,
    places: Integers,
    references: References,
    *pieces: SoftFeatures,
) -> tuple[Floats, Masks]:
    """Return what `summed` does for some anchors.

    Parameters
    ----------
    stamp : str
        The code that this must be.
    n_base : int
        Number of features of the base, which come first.
    picks : sequence of int64[n]
        Which of the features of each piece are meant.
    precision : Precision
        What is summed up in.
    places : int64[n_anchors]
        Places of the anchors among the references.
    references : References
        All samples.
    *pieces : SoftFeatures
        Some features each.
    """
    require_stamp(stamp)
    scale = scale_of(n_base)
    given = [one.factors(pick, scale, precision) for one, pick in zip(pieces, picks, strict=True)]
    factors = [np.concatenate(one) for one in zip(*given, strict=True)]
    return summed(references, factors, n_base, precision, places, n_threads=1)
