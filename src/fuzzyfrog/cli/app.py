"""The command line: which commands there are."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from fuzzyfrog.cli.datasets import datasets
from fuzzyfrog.cli.doctor import doctor
from fuzzyfrog.cli.explain import explain
from fuzzyfrog.cli.failures import report_failure, show_tracebacks
from fuzzyfrog.cli.notices import clean_warnings
from fuzzyfrog.cli.reducts import reducts
from fuzzyfrog.cli.report import report
from fuzzyfrog.cli.score import score
from fuzzyfrog.cli.select import select

__all__ = ["app", "main"]

app = typer.Typer(
    name="fuzzyfrog",
    help="Find the fewest columns of a table that still tell its classes apart.",
    epilog="Exit codes: 0 done, 1 failure, 2 bad input or usage, 3 not proven within the budget, "
    "130 interrupted with the best so far written.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(select)
app.command()(reducts)
app.command()(score)
app.command()(explain)
app.command()(report)
app.add_typer(datasets, name="datasets")
app.command()(doctor)


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
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the code a failure comes from.")
    ] = False,
) -> None:
    if debug:
        show_tracebacks()


def main() -> None:
    """Run the command that the arguments of the process ask for."""
    try:
        with clean_warnings():
            app(prog_name="fuzzyfrog")
    except Exception as error:
        sys.exit(report_failure(error))
