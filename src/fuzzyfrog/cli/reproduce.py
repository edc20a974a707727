"""``fuzzyfrog reproduce``: the experiment of the paper, or one of your own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.consoles import write_result
from fuzzyfrog.cli.experiments import pack, report_experiment, run_experiment
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
ReportOnly = Annotated[
    bool,
    typer.Option(
        "--report-only", metavar="", help="Write the pages about what is there; compute nothing."
    ),
]
Pack = Annotated[
    bool,
    typer.Option(
        "--pack", metavar="", help="In the end, pack the cells into one small file, to keep."
    ),
]


def reproduce(
    out: Out,
    tables: Tables = None,
    config: Config = None,
    data: options.Data = None,
    retry_failed: RetryFailed = False,
    report_only: ReportOnly = False,
    pack_cells: Pack = False,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Run the experiment of the paper, or go on with it, and write its tables.

    What was computed is never computed again: after Ctrl-C the same command goes on.
    """
    if report_only:
        _check_alone(tables, retry_failed=retry_failed)
        files = report_experiment(_config(config), data, out, quiet=quiet)
        _write_results(map(str, files), out if pack_cells else None)
        return
    done = run_experiment(
        _config(config), data, out, only=tables or None, retry_failed=retry_failed, n_jobs=jobs,
        quiet=quiet,
    )  # fmt: skip
    _write_results(str(done).splitlines(), out if pack_cells else None)
    if done.failures:
        raise typer.Exit(ExitCode.FAILURE)


def _write_results(lines: Iterable[str], to_pack: Path | None) -> None:
    packed = [] if to_pack is None else [str(pack(to_pack))]
    write_result(*map(safe, [*lines, *packed]))


def _check_alone(tables: list[str] | None, *, retry_failed: bool) -> None:
    given = [*(tables or []), *(["--retry-failed"] if retry_failed else [])]
    if given:
        raise UsageError(
            f"--report-only must stand without TABLE and --retry-failed, got {given[0]!r}. Pages "
            "are always about all data sets."
        )


def _config(config: Path | None) -> Path:
    if config is not None:
        return config
    if not PAPER_CONFIG.is_file():
        raise UsageError(
            f"--config must be given where there is no {PAPER_CONFIG}, got none. That file lies "
            "in the repository of fuzzyfrog; docs/experiment.md tells how to write another."
        )
    return PAPER_CONFIG
