"""The ``fuzzyfrog`` program: its commands, each imported only when it is needed."""

import sys
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from fuzzyfrog.cli.console import secure_streams, tell
from fuzzyfrog.cli.errors import (
    PYTHON_ONLY,
    ExitCode,
    UsageError,
    clean_warnings,
    report_failure,
    show_tracebacks,
)
from fuzzyfrog.cli.options import flattened

# In the order of the help: functions, each in the module of the same name.
COMMANDS = (
    "select", "reducts", "score", "explain", "report", "swap", "verify", "compare", "doctor"
)  # fmt: skip


def main(program: typer.Typer | None = None) -> None:
    """Run the command given by the arguments of the process; by default, one of fuzzyfrog's."""
    program = program or app
    try:
        secure_streams()
        with clean_warnings():
            program(prog_name=program.info.name)
    except SystemExit as end:
        # Typer ends an interrupted command without a sentence; ours have no cause.
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):
            tell("interrupted")
        raise
    except KeyboardInterrupt:  # before a command began, or while it ended
        tell("interrupted")
        sys.exit(ExitCode.INTERRUPTED)
    except Exception as error:
        sys.exit(report_failure(error))


class PlainHelp:
    """What has no type after its --help."""

    def get_help_option(self, ctx: typer.Context) -> Any:
        """Return --help as an option without a value."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.metavar = ""
        return option


class Group(PlainHelp, TyperGroup):  # type: ignore[misc]
    """Commands with a plain help."""


class LazyGroup(Group):
    """The commands of the program, each imported when it is run or its help is shown."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]  # names

    def get_command(self, ctx: typer.Context, name: str) -> Any:  # type: ignore[override]
        """Import a command; return None if no command has this name."""
        return _command(name) if name in COMMANDS else None


class Command(PlainHelp, TyperCommand):  # type: ignore[misc]
    """A command whose usage shows arguments as the documentation does."""

    def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Return the arguments without braces."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("{", "").replace("}", "") for piece in pieces]

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the arguments; remove the prefix that typer puts before some errors."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise
        except Exception as error:  # typer has its own copy of click
            option = getattr(error, "option_name", None)  # one that does not exist
            if option and (other := _elsewhere(str(self.name), option)):
                raise UsageError(other) from None
            raise


EXAMPLES = {
    "select": (
        "table.csv --target kind",
        "table.csv --target kind --report report.html --output reduced.csv",
        "table.csv --target kind --n-features 5 --ignore age,height",
    ),
    "reducts": (
        "table.csv --target kind --certify --report report.html",
        "table.csv --target kind --all",
        "table.csv --target kind --search quickreduct --min-dependency 0.95",
    ),
    "swap": ("run.json proline hue --save other.json", "run.json proline hue alcohol magnesium"),
    "verify": ("run.json new.csv --table table.csv",),
}
# Options of the two commands that select, each named to whoever gives it to the other.
DOORS = {
    "select": ("reducts", "the fewest columns that separate exactly these samples"),
    "reducts": ("select", "columns to predict with"),
}


def _elsewhere(command: str, option: str) -> str | None:
    """Return a sentence about an option that only the other of two commands has, or Python."""
    out = f"{option} must be left out of `fuzzyfrog {command}`."
    parameter = option.removeprefix("--").replace("-", "_")
    if parameter in PYTHON_ONLY:
        return f"{out} It is a parameter in Python: {PYTHON_ONLY[parameter]}({parameter}=...)."
    if command not in DOORS:
        return None
    name, purpose = DOORS[command]
    known = {one for parameter in _command(name).params for one in parameter.opts}
    if option not in known:
        return None
    return f"{out} It belongs to `fuzzyfrog {name}`, which finds {purpose}."


@cache
def _command(name: str) -> Any:
    """Import a function and make it a command."""
    function = getattr(import_module(f"fuzzyfrog.cli.commands.{name}"), name)
    lines = "\n\n".join(f"fuzzyfrog {name} {one}" for one in EXAMPLES.get(name, ()))
    epilog = lines and f"Examples:\n\n{lines}"
    made = typer.Typer(add_completion=False)
    made.command(name, cls=Command, epilog=epilog)(flattened(function))
    return typer.main.get_command(made)


app = typer.Typer(
    name="fuzzyfrog",
    help="Find out which columns of a table you need: to predict (select), or to separate exactly "
    "its samples (reducts).",
    epilog="Exit codes: 0 done, 1 failure, 2 bad input or usage, 3 not proven within the budget, "
    "or (verify) no longer true, 130 interrupted (results so far are written).",
    cls=LazyGroup,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"fuzzyfrog {version('fuzzyfrog')}")
        raise typer.Exit


@app.callback()
def before_any_command(
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
        bool, typer.Option("--debug", metavar="", help="Print the traceback of a failure.")
    ] = False,
) -> None:
    """Apply the options that come before a command."""
    if debug:
        show_tracebacks()
