"""``fuzzyfrog-lab reproduce``: the experiment of the paper, or of a config."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import safe, tell, warn, write_result
from fuzzyfrog.cli.errors import ExitCode, UsageError
from fuzzyfrog.cli.options import names_in
from fuzzyfrog_lab import runner
from fuzzyfrog_lab.cells import StoreError
from fuzzyfrog_lab.cells import pack_cells as packed
from fuzzyfrog_lab.cli.datasets import Data
from fuzzyfrog_lab.config import read_config
from fuzzyfrog_lab.weka.process import WekaNotFoundError, missing_for_weka

PAPER_CONFIG = Path("lab", "paper", "experiment.toml")
RESULTS = Path("results")


def reproduce(
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="TABLE", help="Data sets to run (default: all of them)."),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help=f"Folder for cells and tables (default: {RESULTS}); it may exist.",
            show_default=False,
        ),
    ] = RESULTS,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml",
            help=f"The experiment to run (default: {PAPER_CONFIG} in the repository).",
        ),
    ] = None,
    panel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Panels of classifiers to run, such as sklearn or weka (default: those of the "
            "config, without weka if it is not installed).",
        ),
    ] = None,
    data: Data = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", metavar="", help="Retry cells that failed.")
    ] = False,
    report_only: Annotated[
        bool,
        typer.Option(
            "--report-only",
            metavar="",
            help="Compute nothing; write the pages from existing cells.",
        ),
    ] = False,
    pack_cells: Annotated[
        bool,
        typer.Option("--pack", metavar="", help="When done, pack all cells into one small file."),
    ] = False,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Run or resume the experiment of the paper, and write its tables.

    Existing cells are never computed again: after Ctrl-C, the same command resumes.
    """
    if report_only:
        _check_alone(tables, panel, retry_failed=retry_failed)
        with _in_sentences(out):
            lines = list(map(str, runner.write_report(_config(config), data, out)))
        failures: Sequence[str] = ()
    else:
        path = _config(config)
        with _in_sentences(out):
            done = runner.reproduce(
                path, data, out, only=tables or None,
                panels=names_in("--panel", panel) or _available_panels(path),
                retry_failed=retry_failed, n_jobs=jobs, quiet=quiet,
            )  # fmt: skip
        lines, failures = str(done).splitlines(), done.failures
    if pack_cells:
        with _in_sentences(out):
            lines.append(str(packed(out / runner.CELLS_FILE)))
    write_result(*map(safe, lines))
    if failures:
        raise typer.Exit(ExitCode.FAILURE)


def _check_alone(tables: list[str] | None, panel: list[str] | None, *, retry_failed: bool) -> None:
    options = {"--panel": panel, "--retry-failed": retry_failed}
    given = [*(tables or []), *(name for name, value in options.items() if value)]
    if given:
        raise UsageError(
            "--report-only must be used without TABLE, --panel and --retry-failed, got "
            f"{given[0]!r}. Pages are always about all data sets and panels."
        )


def _config(config: Path | None) -> Path:
    if config is not None:
        return config
    if not PAPER_CONFIG.is_file():
        raise UsageError(
            f"--config must be given where there is no {PAPER_CONFIG}, got none. That file is in "
            "the repository of fuzzyfrog; docs/experiment.md explains how to write another."
        )
    return PAPER_CONFIG


def _available_panels(config: Path) -> list[str]:
    """Return the panels of a config, without Weka if it is missing and there are others."""
    panels = list(read_config(config).panels)
    others = [name for name in panels if name != "weka"]
    missing = missing_for_weka() if "weka" in panels else None
    if missing is None or not others:
        return panels
    warn(f"the panel weka is skipped; the same command adds it later. {missing}")
    return others


@contextmanager
def _in_sentences(out: Path) -> Iterator[None]:
    """Word the errors of an experiment for the command line."""
    try:
        yield
    except (StoreError, WekaNotFoundError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        if error.filename is None:  # as in an UnwrittenError, which names its files itself
            raise
        raise UsageError(
            f"--out must be a folder that can be written, got {str(out)!r} ({error.strerror})."
        ) from None
    except KeyboardInterrupt:
        tell(f"interrupted; the same command resumes from the cells in {out}")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
