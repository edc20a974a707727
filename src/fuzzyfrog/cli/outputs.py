"""Files to write: refused before the work if they cannot be, and never seen half written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from fuzzyfrog.cli.failures import UsageError

__all__ = ["check_outputs", "written_whole"]


def check_outputs(outputs: Mapping[str, Path | None], table: str | None = None) -> None:
    """Refuse paths that cannot be written, that are the table itself, or that are the same.

    Parameters
    ----------
    outputs : dict
        The path given with each option, if one was.
    table : str, optional
        The file that is read.
    """
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        _check_path(option, path)
        if table is not None and _is_same(path, Path(table)):
            raise UsageError(
                f"{option} must not be the file that is read, got {str(path)!r}. "
                "Give another name: what was read is never written over."
            )
        if (other := seen.setdefault(path.resolve(), option)) != option:
            raise UsageError(
                f"{option} must be another file than {other}, got {str(path)!r} for both."
            )


def _check_path(option: str, path: Path) -> None:
    if path.is_dir():
        raise UsageError(
            f"{option} must be a file, got the folder {str(path)!r}. Add the name of a file."
        )
    if path.exists() and not path.is_file():
        raise UsageError(
            f"{option} must be a regular file, got {str(path)!r}, which is a pipe or device."
        )
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UsageError(
            f"{option} must be in a folder that exists, got {str(path)!r}. Make the folder first."
        )
    reason = _why_not_writable(path)
    if reason is not None:
        raise UsageError(
            f"{option} must be a file that can be written, got {str(path)!r} ({reason}). "
            "Check the permissions, or give another path."
        )


def _why_not_writable(path: Path) -> str | None:
    if path.exists() and not os.access(path, os.W_OK):
        return "the file is read-only"
    try:
        # Trying is the only test that also knows of read-only disks.
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _is_same(path: Path, table: Path) -> bool:
    try:
        return path.samefile(table)
    except OSError:
        return False


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a path to write to, which takes the place of the file if all goes well.

    A link stays one: what it points to is replaced.
    """
    goal = path.resolve()
    temporary = goal.with_name(f".{os.getpid()}-{goal.name}")  # keeps the suffix
    try:
        yield temporary
        temporary.replace(goal)
    finally:
        temporary.unlink(missing_ok=True)
