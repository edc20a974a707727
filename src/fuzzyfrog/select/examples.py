"""Example samples for the record of a run: which are told apart by what, and which hardly are."""

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data import Dataset
from fuzzyfrog.data.spread import positions, scaled
from fuzzyfrog.deadline import stop_if_late
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.subsets import mean_membership
from fuzzyfrog.records import AmbiguousSample, Cell, ExamplePair, FeatureExplanation
from fuzzyfrog.select.evidence import Evidence, joined

__all__ = ["Examples"]

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


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
        """Give why each feature of the subset is there, with so many example pairs at most."""
        columns = np.flatnonzero(self._subset)
        rests = np.repeat(self._subset[np.newaxis], len(columns), axis=0)
        rests[np.arange(len(columns)), columns] = False
        return tuple(
            self._explanation(int(column), rest, n_pairs)
            for column, rest in zip(columns, rests, strict=True)
        )

    def ambiguous(self, most: int) -> tuple[AmbiguousSample, ...]:
        """Give the samples with the lowest memberships below 1, the lowest first."""
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
        """Give the first of the nearest enemies of a sample."""
        apart = self._distances(sample, subset)
        if self._targets.size:
            apart += np.maximum(0.0, 1.0 - np.abs(self._targets - self._targets[sample]))
            apart[sample] = np.inf
        else:
            apart[self._dataset.target == self._dataset.target[sample]] = np.inf
        return int(np.argmin(apart))

    def _distances(self, sample: int, subset: Mask) -> Floats:
        """Give how far all samples are from one."""
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
    return _label(dataset, column, int(value)) if dataset.nominal[column] else value


def _label(dataset: Dataset, column: int, code: int) -> str:
    labels = dataset.categories[column] if dataset.categories is not None else None
    if labels is None:
        return f"category {code}"
    label = labels[code]
    is_whole = isinstance(label, float) and label.is_integer()
    return str(int(label) if is_whole else label)  # type: ignore[call-overload]
