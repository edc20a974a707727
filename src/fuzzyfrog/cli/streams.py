"""Standard streams that may be closed, or lose their reader, without ending a run."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["is_closed_terminal", "secure_streams", "silence"]

STDIN, STDOUT, STDERR = 0, 1, 2


def secure_streams() -> None:
    """See to it that all three streams are there, and that nothing written to stderr can fail.

    Where one of them is closed, the next file that is opened would get its number: the scores of
    a run, for one, and every message would be written into them.
    """
    for number in (STDIN, STDOUT, STDERR):
        _occupy(number)
    if sys.stdin is None:
        sys.stdin = os.fdopen(STDIN, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(STDOUT, "w", encoding="utf-8", closefd=False)
    if sys.stderr is sys.__stderr__:  # else somebody who calls us has put another there
        sys.stderr = _steady_stderr()


def silence(stream: TextIO) -> None:
    """Have all that is still held back, and all that follows, go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def is_closed_terminal(stream: TextIO, error: OSError) -> bool:
    """Whether writing to a stream failed because its terminal was closed."""
    return error.errno == errno.EIO and stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)


class _SteadyFile(io.FileIO):
    """A file that takes everything; what cannot be written is lost."""

    def write(self, data: ReadableBuffer) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _steady_stderr() -> TextIO:
    encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
    file = _SteadyFile(STDERR, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(file), encoding, errors="backslashreplace", line_buffering=True
    )
