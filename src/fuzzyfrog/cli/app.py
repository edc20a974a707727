"""The command line: which commands there are."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated

import typer

from fuzzyfrog.cli.commands.compare import compare
from fuzzyfrog.cli.commands.datasets import datasets
from fuzzyfrog.cli.commands.doctor import doctor
from fuzzyfrog.cli.commands.explain import explain
from fuzzyfrog.cli.commands.reducts import reducts
from fuzzyfrog.cli.commands.report import report
from fuzzyfrog.cli.commands.reproduce import reproduce
from fuzzyfrog.cli.commands.score import score
from fuzzyfrog.cli.commands.select import select
from fuzzyfrog.cli.console import secure_streams
from fuzzyfrog.cli.errors import Command, Commands, show_tracebacks

__all__ = [
    "app",
    "main",
]

app = typer.Typer(
    name="fuzzyfrog",
    help="Find the fewest columns of a table that still tell its classes apart.",
    epilog="Exit codes: 0 done, 1 failure, 2 bad input or usage, 3 not proven within the budget, "
    "130 interrupted; what was found until then is written.",
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=Command)(select)
app.command(cls=Command)(reducts)
app.command(cls=Command)(score)
app.command(cls=Command)(explain)
app.command(cls=Command)(report)
app.command(cls=Command)(compare)
app.command(cls=Command)(reproduce)
app.add_typer(datasets, name="datasets")
app.command(cls=Command)(doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"fuzzyfrog {version('fuzzyfrog')}")
        raise typer.Exit


@app.callback()
def _before_any_command(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            callback=_print_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", metavar="", help="Show where in the code a failure comes from."),
    ] = False,
) -> None:
    if debug:
        show_tracebacks()


def main() -> None:
    """Run the command that the arguments of the process ask for."""
    secure_streams()
    try:
        with _terminable():
            _run()
    except KeyboardInterrupt:  # before a command began, or while it ended
        sys.exit(130)


def _run() -> None:
    # Imported here, so that an interruption of the imports is no traceback.
    from fuzzyfrog.cli.errors import clean_warnings, report_failure

    try:
        with clean_warnings():
            app(prog_name="fuzzyfrog")
    except Exception as error:
        sys.exit(report_failure(error))


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM, and a terminal that is closed, do what Ctrl-C does, unless it is ignored."""
    kinds = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]  # not all on Windows
    ours = [kind for kind in kinds if kind and signal.getsignal(kind) is signal.SIG_DFL]
    for kind in ours:
        signal.signal(kind, _interrupt)
    try:
        yield
    finally:
        for kind in ours:
            signal.signal(kind, signal.SIG_DFL)


def _interrupt(kind: int, _: FrameType | None) -> None:
    if kind != signal.SIGTERM:
        # The shell and the system both tell that a terminal is closed; once is enough.
        signal.signal(kind, signal.SIG_IGN)
    raise KeyboardInterrupt
