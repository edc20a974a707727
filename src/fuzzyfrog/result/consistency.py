"""Whether the parts of a saved result agree, as far as types cannot say it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from fuzzyfrog.errors import DataError
from fuzzyfrog.result.parts import DataSample, is_place

if TYPE_CHECKING:
    from fuzzyfrog.result.result import Result

ROUNDING = 1e-9  # sums of the same numbers may differ by this much
SAVE_ONE = "Save one with `fuzzyfrog select --save` or Result.save."


def check_result(result: Result) -> None:
    """Raise DataError if parts of a result contradict each other, which types cannot say."""
    n_features, n_samples = result.table.n_features, result.table.n_samples
    for where, features in _subsets(result):
        is_ascending = all(low < high for low, high in pairwise(features))
        if not is_ascending or any(one >= n_features for one in features):
            raise DataError(
                f"{where} must be ascending indices of the {n_features} features, "
                f"got {str(list(features))[:60]}."
            )
    for where, sample in _samples(result):
        if sample >= n_samples:
            raise DataError(f"{where} must be a sample below {n_samples}, got {sample}.")
    for holds, sentence in _rules(result):
        if not holds:
            raise DataError(f"{sentence}. {SAVE_ONE}")


def _rules(result: Result) -> Iterator[tuple[bool, str]]:
    """Yield what must hold, with a sentence for the case that it does not."""
    n_features, n_samples = result.table.n_features, result.table.n_samples
    n_selected, explained = len(result.selected), [one.feature for one in result.explanations]
    yield n_selected > 0, "selected must have a feature, got none"
    size, share = (result.settings.get(one) for one in ("n_features_to_select", "min_dependency"))
    is_share = isinstance(size, float) and 0 < size < 1
    yield (
        size is None or is_share or (type(size) is int and 1 <= size <= n_features),
        f"settings.n_features_to_select must be from 1 to {n_features}, or a share below 1",
    )
    yield (
        not isinstance(share, int | float) or 0 <= share <= 1,
        "settings.min_dependency must be between 0 and 1",
    )
    yield (
        not set(result.excluded) & set(result.selected),
        "excluded must have none of the selected features",
    )
    yield (
        all(
            one.feature in result.selected and not set(one.others) & set(result.selected)
            for one in result.substitutes
        ),
        "substitutes must be features that are not selected, of selected ones",
    )
    yield (
        result.n_resumed <= result.n_evaluations,
        f"n_resumed must be at most n_evaluations, {result.n_evaluations}, got {result.n_resumed}",
    )
    yield (
        any(one.features == result.selected for one in result.reducts),
        "reducts must have the selected features as one of them",
    )
    yield (
        all(smaller.price < larger.price for smaller, larger in pairwise(result.front)),
        "front must have subsets of increasing size or cost",
    )
    scores = [
        result.dependency, result.full_dependency,
        *(one.dependency for one in chain(result.reducts, result.front)),
        *(one.dependency for one in result.history),
        *chain(*((one.dependency, one.dependency_without) for one in result.explanations)),
    ]  # fmt: skip
    yield (
        not result.is_bounded or all(0.0 <= one <= 1.0 for one in scores),
        "dependencies must be between 0 and 1",
    )
    yield (
        result.core is None or result.dependency <= result.full_dependency + ROUNDING,
        f"dependency must be at most full_dependency, {result.full_dependency!r}, "
        f"got {result.dependency!r}",
    )
    costs = [one.cost for one in result.table.features] + [one.cost for one in result.reducts]
    are_alike = len({one is None for one in costs}) == 1
    yield are_alike, "costs must be those of all features and subsets, or of none"
    yield _is_about_selected(result), "certificate must be about the number of selected features"
    yield (
        result.sampling is None
        or (result.sampling.n_sampled < n_samples and result.certificate is None),
        "sampling must be a part of the samples, which proves nothing",
    )
    yield (
        not explained or explained == list(result.selected),
        "explanations must be those of the selected features, in their order",
    )
    yield (
        all(one.name == result.table.features[one.feature].name for one in result.explanations),
        "explanations must have the names of their features",
    )
    yield (
        len(result.answer.feature_frequency) == n_features,
        f"feature_frequency must have {n_features} items, one for each feature",
    )
    yield (
        result.n_reducts >= len(result.reducts),
        f"n_reducts must be at least the {len(result.reducts)} subsets that are listed",
    )
    yield (
        not result.columns
        or [one.name for one in result.columns] == [one.name for one in result.table.features],
        "columns must be those of the table, in their order",
    )
    yield (
        not result.columns
        or all(
            (one.role == "selected") == (at in result.selected)
            and (one.role == "left out") == bool(one.rule)
            for at, one in enumerate(result.columns)
        ),
        "columns must have the role of selected ones if they are selected, and else a rule only "
        "if they are left out",
    )
    n_affected = [one.n_affected for one in result.explanations]
    yield (
        max([result.n_ambiguous, *n_affected]) <= (n_samples if explained else 0),
        "n_ambiguous and n_affected must be at most the number of samples that are explained",
    )
    yield (
        all(
            len(one.sample_values) == len(one.other_values) == n_selected
            for one in result.ambiguous
        ),
        "ambiguous samples must have a value for each selected feature",
    )
    if result.data_sample is not None:
        yield _is_of_table(result, result.data_sample), "data_sample must be rows of the table"
    if result.stability is not None:
        names = [one.name for one in result.table.features]
        yield (
            all(
                one.feature < n_features
                and one.name == names[one.feature]
                and one.is_selected == (one.feature in result.selected)
                for one in result.stability.columns
            ),
            "stability.columns must be columns of the table, selected if they are selected",
        )
    if result.check is not None:
        noise = result.check.noise
        used = [result.check.n_samples, 0 if noise is None else noise.n_samples]
        yield max(used) <= n_samples, "check.n_samples must be at most the number of samples"


def _is_about_selected(result: Result) -> bool:
    """Whether the size of the certificate is that of the selected features.

    If the search fell short of the required dependency, the certificate is about all allowed
    features; subsets with the same product may differ in size.
    """
    proof, n_selected = result.certificate, len(result.selected)
    if proof is None:
        return True
    fell_short = proof.claim == "fewest" and result.dependency < result.full_dependency
    is_same = proof.claim in ("product", "cheapest") or proof.size == n_selected
    return proof.size <= result.table.n_features and (
        is_same or (fell_short and proof.size > n_selected)
    )


def _is_of_table(result: Result, sample: DataSample) -> bool:
    """Whether sampled rows have the features and classes of the table."""
    kinds, n_classes = result.table.features, len(result.table.target.classes)
    features = [column.feature for column in sample.columns]
    return (
        len(sample.targets) <= result.table.n_samples
        and (not n_classes or all(is_place(one, n_classes) for one in sample.targets))
        and features == [one for one in result.selected if one in features]
        and all((one.labels is None) == (kinds[one.feature].kind == "numeric")
                for one in sample.columns)
    )  # fmt: skip


def _subsets(result: Result) -> Iterator[tuple[str, tuple[int, ...]]]:
    for name in ("selected", "core", "excluded", "identifiers"):
        yield name, getattr(result, name) or ()
    for at, leak in enumerate(result.suspected_leaks):
        yield f"suspected_leaks[{at}].features", leak.features
    for name in ("copies", "correlated", "substitutes"):
        for at, group in enumerate(getattr(result, name)):
            yield f"{name}[{at}].feature", (group.feature,)
            yield f"{name}[{at}].others", group.others
    for at, one in enumerate(result.columns):
        yield f"columns[{at}].of", one.of
        for place, other in enumerate(one.replacements):
            yield f"columns[{at}].replacements[{place}].feature", (other.feature,)
    for name, subsets in (("reducts", result.reducts), ("front", result.front)):
        for at, subset in enumerate(subsets):
            yield f"{name}[{at}].features", subset.features
    for at, explanation in enumerate(result.explanations):
        yield f"explanations[{at}].feature", (explanation.feature,)
    for at, column in enumerate(result.data_sample.columns if result.data_sample else ()):
        yield f"data_sample.columns[{at}].feature", (column.feature,)


def _samples(result: Result) -> Iterator[tuple[str, int]]:
    for at, one in enumerate(result.ambiguous):
        yield f"ambiguous[{at}].sample", one.sample
        yield f"ambiguous[{at}].other", one.other
    for name, subsets in (("reducts", result.reducts), ("front", result.front)):
        for at, subset in enumerate(subsets):
            yield from ((f"{name}[{at}].lost", sample) for sample in subset.lost)
    for i, explanation in enumerate(result.explanations):
        for j, example in enumerate(explanation.examples):
            yield f"explanations[{i}].examples[{j}].sample", example.sample
            yield f"explanations[{i}].examples[{j}].other", example.other
