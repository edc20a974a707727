"""``fuzzyfrog reducts``: all reducts of a size, with a proof that there are no others."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import fitted, tell, write_json, write_result
from fuzzyfrog.cli.errors import ExitCode, UsageError
from fuzzyfrog.cli.inputs import TableOptions, left_out_of, opened
from fuzzyfrog.cli.options import MeasureOptions, features_in
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.common.jit import compiling_heard
from fuzzyfrog.common.messages import count

if TYPE_CHECKING:
    from fuzzyfrog.cli.progress import Course
    from fuzzyfrog.records import Reduct

ROOM = 40  # columns of a terminal for one name among others
MAX_COMMON = 5  # features listed as the most common


def reducts(
    asked: TableOptions,
    measure: MeasureOptions,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Print at most N reducts; 0 for all.")
    ] = 100,
    size: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of features (default: the fewest possible)."),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Features that every reduct must have."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Features that no reduct may have."),
    ] = None,
    copies: options.Copies = options.CopiesRule.DROP,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """List all reducts with the fewest features, with a proof that there are no others.

    Ctrl-C prints the reducts found so far.
    """
    if limit < 0:
        raise UsageError(f"--limit must be at least 0, got {limit}. 0 lists all of them.")
    measure.require_strict("reducts")
    found: list[Reduct] = []
    left_out: list[str] = []
    try:
        with (
            shown_progress(f"reading {asked.table}", quiet=quiet) as course,
            opened(asked) as loaded,
        ):
            from fuzzyfrog.select.certify import enumerate_reducts

            dataset = loaded.dataset
            included = features_in("--include", include, dataset)
            excluded = features_in("--exclude", exclude, dataset)
            left_out += left_out_of(
                dataset,
                included,
                excluded,
                drop_copies=copies == "drop",
                way_out="--copies keep lists all",
            )
            course.phase("searching for the first reduct")
            iterator = enumerate_reducts(
                dataset,
                size=size,
                must_include=included or None,
                exclude=[*excluded, *left_out] or None,
                **measure.parameters(),
            )
            with compiling_heard(course.compile):
                ended = _collect(iterator, limit, found, course)
    except KeyboardInterrupt:
        tell("interrupted; printing the reducts found so far")
        ended = "interrupted"
    if as_json:
        listed = [asdict(one) for one in found]
        document = {"all": ended == "all", "left_out": left_out, "reducts": listed}
        write_json(json.dumps(document, indent=2))
    else:
        write_result(*_lines(found, ended, is_fewest=size is None))
    if ended == "interrupted":
        raise typer.Exit(ExitCode.INTERRUPTED)


def _collect(reducts: Iterator[Reduct], limit: int, found: list[Reduct], course: Course) -> str:
    """Append the reducts as they come; return why that ended: "all" or "limit"."""
    for one in reducts:
        if limit and len(found) == limit:
            return "limit"
        found.append(one)
        some = f"{count(len(found), 'reduct')} of {count(one.size, 'feature')}"
        course.phase(f"{some}, searching for more")
    return "all"


def _lines(found: list[Reduct], ended: str, *, is_fewest: bool) -> Iterator[str]:
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


def _count(found: list[Reduct], ended: str, *, is_fewest: bool) -> str:
    if not found:
        none = "There is no reduct of this size (proven)."
        return none if ended == "all" else "No reduct was found before the interruption."
    size = f"{found[0].size} feature{'s' if found[0].size > 1 else ''}"
    noun = "reduct" if len(found) == 1 else "reducts"
    count = f"{len(found):,} {noun} of {size}, dependency {found[0].dependency:.4f}"
    every = f"proven: no other has {size}{', and none has fewer' if is_fewest else ''}"
    reasons = {"all": every, "limit": "there are more: raise --limit"}
    return f"{count}; {reasons.get(ended, 'there may be more')}."
