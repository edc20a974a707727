"""The files that a command writes: reports, reduced tables, saved runs and their scores."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzyfrog.cli.console import safe
from fuzzyfrog.cli.errors import UsageError
from fuzzyfrog.cli.options import FILES, option_field
from fuzzyfrog.common.files import Unwritten, resolved, written_whole
from fuzzyfrog.common.messages import count, first_few, shown

if TYPE_CHECKING:
    from fuzzyfrog.cli.inputs import LoadedTable, TableOptions
    from fuzzyfrog.result import Result


@dataclass(frozen=True, kw_only=True)
class Files:
    """The files that a selection writes; the fields are options."""

    report: Path | None = option_field(None, "FILE.html", "Write an HTML report.", FILES)
    output: Path | None = option_field(
        None,
        "FILE",
        "Write the reduced table with its IDs: csv, tsv (also with .gz), xlsx or parquet.",
        FILES,
        "--output",
        "-o",
    )
    save: Path | None = option_field(
        None,
        "FILE.json",
        "Save the run for explain and report; a run that was stopped resumes.",
        FILES,
    )
    no_rows: bool = option_field(
        False, "", "Keep values of single rows out of the report, the saved run and --json.", FILES
    )

    @property
    def are_none(self) -> bool:
        """Whether there is nothing to write."""
        return self.report is self.output is self.save is None

    @property
    def scores(self) -> Path | None:
        """The checkpoint of the run, next to the file that it is saved to."""
        if self.save is None or not self.save.name:
            return None
        return self.save.with_name(f"{self.save.name}.scores")

    def check(self, asked: TableOptions) -> None:
        """Raise if a file cannot or must not be written."""
        from fuzzyfrog.data.write_table import check_reduced_name

        given = {"--report": self.report, "--output": self.output, "--save": self.save}
        if self.scores is not None:
            given |= {
                "the scores of --save": self.scores,
                "the lock of --save": self.scores.with_name(f"{self.scores.name}.lock"),
                "the place of --save": place_file(self.scores),
            }
        check_outputs(given, asked.source())
        if self.report is not None and self.report.suffix.lower() not in (".html", ".htm"):
            raise UsageError(
                f"--report must be a file that ends in .html, got {str(self.report)!r}. Open the "
                "report in a browser, which can print it to PDF."
            )
        if self.output is not None:
            check_reduced_name(self.output)

    def write_answer(
        self, result: Result, columns: Sequence[str], loaded: LoadedTable
    ) -> Unwritten:
        """Write what was selected and return the files that could not be written."""
        unwritten = Unwritten()
        if self.save is not None:
            with unwritten.noted(self.save):
                result.save(self.save.resolve())
        if self.output is not None:
            with unwritten.noted(self.output):
                write_table(columns, self.output, loaded)
        return unwritten

    def write_rest(self, result: Result, unwritten: Unwritten) -> None:
        """Write what is known about the selection, and note files that cannot be written."""
        if self.save is not None and self.save not in unwritten:
            with unwritten.noted(self.save):
                result.save(self.save.resolve())
        if self.report is not None:
            with unwritten.noted(self.report):
                from fuzzyfrog.report import write_report

                write_report(result, self.report.resolve())
        is_complete = result.stop_reason == "converged" and self.save not in unwritten
        if self.scores is not None and is_complete:
            for path in (self.scores, place_file(self.scores)):
                with suppress(OSError):
                    path.unlink(missing_ok=True)  # there is nothing left to resume

    def next_steps(self, result: Result, unwritten: Unwritten, loaded: LoadedTable) -> list[str]:
        """Return lines about the files that were written and those that could be."""
        explains = "fuzzyfrog explain and " if result.is_explained else ""
        purposes = {
            self.report: "open it in a browser",
            self.output: _reduced(loaded),
            self.save: f"for {explains}fuzzyfrog report",
        }
        written = {path: what for path, what in purposes.items() if path and path not in unwritten}
        lines = ["", *(f"Written: {safe(path)}, {what}" for path, what in written.items())]
        if self.scores is not None and self.scores.exists():
            is_used_up = result.stop_reason == "max_evaluations"
            more = " with a higher --max-evaluations" if is_used_up else ""
            lines.append(f"To continue this run, repeat the command{more}.")
        report = ["--report page.html explains the result"] if self.report is None else []
        output = ["--output reduced.csv writes the reduced table"] if self.output is None else []
        missing = [*report, *output]
        return [*lines, f"Next: {', '.join(missing)}"] if missing else lines

    def interruption(self, *, has_found: bool) -> str:
        """Return what is left of a run that was stopped at once."""
        if self.scores is not None and self.scores.exists():
            return f"interrupted; the same command continues from the scores in {self.scores}"
        if has_found:
            return "interrupted before everything was written"
        return "interrupted before anything was found; nothing is written"


def place_file(scores: Path) -> Path:
    """Return the file of a proof, as `fuzzyfrog.search.checkpoint` names it."""
    return scores.with_name(f"{scores.name}.place")


def write_table(features: Sequence[str], output: Path, loaded: LoadedTable) -> None:
    """Write the reduced table."""
    from fuzzyfrog.data.write_table import write_reduced

    with written_whole(output) as path:
        write_reduced(loaded.dataset, [*features, *loaded.ids], path, loaded.source)


def _reduced(loaded: LoadedTable) -> str:
    """Return which columns and rows a reduced table has besides those of the answer."""
    dataset = loaded.dataset
    ids = [one for one in (dataset.label_name, *loaded.ids) if one is not None]
    named = first_few([shown(one) if one else "the names of its rows" for one in ids])
    said = f"the reduced table{', with ' if ids else ''}{named}"
    if not dataset.n_left_out:
        return said
    n_rows, left_out = dataset.n_samples + dataset.n_left_out, count(dataset.n_left_out, "row")
    return f"{said}; it has all {n_rows:,} rows, also {left_out} left out above"


def check_outputs(outputs: Mapping[str, Path | None], source: os.stat_result | None = None) -> None:
    """Raise if a path cannot be written, is the file that is read, or is given twice."""
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        goal = _resolved(option, path)
        if rule := _broken_rule(path, goal, source):
            raise UsageError(f"{option} must {rule}".replace("{}", repr(str(path))))
        if (other := seen.setdefault(goal, option)) != option:
            raise UsageError(
                f"{option} must be a different file from {other}, got {str(path)!r} for both."
            )


def _broken_rule(path: Path, goal: Path, source: os.stat_result | None) -> str | None:
    """Return what a file to write must be and is not, with braces for its path."""
    if os.path.isdir(goal):  # unlike the methods of Path, it takes a name of any length
        return "be a file, got the folder {}. Add the name of a file."
    if not goal.parent.is_dir():
        return "be in a folder that exists, got {}. Create the folder first."
    if os.path.exists(goal) and not os.path.isfile(goal):
        return "be a regular file, got {}, which is a pipe or device."
    if source is not None and _is_same(path, source):
        return (
            "not be the file that is read, got {}. Choose another name: the input is never "
            "overwritten."
        )
    if reason := why_not_writable(goal):
        return (
            f"be a file that can be written, got {{}} ({reason}). Check the permissions or choose "
            "another path."
        )
    return None


def _resolved(option: str, path: Path) -> Path:
    try:
        return resolved(path)
    except (OSError, ValueError) as error:  # a link to itself, a NUL
        raise UsageError(f"{option} must be a valid path, got {str(path)!r} ({error}).") from None


def why_not_writable(path: Path) -> str | None:
    """Return why a file cannot be written; None if it can."""
    if os.path.exists(path) and not os.access(path, os.W_OK):
        return "the file is read-only"
    try:
        with suppress(FileNotFoundError):
            path.lstat()  # its name may be too long
        # Only trying also detects a read-only disk.
        with tempfile.TemporaryFile(dir=path.parent):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _is_same(path: Path, source: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), source)
    except OSError:
        return False
