"""Arrays that are too large for memory -> temporary files, seen as arrays.

A temporary file has no name (Linux) or loses it at once (other Unix systems), so that nothing is
left behind, however the process ends.
"""

from __future__ import annotations

import math
import mmap
import os
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fuzzyfrog.common.resources import LIMIT_VARIABLE, most_in_memory
from fuzzyfrog.errors import DataError

FOLDER_VARIABLE = "FUZZYFROG_SPILL"
BLOCK_CELLS = 2**21  # brought into their final form at once: about 16 MB
SMALL_BYTES = 2**23  # up to here an array is held in memory without asking how much there is

FloatArray: TypeAlias = NDArray[np.float64]


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
    """Makes one table of blocks of rows, on disk if it is too large for memory."""

    def __init__(self, n_columns: int) -> None:
        self.n_rows = 0
        self._n_columns = n_columns
        self._limit: int | None = None
        self._rows = np.empty((0, n_columns))
        self._file: IO[bytes] | None = None

    @property
    def _n_bytes(self) -> int:
        return 8 * self.n_rows * self._n_columns

    def _fits(self) -> bool:
        if self._limit is None and not _is_small(self._n_bytes):
            self._limit = most_in_memory()  # asked once: what is available shrinks as rows come
        return self._limit is None or self._n_bytes <= self._limit

    def append(self, block: FloatArray) -> None:
        """Add rows."""
        first, self.n_rows = self.n_rows, self.n_rows + len(block)
        if self._fits():
            if self.n_rows > len(self._rows):
                self._resize(self.n_rows + self.n_rows // 8)
            self._rows[first : self.n_rows] = block
            return
        with _explained(self._n_bytes):
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=spill_folder())  # noqa: SIM115
                weakref.finalize(self, self._file.close)
                self._file.write(self._rows[:first].data)
                self._resize(0)
            self._file.write(np.ascontiguousarray(block).data)

    def finish(self, finalize: Callable[[FloatArray], None]) -> FloatArray:
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

    def _stored(self, file: IO[bytes], n_at_once: int) -> Iterator[tuple[int, FloatArray]]:
        file.seek(0)
        for first in range(0, self.n_rows, n_at_once):
            block = np.empty((min(n_at_once, self.n_rows - first), self._n_columns))
            file.readinto(block.data.cast("B"))  # type: ignore[attr-defined]
            yield first, block

    def _write_columns(self, file: IO[bytes], first: int, block: FloatArray) -> None:
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
    """Take the space on disk now: a full disk found later would end the process."""
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
