"""How many features to take of those that a greedy search adds one by one.

The soft dependency has a peak, but on some tables it comes too early for prediction. So the size is
chosen by the peak and by how often the five nearest neighbors of a sample, itself left out, have
its class (docs/decisions/0007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.deadline import TimeIsUp
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.search import FrontPoint

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

RULES = ("auto", "peak", "accuracy", "one-se")


@dataclass(frozen=True, eq=False)
class Path:
    """Subsets of which each adds features to the one before.

    Attributes
    ----------
    points : tuple of FrontPoint
        The subsets, in ascending size.
    features : int64[n]
        The features in the order in which they were added.
    losses : float64[n_points, n_anchors] or None
        How wrong the nearest neighbors of each sample are; None if there was no time for it.
    """

    points: tuple[FrontPoint, ...]
    features: Integers
    losses: Floats | None

    @classmethod
    def of(cls, front: Sequence[FrontPoint], measure: SoftDependency) -> Path | None:
        """Return the path through the best subsets of each size; None if they are not nested."""
        for smaller, larger in pairwise(front):
            if larger.size != smaller.size + 1 or (smaller.subset & ~larger.subset).any():
                return None
        added = [np.flatnonzero(front[0].subset)]
        for smaller, larger in pairwise(front):
            added.append(np.flatnonzero(larger.subset & ~smaller.subset))
        features = np.concatenate(added).astype(np.int64)
        try:
            losses = measure.left_out_losses(features)[front[0].size - 1 :]
        except TimeIsUp:
            losses = None
        return cls(tuple(front), features, losses)

    @property
    def accuracies(self) -> list[float] | None:
        """For each point the share of samples that are right, or R² for a numeric target."""
        if self.losses is None:
            return None
        return [float(1.0 - loss) for loss in self.losses.mean(axis=1)]

    def chosen_by(self, rule: str) -> FrontPoint:
        """Return the point that a rule chooses.

        "peak" is the highest dependency; "accuracy" the one whose neighbors are right most often;
        "one-se" the fewest features whose neighbors are right as often, up to a standard error;
        "auto" the larger of "peak" and "one-se". Without accuracies all of them are the peak.
        """
        return self.points[self._place_by(rule)]

    def _place_by(self, rule: str) -> int:
        peak = int(np.argmax([point.score for point in self.points]))
        if rule == "peak" or self.losses is None:
            return peak
        best = int(np.argmin(self.losses.mean(axis=1)))
        behind = self.losses[: best + 1] - self.losses[best]
        n_anchors = behind.shape[1]
        errors = behind.std(axis=1, ddof=min(1, n_anchors - 1)) / np.sqrt(n_anchors)
        fewest = int(np.argmax(behind.mean(axis=1) <= errors))
        return {"auto": max(peak, fewest), "accuracy": best, "one-se": fewest}[rule]
