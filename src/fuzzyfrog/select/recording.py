"""A fitted selector -> the record of its run."""

import platform
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fuzzyfrog.records import (
    FeatureSet,
    HistoryPoint,
    Run,
    Sampling,
    TableSummary,
    Versions,
)
from fuzzyfrog.records.run import Parameter
from fuzzyfrog.search import Moment
from fuzzyfrog.select.examples import Examples
from fuzzyfrog.select.reporting import FitNotes
from fuzzyfrog.select.sampled import CONFIDENCE

if TYPE_CHECKING:
    from fuzzyfrog.select.selector import FuzzyRoughSelector

__all__ = ["record_of"]

MAX_REDUCTS = 5_000
MAX_HISTORY = 400
MAX_PAIRS = 8  # for each feature
MAX_AMBIGUOUS = 20
# They do not change the result, or are the seed, which has a field of its own.
NOT_KEPT = {"callbacks", "checkpoint", "cluster", "n_jobs", "random_state", "verbose"}


def record_of(
    selector: "FuzzyRoughSelector", *, name: str | None = None, command: str | None = None
) -> Run:
    """Give the record of the run of a fitted selector.

    Parameters
    ----------
    selector : FuzzyRoughSelector
        A fitted one.
    name : str, optional
        What to call the data; its own name if left out.
    command : str, optional
        The command line that asked for the run.

    Returns
    -------
    Run
        What was selected and why, and how to get it again. Neither the selector nor the data is
        needed from then on.
    """
    check_is_fitted(selector, "reducts_")
    notes = selector._notes
    selected = tuple(np.flatnonzero(selector.support_).tolist())
    examples = Examples(selector._evidence, selected, selector.n_jobs)
    return Run(
        data=_data(notes, name),
        parameters=_parameters(selector),
        seed=selector.seed_,
        versions=_versions(),
        command=command,
        seconds=notes.seconds,
        full_dependency=selector.full_dependency_,
        dependency=selector.dependency_,
        selected=selected,
        reducts=_reducts(selector, selected),
        n_reducts=len(selector.reducts_),
        core=tuple(selector.core_),
        feature_frequency=tuple(selector.feature_frequency_.tolist()),
        front=tuple(FeatureSet(one.features, one.dependency, None) for one in selector.front_),
        history=_history(selector.history_, notes.times),
        n_evaluations=selector.n_evaluations_,
        stop_reason=selector.stop_reason_,
        certificate=selector.certificate_,
        explanations=examples.explanations(MAX_PAIRS),
        ambiguous=examples.ambiguous(MAX_AMBIGUOUS),
        n_ambiguous=examples.n_ambiguous,
        notes=tuple(notes.warnings),
        sampling=_sampling(selector),
        excluded=notes.excluded,
        n_resumed=notes.n_resumed,
    )


def _sampling(selector: "FuzzyRoughSelector") -> Sampling | None:
    """Give how dependencies were estimated, if they were."""
    if selector.n_sampled_ == selector._notes.data.n_samples:
        return None
    return Sampling(selector.n_sampled_, *selector.dependency_interval_, CONFIDENCE)


def _data(notes: FitNotes, name: str | None) -> TableSummary:
    return notes.data if name is None else replace(notes.data, name=name)


def _parameters(selector: "FuzzyRoughSelector") -> dict[str, Parameter]:
    given = selector.get_params(deep=False)
    # What was really nominal: a table that was read from a file has decided that before.
    features = selector._notes.data.features
    given["categorical_features"] = [one.name for one in features if one.kind == "nominal"]
    given["min_dependency"] = float(given["min_dependency"])  # a fraction is a number too
    return {key: _plain(value) for key, value in given.items() if key not in NOT_KEPT}


def _plain(value: Any) -> Parameter:
    """Give a value as JSON has it, or else as Python writes it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | int | float | None):
        return value
    return repr(value)


def _versions() -> Versions:
    return Versions(
        fuzzyfrog=version("fuzzyfrog"),
        python=platform.python_version(),
        numpy=version("numpy"),
        numba=version("numba"),
        scikit_learn=version("scikit-learn"),
    )


def _reducts(selector: "FuzzyRoughSelector", selected: tuple[int, ...]) -> tuple[FeatureSet, ...]:
    """Give the first reducts, and in any case the selected one."""
    found = selector.reducts_
    kept = found[:MAX_REDUCTS]
    if all(one.features != selected for one in kept):
        kept = [next(one for one in found if one.features == selected), *kept[:-1]]
    return tuple(FeatureSet(one.features, one.dependency, one.minimal) for one in kept)


def _history(moments: Sequence[Moment], times: Sequence[float]) -> tuple[HistoryPoint, ...]:
    """Give some of the moments: the first, the last, and some between."""
    scored = [at for at, moment in enumerate(moments) if moment.score >= 0]
    return tuple(
        HistoryPoint(
            n_evaluations=moments[at].n_evaluations,
            seconds=times[at],
            dependency=moments[at].score,
            size=moments[at].size,
            n_reducts=moments[at].n_best,
            diversity=None if isnan(moments[at].diversity) else moments[at].diversity,
            lower_bound=moments[at].lower_bound,
        )
        for at in _thinned(scored)
    )


def _thinned(places: list[int]) -> list[int]:
    if len(places) <= MAX_HISTORY:
        return places
    # Most improvements come early, so half of the points are spread over the logarithm.
    even = np.linspace(0, len(places) - 1, MAX_HISTORY // 2)
    early = np.geomspace(1, len(places), MAX_HISTORY // 2) - 1
    chosen = np.unique(np.rint(np.concatenate([even, early])).astype(np.int64))
    return [places[at] for at in chosen]
