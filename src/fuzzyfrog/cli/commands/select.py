"""``fuzzyfrog select --search boosted``: gradient boosting, which knows no reducts."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fuzzyfrog.cli import options, outputs
from fuzzyfrog.cli.console import safe, tell, write_json, write_result
from fuzzyfrog.cli.errors import ExitCode, UsageError, in_options
from fuzzyfrog.cli.inputs import Asked, LoadedTable, opened
from fuzzyfrog.cli.interrupt import Stopping
from fuzzyfrog.cli.options import RankingName, SearchName, Wishes
from fuzzyfrog.cli.outputs import Files, checkpoint_beside, write_table
from fuzzyfrog.cli.progress import Course, Limits, compiling_heard, shown_progress
from fuzzyfrog.cli.summary import facts, result_lines, shown_features
from fuzzyfrog.common.deadline import interruptible
from fuzzyfrog.common.files import Unwritten

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fuzzyfrog.cli.options import Wishes
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.records import Run
    from fuzzyfrog.select import FuzzyRoughSelector

__all__ = [
    "Boosted",
    "check_boosted",
    "select",
    "select_boosted",
    "write_boosted",
]


@dataclass(frozen=True)
class Boosted:
    """What boosting selects."""

    table: str
    n_features: int
    features: list[str]
    penalty: float
    dependency: float
    full_dependency: float


def check_boosted(wishes: Wishes, others: dict[str, object]) -> None:
    """Refuse options that mean nothing to boosting."""
    given = {
        "--certify": wishes.certify,
        "--max-seconds": wishes.max_seconds,
        "--sample": wishes.sample is not None,
        "--max-evaluations": wishes.max_evaluations,
        "--ranking": wishes.ranking != "lexicographic",
        "--min-dependency": wishes.min_dependency != 1.0,
        "--n-features": wishes.n_features,
        "--include": wishes.include,
        "--exclude": wishes.exclude,
        "--cluster": wishes.cluster,
        **others,
    }
    meaningless = [option for option, value in given.items() if value]
    if meaningless:
        raise UsageError(
            f"--search boosted must come without {', '.join(meaningless)}. It gives one subset "
            "and no reducts; leave columns out with --ignore, or take another search."
        )


def select_boosted(wishes: Wishes, dataset: Dataset) -> Boosted:
    """Let boosting select features, and measure them."""
    import numpy as np

    from fuzzyfrog.measure import Dependency
    from fuzzyfrog.select import BoostedSelector

    selector = BoostedSelector(n_jobs=wishes.jobs, random_state=wishes.seed).fit(dataset)
    measure = Dependency(
        dataset,
        tnorm=wishes.tnorm,  # type: ignore[arg-type]
        spread=wishes.spread,  # type: ignore[arg-type]
        missing=wishes.missing,  # type: ignore[arg-type]
        n_jobs=wishes.jobs,
    )
    return Boosted(
        table=dataset.name,
        n_features=dataset.n_features,
        features=selector.get_feature_names_out().tolist(),
        penalty=selector.penalty_,
        dependency=float(measure.score(selector.support_[np.newaxis])[0]),
        full_dependency=measure.full,
    )


def write_boosted(found: Boosted, *, as_json: bool) -> None:
    """Print what was selected."""
    if as_json:
        write_json(json.dumps(vars(found), indent=2))
        return
    count = f"{len(found.features)} of {found.n_features:,} features"
    told: list[RenderableType] = [
        f"Boosted trees that pay for each feature use {count} of {safe(found.table)}:",
        "",
        *shown_features(found.features, None),
        "",
        *facts(
            [
                ("dependency", f"{found.dependency:.4f} of {found.full_dependency:.4f}"),
                ("penalty", f"{found.penalty:g}, the price of a feature"),
            ]
        ),
    ]
    write_result(*told)


def select(
    table: options.Table,
    target: options.Target = None,
    search: options.Search = SearchName.FROGS,
    certify: options.Certify = False,
    sample: options.Sample = None,
    max_seconds: options.MaxSeconds = None,
    max_evaluations: options.MaxEvaluations = None,
    seed: options.Seed = 0,
    ranking: options.Ranking = RankingName.LEXICOGRAPHIC,
    min_dependency: options.MinDependency = 1.0,
    n_features: options.NFeatures = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    report: outputs.Report = None,
    output: outputs.Output = None,
    save: outputs.Save = None,
    resume: outputs.Resume = False,
    target_kind: options.TargetKind = options.TargetKindName.AUTO,
    ignore: options.Ignore = None,
    categorical: options.Categorical = None,
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
        table, target, target_kind.value, ignore, categorical, separator, encoding, data, decimal
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
    from fuzzyfrog.common.deadline import Deadline
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
    """Return the command that gives the same result again, from the start."""
    return shlex.join(["fuzzyfrog", *(one for one in sys.argv[1:] if one != "--resume")])


def _exit_code(run: Run, stopping: Stopping, *, certify: bool) -> ExitCode:
    if stopping.n_asked or run.stop_reason == "interrupted":
        return ExitCode.INTERRUPTED
    if certify and (run.certificate is None or not run.certificate.proven):
        return ExitCode.NOT_PROVEN
    return ExitCode.DONE
