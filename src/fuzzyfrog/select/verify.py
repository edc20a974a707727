"""Does a selection still hold? A result, its table and new rows in, an answer out."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Sequence

import numpy as np

from fuzzyfrog.common.messages import count, listed, shown
from fuzzyfrog.common.params import check_budget
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError
from fuzzyfrog.result import Result, Verified
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.kind import Kind
from fuzzyfrog.select.new_rows import NewRows, aligned
from fuzzyfrog.select.selection import fingerprint
from fuzzyfrog.select.settings import Settings
from fuzzyfrog.select.soft import Soft
from fuzzyfrog.select.strict import Strict

KINDS: dict[object, type[Kind]] = {"reducts": Strict, "soft": Soft}  # by the kind of answer
MAX_SECONDS = 60.0


def verify(
    result: Result,
    settings: Settings,
    old: Dataset,
    new: Dataset,
    *,
    max_seconds: float = MAX_SECONDS,
    ignored: Sequence[str] = (),
) -> Verified:
    """Return whether a selection still holds with new rows.

    Parameters
    ----------
    result : Result
        The selection.
    settings : Settings
        Its settings, with the measure and the groups of columns.
    old, new : Dataset
        The table of the selection, and new rows.
    max_seconds : float
        Time limit of each search for columns to add.
    ignored : sequence of str
        Names of columns that were left out of the new table before.

    Returns
    -------
    Verified
        The answer, in words too.

    Raises
    ------
    DataError
        If the old table is another one, or columns are not there.
    """
    check_budget(None, max_seconds)
    check_same(result, old)
    groups = Groups.of(settings.feature_groups, old)
    places = np.arange(old.n_features)
    if result.table.n_features < old.n_features:  # in a saved run a group is one feature
        places = np.flatnonzero(~groups.members)
    features = np.arange(old.n_features)
    support = groups.expanded(np.isin(features, places[list(result.selected)]))
    allowed = groups.expanded(~np.isin(features, places[list(result.excluded)]))
    # A column that said nothing about the old rows may tell new ones apart.
    blank = [one.name for one in result.columns if one.rule in ("constant", "empty")]
    allowed |= np.isin(np.array(old.feature_names, object), blank)
    needed = allowed if settings.kind.compares_with_all else support
    same, notes = aligned(old, new, needed)
    extra = [*ignored, *(name for name in new.feature_names if name not in old.feature_names)]
    if extra:
        notes.append(f"Columns that the old table does not have are ignored: {listed(extra)}.")
    costs = {
        int(places[feature]): one.cost
        for feature, one in enumerate(result.table.features)
        if one.cost is not None
    }
    rows = NewRows(
        result=result,
        old=old,
        new=same,
        features=tuple(places[list(result.selected)].tolist()),
        support=support,
        needed=needed,
        groups=groups,
        costs=costs or None,
        notes=tuple(notes),
        n_jobs=settings.n_jobs,
        max_seconds=max_seconds,
    )
    return settings.kind.verified(rows)


def check_same(result: Result, old: Dataset) -> None:
    """Raise unless a table is that of the selection, by its fingerprint."""
    if fingerprint(old) == f"sha256:{result.table.sha256}":
        return
    was = f"{result.table.n_samples:,} samples"
    raise DataError(
        f"the table must be the one that the columns were selected from ({was}), got one with "
        f"{count(old.n_samples, 'sample')} and {count(old.n_features, 'feature')} that differs. "
        "Pass the same rows, read with the same options."
    )


def settings_of(result: Result, n_jobs: int | None) -> Settings:
    """Return the settings of a saved result that matter for new rows.

    Raises
    ------
    DataError
        If they are not known.
    """
    tag = result.answer.__struct_config__.tag
    if tag not in KINDS:
        raise DataError(
            "the run must be one of `fuzzyfrog select` or `fuzzyfrog reducts`, got one with a "
            "custom measure, which is not saved."
        )
    own = {name: result.settings[name] for name in KINDS[tag]().parameters()}
    lists = ("must_include", "exclude", "feature_groups")
    return Settings(
        kind=KINDS[tag](**own),
        n_jobs=n_jobs,
        **{name: _given(result, name) for name in lists},  # type: ignore[arg-type]
    )


def _given(result: Result, name: str) -> object:
    """Return a setting that is saved as text."""
    text = result.settings.get(name)
    if text is None:
        return None
    try:
        return literal_eval(str(text))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise DataError(
            f"{name} must be saved as names or indices, got {shown(text)}. Call verify of the "
            "fitted selector instead."
        ) from None
