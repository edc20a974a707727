"""Names in the values of options: columns of a table, groups of columns, and what columns cost."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzzyfrog.cli.errors import UsageError

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset


def names_in(option: str, values: Sequence[str] | None) -> list[str]:
    """Return the names in values such as ``a,b`` or ``'"a,b",c'``, each name once.

    A name that contains a comma is put in double quotes, as in a CSV file.
    """
    if not values:
        return []
    try:
        rows = list(csv.reader(values, skipinitialspace=True))
    except csv.Error as error:
        raise UsageError(
            f"{option} must be names separated by commas, got {values[0][:60]!r} ({error})."
        ) from None
    names = list(dict.fromkeys(name.strip() for row in rows for name in row if name.strip()))
    if not names:
        raise UsageError(
            f"{option} must name something, got {','.join(values)[:60]!r}. Leave the option out "
            "if there is nothing to name."
        )
    return names


def grouped_by(column: str | None, dataset: Dataset) -> Dataset:
    """Return a table with groups of samples in place of the column that has them, if any."""
    if column is None:
        return dataset
    from fuzzyfrog.data.dataset import group_numbers

    labels, rest = _taken_out("--groups", column, dataset)
    return replace(rest, groups=group_numbers(labels, dataset.n_samples))


def weighted_by(column: str | None, dataset: Dataset) -> Dataset:
    """Return a table with weights of samples in place of the column that has them, if any."""
    if column is None:
        return dataset
    from fuzzyfrog.common.messages import warn
    from fuzzyfrog.data.weights import weighted

    weights, rest = _taken_out("--weights", column, dataset)
    if dataset.categorical[dataset.feature_names.index(column)]:
        raise UsageError(f"--weights must be a column of numbers, got {column!r} with categories.")
    found = weighted(rest, weights, column)
    warn(found.notes[-1])
    return found


def _taken_out(option: str, column: str, dataset: Dataset) -> tuple[Any, Dataset]:
    """Return the values of a column that is no feature, and the table without it."""
    from fuzzyfrog.common.messages import shown, suggested

    names = dataset.feature_names
    if column not in names:
        raise UsageError(
            f"{option} must be a column of {dataset.name} other than the target, got "
            f"{shown(column)}. {suggested(column, names)}"
        )
    rest = dataset.take(columns=[name != column for name in names])
    return dataset.values[:, names.index(column)], rest


def groups_in(values: Sequence[str] | None, dataset: Dataset) -> dict[str, list[str]]:
    """Return the groups of columns by name; ``color_*`` is called color."""
    from fnmatch import fnmatchcase

    groups: dict[str, list[str]] = {}
    for value in values or ():
        matching = [name for name in dataset.feature_names if fnmatchcase(name, value)]
        name, mark, listed = value.partition("=")
        if not matching and mark:
            matching = features_in("--feature-group", [listed], dataset)
        elif not matching:
            raise UsageError(
                f"--feature-group must match columns of {dataset.name} or name them, got "
                f"{value!r}. For example, 'color_*', or 'body=height,weight'."
            )
        else:
            name = value.replace("*", "").strip(" _-.:=") or value
        if name in groups:
            raise UsageError(f"--feature-group must have different names, got {name!r} twice.")
        groups[name] = matching
    return groups


def features_in(
    option: str, values: Sequence[str] | None, dataset: Dataset, groups: Collection[str] = ()
) -> list[str]:
    """Return the names in an option, all of which must be features of the table, or groups."""
    from fuzzyfrog.common.messages import shown, suggested

    names = names_in(option, values)
    for name in names:
        if name == dataset.target_name:
            raise UsageError(f"{option} must name features, got the target {shown(name)}.")
        if name not in dataset.feature_names and name not in groups:
            raise UsageError(
                f"{option} must name features of {dataset.name}, got {shown(name)}. "
                f"{suggested(name, dataset.feature_names)}"
            )
    return names


def costs_in_file(file: str) -> dict[str, float]:
    """Return the costs in a file; a first line without a number is a header."""
    path = Path(file)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(
            f"--costs must be NAME=COST, such as mri=400, or a readable file, got {file!r} "
            f"({reason})."
        ) from None
    delimiter = next((one for one in ";\t" if lines and one in lines[0]), ",")
    costs: dict[str, float] = {}
    for number, row in enumerate(csv.reader(lines, delimiter=delimiter), start=1):
        where = f"--costs: line {number} of {path.name}"
        if not any(map(str.strip, row)):
            continue
        if len(row) != 2:
            raise UsageError(f"{where} must have a name and a cost, got {','.join(row)[:60]!r}.")
        name, cost = row[0].strip(), row[1]
        if number == 1 and not any(map(str.isdigit, cost)):
            continue
        if name in costs:
            raise UsageError(f"{where} must name a new feature, got {name!r} again.")
        costs[name] = cost_in(where, cost)
    if not costs:
        raise UsageError("--costs must be a file with a name and a cost in each line, got none.")
    return costs


def cost_in(where: str, text: str) -> float:
    """Return the cost in a text; `where` begins the error if there is none."""
    try:
        cost = float(text)
    except ValueError:
        cost = nan
    if not 0 < cost < inf:
        from fuzzyfrog.select.groups import FREE

        way_out = f" {FREE}" if cost == 0 else ""
        got = repr(text.strip()[:60])
        raise UsageError(f"{where} must have a positive, finite cost, got {got}.{way_out}")
    return cost
