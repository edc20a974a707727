"""Lists of names as people type them -> names, and names of features that there really are."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fuzzyfrog.cli.failures import UsageError

if TYPE_CHECKING:
    from fuzzyfrog.data import Dataset

__all__ = ["features_in", "names_in"]


def names_in(option: str, values: Sequence[str] | None) -> list[str]:
    """Give the names in values such as ``a,b`` or ``'"a,b",c'``, each name once.

    A name that holds a comma is put in double quotes, as in a CSV file.
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


def features_in(option: str, values: Sequence[str] | None, dataset: Dataset) -> list[str]:
    """Give the names, all of which are features of a table."""
    names = names_in(option, values)
    for name in names:
        if name not in dataset.feature_names:
            raise _unknown(option, name, dataset)
    return names


def _unknown(option: str, name: str, dataset: Dataset) -> UsageError:
    from fuzzyfrog.data.wording import shown, suggested

    if name == dataset.target_name:
        return UsageError(f"{option} must name features, got the target {shown(name)}.")
    return UsageError(
        f"{option} must name features of {dataset.name}, got {shown(name)}. "
        f"{suggested(name, dataset.feature_names)}"
    )
