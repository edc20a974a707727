"""``fuzzyfrog select``: the fewest features, and everything that is made of them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli import options, searching
from fuzzyfrog.cli.boosted import check_boosted, select_boosted, write_boosted
from fuzzyfrog.cli.checkpoints import checkpoint_beside
from fuzzyfrog.cli.consoles import tell, write_json, write_result
from fuzzyfrog.cli.failures import ExitCode
from fuzzyfrog.cli.outputs import check_outputs, written_whole
from fuzzyfrog.cli.progress import Limits, shown_progress
from fuzzyfrog.cli.results import result_lines
from fuzzyfrog.cli.searching import RankingName, SearchName, Wishes
from fuzzyfrog.cli.stopping import Stopping
from fuzzyfrog.cli.tables import Asked, LoadedTable, opened
from fuzzyfrog.cli.text import safe

if TYPE_CHECKING:
    from fuzzyfrog.records import Run

__all__ = ["select"]

FILES = "Files to write"

Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE.html", help="A page for people.", rich_help_panel=FILES),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The reduced table: csv, tsv (also with .gz) or parquet.",
        rich_help_panel=FILES,
    ),
]
Save = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.json",
        help="The record of the run, for explain and report; scores are kept beside it.",
        rich_help_panel=FILES,
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", help="Go on with the run that is kept beside --save.", rich_help_panel=FILES
    ),
]


@dataclass(frozen=True)
class Files:
    """Where the results go, beside stdout."""

    report: Path | None
    output: Path | None
    save: Path | None
    scores: Path | None


def select(
    table: options.Table,
    target: options.Target = None,
    search: searching.Search = SearchName.FROGS,
    certify: searching.Certify = False,
    max_seconds: searching.MaxSeconds = None,
    max_evaluations: searching.MaxEvaluations = None,
    seed: searching.Seed = 0,
    ranking: searching.Ranking = RankingName.LEXICOGRAPHIC,
    min_dependency: searching.MinDependency = 1.0,
    n_features: searching.NFeatures = None,
    include: searching.Include = None,
    exclude: searching.Exclude = None,
    report: Report = None,
    output: Output = None,
    save: Save = None,
    resume: Resume = False,
    target_kind: options.TargetKind = options.TargetKindName.AUTO,
    ignore: options.Ignore = None,
    nominal: options.Nominal = None,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    data: options.Data = None,
    tnorm: options.TNorm = options.TNormName.LUKASIEWICZ,
    spread: options.Spread = options.SpreadName.STD,
    missing: options.Missing = options.MissingRule.SIMILAR,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the fewest features that tell the classes apart as well as all of them.

    Prints them to stdout. Ctrl-C stops with the best so far and still writes all files.
    """
    asked = Asked(table, target, target_kind.value, ignore, nominal, separator, encoding, data)
    wishes = Wishes(
        search.value, tnorm.value, spread.value, missing.value, ranking.value,
        min_dependency, n_features, include, exclude, certify,
        max_seconds, max_evaluations, seed, jobs,
    )  # fmt: skip
    _check_paths(table, {"--report": report, "--output": output, "--save": save})
    if search is SearchName.BOOSTED:
        check_boosted(wishes, {"--report": report, "--save": save, "--resume": resume})
        with opened(asked) as loaded:
            _boosted(wishes, loaded, output, as_json=as_json)
        return
    files = Files(report, output, save, checkpoint_beside(save, resume=resume))
    with Stopping() as stopping, opened(asked) as loaded:
        run = _searched(wishes, loaded, files.scores, stopping, quiet=quiet)
        _write(run, files, loaded)
    if as_json:
        write_json(run.to_json())
    else:
        write_result(*result_lines(run), *_next_steps(run, files))
    raise typer.Exit(_exit_code(run, stopping, certify=certify))


def _boosted(wishes: Wishes, loaded: LoadedTable, output: Path | None, *, as_json: bool) -> None:
    found = select_boosted(wishes, loaded.dataset)
    if output is not None:
        _write_table(found.features, output, loaded)
    write_boosted(found, as_json=as_json)


def _check_paths(table: str, outputs: dict[str, Path | None]) -> None:
    from fuzzyfrog.data.reduced import check_reduced_name

    check_outputs(outputs, table)
    if outputs["--output"] is not None:
        check_reduced_name(outputs["--output"])


def _searched(
    wishes: Wishes, loaded: LoadedTable, scores: Path | None, stopping: Stopping, *, quiet: bool
) -> Run:
    from fuzzyfrog.select.recording import record_of

    limits = Limits(wishes.max_seconds, wishes.max_evaluations, wishes.certify)
    try:
        with shown_progress(limits, quiet=quiet) as callbacks:
            selector = wishes.selector([stopping, *callbacks], scores).fit(loaded.dataset)
    except KeyboardInterrupt:
        tell("interrupted before anything was found; nothing is written")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    command = shlex.join(["fuzzyfrog", *sys.argv[1:]])
    return record_of(selector, name=loaded.dataset.name, command=command)


def _write(run: Run, files: Files, loaded: LoadedTable) -> None:
    if files.save is not None:
        run.save(files.save.resolve())
    if files.output is not None:
        _write_table(run.names(run.selected), files.output, loaded)
    if files.report is not None:
        from fuzzyfrog.report import write_report

        write_report(run, files.report.resolve())
    if files.scores is not None and run.stop_reason == "converged":
        files.scores.unlink(missing_ok=True)  # there is nothing left to go on with


def _write_table(features: Sequence[str], output: Path, loaded: LoadedTable) -> None:
    from fuzzyfrog.data.reduced import write_reduced

    with written_whole(output) as path:
        write_reduced(loaded.dataset, features, path, loaded.source)


def _next_steps(run: Run, files: Files) -> list[str]:
    """Tell what was written and what else can be had."""
    lines = [""]
    if files.report is not None:
        lines.append(f"Written: {safe(files.report)}, open it in a browser")
    if files.output is not None:
        lines.append(f"Written: {safe(files.output)}, the reduced table")
    if files.save is not None:
        lines.append(f"Written: {safe(files.save)}, for fuzzyfrog explain and fuzzyfrog report")
    if files.scores is not None and run.stop_reason != "converged":
        lines.append("The same command with --resume goes on from here.")
    missing = [
        text
        for path, text in (
            (files.report, "--report page.html shows why"),
            (files.output, "--output reduced.csv writes the reduced table"),
        )
        if path is None
    ]
    return [*lines, f"Next: {', '.join(missing)}"] if missing else lines


def _exit_code(run: Run, stopping: Stopping, *, certify: bool) -> ExitCode:
    if stopping.is_asked or run.stop_reason == "interrupted":
        return ExitCode.INTERRUPTED
    if certify and (run.certificate is None or not run.certificate.proven):
        return ExitCode.NOT_PROVEN
    return ExitCode.DONE
