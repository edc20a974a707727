"""Exit codes, and what is said when a command cannot go on."""

from __future__ import annotations

import traceback
from enum import IntEnum
from pathlib import Path

from fuzzyfrog.cli.consoles import tell

__all__ = ["ExitCode", "UsageError", "report_failure", "show_tracebacks"]

PACKAGE = Path(__file__).resolve().parents[1]

_shows_tracebacks = False


class ExitCode(IntEnum):
    """What a command tells the shell."""

    DONE = 0
    FAILURE = 1
    USAGE = 2
    NOT_PROVEN = 3
    INTERRUPTED = 130


class UsageError(ValueError):
    """Options that do not go together, or a path that cannot be written."""


def show_tracebacks() -> None:
    """Have every failure followed by its traceback."""
    global _shows_tracebacks
    _shows_tracebacks = True


def report_failure(error: Exception) -> ExitCode:
    """Write one sentence to stderr and give the exit code."""
    if _shows_tracebacks:
        tell_traceback(error)
    if isinstance(error, ValueError) and _is_raised_by_us(error):
        tell(str(error))
        return ExitCode.USAGE
    reason = " ".join(str(error).split()) or "no reason given"
    hint = "" if _shows_tracebacks else " Put --debug before the command to see where."
    tell(f"the command failed ({type(error).__name__}: {reason}).{hint}")
    return ExitCode.FAILURE


def tell_traceback(error: Exception) -> None:
    """Write where an error comes from to stderr."""
    for line in "".join(traceback.format_exception(error)).splitlines():
        tell(line)


def _is_raised_by_us(error: Exception) -> bool:
    """Tell whether fuzzyfrog itself raised the error, which is how it refuses what it is given.

    The ValueError of another library is a failure that nobody foresaw.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and Path(frames[-1].filename).resolve().is_relative_to(PACKAGE)
