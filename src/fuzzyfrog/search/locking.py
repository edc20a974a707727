"""A lock that vanishes with its process."""

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows; there a checkpoint is not guarded
    fcntl = None  # type: ignore[assignment]

__all__ = ["FileLock", "LockedError"]


class LockedError(OSError):
    """Another process holds the lock; the message names it."""


class FileLock:
    """Holds a file that only one process can hold, from creation to :meth:`release`.

    Parameters
    ----------
    path : Path
        The file; it holds the process id and is removed in the end.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        while self._file is None:
            self._file = self._acquired()
        os.ftruncate(self._file, 0)
        os.write(self._file, str(os.getpid()).encode())

    def release(self) -> None:
        """Let others have the file."""
        if self._file is not None:
            file, self._file = self._file, None
            self._path.unlink(missing_ok=True)
            os.close(file)

    def _acquired(self) -> int | None:
        """Give the locked file; None if its holder has removed it in the meantime."""
        # A link in its place could lead to a file of value, which would be emptied.
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file), os.stat(self._path)):
                return file
        except BlockingIOError:
            holder = os.read(file, 32).decode(errors="replace") or "unknown"
            os.close(file)
            raise LockedError(f"process {holder} holds it") from None
        except FileNotFoundError:
            pass
        os.close(file)
        return None
