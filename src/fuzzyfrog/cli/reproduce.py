"""``fuzzyfrog reproduce``: the experiment of the paper, or one of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.consoles import write_result
from fuzzyfrog.cli.experiments import run_experiment
from fuzzyfrog.cli.failures import ExitCode, UsageError
from fuzzyfrog.cli.text import safe

__all__ = ["reproduce"]

PAPER_CONFIG = Path("paper", "experiment.toml")

Tables = Annotated[
    list[str] | None,
    typer.Argument(metavar="TABLE", help="Some of the data sets, by default all of them."),
]
Out = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Folder for cells and tables; it may exist.")
]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.toml", help=f"What is run, by default {PAPER_CONFIG} of the repository."
    ),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", metavar="", help="Try cells that failed once more.")
]


def reproduce(
    out: Out,
    tables: Tables = None,
    config: Config = None,
    data: options.Data = None,
    retry_failed: RetryFailed = False,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Run the experiment of the paper, or go on with it, and write its tables.

    What was computed is never computed again: after Ctrl-C the same command goes on.
    """
    done = run_experiment(
        _config(config), data, out, only=tables or None, retry_failed=retry_failed, n_jobs=jobs,
        quiet=quiet,
    )  # fmt: skip
    write_result(*map(safe, str(done).splitlines()))
    if done.failures:
        raise typer.Exit(ExitCode.FAILURE)


def _config(config: Path | None) -> Path:
    if config is not None:
        return config
    if not PAPER_CONFIG.is_file():
        raise UsageError(
            f"--config must be given where there is no {PAPER_CONFIG}, got none. That file lies "
            "in the repository of fuzzyfrog; docs/experiment.md tells how to write another."
        )
    return PAPER_CONFIG
