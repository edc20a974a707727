"""The intermediate results of a proof, on disk, so that a killed proof resumes.

Scores are kept in the log of scores; the steps of a proof between them (rows of the oracle, bounds,
slices of branch and bound) are kept here. Each is a pure function of its input, so an answer is
stored under a digest of its question, and a lost one is simply computed again.
The file is

    magic | digest of the run | length, CRC, key, arrays | ...

and next to it is the newest place of the branch and bound, one such record, which is replaced
as a whole. A damaged or foreign file is ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.files import written_whole
from fuzzyfrog.common.messages import warn
from fuzzyfrog.search.checkpoint import FRAME, framed, write_all
from fuzzyfrog.search.covering.linear_program import Answer, Oracle, Rows, relaxed, smallest_cover
from fuzzyfrog.search.covering.search import CoverSearch, Slice
from fuzzyfrog.search.protocol import Floats, Integers, Masks

MAGIC = b"FFPROOF1"
KEY_BYTES = 16
START = len(MAGIC) + KEY_BYTES
KINDS = frozenset({"|b1", "|u1", "<i4", "<i8", "<u8", "<f8"})
PLACE_SECONDS = 0.25  # between two places, at least ...
WRITING_SHARE = 0.05  # ... and writing them takes at most this share of the time

Arrays: TypeAlias = Sequence[NDArray[Any]]


def proof_files(scores: Path) -> tuple[Path, Path]:
    """Return the two files next to a log of scores: answers, and the newest place."""
    return scores.with_name(f"{scores.name}.proof"), scores.with_name(f"{scores.name}.place")


def digest_of(*parts: bytes | NDArray[Any] | int) -> bytes:
    """Return the key of a question that consists of these parts."""
    digest = hashlib.blake2b(digest_size=KEY_BYTES)
    for part in parts:
        if isinstance(part, np.ndarray):
            part = str(part.shape).encode() + np.ascontiguousarray(part).tobytes()
        content = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.digest()


class ProofLog:
    """Answers of an earlier run by their key, and new ones for a later run.

    The files are opened on first use: a run without a proof has none. The lock of the scores
    protects them too.
    """

    def __init__(self, scores: Path, run: Mapping[str, Any]) -> None:
        self._path, self._place_path = proof_files(scores)
        self._run = digest_of(json.dumps(run, sort_keys=True, default=repr).encode())
        self._file: int | None = None
        self._is_open = False
        self._found: dict[bytes, tuple[int, int]] = {}  # where an answer starts, and its length
        self._place: tuple[bytes, Arrays] | None = None
        self._place_due = 0.0

    def recall(self, key: bytes) -> Arrays | None:
        """Return the answer to a question, None if it is not known."""
        self._open()
        if self._file is None or key not in self._found:
            return None
        start, length = self._found[key]
        # By its descriptor: the file may have lost its name since.
        with os.fdopen(os.dup(self._file), "rb") as content:
            content.seek(start)
            found = content.read(length)
        os.lseek(self._file, 0, os.SEEK_END)  # both descriptors share one position
        return _unpacked(found)

    def keep(self, key: bytes, *arrays: NDArray[Any]) -> None:
        """Keep the answer to a question; a full disk ends the log, not the run."""
        self._open()
        if self._file is not None:
            try:
                write_all(self._file, framed(key + _packed(arrays)))
            except OSError as error:
                self._give_up(error)

    def place(self, key: bytes) -> Arrays | None:
        """Return the state of the branch and bound at this point, None if it is not known."""
        self._open()
        return self._place[1] if self._place is not None and self._place[0] == key else None

    @property
    def is_place_due(self) -> bool:
        """Whether the newest place is old enough to be replaced."""
        return self._file is not None and time.monotonic() >= self._place_due

    def keep_place(self, key: bytes, *arrays: NDArray[Any]) -> None:
        """Save the state of the branch and bound, replacing the previous one."""
        if self._file is None:
            return
        begun = time.monotonic()
        try:
            with written_whole(self._place_path) as temporary:
                temporary.write_bytes(MAGIC + self._run + framed(key + _packed(arrays)))
        except OSError as error:
            self._give_up(error)
        now = time.monotonic()
        self._place_due = now + max(PLACE_SECONDS, (now - begun) / WRITING_SHARE)

    def close(self) -> None:
        """Close the file; nothing is recalled or kept after that."""
        self._is_open = True
        self._close_file()

    def _open(self) -> None:
        if self._is_open:
            return
        self._is_open = True
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        try:
            self._file = os.open(self._path, flags, 0o644)
            self._find_answers(self._file)
            self._find_place()
        except OSError as error:
            self._give_up(error)

    def _find_answers(self, file: int) -> None:
        with self._path.open("rb") as content:
            is_ours = self._is_of_run(content.read(START), self._path)
            end = START if is_ours else 0
            while is_ours and (body := _body(content)) is not None:
                start = end + FRAME.size + KEY_BYTES
                end += FRAME.size + len(body)
                self._found[body[:KEY_BYTES]] = start, end - start
        os.truncate(file, end)  # a torn end is what a kill leaves behind
        os.lseek(file, end, os.SEEK_SET)
        if not is_ours:
            write_all(file, MAGIC + self._run)

    def _find_place(self) -> None:
        if not self._place_path.exists():
            return
        with self._place_path.open("rb") as content:
            if not self._is_of_run(content.read(START), self._place_path):
                return
            body = _body(content)
        arrays = None if body is None else _unpacked(body[KEY_BYTES:])
        if body is None or arrays is None:
            _warn_ignored(self._place_path, "it is damaged; branch and bound starts over")
        else:
            self._place = body[:KEY_BYTES], arrays

    def _is_of_run(self, start: bytes, path: Path) -> bool:
        """Whether a file has answers for this run; an empty one is not worth a warning."""
        is_ours = start == MAGIC + self._run
        if start and not is_ours:
            _warn_ignored(path, "it is damaged or from another run; the proof starts over")
        return is_ours

    def _give_up(self, error: OSError) -> None:
        self._close_file()
        warn(
            f"{str(self._path)!r} cannot be written ({error.strerror or error}); the run "
            "continues, but if it is killed, its proof starts over",
            RuntimeWarning,
        )

    def _close_file(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            os.close(file)


def _warn_ignored(path: Path, reason: str) -> None:
    warn(f"{str(path)!r} is ignored: {reason}", RuntimeWarning)


def _body(content: BinaryIO) -> bytes | None:
    """Return the next record; None if there is no complete one."""
    frame = content.read(FRAME.size)
    if len(frame) < FRAME.size:
        return None
    length, crc = FRAME.unpack(frame)
    if length > os.fstat(content.fileno()).st_size:  # a damaged length must not reserve memory
        return None
    body = content.read(length)
    is_whole = len(body) == length > KEY_BYTES and zlib.crc32(body) == crc
    return body if is_whole else None


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

    def relaxed(
        self, rows: Rows, *, fixed: Masks, allowed: Masks, costs: Integers | None
    ) -> tuple[float, Floats]:
        """Return the result of `lp_bound.relaxed`."""
        if self._log is None:
            return relaxed(rows, fixed=fixed, allowed=allowed, costs=costs)
        key = digest_of(b"relaxed", rows.weights, rows.needed, fixed, allowed)
        known = self._log.recall(key)
        if _have(known, ("<f8", 1), ("<f8", len(fixed))):
            return float(known[0][0]), known[1]  # type: ignore[index]
        bound, shares = relaxed(rows, fixed=fixed, allowed=allowed, costs=costs)
        self._log.keep(key, np.array([bound], np.float64), shares)
        return bound, shares

    def smallest_cover(self, rows: Rows, *, fixed: Masks, allowed: Masks, n_nodes: int) -> Answer:
        """Return the result of `milp.smallest_cover`."""
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

    Meanwhile the search itself does not move. The steps it missed are noted, and either skipped
    by going to the newest place in the log, or taken once the log has no more.
    """

    def __init__(self, search: CoverSearch, key: bytes, log: ProofLog) -> None:
        self._search = search
        self._key = key
        self._log = log
        self._missed: list[tuple[bytes, Rows | tuple[int, int]]] = []
        self._has_moved = False
        self.is_exhausted = search.is_exhausted

    def add(self, rows: Rows) -> None:
        """Add rows: covers that break one of them no longer follow."""
        if self._missed:
            self._missed.append((self._key, rows))
        else:
            self._do(self._key, rows)
        self._key = digest_of(self._key, rows.weights, rows.needed)

    def advance(self, n_nodes: int, n_covers: int = 1) -> Slice:
        """Continue the search, as `CoverSearch.advance` does."""
        self._take_place()
        before, self._key = self._key, digest_of(self._key, n_nodes, n_covers)
        found = _slice(self._log.recall(self._key), len(self._search.fixed))
        if found is not None:
            self._missed.append((before, (n_nodes, n_covers)))
        else:
            if self._missed:
                for key, step in self._missed:
                    self._do(key, step)
                self._missed.clear()
                self._keep_place(before)  # a run that is killed now need not take these steps again
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
        """Take a step in the search itself; `key` stands for its state before."""
        if isinstance(step, Rows):
            self._search.add(step)
            return Slice(np.empty((0, 0), np.bool_), 0, self._search.is_exhausted)
        if self._log.is_place_due:
            self._keep_place(key)
        self._has_moved = True
        return self._search.advance(*step)

    def _keep_place(self, key: bytes) -> None:
        if (place := self._search.place()) is not None:
            self._log.keep_place(key, *place)


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
