"""What has been computed: one JSON object a line, appended whole or not at all.

A line is ``{"key": {...}, "value": {...}, "seconds": ..., "when": ..., "versions": {...}}``, or has
an ``"error"``, the reason, in place of the value. A key says all that its value depends on, so that
a cell is looked up by content: selectors that found the same features share their accuracies.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from fuzzyfrog.search.locking import FileLock, LockedError

__all__ = ["Cells", "StoreError", "canonical", "read_cells"]

SYNC_SECONDS = 1.0


class StoreError(RuntimeError):
    """The file of cells cannot be used; the message says why and the way out."""


class Cells:
    """The cells of an experiment, in memory and on disk; one process at a time.

    Parameters
    ----------
    path : Path
        The file; a line that a killed run left unfinished is cut off.
    versions : mapping of str to str
        Written with every cell.
    """

    def __init__(self, path: Path, versions: Mapping[str, str]) -> None:
        self._path = path
        self._versions = dict(versions)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._lock = FileLock(path.with_name(f"{path.name}.lock"))
        except LockedError as error:
            raise StoreError(
                f"{path} must belong to one process, got a second one: {error}. "
                "Wait for it, or give another folder."
            ) from None
        self._known = {canonical(line["key"]): line for line in _whole_lines(path)}
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._synced = time.monotonic()

    def get(self, key: Mapping[str, Any]) -> dict[str, Any] | None:
        """Give the line of a cell; None if it has not been computed."""
        return self._known.get(canonical(key))

    def add(
        self,
        key: Mapping[str, Any],
        *,
        value: Mapping[str, Any] | None = None,
        error: str | None = None,
        seconds: float,
    ) -> dict[str, Any]:
        """Keep the value of a cell, or the reason why it has none."""
        outcome: dict[str, Any] = (
            {"value": dict(value or {})} if error is None else {"error": error}
        )
        line = {
            "key": dict(key),
            **outcome,
            "seconds": round(seconds, 4),
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": self._versions,
        }
        _write(self._file, (json.dumps(line, sort_keys=True) + "\n").encode())
        self._sync()
        self._known[canonical(key)] = line
        return line

    def _sync(self) -> None:
        """Let the disk have it: a killed run loses nothing, a power cut a second at most."""
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            os.fsync(self._file)
            self._synced = time.monotonic()

    def forget_failures(self) -> None:
        """Let failed cells count as not computed; their lines stay in the file."""
        self._known = {key: line for key, line in self._known.items() if "error" not in line}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._known.values())

    def close(self) -> None:
        """Let others have the file."""
        os.fsync(self._file)
        os.close(self._file)
        self._lock.release()

    def __enter__(self) -> "Cells":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read_cells(path: Path) -> dict[str, dict[str, Any]]:
    """Give the lines of a file by key, the last of each, without touching the file."""
    if not path.exists():
        return {}
    whole = path.read_bytes().rpartition(b"\n")[0].splitlines()
    return {canonical(line["key"]): line for line in map(json.loads, whole)}


def canonical(key: Mapping[str, Any]) -> str:
    """Give the one text of a key."""
    return json.dumps(key, sort_keys=True)


def _whole_lines(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    if end < len(content):
        os.truncate(path, end)
    for number, line in enumerate(content[:end].splitlines(), start=1):
        try:
            yield json.loads(line)
        except ValueError:
            raise StoreError(
                f"{path}: line {number} must be JSON, got a damaged one. "
                "Delete the line: its cell is then computed again."
            ) from None


def _write(file: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]
