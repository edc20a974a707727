"""Exit codes, and what is said when a command cannot go on."""

from __future__ import annotations

import re
import shlex
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from fuzzyfrog.cli.console import tell, warn
from fuzzyfrog.errors import OutOfMemoryError, UnwrittenError

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset

__all__ = [
    "Command",
    "Commands",
    "ExitCode",
    "UsageError",
    "clean_warnings",
    "in_options",
    "report_failure",
    "show_tracebacks",
    "warn_of_suspects",
]

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
    """Return whether fuzzyfrog itself refuses what it is given.

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


# Parameters that can be told from ordinary words.
PARAMETERS = {
    "categorical_features": "--categorical",
    "max_evaluations": "--max-evaluations",
    "max_seconds": "--max-seconds",
    "min_dependency": "--min-dependency",
    "must_include": "--include",
    "n_features_to_select": "--n-features",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "target_kind": "--target-kind",
}
# Parameters that are ordinary words as well, and so are known only by what stands around them.
WORDS = {
    "categorical", "cluster", "decimal", "encoding", "exclude", "ignore", "sample", "separator",
    "size",
    "target",
}  # fmt: skip
SETTINGS = {
    **PARAMETERS,
    **{name: f"--{name}" for name in ("certify", "encoding", "missing", "ranking", "search")},
    "decimal": "--decimal",
    "separator": "--separator",
    "spread": "--spread",
    "target": "--target-kind",  # what the estimators call it
    "tnorm": "--tnorm",
}


def _any_of(names: object) -> str:
    return "|".join(sorted(names, key=len, reverse=True))  # type: ignore[call-overload]


PATTERN = re.compile(
    rf"(?<![\w-])(?P<name>{_any_of(SETTINGS)})=(?P<value>'[^']*'|True)"
    # What is quoted comes from the user, whatever it looks like.
    r"|(?P<quoted>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    rf"|(?<![\w-])(?P<parameter>{_any_of(PARAMETERS)})(?![\w=]|\.\w)"
    rf"|(?:^|(?<=: ))(?P<subject>{_any_of(WORDS)})(?= must\b|: features must\b)"
    r"|(?P<before>\b(?:in|of|and) )(?P<object>exclude|ignore|categorical)(?=[.,;: ])"
    r"|(?P<none>must be None or )"
    r"|(?P<nothing>got None\b)"
    r"|(?P<unset>\bNone sets no limit)"
    r"|(?P<folder>\bfolder=)(?=\.)"
)


def in_options(sentence: str) -> str:
    """Return the sentence with the options in place of the parameters of the library."""
    return PATTERN.sub(_translated, sentence)


def _translated(match: re.Match[str]) -> str:
    if match["name"]:
        option, value = SETTINGS[match["name"]], match["value"]
        return option if value == "True" else f"{option} {shlex.quote(value[1:-1])}"
    if match["parameter"]:
        return PARAMETERS[match["parameter"]]
    if match["subject"]:
        return f"--{match['subject']}"
    if match["object"]:
        return f"{match['before']}--{match['object']}"
    if match["none"]:
        return "must be "
    if match["nothing"]:
        return "got none"
    if match["unset"]:
        return "Leave it out for no limit"
    if match["folder"]:
        return "--data"
    return match[0]


def warn_of_suspects(
    dataset: Dataset, features: Sequence[str], left_out_by: str = "ignore"
) -> None:
    """Warn of features like an identifier or a date, as a selector does when it is fitted.

    `left_out_by` names the option that leaves features out.
    """
    import numpy as np

    from fuzzyfrog.select.column_warnings import suspects

    wanted = set(features)
    allowed = np.array([name in wanted for name in dataset.feature_names])
    for sentence in suspects(dataset, allowed, left_out_by):
        warn(in_options(sentence))


@contextmanager
def clean_warnings() -> Iterator[None]:
    """Print every warning once, without the place in the code that Python adds."""
    told: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        sentence = str(message)
        if sentence not in told:
            told.add(sentence)
            warn(in_options(sentence))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def _plain(option: Any) -> Any:
    if option is not None:
        option.metavar = ""
    return option


class Commands(TyperGroup):
    """All commands: each of them can be interrupted."""

    def get_help_option(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Return --help without a type behind it."""
        return _plain(super().get_help_option(ctx))

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            tell("interrupted")
            raise typer.Exit(ExitCode.INTERRUPTED) from None


class Command(TyperCommand):
    """A command whose usage names its arguments as the documentation does."""

    def get_help_option(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Return --help without a type behind it."""
        return _plain(super().get_help_option(ctx))

    def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Return the arguments without braces."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("{", "").replace("}", "") for piece in pieces]

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Take in the arguments; what is wrong with them is said in our voice."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise
