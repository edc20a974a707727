"""The log of scores on disk, from which a killed run resumes bit for bit.

A run is a pure function of its parameters and of the scores it received, so only these have to be
saved, in the order in which they came, and the covers that each slice of a proof found. The file is

    magic | length, CRC | header (JSON) | length, CRC, fingerprint of the question, answer | ...

with one record for each group of subsets that was scored, and for each slice of a proof. At worst
a crash leaves a torn last record, which is cut off; a record with a wrong CRC ends the log as well.

Next to the log is the newest place of the branch and bound with its position in the log, a file
that is replaced as a whole. Without it, or if it is damaged or of another log, branch and bound
takes its slices again. Rows and bounds are computed again, which takes a moment.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import time
import zlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from math import inf, prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.common.files import FileLock, LockedError, written_whole
from fuzzyfrog.common.messages import warn
from fuzzyfrog.errors import CheckpointError
from fuzzyfrog.search.covering.search import CoverSearch, Slice
from fuzzyfrog.search.protocol import Problem, Rows, Search

MAGIC = b"FFSCORE1"
FORMAT = 1
FRAME = struct.Struct("<II")  # length and CRC of the body that follows
FINGERPRINT_BYTES = 8
FSYNC_SECONDS = 1.0
PLACE_MAGIC = b"FFPLACE1"
PLACE_KINDS = frozenset({"|b1", "|u1", "<i4", "<i8", "<u8", "<f8"})
PLACE_SECONDS = 0.25  # between two places, at least ...
WRITING_SHARE = 0.05  # ... and writing them takes at most this share of the time
MAX_CHARACTERS, MAX_DIFFERENCES = 80, 10  # of a sentence about another run

Record = tuple[bytes, bytes]  # the fingerprint of a question, and the answer
Arrays: TypeAlias = Sequence[NDArray[Any]]


@dataclass(frozen=True)
class Checkpoint:
    """Where the scores of a run are kept.

    Parameters
    ----------
    path : path-like
        The file; if it exists, the run resumes from it.
    data : str
        Fingerprint of the data and of everything else that a score depends on.

    Examples
    --------
    >>> from fuzzyfrog.search import Checkpoint
    >>> Checkpoint("wine.scores", data="sha256:...").data
    'sha256:...'
    """

    path: str | os.PathLike[str]
    data: str = ""

    def check_path(self) -> None:
        """Raise for a path that can never be a log: a typo must not cost a run its checkpoint."""
        path = Path(self.path)
        if not path.name or "\0" in str(path):
            raise CheckpointError(
                f"checkpoint must be the path of a file, got {str(path)!r}. Give the file a name."
            )
        if not path.parent.is_dir():
            raise CheckpointError(
                f"checkpoint must be in a directory that exists, got {str(path)!r}. "
                f"Create {str(path.parent)!r} first, or correct the path."
            )
        # Reading a pipe would wait forever, and a device has no end.
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            raise CheckpointError(
                f"checkpoint must be a regular file, got {str(path)!r}, which is not. "
                "Choose another file."
            )

    def open(self, header: Mapping[str, Any]) -> ScoreLog | None:
        """Open the log for a run; None, with a warning, where nothing can be written."""
        path = Path(self.path)
        try:
            return ScoreLog(path, {**header, "data": self.data})
        except LockedError as error:
            raise CheckpointError(
                f"checkpoint {str(path)!r} must belong to one process, got a second one: "
                f"{error}. Wait for it, or choose another file."
            ) from None
        except OSError as error:
            _warn(path, error)
            return None


def run_header(search: Search, problem: Problem, seed: int) -> dict[str, Any]:
    """Return the settings that must be the same when a run is resumed."""
    # The oracle and the sample follow from the data, whose fingerprint is compared.
    others = {"oracle", "log", "on_sample"}
    settings = {name: value for name, value in vars(problem).items() if name not in others}
    parameters = {"name": type(search).__name__, **search.get_params()}
    return {
        "format": FORMAT,
        "library": version("fuzzyfrog"),
        "seed": seed,
        **{f"search.{name}": value for name, value in parameters.items()},
        **{f"problem.{name}": _plain(value) for name, value in settings.items()},
    }


class ScoreLog:
    """An open log: existing records are replayed first, then new ones are appended."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        self._lock = FileLock(path.with_name(path.name + ".lock"))
        self._file: int | None = None
        self._synced = time.monotonic()
        self._chain = hashlib.blake2b(digest_size=FINGERPRINT_BYTES)
        wanted = json.loads(json.dumps(header, default=repr))
        try:
            if not path.exists():
                _create(path, wanted)
            self._old = deque(self._opened(wanted))
        except BaseException:
            self.close()
            raise

    def next_record(self) -> Record | None:
        """Return the next record of the earlier run; None after the last one."""
        if not self._old:
            return None
        record = self._old.popleft()
        self._chain.update(b"".join(record))
        return record

    def answer(self, fingerprint: bytes) -> bytes | None:
        """Return the answer to a question, which must be the next one; None after the last one."""
        record = self.next_record()
        if record is None:
            return None
        if record[0] != fingerprint:
            raise foreign()
        return record[1]

    @property
    def position(self) -> bytes:
        """The digest of the run and of all records so far, replayed or new."""
        return self._chain.digest()

    def append(self, fingerprint: bytes, answer: bytes) -> None:
        """Keep an answer; a full disk ends the log, not the run."""
        body = fingerprint + answer
        self._chain.update(body)
        if self._file is None:
            return
        try:
            write_all(self._file, framed(body))
            if time.monotonic() - self._synced > FSYNC_SECONDS:
                os.fsync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            self._close_file()
            _warn(self.path, error)

    def close(self) -> None:
        """Close the file and release its lock."""
        self._close_file()
        self._lock.release()

    def _opened(self, wanted: Mapping[str, Any]) -> list[Record]:
        self._file = os.open(self.path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        content = self.path.read_bytes()
        header, start = _read_header(content, self.path)
        _compare(header, wanted, self.path)
        self._chain.update(content[:start])
        records, end = _read_records(content, start)
        os.ftruncate(self._file, end)
        os.lseek(self._file, end, os.SEEK_SET)
        return records

    def _close_file(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            os.close(file)


def _create(path: Path, header: Mapping[str, Any]) -> None:
    """Write a log without records, completely or not at all."""
    body = json.dumps(header, sort_keys=True).encode()
    with written_whole(path) as temporary, temporary.open("wb") as file:
        file.write(MAGIC + framed(body))
        file.flush()
        os.fsync(file.fileno())


def framed(body: bytes) -> bytes:
    """Return a record: the length and the CRC of a body, and the body."""
    return FRAME.pack(len(body), zlib.crc32(body)) + body


def body_at(content: bytes, start: int) -> bytes | None:
    """Return the body of the record at a place; None if it is torn or damaged."""
    if len(content) - start < FRAME.size:
        return None
    length, crc = FRAME.unpack_from(content, start)
    body = content[start + FRAME.size : start + FRAME.size + length]
    return body if len(body) == length and zlib.crc32(body) == crc else None


def write_all(file: int, content: bytes) -> None:
    """Write everything: one call of the system may write only a part."""
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]


def _read_header(content: bytes, path: Path) -> tuple[dict[str, Any], int]:
    body = body_at(content, len(MAGIC)) if content.startswith(MAGIC) else None
    if body is not None and isinstance(header := _parsed(body), dict):
        return header, len(MAGIC) + FRAME.size + len(body)
    raise CheckpointError(
        f"checkpoint {str(path)!r} must be a complete log of scores, got a damaged or foreign "
        "file. Delete it to start over, or choose another file."
    )


def _parsed(body: bytes) -> object:
    """Return the value of some JSON, None if it is not valid: the CRC alone proves little."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _read_records(content: bytes, start: int) -> tuple[list[Record], int]:
    """Return the complete records, and where the last of them ends."""
    records: list[Record] = []
    while (body := body_at(content, start)) is not None and len(body) >= FINGERPRINT_BYTES:
        records.append((body[:FINGERPRINT_BYTES], body[FINGERPRINT_BYTES:]))
        start += FRAME.size + len(body)
    return records, start


def scores_in(answer: bytes) -> Floats:
    """Return the scores of a record; raise for bytes that no run writes."""
    if len(answer) % 8:
        raise foreign()
    scores = np.frombuffer(answer, dtype="<f8").astype(np.float64)
    if (scores == np.inf).any():
        raise foreign()
    return scores


def foreign() -> CheckpointError:
    """Return the error about a log with other answers than those that a run asks for."""
    return CheckpointError(
        "checkpoint must hold scores of the subsets that this run proposes, "
        "got others. Another version of the code wrote it; delete it to start over."
    )


def _compare(there: Mapping[str, Any], here: Mapping[str, Any], path: Path) -> None:
    names = sorted(name for name in there.keys() | here.keys() if there.get(name) != here.get(name))
    if names:
        listed = "; ".join(
            f"{_shown(one)} is {_shown(repr(there.get(one)))} there, "
            f"{_shown(repr(here.get(one)))} here"
            for one in names[:MAX_DIFFERENCES]
        )
        raise CheckpointError(
            f"checkpoint {str(path)!r} must come from the same run, got another one: {listed}. "
            "Delete it to start over, or choose another file."
        )


def _shown(text: str) -> str:
    """Return text from a file in printable form, cut if it is long."""
    plain = text if text.isprintable() else repr(text)
    return plain if len(plain) <= MAX_CHARACTERS else f"{plain[:MAX_CHARACTERS]}..."


def _plain(value: Any) -> Any:
    """Return a mask as the list of its features, and numbers as a list; JSON has no arrays."""
    if not isinstance(value, np.ndarray):
        return value
    return (np.flatnonzero(value) if value.dtype == np.bool_ else value).tolist()


def _warn(path: Path, error: OSError) -> None:
    warn(
        f"checkpoint {str(path)!r} cannot be written ({error.strerror or error}); "
        "the run continues without it",
        RuntimeWarning,
    )


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
            if kind not in PLACE_KINDS or not all(type(n) is int and n >= 0 for n in shape):
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
                temporary.write_bytes(PLACE_MAGIC + framed(self._log.position + _packed(place)))
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
    body = body_at(content, len(PLACE_MAGIC)) if content.startswith(PLACE_MAGIC) else None
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
