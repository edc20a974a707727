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
from fuzzyfrog.cli.names import names_in
from fuzzyfrog.cli.text import safe

__all__ = ["reproduce"]

PAPER_CONFIG = Path("paper", "experiment.toml")
RESULTS = Path("results")

Tables = Annotated[
    list[str] | None,
    typer.Argument(metavar="TABLE", help="Some of the data sets, by default all of them."),
]
Out = Annotated[
    Path,
    typer.Option(
        metavar="FOLDER",
        help=f"Folder for cells and tables, by default {RESULTS} in the current one; it may exist.",
        show_default=False,
    ),
]
Panel = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Panels of classifiers to run, such as sklearn or weka; by default those of the "
        "config, without weka if it is not installed.",
    ),
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
    tables: Tables = None,
    out: Out = RESULTS,
    config: Config = None,
    panel: Panel = None,
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
        _check_alone(tables, panel, retry_failed=retry_failed)
        files = report_experiment(_config(config), data, out, quiet=quiet)
        _write_results(map(str, files), out if pack_cells else None)
        return
    done = run_experiment(
        _config(config), data, out, only=tables or None, panels=_panels(panel),
        retry_failed=retry_failed, n_jobs=jobs, quiet=quiet,
    )  # fmt: skip
    _write_results(str(done).splitlines(), out if pack_cells else None)
    if done.failures:
        raise typer.Exit(ExitCode.FAILURE)


def _write_results(lines: Iterable[str], to_pack: Path | None) -> None:
    packed = [] if to_pack is None else [str(pack(to_pack))]
    write_result(*map(safe, [*lines, *packed]))


def _panels(given: list[str] | None) -> list[str] | None:
    return names_in("--panel", given) if given else None


def _check_alone(tables: list[str] | None, panel: list[str] | None, *, retry_failed: bool) -> None:
    options = {"--panel": panel, "--retry-failed": retry_failed}
    given = [*(tables or []), *(name for name, value in options.items() if value)]
    if given:
        raise UsageError(
            f"--report-only must stand without TABLE, --panel and --retry-failed, got {given[0]!r}."
            " Pages are always about all data sets and panels."
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
