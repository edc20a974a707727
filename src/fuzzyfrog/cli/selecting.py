"""A selection on the command line: the answer is written first, then explained and checked."""

import shlex
import sys
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import compress
from math import inf
from typing import TypeVar

import typer
from msgspec import structs

from fuzzyfrog.cli.console import tell, write_json, write_result
from fuzzyfrog.cli.errors import ExitCode, in_options, leave_to_the_answer
from fuzzyfrog.cli.inputs import LoadedTable, TableOptions, opened
from fuzzyfrog.cli.options import CheckOptions, Printing, SelectionOptions
from fuzzyfrog.cli.outputs import Files
from fuzzyfrog.cli.progress import (
    CHOOSING,
    EXPLAINING,
    NOTICE,
    WRITING,
    Limits,
    ProgressState,
    Stopping,
    shown_progress,
)
from fuzzyfrog.common.deadline import (
    ALLOWANCE,
    Deadline,
    TimeIsUp,
    limited,
    stoppable,
    whole_import,
)
from fuzzyfrog.common.files import Unwritten
from fuzzyfrog.common.jit import compiling_heard
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dates import holds_dates
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result import Check, Result, Stability
from fuzzyfrog.select.explain import Evidence, explained
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.identifiers import is_left_out_id
from fuzzyfrog.select.roles import with_columns
from fuzzyfrog.select.selection import select, with_groups
from fuzzyfrog.select.settings import Settings
from fuzzyfrog.select.verify import check_same

T = TypeVar("T")
LEAVING_OUT = (
    b"fuzzyfrog: leaving out the check; the result is still printed and written; press Ctrl-C "
    b"again to stop at once\n"
)


@dataclass(frozen=True)
class Swapped:
    """The answer of which columns were exchanged, its options, and a command for the others."""

    before: Result
    options: SelectionOptions
    command: str

    def check(self, dataset: Dataset, settings: Settings) -> None:
        """Raise unless a table is that of the answer before: an ID that comes in grouped it."""
        asked = replace(settings, **self.options.named(dataset))
        with warnings.catch_warnings(action="ignore"):
            check_same(self.before, with_groups(dataset, asked))


def run_selection(
    options: SelectionOptions,
    files: Files,
    asked: TableOptions,
    checking: CheckOptions,
    printing: Printing,
    swapped: Swapped | None = None,
) -> None:
    """Read a table, select features, and print and write the result; ends with an exit code."""
    known = () if swapped is None else swapped.before.notes
    leave_to_the_answer(known, is_printed=not printing.as_json)
    with shown_progress("starting", quiet=printing.quiet):
        files.check(asked)
        settings = options.settings(files.scores, asked.ignore)
        checking.check()
    stopping = Stopping()
    try:
        with stopping, ExitStack() as stack:
            shows_bound = settings.certify and settings.costs is None
            limits = Limits(settings.max_seconds, settings.max_evaluations, shows_bound)
            with shown_progress(f"reading {asked.table}", limits, quiet=printing.quiet) as course:
                loaded = stack.enter_context(opened(asked))
                dataset = options.grouped(loaded.dataset)
                checking.check_target(dataset)
                settings = replace(settings, **options.named(dataset))
                ids = () if files.output is None else _ids(dataset, options)
                if swapped is not None:
                    swapped.check(dataset, settings)
                loaded = replace(loaded, dataset=with_groups(dataset, settings), ids=ids)
                deadline = Deadline(inf if options.max_seconds is None else options.max_seconds)
                with compiling_heard(course.compile):
                    with stoppable():
                        stopping.notice = NOTICE
                        result, unwritten = _selected(settings, loaded, stopping, course, files)
                        if swapped is not None:
                            result = _exchanged(result, swapped, settings, loaded.dataset)
                        course.phase(EXPLAINING)
                        left = deadline.remaining()
                        result = _explained(result, settings, loaded.dataset, stopping, left)
                    trial = Checking(settings, checking, options.seed, deadline, stopping, course)
                    if not checking.no_check:
                        result = structs.replace(result, check=trial.check(loaded.dataset))
                    if checking.stability:
                        result = trial.with_stability(result, loaded.dataset)
            if files.no_rows:
                result = result.without_rows()
            _write(result, unwritten, files, printing, loaded)
    except KeyboardInterrupt:
        tell(files.interruption(has_found=stopping.has_found))
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    raise typer.Exit(_exit_code(result, stopping, proves=settings.certify))


def _ids(dataset: Dataset, options: SelectionOptions) -> tuple[str, ...]:
    """Return the columns that say which sample it is or how much it counts, no features."""
    asked = [name for names in options.named(dataset).values() for name in names or ()]
    found = [
        name
        for one, name in enumerate(dataset.feature_names)
        if name not in asked and not holds_dates(dataset, one) and is_left_out_id(dataset, one)
    ]
    return (*found, *filter(None, (options.groups, options.weights)))


def _exchanged(result: Result, swapped: Swapped, settings: Settings, dataset: Dataset) -> Result:
    from fuzzyfrog.select.swap import with_exchange  # it imports scikit-learn

    groups = Groups.of(settings.feature_groups, dataset)
    found = with_exchange(result, swapped.before, dataset, settings, groups)
    return structs.replace(found, command=swapped.command)


def _selected(
    settings: Settings, loaded: LoadedTable, stopping: Stopping, course: ProgressState, files: Files
) -> tuple[Result, Unwritten]:
    """Select, and write the answer at once: whatever happens while it is explained, it is there."""
    course.phase(CHOOSING)
    course.start_clock()
    result = select(loaded.dataset, settings, [stopping, course.hear])
    stopping.has_found = True
    notes = tuple(map(in_options, result.notes))
    result = structs.replace(result, command=_command(), notes=notes)
    if not files.are_none:
        course.phase(WRITING)
    groups = Groups.of(settings.feature_groups, loaded.dataset)
    early = "The run ended before it was explained why each feature is selected."
    first = groups.in_result(structs.replace(result, notes=(*notes, early)))
    return result, files.write_answer(
        first.without_rows() if files.no_rows else first,
        [*compress(loaded.dataset.feature_names, groups.mask(result.selected))],
        loaded,
    )


def _explained(
    result: Result, settings: Settings, dataset: Dataset, stopping: Stopping, left: float
) -> Result:
    """Return the result with explanations; once it is interrupted, only those that are quick.

    There are none of an answer that is all features because nothing was scored.
    """
    groups = Groups.of(settings.feature_groups, dataset)
    evidence = Evidence.of(dataset, result, groups)
    hurried = ALLOWANCE / 2 if result.n_evaluations else 0.0
    with limited(Deadline(hurried if stopping.n_asked else max(left, 0.0) + ALLOWANCE)):
        result = with_columns(result, dataset, settings, groups)
        return explained(result, evidence, settings, groups)


def _command() -> str:
    """Return the command that computes the same result again from scratch."""
    return shlex.join(["fuzzyfrog", *sys.argv[1:]])


def _write(
    result: Result, unwritten: Unwritten, files: Files, printing: Printing, loaded: LoadedTable
) -> None:
    """Print the result and write the other files; either is done even if the other fails."""
    try:
        if printing.as_json:
            write_json(result.to_json())
        else:
            from fuzzyfrog.cli.summary import column_lines, result_lines  # slow to import

            more = column_lines(result) if printing.details else ()
            write_result(*result_lines(result, details=printing.details), *more)
    finally:
        with shown_progress(WRITING, quiet=printing.quiet or files.are_none):
            files.write_rest(result, unwritten)
    if not printing.as_json:
        write_result(*files.next_steps(result, unwritten, loaded))
    unwritten.check()


def _exit_code(result: Result, stopping: Stopping, *, proves: bool) -> ExitCode:
    if stopping.n_asked or result.stop_reason == "interrupted":
        return ExitCode.INTERRUPTED
    if proves and (result.certificate is None or not result.certificate.proven):
        return ExitCode.NOT_PROVEN
    return ExitCode.DONE


@dataclass(frozen=True)
class Checking:
    """The check of a selection on the command line, which nothing but signals and time limit.

    Attributes
    ----------
    settings : Settings
        What was selected by.
    options : CheckOptions
        How models are tried.
    seed : int
        Seed of the folds.
    deadline : Deadline
        The end of `--max-seconds`, which covers the check.
    stopping, course
        The signals and the progress of the command.
    """

    settings: Settings
    options: CheckOptions
    seed: int
    deadline: Deadline
    stopping: Stopping
    course: ProgressState

    def check(self, dataset: Dataset) -> Check:
        """Return the check, or why it was left out."""
        found = self._guarded(lambda: self._checked(dataset))
        return Check.without(found) if isinstance(found, str) else found

    def with_stability(self, result: Result, dataset: Dataset) -> Result:
        """Return the result with its stability, or with a note why that was left out."""
        found = self._guarded(lambda: self._stable(result, dataset))
        if not isinstance(found, str):
            return structs.replace(result, stability=found)
        note = f"The stability was left out: {found}"
        tell(note)
        return structs.replace(result, notes=(*result.notes, note))

    def _guarded(self, work: Callable[[], T]) -> T | str:
        """Return what a check returns, or why it was left out: it must never cost the result."""
        if self.stopping.n_asked:
            return "the run was interrupted."
        late, left = "--max-seconds was over.", self.deadline.remaining()
        if left <= 0:  # before scikit-learn is imported for nothing
            return late
        self.stopping.notice, self.stopping.is_checking = LEAVING_OUT, True
        try:
            whole_import("fuzzyfrog.select.halves")  # importing is not checking
            with limited(Deadline(left, n_signals=inf)):
                return work()
        except KeyboardInterrupt:
            if self.stopping.n_asked > 1:
                raise
            reason = "it was interrupted."
        except TimeIsUp:
            reason = late
        except (DataError, ParameterError) as error:
            reason = in_options(error)
        except MemoryError:
            reason = "there was not enough memory."
        except Exception as error:
            found = " ".join(str(error).split())[:200]
            reason = f"it failed ({type(error).__name__}: {found})."
        finally:
            self.stopping.is_checking = False
        return reason

    def _checked(self, dataset: Dataset) -> Check:
        from fuzzyfrog.select.cross_validation import Plan, check_settings

        self._hear("checking with models")
        plan = Plan(self.options.folds, self.options.scorers, seed=self.seed, hear=self._hear)
        return check_settings(self.settings, dataset, plan)

    def _stable(self, result: Result, dataset: Dataset) -> Stability:
        from fuzzyfrog.select.halves import N_PAIRS, stability_of

        return stability_of(self.settings, dataset, result, N_PAIRS, self.seed, self._hear)

    def _hear(self, what: str) -> None:
        """Show the progress; stop after a signal that ended a selection."""
        if self.stopping.n_asked:
            raise KeyboardInterrupt
        self.course.phase(what)
