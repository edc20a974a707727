"""The command line: which commands there are."""

from __future__ import annotations

from typing import Annotated

import typer

from fuzzyfrog.cli.commands import Command, Commands
from fuzzyfrog.cli.compare import compare
from fuzzyfrog.cli.datasets import datasets
from fuzzyfrog.cli.doctor import doctor
from fuzzyfrog.cli.explain import explain
from fuzzyfrog.cli.failures import show_tracebacks
from fuzzyfrog.cli.reducts import reducts
from fuzzyfrog.cli.report import report
from fuzzyfrog.cli.reproduce import reproduce
from fuzzyfrog.cli.score import score
from fuzzyfrog.cli.select import select

__all__ = ["app"]


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
