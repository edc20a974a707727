"""Why a feature is there: the pairs of samples that it tells apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import Missing, Spread, positions, scaled, snapped
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.dependency import TNorm
from fuzzyfrog.measure.geometry import mean_membership
from fuzzyfrog.records import AmbiguousSample, Cell, ExamplePair, FeatureExplanation

__all__ = [
    "Evidence",
    "Examples",
    "Explanation",
    "Pair",
    "joined",
]

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
        """Return the evidence on some features; a copy, safe from changes of the table."""
        features = np.flatnonzero(kept)
        part = Dataset(
            np.ascontiguousarray(dataset.values[:, features]),
            dataset.target,
            tuple(dataset.feature_names[feature] for feature in features),
            dataset.categorical[features],
            dataset.classes,
            dataset.target_name,
            dataset.name,
            dataset.categories and tuple(dataset.categories[feature] for feature in features),
        )
        return cls(part, features, tnorm, spread, missing)

    def explain(
        self, subset: Sequence[int], feature: int, limit: int, n_jobs: int | None
    ) -> Explanation:
        """Return what a feature of a subset does there that no other does."""
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
    """Return the pairs in their order, a pair and its reverse only once."""
    pairs: dict[frozenset[int], tuple[int, int]] = {}
    for sample, enemy in zip(samples.tolist(), enemies.tolist(), strict=True):
        pairs.setdefault(frozenset((sample, enemy)), (sample, enemy))
    return list(pairs.values())


def joined(apart: Floats, tnorm: TNorm) -> Floats:
    """Return the distances of pairs from those on single features, float64[n_pairs, n_features]."""
    if tnorm == "lukasiewicz":
        return np.asarray(np.minimum(1.0, apart.sum(axis=1)))
    if tnorm == "minimum":
        return np.asarray(np.minimum(1.0, apart.max(axis=1, initial=0.0)))
    return snapped(1.0 - np.prod(np.maximum(0.0, 1.0 - apart), axis=1))


Mask = NDArray[np.bool_]


class Examples:
    """Finds example samples for a subset of the features that the evidence has.

    The memberships of all samples are those of the measure; enemies are looked for only for the
    few samples that become examples, which is what makes this quick for many samples.

    Parameters
    ----------
    evidence : Evidence
        What a selector keeps of its training data.
    selected : tuple of int
        The subset.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(self, evidence: Evidence, selected: tuple[int, ...], n_jobs: int | None) -> None:
        self._dataset = evidence.dataset
        self._features = evidence.features
        self._tnorm = evidence.tnorm
        self._subset: Mask = np.isin(evidence.features, selected)
        self._measure = Dependency(
            evidence.dataset,
            tnorm=evidence.tnorm,
            spread=evidence.spread,
            missing=evidence.missing,
            n_jobs=n_jobs,
        )
        self._memberships = self._measure.memberships(self._subset)
        self._sure = 1.0 - self._measure.tolerance  # a membership of 1, but for rounding
        self._Z, _ = positions(evidence.dataset, evidence.spread, evidence.missing)
        self._targets = np.empty(0)
        if evidence.dataset.classes is None:
            target = np.asarray(evidence.dataset.target, np.float64)
            self._targets, _ = scaled(target, evidence.spread)

    def explanations(self, n_pairs: int) -> tuple[FeatureExplanation, ...]:
        """Return why each feature of the subset is there, with so many example pairs at most."""
        columns = np.flatnonzero(self._subset)
        rests = np.repeat(self._subset[np.newaxis], len(columns), axis=0)
        rests[np.arange(len(columns)), columns] = False
        return tuple(
            self._explanation(int(column), rest, n_pairs)
            for column, rest in zip(columns, rests, strict=True)
        )

    def ambiguous(self, most: int) -> tuple[AmbiguousSample, ...]:
        """Return the samples with the lowest memberships below 1, the lowest first."""
        below = np.flatnonzero(self._memberships < self._sure)
        worst = below[np.argsort(self._memberships[below], kind="stable")][:most]
        return tuple(self._ambiguous(int(sample)) for sample in worst)

    @property
    def n_ambiguous(self) -> int:
        """Number of samples whose membership is below 1."""
        return int((self._memberships < self._sure).sum())

    def _explanation(self, column: int, rest: Mask, n_pairs: int) -> FeatureExplanation:
        without = self._measure.memberships(rest)
        fall = self._memberships - without
        affected = np.flatnonzero(fall > self._measure.tolerance)
        affected = affected[np.argsort(-fall[affected], kind="stable")]
        pairs: dict[frozenset[int], tuple[int, int]] = {}
        for sample in affected.tolist():
            if len(pairs) == n_pairs:
                break
            enemy = self._enemy(sample, rest)
            pairs.setdefault(frozenset((sample, enemy)), (sample, enemy))
        return FeatureExplanation(
            feature=int(self._features[column]),
            name=self._dataset.feature_names[column],
            dependency=mean_membership(self._memberships),
            dependency_without=mean_membership(without),
            n_affected=len(affected),
            pairs=tuple(self._pair(*pair, column, rest) for pair in pairs.values()),
        )

    def _pair(self, sample: int, enemy: int, column: int, rest: Mask) -> ExamplePair:
        return ExamplePair(
            sample=sample,
            enemy=enemy,
            sample_target=_target(self._dataset, sample),
            enemy_target=_target(self._dataset, enemy),
            sample_value=_cell(self._dataset, sample, column),
            enemy_value=_cell(self._dataset, enemy, column),
            distance_with=float(self._distances(sample, self._subset)[enemy]),
            distance_without=float(self._distances(sample, rest)[enemy]),
        )

    def _ambiguous(self, sample: int) -> AmbiguousSample:
        enemy = self._enemy(sample, self._subset)
        return AmbiguousSample(
            sample=sample,
            enemy=enemy,
            sample_target=_target(self._dataset, sample),
            enemy_target=_target(self._dataset, enemy),
            membership=float(self._memberships[sample]),
            sample_values=self._values(sample),
            enemy_values=self._values(enemy),
        )

    def _enemy(self, sample: int, subset: Mask) -> int:
        """Return the first of the nearest enemies of a sample."""
        apart = self._distances(sample, subset)
        if self._targets.size:
            apart += np.maximum(0.0, 1.0 - np.abs(self._targets - self._targets[sample]))
            apart[sample] = np.inf
        else:
            apart[self._dataset.target == self._dataset.target[sample]] = np.inf
        return int(np.argmin(apart))

    def _distances(self, sample: int, subset: Mask) -> Floats:
        """Return how far all samples are from one."""
        stop_if_late()
        apart = np.abs(self._Z[:, subset] - self._Z[sample, subset])
        return joined(np.nan_to_num(apart), self._tnorm)  # missing: similar to anything

    def _values(self, sample: int) -> tuple[Cell, ...]:
        columns = np.flatnonzero(self._subset)
        return tuple(_cell(self._dataset, sample, int(column)) for column in columns)


def _target(dataset: Dataset, sample: int) -> str:
    value = dataset.target[sample]
    return f"{value:.6g}" if dataset.classes is None else str(dataset.classes[int(value)])


def _cell(dataset: Dataset, sample: int, column: int) -> Cell:
    value = float(dataset.values[sample, column])
    if np.isnan(value):
        return None
    return _label(dataset, column, int(value)) if dataset.categorical[column] else value


def _label(dataset: Dataset, column: int, code: int) -> str:
    labels = dataset.categories[column] if dataset.categories is not None else None
    if labels is None:
        return f"category {code}"
    label = labels[code]
    is_whole = isinstance(label, float) and label.is_integer()
    return str(int(label) if is_whole else label)  # type: ignore[call-overload]
