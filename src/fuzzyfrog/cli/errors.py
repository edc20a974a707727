"""Exit codes, and errors and warnings as the command line words them."""

import shlex
import traceback
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from fuzzyfrog.cli.console import tell, warn
from fuzzyfrog.common.messages import Answered, Sentence, Setting, line_of
from fuzzyfrog.errors import FuzzyfrogError, ParameterError, UnwrittenError


class ExitCode(IntEnum):
    """The exit codes of the commands."""

    DONE = 0
    FAILURE = 1
    USAGE = 2
    NOT_PROVEN = 3
    NOT_VERIFIED = 3  # as a script would treat it
    INTERRUPTED = 130


class UsageError(FuzzyfrogError, ValueError):
    """Options contradict each other, or a path cannot be used; the message names options."""


_shows_tracebacks = False


def show_tracebacks() -> None:
    """Print the traceback of every failure from now on."""
    global _shows_tracebacks
    _shows_tracebacks = True


def report_failure(error: Exception) -> ExitCode:
    """Write the reason to stderr and return the exit code."""
    if _shows_tracebacks:
        for line in "".join(traceback.format_exception(error)).splitlines():
            tell(line)
    for sentence in _sentences(error):
        tell(sentence)
    is_refusal = isinstance(error, FuzzyfrogError) and isinstance(error, ValueError)
    return ExitCode.USAGE if is_refusal else ExitCode.FAILURE


def _sentences(error: Exception) -> tuple[str, ...]:
    if isinstance(error, UnwrittenError):
        return error.sentences
    if isinstance(error, FuzzyfrogError):
        return (in_options(error),)
    reason = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        more = f" ({reason.rstrip('.')})" if reason else ""
        return (
            f"the command ran out of memory{more}. Leave out columns (--ignore) or rows, or use "
            "fewer threads (--jobs 1).",
        )
    hint = "" if _shows_tracebacks else " Put --debug before the command to see where."
    return (f"the command failed ({type(error).__name__}: {reason or 'no reason given'}).{hint}",)


# Options whose names differ from those of the parameters they set.
OPTION_NAMES = {
    "categorical_features": "categorical",
    "cv": "folds",
    "date_parts": "dates parts",
    "exclude": "ignore",
    "feature_groups": "feature_group",
    "must_include": "include",
    "n_features_to_select": "n_features",
    "n_jobs": "jobs",
    "random_state": "seed",
    "row_labels": "id",
    "sample_weight": "weights",
}


# What to say on the command line instead of something in Python.
COMMANDS = {
    "SoftSelector": "`fuzzyfrog select`",
    "ReductSelector": "`fuzzyfrog reducts`",
    "remove it from X": "leave it out with --ignore",
    "check(selector, X, y, cv=TimeSeriesSplit())": "`fuzzyfrog verify` after a run on earlier rows",
}


# Parameters that few need and that have no option, and what takes them in Python.
PYTHON_ONLY = {
    "copies": "ReductSelector",
    "limit": "Exact",
    "redundant": "SoftSelector",
    "size_rule": "SoftSelector",
    "spread": "ReductSelector",
    "tnorm": "ReductSelector",
}


def option_of(parameter: str) -> str:
    """Return the option that sets a parameter."""
    name, mark, part = parameter.partition("[")  # as in feature_groups['color']
    return f"--{OPTION_NAMES.get(name, name).replace('_', '-')}{mark}{part}"


def in_options(message: object) -> str:
    """Return an error, warning or sentence with options in place of parameters."""
    if isinstance(message, ParameterError):
        names = " and ".join(map(option_of, message.parameters))
        rule = in_options(message.rule).replace("be None or ", "be ")
        got = "none" if message.got == "None" else message.got
        hint = in_options(message.hint)
        return f"{names} must {rule}, got {got}.{hint and ' '}{hint}"
    if isinstance(message, FuzzyfrogError):
        return in_options(Sentence(*message.args))
    if isinstance(message, Exception) and message.args:
        return in_options(message.args[0])
    return message.worded(_typed) if isinstance(message, Sentence) else str(message)


def _typed(setting: Setting) -> str:
    """Return a setting as it is typed on the command line."""
    name, value = setting
    if name in COMMANDS:
        return COMMANDS[name]
    if name in PYTHON_ONLY:
        return f"{PYTHON_ONLY[name]}({name}={value!r}) in Python"
    if value is None:
        return option_of(name)
    # Estimators call the kind of the target its value: target="class".
    option = "--target-kind" if name == "target" else option_of(name)
    if value is True:
        return option
    text = line_of(value) if isinstance(value, list | tuple) else str(value)
    spelled = text.replace("\t", r"\t")  # a tab is hard to type
    return f"{option} {shlex.quote(spelled)}"


@contextmanager
def clean_warnings() -> Iterator[None]:
    """Print every warning once, on one line, without the place in the code that Python adds."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        sentence = in_options(message)
        if sentence not in shown:
            shown.add(sentence)
            warn(sentence)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def leave_to_the_answer(known: Collection[str], *, is_printed: bool) -> None:
    """Do not print, until the command ends, warnings that are known or that the answer says.

    A printed answer says some; those of the run that an answer goes back to are known.
    """
    before = warnings.showwarning

    def show(message: Any, *rest: Any, **named: Any) -> None:
        is_said = is_printed and isinstance(message.args[0], Answered)
        if not is_said and in_options(message) not in known:
            before(message, *rest, **named)

    warnings.showwarning = show
