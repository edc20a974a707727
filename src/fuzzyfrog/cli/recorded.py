"""The options that a saved run was made with, from the command in its record."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from fuzzyfrog.cli.commands.reducts import reducts
from fuzzyfrog.cli.commands.select import select
from fuzzyfrog.cli.errors import UsageError
from fuzzyfrog.cli.options import flattened

if TYPE_CHECKING:
    from fuzzyfrog.cli.inputs import TableOptions
    from fuzzyfrog.cli.options import CheckOptions, SelectionOptions
    from fuzzyfrog.cli.outputs import Files
    from fuzzyfrog.result import Result

DOORS: dict[str, Callable[..., None]] = {"select": select, "reducts": reducts}


class Recorded(NamedTuple):
    """A command that selected, and the options that a run with the same answer needs."""

    name: str
    asked: TableOptions
    search: SelectionOptions
    checking: CheckOptions
    files: Files


def recorded(run: Result) -> Recorded | None:
    """Return the options of a saved run; None if it was saved in Python."""
    name, arguments = _command_of(run)
    if name not in DOORS:
        return None

    @functools.wraps(DOORS[name])
    def noted(**groups: Any) -> dict[str, Any]:
        return groups

    app = typer.Typer(add_completion=False)
    app.command()(flattened(noted))
    try:
        groups: dict[str, Any] = typer.main.get_command(app)(arguments, standalone_mode=False)
    except Exception as error:  # typer has its own copy of click
        if not (option := getattr(error, "option_name", None)):
            raise
        rule = f"be one that this version of fuzzyfrog can repeat, got one with {option}"
        raise UsageError(f"the run must {rule}. Run `fuzzyfrog {name}` again.") from None
    return Recorded(name, groups["asked"], groups["search"], groups["checking"], groups["files"])


def _command_of(run: Result) -> tuple[str, list[str]]:
    """Return the command of a run and its arguments; a run of Python may name any other."""
    try:
        words = shlex.split(run.command or "")[1:]
    except ValueError:  # a quote that is not closed
        words = []
    while words and words[0].startswith("-"):  # options before the command, such as --debug
        words.pop(0)
    return (words[0], words[1:]) if words else ("", [])
