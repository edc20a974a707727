"""A result with explanations: why each feature is selected, and which samples stay ambiguous."""

from __future__ import annotations

from math import inf, isnan
from typing import Any

import numpy as np
from msgspec.structs import replace

from fuzzyfrog.common.arrays import Integers
from fuzzyfrog.common.deadline import ALLOWANCE, TimeIsUp, current_deadline, limited, stop_if_late
from fuzzyfrog.common.messages import warn
from fuzzyfrog.data import Dataset
from fuzzyfrog.result import DataSample, Result, RowNames, SampledColumn
from fuzzyfrog.result.parts import MAX_SAMPLED_COLUMNS, MAX_SAMPLED_ROWS
from fuzzyfrog.select.explain import Evidence, Explains, category_name
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.settings import Settings

MAX_EXAMPLES = 8  # for each feature
MAX_AMBIGUOUS = 20
FEWEST_OF_A_CLASS = 10  # sampled rows of a class, if it has them and there is room
LONGEST_LABEL = 100  # characters of a sampled category


def explained(result: Result, evidence: Evidence, settings: Settings, groups: Groups) -> Result:
    """Return a result with explanations, and with each group of columns as one feature.

    Explaining must end by the current deadline, and in what `max_seconds` left.
    """
    found = _with_explanations(result, evidence, settings, groups)
    alone = [one for one in found.by_loss if not groups.grouped[one]]
    drawn = sorted(alone[:MAX_SAMPLED_COLUMNS])
    sample = _data_sample(evidence, drawn, result.seed) if drawn else None
    return groups.in_result(replace(found, data_sample=sample))


def examples_of(result: Result, evidence: Evidence, settings: Settings) -> Explains:
    """Return what explains the selected features, by the measure that selected them."""
    measure = settings.kind.measured(evidence.dataset, settings.n_jobs)
    n_rows = None if result.sampling is None else result.sampling.n_sampled
    if not settings.kind.scores_all_rows:  # memberships of the samples that were measured
        measure = measure.on_rows(n_rows, result.seed)
    return settings.kind.examples(measure, evidence, result.selected)


def _with_explanations(
    result: Result, evidence: Evidence, settings: Settings, groups: Groups
) -> Result:
    if groups:
        note = "Features are not explained where columns form groups."
        return replace(result, notes=(*result.notes, note))
    limit = inf if settings.max_seconds is None else settings.max_seconds
    left = max(limit - result.seconds + ALLOWANCE, ALLOWANCE / 2)
    try:
        with limited(current_deadline().within(left)):
            stop_if_late()  # before the measure is made again, which may take long
            examples = examples_of(result, evidence, settings)
            explanations = tuple(examples.explanation(one, MAX_EXAMPLES) for one in result.selected)
            ambiguous = examples.ambiguous(MAX_AMBIGUOUS)
    except TimeIsUp:
        return _unexplained(result, "There was no time to explain why each feature is selected.")
    except MemoryError:
        note = "There was too little memory to explain why each feature is selected."
        return _unexplained(result, note)
    except Exception as error:  # it must never cost the result that it is about
        what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        note = f"Why each feature is selected could not be explained ({what})."
        return _unexplained(result, note)
    pairs: list[tuple[int, ...]] = [
        (one.sample, one.other) for why in explanations for one in why.examples
    ]
    pairs += [(one.sample, one.other) for one in ambiguous]
    pairs += [one.lost for one in (result.chosen, *result.front)]
    return replace(
        result,
        explanations=explanations,
        ambiguous=ambiguous,
        n_ambiguous=examples.n_ambiguous,
        rows=_row_names(evidence.dataset, {row for pair in pairs for row in pair}),
    )


def _unexplained(result: Result, note: str) -> Result:
    warn(note)
    return replace(result, notes=(*result.notes, note))


def _row_names(dataset: Dataset, mentioned: set[int]) -> RowNames | None:
    """Return the names of the samples that are mentioned."""
    if dataset.rows is None:
        return None
    kind: Any = "label" if isinstance(dataset.rows, tuple) else dataset.row_word
    return RowNames(kind, {str(row): str(dataset.rows[row]) for row in sorted(mentioned)})


def _data_sample(evidence: Evidence, features: list[int], seed: int) -> DataSample:
    """Return the values of some features in random rows, in the order of the table."""
    rows = _sampled_rows(evidence.dataset, seed)
    return DataSample(
        tuple(evidence.dataset.target[rows].tolist()),
        tuple(
            SampledColumn(feature, *_column(evidence.dataset, rows, evidence.column(feature)))
            for feature in features
        ),
    )


def _sampled_rows(dataset: Dataset, seed: int) -> Integers:
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
    dataset: Dataset, rows: Integers, place: int
) -> tuple[tuple[int | float | None, ...], tuple[str, ...] | None]:
    """Return the values of a feature in some rows, and their labels if they are categories."""
    values = [None if isnan(one) else one for one in dataset.values[rows, place].tolist()]
    if not dataset.categorical[place]:
        return tuple(values), None
    codes = sorted({int(one) for one in values if one is not None})
    at = {code: position for position, code in enumerate(codes)}
    labels = tuple(category_name(dataset, place, code)[:LONGEST_LABEL] for code in codes)
    return tuple(None if one is None else at[int(one)] for one in values), labels
