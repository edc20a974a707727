"""What has been computed: one JSON object a line, appended whole or not at all.

A cell is ``{"key": {...}, "value": {...}, "seconds": ..., "when": ...}``, or has an ``"error"``,
the reason, in place of the value. A key says with which data and settings the value was computed
(what it leaves out: see `keys`), so that a cell is looked up by content: selectors that found the
same features share their accuracies. A line that is only ``{"versions": {...}}`` tells which
versions of packages computed the cells below it; a cell may also have versions of its own.

Cells that are to be kept and passed on are packed: ``cells.jsonl.gz`` beside ``cells.jsonl`` has
the same lines, and what is in either of them counts.
"""

import gzip
import json
import os
import platform
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any

from fuzzyfrog.search.locking import FileLock, LockedError
from fuzzyfrog.writing import written_whole

__all__ = [
    "Cells",
    "StoreError",
    "canonical",
    "pack_cells",
    "package_versions",
    "packed_file",
    "read_cells",
]

SYNC_SECONDS = 1.0
PACKAGES = ("fuzzyfrog", "numpy", "scipy", "numba", "scikit-learn", "lightgbm", "jpype1")


class StoreError(RuntimeError):
    """The file of cells cannot be used; the message says why and the way out."""


class Cells:
    """The cells of an experiment, in memory and on disk; one process at a time.

    Parameters
    ----------
    path : Path
        The file; a line that a killed run left unfinished is cut off.
    versions : mapping of str to str
        Written once, before the first cell that is added.
    """

    def __init__(self, path: Path, versions: Mapping[str, str]) -> None:
        self._versions = dict(versions)
        self._is_headed = False
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(path)
        try:
            _cut_torn_line(path)
            self._known = read_cells(path)
        except BaseException:
            self._lock.release()
            raise
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
        }
        self._head()
        _write(self._file, _encoded(line))
        self._sync()
        line["versions"] = self._versions
        self._known[canonical(key)] = line
        return line

    def _head(self) -> None:
        """Write the versions above the first cell of this process."""
        if not self._is_headed:
            _write(self._file, _encoded({"versions": self._versions}))
            self._is_headed = True

    def _sync(self) -> None:
        """Let the disk have it: a killed run loses nothing, a power cut a second at most."""
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            os.fsync(self._file)
            self._synced = time.monotonic()

    def forget_failures(self) -> None:
        """Let failed cells count as not computed; their lines stay in the file."""
        self._known = {key: line for key, line in self._known.items() if "error" not in line}

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
    """Give the cells of a file and of its packed part, the last of each key, touching neither.

    Parameters
    ----------
    path : Path
        The file that grows; neither it nor the packed one must exist.

    Returns
    -------
    dict of str to dict
        Cells with their versions, by `canonical` key.

    Raises
    ------
    StoreError
        If a line is damaged.
    """
    packed = packed_file(path)
    found: dict[str, dict[str, Any]] = {}
    if packed.exists():
        try:
            lines = gzip.decompress(packed.read_bytes()).splitlines()
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise StoreError(f"{packed} must be a whole gzip file, got: {error}.") from None
        found.update(_by_key(packed, lines))
    if path.exists():
        found.update(_by_key(path, path.read_bytes().rpartition(b"\n")[0].splitlines()))
    return found


def packed_file(path: Path) -> Path:
    """Give the packed file that belongs to a file of cells."""
    return path.with_name(f"{path.name}.gz")


def pack_cells(path: Path) -> Path:
    """Move all cells into the packed file: a tenth of the size, and the same bytes each time.

    Parameters
    ----------
    path : Path
        The file that grows; it is gone afterwards.

    Returns
    -------
    Path
        The packed file.

    Raises
    ------
    StoreError
        If a process is still writing, or a line is damaged.
    """
    lock = _locked(path)
    try:
        content = b"".join(map(_encoded, _with_heads(read_cells(path).values())))
        with written_whole(packed_file(path)) as file:
            file.write_bytes(gzip.compress(content, mtime=0))  # no time: same cells, same bytes
        path.unlink(missing_ok=True)
    finally:
        lock.release()
    return packed_file(path)


def package_versions() -> dict[str, str]:
    """Give the versions of Python and of the packages, as far as they are there."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):  # an extra
            versions[package] = version(package)
    return versions


def canonical(key: Mapping[str, Any]) -> str:
    """Give the one text of a key."""
    return json.dumps(key, sort_keys=True)


def _locked(path: Path) -> FileLock:
    try:
        return FileLock(path.with_name(f"{path.name}.lock"))
    except LockedError as error:
        raise StoreError(
            f"{path} must belong to one process, got a second one: {error}. "
            "Wait for it, or give another folder."
        ) from None


def _cut_torn_line(path: Path) -> None:
    if not path.exists():
        return
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    if end < len(content):
        os.truncate(path, end)


def _by_key(path: Path, lines: Iterable[bytes]) -> dict[str, dict[str, Any]]:
    """Give the cells, each with the versions that hold for it."""
    found: dict[str, dict[str, Any]] = {}
    versions: dict[str, str] = {}
    for number, text in enumerate(lines, start=1):
        try:
            line = json.loads(text)
        except ValueError:
            raise StoreError(
                f"{path}: line {number} must be JSON, got a damaged one. "
                "Delete the line: its cell is then computed again."
            ) from None
        if "key" in line:
            found[canonical(line["key"])] = {"versions": versions, **line}
        else:
            versions = line["versions"]
    return found


def _with_heads(cells: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Give the cells without versions, and these where they change."""
    before = None
    for cell in cells:
        if cell["versions"] != before:
            before = cell["versions"]
            yield {"versions": before}
        yield {name: part for name, part in cell.items() if name != "versions"}


def _encoded(line: Mapping[str, Any]) -> bytes:
    return (json.dumps(line, sort_keys=True) + "\n").encode()


def _write(file: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]
