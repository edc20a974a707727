"""Another answer: a selected column exchanged for one that is not, with what that changes."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from msgspec.structs import replace
from sklearn.base import clone

from fuzzyfrog.common.deadline import TimeIsUp
from fuzzyfrog.common.messages import shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.dataset import feature_mask
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.result import Exchange, Result
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.roles import means_of
from fuzzyfrog.select.settings import Settings
from fuzzyfrog.select.verify import check_same

# What has no meaning once the columns are given. The search scores them, and nothing else.
GIVEN = {
    "search": "quickreduct", "size_rule": "auto", "certify": False, "costs": None, "survives": 0,
    "max_lost": None, "checkpoint": None,
}  # fmt: skip


def exchanged(result: Result, old: str | int, new: str | int) -> tuple[int, ...]:
    """Return the selected features with another one in the place of one of them.

    Raises
    ------
    ParameterError
        If `old` is not the name or index of a selected feature, or `new` that of another one.
    """
    leaves, comes = result.selected_feature(old, "old"), result.unselected_feature(new, "new")
    return tuple(sorted({*result.selected, comes} - {leaves}))


def swapped(selector: Any, old: str | int, new: str | int, X: object, y: object) -> Any:
    """Return a new selector, fitted to select what another one did but for one column."""
    if selector._groups:
        raise ParameterError(
            "feature_groups", "be None for swap", shown(selector.feature_groups),
            "Name the columns and groups with must_include and their number with "
            "n_features_to_select instead.",
        )  # fmt: skip
    features = exchanged(selector.result_, old, new)
    labels: Any = selector.result_.names(range(selector.n_features_in_))
    excluded = feature_mask("exclude", () if selector.exclude is None else selector.exclude, labels)
    if not hasattr(selector, "feature_names_in_"):
        labels = range(selector.n_features_in_)
    given = {
        "n_features_to_select": len(features),
        "must_include": [labels[one] for one in features],
        "random_state": selector.seed_,
        **GIVEN,
    }
    if excluded[list(features)].any():
        excluded[list(features)] = False
        given["exclude"] = [labels[one] for one in np.flatnonzero(excluded)] or None
    other = clone(selector)
    known = other.get_params(deep=False)
    other.set_params(**{name: value for name, value in given.items() if name in known})
    groups, weights = selector._evidence.dataset.groups, selector._sample_weight
    dataset = selector._read_again(X, y)
    check_same(selector.result_, dataset)
    counts = X.weights if weights is None and isinstance(X, Dataset) else weights
    if groups is not None and counts is not None:  # those of weight 0 are in none
        every = np.zeros(len(counts), np.int64)
        every[counts > 0] = groups
        groups = every
    with warnings.catch_warnings():
        for note in selector.result_.notes:  # said before
            warnings.filterwarnings("ignore", re.escape(note))
        other.fit(X, y, groups=groups, sample_weight=weights)
    other.result_ = with_exchange(
        other.result_, selector.result_, dataset, other.settings(), other._groups
    )
    return other


def with_exchange(
    result: Result, before: Result, dataset: Dataset, settings: Settings, groups: Groups
) -> Result:
    """Return a result with the difference to the one before, on the same samples."""
    measure = settings.kind.measured(dataset, settings.n_jobs)
    here = measure.on_rows(result.n_sampled, result.seed)
    lost, error = before.dependency - result.dependency, None
    accuracy = accuracy_before = None
    try:
        masks = np.array([groups.mask(one.selected) for one in (before, result)])
        falls = -np.diff(settings.kind.weighed(here, masks), axis=0)
        lost = float(means_of(here, falls)[0])
        if falls.shape[1] > 1:
            error = float(here.standard_errors(falls)[0])
        accuracy_before, accuracy = (settings.kind.accuracy(here, one) for one in masks)
    except (TimeIsUp, MemoryError):
        pass
    came, went = (
        result.names(sorted(set(one.selected) - set(other.selected)))
        for one, other in ((result, before), (before, result))
    )
    left_out = [one for one in before.columns if one.role == "left out" and one.name in came]
    let_in = tuple((one.name, str(one.rule)) for one in left_out)
    was, scores = before.dependency, None if before.check is None else before.check.selected
    if result.table.sha256 != before.table.sha256:  # an ID makes no groups, now that it is selected
        was, scores = result.dependency + lost, None
    found = Exchange(went, came, was, lost, error, accuracy_before, accuracy, scores, let_in)
    # Columns that are to be included are no suspects; here, nobody asked for them.
    return replace(result, exchange=found, suspected_leaks=before.suspected_leaks)
