"""What a run found, as the records that a selector shows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.records import FrontPoint, Reduct
from fuzzyfrog.search import Outcome, Problem

__all__ = ["front_of", "front_through", "listed_features", "reducts_of"]


def reducts_of(outcome: Outcome, problem: Problem, names: Sequence[str]) -> list[Reduct]:
    """Return the best subsets, those first whose features most of the others have too."""
    common = [-float(outcome.feature_frequency[one.subset].sum()) for one in outcome.reducts]
    ranked = sorted(zip(common, outcome.reducts, strict=True), key=lambda pair: pair[0])
    return [
        Reduct(*listed_features(one.subset, names), problem.told(one.score), one.minimal)
        for _, one in ranked
    ]


def front_of(outcome: Outcome, problem: Problem, names: Sequence[str]) -> list[FrontPoint]:
    """Return the best subset met of each size, up to the first with the highest score."""
    highest = max(point.score for point in outcome.front) - problem.tolerance
    enough = next(point.size for point in outcome.front if point.score >= highest)
    return [
        FrontPoint(*listed_features(point.subset, names), problem.told(point.score))
        for point in outcome.front
        if point.size <= enough
    ]


def front_through(
    front: Sequence[FrontPoint], reduct: Reduct, tolerance: float
) -> list[FrontPoint]:
    """Return the front with a reduct in place of another subset that is as large and as good."""
    own = FrontPoint(reduct.features, reduct.names, reduct.dependency)

    def is_as_good(point: FrontPoint) -> bool:
        return abs(point.dependency - reduct.dependency) <= tolerance

    return [own if point.size == own.size and is_as_good(point) else point for point in front]


def listed_features(
    subset: NDArray[np.bool_], names: Sequence[str]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Give the indices and the names of the features of a subset."""
    features = tuple(np.flatnonzero(subset).tolist())
    return features, tuple(names[feature] for feature in features)
