"""The slices of branch and bound in the log of scores, so that a killed proof resumes.

A run that resumes asks the same questions in the same order, so the covers that a slice found are
kept in that order, among the scores. Next to the log is the newest place of the branch and bound
with its position in the log, a file that is replaced as a whole. Without it, or if it is damaged or
of another log, branch and bound takes its slices again. Rows and bounds are computed again, which
takes a moment.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from hashlib import blake2b
from math import inf, prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.files import written_whole
from fuzzyfrog.search.checkpoint import FINGERPRINT_BYTES, ScoreLog, body_at, foreign, framed
from fuzzyfrog.search.covering.search import CoverSearch, Slice
from fuzzyfrog.search.protocol import Rows

MAGIC = b"FFPLACE1"
KINDS = frozenset({"|b1", "|u1", "<i4", "<i8", "<u8", "<f8"})
PLACE_SECONDS = 0.25  # between two places, at least ...
WRITING_SHARE = 0.05  # ... and writing them takes at most this share of the time

Arrays: TypeAlias = Sequence[NDArray[Any]]


def place_file(scores: Path) -> Path:
    """Return the file next to a log of scores with the newest place of the branch and bound."""
    return scores.with_name(f"{scores.name}.place")


def _packed(arrays: Arrays) -> bytes:
    head = json.dumps([[array.dtype.str, array.shape] for array in arrays])
    return b"".join([head.encode(), b"\n", *(array.tobytes() for array in arrays)])


def _unpacked(content: bytes) -> Arrays | None:
    """Return the arrays of a record; None for bytes that this module does not write."""
    head, _, rest = content.partition(b"\n")
    arrays: list[NDArray[Any]] = []
    try:
        for kind, shape in json.loads(head):
            if kind not in KINDS or not all(type(n) is int and n >= 0 for n in shape):
                return None
            size = np.dtype(kind).itemsize * prod(shape)
            arrays.append(np.frombuffer(rest[:size], kind).reshape(shape).copy())
            rest = rest[size:]
    except (ValueError, TypeError, RecursionError):
        return None
    return None if rest else arrays


class RecordedSearch:
    """A search for covers whose slices come from the log as long as it has them.

    Meanwhile the search itself does not move. Once the log has no more, it goes to the newest
    place and takes the steps that are missing since.
    """

    def __init__(self, search: CoverSearch, log: ScoreLog) -> None:
        self._search = search
        self._log = log
        self._missed: list[Rows | tuple[int, int]] = []
        self._path = place_file(log.path)
        self._position, self._place = _read_place(self._path)
        self._n_before = 0  # steps before the place, if the log came past it
        self._place_due = 0.0
        self.is_exhausted = search.is_exhausted

    def add(self, rows: Rows) -> None:
        """Add rows: covers that break one of them no longer follow."""
        if self._missed:
            self._missed.append(rows)
        else:
            self._search.add(rows)

    def advance(self, n_nodes: int, n_covers: int = 1) -> Slice:
        """Continue the search, as `CoverSearch.advance` does."""
        if self._log.position == self._position:
            self._n_before = len(self._missed)
        asked = b"slice %d %d" % (n_nodes, n_covers)
        question = blake2b(asked, digest_size=FINGERPRINT_BYTES).digest()
        known = self._log.answer(question)
        if known is not None:
            found = _slice(_unpacked(known), len(self._search.fixed))
            self._missed.append((n_nodes, n_covers))
        else:
            self._catch_up()
            if time.monotonic() >= self._place_due:
                self._keep_place()
            found = self._search.advance(n_nodes, n_covers)
            numbers = np.array([found.n_nodes, found.is_exhausted], np.int64)
            self._log.append(question, _packed([found.covers, numbers]))
        self.is_exhausted = found.is_exhausted
        return found

    def _catch_up(self) -> None:
        """Take the steps that came from the log, from the place on if there is one."""
        steps, self._missed = self._missed, []
        before = [step for step in steps[: self._n_before] if isinstance(step, Rows)]
        if self._n_before:
            if not self._search.take_place(self._place, before):
                raise foreign()
            steps, self._n_before = steps[self._n_before :], 0
        for step in steps:
            if isinstance(step, Rows):
                self._search.add(step)
            else:
                self._search.advance(*step)

    def _keep_place(self) -> None:
        place = self._search.place()
        if place is None:
            return
        begun = time.monotonic()
        try:
            with written_whole(self._path) as temporary:
                temporary.write_bytes(MAGIC + framed(self._log.position + _packed(place)))
        except OSError:  # on a full disk, the log itself ends with a warning
            self._place_due = inf
        else:
            now = time.monotonic()
            self._place_due = now + max(PLACE_SECONDS, (now - begun) / WRITING_SHARE)


def _read_place(path: Path) -> tuple[bytes, Arrays]:
    """Return the newest place and its position in the log; no position if there is none."""
    try:
        content = path.read_bytes()
    except OSError:
        return b"", ()
    body = body_at(content, len(MAGIC)) if content.startswith(MAGIC) else None
    if body is None:
        return b"", ()
    return body[:FINGERPRINT_BYTES], _unpacked(body[FINGERPRINT_BYTES:]) or ()


def _slice(arrays: Arrays | None, n_features: int) -> Slice:
    if arrays is None or [one.dtype.str for one in arrays] != ["|b1", "<i8"]:
        raise foreign()
    covers, numbers = arrays
    if covers.ndim != 2 or covers.shape[1] != n_features or numbers.shape != (2,):
        raise foreign()
    return Slice(covers, int(numbers[0]), bool(numbers[1]))
