"""``fuzzyfrog verify``: whether a saved run still holds with new rows."""

from __future__ import annotations

import warnings
from ast import literal_eval
from collections.abc import Collection
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fuzzyfrog.cli import options
from fuzzyfrog.cli.console import safe, write_found
from fuzzyfrog.cli.errors import ExitCode, UsageError
from fuzzyfrog.cli.inputs import STDIN, ReadingOptions, SavedRun, TableOptions, loaded_run, opened
from fuzzyfrog.cli.options import RowOptions, names_in
from fuzzyfrog.cli.progress import shown_progress
from fuzzyfrog.cli.recorded import recorded
from fuzzyfrog.common.jit import compiling_heard
from fuzzyfrog.common.messages import line_of
from fuzzyfrog.errors import DataError

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset
    from fuzzyfrog.result import Result
    from fuzzyfrog.select.kind import Kind
    from fuzzyfrog.select.settings import Settings


def verify(
    run: SavedRun,
    asked: TableOptions,
    rows: RowOptions,
    old: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="OLD",
            help="The table that the columns were selected from, if it is in another place than it "
            "was; TABLE has the new rows.",
        ),
    ] = None,
    max_seconds: Annotated[
        float, typer.Option(metavar="S", help="Time limit of the search for columns to add.")
    ] = 60.0,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Verify that the columns of a saved run still hold with new rows (exit code 3 if not).

    Reducts: which new rows break them, and the fewest columns to add. Columns to predict with: how
    well old rows predict the new ones, and which columns have shifted. Both tables are read with
    the options of the run, but for those that are given.
    """
    loaded = loaded_run(run)
    known = recorded(loaded)
    if old is None:
        if known is None or not known.asked.is_here:
            raise UsageError(
                "--table must be the table that the columns were selected from. New rows are "
                "compared with its rows, and a run does not hold them."
            )
        old = known.asked.table
    with shown_progress(f"reading {old}", quiet=quiet) as course:
        from fuzzyfrog.select.verify import verify as verified

        settings = _settings_of(loaded, jobs)
        typed = asked
        if known is not None:
            asked = _as_recorded(asked, known.asked)
            before = known.search
            rows = RowOptions(
                groups=rows.groups or before.groups, weights=rows.weights or before.weights
            )
        asked = replace(asked, target=asked.target or loaded.table.target.name)
        table = _old_table(replace(asked, table=old), rows, settings)
        course.phase(f"reading {asked.table}")
        new = _new_table(_that_are_there(asked, typed), table)
        course.phase("comparing")
        with compiling_heard(course.compile):
            found = verified(loaded, settings, table, new, max_seconds=max_seconds)
    write_found(found, map(safe, str(found).splitlines()), as_json=as_json)
    if not found.holds:
        raise typer.Exit(ExitCode.NOT_VERIFIED)


def _settings_of(result: Result, n_jobs: int | None) -> Settings:
    """Return the settings of a saved result that matter for new rows.

    Raises
    ------
    DataError
        If they are not known.
    """
    from fuzzyfrog.select.settings import Settings
    from fuzzyfrog.select.soft import Soft
    from fuzzyfrog.select.strict import Strict

    kinds: dict[object, type[Kind]] = {"reducts": Strict, "soft": Soft}  # by the kind of answer
    tag = result.answer.__struct_config__.tag
    if tag not in kinds:
        raise DataError(
            "the run must be one of `fuzzyfrog select` or `fuzzyfrog reducts`, got one with a "
            "custom measure, which is not saved."
        )
    own = {name: result.settings[name] for name in kinds[tag]().parameters()}
    lists = ("must_include", "exclude", "feature_groups")
    return Settings(
        kind=kinds[tag](**own),
        n_jobs=n_jobs,
        **{name: literal_eval(str(result.settings.get(name))) for name in lists},
    )


def _as_recorded(asked: TableOptions, before: TableOptions) -> TableOptions:
    """Return how a run read its table, but for what is asked for now."""
    read = {one.name: (getattr(asked, one.name), one.default) for one in fields(ReadingOptions)}
    given = {name: value for name, (value, default) in read.items() if value != default}
    return replace(before, table=asked.table, **given)


def _that_are_there(asked: TableOptions, typed: TableOptions) -> TableOptions:
    """Return how new rows are read: a run may name columns that they do not have."""
    if not asked.is_file or asked.source() is None or asked.table == STDIN:
        return asked
    from fuzzyfrog.data.read_table import dialect_of, opened_table

    path = Path(asked.table)
    ignored, labels = (names_in("", one) for one in (asked.ignore, asked.categorical))
    dialect = dialect_of(path, asked.mark, asked.decimal, asked.encoding)
    with opened_table(path, dialect, ignored) as table:
        there = set(table.names)
    if typed.ignore is None:
        asked = replace(asked, ignore=_one_line(there.intersection(ignored)))
    if typed.categorical is None:
        asked = replace(asked, categorical=_one_line(there.intersection(labels)))
    if typed.row_labels is None and asked.row_labels not in there:
        asked = replace(asked, row_labels=None)
    return asked


def _one_line(names: Collection[str]) -> list[str]:
    """Return names as the value of an option that lists columns."""
    return [line_of(names)] if names else []


def _old_table(asked: TableOptions, rows: RowOptions, settings: Settings) -> Dataset:
    """Return the table as the run had it; its warnings are those of the run."""
    from fuzzyfrog.select.selection import with_groups

    read = asked if asked.is_file else TableOptions(table=asked.table, ignore=asked.ignore)
    with warnings.catch_warnings(action="ignore"), opened(read) as loaded:
        return with_groups(rows.grouped(loaded.dataset), settings)


def _new_table(asked: TableOptions, old: Dataset) -> Dataset:
    """Return the new rows; what the old table has as categories or classes is read as these."""
    with opened(asked, least=1) as loaded:
        new, file = loaded.dataset, loaded.source.file
        is_number = dict(zip(new.feature_names, ~new.categorical, strict=True))
        labels = [
            name
            for name, is_label in zip(old.feature_names, old.categorical, strict=True)
            if is_label and is_number.get(name, False)  # or it is empty
        ]
        if file is None or (not labels and (old.classes is None) == (new.classes is None)):
            return new
        kind: Literal["class", "numeric"] = "numeric" if old.classes is None else "class"
        named = [*(asked.categorical or ()), *_one_line(labels)]
        again = replace(asked, table=str(file), categorical=named, target_kind=kind)
        with opened(again, least=1) as read_again:
            return read_again.dataset
