"""The memory that this process may use, and what to say when it is not enough."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fuzzyfrog.common.messages import shown
from fuzzyfrog.errors import DataError, OutOfMemoryError

__all__ = [
    "LIMIT_VARIABLE",
    "available_memory",
    "control_groups",
    "in_memory",
    "most_in_memory",
]


def control_groups(root: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of the groups that limit this process, and of all groups around them.

    Parameters
    ----------
    root : path
        Where ``proc`` and ``sys`` are.
    controller : str
        What is limited: "cpu" or "memory".
    """
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:  # no Linux
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        # Version 1 has one tree for each controller, version 2 one for all of them.
        if controllers and controller not in controllers.split(","):
            continue
        steps = [controller, *_steps(path)] if controllers else _steps(path)
        # A group gets no more than the groups around it; those of the host cannot be seen.
        for depth in range(1 if controllers else 0, len(steps) + 1):
            yield root.joinpath("sys/fs/cgroup", *steps[:depth])


def _steps(path: str) -> list[str]:
    return [step for step in path.split("/") if step]


LIMIT_VARIABLE = "FUZZYFROG_SPILL_ABOVE"
# Values, positions and the forms that the engines read have to fit beside each other.
SHARE = 4
# Where the system does not tell.
ASSUMED = 8 * 10**9

_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([kmgt]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_ROOT = Path("/")
# What the files of a control group are called, by its version: limit, use, and what can be freed.
_NAMES = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def most_in_memory() -> int:
    """Return the number of bytes up to which an array is held in memory.

    A quarter of what is available, or what the environment variable FUZZYFROG_SPILL_ABOVE says.
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
    """Return the bytes that this process can still take, limits of its control groups included.

    Parameters
    ----------
    root : path
        Where ``proc`` and ``sys`` are.
    """
    rooms = [*_room_on_machine(root), *_room_in_groups(root)]
    return max(0, min(rooms, default=ASSUMED))


def _room_on_machine(root: Path) -> Iterator[int]:
    found = re.search(r"^MemAvailable:\s*(\d+) kB$", _text(root / "proc/meminfo"), re.MULTILINE)
    if found:
        yield 1024 * int(found[1])
    elif "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _room_in_groups(root: Path) -> Iterator[int]:
    """Yield what each control group of this process, and each one above, leaves free."""
    for group in control_groups(root, "memory"):
        for limit, usage, idle in _NAMES:
            yield from _room(group / limit, group / usage, group / "memory.stat", idle)


def _room(limit: Path, usage: Path, statistics: Path, idle: str) -> Iterator[int]:
    allowed, used = _text(limit).strip(), _text(usage).strip()
    if allowed.isdigit() and used.isdigit():
        # Pages of files that nobody reads any more are counted as used, but given back at need.
        found = re.search(rf"^{idle} (\d+)$", _text(statistics), re.MULTILINE)
        yield int(allowed) - int(used) + (int(found[1]) if found else 0)


def _text(path: Path) -> str:
    """Return what the system says in a file; nothing where it has no such file."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


@contextmanager
def in_memory(what: str, way_out: str) -> Iterator[None]:
    """Let a lack of memory inside say what did not fit, unless that is known already."""
    try:
        yield
    except OutOfMemoryError:
        raise
    except MemoryError as error:
        reason = " ".join(str(error).split())
        told = f" ({reason[0].lower()}{reason[1:].rstrip('.')})" if reason else ""
        raise OutOfMemoryError(
            f"memory must have room for {what}, got too little{told}. {way_out}"
        ) from error
