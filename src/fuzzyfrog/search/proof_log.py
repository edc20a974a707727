"""The steps of a proof in the log of scores, so that a killed proof resumes.

A run that resumes asks the same questions in the same order, so the answers (rows of the oracle,
bounds, slices of branch and bound) are kept in that order, among the scores. Next to the log is the
newest place of the branch and bound with its position in the log, a file that is replaced as a
whole. Without it, or if it is damaged or of another log, branch and bound takes its slices again.
"""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections.abc import Callable, Sequence
from math import inf, prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.files import written_whole
from fuzzyfrog.search.checkpoint import FINGERPRINT_BYTES, FRAME, ScoreLog, foreign, framed
from fuzzyfrog.search.covering.linear_program import Answer, relaxed, smallest_cover
from fuzzyfrog.search.covering.search import CoverSearch, Slice
from fuzzyfrog.search.protocol import Oracle, Rows

MAGIC = b"FFPLACE1"
KINDS = frozenset({"|b1", "|u1", "<i4", "<i8", "<u8", "<f8"})
PLACE_SECONDS = 0.25  # between two places, at least ...
WRITING_SHARE = 0.05  # ... and writing them takes at most this share of the time

Arrays: TypeAlias = Sequence[NDArray[Any]]


def place_file(scores: Path) -> Path:
    """Return the file next to a log of scores with the newest place of the branch and bound."""
    return scores.with_name(f"{scores.name}.place")


def digest_of(*parts: bytes | NDArray[Any] | int) -> bytes:
    """Return the fingerprint of a question that consists of these parts."""
    digest = hashlib.blake2b(digest_size=FINGERPRINT_BYTES)
    for part in parts:
        if isinstance(part, np.ndarray):
            part = str(part.shape).encode() + np.ascontiguousarray(part).tobytes()
        content = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.digest()


def _recorded(
    log: ScoreLog | None,
    question: Callable[[], bytes],
    compute: Callable[[], Arrays],
    is_sound: Callable[[Arrays], bool],
) -> Arrays:
    """Return an answer from the log, or compute it and keep it there."""
    if log is None:
        return compute()
    fingerprint = question()
    known = log.answer(fingerprint)
    if known is None:
        arrays = compute()
        log.append(fingerprint, _packed(arrays))
        return arrays
    recalled = _unpacked(known)
    if recalled is None or not is_sound(recalled):
        raise foreign()
    return recalled


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


class RecordedSteps:
    """Rows of requirements, bounds and integer programs, each computed once."""

    def __init__(self, oracle: Oracle, log: ScoreLog | None) -> None:
        self._oracle = oracle
        self._log = log

    def broken(self, subset: Masks) -> Rows:
        """Return rows that a subset breaks."""

        def asked() -> Arrays:
            rows = self._oracle(subset)
            return rows.weights, rows.needed

        return Rows(
            *_recorded(
                self._log,
                lambda: digest_of(b"rows", np.packbits(subset)),
                asked,
                lambda arrays: _are_rows(arrays, len(subset)),
            )
        )

    def relaxed(
        self, rows: Rows, *, fixed: Masks, allowed: Masks, costs: Integers | None
    ) -> tuple[float, Floats]:
        """Return the result of `linear_program.relaxed`."""
        priced = () if costs is None else (costs,)

        def solved() -> Arrays:
            bound, shares = relaxed(rows, fixed=fixed, allowed=allowed, costs=costs)
            return np.array([bound], np.float64), shares

        (bound,), shares = _recorded(
            self._log,
            lambda: digest_of(b"relaxed", rows.weights, rows.needed, fixed, allowed, *priced),
            solved,
            lambda arrays: _have(arrays, ("<f8", 1), ("<f8", len(fixed))),
        )
        return float(bound), shares

    def smallest_cover(self, rows: Rows, *, fixed: Masks, allowed: Masks, n_nodes: int) -> Answer:
        """Return the result of `linear_program.smallest_cover`."""

        def solved() -> Arrays:
            answer = smallest_cover(rows, fixed=fixed, allowed=allowed, n_nodes=n_nodes)
            cover = np.zeros(len(fixed), np.bool_) if answer.cover is None else answer.cover
            return np.array([answer.lower_bound, answer.cover is not None]), cover

        (bound, has_cover), cover = _recorded(
            self._log,
            lambda: digest_of(b"program", rows.weights, rows.needed, fixed, allowed, n_nodes),
            solved,
            lambda arrays: _have(arrays, ("<i8", 2), ("|b1", len(fixed))),
        )
        return Answer(cover if has_cover else None, int(bound))

    def covers(
        self, rows: Rows, size: int, *, fixed: Masks, allowed: Masks
    ) -> CoverSearch | RecordedSearch:
        """Return a search for all covers of one size."""
        search = CoverSearch(rows, size, fixed=fixed, allowed=allowed)
        return search if self._log is None else RecordedSearch(search, self._log)


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
        question = digest_of(b"slice", n_nodes, n_covers)
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
    start = len(MAGIC) + FRAME.size
    body = content[start:]
    if content[:start] != MAGIC + FRAME.pack(len(body), zlib.crc32(body)):
        return b"", ()
    return body[:FINGERPRINT_BYTES], _unpacked(body[FINGERPRINT_BYTES:]) or ()


def _have(arrays: Arrays, *wanted: tuple[str, int]) -> bool:
    """Whether an answer consists of vectors of these kinds and lengths."""
    return [(one.dtype.str, one.shape) for one in arrays] == [
        (kind, (length,)) for kind, length in wanted
    ]


def _are_rows(arrays: Arrays, n_features: int) -> bool:
    if [one.dtype.str for one in arrays] != ["<f8", "<f8"]:
        return False
    weights, needed = arrays
    if weights.shape != (needed.size, n_features) or not np.isfinite(needed).all():
        return False
    is_within = (weights >= 0) & (weights <= needed[:, np.newaxis])
    return bool((needed > 0).all() and is_within.all())


def _slice(arrays: Arrays | None, n_features: int) -> Slice:
    if arrays is None or [one.dtype.str for one in arrays] != ["|b1", "<i8"]:
        raise foreign()
    covers, numbers = arrays
    if covers.ndim != 2 or covers.shape[1] != n_features or numbers.shape != (2,):
        raise foreign()
    return Slice(covers, int(numbers[0]), bool(numbers[1]))
