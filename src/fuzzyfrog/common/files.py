"""Write files completely or not at all, note those that cannot be written, and lock files."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from fuzzyfrog.errors import UnwrittenError

TEMPORARY = ".fuzzyfrog-"  # prefix of the names of files that are being written


class Unwritten:
    """Collects errors about files that cannot be written, so that all others still are."""

    def __init__(self) -> None:
        self._reasons: dict[Path, str] = {}

    def __contains__(self, path: object) -> bool:
        return path in self._reasons

    @contextmanager
    def noted(self, path: Path) -> Iterator[None]:
        """Note a file if writing it, which happens inside, fails."""
        try:
            yield
        except OSError as error:
            self._reasons[path] = error.strerror or str(error)
        except Exception as error:  # the next file may be fine
            self._reasons[path] = f"{type(error).__name__}: {error}"

    def check(self) -> None:
        """Raise an `UnwrittenError` if a file was noted."""
        if self._reasons:
            raise UnwrittenError(
                tuple(
                    f"{path} could not be written ({' '.join(reason.split())})."
                    for path, reason in self._reasons.items()
                )
            )


def resolved(path: Path) -> Path:
    """Return the file that a path leads to; raise an OSError for a link to itself.

    `Path.resolve` raises a RuntimeError for such a link, and from Python 3.13 on returns it.
    """
    goal = os.path.realpath(path)
    if os.path.islink(goal):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return Path(goal)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a path to write to, which replaces the file if all goes well.

    The target of a link is replaced, not the link, whose name decides the format. The permissions
    of a file stay. An OSError names the file, never the temporary one.
    """
    goal = resolved(path)
    temporary = goal.with_name(f"{TEMPORARY}{token_hex(8)}{_ending(path)}")
    try:
        temporary.open("x").close()  # follows no link, and the umask applies
        before = stat.S_IMODE((goal if goal.exists() else temporary).stat().st_mode)
        temporary.chmod(before | stat.S_IWUSR)
        yield temporary
        temporary.chmod(before)
        temporary.replace(goal)
    except OSError as error:
        if error.filename is None or error.filename in {temporary, str(temporary)}:
            error.filename, error.filename2 = str(path), None  # a full disk has no name at all
        raise
    finally:
        with suppress(OSError):  # its folder may be gone
            temporary.unlink(missing_ok=True)


def _ending(path: Path) -> str:
    """Return the part of the name that decides the format."""
    zipped = path.suffix if path.suffix.lower() == ".gz" else ""
    return path.with_suffix("").suffix + zipped if zipped else path.suffix


try:
    import fcntl
except ImportError:  # not on Windows; there a checkpoint is not guarded
    fcntl = None  # type: ignore[assignment]


class LockedError(OSError):
    """Another process holds the lock; the message names it."""


class FileLock:
    """Holds a file that only one process can hold, from creation to :meth:`release`.

    The file contains the process id, so that the error of another process can name the holder, and
    is removed at the end. The lock of a killed process is free. The `filelock` library would do the
    locking, but names no holder and leaves its file behind, next to the user's results.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        while self._file is None:
            self._file = self._acquired()
        try:
            os.ftruncate(self._file, 0)
            os.write(self._file, str(os.getpid()).encode())
        except OSError:  # such as a full disk
            self.release()
            raise

    def release(self) -> None:
        """Remove the file, so that another process can take it."""
        if self._file is not None:
            file, self._file = self._file, None
            if os.name == "nt":  # there, an open file cannot be removed
                os.close(file)
                with suppress(OSError):  # another process may have it open
                    self._path.unlink(missing_ok=True)
            else:  # closed first, another process could take it before it is removed
                self._path.unlink(missing_ok=True)
                os.close(file)

    def _acquired(self) -> int | None:
        """Return the locked file; None if its holder has removed it in the meantime."""
        # A link planted here could lead to a valuable file, which would be emptied.
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if fcntl is None or os.path.samestat(os.fstat(file), os.stat(self._path)):
                return file
        except BlockingIOError:
            holder = os.read(file, 32).decode(errors="replace") or "unknown"
            os.close(file)
            raise LockedError(f"process {holder} holds it") from None
        except FileNotFoundError:
            pass
        os.close(file)
        return None
