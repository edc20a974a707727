"""The ``fuzzyfrog-lab`` program: experiments, and the data sets of the paper."""

import typer

from fuzzyfrog.cli import app as wheel
from fuzzyfrog.cli.errors import OPTION_NAMES
from fuzzyfrog_lab.cli.datasets import datasets
from fuzzyfrog_lab.cli.reproduce import reproduce

OPTION_NAMES.update(folder="data", panels="panel")

app = typer.Typer(
    name="fuzzyfrog-lab",
    help="Run experiments with selectors, and fetch the data sets of the paper.",
    epilog="Exit codes: 0 done, 1 failure, 2 bad input or usage, 130 interrupted.",
    cls=wheel.Group,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.callback()(wheel.before_any_command)
app.command(cls=wheel.Command)(reproduce)
app.add_typer(datasets, name="datasets", cls=wheel.Group)


def main() -> None:
    """Run the command given by the arguments of the process."""
    wheel.main(app)
