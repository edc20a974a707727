"""The control groups of this process (containers, batch systems), where their limits stand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["control_groups"]


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
