"""``fuzzyfrog select``: the fewest features that separate the samples, or that predict."""

from __future__ import annotations

import json
import shlex
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import safe, tell, write_json, write_result
from fuzzyfrog.cli.errors import ExitCode, UsageError, in_options
from fuzzyfrog.cli.inputs import LoadedTable, TableOptions, opened
from fuzzyfrog.cli.options import MeasureOptions, SearchOptions, given_options
from fuzzyfrog.cli.outputs import Files, write_table
from fuzzyfrog.cli.progress import Course, Limits, Stopping, shown_progress
from fuzzyfrog.common.deadline import ALLOWANCE, Deadline, TimeIsUp, interruptible, limited
from fuzzyfrog.common.files import Unwritten
from fuzzyfrog.common.jit import compiling_heard
from fuzzyfrog.errors import DataError, ParameterError

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.records import Check, Run
    from fuzzyfrog.select.selection import Selection

LARGE = 20_000  # samples, beyond which a random part is worth a try

# Of the check with models:
FOLDS = 5
USUAL_SECONDS = 10.0  # that a check may take, roughly, unless it is asked for
DOUBT = 3.0  # by which an estimate before the first fold may be wrong; kernels had to be loaded
REST = 1.5  # how much longer a check takes than its folds, and how rough "roughly" is
MOST_SECONDS = 30.0  # after which a check that was not asked for is given up
CHEAP_SECONDS = 5.0  # that must be left for the noise guard and the soft measure alone
NOTICE = (
    b"fuzzyfrog: leaving out the check; the result is still printed and written; press Ctrl-C "
    b"again to stop at once\n"
)


def select(
    search: SearchOptions,
    files: Files,
    asked: TableOptions,
    measure: MeasureOptions,
    check: options.Check = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the fewest features that separate these samples as well as all features do.

    With --measure soft: the features by which similar samples have the same class, for prediction.

    Then models check whether the selected features are enough. Ctrl-C stops with the best subset
    so far and still writes all files.
    """
    is_boosted = search.search == "boosted"
    with shown_progress("starting", quiet=quiet):
        files.check(asked)
        if not is_boosted:
            search.check()
    if is_boosted:
        _boost(search, measure, files, asked, check, as_json=as_json, quiet=quiet)
        return
    files.check_resume()
    stopping = Stopping()
    try:
        with stopping, ExitStack() as stack:
            limits = Limits(search.max_seconds, search.max_evaluations, search.certify)
            with shown_progress(f"reading {asked.table}", limits, quiet=quiet) as course:
                loaded = stack.enter_context(opened(asked))
                if loaded.dataset.n_samples > LARGE and _sample_would_help(search, measure):
                    tell(
                        f"{loaded.dataset.n_samples:,} samples take a while; --sample 3000 scores "
                        "subsets on a random part of them, for an estimate in less time."
                    )
                selection = search.selection(
                    measure, loaded.dataset, [stopping, course.hear], files.scores
                )
                deadline = Deadline(inf if search.max_seconds is None else search.max_seconds)
                checking = Checking(check, search.seed, deadline, stopping, course)
                with compiling_heard(course.compile):
                    run, unwritten = _searched(selection, loaded, stopping, course, files)
                    run = _enriched(run, selection, loaded.dataset, stopping, course, checking)
            if files.no_rows:
                run = run.without_rows()
            _write(run, unwritten, files, as_json=as_json, quiet=quiet)
    except KeyboardInterrupt:
        tell(files.interruption(has_found=stopping.has_found))
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    raise typer.Exit(_exit_code(run, stopping, certify=search.certify))


def _sample_would_help(search: SearchOptions, measure: MeasureOptions) -> bool:
    """Whether every subset is scored on all rows, though an estimate could be asked for."""
    proves = search.certify or search.search in {"exact", "front"}
    if search.sample is not None or measure.is_soft or proves:
        return False
    is_default_goal = search.min_dependency == 1 and search.n_features is None
    starts_on_sample = is_default_goal and search.ranking == "lexicographic"
    return search.search == "quickreduct" or not starts_on_sample


def _searched(
    selection: Selection, loaded: LoadedTable, stopping: Stopping, course: Course, files: Files
) -> tuple[Run, Unwritten]:
    """Select, and write the answer at once: whatever happens while it is explained, it is there."""
    from fuzzyfrog.select.record import answer_of

    course.phase("scoring the first subsets")
    course.start_clock()
    selection.fit(loaded.dataset)
    stopping.has_found = True
    run = answer_of(selection, name=loaded.dataset.name, command=_command())
    run = replace(run, notes=tuple(map(in_options, run.notes)))
    columns = list(map(str, selection.get_feature_names_out()))
    if not files.are_none:
        course.phase("writing files")
    first = run.without_rows() if files.no_rows else run
    return run, files.write_answer(first, columns, loaded)


def _enriched(
    run: Run,
    selection: Selection,
    dataset: Dataset,
    stopping: Stopping,
    course: Course,
    checking: Checking,
) -> Run:
    """Return the run with explanations and the check, as far as there are time and memory."""
    from fuzzyfrog.cli.summary import named

    course.phase(f"explaining the result, {named(run.names(run.selected))}")
    run = _recorded(selection, dataset.name, stopping)
    run = replace(run, notes=tuple(map(in_options, run.notes)))
    seconds = max(0.0, run.seconds - course.compiled)
    return replace(run, check=checking.check(selection, dataset, len(run.selected), seconds))


def _recorded(selection: Selection, name: str | None, stopping: Stopping) -> Run:
    """Record a run; once it is interrupted, without explanations that take long."""
    from fuzzyfrog.select.record import record_of

    deadline = Deadline(ALLOWANCE / 2) if stopping.n_asked else None
    command = _command()
    try:
        with interruptible():
            return record_of(selection, name=name, command=command, deadline=deadline)
    except KeyboardInterrupt:
        if stopping.n_asked > 1:
            raise
        return record_of(selection, name=name, command=command, deadline=Deadline(0))


def _command() -> str:
    """Return the command that computes the same result again from scratch."""
    return shlex.join(["fuzzyfrog", *(one for one in sys.argv[1:] if one != "--resume")])


def _write(run: Run, unwritten: Unwritten, files: Files, *, as_json: bool, quiet: bool) -> None:
    """Print the result and write the other files; either is done even if the other fails."""
    try:
        if as_json:
            write_json(run.to_json())
        else:
            from fuzzyfrog.cli.summary import result_lines  # a refusal need not wait for it

            write_result(*result_lines(run))
    finally:
        with shown_progress("writing files", quiet=quiet or files.are_none):
            files.write_rest(run, unwritten)
    if not as_json:
        write_result(*files.next_steps(unwritten))
    unwritten.check()


def _exit_code(run: Run, stopping: Stopping, *, certify: bool) -> ExitCode:
    if stopping.n_asked or run.stop_reason == "interrupted":
        return ExitCode.INTERRUPTED
    if certify and (run.certificate is None or not run.certificate.proven):
        return ExitCode.NOT_PROVEN
    return ExitCode.DONE


@dataclass(frozen=True)
class _Boosted:
    """The features that boosting selects; the fields are the JSON document."""

    table: str
    n_features: int
    features: list[str]
    penalty: float
    dependency: float
    full_dependency: float
    check: Check | None


def _boost(
    search: SearchOptions,
    measure: MeasureOptions,
    files: Files,
    asked: TableOptions,
    check: bool | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Select by gradient boosting, which finds one subset and no reducts."""
    meaningless = [
        *given_options(measure, but=("tnorm", "spread", "missing", "jobs")),
        *given_options(search, but=("search", "seed")),
        *given_options(files, but=("output",)),
    ]
    if meaningless:
        raise UsageError(
            f"--search boosted must come without {', '.join(meaningless)}. It finds one subset "
            "and no reducts; leave columns out with --ignore, or choose another search."
        )
    with ExitStack() as stack:
        with shown_progress(f"reading {asked.table}", quiet=quiet) as course:
            loaded = stack.enter_context(opened(asked))
            course.phase("growing trees")
            stopping = Stopping()
            checking = Checking(check, search.seed, Deadline(), stopping, course)
            found = _boosted(loaded.dataset, search.seed, measure, checking, stopping)
        if as_json:
            from fuzzyfrog.records.codec import encoded

            write_json(json.dumps(encoded(found), indent=2))
        else:
            _print_boosted(found)
        if files.output is not None:
            unwritten = Unwritten()
            with unwritten.noted(files.output):
                write_table(found.features, files.output, loaded)
            unwritten.check()


def _boosted(
    dataset: Dataset, seed: int, measure: MeasureOptions, checking: Checking, stopping: Stopping
) -> _Boosted:
    import numpy as np

    from fuzzyfrog.measure import Dependency
    from fuzzyfrog.select import BoostedSelector

    start = time.monotonic()
    selector = BoostedSelector(n_jobs=measure.jobs, random_state=seed).fit(dataset)
    seconds = time.monotonic() - start
    dependency = Dependency(dataset, **measure.parameters())
    score = float(dependency.score(selector.support_[np.newaxis])[0])
    with stopping:
        check = checking.check(selector, dataset, selector.n_features_, seconds)
    return _Boosted(
        table=dataset.name,
        n_features=dataset.n_features,
        features=selector.get_feature_names_out().tolist(),
        penalty=selector.penalty_,
        dependency=score,
        full_dependency=dependency.full,
        check=check,
    )


def _print_boosted(found: _Boosted) -> None:
    from fuzzyfrog.cli.summary import facts, models_line, shown_features

    result = "" if found.check is None else found.check.conclusion()
    count = f"{len(found.features)} of {found.n_features:,} features"
    write_result(
        f"Boosted trees with a penalty for each feature use {count} of {safe(found.table)}:",
        "",
        *shown_features(found.features, None),
        "",
        *facts(
            [
                ("models", models_line(found.check, result)),
                ("dependency", f"{found.dependency:.4f} of {found.full_dependency:.4f}"),
                ("penalty", f"{found.penalty:g} for each feature"),
            ]
        ),
    )


class Checking:
    """The check of a selection on the command line.

    Parameters
    ----------
    asked : bool or None
        Whether it was asked for; None if it depends on the time it takes.
    seed : int
        Seed of the run.
    deadline : Deadline
        The end of `--max-seconds`, which covers the check.
    stopping, course
        The signals and the progress of the command.
    """

    def __init__(
        self, asked: bool | None, seed: int, deadline: Deadline, stopping: Stopping, course: Course
    ) -> None:
        self._asked = asked
        self._seed = seed
        self._deadline = deadline
        self._stopping = stopping
        self._course = course
        self._n_signals = stopping.n_asked

    def check(
        self, selector: Any, dataset: Dataset, n_selected: int, seconds: float
    ) -> Check | None:
        """Return the check of a selection that took some seconds; None if nobody wants it."""
        if self._asked is False:
            return None
        if self._is_stopped():
            return self._without(dataset, "the run was interrupted.")
        self._stopping.notice = NOTICE
        try:
            return self._checked(selector, dataset, n_selected, seconds)
        except KeyboardInterrupt:
            if self._stopping.n_asked - self._n_signals != 1:
                raise
            return self._without(dataset, "it was interrupted; --check does it again.")
        except _TooLong as told:
            return self._cheap(selector, self._without(dataset, str(told)), dataset)
        except TimeIsUp:
            return self._without(dataset, "--max-seconds was over.")
        except (DataError, ParameterError) as error:
            return self._without(dataset, in_options(error))
        except MemoryError:
            return self._without(dataset, "there was not enough memory.")
        except Exception as error:  # a check must never cost the result that it is about
            reason = " ".join(str(error).split())[:200]
            return self._without(dataset, f"it failed ({type(error).__name__}: {reason}).")

    def _checked(self, selector: Any, dataset: Dataset, n_selected: int, seconds: float) -> Check:
        """Return the check, or at least a part of it if all of it would take too long."""
        begun = time.monotonic()
        from fuzzyfrog.select.cross_validation import CrossValidation, estimated_seconds

        spent = time.monotonic() - begun
        self._deadline = Deadline(self._deadline.remaining() + spent)  # importing is not checking
        if self._is_stopped():  # while scikit-learn was imported
            return self._without(dataset, "the run was interrupted.")
        needed = estimated_seconds(dataset, n_selected, seconds, FOLDS)
        if needed > self._deadline.remaining():
            left = max(0.0, self._deadline.remaining())
            reason = f"it would take {_about(needed)}, and --max-seconds leaves {left:.0f} s."
            return self._without(dataset, reason)
        if self._asked is None and needed > DOUBT * USUAL_SECONDS:
            raise _TooLong(f"it would take {_about(needed)}; --check does it.")
        self._begun, self._n_heard = time.monotonic() - self._course.compiled, 0
        with interruptible(), limited(self._deadline):
            trial = CrossValidation(selector, dataset, None, FOLDS, self._seed, self._hear)
            return trial.checked()

    def _is_stopped(self) -> bool:
        return self._stopping.n_asked > 0

    def _hear(self, what: str) -> None:
        """Show the progress; stop after a signal that a search took for its own, or if it is slow.

        The first fold tells how long the others take. Kernels are compiled only once.
        """
        if self._stopping.n_asked > self._n_signals:
            raise KeyboardInterrupt
        self._n_heard += 1
        seconds = time.monotonic() - self._course.compiled - self._begun
        needed = FOLDS * seconds
        if self._asked is None and self._n_heard == 2 and needed > REST * USUAL_SECONDS:
            raise _TooLong(f"it would take {_about(REST * needed)}; --check does it.")
        if self._asked is None and seconds > MOST_SECONDS:
            raise _TooLong(f"it takes more than {_about(MOST_SECONDS)}; --check does it.")
        self._course.phase(what)

    def _cheap(self, selector: Any, check: Check, dataset: Dataset) -> Check:
        """Return a check without models, but with the parts that take little time."""
        from fuzzyfrog.records import NoiseGuard
        from fuzzyfrog.select.cross_validation import guard_of, soft_features_of
        from fuzzyfrog.select.selection import Selection

        is_fuzzy = isinstance(selector, Selection)
        if not is_fuzzy or self._deadline.remaining() < CHEAP_SECONDS:
            return check
        self._stopping.notice = NOTICE
        self._course.phase("checking against shuffled columns")
        try:
            with interruptible(), limited(self._deadline):
                noise = guard_of(selector, dataset, self._seed)
                found = noise if isinstance(noise, NoiseGuard) else None
                soft = soft_features_of(selector, dataset, found)
        except KeyboardInterrupt:
            if self._stopping.n_asked > self._n_signals + 1:
                raise
            return check
        except Exception:  # out of time, too; it must never cost the result that it is about
            return check
        if self._stopping.n_asked > self._n_signals:  # a search ends at a signal
            return check
        return replace(check, noise=found, soft_features=soft)

    def _without(self, dataset: Dataset, reason: str) -> Check:
        from fuzzyfrog.records import Check

        return Check(
            metric="R²" if dataset.classes is None else "balanced accuracy",
            models=(),
            folds=FOLDS,
            seed=self._seed,
            n_samples=0,
            scores=(),
            soft_features=(),
            noise=None,
            left_out=reason,
            notes=(),
        )


class _TooLong(TimeIsUp):
    """A check that was not asked for takes too long."""


def _about(seconds: float) -> str:
    if seconds < 100:
        return f"about {max(1, round(seconds))} s"
    if seconds < 5_400:
        return f"about {round(seconds / 60)} minutes"
    return f"about {round(seconds / 3_600)} hours"
