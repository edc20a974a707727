"""``fuzzyfrog select``: the fewest features that separate the samples, or that predict."""

from __future__ import annotations

import json
import shlex
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.checking import Checking
from fuzzyfrog.cli.console import safe, tell, write_json, write_result
from fuzzyfrog.cli.errors import ExitCode, UsageError, in_options
from fuzzyfrog.cli.inputs import LoadedTable, TableOptions, opened
from fuzzyfrog.cli.interrupt import Stopping
from fuzzyfrog.cli.options import MeasureOptions, SearchOptions, given_options
from fuzzyfrog.cli.outputs import Files, write_table
from fuzzyfrog.cli.progress import Course, Limits, compiling_heard, shown_progress
from fuzzyfrog.cli.summary import facts, models_line, result_lines, shown_features
from fuzzyfrog.common.deadline import Deadline, interruptible
from fuzzyfrog.common.files import Unwritten

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.records import Check, Run
    from fuzzyfrog.select import FuzzyRoughSelector


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
                selector = search.selector(
                    measure, loaded.dataset, [stopping, course.hear], files.scores
                )
                deadline = Deadline(inf if search.max_seconds is None else search.max_seconds)
                checking = Checking(check, search.seed, deadline, stopping, course)
                run = _searched(selector, loaded.dataset, stopping, course, checking)
            _write(run, loaded, files, as_json=as_json, quiet=quiet)
    except KeyboardInterrupt:
        tell(files.interruption(has_found=stopping.has_found))
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    raise typer.Exit(_exit_code(run, stopping, certify=search.certify))


def _searched(
    selector: FuzzyRoughSelector,
    dataset: Dataset,
    stopping: Stopping,
    course: Course,
    checking: Checking,
) -> Run:
    course.phase("scoring the first subsets")
    course.start_clock()
    with compiling_heard(course.compile):
        selector.fit(dataset)
        course.phase("explaining the result")
        run = _recorded(selector, dataset.name, stopping)
        seconds = max(0.0, run.seconds - course.compiled)
        found = checking.check(selector, dataset, len(run.selected), seconds)
    return replace(run, notes=tuple(map(in_options, run.notes)), check=found)


def _recorded(selector: FuzzyRoughSelector, name: str | None, stopping: Stopping) -> Run:
    """Record a run; once it is interrupted, without explanations that take long."""
    from fuzzyfrog.select.record import record_of
    from fuzzyfrog.select.selector import ALLOWANCE

    deadline = Deadline(ALLOWANCE / 2) if stopping.n_asked else None
    command = _command()
    try:
        with interruptible():
            return record_of(selector, name=name, command=command, deadline=deadline)
    except KeyboardInterrupt:
        if stopping.n_asked > 1:
            raise
        return record_of(selector, name=name, command=command, deadline=Deadline(0))


def _command() -> str:
    """Return the command that computes the same result again from scratch."""
    return shlex.join(["fuzzyfrog", *(one for one in sys.argv[1:] if one != "--resume")])


def _write(run: Run, loaded: LoadedTable, files: Files, *, as_json: bool, quiet: bool) -> None:
    """Print the result and write the files; either is done even if the other fails."""
    try:
        if as_json:
            write_json(run.to_json())
        else:
            write_result(*result_lines(run))
    finally:
        with shown_progress("writing files", quiet=quiet or files.are_none):
            unwritten = files.write(run, loaded)
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
