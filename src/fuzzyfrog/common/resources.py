"""The memory of this process: how much there is, and where to put arrays that do not fit.

Arrays that are too large for memory go to temporary files. Such a file has no name (Linux) or loses
it at once (other Unix systems), so that nothing is left behind, however the process ends.
"""

import math
import mmap
import os
import re
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.common.messages import Sentence, shown
from fuzzyfrog.errors import DataError, OutOfMemoryError

FOLDER_VARIABLE = "FUZZYFROG_SPILL"
LIMIT_VARIABLE = "FUZZYFROG_SPILL_ABOVE"
SHARE = 4  # an array gets 1 / SHARE: values, positions and their 16-bit forms must all fit
ASSUMED = 8 * 10**9  # available bytes if the system does not say
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([kmgt]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_ROOT = Path("/")
# The files of a control group, by its version: limit, use, and what can be freed.
_NAMES = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)

BLOCK_CELLS = 2**21  # finalized at once: about 16 MB
# What Python and Arrow say where there is no memory for the stack of a thread.
NO_THREAD = "start new thread", "launch worker thread"
SMALL_BYTES = 2**23  # smaller arrays are held in memory without checking how much is free


def empty(shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Return an array to be filled: in memory, or on disk if it is too large for that."""
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    if _is_small(n_bytes) or n_bytes <= most_in_memory():
        return np.empty(shape, dtype)
    with _explained(n_bytes), tempfile.TemporaryFile(dir=spill_folder()) as file:
        _reserve(file, n_bytes)
        return _mapped(file, shape, dtype, mmap.ACCESS_WRITE)


def _is_small(n_bytes: int) -> bool:
    return n_bytes <= SMALL_BYTES and LIMIT_VARIABLE not in os.environ


def is_on_disk(array: NDArray[Any]) -> bool:
    """Whether an array is a view of a file."""
    base: object = array
    while isinstance(base, np.ndarray | memoryview):
        base = base.obj if isinstance(base, memoryview) else base.base
    return isinstance(base, mmap.mmap)


def spill_folder() -> Path:
    """Return the folder for temporary files: FUZZYFROG_SPILL, else TMPDIR, else /var/tmp.

    /tmp is often held in memory itself. Without /var/tmp it is Python's choice.
    """
    given = os.environ.get(FOLDER_VARIABLE) or os.environ.get("TMPDIR")
    if given:
        return Path(given).expanduser()
    large = Path("/var/tmp")  # noqa: S108 - our files are nameless there
    return large if os.access(large, os.W_OK) else Path(tempfile.gettempdir())


class GrowingTable:
    """Builds a table from blocks of rows, on disk if it is too large for memory."""

    def __init__(self, n_columns: int, n_expected: int = 0) -> None:
        self.n_rows = 0
        self._n_columns = n_columns
        self._limit: int | None = None
        # Room that is there at once is neither filled with zeros nor moved. A file may lie.
        n_expected = max(0, n_expected)
        has_room = 8 * n_expected * n_columns <= (most_in_memory() if n_expected else 0)
        self._rows = np.empty((n_expected if has_room else 0, n_columns))
        self._file: IO[bytes] | None = None

    @property
    def _n_bytes(self) -> int:
        return 8 * self.n_rows * self._n_columns

    def _fits(self) -> bool:
        if self._limit is None and not _is_small(self._n_bytes):
            self._limit = most_in_memory()  # read once: the available memory shrinks as rows arrive
        return self._limit is None or self._n_bytes <= self._limit

    def next_rows(self, n_rows: int) -> Floats:
        """Return where the next rows may be written; `append` then need not copy them."""
        found = self._rows[self.n_rows : self.n_rows + n_rows]
        return found if len(found) == n_rows else np.empty((n_rows, self._n_columns))

    def append(self, block: Floats) -> None:
        """Add rows."""
        first, self.n_rows = self.n_rows, self.n_rows + len(block)
        if self._fits():
            if self.n_rows > len(self._rows):
                self._resize(self.n_rows + self.n_rows // 8)
            if block.base is not self._rows:
                self._rows[first : self.n_rows] = block
            return
        with _explained(self._n_bytes):
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=spill_folder())  # noqa: SIM115
                weakref.finalize(self, self._file.close)
                self._file.write(self._rows[:first].data)
                block = block.copy()  # it may be a part of what goes
                self._resize(0)
            self._file.write(np.ascontiguousarray(block).data)

    def finish(self, finalize: Callable[[Floats], None]) -> Floats:
        """Return the whole table, after `finalize` has changed each block of rows in place.

        A table in memory is in C order. One on disk is read-only and stored feature by feature:
        most readers look at one feature at a time, and would otherwise read the whole file.
        """
        n_at_once = max(1, BLOCK_CELLS // self._n_columns)
        if self._file is None:
            self._resize(self.n_rows)
            for first in range(0, self.n_rows, n_at_once):
                finalize(self._rows[first : first + n_at_once])
            return self._rows
        with _explained(2 * self._n_bytes), tempfile.TemporaryFile(dir=spill_folder()) as turned:
            _reserve(turned, self._n_bytes)
            for first, block in self._stored(self._file, n_at_once):
                finalize(block)
                self._write_columns(turned, first, block)
            self._file.close()
            shape = (self._n_columns, self.n_rows)
            turned.flush()
            return _mapped(turned, shape, np.float64, mmap.ACCESS_READ).T

    def _resize(self, n_rows: int) -> None:
        # In place: pages of memory are moved, not copied, and the table is never held twice.
        self._rows.resize((n_rows, self._n_columns), refcheck=False)

    def _stored(self, file: IO[bytes], n_at_once: int) -> Iterator[tuple[int, Floats]]:
        file.seek(0)
        for first in range(0, self.n_rows, n_at_once):
            block = np.empty((min(n_at_once, self.n_rows - first), self._n_columns))
            file.readinto(block.data.cast("B"))  # type: ignore[attr-defined]
            yield first, block

    def _write_columns(self, file: IO[bytes], first: int, block: Floats) -> None:
        # Written, not mapped: what is written this way does not count as our memory.
        for position, column in enumerate(np.ascontiguousarray(block.T)):
            file.seek(8 * (position * self.n_rows + first))
            file.write(column.data)


@contextmanager
def _explained(n_bytes: int) -> Iterator[None]:
    """Explain the failure of a temporary file."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"the folder for temporary files must have room for {n_bytes / 1e9:,.3g} GB or more, "
            f"got {str(spill_folder())!r} ({error.strerror or error}). Free some space, or "
            f"name another folder in the environment variable {FOLDER_VARIABLE}."
        ) from None


def _reserve(file: IO[bytes], n_bytes: int) -> None:
    """Reserve the space on disk now: a full disk found later would crash the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, n_bytes)
        return
    for first in range(0, n_bytes, 2**20):
        file.write(bytes(min(2**20, n_bytes - first)))
    file.flush()


def _mapped(file: IO[bytes], shape: tuple[int, ...], dtype: DTypeLike, access: int) -> NDArray[Any]:
    # No numpy.memmap: joblib sends one to its workers by the name of its file, and there is none.
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    return np.frombuffer(mmap.mmap(file.fileno(), n_bytes, access=access), dtype).reshape(shape)


def most_in_memory() -> int:
    """Return the number of bytes up to which an array is held in memory.

    A quarter of the available memory, or the environment variable FUZZYFROG_SPILL_ABOVE.
    """
    given = os.environ.get(LIMIT_VARIABLE)
    return _bytes(given) if given else available_memory() // SHARE


def _bytes(text: str) -> int:
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise DataError(
            f"{LIMIT_VARIABLE} must be a size such as '500MB' or '2 GB', got {shown(text)}. "
            "Correct the environment variable, or unset it."
        )
    return int(float(found[1]) * _UNITS[found[2].lower()])


def available_memory(root: Path = _ROOT) -> int:
    """Return the bytes that this process can still use, within the limits of its control groups."""
    rooms = [*_room_on_machine(root), *_room_in_groups(root)]
    return max(0, min(rooms, default=ASSUMED))


def _room_on_machine(root: Path) -> Iterator[int]:
    found = re.search(r"^MemAvailable:\s*(\d+) kB$", _text(root / "proc/meminfo"), re.MULTILINE)
    if found:
        yield 1024 * int(found[1])
    elif "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _room_in_groups(root: Path) -> Iterator[int]:
    """Yield the bytes that each control group of this process leaves free."""
    for group in control_groups(root, "memory"):
        for limit, usage, idle in _NAMES:
            allowed, used = _text(group / limit).strip(), _text(group / usage).strip()
            if allowed.isdigit() and used.isdigit():
                # Pages of files that are no longer read count as used, but are freed when needed.
                found = re.search(rf"^{idle} (\d+)$", _text(group / "memory.stat"), re.MULTILINE)
                yield int(allowed) - int(used) + (int(found[1]) if found else 0)


def _text(path: Path) -> str:
    """Return the content of a system file, or nothing if it does not exist."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def control_groups(root: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of the groups that limit the "cpu" or "memory" of this process.

    The groups around them are included; ``proc`` and ``sys`` are looked up in `root`.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        # Version 1 has one tree for each controller, version 2 one for all of them.
        if controllers and controller not in controllers.split(","):
            continue
        steps = [step for step in path.split("/") if step]
        steps = [controller, *steps] if controllers else steps
        # A group gets no more than the groups around it; those of the host are not visible.
        for depth in range(1 if controllers else 0, len(steps) + 1):
            yield root.joinpath("sys/fs/cgroup", *steps[:depth])


@contextmanager
def in_memory(what: str, way_out: str) -> Iterator[None]:
    """Turn a MemoryError inside into one that says what did not fit, unless it already does."""
    try:
        yield
    except OutOfMemoryError:
        raise
    except Exception as error:
        is_lack = isinstance(error, MemoryError) or any(one in str(error) for one in NO_THREAD)
        if not is_lack:
            raise
        reason = " ".join(str(error).split())
        why = f" ({reason[0].lower()}{reason[1:].rstrip('.')})" if reason else ""
        sentence = Sentence(f"memory must have room for {what}, got too little{why}. ", way_out)
        raise OutOfMemoryError(sentence) from error
