"""The scores beside a saved run, from which a killed run goes on."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli.console import safe, tell
from fuzzyfrog.cli.errors import UsageError
from fuzzyfrog.common.files import Unwritten, written_whole

if TYPE_CHECKING:
    from fuzzyfrog.cli.inputs import Asked, LoadedTable
    from fuzzyfrog.records import Run

__all__ = [
    "Files",
    "Output",
    "Report",
    "Resume",
    "Save",
    "check_outputs",
    "checkpoint_beside",
    "proof_files",
    "scores_beside",
    "write_table",
]


def scores_beside(save: Path | None) -> dict[str, Path | None]:
    """Return the files that belong to the checkpoint of a run, with what each of them is."""
    if save is None:
        return {}
    scores = _scores(save)
    return {
        "the scores of --save": scores,
        "the lock of --save": scores.with_name(f"{scores.name}.lock"),
        **dict(
            zip(("the proof of --save", "the place of --save"), proof_files(scores), strict=True)
        ),
    }


def proof_files(scores: Path) -> tuple[Path, Path]:
    """Return the files of a proof beside its scores, as `fuzzyfrog.search.proof_log` names them."""
    return scores.with_name(f"{scores.name}.proof"), scores.with_name(f"{scores.name}.place")


def checkpoint_beside(save: Path | None, *, resume: bool) -> Path | None:
    """Return the file for the scores of a run that is saved; None for one that is not.

    Scores of an earlier run are hours of work: they are gone on with, or the user deletes them.
    """
    if save is None:
        if resume:
            raise UsageError(
                "--resume must come with --save, got none. The scores of a run are kept beside "
                "the file that it is saved to."
            )
        return None
    scores = _scores(save)
    if resume:
        if not scores.exists():
            tell(f"there is no {scores.name} to resume from; the search starts anew")
    elif scores.exists():
        raise UsageError(
            f"{scores} exists, the scores of an earlier run. Add --resume to go on with it, or "
            "delete the file."
        )
    return scores


def _scores(save: Path) -> Path:
    return save.with_name(f"{save.name}.scores")


def check_outputs(outputs: Mapping[str, Path | None], source: os.stat_result | None = None) -> None:
    """Refuse paths that cannot be written, that are the table itself, or that are the same.

    Parameters
    ----------
    outputs : dict
        The path given with each option, if one was.
    source : os.stat_result, optional
        The file that is read.
    """
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        goal = _resolved(option, path)
        _check_path(option, path, goal)
        if source is not None and _is_same(path, source):
            raise UsageError(
                f"{option} must not be the file that is read, got {str(path)!r}. "
                "Give another name: what was read is never written over."
            )
        if (other := seen.setdefault(goal, option)) != option:
            raise UsageError(
                f"{option} must be another file than {other}, got {str(path)!r} for both."
            )


def _resolved(option: str, path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a link to itself, a NUL
        raise UsageError(
            f"{option} must be a path that leads somewhere, got {str(path)!r} ({error})."
        ) from None


def _check_path(option: str, path: Path, goal: Path) -> None:
    _check_name(option, goal)
    if goal.is_dir():
        raise UsageError(
            f"{option} must be a file, got the folder {str(path)!r}. Add the name of a file."
        )
    if not goal.parent.is_dir():
        raise UsageError(
            f"{option} must be in a folder that exists, got {str(path)!r}. Make the folder first."
        )
    if goal.exists() and not goal.is_file():
        raise UsageError(
            f"{option} must be a regular file, got {str(path)!r}, which is a pipe or device."
        )
    reason = _why_not_writable(goal)
    if reason is not None:
        raise UsageError(
            f"{option} must be a file that can be written, got {str(path)!r} ({reason}). "
            "Check the permissions, or give another path."
        )


def _check_name(option: str, goal: Path) -> None:
    try:
        goal.lstat()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UsageError(
                f"{option} must have a name that the disk can take, got one of {len(goal.name)} "
                "characters. Give a shorter one."
            ) from None


def _why_not_writable(path: Path) -> str | None:
    if path.exists() and not os.access(path, os.W_OK):
        return "the file is read-only"
    try:
        # Trying is the only test that also knows of read-only disks.
        with tempfile.TemporaryFile(dir=path.parent):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _is_same(path: Path, source: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), source)
    except OSError:
        return False


PANEL = "Files to write"

Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE.html", help="A page for people.", rich_help_panel=PANEL),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The reduced table: csv, tsv (also with .gz) or parquet.",
        rich_help_panel=PANEL,
    ),
]
Save = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.json",
        help="The record of the run, for explain and report; scores are kept beside it.",
        rich_help_panel=PANEL,
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        metavar="",
        help="Go on with the run that is kept beside --save.",
        rich_help_panel=PANEL,
    ),
]


@dataclass(frozen=True)
class Files:
    """Where the results go, beside stdout."""

    report: Path | None = None
    output: Path | None = None
    save: Path | None = None
    scores: Path | None = None

    @property
    def are_none(self) -> bool:
        """Whether nothing is to be written."""
        return self.report is self.output is self.save is None

    def check(self, asked: Asked) -> None:
        """Refuse what cannot be written, and what must not be."""
        from fuzzyfrog.data.write_table import check_reduced_name

        given = {"--report": self.report, "--output": self.output, "--save": self.save}
        check_outputs({**given, **scores_beside(self.save)}, asked.source())
        if self.output is not None:
            check_reduced_name(self.output)

    def write(self, run: Run, loaded: LoadedTable) -> Unwritten:
        """Write all of them that can be written, and return those that could not."""
        unwritten = Unwritten()
        if self.save is not None:
            with unwritten.noted(self.save):
                run.save(self.save.resolve())
        if self.output is not None:
            with unwritten.noted(self.output):
                write_table(run.names(run.selected), self.output, loaded)
        if self.report is not None:
            from fuzzyfrog.report import write_report

            with unwritten.noted(self.report):
                write_report(run, self.report.resolve())
        if (
            self.scores is not None
            and run.stop_reason == "converged"
            and self.save not in unwritten
        ):
            for path in (self.scores, *proof_files(self.scores)):
                with suppress(OSError):
                    path.unlink(missing_ok=True)  # there is nothing left to go on with
        return unwritten

    def next_steps(self, run: Run, unwritten: Unwritten) -> list[str]:
        """Return what was written and what else can be had."""
        said = {
            self.report: "open it in a browser",
            self.output: "the reduced table",
            self.save: "for fuzzyfrog explain and fuzzyfrog report",
        }
        written = {path: what for path, what in said.items() if path and path not in unwritten}
        lines = ["", *(f"Written: {safe(path)}, {what}" for path, what in written.items())]
        if self.scores is not None and self.scores.exists():
            lines.append("The same command with --resume goes on from here.")
        missing = []
        if self.report is None:
            missing.append("--report page.html shows why")
        if self.output is None:
            missing.append("--output reduced.csv writes the reduced table")
        return [*lines, f"Next: {', '.join(missing)}"] if missing else lines

    def interruption(self, *, has_found: bool) -> str:
        """Return what is left of a run that was stopped at once."""
        if self.scores is not None and self.scores.exists():
            return f"interrupted; --resume goes on with the scores kept in {self.scores}"
        if has_found:
            return "interrupted before everything was written"
        return "interrupted before anything was found; nothing is written"


def write_table(features: Sequence[str], output: Path, loaded: LoadedTable) -> None:
    """Write the reduced table."""
    from fuzzyfrog.data.write_table import write_reduced

    with written_whole(output) as path:
        write_reduced(loaded.dataset, features, path, loaded.source)
