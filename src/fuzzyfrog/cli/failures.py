"""Exit codes, and what is said when a command cannot go on."""

from __future__ import annotations

import traceback
from enum import IntEnum
from pathlib import Path
from types import TracebackType

from fuzzyfrog.cli.consoles import tell
from fuzzyfrog.cli.wording import in_options
from fuzzyfrog.errors import OutOfMemoryError
from fuzzyfrog.writing import UnwrittenError

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
    if isinstance(error, UsageError):
        tell(str(error))  # speaks of options already
        return ExitCode.USAGE
    if isinstance(error, ValueError) and _is_refusal(error):
        tell(in_options(str(error)))
        return ExitCode.USAGE
    if isinstance(error, UnwrittenError):
        for sentence in error.sentences:
            tell(sentence)
        return ExitCode.FAILURE
    if isinstance(error, MemoryError):
        tell(_out_of_memory(error))
        return ExitCode.FAILURE
    reason = " ".join(str(error).split()) or "no reason given"
    hint = "" if _shows_tracebacks else " Put --debug before the command to see where."
    tell(f"the command failed ({type(error).__name__}: {reason}).{hint}")
    return ExitCode.FAILURE


def _out_of_memory(error: MemoryError) -> str:
    if isinstance(error, OutOfMemoryError):  # which says what did not fit
        return str(error)
    reason = " ".join(str(error).split()).rstrip(".")
    return (
        f"memory must have room for what the command works with, got too little"
        f"{f' ({reason})' if reason else ''}. Leave out columns (--ignore) or samples, or use "
        "fewer threads (--jobs 1)."
    )


def tell_traceback(error: Exception) -> None:
    """Write where an error comes from to stderr."""
    for line in "".join(traceback.format_exception(error)).splitlines():
        tell(line)


def _is_refusal(error: ValueError) -> bool:
    """Tell whether fuzzyfrog itself refuses what it is given.

    That is a ``raise`` of its own. The ValueError of another library is a failure that nobody
    foresaw, also of one that is written in C and so leaves no place in the code but ours.
    """
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return place is not None and _is_ours(place) and _is_raise_statement(place)


def _is_ours(place: TracebackType) -> bool:
    return Path(place.tb_frame.f_code.co_filename).resolve().is_relative_to(PACKAGE)


def _is_raise_statement(place: TracebackType) -> bool:
    import dis  # only after a failure

    return dis.opname[place.tb_frame.f_code.co_code[place.tb_lasti]] == "RAISE_VARARGS"
