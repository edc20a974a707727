"""Check that the parts of a run that was read do not contradict each other."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from fuzzyfrog.errors import DataError

if TYPE_CHECKING:
    from fuzzyfrog.records.run import Run

ROUNDING = 1e-9  # by which sums of the same numbers may differ


def check_run(run: "Run") -> None:
    """Raise one sentence with the name of the field if parts of a run contradict each other."""
    _check_ranges(run)
    _check_table(run)
    _check_features(run)
    _check_lengths(run)
    _check_samples(run)
    _check_reducts(run)
    _check_certificate(run)
    _check_sampling(run)


def _check_ranges(run: "Run") -> None:
    for where, share in _shares(run):
        if not 0.0 <= share <= 1.0:
            raise DataError(f"run.{where} must be between 0 and 1, got {share!r}.")
    for where, count in _counts(run):
        if count < 0:
            raise DataError(f"run.{where} must be at least 0, got {count!r}.")
    for where, count in _parts(run):
        if count > run.data.n_samples:
            raise DataError(
                f"run.{where} must be at most the number of samples, {run.data.n_samples}, "
                f"got {count}."
            )


def _check_table(run: "Run") -> None:
    if not re.fullmatch("[0-9a-fA-F]{64}", run.data.sha256):
        raise DataError(
            f"run.data.sha256 must be 64 hexadecimal digits, got {run.data.sha256[:70]!a}."
        )
    target = run.data.target
    if (target.lowest is None) != (target.highest is None):
        raise DataError("run.data.target.lowest and highest must both be numbers or both be null.")
    if (target.lowest is None) == target.is_numeric:
        raise DataError("run.data.target must have either classes or a lowest and a highest value.")
    if target.lowest is not None and target.highest is not None and target.lowest > target.highest:
        raise DataError(
            f"run.data.target.lowest must be at most highest, {target.highest!r}, "
            f"got {target.lowest!r}."
        )
    n_counted = sum(one.count for one in target.classes)
    if target.classes and n_counted != run.data.n_samples:
        raise DataError(
            f"run.data.target.classes must add up to the {run.data.n_samples} samples, "
            f"got {n_counted}."
        )


def _check_reducts(run: "Run") -> None:
    if set(run.excluded) & set(run.selected):
        raise DataError("run.excluded must have none of the selected features.")
    if run.n_resumed > run.n_evaluations:
        raise DataError(
            f"run.n_resumed must be at most n_evaluations, {run.n_evaluations}, "
            f"got {run.n_resumed}."
        )
    if all(reduct.features != run.selected for reduct in run.reducts):
        raise DataError("run.reducts must have the selected features as one of them.")
    for at, (smaller, larger) in enumerate(pairwise(run.front), start=1):
        if larger.size <= smaller.size:
            raise DataError(
                f"run.front[{at}].features must be more than the {smaller.size} of the point "
                f"before, got {larger.size}."
            )
    if run.dependency > run.full_dependency + ROUNDING:
        raise DataError(
            f"run.dependency must be at most full_dependency, {run.full_dependency!r}, "
            f"got {run.dependency!r}."
        )


def _check_certificate(run: "Run") -> None:
    """Compare the sizes if the certificate is about the selected features.

    If the search fell short of the dependency asked for, the certificate is about all allowed
    features; subsets with the same product may differ in size.
    """
    if run.certificate is None:
        return
    size, n_selected = run.certificate.size, len(run.selected)
    if size > run.data.n_features:
        raise DataError(
            f"run.certificate.size must be at most the {run.data.n_features} features, got {size}."
        )
    fell_short = run.certificate.claim == "fewest" and run.dependency < run.full_dependency
    may_be_more = fell_short and size > n_selected
    if run.certificate.claim != "product" and size != n_selected and not may_be_more:
        raise DataError(
            f"run.certificate.size must be the number of selected features, {n_selected}, "
            f"got {size}."
        )


def _check_sampling(run: "Run") -> None:
    if run.sampling is None:
        return
    if not 1 <= run.sampling.n_sampled < run.data.n_samples:
        raise DataError(
            f"run.sampling.n_sampled must be a part of the {run.data.n_samples} samples, "
            f"got {run.sampling.n_sampled}."
        )
    if run.sampling.low > run.sampling.high:
        raise DataError(
            f"run.sampling.low must be at most high, {run.sampling.high!r}, "
            f"got {run.sampling.low!r}."
        )
    if run.certificate is not None:
        raise DataError("run.certificate must be null for a random sample, which proves nothing.")


def _check_features(run: "Run") -> None:
    for where, features in _subsets(run):
        is_ascending = all(low < high for low, high in pairwise(features))
        if not is_ascending or any(not 0 <= one < run.data.n_features for one in features):
            raise DataError(
                f"run.{where} must be ascending indices of the {run.data.n_features} features, "
                f"got {str(list(features))[:60]}."
            )


def _subsets(run: "Run") -> Iterator[tuple[str, tuple[int, ...]]]:
    yield "selected", run.selected
    yield "core", run.core or ()
    yield "excluded", run.excluded
    for at, reduct in enumerate(run.reducts):
        yield f"reducts[{at}].features", reduct.features
    for at, point in enumerate(run.front):
        yield f"front[{at}].features", point.features


def _check_lengths(run: "Run") -> None:
    if not run.selected:
        raise DataError("run.selected must have a feature, got none.")
    explained = [explanation.feature for explanation in run.explanations]
    if explained and explained != list(run.selected):
        raise DataError("run.explanations must be those of the selected features, in their order.")
    for at, explanation in enumerate(run.explanations):
        if explanation.name != run.data.features[explanation.feature].name:
            raise DataError(
                f"run.explanations[{at}].name must be that of feature {explanation.feature}, "
                f"got {explanation.name[:60]!a}."
            )
    n_features, n_shares = run.data.n_features, len(run.feature_frequency)
    if n_shares != n_features:
        raise DataError(
            f"run.feature_frequency must have {n_features} items, one for each feature, "
            f"got {n_shares}."
        )
    if run.n_reducts < len(run.reducts):
        raise DataError(
            f"run.n_reducts must be at least the {len(run.reducts)} reducts that are listed, "
            f"got {run.n_reducts}."
        )
    if not explained and (run.ambiguous or run.n_ambiguous):
        raise DataError("run.ambiguous must have no samples if nothing is explained.")
    for at, one in enumerate(run.ambiguous):
        if {len(one.sample_values), len(one.enemy_values)} != {len(run.selected)}:
            raise DataError(
                f"run.ambiguous[{at}] must have {len(run.selected)} values of the sample and of "
                "its enemy, one for each selected feature."
            )


def _check_samples(run: "Run") -> None:
    for where, sample in _samples(run):
        if not 0 <= sample < run.data.n_samples:
            raise DataError(
                f"run.{where} must be a sample from 0 to {run.data.n_samples - 1}, got {sample}."
            )


def _samples(run: "Run") -> Iterator[tuple[str, int]]:
    for at, one in enumerate(run.ambiguous):
        yield f"ambiguous[{at}].sample", one.sample
        yield f"ambiguous[{at}].enemy", one.enemy
    for i, explanation in enumerate(run.explanations):
        for j, pair in enumerate(explanation.pairs):
            yield f"explanations[{i}].pairs[{j}].sample", pair.sample
            yield f"explanations[{i}].pairs[{j}].enemy", pair.enemy


def _shares(run: "Run") -> Iterator[tuple[str, float]]:
    yield "full_dependency", run.full_dependency
    yield "dependency", run.dependency
    yield from _numbered("feature_frequency[{}]", run.feature_frequency)
    yield from _numbered("reducts[{}].dependency", (one.dependency for one in run.reducts))
    yield from _numbered("front[{}].dependency", (one.dependency for one in run.front))
    yield from _numbered("history[{}].dependency", (one.dependency for one in run.history))
    yield from _numbered("history[{}].diversity", (one.diversity or 0.0 for one in run.history))
    yield from _numbered("ambiguous[{}].membership", (one.membership for one in run.ambiguous))
    if run.sampling is not None:
        yield "sampling.low", run.sampling.low
        yield "sampling.high", run.sampling.high
        yield "sampling.confidence", run.sampling.confidence
    for at, one in enumerate(run.explanations):
        yield f"explanations[{at}].dependency", one.dependency
        yield f"explanations[{at}].dependency_without", one.dependency_without
        for i, pair in enumerate(one.pairs):
            yield f"explanations[{at}].pairs[{i}].distance_with", pair.distance_with
            yield f"explanations[{at}].pairs[{i}].distance_without", pair.distance_without


def _counts(run: "Run") -> Iterator[tuple[str, float]]:
    yield "seed", run.seed
    yield "seconds", run.seconds
    yield "n_evaluations", run.n_evaluations
    yield "n_resumed", run.n_resumed
    yield "n_ambiguous", run.n_ambiguous
    yield from _numbered("explanations[{}].n_affected", (e.n_affected for e in run.explanations))
    yield "data.n_samples", run.data.n_samples
    yield from _numbered("data.features[{}].n_missing", (f.n_missing for f in run.data.features))
    yield from _numbered(
        "data.target.classes[{}].count", (c.count for c in run.data.target.classes)
    )
    if run.certificate is not None:
        yield "certificate.lower_bound", run.certificate.lower_bound
        yield "certificate.size", run.certificate.size
        yield "certificate.n_reducts", run.certificate.n_reducts
    for at, point in enumerate(run.history):
        yield f"history[{at}].n_evaluations", point.n_evaluations
        yield f"history[{at}].size", point.size
        yield f"history[{at}].n_reducts", point.n_reducts
        yield f"history[{at}].seconds", point.seconds or 0.0


def _parts(run: "Run") -> Iterator[tuple[str, float]]:
    """Yield the counts of samples, which cannot exceed their number."""
    yield "n_ambiguous", run.n_ambiguous
    yield from _numbered("explanations[{}].n_affected", (e.n_affected for e in run.explanations))
    yield from _numbered("data.features[{}].n_missing", (f.n_missing for f in run.data.features))


def _numbered(where: str, values: Iterable[float]) -> Iterator[tuple[str, float]]:
    for at, value in enumerate(values):
        yield where.format(at), value
