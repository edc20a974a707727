"""``fuzzyfrog swap``: another answer, with other columns in the place of selected ones."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fuzzyfrog.cli.errors import OPTION_NAMES, UsageError
from fuzzyfrog.cli.inputs import SavedRun, loaded_run
from fuzzyfrog.cli.options import Printing, typed
from fuzzyfrog.cli.outputs import Files
from fuzzyfrog.cli.recorded import recorded
from fuzzyfrog.common.messages import line_of
from fuzzyfrog.errors import ParameterError

if TYPE_CHECKING:
    from fuzzyfrog.result import Result

STORED = (
    "What the run knows about exchanges is in its report, and in `fuzzyfrog explain --feature`."
)


def swap(
    run: SavedRun,
    exchanges: Annotated[
        list[str],
        typer.Argument(
            metavar="OLD NEW",
            help="A selected column and the one that takes its place; may be repeated.",
        ),
    ],
    files: Files,
    printing: Printing,
    table: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="The table of the run, if it is in another place."),
    ] = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", metavar="", help="Do not check with models.")
    ] = False,
) -> None:
    """Exchange selected columns of a saved run for others, and see what that changes.

    The table is read as it was for the run, and the columns are measured, explained and checked
    as any selection is.
    """
    loaded = loaded_run(run)
    if len(exchanges) % 2:
        raise UsageError(
            f"OLD NEW must be pairs of columns, got {len(exchanges)} names. Put names that contain "
            "spaces in quotes."
        )
    after = _after(loaded, zip(exchanges[::2], exchanges[1::2], strict=True))
    if after == loaded.selected:
        raise UsageError("OLD NEW must change the selected columns, got pairs that undo them.")
    known = recorded(loaded)
    if known is None:
        raise UsageError(
            "RUN.json must be a run of `fuzzyfrog select` or `fuzzyfrog reducts`, got one that was "
            f"saved in Python. Call `swap` of its selector there. {STORED}"
        )
    name, asked, search, checking, before = known
    asked = replace(asked, table=table or asked.table)
    if not asked.is_here:
        where = shlex.quote(asked.table)
        raise UsageError(f"--table must be the table of the run: {where} is not here. {STORED}")
    if search.feature_group:
        raise UsageError(
            "RUN.json must be a run without --feature-group. Name the columns and groups with "
            "--include and their number with --n-features instead."
        )
    from fuzzyfrog.cli.selecting import Swapped, run_selection  # slow to import
    from fuzzyfrog.select.swap import GIVEN

    given: dict[str, Any] = {OPTION_NAMES.get(one, one): value for one, value in GIVEN.items()}
    given |= {"n_features": len(after), "include": [line_of(loaded.names(after))]}
    given["cluster"] = None  # a file must not say where the table is sent to
    there, as_before = vars(search), search
    search = replace(search, **{one: value for one, value in given.items() if one in there})
    checking = replace(checking, stability=False, no_check=no_check or checking.no_check)
    files = replace(files, no_rows=files.no_rows or before.no_rows)
    words = [*typed(asked), *typed(search), *typed(checking), *["--no-rows"] * files.no_rows]
    command = shlex.join(["fuzzyfrog", name, asked.table, *words])
    run_selection(search, files, asked, checking, printing, Swapped(loaded, as_before, command))


def _after(loaded: Result, pairs: Iterable[tuple[str, str]]) -> tuple[int, ...]:
    """Return the features after some exchanges."""
    from msgspec.structs import replace

    from fuzzyfrog.select.swap import exchanged

    try:
        for old, new in pairs:
            loaded = replace(loaded, selected=exchanged(loaded, old, new))
    except ParameterError as error:
        (name,) = error.parameters
        raise UsageError(
            f"{name.upper()} must {error.rule}, got {error.got}. {error.hint}".rstrip()
        ) from None
    return loaded.selected
