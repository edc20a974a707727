"""Files to write: refused before the work if they cannot be written."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from fuzzyfrog.cli.failures import UsageError

__all__ = ["check_outputs"]


def check_outputs(outputs: Mapping[str, Path | None], source: os.stat_result | None = None) -> None:
    """Refuse paths that cannot be written, that are the table itself, or that are the same.

    Parameters
    ----------
    outputs : dict
        The path given with each option, if one was.
    source : os.stat_result, optional
        The file that is read.
    """
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        goal = _resolved(option, path)
        _check_path(option, path, goal)
        if source is not None and _is_same(path, source):
            raise UsageError(
                f"{option} must not be the file that is read, got {str(path)!r}. "
                "Give another name: what was read is never written over."
            )
        if (other := seen.setdefault(goal, option)) != option:
            raise UsageError(
                f"{option} must be another file than {other}, got {str(path)!r} for both."
            )


def _resolved(option: str, path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a link to itself, a NUL
        raise UsageError(
            f"{option} must be a path that leads somewhere, got {str(path)!r} ({error})."
        ) from None


def _check_path(option: str, path: Path, goal: Path) -> None:
    _check_name(option, goal)
    if goal.is_dir():
        raise UsageError(
            f"{option} must be a file, got the folder {str(path)!r}. Add the name of a file."
        )
    if not goal.parent.is_dir():
        raise UsageError(
            f"{option} must be in a folder that exists, got {str(path)!r}. Make the folder first."
        )
    if goal.exists() and not goal.is_file():
        raise UsageError(
            f"{option} must be a regular file, got {str(path)!r}, which is a pipe or device."
        )
    reason = _why_not_writable(goal)
    if reason is not None:
        raise UsageError(
            f"{option} must be a file that can be written, got {str(path)!r} ({reason}). "
            "Check the permissions, or give another path."
        )


def _check_name(option: str, goal: Path) -> None:
    try:
        goal.lstat()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UsageError(
                f"{option} must have a name that the disk can take, got one of {len(goal.name)} "
                "characters. Give a shorter one."
            ) from None


def _why_not_writable(path: Path) -> str | None:
    if path.exists() and not os.access(path, os.W_OK):
        return "the file is read-only"
    try:
        # Trying is the only test that also knows of read-only disks.
        with tempfile.TemporaryFile(dir=path.parent):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _is_same(path: Path, source: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), source)
    except OSError:
        return False
