"""Experiments, as the commands that run them need it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import safe, tell, warn, write_result
from fuzzyfrog.cli.errors import ExitCode, UsageError
from fuzzyfrog.cli.options import names_in
from fuzzyfrog.cli.progress import shown_progress

if TYPE_CHECKING:
    from fuzzyfrog.experiment.config import Experiment
    from fuzzyfrog.experiment.runner import Reproduction

__all__ = [
    "pack",
    "report_experiment",
    "reproduce",
    "run_experiment",
]


def run_experiment(
    config: Path | Experiment,
    data: Path | None,
    out: Path,
    *,
    only: Sequence[str] | None = None,
    panels: Sequence[str] | None = None,
    retry_failed: bool = False,
    n_jobs: int | None = None,
    quiet: bool = False,
    figures: bool = True,
) -> Reproduction:
    """Run the experiment of a config, as `fuzzyfrog.experiment.runner.reproduce` does."""
    with _in_sentences(out, quiet=quiet):
        from fuzzyfrog.experiment.runner import reproduce

        return reproduce(
            config, data, out, only=only, panels=panels or _panels_at_hand(config),
            retry_failed=retry_failed, n_jobs=n_jobs, quiet=quiet, figures=figures,
        )  # fmt: skip


def _panels_at_hand(config: Path | Experiment) -> list[str]:
    """Return the panels of a config, without Weka's if it is not installed and there are others."""
    from fuzzyfrog.experiment.config import Experiment, read_config
    from fuzzyfrog.experiment.weka.process import missing_for_weka

    experiment = config if isinstance(config, Experiment) else read_config(config)
    panels = list(experiment.panels)
    others = [name for name in panels if name != "weka"]
    missing = missing_for_weka() if "weka" in panels else None
    if missing is None or not others:
        return panels
    warn(f"the panel weka is left out; the same command adds it later. {missing}")
    return others


def report_experiment(
    config: Path, data: Path | None, out: Path, *, quiet: bool = False
) -> tuple[Path, ...]:
    """Write pages about the cells that are there, and give their paths."""
    with _in_sentences(out, quiet=quiet):
        from fuzzyfrog.experiment.runner import write_report

        return write_report(config, data, out)


def pack(out: Path) -> Path:
    """Move the cells into a packed file, and give its path."""
    with _in_sentences(out, quiet=True):
        from fuzzyfrog.experiment.cells import pack_cells
        from fuzzyfrog.experiment.runner import CELLS_FILE

        return pack_cells(out / CELLS_FILE)


@contextmanager
def _in_sentences(out: Path, *, quiet: bool) -> Iterator[None]:
    """Turn what can go wrong with an experiment into what the command line says."""
    with shown_progress("starting the experiment", quiet=quiet):
        from fuzzyfrog.experiment.cells import StoreError
        from fuzzyfrog.experiment.weka.process import WekaNotFoundError
    try:
        yield
    except (StoreError, WekaNotFoundError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        if error.filename is None:  # as of an UnwrittenError, which names its files itself
            raise
        raise UsageError(
            f"--out must be a folder that can be written, got {str(out)!r} ({error.strerror})."
        ) from None
    except KeyboardInterrupt:
        tell(f"interrupted; with the same --out, the same command goes on from there ({out})")
        raise typer.Exit(ExitCode.INTERRUPTED) from None


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
