"""Files that are never seen half written."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

__all__ = ["TEMPORARY", "written_whole"]

TEMPORARY = ".fuzzyfrog-"  # how the names of files begin that are being written


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a path to write to, which takes the place of the file if all goes well.

    A link stays one: what it points to is replaced. The permissions of a file stay.
    """
    goal = path.resolve()
    temporary = goal.with_name(f"{TEMPORARY}{token_hex(8)}{_ending(goal)}")
    temporary.open("x").close()  # follows no link, and the umask applies
    try:
        before = stat.S_IMODE((goal if goal.exists() else temporary).stat().st_mode)
        temporary.chmod(before | stat.S_IWUSR)
        yield temporary
        temporary.chmod(before)
        temporary.replace(goal)
    finally:
        temporary.unlink(missing_ok=True)


def _ending(goal: Path) -> str:
    """Give that part of the name by which the format is told."""
    zipped = goal.suffix if goal.suffix.lower() == ".gz" else ""
    return goal.with_suffix("").suffix + zipped if zipped else goal.suffix
