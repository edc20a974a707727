"""The files that ``fuzzyfrog select`` writes beside what it prints."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli.checkpoints import proof_files, scores_beside
from fuzzyfrog.cli.outputs import check_outputs
from fuzzyfrog.cli.text import safe
from fuzzyfrog.writing import Unwritten, written_whole

if TYPE_CHECKING:
    from fuzzyfrog.cli.tables import Asked, LoadedTable
    from fuzzyfrog.records import Run

__all__ = ["Files", "Output", "Report", "Resume", "Save", "write_table"]

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
        from fuzzyfrog.data.reduced import check_reduced_name

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
        """Tell what was written and what else can be had."""
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
        """Tell what is left of a run that was stopped at once."""
        if self.scores is not None and self.scores.exists():
            return f"interrupted; --resume goes on with the scores kept in {self.scores}"
        if has_found:
            return "interrupted before everything was written"
        return "interrupted before anything was found; nothing is written"


def write_table(features: Sequence[str], output: Path, loaded: LoadedTable) -> None:
    """Write the reduced table."""
    from fuzzyfrog.data.reduced import write_reduced

    with written_whole(output) as path:
        write_reduced(loaded.dataset, features, path, loaded.source)
