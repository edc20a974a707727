"""``fuzzyfrog reducts``: the fewest columns that separate exactly these samples."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli.console import fitted, tell, warn, write_found
from fuzzyfrog.cli.errors import ExitCode, UsageError, in_options
from fuzzyfrog.cli.inputs import TableOptions, opened
from fuzzyfrog.cli.options import CheckOptions, Printing, ReductOptions, given_options
from fuzzyfrog.cli.outputs import Files
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.common.jit import compiling_heard
from fuzzyfrog.common.messages import count

if TYPE_CHECKING:
    from fuzzyfrog.cli.progress import ProgressState
    from fuzzyfrog.result import Subset

ROOM = 40  # columns of a terminal for one name among others
MOST_LISTED = 100  # reducts in a terminal
MAX_COMMON = 5  # features listed as the most common


def reducts(
    asked: TableOptions,
    search: ReductOptions,
    files: Files,
    checking: CheckOptions,
    *,
    list_all: Annotated[
        bool,
        typer.Option(
            "--all",
            metavar="",
            help="List all reducts with the fewest features (or with --n-features, or at the "
            "lowest cost), with a proof that there are no others; at most "
            f"{MOST_LISTED} without --json.",
        ),
    ] = False,
    printing: Printing,
) -> None:
    """Find the fewest columns that separate exactly these samples as well as all columns do.

    These are the reducts of the paper, by its frog-leaping search. Separating the samples at hand
    is not predicting new ones: for that, see `fuzzyfrog select`. Ctrl-C stops with the best subset
    so far and still writes all files.
    """
    if not list_all:
        from fuzzyfrog.cli.selecting import run_selection  # slow to import

        run_selection(search, files, asked, checking, printing)
        return
    allowed = ("n_features", "include", "jobs", "missing", "costs")
    if meaningless := [*given_options(search, but=allowed), *given_options(files)]:
        raise UsageError(
            f"--all must come without {', '.join(meaningless)}. It lists reducts instead of "
            "selecting one."
        )
    _list_all(asked, search, printing)


def _list_all(asked: TableOptions, search: ReductOptions, printing: Printing) -> None:
    found: list[Subset] = []
    left_out: list[str] = []
    try:
        with (
            shown_progress(f"reading {asked.table}", quiet=printing.quiet) as course,
            opened(asked) as loaded,
        ):
            dataset = search.grouped(loaded.dataset)
            settings = replace(search.settings(None, asked.ignore), **search.named(dataset))
            from fuzzyfrog.select.groups import Groups
            from fuzzyfrog.select.outcome import enumerate_reducts
            from fuzzyfrog.select.selection import constraints_of

            included, excluded, rest = constraints_of(dataset, settings, Groups.of(None, dataset))
            for sentence in rest.sentences:
                warn(in_options(sentence))
            left_out += itertools.compress(dataset.feature_names, excluded)
            course.phase("searching for the first reduct")
            iterator = enumerate_reducts(
                dataset,
                size=search.n_features,
                must_include=included,
                exclude=excluded,
                costs=settings.costs,
                n_jobs=search.jobs,
                missing=search.missing,
            )
            with compiling_heard(course.compile):
                limit = None if printing.as_json else MOST_LISTED
                ended = _collect(iterator, limit, found, course)
    except KeyboardInterrupt:
        tell("interrupted; printing the reducts found so far")
        ended = "interrupted"
    document = {"all": ended == "all", "left_out": left_out, "reducts": found}
    lines = _lines(found, ended, is_fewest=search.n_features is None)
    write_found(document, lines, as_json=printing.as_json)
    if ended == "interrupted":
        raise typer.Exit(ExitCode.INTERRUPTED)


def _collect(
    reducts: Iterator[Subset], limit: int | None, found: list[Subset], course: ProgressState
) -> str:
    """Append the reducts as they come; return why that ended: "all" or "limit"."""
    for one in reducts:
        if len(found) == limit:
            return "limit"
        found.append(one)
        some = f"{count(len(found), 'reduct')} of {count(one.size, 'feature')}"
        course.phase(f"{some}, searching for more")
    return "all"


def _lines(found: list[Subset], ended: str, *, is_fewest: bool) -> Iterator[str]:
    yield from (", ".join(fitted(name, ROOM) for name in one.names) for one in found)
    if found:
        yield ""
    yield _count(found, ended, is_fewest=is_fewest)
    if ended == "all" and len(found) > 1:
        times = Counter(name for one in found for name in one.names).most_common(MAX_COMMON)
        shares = ", ".join(
            f"{fitted(name, ROOM)} {count / len(found):.0%}" for name, count in times
        )
        yield f"Most common features: {shares}"


def _count(found: list[Subset], ended: str, *, is_fewest: bool) -> str:
    if not found and ended == "all":
        return "There is no reduct of this size (proven)."
    if not found:
        return "No reduct was found before the interruption."
    size = count(found[0].size, "feature")
    every = f"proven: no other has {size}{', and none has fewer' if is_fewest else ''}"
    if found[0].cost is not None:
        size = f"cost {found[0].cost:.10g}"
        every = "proven: no other costs as little, and none costs less"
    some = f"{count(len(found), 'reduct')} of {size}, dependency {found[0].dependency:.4f}"
    reasons = {"all": every, "limit": "there are more: --json lists all of them"}
    return f"{some}; {reasons.get(ended, 'there may be more')}."
