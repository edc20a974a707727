"""The memory that this process may use, and the error if it is not enough."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fuzzyfrog.common.messages import Sentence, shown
from fuzzyfrog.errors import DataError, OutOfMemoryError


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
        steps = [controller, *_steps(path)] if controllers else _steps(path)
        # A group gets no more than the groups around it; those of the host are not visible.
        for depth in range(1 if controllers else 0, len(steps) + 1):
            yield root.joinpath("sys/fs/cgroup", *steps[:depth])


def _steps(path: str) -> list[str]:
    return [step for step in path.split("/") if step]


LIMIT_VARIABLE = "FUZZYFROG_SPILL_ABOVE"
SHARE = 4  # values, positions and the forms that the engines read must fit next to each other
ASSUMED = 8 * 10**9  # if the system does not say

_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([kmgt]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_ROOT = Path("/")
# The files of a control group, by its version: limit, use, and what can be freed.
_NAMES = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


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
            yield from _room(group / limit, group / usage, group / "memory.stat", idle)


def _room(limit: Path, usage: Path, statistics: Path, idle: str) -> Iterator[int]:
    allowed, used = _text(limit).strip(), _text(usage).strip()
    if allowed.isdigit() and used.isdigit():
        # Pages of files that nobody reads any more count as used, but are given back when needed.
        found = re.search(rf"^{idle} (\d+)$", _text(statistics), re.MULTILINE)
        yield int(allowed) - int(used) + (int(found[1]) if found else 0)


def _text(path: Path) -> str:
    """Return the content of a file of the system, or nothing if there is no such file."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


@contextmanager
def in_memory(what: str, way_out: str) -> Iterator[None]:
    """Turn a MemoryError inside into one that says what did not fit, unless it already does."""
    try:
        yield
    except OutOfMemoryError:
        raise
    except MemoryError as error:
        reason = " ".join(str(error).split())
        why = f" ({reason[0].lower()}{reason[1:].rstrip('.')})" if reason else ""
        sentence = Sentence(f"memory must have room for {what}, got too little{why}. ", way_out)
        raise OutOfMemoryError(sentence) from error
