"""The soft dependency: features by which similar samples have the same class, to predict with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import TimeIsUp, stop_if_late
from fuzzyfrog.common.messages import percent, shown
from fuzzyfrog.common.params import check_known
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.weights import has_rare_class, masses_of
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.result import Certificate, SoftPath, VerifiedSoft
from fuzzyfrog.result.result import Parameter
from fuzzyfrog.search import Outcome, ScoredSubset
from fuzzyfrog.select.explain import Evidence, Examples, Explains, Pair
from fuzzyfrog.select.kind import Kind, Orders, Sized
from fuzzyfrog.select.redundant import Redundancy
from fuzzyfrog.select.row_groups import with_groups_by_id

if TYPE_CHECKING:
    from fuzzyfrog.select.verify import NewRows


FEW = 20  # samples of a class
RULES = ("auto", "peak", "accuracy", "one-se")  # for the number of features


@dataclass(frozen=True)
class Soft(Kind):
    """The soft dependency, which a feature can lower.

    Attributes
    ----------
    redundant : {"drop", "keep"}
        What to do with redundant features at the end of a path.
    """

    redundant: str = "drop"

    can_sample = True
    scores_all_rows = False
    has_path = True
    affordable = 2**32
    as_noise = 0.3
    exchanges_tried = 50
    name = "soft"

    def __post_init__(self) -> None:
        check_known("redundant", self.redundant, ("drop", "keep"))

    def parameters(self) -> dict[str, Parameter]:
        """Return the settings by their names."""
        return {"redundant": self.redundant}

    def grouped(self, dataset: Dataset, included: Masks, excluded: Masks) -> Dataset:
        """Return the table with groups by its IDs, unless it has others."""
        return with_groups_by_id(dataset, included, excluded)

    def measured(self, dataset: Dataset, n_jobs: int | None) -> SoftDependency:
        """Return the measure of a table; samples of a rare class count for more."""
        return SoftDependency(dataset, n_jobs=n_jobs, masses=balanced_masses(dataset))

    def sized(
        self, outcome: Outcome, measure: Any, orders: Orders, fixed: Masks, rule: str | None
    ) -> Sized:
        """Return the outcome with the size that a rule chooses, less redundant features.

        A rule of None keeps the size, which was asked for.
        """
        path = Path.of(outcome.front, measure, orders)
        if path is None:
            return Sized(outcome)
        if rule is None:
            return Sized(outcome, path.accuracies)
        place = path.place_by(rule)
        point = path.points[place]
        substitutes: dict[int, tuple[int, ...]] = {}
        if self.redundant == "drop" and path.losses is not None:
            taken = np.flatnonzero(point.subset).tolist()
            try:
                found = Redundancy(measure, taken, orders, path.losses[place]).substitutes(fixed)
                shorter = path.with_last(found, place, orders)
            except (TimeIsUp, MemoryError):
                found, shorter = {}, path
            rest = point.subset & ~np.isin(np.arange(len(point.subset)), list(found))
            # A path that was cut short may have no set as small as that: then none is dropped.
            for one in shorter.points:
                if np.array_equal(one.subset, rest):
                    path, point, substitutes = shorter, one, found
        sized = replace(
            outcome,
            subset=point.subset,
            score=point.score,
            reducts=(ScoredSubset(point.subset, point.score, minimal=False),),
            feature_frequency=point.subset.astype(np.float64),
            front=path.points,
        )
        return Sized(sized, path.accuracies, substitutes)

    def answer(
        self, found: dict[str, Any], measure: Any, certificate: Certificate | None
    ) -> SoftPath:
        """Return the path with the dependency of uninformative features."""
        is_by_class = measure.masses is not None and measure.dataset.weights is None
        return SoftPath(**found, chance=measure.chance, by_class=is_by_class)

    def notes(self, measure: Any) -> Iterator[str]:
        """Yield a sentence if samples count for more the rarer their class is."""
        dataset = measure.dataset
        if measure.masses is not None and dataset.weights is None:
            counts = np.bincount(dataset.target.astype(np.int64), minlength=len(dataset.classes))
            rarest = int(np.argmin(np.where(counts > 0, counts, dataset.n_samples)))
            yield (
                f"Only {percent(counts[rarest] / dataset.n_samples)} of the samples are of class "
                f"{shown(dataset.classes[rarest])}, so samples count for more the rarer their "
                "class is."
            )

    def weighed(self, measure: Any, masks: Masks) -> Floats:
        """Return the memberships of the anchors by each subset."""
        return np.asarray(measure.memberships(masks))

    def accuracy(self, measure: Any, subset: Masks) -> float | None:
        """Return the share of samples that neighbors get right, or R² for a numeric target."""
        columns = np.flatnonzero(subset)
        losses = measure.left_out_losses(columns, start=len(columns) - 1)[0]
        return float(1.0 - measure.means(losses))

    def examples(self, measure: Any, evidence: Evidence, selected: tuple[int, ...]) -> Explains:
        """Return the samples whose neighborhoods depend on each feature."""
        return _Examples(measure, evidence, selected, 0.5)

    def verified(self, rows: NewRows) -> VerifiedSoft:
        """Return whether old neighbors still predict new rows, and which columns have shifted."""
        from fuzzyfrog.select.verify import soft_verified  # which selects again, by settings

        return soft_verified(rows, self.measured(rows.old, rows.n_jobs))


@dataclass(frozen=True, eq=False)
class Path:
    """Subsets of which each adds features to the one before, and how many features to take.

    The soft dependency has a peak, but on some tables it comes too early for prediction. So the
    size is chosen by the peak and by how often the five nearest neighbors of a sample, itself left
    out, have its class (decision 7 in docs/decisions.md).

    Attributes
    ----------
    points : tuple of ScoredSubset
        The subsets, in ascending size.
    features : int64[n]
        The features in the order in which they were added.
    losses : float64[n_points, n_anchors] or None
        How wrong the nearest neighbors of each sample are; None if there was no time or memory for
        it.
    measure : SoftDependency
        The measure.
    """

    points: tuple[ScoredSubset, ...]
    features: Integers
    losses: Floats | None
    measure: SoftDependency

    @classmethod
    def of(
        cls, front: Sequence[ScoredSubset], measure: SoftDependency, orders: Orders
    ) -> Path | None:
        """Return the path through the best subsets of each size; None if they are not nested."""
        for smaller, larger in pairwise(front):
            if larger.size != smaller.size + 1 or (smaller.subset & ~larger.subset).any():
                return None
        added = [np.flatnonzero(front[0].subset)]
        for smaller, larger in pairwise(front):
            added.append(np.flatnonzero(larger.subset & ~smaller.subset))
        features = np.concatenate(added).astype(np.int64)
        try:
            columns, ends = orders(features.tolist())
            losses = measure.left_out_losses(columns)[ends][front[0].size - 1 :]
        except (TimeIsUp, MemoryError):
            losses = None
        return cls(tuple(front), features, losses, measure)

    def with_last(self, redundant: Collection[int], place: int, orders: Orders) -> Path:
        """Return the path up to a place with redundant features behind all others."""
        if not redundant or self.losses is None:
            return self
        measure, n_first, n_taken = self.measure, self.points[0].size, self.points[place].size
        is_last = np.isin(self.features[:n_taken], list(redundant))
        features = self.features.copy()
        features[:n_taken] = features[np.argsort(is_last, kind="stable")]
        points = list(self.points)
        for at, size in enumerate(range(n_first, n_taken)):
            subset = np.isin(np.arange(measure.n_features), features[:size])
            columns = np.isin(np.arange(measure.n_features), orders(features[:size].tolist())[0])
            points[at] = ScoredSubset(subset, float(measure.score(columns[np.newaxis])[0]))
        order, ends = orders(features[:n_taken].tolist())
        losses = measure.left_out_losses(order)[ends][n_first - 1 :]
        losses = np.vstack([losses, self.losses[place + 1 :]])
        return Path(tuple(points), features, losses, measure)

    @property
    def accuracies(self) -> list[float | None]:
        """For each point the share of samples that are right, or R² for a numeric target."""
        if self.losses is None:
            return [None] * len(self.points)
        return [float(1.0 - loss) for loss in self.measure.means(self.losses)]

    def place_by(self, rule: str) -> int:
        """Return the place of the point that a rule chooses.

        "peak" is the highest dependency; "accuracy" the one whose neighbors are right most often;
        "one-se" the fewest features whose neighbors are right as often, up to a standard error;
        "auto" the larger of "peak" and "one-se", if beyond the peak accuracy gains more than the
        dependency loses, else "peak". Without accuracies all of them are the peak.
        """
        scores = np.array([point.score for point in self.points])
        peak = int(np.argmax(scores))
        if rule == "peak" or self.losses is None:
            return peak
        losses = self.measure.means(self.losses)
        best = int(np.argmin(losses))
        behind = self.losses[: best + 1] - self.losses[best]
        errors = self.measure.standard_errors(behind)
        fewest = int(np.argmax(self.measure.means(behind) <= errors))
        # The best of many sizes owes something to luck, with any number of samples.
        pays = losses[peak] - losses[fewest] > scores[peak] - scores[fewest]
        auto = fewest if fewest > peak and pays else peak
        return {"auto": auto, "accuracy": best, "one-se": fewest}[rule]


def balanced_masses(dataset: Dataset) -> Floats | None:
    """Return how many samples each one counts as, so that all classes count for as much.

    None if no class is rare, or weights say how much samples count. Few samples of a class say
    little about it, so it counts for less.
    """
    if dataset.weights is not None or not has_rare_class(dataset):
        return None
    codes = dataset.target.astype(np.int64)
    weights = 1.0 / np.maximum(np.bincount(codes), FEW)[codes]
    return masses_of(replace(dataset, weights=weights))


class _Examples(Examples):
    """Finds the samples whose neighborhoods explain a selection."""

    kind = "membership"

    def _pairs(self, affected: list[int], rest: Masks, without: Floats) -> Iterator[Pair]:
        """Yield samples and the unlike one that gains most weight among their neighbors."""
        for place in affected:
            stop_if_late()
            sample = int(self._measure.anchors[place])
            gained = self._measure.neighborhood(sample, rest)
            gained -= self._measure.neighborhood(sample, self._subset)
            other = int(np.argmax(gained * (1.0 - self._measure.likeness(sample))))
            yield (sample, other), float(self.memberships[place]), float(without[place])

    def _nearest(self, place: int) -> tuple[int, int]:
        """Return a sample and the most similar one that is unlike it."""
        stop_if_late()
        sample = int(self._measure.anchors[place])
        weights = self._measure.neighborhood(sample, self._subset)
        return sample, int(np.argmax(weights * (1.0 - self._measure.likeness(sample))))
