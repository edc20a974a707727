"""Subsets of features in the forms that kernels read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.measure._kernel_scan import Batch
from fuzzyfrog.measure._vectors import STAGE
from fuzzyfrog.measure.geometry import Geometry

__all__ = ["Subset", "batch_of", "exact_mean", "subset_of"]

_UNITS = 2**50  # units of the grid in a membership of 1

# Each feature adds a step of uncertainty to a 16-bit sum. Beyond this many features the filter
# could take a full sum for a small one; features left out are measured exactly all the same.
_MOST_FILTERED = 16_000


@dataclass(frozen=True, eq=False)
class Subset:
    """One subset of features.

    Parameters
    ----------
    features : int64[n]
        For the filter: the most telling first, filled up to whole stages with the empty feature.
    exact : int64[m]
        For the exact measure: in ascending order.
    gaps : bool
        Whether values are missing that are similar to anything.
    """

    features: NDArray[np.int64]
    exact: NDArray[np.int64]
    gaps: bool


def subset_of(geometry: Geometry, mask: NDArray[np.bool_]) -> Subset:
    """Give the subset for a boolean mask."""
    ranked = geometry.most_telling[mask[geometry.most_telling]][:_MOST_FILTERED]
    fill = max(-ranked.size % STAGE, STAGE - ranked.size)
    features = np.concatenate([ranked, np.full(fill, geometry.n_features)])
    return Subset(features, np.flatnonzero(mask), bool(geometry.has_gaps[mask].any()))


def batch_of(subsets: list[Subset], allowed: NDArray[np.float64]) -> Batch:
    """Give subsets as one batch."""
    return Batch(
        np.concatenate([subset.features for subset in subsets]),
        np.concatenate([subset.exact for subset in subsets]),
        _starts([subset.features.size for subset in subsets]),
        _starts([subset.exact.size for subset in subsets]),
        np.array([subset.gaps for subset in subsets]),
        allowed,
    )


def exact_mean(coarse: int, fine: int, n_samples: int) -> float:
    """Give the mean of memberships whose `total` is known, rounded once."""
    return ((coarse << 25) + fine) / (n_samples * _UNITS)


def _starts(sizes: list[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
