"""``fuzzyfrog select``: the fewest features, and everything that is made of them."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fuzzyfrog.cli import files, options, searching
from fuzzyfrog.cli.boosted import check_boosted, select_boosted, write_boosted
from fuzzyfrog.cli.checkpoints import checkpoint_beside
from fuzzyfrog.cli.compiling import compiling_heard
from fuzzyfrog.cli.consoles import tell, write_json, write_result
from fuzzyfrog.cli.course import Course, Limits
from fuzzyfrog.cli.failures import ExitCode
from fuzzyfrog.cli.files import Files, write_table
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.cli.results import result_lines
from fuzzyfrog.cli.searching import RankingName, SearchName, Wishes
from fuzzyfrog.cli.stopping import Stopping
from fuzzyfrog.cli.tables import Asked, LoadedTable, opened
from fuzzyfrog.cli.wording import in_options
from fuzzyfrog.interruption import interruptible
from fuzzyfrog.writing import Unwritten

if TYPE_CHECKING:
    from fuzzyfrog.records import Run
    from fuzzyfrog.select import FuzzyRoughSelector

__all__ = ["select"]


def select(
    table: options.Table,
    target: options.Target = None,
    search: searching.Search = SearchName.FROGS,
    certify: searching.Certify = False,
    sample: searching.Sample = None,
    max_seconds: searching.MaxSeconds = None,
    max_evaluations: searching.MaxEvaluations = None,
    seed: searching.Seed = 0,
    ranking: searching.Ranking = RankingName.LEXICOGRAPHIC,
    min_dependency: searching.MinDependency = 1.0,
    n_features: searching.NFeatures = None,
    include: searching.Include = None,
    exclude: searching.Exclude = None,
    report: files.Report = None,
    output: files.Output = None,
    save: files.Save = None,
    resume: files.Resume = False,
    target_kind: options.TargetKind = options.TargetKindName.AUTO,
    ignore: options.Ignore = None,
    nominal: options.Nominal = None,
    separator: options.Separator = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = "utf-8",
    data: options.Data = None,
    tnorm: options.TNorm = options.TNormName.LUKASIEWICZ,
    spread: options.Spread = options.SpreadName.STD,
    missing: options.Missing = options.MissingRule.SIMILAR,
    jobs: options.Jobs = None,
    cluster: options.Cluster = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the fewest features that tell the classes apart as well as all of them.

    Prints them to stdout. Ctrl-C stops with the best so far and still writes all files.
    """
    asked = Asked(
        table, target, target_kind.value, ignore, nominal, separator, encoding, data, decimal
    )
    wishes = Wishes(
        search.value, tnorm.value, spread.value, missing.value, ranking.value,
        min_dependency, n_features, include, exclude, certify, sample,
        max_seconds, max_evaluations, seed, jobs, cluster,
    )  # fmt: skip
    with shown_progress("starting", quiet=quiet):
        Files(report, output, save).check(asked)
        if search is not SearchName.BOOSTED:
            wishes.check()
    if search is SearchName.BOOSTED:
        check_boosted(wishes, {"--report": report, "--save": save, "--resume": resume})
        _boosted(wishes, asked, output, as_json=as_json, quiet=quiet)
        return
    goals = Files(report, output, save, checkpoint_beside(save, resume=resume))
    stopping = Stopping()
    try:
        with stopping:
            run = _selected(wishes, asked, goals, stopping, as_json=as_json, quiet=quiet)
    except KeyboardInterrupt:
        tell(goals.interruption(has_found=stopping.has_found))
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    raise typer.Exit(_exit_code(run, stopping, certify=certify))


def _boosted(
    wishes: Wishes, asked: Asked, output: Path | None, *, as_json: bool, quiet: bool
) -> None:
    with ExitStack() as stack:
        with shown_progress(f"reading {asked.table}", quiet=quiet) as course:
            loaded = stack.enter_context(opened(asked))
            course.phase("growing trees")
            found = select_boosted(wishes, loaded.dataset)
        write_boosted(found, as_json=as_json)
        if output is not None:
            unwritten = Unwritten()
            with unwritten.noted(output):
                write_table(found.features, output, loaded)
            unwritten.check()


def _selected(
    wishes: Wishes, asked: Asked, goals: Files, stopping: Stopping, *, as_json: bool, quiet: bool
) -> Run:
    """Search, print and write; a file that cannot be written does not cost the answer."""
    limits = Limits(wishes.max_seconds, wishes.max_evaluations, wishes.certify)
    with ExitStack() as stack:
        with shown_progress(f"reading {asked.table}", limits, quiet=quiet) as course:
            loaded = stack.enter_context(opened(asked))
            run = _searched(wishes, loaded, goals.scores, stopping, course)
        try:
            if as_json:
                write_json(run.to_json())
            else:
                write_result(*result_lines(run))
        finally:
            with shown_progress("writing files", quiet=quiet or goals.are_none):
                unwritten = goals.write(run, loaded)
        if not as_json:
            write_result(*goals.next_steps(run, unwritten))
        unwritten.check()
        return run


def _searched(
    wishes: Wishes, loaded: LoadedTable, scores: Path | None, stopping: Stopping, course: Course
) -> Run:
    selector = wishes.selector(loaded.dataset, [stopping, course.hear], scores)
    course.phase("scoring the first subsets")
    course.start_clock()
    with compiling_heard(course.compile):
        selector.fit(loaded.dataset)
        course.phase("explaining the result")
        run = _recorded(selector, loaded.dataset.name, stopping)
    return replace(run, notes=tuple(map(in_options, run.notes)))


def _recorded(selector: FuzzyRoughSelector, name: str | None, stopping: Stopping) -> Run:
    """Record a run; after Ctrl-C, or at it, without explanations that take long."""
    from fuzzyfrog.deadline import Deadline
    from fuzzyfrog.select.limits import ALLOWANCE
    from fuzzyfrog.select.recording import record_of

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
    """Give the command that gives the same result again, from the start."""
    return shlex.join(["fuzzyfrog", *(one for one in sys.argv[1:] if one != "--resume")])


def _exit_code(run: Run, stopping: Stopping, *, certify: bool) -> ExitCode:
    if stopping.n_asked or run.stop_reason == "interrupted":
        return ExitCode.INTERRUPTED
    if certify and (run.certificate is None or not run.certificate.proven):
        return ExitCode.NOT_PROVEN
    return ExitCode.DONE
