"""Subsets of features in the forms that kernels read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.measure._kernel_scan import Batch, total
from fuzzyfrog.measure._vectors import STAGE
from fuzzyfrog.measure.geometry import Geometry

__all__ = [
    "MARGIN",
    "SURE",
    "Subset",
    "batch_of",
    "exact_mean",
    "exact_means",
    "mean_membership",
    "subset_of",
]

# Share of the samples that may be lost beyond what is allowed: what is lost is summed up with
# rounding, the scores that decide in the end are not.
MARGIN = 1e-7

_UNITS = 2**50  # units of the grid in a membership of 1
SURE = _UNITS >> 25  # the coarse part of its `total`; the fine part is 0

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
    features = np.full(max(1, -(-ranked.size // STAGE)) * STAGE, geometry.n_features)
    features[: ranked.size] = ranked
    return Subset(features, np.flatnonzero(mask), bool(geometry.has_gaps[mask].any()))


def batch_of(geometry: Geometry, masks: NDArray[np.bool_], allowed: NDArray[np.float64]) -> Batch:
    """Give many subsets as one batch, without a loop over them."""
    n_subsets, n_features = masks.shape
    row, subset = np.divmod(np.flatnonzero(masks), n_features)
    rank = np.empty(n_features, np.int64)
    rank[geometry.most_telling] = np.arange(n_features)
    ranked = geometry.most_telling[np.sort(row * n_features + rank[subset]) - row * n_features]
    sizes = np.bincount(row, minlength=n_subsets)
    subset_starts = _starts(sizes)
    place = np.arange(row.size) - subset_starts[row]
    is_filtered = place < _MOST_FILTERED
    stages = np.maximum(1, -(-np.minimum(sizes, _MOST_FILTERED) // STAGE))
    feature_starts = _starts(stages * STAGE)
    features = np.full(feature_starts[-1], n_features)
    features[(feature_starts[row] + place)[is_filtered]] = ranked[is_filtered]
    gaps = np.bincount(row[geometry.has_gaps[subset]], minlength=n_subsets) > 0
    return Batch(features, subset, feature_starts, subset_starts, gaps, allowed)


def exact_mean(coarse: int, fine: int, n_samples: int) -> float:
    """Give the mean of memberships whose `total` is known, rounded once."""
    # Whole numbers of Python: 64 bits would not hold the units of many samples.
    return ((int(coarse) << 25) + int(fine)) / (n_samples * _UNITS)


def mean_membership(membership: NDArray[np.float64]) -> float:
    """Give the mean of memberships, rounded once."""
    coarse, fine = total(membership)
    return exact_mean(coarse, fine, membership.size)


def exact_means(totals: NDArray[np.int64], n_samples: int) -> NDArray[np.float64]:
    """Give the same for many totals; -inf for those that are -1."""
    means = [
        exact_mean(coarse, fine, n_samples) if coarse >= 0 else -np.inf
        for coarse, fine in totals.tolist()
    ]
    return np.array(means, np.float64)


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
