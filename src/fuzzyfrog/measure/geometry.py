"""The samples as points, in the order and the forms that the engines read; subsets, exact means."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.resources import empty
from fuzzyfrog.data.dataset import Dataset
from fuzzyfrog.data.scaling import GRID, Missing, Spread, column_blocks, positions, scaled
from fuzzyfrog.data.weights import masses_of
from fuzzyfrog.measure.threads import map_blocks

LANES = 64  # samples that the filter compares at once
STAGE = 4  # features joined between checks of which lanes are left
NEVER = -32768  # a limit that no distance is below
MISSING = -32768  # a missing value; every present value is within +-16383

_HALF = 16383  # positions in steps lie within +-_HALF: no difference of two overflows 16 bits
_REACH = 4.0  # positions beyond this many spreads are cut in the filter, not in the measure
_MOST_DIGITS = 9  # after the point, of weights that keep their ratios
_SAMPLED_PAIRS = 4096  # pairs of enemies that decide which features are looked at first


class Level(NamedTuple):
    """A numeric target for the filter, in levels of one or more steps.

    Attributes
    ----------
    of : int16[n_samples + LANES] or int16[0]
        The level of each sample, within +-16383; nothing for classes.
    alike : int
        Targets fewer levels apart than this are alike for certain, by `step` for each level less.
    step : int
        Number of steps in a level.
    """

    of: NDArray[np.int16]
    alike: np.int16
    step: np.int16


class Table(NamedTuple):
    """What the scan reads: samples ordered so that the enemies of sample i come after it.

    Attributes
    ----------
    Z : float64[n_samples, n_features]
        Positions on the grid; NaN where missing.
    lanes : int16[n_features + 1, n_samples + LANES]
        The same in steps of `1 / steps`, feature by feature; the last row and the padding are 0.
    queries : int16[n_samples, n_features + 1]
        The same, sample by sample.
    first_enemy : int64[n_samples]
        Every sample from here on is an enemy of sample i, none between i and here is.
    target : float64[n_samples] or None
        Positions of a numeric target, None for classes: kernels are compiled for one of the two.
    level : Level
        The same for the filter.
    steps : float
        Number of steps that make up the distance 1.
    """

    Z: NDArray[np.float64]
    lanes: NDArray[np.int16]
    queries: NDArray[np.int16]
    first_enemy: NDArray[np.int64]
    target: NDArray[np.float64] | None
    level: Level
    steps: float


class Batch(NamedTuple):
    """Subsets stored one after the other, each from its start to the start of the next.

    Attributes
    ----------
    features : int64[n]
        For the filter: the most telling features first, filled up to whole stages with
        `n_features` (the empty row).
    subset : int64[m]
        For the exact measure: the same features in ascending order.
    feature_starts, subset_starts : int64[n_subsets + 1]
        Where each subset starts.
    gaps : bool[n_subsets]
        Whether values are missing in the subset.
    allowed : float64[n_subsets]
        Largest sum of (1 - membership) that is still of interest.
    """

    features: NDArray[np.int64]
    subset: NDArray[np.int64]
    feature_starts: NDArray[np.int64]
    subset_starts: NDArray[np.int64]
    gaps: NDArray[np.bool_]
    allowed: NDArray[np.float64]


def n_blocks(n_samples: int) -> int:
    """Return the number of blocks of `LANES` samples that hold all samples."""
    return -(-n_samples // LANES)


def parts_of(n_items: int, n_parts: int = 64) -> list[tuple[int, int]]:
    """Return items split into equal parts, none of them empty: (first, last) of each."""
    cuts = np.linspace(0, n_items, 1 + min(n_items, n_parts)).astype(np.int64).tolist()
    return list(itertools.pairwise(cuts))


@dataclass(frozen=True, eq=False)
class Geometry:
    """Samples in an order in which the enemies of a sample follow it.

    Parameters
    ----------
    Z : float64[n_samples, n_features]
        Positions on the grid, the smallest class first; NaN where missing and similar to anything.
    order : int64[n_samples]
        The number of each sample in the table of the caller.
    starts : int64[n_classes + 1]
        Where each class starts; for a numeric target there is one class, of all samples.
    target : float64[n_samples] or float64[0]
        Positions of a numeric target in ascending order; nothing for classes.
    categorical : bool[n_features]
        Features whose values are only equal or different.
    errors : float64[n_features]
        Bounds of the error of a distance, cut at 1, on each feature.
    target_error : float
        The same for a numeric target.
    masses : int64[n_samples]
        How much each sample counts in a mean: 1 without weights, else multiples of a small unit, so
        that sums are exact (docs/theory.md#weights).
    """

    Z: Floats
    order: Integers
    starts: Integers
    target: Floats
    categorical: Masks
    errors: Floats
    target_error: float
    masses: Integers

    @classmethod
    def of(cls, dataset: Dataset, spread: Spread, missing: Missing, n_threads: int = 1) -> Geometry:
        """Return the geometry of a table."""
        Z, errors = positions(
            dataset, spread, missing, lambda scale, parts: map_blocks(scale, parts, n_threads)
        )
        target, target_error = np.empty(0), 0.0
        if dataset.classes is None:
            target, target_error = scaled(np.asarray(dataset.target, np.float64), spread)
            order = np.argsort(target, kind="stable")
            target, starts = target[order], np.array([0, order.size])
        else:
            sizes = np.bincount(dataset.target.astype(np.int64), minlength=len(dataset.classes))
            place = np.argsort(np.argsort(sizes, kind="stable"), kind="stable")
            order = np.argsort(place[dataset.target], kind="stable")
            starts = np.concatenate([[0], np.cumsum(np.sort(sizes))])
        about = target, dataset.categorical, errors, target_error, _masses(dataset)[order]
        return cls(_rows(Z, order), order, starts, *about)

    def take(self, rows: Integers) -> Geometry:
        """Return the geometry of some of the samples, in ascending order, at their positions."""
        return replace(
            self,
            Z=self.Z[rows],
            order=rows,
            starts=np.searchsorted(rows, self.starts),
            target=self.target[rows] if self.is_numeric else self.target,
            masses=self.masses[rows],
        )

    def __sizeof__(self) -> int:  # for Dask, to know what fits where
        return object.__sizeof__(self) + self.Z.nbytes + self.order.nbytes + self.masses.nbytes

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.Z.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.Z.shape[1])

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number."""
        return self.target.size > 0

    @cached_property
    def first_enemy(self) -> Integers:
        """For each sample the first one of the samples after it that is its enemy."""
        if self.is_numeric:
            return np.arange(1, self.n_samples + 1)
        return np.repeat(self.starts[1:], np.diff(self.starts))

    @cached_property
    def side(self) -> Integers:
        """A number for each sample that differs between enemies."""
        if self.is_numeric:
            return np.arange(self.n_samples)
        return np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))

    @cached_property
    def n_pairs(self) -> int:
        """Number of pairs of enemies."""
        return int(np.sum(self.n_samples - self.first_enemy))

    def n_pairs_of(self, n_asked: int) -> int:
        """Return how many pairs of enemies some of the samples are in, on average."""
        share = min(1.0, 2.0 * n_asked / self.n_samples)  # all samples share each pair with another
        return int(share * self.n_pairs)

    @cached_property
    def has_gaps(self) -> Masks:
        """Which features have missing values that are similar to anything."""
        return np.asarray(np.isnan(self.Z.sum(axis=0)))  # only a NaN makes a sum NaN

    @cached_property
    def steps(self) -> float:
        """Number of 16-bit steps in the distance 1: as fine as the widest feature allows."""
        highest, lowest = np.fmax.reduce(self.Z, axis=0), np.fmin.reduce(self.Z, axis=0)
        farthest = np.fmax(highest, -lowest)[~self.categorical]
        widest = float(np.nanmax(farthest, initial=1.0)) if farthest.size else _REACH
        return _HALF / min(widest, _REACH)

    @cached_property
    def is_crowded(self) -> Masks:
        """Which categorical features have more codes than fit at full distance into 16 bits."""
        n_codes = np.fmax.reduce(self.Z, axis=0) + 1.0
        return np.asarray(self.categorical & ((n_codes - 1.0) * self.steps > 2.0 * _HALF))

    @cached_property
    def queries(self) -> NDArray[np.int16]:
        """Positions in steps, sample by sample; one more feature is 0 everywhere."""
        result = empty((self.n_samples, self.n_features + 1), np.int16)
        result[:, -1] = 0
        for part in column_blocks(self.n_samples, self.n_features):
            result[:, part] = self._in_steps(part)
        return result

    @cached_property
    def lanes(self) -> NDArray[np.int16]:
        """Positions in steps, feature by feature, filled up to whole blocks."""
        result = empty((self.n_features + 1, n_blocks(self.n_samples) * LANES), np.int16)
        result[:, : self.n_samples] = self.queries.T
        result[:, self.n_samples :] = 0
        return result

    @cached_property
    def level(self) -> Level:
        """A numeric target for the filter; one that is too wide for 16 bits has no effect."""
        of = np.zeros(n_blocks(self.target.size) * LANES, np.int16)
        low, high = (self.target[0], self.target[-1]) if self.is_numeric else (0.0, 0.0)
        step = max(1.0, float(np.ceil((high / 2 - low / 2) / _HALF * self.steps)))
        alike = np.floor(self.steps / step) - 1.0  # rounding may add one level to a difference
        if alike <= 0.0:
            return Level(of, np.int16(0), np.int16(1))
        middle = low / 2 + high / 2
        of[: self.target.size] = np.rint((self.target - middle) * (self.steps / step))
        return Level(of, np.int16(alike), np.int16(step))

    @cached_property
    def table(self) -> Table:
        """Everything the scan reads."""
        return Table(
            self.Z,
            self.lanes,
            self.queries,
            self.first_enemy,
            self.target if self.is_numeric else None,
            self.level,
            self.steps,
        )

    @cached_property
    def most_telling(self) -> Integers:
        """All features, the one that separates most pairs of enemies first."""
        rng = np.random.default_rng(0)  # only the speed depends on it
        i, j = rng.integers(0, self.n_samples, (2, _SAMPLED_PAIRS))
        i, j = np.minimum(i, j), np.maximum(i, j)
        weight = np.ones(i.size)
        if self.is_numeric:
            weight = np.minimum(1.0, np.abs(self.target[i] - self.target[j]))
        else:
            weight[j < self.first_enemy[i]] = 0.0
        separated = np.empty(self.n_features)
        for part in column_blocks(_SAMPLED_PAIRS, self.n_features):
            apart = np.minimum(1.0, np.abs(self.Z[i, part] - self.Z[j, part]))
            separated[part] = np.nansum(weight[:, np.newaxis] * apart, axis=0)
        return np.argsort(-separated, kind="stable")

    def _in_steps(self, part: slice) -> NDArray[np.int16]:
        """Return features in steps; a distance in steps is never more than one too large."""
        n_codes = np.fmax.reduce(self.Z[:, part], axis=0) + 1.0  # of those that have codes
        categorical = self.categorical[part]
        # Codes may lie closer together: any two different ones are at distance 1 or more.
        closer = 2.0 * _HALF / np.fmax(n_codes - 1.0, 1.0)
        steps = np.where(categorical, np.fmin(self.steps, closer), self.steps)
        middle = np.where(categorical, (n_codes - 1.0) / 2.0, 0.0)
        cut = np.clip(np.rint((self.Z[:, part] - middle) * steps), -_HALF, _HALF)
        return np.where(np.isnan(cut), MISSING, cut).astype(np.int16)


def _rows(Z: Floats, order: Integers) -> Floats:
    """Return rows in another order, without a copy if they are in that order already."""
    if np.array_equal(order, np.arange(order.size)):
        return Z
    return np.take(Z, order, axis=0, out=empty(Z.shape), mode="clip")  # "raise" would copy


# Share of the samples that may be lost beyond the limit: the running sum of losses is rounded, the
# scores that decide at the end are not.
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

    features: Integers
    exact: Integers
    gaps: bool


def subset_of(geometry: Geometry, mask: Masks) -> Subset:
    """Return the subset for a boolean mask."""
    ranked = geometry.most_telling[mask[geometry.most_telling]][:_MOST_FILTERED]
    features = np.full(max(1, -(-ranked.size // STAGE)) * STAGE, geometry.n_features)
    features[: ranked.size] = ranked
    return Subset(features, np.flatnonzero(mask), bool(geometry.has_gaps[mask].any()))


def batch_of(geometry: Geometry, masks: Masks, allowed: Floats) -> Batch:
    """Return many subsets as one batch, without a Python loop over them."""
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


def _masses(dataset: Dataset) -> Integers:
    """Return masses as whole numbers, so small that the totals of any subset fit into 64 bits.

    Weights with few digits keep their ratios, so that equal sums of them stay equal.
    """
    if dataset.weights is None:
        return np.ones(dataset.n_samples, np.int64)
    for unit in (float(10**digits) for digits in range(_MOST_DIGITS + 1)):
        whole = np.rint(dataset.weights * unit)
        if whole.max() >= 2**53:
            break
        if whole.min() > 0 and (whole / unit == dataset.weights).all():
            units = whole.astype(np.int64)
            units //= np.gcd.reduce(units)
            if units.sum(dtype=np.float64) <= 2**37:
                return units
            break
    masses = masses_of(dataset)
    shift = min(20, 37 - int(np.ceil(np.log2(masses.sum()))))
    return np.maximum(1, np.rint(np.ldexp(masses, shift))).astype(np.int64)


def exact_mean(coarse: int, fine: int, n_samples: int) -> float:
    """Return the mean of memberships whose `total` is known, rounded once."""
    # Python integers: 64 bits would not hold the units of many samples.
    return ((int(coarse) << 25) + int(fine)) / (n_samples * _UNITS)


def mean_membership(membership: Floats, masses: Integers | None = None) -> float:
    """Return the mean of memberships by masses, rounded once."""
    masses = np.ones(membership.size, np.int64) if masses is None else masses
    return exact_mean(*total(membership, masses), int(masses.sum()))


def total(membership: Floats, masses: Integers) -> tuple[int, int]:
    """Return the sum of memberships in units of the grid, as two numbers: coarse * 2**25 + fine.

    Two, because 64 bits hold the units of no more than 8,191 samples. Each counts by its mass.
    """
    units = (membership / GRID).astype(np.int64)
    return int(((units >> 25) * masses).sum()), int(((units & 0x1FFFFFF) * masses).sum())


def exact_means(totals: Integers, n_samples: int) -> Floats:
    """Return the same for many totals; -inf for those that are -1."""
    means = [
        exact_mean(coarse, fine, n_samples) if coarse >= 0 else -np.inf
        for coarse, fine in totals.tolist()
    ]
    return np.array(means, np.float64)


def _starts(sizes: Integers) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
