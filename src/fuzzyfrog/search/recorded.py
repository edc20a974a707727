"""The steps of a proof, each asked of the log of an earlier run before it is worked out."""

from __future__ import annotations

import numpy as np

from fuzzyfrog.search.covering import (
    Answer,
    CoverSearch,
    Oracle,
    Rows,
    Slice,
    relaxed,
    smallest_cover,
)
from fuzzyfrog.search.prooflog import Arrays, ProofLog, digest_of
from fuzzyfrog.search.protocol import Floats, Masks

__all__ = ["RecordedSearch", "RecordedSteps"]


class RecordedSteps:
    """Rows of requirements, bounds and integer programs, worked out once.

    Parameters
    ----------
    oracle : callable
        What gives the rows that a subset breaks.
    log : ProofLog or None
        Where answers are kept; None keeps none.
    """

    def __init__(self, oracle: Oracle, log: ProofLog | None) -> None:
        self._oracle = oracle
        self._log = log

    def broken(self, subset: Masks) -> Rows:
        """Return rows that a subset breaks."""
        if self._log is None:
            return self._oracle(subset)
        key = digest_of(b"rows", np.packbits(subset))
        known = _rows(self._log.recall(key), len(subset))
        if known is not None:
            return known
        rows = self._oracle(subset)
        self._log.keep(key, rows.weights, rows.needed)
        return rows

    def relaxed(self, rows: Rows, *, fixed: Masks, allowed: Masks) -> tuple[float, Floats]:
        """Return what `relaxed` does."""
        if self._log is None:
            return relaxed(rows, fixed=fixed, allowed=allowed)
        key = digest_of(b"relaxed", rows.weights, rows.needed, fixed, allowed)
        known = self._log.recall(key)
        if _have(known, ("<f8", 1), ("<f8", len(fixed))):
            return float(known[0][0]), known[1]  # type: ignore[index]
        bound, shares = relaxed(rows, fixed=fixed, allowed=allowed)
        self._log.keep(key, np.array([bound], np.float64), shares)
        return bound, shares

    def smallest_cover(self, rows: Rows, *, fixed: Masks, allowed: Masks, n_nodes: int) -> Answer:
        """Return what `smallest_cover` does."""
        if self._log is None:
            return smallest_cover(rows, fixed=fixed, allowed=allowed, n_nodes=n_nodes)
        key = digest_of(b"program", rows.weights, rows.needed, fixed, allowed, n_nodes)
        known = self._log.recall(key)
        if _have(known, ("<i8", 2), ("|b1", len(fixed))):
            (bound, has_cover), cover = known  # type: ignore[misc]
            return Answer(cover if has_cover else None, int(bound))
        answer = smallest_cover(rows, fixed=fixed, allowed=allowed, n_nodes=n_nodes)
        has_cover = answer.cover is not None
        self._log.keep(
            key,
            np.array([answer.lower_bound, has_cover]),
            answer.cover if answer.cover is not None else np.zeros(len(fixed), np.bool_),
        )
        return answer

    def covers(
        self, rows: Rows, size: int, *, fixed: Masks, allowed: Masks
    ) -> CoverSearch | RecordedSearch:
        """Return a search for all covers of one size."""
        search = CoverSearch(rows, size, fixed=fixed, allowed=allowed)
        if self._log is None:
            return search
        key = digest_of(b"covers", rows.weights, rows.needed, fixed, allowed, size)
        return RecordedSearch(search, key, self._log)


class RecordedSearch:
    """A search for covers whose slices come from the log as long as it has them.

    Then the search itself stands still: what it missed is noted, and is either made good by the
    newest place in the log, or done when the log has no more.

    Parameters
    ----------
    search : CoverSearch
        The search at its start.
    key : bytes
        What stands for the search and all it was given.
    log : ProofLog
        Where slices and places are kept.
    """

    def __init__(self, search: CoverSearch, key: bytes, log: ProofLog) -> None:
        self._search = search
        self._key = key
        self._log = log
        self._missed: list[tuple[bytes, Rows | tuple[int, int]]] = []
        self._has_moved = False
        self.is_exhausted = search.is_exhausted

    def add(self, rows: Rows) -> None:
        """Add rows: no cover that breaks one of them follows any more."""
        if self._missed:
            self._missed.append((self._key, rows))
        else:
            self._do(self._key, rows)
        self._key = digest_of(self._key, rows.weights, rows.needed)

    def advance(self, n_nodes: int, n_covers: int = 1) -> Slice:
        """Search on, as `CoverSearch.advance` does."""
        self._take_place()
        before, self._key = self._key, digest_of(self._key, n_nodes, n_covers)
        found = _slice(self._log.recall(self._key), len(self._search.fixed))
        if found is not None:
            self._missed.append((before, (n_nodes, n_covers)))
        else:
            for key, step in self._missed:
                self._do(key, step)
            self._missed.clear()
            found = self._do(before, (n_nodes, n_covers))
            self._log.keep(
                self._key, found.covers, np.array([found.n_nodes, found.is_exhausted], np.int64)
            )
        self.is_exhausted = found.is_exhausted
        return found

    def _take_place(self) -> None:
        place = None if self._has_moved else self._log.place(self._key)
        if place is not None:
            rows = [step for _, step in self._missed if isinstance(step, Rows)]
            if self._search.take_place(place, rows):
                self._missed.clear()
                self._has_moved = True

    def _do(self, key: bytes, step: Rows | tuple[int, int]) -> Slice:
        """Take a step in the search itself; `key` stands for where it stands before."""
        if isinstance(step, Rows):
            self._search.add(step)
            return Slice(np.empty((0, 0), np.bool_), 0, self._search.is_exhausted)
        if self._log.is_place_due and (place := self._search.place()) is not None:
            self._log.keep_place(key, *place)
        self._has_moved = True
        return self._search.advance(*step)


def _have(known: Arrays | None, *wanted: tuple[str, int]) -> bool:
    """Whether an answer consists of vectors of these kinds and lengths."""
    if known is None or len(known) != len(wanted):
        return False
    return all(
        (one.dtype.str, one.shape) == (kind, (length,))
        for one, (kind, length) in zip(known, wanted, strict=True)
    )


def _rows(known: Arrays | None, n_features: int) -> Rows | None:
    if known is None or [one.dtype.str for one in known] != ["<f8", "<f8"]:
        return None
    weights, needed = known
    if weights.shape != (needed.size, n_features) or not np.isfinite(needed).all():
        return None
    is_sound = (needed > 0).all() and ((weights >= 0) & (weights <= needed[:, np.newaxis])).all()
    return Rows(weights, needed) if is_sound else None


def _slice(known: Arrays | None, n_features: int) -> Slice | None:
    if known is None or [one.dtype.str for one in known] != ["|b1", "<i8"]:
        return None
    covers, numbers = known
    if covers.ndim != 2 or covers.shape[1] != n_features or numbers.shape != (2,):
        return None
    return Slice(covers, int(numbers[0]), bool(numbers[1]))
