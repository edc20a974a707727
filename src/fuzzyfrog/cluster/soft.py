"""The soft measure on a cluster: workers sum up similarities, this process decides.

A race between the features that extend a base stays in this process, round by round. What takes
time in a round, the sums over all pairs of its anchors with all samples, are tasks: some features
on some anchors. The columns they need lie on the workers, each on one of them and on those that
asked for it. A membership has the same bits whatever else is in its task (`summed`), so the path is
that of one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from fuzzyfrog.cluster.client import Client, Future, Scattered, collected, threads_of
from fuzzyfrog.cluster.pace import TASKS_PER_THREAD, Pace
from fuzzyfrog.cluster.worker import exponentials, require_exponentials, require_stamp, stamp
from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.measure.geometry import parts_of
from fuzzyfrog.measure.soft_columns import (
    Others,
    Precision,
    References,
    SoftColumns,
    SoftFeatures,
)
from fuzzyfrog.measure.soft_pairs import ANCHORS_AT_ONCE, lost, scale_of, summed

Answer = TypeVar("Answer")

TIMED = 128  # anchors that are enough to learn how long all of them take
MOST = 512  # features that every worker may have to ask for, one by one
FEW = 16  # features that are sent one by one and share a task, as they share the sums of the base
PIECE_BYTES = 2**23  # of others, which share a piece, as their exponentials are kept in 2**24
FIRST = np.zeros(1, np.int64)  # of the features of a piece, which is the only one


class PairsThere:
    """Looks at pairs of samples on a cluster, or in this process where that is faster.

    Parameters
    ----------
    client : Client
        The cluster.
    measure : SoftDependency
        The measure in this process.
    empty_round : float
        Seconds that a round without work takes; with 0, every round is sent, cut as finely as
        allowed.
    most : float
        Features of a base or a path that a worker has room for; longer ones stay in this process.
    """

    def __init__(
        self, client: Client, measure: SoftDependency, empty_round: float, most: float = MOST
    ) -> None:
        self._client = client
        self._here = measure._pairs
        self._n_here, self._most = measure._n_threads, min(MOST, most)
        self._paces = {name: Pace(empty_round) for name in ("float32", "float64", "losses")}
        self._data = Scattered(client)
        self.n_threads = threads_of(client)
        self._n_features = measure.n_features
        self._share = -(-measure.n_features // (TASKS_PER_THREAD * self.n_threads))

    def memberships(
        self,
        columns: SoftColumns,
        base: Integers,
        added: Integers,
        precision: Precision,
        places: Integers,
    ) -> tuple[Floats, Masks]:
        """Return what `Pairs` says."""
        step = columns, base, added, precision
        if len(base) > self._most:
            return self._here.memberships(*step, places)
        return self._done(
            precision.dtype.__name__,
            (len(columns.place), len(places), len(base) + 2 * len(added)),
            lambda some: self._here.memberships(*step, places[some]),
            lambda n_tasks: self._summed(*step, places, n_tasks),
        )

    def losses(self, columns: SoftColumns, path: Integers, start: int, anchors: Integers) -> Floats:
        """Return what `Pairs` says."""
        step = columns, path, start
        if len(path) > self._most:
            return self._here.losses(*step, anchors)
        return self._done(
            "losses",
            (len(columns.place), len(anchors), len(path) + 4 * (len(path) - start)),
            lambda some: self._here.losses(*step, anchors[some]),
            lambda n_tasks: self._lost(*step, anchors, n_tasks),
        )

    def _done(
        self,
        name: str,
        size: tuple[int, int, int],
        here: Callable[[slice], Answer],
        there: Callable[[int], Answer],
    ) -> Answer:
        """Return what is found out wherever that is faster; the size is that of the work."""
        pace, n_there, (n_samples, n_anchors, n_each) = self._paces[name], self.n_threads, size
        if pace.is_unknown and n_anchors > TIMED:
            with pace.timed(n_samples * TIMED * n_each, self._n_here):
                here(slice(TIMED))
        work = n_samples * n_anchors * n_each
        if pace.is_unknown or not pace.is_worth_a_round(work, self._n_here, n_there):
            with pace.timed(work, self._n_here):
                return here(slice(None))
        with pace.timed(work, n_there, is_sent=True):
            found = there(pace.n_tasks(work, n_there))
        self.n_threads = threads_of(self._client)  # after workers joined or left
        return found

    def withdraw(self) -> None:
        """Make the workers drop the columns."""
        self._data.clear()

    def _summed(
        self,
        columns: SoftColumns,
        base: Integers,
        added: Integers,
        precision: Precision,
        places: Integers,
        n_tasks: int,
    ) -> tuple[Floats, Masks]:
        groups = self._groups(columns, added)
        parts = _parts(len(places), precision.lanes, -(-n_tasks // len(groups)))
        tasks = [(group, part) for group in groups for part in parts]
        path = [(one, one + 1) for one in base.tolist()]

        def submit(missing: list[int]) -> Any:
            references = self._data.at((columns, "sums"), lambda: columns.references)
            futures = []
            for group, part in (tasks[k] for k in missing):
                pieces = [self._piece(columns, *piece) for piece in path + group.pieces]
                picks = [FIRST] * len(path) + group.picks
                asked = stamp(), exponentials(), len(path), picks, precision, places[part]
                futures.append(self._client.submit(weigh, *asked, references, *pieces, pure=False))
            return futures

        answers = collected(self._client, len(tasks), submit, self._data.forget_lost)
        found = np.empty((len(added), len(places)))
        is_unsure = np.empty(found.shape, np.bool_)
        for (group, part), (some, unsure) in zip(tasks, answers, strict=True):
            found[group.rows, part], is_unsure[group.rows, part] = some, unsure
        return found, is_unsure

    def _lost(
        self, columns: SoftColumns, path: Integers, start: int, anchors: Integers, n_tasks: int
    ) -> Floats:
        parts = _parts(len(anchors), ANCHORS_AT_ONCE, n_tasks)
        n_nearest = columns.n_nearest(anchors)

        def submit(missing: list[int]) -> Any:
            everybody = columns.others, columns.place
            others = self._data.at((columns, "losses"), lambda: everybody)
            pieces = [self._piece(columns, one, one + 1) for one in path.tolist()]
            return [
                self._client.submit(
                    lose, stamp(), start, n_nearest[part], anchors[part], others, *pieces,
                    pure=False,
                )
                for part in (parts[k] for k in missing)
            ]  # fmt: skip

        answers = collected(self._client, len(parts), submit, self._data.forget_lost)
        return np.concatenate(answers, axis=1)

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
    exponentials: str,
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
    exponentials : str
        Those that NumPy must compute here.
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
    require_exponentials(exponentials)
    scale = scale_of(n_base)
    given = [one.factors(pick, scale, precision) for one, pick in zip(pieces, picks, strict=True)]
    factors = [np.concatenate(one) for one in zip(*given, strict=True)]
    return summed(references, factors, n_base, precision, places, n_threads=1)


def lose(
    stamp: str,
    start: int,
    n_nearest: Floats,
    anchors: Integers,
    everybody: tuple[Others, Integers],
    *path: SoftFeatures,
) -> Floats:
    """Return what `lost` does for some anchors, by a path of pieces with one feature each.

    `everybody` has all samples and their places in the pieces.
    """
    require_stamp(stamp)
    others, place = everybody
    given = [one.differences(FIRST, place) for one in path]
    z, kind, differs, gap = (np.concatenate(one) for one in zip(*given, strict=True))
    return lost(others, (z, kind, differs, gap), n_nearest, start, anchors, n_threads=1)


def _parts(n_anchors: int, at_once: int, n_parts: int) -> list[slice]:
    """Return parts of the anchors, whole blocks of those that are looked at together."""
    cuts = parts_of(-(-n_anchors // at_once), n_parts)
    return [slice(first * at_once, last * at_once) for first, last in cuts]
