"""The features of a table as the kernels of the soft dependency read them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.scaling import positions, scaled
from fuzzyfrog.data.weights import masses_of, mean_by, others_of
from fuzzyfrog.measure.soft_arrays import (
    CATEGORY,
    DOUBLE,
    GAPS,
    NUMBER,
    SINGLE,
    TILE,
    WEIGHTED_TILE,
    differences,
)
from fuzzyfrog.measure.threads import map_blocks

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Scalars = NDArray[np.floating[Any]]

WIDTHS = (0.1, 0.2, 0.4)  # of the similarity exp(-difference / width), averaged over all three
N_NEIGHBORS = 5  # of the leave-one-out check
CELLS_AT_ONCE = 2**14  # pairs or values of which NumPy has some copies in the cache
_MOST_KEPT = 2**24  # bytes of exponentials that are kept for the next round of a race


@dataclass(frozen=True)
class Precision:
    """What a floating-point type can hold."""

    dtype: type[np.floating[Any]]
    lanes: int
    cut: float  # exponents beyond are cut, so that no product overflows
    reach: float  # an anchor beyond may be next to a cut sample: its membership is unsure
    least: float  # so is that of an anchor whose similarities sum up to less


SINGLE_PRECISION = Precision(np.float32, SINGLE, cut=44.0, reach=16.0, least=1e-12)
DOUBLE_PRECISION = Precision(np.float64, DOUBLE, cut=340.0, reach=170.0, least=1e-100)


@dataclass(frozen=True)
class _Kept:
    """The exponentials of some features that were computed last."""

    scale: float
    precision: Precision
    features: Integers
    order: Integers  # that sorts them
    a: Scalars
    b: Scalars
    is_far: Mask


@dataclass(frozen=True)
class References:
    """What kernels read of all samples but for features, by class; their docstrings say more."""

    tiles: Integers
    mass_of: Floats
    together: Integers
    masses: Floats
    target: Floats


@dataclass(frozen=True)
class Others:
    """What the kernel of neighbors reads of all samples but for features, in the table's order."""

    codes: Integers
    n_classes: int
    target: Floats
    together: Integers
    masses: Floats


class SoftFeatures:
    """Some features as the kernels read them.

    Parameters
    ----------
    values : float64[n_features, n_samples]
        Numbers in spreads, or codes; one feature after the other.
    kind : int64[n_features]
        NUMBER, GAPS or CATEGORY.
    differs, mean : float64[n_features]
        Difference of two categories, and that of a gap to anything.
    """

    def __init__(self, values: Floats, kind: Integers, differs: Floats, mean: Floats) -> None:
        self._values, self._kind, self._differs, self._mean = values, kind, differs, mean
        self._largest = np.fmax.reduce(np.abs(values), axis=1, initial=0.0)
        self._kept: _Kept | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": None}

    def __sizeof__(self) -> int:  # for Dask, to know what it holds, with exponentials in float32
        return object.__sizeof__(self) + self._values.nbytes + 9 * self._values.size

    def part(self, first: int, last: int) -> SoftFeatures:
        """Return a copy of some features, to be sent to another process."""
        some = slice(first, last)
        values, kind = np.array(self._values[some]), self._kind[some]
        return SoftFeatures(values, kind, self._differs[some], self._mean[some])

    def differences(
        self, features: Integers, place: Integers
    ) -> tuple[Floats, Integers, Floats, Floats]:
        """Return values, kinds and fixed differences of some features, samples in an order."""
        fixed = self._differs[features], self._mean[features]
        return self._values[np.ix_(features, place)], self._kind[features], *fixed

    def factors(
        self, features: Integers, scale: float, precision: Precision
    ) -> tuple[Scalars, Scalars, Integers, Scalars, Scalars, Mask]:
        """Return what the kernel takes of some features, and which samples are far out."""
        a, b, is_far = self._kept_exponentials(features, scale, precision)
        differs = np.exp(-self._differs[features] / scale).astype(precision.dtype)
        gap = np.exp(-self._mean[features] / scale).astype(precision.dtype)
        return a, b, self._kind[features], differs, gap, is_far

    def _kept_exponentials(
        self, features: Integers, scale: float, precision: Precision
    ) -> tuple[Scalars, Scalars, Mask]:
        """Return the exponentials of some features; the rounds of a race need the same again."""
        kept = self._kept  # another thread may replace it
        if kept is not None and kept.scale == scale and kept.precision == precision:
            rows = np.searchsorted(kept.features, features, sorter=kept.order)
            rows = kept.order[np.minimum(rows, len(kept.order) - 1)]
            if np.array_equal(kept.features[rows], features):
                return kept.a[rows], kept.b[rows], kept.is_far[rows]
        a, b, is_far = self._exponentials(features, scale, precision)
        if a.nbytes + b.nbytes + is_far.nbytes <= _MOST_KEPT:
            self._kept = _Kept(scale, precision, features, np.argsort(features), a, b, is_far)
        return a, b, is_far

    def _exponentials(
        self, features: Integers, scale: float, precision: Precision
    ) -> tuple[Scalars, Scalars, Mask]:
        shape = (len(features), self._values.shape[1])
        a, b = np.empty(shape, precision.dtype), np.empty(shape, precision.dtype)
        is_far = np.zeros(shape, np.bool_)
        for first, last in pieces(len(features), max(1, CELLS_AT_ONCE // shape[1])):
            some = features[first:last]
            values = self._values[some]
            exponent = values / scale
            if (self._largest[some] / scale > precision.reach).any():  # of few columns
                with np.errstate(invalid="ignore"):
                    is_far[first:last] = np.abs(exponent) > precision.reach
                np.clip(exponent, -precision.cut, precision.cut, out=exponent)
            a[first:last], b[first:last] = np.exp(exponent), np.exp(-exponent)
            labels = np.flatnonzero(self._kind[some] == CATEGORY)
            a[first + labels] = b[first + labels] = values[labels]
            is_far[first + labels] = False
        return a, b, is_far


class SoftColumns(SoftFeatures):
    """The features of a table as the kernels read them, samples ordered by class and mass."""

    def __init__(
        self,
        dataset: Dataset,
        values: Floats,
        mean: Floats,
        differs: Floats,
        masses: Floats | None,
    ) -> None:
        self._dataset = dataset
        self.masses = masses  # None if each sample counts once
        kind = np.where(dataset.categorical, CATEGORY, np.where(_have_gaps(values), GAPS, NUMBER))
        is_graded = dataset.classes is None
        labels = np.zeros(dataset.n_samples) if is_graded else dataset.target
        codes = labels.astype(np.int64)
        # Equal masses next to each other: kernels then multiply sums, not every similarity.
        self._order = np.lexsort((codes,) if masses is None else (masses, codes))
        self.place = np.empty(dataset.n_samples, np.int64)
        self.place[self._order] = np.arange(dataset.n_samples)
        ordered = values[np.ix_(np.arange(len(values)), self._order)]
        super().__init__(ordered, kind.astype(np.int64), differs, mean)
        # A sample itself is always left out; if all are in one group, there would be no other.
        groups = np.arange(dataset.n_samples) if dataset.groups is None else dataset.groups
        numbers = np.unique(groups, return_inverse=True)[1].astype(np.int64)
        self.together: Integers = numbers if numbers.any() else np.arange(dataset.n_samples)
        # Without groups, samples of a tile have numbers next to each other: kernels skip the rest.
        are_apart = numbers.max(initial=0) == dataset.n_samples - 1
        self._together_by_class = (
            np.arange(dataset.n_samples) if are_apart else self.together[self._order]
        )
        self._masses_by_class = np.empty(0) if masses is None else masses[self._order]
        counts = np.bincount(codes)
        ends = np.cumsum(counts[counts > 0]).tolist()
        self._tiles, self._mass_of = _tiles([0, *ends], self._masses_by_class)
        self.target = np.empty(0)
        if is_graded:
            target = np.asarray(dataset.target, np.float64)
            self.target, _ = scaled(target, "std", np.inf, masses)

    @classmethod
    def of(cls, dataset: Dataset, masses: Floats | None = None, n_threads: int = 1) -> SoftColumns:
        """Return the columns of a table, whose samples count by masses or else by its weights."""
        if masses is None and dataset.weights is not None:
            masses = masses_of(dataset)
        mean, differs = np.zeros(dataset.n_features), np.zeros(dataset.n_features)
        # No gap is closed: here a distance counts in full, not only up to 1.
        mapped = partial(map_blocks, n_threads=n_threads)
        Z, _ = positions(dataset, "std", "similar", mapped, closed_beyond=np.inf, masses=masses)
        values = np.ascontiguousarray(Z.T)
        del Z  # before the next copy
        for a in np.flatnonzero(dataset.categorical | _have_gaps(values)).tolist():
            is_known = ~np.isnan(values[a])
            known, counts = values[a, is_known], None if masses is None else masses[is_known]
            if dataset.categorical[a]:
                share = _share_that_differs(known, counts)
                differs[a] = 1.0 / math.sqrt(share / 2) if share else 0.0
                mean[a] = math.sqrt(2 * share)
            else:  # only gaps need it, and it sorts the column
                mean[a] = _mean_difference(known, counts)
        return cls(dataset, values, mean, differs, masses)

    def of_rows(self, dataset: Dataset, rows: Integers) -> SoftColumns:
        """Return the columns of some samples, a table by themselves, in the spreads of all."""
        values = self._values[:, self.place[rows]]
        masses = None if self.masses is None else self.masses[rows]
        part = SoftColumns(dataset, values, self._mean, self._differs, masses)
        part.target = self.target[rows] if self.target.size else self.target
        return part

    def with_new(self, joined: Dataset) -> SoftColumns:
        """Return the columns with new samples behind these, in units of these."""
        old, n_old = self._dataset, self._dataset.n_samples
        new = joined.values[n_old:].T.copy()
        for a in np.flatnonzero(~old.categorical).tolist():
            new[a] = self._in_units_of(old.values[:, a], new[a])
        values = np.hstack([self._values[:, self.place], new])
        masses = self.masses
        if masses is not None:
            masses = np.concatenate([masses, np.ones(joined.n_samples - n_old)])
        # Where only new samples have a gap, it is as far from all: its mean difference cancels.
        found = SoftColumns(joined, values, self._mean, self._differs, masses)
        if len(self.target):
            target = np.asarray(old.target, np.float64)
            more = self._in_units_of(target, np.asarray(joined.target[n_old:], np.float64))
            found.target = np.concatenate([self.target, more])
        return found

    def _in_units_of(self, column: Floats, values: Floats) -> Floats:
        """Return values centered and divided as a column is; 0 where that has no spread."""
        is_known = ~np.isnan(column)
        present = column[is_known]
        if present.size < 2 or present.min() == present.max():
            return values * 0.0
        spread = np.std(present, ddof=1)
        if self.masses is not None:
            masses = self.masses[is_known]
            apart = present - mean_by(present, masses)
            spread = np.sqrt((masses * apart**2).sum() / others_of(masses.sum()))
        return np.asarray((values - np.median(present)) / spread)

    @property
    def references(self) -> References:
        """All samples as the kernels sum them up."""
        target = self.target[self._order] if self.target.size else self.target
        together, masses = self._together_by_class, self._masses_by_class
        return References(self._tiles, self._mass_of, together, masses, target)

    @property
    def others(self) -> Others:
        """All samples as possible neighbors."""
        target, classes = self._dataset.target, self._dataset.classes
        codes = np.empty(0, np.int64) if classes is None else target.astype(np.int64)
        masses = np.ones(len(target)) if self.masses is None else self.masses
        return Others(codes, len(classes or ()), self.target, self.together, masses)

    def n_nearest(self, anchors: Integers) -> Floats:
        """Return how many neighbors of some samples are looked at."""
        return np.minimum(float(N_NEIGHBORS), self.n_others()[anchors])

    def chances(self) -> Floats:
        """Return how alike the targets of all others are to that of each sample, on average.

        Targets are sorted and not compared in pairs: the memory is that of a few columns.
        """
        n, target = self._dataset.n_samples, self._dataset.target
        if n < 2:
            return np.ones(n)
        masses, n_others = np.ones(n) if self.masses is None else self.masses, self.n_others()
        if self._dataset.classes is not None:
            codes = target.astype(np.int64)
            kinds = np.unique(self.together * (codes.max() + 1) + codes, return_inverse=True)[1]
            of_class, of_kind = (np.bincount(some, masses)[some] for some in (codes, kinds))
            return np.asarray((of_class - of_kind) / n_others)
        alike = _total_likeness(self.target, np.zeros(n, np.int64), masses)
        alike -= _total_likeness(self.target, self.together, masses)
        return np.asarray(alike / n_others)

    def n_others(self) -> Floats:
        """Return the mass of the samples that each one is compared with."""
        masses = np.ones(self._dataset.n_samples) if self.masses is None else self.masses
        return np.asarray(masses.sum() - np.bincount(self.together, masses)[self.together])

    def mean_differences(self, features: Integers, samples: Integers) -> Floats:
        """Return how far all samples are from some, on average over some features."""
        delta = np.zeros((len(samples), self._dataset.n_samples))
        for feature in features.tolist():
            fixed = self._kind[feature], self._differs[feature], self._mean[feature]
            delta += differences(self._values[feature, self.place], samples, *fixed)
        return np.asarray(delta / max(1, len(features)))

    def memberships(self, features: Integers, samples: Integers) -> Floats:
        """Return the memberships of some samples, computed so that nothing can underflow.

        All samples are compared with these at once, so there must be few.
        """
        stop_if_late()
        delta = self.mean_differences(features, samples)
        delta[self.together == self.together[samples, np.newaxis]] = np.inf
        if self._dataset.n_samples < 2:
            return self.chances()[samples]
        alike = self.likeness(samples)
        delta -= delta.min(axis=1, keepdims=True)
        shares = np.zeros(len(samples))
        for width in WIDTHS:
            similar = np.exp(-delta / width)
            if self.masses is not None:
                similar *= self.masses
            shares += (similar * alike).sum(axis=1) / similar.sum(axis=1)
        return shares / len(WIDTHS)

    def likeness(self, samples: Integers) -> Floats:
        """Return how alike the targets of all samples are to those of some."""
        target = self._dataset.target
        if self._dataset.classes is not None:
            return np.asarray(target == target[samples, np.newaxis], np.float64)
        apart = np.abs(self.target - self.target[samples, np.newaxis])
        return np.asarray(np.maximum(0.0, 1.0 - apart))


def _have_gaps(values: Floats) -> Mask:
    return np.asarray(np.isnan(values.min(axis=1, initial=np.inf)))


def _tiles(starts: list[int], masses: Floats) -> tuple[Integers, Floats]:
    """Return the tiles of all classes, and the mass of the samples of each; 0 if they differ.

    Samples of one mass that would fill a tile of the usual size are apart from others.
    """
    size, found = WEIGHTED_TILE if masses.size else TILE, []
    for start, end in pairwise(starts):
        runs = np.array([start, *start + 1 + np.flatnonzero(np.diff(masses[start:end])), end])
        is_long = np.diff(runs) >= TILE
        bounds = np.unique([start, *runs[:-1][is_long], *runs[1:][is_long], end]).tolist()
        for low, high in pairwise(bounds):
            found += [(at, min(at + size, high), start, end) for at in range(low, high, size)]
    tiles = np.array(found, np.int64).reshape(-1, 4)
    if not masses.size:
        return tiles, np.ones(len(tiles))
    first, last = masses[tiles[:, 0]], masses[tiles[:, 1] - 1]  # in order, so of all
    return tiles, np.where(first == last, first, 0.0)


def pieces(n: int, at_once: int) -> list[tuple[int, int]]:
    """Return the first and last places of pieces of some length."""
    return [(start, min(start + at_once, n)) for start in range(0, n, at_once)]


def _share_that_differs(codes: Floats, masses: Floats | None) -> float:
    """Return the share of pairs of values that differ."""
    if codes.size < 2:
        return 0.0
    places = np.unique(codes, return_inverse=True)[1]
    counts = np.bincount(places, masses).astype(np.float64)
    n = counts.sum()
    if counts.size < 2:
        return 0.0
    return float(1.0 - (counts * (counts - 1)).sum() / (n * others_of(n)))


def _mean_difference(values: Floats, masses: Floats | None) -> float:
    """Return the mean difference of two of the values."""
    if values.size < 2:
        return 0.0
    order = np.argsort(values, kind="stable")
    counts = np.ones(values.size) if masses is None else masses[order]
    ends = np.cumsum(counts)
    ranks = counts * (2.0 * ends - counts - ends[-1])
    return float(2.0 * (ranks * values[order]).sum() / (ends[-1] * others_of(ends[-1])))


def _total_likeness(values: Floats, groups: Integers, masses: Floats) -> Floats:
    """Return the sum of max(0, 1 - difference) over the others of its group, for each number."""
    by_value = np.sort(values)
    begins = groups * (values.size + 1)  # of the ranks of a group, so that one sort is enough
    ranks = begins + np.searchsorted(by_value, values)
    order = np.argsort(ranks, kind="stable")
    ordered, ranks, begins = values[order], ranks[order], begins[order]
    # Of those within 1: where the first is, and where the first is that is not.
    first = np.searchsorted(ranks, begins + np.searchsorted(by_value, ordered - 1.0))
    after = np.searchsorted(ranks, begins + np.searchsorted(by_value, ordered + 1.0, side="right"))
    here = np.arange(values.size)
    counts = np.concatenate([[0.0], np.cumsum(masses[order])])
    sums = np.concatenate([[0.0], np.cumsum(masses[order] * ordered)])
    below = (counts[here] - counts[first]) * (1.0 - ordered) + (sums[here] - sums[first])
    above = (counts[after] - counts[here + 1]) * (1.0 + ordered) - (sums[after] - sums[here + 1])
    total = np.empty(values.size)
    total[order] = below + above
    return total
