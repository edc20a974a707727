"""Rows of requirements, and what it means to cover them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fuzzyfrog.search.protocol import Floats, Masks


@dataclass(frozen=True, eq=False)
class Rows:
    """Requirements: in every row the weights of a cover's features add up to what is needed.

    Parameters
    ----------
    weights : float64[n_rows, n_features]
        How much each feature contributes to each row: not negative, and cut at what the row needs.
    needed : float64[n_rows]
        What the weights of a subset must add up to, above 0.

    Notes
    -----
    Sums are taken in float64. Weights that are multiples of 2**-50 and at most 1 make them exact
    as long as they stay below 8, so that a tie is a tie in any order of the features.
    """

    weights: Floats
    needed: Floats

    def __post_init__(self) -> None:
        weights, needed = self.weights, self.needed
        if weights.ndim != 2 or needed.shape != weights.shape[:1]:
            raise ValueError(
                "weights must have one row for each value of needed, "
                f"got shapes {weights.shape} and {needed.shape}."
            )
        if not (needed > 0).all() or not (weights >= 0).all():
            raise ValueError(
                "needed must be above 0 and weights not below, "
                f"got minima {needed.min(initial=np.inf)} and {weights.min(initial=np.inf)}."
            )

    @classmethod
    def none(cls, n_features: int) -> Rows:
        """Return no rows at all: every subset covers them."""
        return cls(np.empty((0, n_features)), np.empty(0))

    @classmethod
    def joined(cls, parts: Iterable[Rows]) -> Rows:
        """Return the rows of all parts (at least one), one after the other."""
        several = list(parts)
        weights = np.concatenate([part.weights for part in several])
        return cls(weights, np.concatenate([part.needed for part in several]))

    def __len__(self) -> int:
        return len(self.needed)

    @property
    def n_features(self) -> int:
        """Number of features, the length of every mask."""
        return int(self.weights.shape[1])

    def take(self, chosen: np.ndarray) -> Rows:
        """Return some of the rows, by a mask or by their numbers."""
        return Rows(self.weights[chosen], self.needed[chosen])

    def deficits(self, subset: Masks) -> Floats:
        """Return what a subset lacks in each row; not above 0 where the row is covered."""
        deficits: Floats = self.needed - self.weights[:, subset].sum(axis=1)
        return deficits

    def covered_by(self, subset: Masks) -> bool:
        """Whether a subset covers all rows."""
        return not (self.deficits(subset) > 0).any()


def without_fixed(rows: Rows, fixed: Masks) -> Rows:
    """Return what the rows need in addition to the fixed features, whose weights become zero."""
    needed = rows.deficits(fixed)
    is_open = needed > 0
    weights = np.minimum(rows.weights[is_open], needed[is_open, np.newaxis])
    weights[:, fixed] = 0.0
    return Rows(weights, needed[is_open])


Oracle: TypeAlias = Callable[[Masks], Rows]
"""Returns rows that a subset breaks, the most broken ones of different samples first; none exactly
when the subset keeps the full score."""
