"""Why a feature is there: the pairs of samples that it tells apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data import Dataset
from fuzzyfrog.data.spread import Missing, Spread, positions, snapped
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.scoring import TNorm

__all__ = ["Evidence", "Explanation", "Pair", "joined"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pair:
    """Two samples of different class that a feature tells apart.

    Attributes
    ----------
    sample, enemy : int
        Rows of the training data, counted from 0.
    distance_with, distance_without : float
        Their distance on the selected features, cut at 1, with the feature and without it.
    """

    sample: int
    enemy: int
    distance_with: float
    distance_without: float


@dataclass(frozen=True)
class Explanation:
    """Why a feature is among the selected ones.

    Attributes
    ----------
    feature, name : int, str
        The feature.
    dependency, dependency_without : float
        Of all selected features, and of all but this one.
    n_affected : int
        Samples that come closer to another class when the feature goes.
    pairs : tuple of Pair
        For each of them the pair with its nearest enemy once the feature is gone, every pair
        once; the sample that loses most comes first. At most as many as were asked for.
    """

    feature: int
    name: str
    dependency: float
    dependency_without: float
    n_affected: int
    pairs: tuple[Pair, ...]

    @property
    def lost(self) -> float:
        """How much the dependency falls without the feature."""
        return self.dependency - self.dependency_without

    def __str__(self) -> str:
        head = (
            f"Without {self.name} the dependency falls by {self.lost:.6f}, from "
            f"{self.dependency:.6f} to {self.dependency_without:.6f}."
        )
        if not self.pairs:
            return head
        lines = [
            f"{pair.sample:>8}  {pair.enemy:>8}  {pair.distance_with:>13.6f}  "
            f"{pair.distance_without:>16.6f}"
            for pair in self.pairs
        ]
        title = f"{'sample':>8}  {'enemy':>8}  {'distance with':>13}  {'distance without':>16}"
        affected = f"Samples that come closer to another class: {self.n_affected:,}. Most of all:"
        return "\n".join([head, affected, title, *lines])


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is kept of the training data, and how it is measured.

    Attributes
    ----------
    dataset : Dataset
        The samples with the features that may have to be explained, and no others.
    features : int64[n_kept]
        Which features these are.
    tnorm, spread, missing : str
        How distances are measured.
    """

    dataset: Dataset
    features: Integers
    tnorm: TNorm
    spread: Spread
    missing: Missing

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        kept: NDArray[np.bool_],
        tnorm: TNorm,
        spread: Spread,
        missing: Missing,
    ) -> "Evidence":
        """Give the evidence on some features; a copy, safe from changes of the table."""
        features = np.flatnonzero(kept)
        part = Dataset(
            np.ascontiguousarray(dataset.values[:, features]),
            dataset.target,
            tuple(dataset.feature_names[feature] for feature in features),
            dataset.nominal[features],
            dataset.classes,
            dataset.target_name,
            dataset.name,
            dataset.categories and tuple(dataset.categories[feature] for feature in features),
        )
        return cls(part, features, tnorm, spread, missing)

    def explain(
        self, subset: Sequence[int], feature: int, limit: int, n_jobs: int | None
    ) -> Explanation:
        """Give what a feature of a subset does there that no other does."""
        measure = Dependency(
            self.dataset,
            tnorm=self.tnorm,
            spread=self.spread,
            missing=self.missing,
            n_jobs=n_jobs,
        )
        complete = np.isin(self.features, subset)
        rest = complete & (self.features != feature)
        fall = measure.memberships(complete) - measure.memberships(rest)
        affected = np.flatnonzero(fall > measure.tolerance)
        affected = affected[np.argsort(-fall[affected], kind="stable")]
        pairs = _distinct(affected, measure.nearest_enemies(rest)[affected])[:limit]
        before, after = measure.score(np.array([complete, rest])).tolist()
        return Explanation(
            feature=feature,
            name=self.dataset.feature_names[int(np.flatnonzero(complete & ~rest)[0])],
            dependency=before,
            dependency_without=after,
            n_affected=len(affected),
            pairs=self._measured(pairs, complete, rest),
        )

    def _measured(
        self, pairs: list[tuple[int, int]], complete: NDArray[np.bool_], rest: NDArray[np.bool_]
    ) -> tuple[Pair, ...]:
        Z, _ = positions(self.dataset, self.spread, self.missing)
        samples, enemies = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        apart = np.nan_to_num(np.abs(Z[samples] - Z[enemies]))  # missing: similar to anything
        with_it = joined(apart[:, complete], self.tnorm).tolist()
        without = joined(apart[:, rest], self.tnorm).tolist()
        return tuple(
            Pair(*pair, before, after)
            for pair, before, after in zip(pairs, with_it, without, strict=True)
        )


def _distinct(samples: Integers, enemies: Integers) -> list[tuple[int, int]]:
    """Give the pairs in their order, a pair and its reverse only once."""
    pairs: dict[frozenset[int], tuple[int, int]] = {}
    for sample, enemy in zip(samples.tolist(), enemies.tolist(), strict=True):
        pairs.setdefault(frozenset((sample, enemy)), (sample, enemy))
    return list(pairs.values())


def joined(apart: Floats, tnorm: TNorm) -> Floats:
    """Give the distances of pairs from those on single features, float64[n_pairs, n_features]."""
    if tnorm == "lukasiewicz":
        return np.asarray(np.minimum(1.0, apart.sum(axis=1)))
    if tnorm == "minimum":
        return np.asarray(np.minimum(1.0, apart.max(axis=1, initial=0.0)))
    return snapped(1.0 - np.prod(np.maximum(0.0, 1.0 - apart), axis=1))
