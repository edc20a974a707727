"""Experiments, as the commands that run them need it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fuzzyfrog.cli.consoles import tell, warn
from fuzzyfrog.cli.failures import ExitCode, UsageError
from fuzzyfrog.cli.progress import shown_progress

if TYPE_CHECKING:
    from fuzzyfrog.experiment.config import Experiment
    from fuzzyfrog.experiment.runner import Reproduction

__all__ = ["pack", "report_experiment", "run_experiment"]


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
