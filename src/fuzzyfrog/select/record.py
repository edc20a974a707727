"""The record of a fit: what is written down during it, and all that is worth keeping of it."""

import hashlib
import platform
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import version
from math import inf, isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.deadline import Deadline, TimeIsUp, limited, stop_if_late
from fuzzyfrog.common.messages import warn
from fuzzyfrog.data import Dataset
from fuzzyfrog.records import (
    Alike,
    AmbiguousSample,
    ClassCount,
    DataSample,
    FeatureExplanation,
    FeatureSet,
    FeatureSummary,
    HistoryPoint,
    RowNames,
    Run,
    SampledColumn,
    Sampling,
    TableSummary,
    TargetSummary,
    Versions,
)
from fuzzyfrog.records.parts import MAX_SAMPLED_COLUMNS, MAX_SAMPLED_ROWS
from fuzzyfrog.records.run import Parameter
from fuzzyfrog.search import Moment
from fuzzyfrog.select.base import CONFIDENCE, Evidence
from fuzzyfrog.select.explain import category_name, examples_of
from fuzzyfrog.select.parameters import search_name

if TYPE_CHECKING:
    from fuzzyfrog.select.selection import Selection

MAX_REDUCTS = 5_000
MAX_HISTORY = 400
MAX_PAIRS = 8  # for each feature
MAX_AMBIGUOUS = 20
FEWEST_OF_A_CLASS = 10  # sampled rows of a class, if it has them and there is room
LONGEST_LABEL = 100  # characters of a sampled category
# These do not change the result, or are the seed, which has its own field.
NOT_KEPT = {"callbacks", "checkpoint", "cluster", "n_jobs", "random_state", "verbose"}


class FitNotes:
    """Notes that a fit takes for its record; as a callback of the search, it takes the times."""

    def __init__(self, dataset: Dataset) -> None:
        self._start = time.monotonic()
        self.data = _summary_of(dataset)
        self.warnings = list(dataset.notes)
        self.excluded: tuple[int, ...] = ()
        self.identifiers: tuple[int, ...] = ()
        self.telling: tuple[int, ...] = ()
        self.copies: tuple[Alike, ...] = ()
        self.correlated: tuple[Alike, ...] = ()
        self.rows = dataset.rows
        self.n_resumed = 0
        self.times: list[float] = []
        self.seconds = 0.0
        self.lack = "no time"  # why there is no core, if there is none
        self.spare = inf  # seconds that explaining may take

    def __call__(self, moment: Moment) -> None:
        """Take the time of a batch."""
        self.times.append(time.monotonic() - self._start)

    def warn(self, sentences: Iterable[str], kind: type[Warning] = UserWarning) -> None:
        """Warn the caller of the fit, and keep the warnings for the record."""
        for sentence in sentences:
            self.warnings.append(sentence)
            warn(sentence, kind)

    def end(self, spare: float) -> None:
        """Take the time of the whole fit; `spare` seconds are left for explaining it."""
        self.seconds = time.monotonic() - self._start
        self.spare = spare


def _summary_of(dataset: Dataset) -> TableSummary:
    gaps = np.isnan(dataset.values).sum(axis=0).tolist()
    kinds = ["categorical" if categorical else "numeric" for categorical in dataset.categorical]
    return TableSummary(
        name=str(dataset.name),
        n_samples=dataset.n_samples,
        features=tuple(map(FeatureSummary, dataset.feature_names, kinds, gaps)),  # type: ignore[arg-type]
        target=_target_of(dataset),
        sha256=fingerprint(dataset).removeprefix("sha256:"),
    )


def _target_of(dataset: Dataset) -> TargetSummary:
    name = str(dataset.target_name)
    if dataset.classes is None:
        lowest, highest = float(dataset.target.min()), float(dataset.target.max())
        return TargetSummary(name, (), lowest, highest)
    counts = np.bincount(dataset.target.astype(np.int64), minlength=len(dataset.classes))
    classes = tuple(map(ClassCount, map(str, dataset.classes), counts.tolist()))
    return TargetSummary(name, classes, None, None)


def fingerprint(dataset: Dataset, *options: str) -> str:
    """Return the digest of a table and of the options it is measured with.

    Names of features and classes are left out, since they change no score. Zeros of either sign
    count as equal, and so do all bit patterns of a missing value.
    """
    digest = hashlib.sha256("\0".join(options).encode())
    for feature in range(dataset.n_features):
        column = dataset.values[:, feature] + 0.0
        column[np.isnan(column)] = np.nan
        digest.update(column.astype("<f8").tobytes())
    digest.update(dataset.categorical.tobytes())
    kind = "<f8" if dataset.classes is None else "<i8"
    digest.update(dataset.target.astype(kind).tobytes())
    return f"sha256:{digest.hexdigest()}"


def record_of(
    selector: "Selection",
    *,
    name: str | None = None,
    command: str | None = None,
    deadline: Deadline | None = None,
) -> Run:
    """Return the record of a fitted selector, which needs neither the selector nor the data.

    Explaining must end by the deadline; None for what `max_seconds` left. Whatever goes wrong
    there costs the explanations, and the record says so.
    """
    return _record(selector, name, command, *_explained(selector, deadline))


def answer_of(selector: "Selection", *, name: str | None, command: str | None) -> Run:
    """Return the record of a fitted selector without explanations, which may take long."""
    note = "The run ended before it was explained why each feature is selected."
    return _record(selector, name, command, _Explained(), (note,))


def _selected(selector: "Selection") -> tuple[int, ...]:
    return tuple(np.flatnonzero(selector._groups.joined(selector.support_)).tolist())


def _record(
    selector: "Selection",
    name: str | None,
    command: str | None,
    found: "_Explained",
    left_out: tuple[str, ...],
) -> Run:
    notes, selected = selector._notes, _selected(selector)
    run = Run(
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
        core=None if selector.core_ is None else tuple(selector.core_),
        feature_frequency=tuple(selector.feature_frequency_.tolist()),
        front=tuple(
            FeatureSet(one.features, one.dependency, None, one.accuracy) for one in selector.front_
        ),
        history=_history(selector.history_, notes.times),
        n_evaluations=selector.n_evaluations_,
        stop_reason=selector.stop_reason_,
        certificate=selector.certificate_,
        explanations=found.explanations,
        ambiguous=found.ambiguous,
        n_ambiguous=found.n_ambiguous,
        notes=(*notes.warnings, *left_out),
        sampling=_sampling(selector),
        excluded=notes.excluded,
        n_resumed=notes.n_resumed,
        chance=selector.chance_,
        copies=notes.copies,
        correlated=notes.correlated,
        rows=_row_names(notes, found),
        identifiers=notes.identifiers,
        telling=notes.telling,
    )
    alone = [one for one in run.by_loss if not selector._groups.grouped[one]]
    drawn = sorted(alone[:MAX_SAMPLED_COLUMNS])
    sample = _data_sample(selector._evidence, drawn, run.seed) if drawn else None
    return selector._groups.in_record(replace(run, data_sample=sample))


def _data_sample(evidence: Evidence, features: list[int], seed: int) -> DataSample:
    """Return the values of some features in random rows, in the order of the table."""
    rows = _sampled_rows(evidence.dataset, seed)
    places = [int(np.flatnonzero(evidence.features == one)[0]) for one in features]
    return DataSample(
        tuple(evidence.dataset.target[rows].tolist()),
        tuple(
            SampledColumn(feature, *_column(evidence.dataset, rows, place))
            for feature, place in zip(features, places, strict=True)
        ),
    )


def _sampled_rows(dataset: Dataset, seed: int) -> NDArray[np.int64]:
    """Return all rows of a small table, else random ones with some of every class."""
    n_samples, classes = dataset.n_samples, dataset.classes
    if n_samples <= MAX_SAMPLED_ROWS:
        return np.arange(n_samples)
    shuffled = np.random.default_rng(seed).permutation(n_samples)
    if classes is None or len(classes) > MAX_SAMPLED_ROWS:
        return np.sort(shuffled[:MAX_SAMPLED_ROWS])
    counts = np.bincount(dataset.target.astype(np.int64), minlength=len(classes))
    fewest = min(FEWEST_OF_A_CLASS, MAX_SAMPLED_ROWS // len(classes))
    least = np.minimum(counts, fewest)
    spare = MAX_SAMPLED_ROWS - least.sum()
    quotas = least + spare * (counts - least) // (n_samples - least.sum())
    by_class = shuffled[np.argsort(dataset.target[shuffled], kind="stable")]
    places_in_class = np.arange(n_samples) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(by_class[places_in_class < np.repeat(quotas, counts)])


def _column(
    dataset: Dataset, rows: NDArray[np.int64], place: int
) -> tuple[tuple[int | float | None, ...], tuple[str, ...] | None]:
    """Return the values of a feature in some rows, and their labels if they are categories."""
    values = [None if isnan(one) else one for one in dataset.values[rows, place].tolist()]
    if not dataset.categorical[place]:
        return tuple(values), None
    codes = sorted({int(one) for one in values if one is not None})
    at = {code: position for position, code in enumerate(codes)}
    labels = tuple(category_name(dataset, place, code)[:LONGEST_LABEL] for code in codes)
    return tuple(None if one is None else at[int(one)] for one in values), labels


class _Explained(NamedTuple):
    """What a record says about samples; empty if there was no time."""

    explanations: tuple[FeatureExplanation, ...] = ()
    ambiguous: tuple[AmbiguousSample, ...] = ()
    n_ambiguous: int = 0


def _row_names(notes: FitNotes, found: _Explained) -> RowNames | None:
    """Return the names of the samples that are mentioned."""
    if notes.rows is None:
        return None
    pairs = [(pair.sample, pair.enemy) for one in found.explanations for pair in one.pairs]
    pairs += [(one.sample, one.enemy) for one in found.ambiguous]
    pairs += [(row.sample, row.neighbor) for one in found.explanations for row in one.samples]
    mentioned = {row for pair in pairs for row in pair}
    kind = "label" if isinstance(notes.rows, tuple) else "line"
    return RowNames(kind, {str(row): str(notes.rows[row]) for row in sorted(mentioned)})  # type: ignore[arg-type]


def _explained(
    selector: "Selection", deadline: Deadline | None
) -> tuple[_Explained, tuple[str, ...]]:
    """Return example samples, or a note that there was no time for them."""
    if selector._groups:
        return _Explained(), ("Features are not explained where columns form groups.",)
    if deadline is None:
        deadline = Deadline(inf if selector.max_seconds is None else selector._notes.spare)
    selected = _selected(selector)
    try:
        with limited(deadline):
            stop_if_late()  # before the measure is made again, which may take long
            examples = examples_of(selector._evidence, selected, selector.n_jobs)
            explanations = tuple(examples.explanation(one, MAX_PAIRS) for one in selected)
            ambiguous = examples.ambiguous(MAX_AMBIGUOUS)
    except TimeIsUp:
        return _unexplained("There was no time to explain why each feature is selected.")
    except MemoryError:
        return _unexplained("There was too little memory to explain why each feature is selected.")
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return _unexplained(f"Why each feature is selected could not be explained ({what}).")
    return _Explained(explanations, ambiguous, examples.n_ambiguous), ()


def _unexplained(why: str) -> tuple[_Explained, tuple[str, ...]]:
    warn(why)
    return _Explained(), (why,)


def _sampling(selector: "Selection") -> Sampling | None:
    """Return how dependencies were estimated; None if they were computed on all samples."""
    if selector.n_sampled_ == selector._notes.data.n_samples:
        return None
    return Sampling(selector.n_sampled_, *selector.dependency_interval_, CONFIDENCE)


def _data(notes: FitNotes, name: str | None) -> TableSummary:
    return notes.data if name is None else replace(notes.data, name=name)


def _parameters(selector: "Selection") -> dict[str, Parameter]:
    given = selector.get_params(deep=False)
    # The features actually treated as categories; reading a file may have decided that.
    features = selector._notes.data.features
    given["categorical_features"] = [one.name for one in features if one.kind == "categorical"]
    given["min_dependency"] = float(given["min_dependency"])  # it may be a fraction
    given["measure"] = selector._evidence.settings.name
    given["search"] = search_name(selector.search, selector._evidence.settings)
    return {key: _plain(value) for key, value in given.items() if key not in NOT_KEPT}


def _plain(value: Any) -> Parameter:
    """Return a value that JSON can hold, or its representation."""
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


def _reducts(selector: "Selection", selected: tuple[int, ...]) -> tuple[FeatureSet, ...]:
    """Return the first reducts; the selected one is always among them."""
    found = selector.reducts_
    kept = found[:MAX_REDUCTS]
    if all(one.features != selected for one in kept):
        kept = [next(one for one in found if one.features == selected), *kept[:-1]]
    return tuple(FeatureSet(one.features, one.dependency, one.minimal) for one in kept)


def _history(moments: Sequence[Moment], times: Sequence[float]) -> tuple[HistoryPoint, ...]:
    """Return the first moment, the last, and some in between."""
    scored = [at for at, moment in enumerate(moments) if moment.score > -inf]
    return tuple(
        HistoryPoint(
            n_evaluations=moments[at].n_evaluations,
            seconds=times[at],
            dependency=moments[at].score,
            size=moments[at].size,
            n_reducts=moments[at].n_best,
            diversity=moments[at].diversity,
            lower_bound=moments[at].lower_bound,
        )
        for at in _thinned(scored)
    )


def _thinned(places: list[int]) -> list[int]:
    if len(places) <= MAX_HISTORY:
        return places
    # Most improvements come early, so half of the points are spaced logarithmically.
    even = np.linspace(0, len(places) - 1, MAX_HISTORY // 2)
    early = np.geomspace(1, len(places), MAX_HISTORY // 2) - 1
    chosen = np.unique(np.rint(np.concatenate([even, early])).astype(np.int64))
    return [places[at] for at in chosen]
