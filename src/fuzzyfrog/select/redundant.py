"""Redundant features at the end of a path: those that others replace without any loss.

A feature is redundant if it is strongly correlated with another selected one, and if neighbors and
a linear model predict not clearly worse without it (decision 13 in docs/decisions.md). What goes
beyond that costs accuracy on new samples.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import TimeIsUp, stop_if_late
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.weights import masses_of, mean_by, median_by, others_of, ranks
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.measure.threads import blas, effective_threads, map_blocks
from fuzzyfrog.result.parts import ALIKE
from fuzzyfrog.select.kind import Orders

CLEARLY = 2.0  # standard errors
PENALTY = 1.0  # of the linear models, in squared spreads
TOLERANCE = 1e-9  # by which rounding may change a score or a loss
MOST_CATEGORIES = 50  # of a feature that linear models see
COLUMNS_AT_ONCE = 256
CELLS_AT_ONCE = 2**20  # for the samples that are left out


class Redundancy:
    """Which of some features are redundant.

    Parameters
    ----------
    measure : SoftDependency
        The measure; losses are those of its anchors.
    features : sequence of int
        The features, each of which may stand for several columns.
    orders : callable
        Returns the columns of features.
    by_neighbors : float64[n_anchors]
        The losses of the nearest neighbors with all of these features.
    """

    def __init__(
        self, measure: SoftDependency, features: Sequence[int], orders: Orders, by_neighbors: Floats
    ) -> None:
        self._measure, self._features, self._orders = measure, sorted(features), orders
        self._columns = {one: orders([one])[0] for one in self._features}
        self._by_neighbors = by_neighbors
        taken = orders(self._features)[0]
        self._alike = correlations(measure.dataset, taken, taken)

    def substitutes(self, fixed: Masks) -> dict[int, tuple[int, ...]]:
        """Return the redundant features, each with the remaining ones that it resembles most.

        One after the other goes, the one without which the dependency is highest first; `fixed`
        ones stay. Without the time or memory for all of them, those so far are returned.
        """
        kept = list(self._features)
        try:
            if self._candidates(kept, fixed):
                before = self._losses(kept, self._by_neighbors)
                while (redundant := self._next(kept, fixed, before)) is not None:
                    kept.remove(redundant)
        except (TimeIsUp, MemoryError):
            pass
        return {one: self._resembled(one, kept) for one in self._features if one not in kept}

    def _candidates(self, kept: list[int], fixed: Masks) -> list[int]:
        return [one for one in kept if not fixed[one] and self._nearest(one, kept) >= ALIKE]

    def _next(self, kept: list[int], fixed: Masks, before: Floats) -> int | None:
        """Return the redundant feature that goes next; None if there is none."""
        candidates = self._candidates(kept, fixed)
        rests = [[other for other in kept if other != one] for one in candidates]
        masks = np.zeros((len(rests), self._measure.n_features), np.bool_)
        for mask, rest in zip(masks, rests, strict=True):
            mask[self._orders(rest)[0]] = True
        scores = self._measure.score(masks) if rests else np.empty(0)
        for place in map(int, np.argsort(-scores.round(12), kind="stable")):
            above = self._losses(rests[place]) - before
            error = CLEARLY * self._measure.standard_errors(above)
            if self._measure.means(above) <= error + TOLERANCE:
                return candidates[place]
        return None

    def _losses(self, features: list[int], by_neighbors: Floats | None = None) -> Floats:
        """Return the mean loss of neighbors and of a linear model, for each anchor."""
        measure, columns = self._measure, self._orders(features)[0]
        if by_neighbors is None:
            by_neighbors = measure.left_out_losses(columns, start=len(columns) - 1)[0]
        by_model = linear_losses(
            measure.dataset, columns, measure.anchors, measure.together, measure.masses
        )
        return (by_neighbors + by_model) / 2

    def _nearest(self, feature: int, kept: Sequence[int]) -> float:
        """Return how alike a feature is to others; of several columns, the least alike counts."""
        others = [one for one in kept if one != feature]
        return float(self._between(feature, others).max(axis=1).min()) if others else 0.0

    def _resembled(self, feature: int, kept: Sequence[int]) -> tuple[int, ...]:
        """Return the features that resemble one enough to be replaced by it, or else the nearest.

        There may be none that is near enough: the one in between may be redundant, too.
        """
        nearness = [float(self._between(feature, [one]).max()) for one in kept]
        least = min(ALIKE, max(nearness))
        return tuple(one for one, near in zip(kept, nearness, strict=True) if near >= least)

    def _between(self, feature: int, others: Sequence[int]) -> Floats:
        ordered = self._orders(self._features)[0]
        rows, columns = (
            np.flatnonzero(np.isin(ordered, self._orders(some)[0])) for some in ([feature], others)
        )
        return self._alike[np.ix_(rows, columns)]


def correlations(
    dataset: Dataset, columns: Integers, others: Integers, n_jobs: int | None = 1
) -> Floats:
    """Return the larger of Pearson's and Spearman's absolute correlation of columns with others.

    Gaps are at the median. It is 0 for categories and for columns that are constant.
    """
    alike = np.zeros((len(columns), len(others)))
    masses = None if dataset.weights is None else masses_of(dataset)
    total = dataset.n_samples if masses is None else masses.sum()
    for ranked in (False, True):
        left = _unit_columns(dataset, columns, masses, ranked=ranked)

        def compare(start: int, left: Floats = left, ranked: bool = ranked) -> None:
            some = slice(start, start + COLUMNS_AT_ONCE)
            if others is columns:
                right = left[some].copy()  # of itself, NumPy would round products differently
            else:
                right = _unit_columns(dataset, others[some], masses, ranked=ranked)
            if masses is not None:
                right *= masses
            alike[:, some] = np.maximum(alike[:, some], np.abs(left @ right.T) / total)

        # Many small products: threads of BLAS would wait for each other most of the time.
        with blas().limit(limits=1):
            map_blocks(compare, range(0, len(others), COLUMNS_AT_ONCE), effective_threads(n_jobs))
    return alike


def _unit_columns(
    dataset: Dataset, columns: Integers, masses: Floats | None, *, ranked: bool
) -> Floats:
    """Return standardized columns or their ranks, one in each row; categories are 0."""
    rows = dataset.values[:, columns].T.copy()
    rows[dataset.categorical[columns]] = 0.0
    for place in np.flatnonzero(np.isnan(rows).any(axis=1)).tolist():
        rows[place] = _filled(rows[place], masses)
    return _standardized(ranks(rows, masses) if ranked else rows, masses)


def _filled(column: Floats, masses: Floats | None) -> Floats:
    """Return numbers with gaps at the median."""
    is_gap = np.isnan(column)
    if not is_gap.any():
        return column
    if is_gap.all():
        return np.zeros(len(column))
    known = None if masses is None else masses[~is_gap]
    return np.where(is_gap, median_by(column[~is_gap], known), column)


def _standardized(values: Floats, masses: Floats | None) -> Floats:
    """Return numbers in standard deviations from their mean, along the last axis."""
    largest = np.abs(values).max(axis=-1, keepdims=True)
    values = values / np.where(largest > 0, largest, 1.0)  # squares of very large are not finite
    apart = values - mean_by(values, masses)[..., np.newaxis]
    spread = apart.std(axis=-1) if masses is None else np.sqrt(mean_by(apart**2, masses))
    return np.asarray(apart / np.where(spread > 0, spread, 1.0)[..., np.newaxis])


def _indicators(codes: Floats, masses: Floats | None) -> Floats:
    """Return a column of zeros and ones for each of the most frequent categories."""
    is_known = ~np.isnan(codes)
    kept, places = np.unique(codes[is_known], return_inverse=True)
    counts = np.bincount(places, None if masses is None else masses[is_known])
    kept = kept[np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]]
    return np.asarray(codes[:, np.newaxis] == kept, np.float64)


def linear_losses(
    dataset: Dataset,
    columns: Integers,
    anchors: Integers,
    together: Integers,
    masses: Floats | None = None,
) -> Floats:
    """Return how wrong a linear model of other samples is for each anchor.

    It does not know the samples that have the same number in `together`, and each counts as often
    as `masses` say. For classes, that is linear discriminant analysis, with 1 added to the
    within-class scatter; the loss is 0 for the right class, 1 for a wrong one, and in between where
    several are level. For a numeric target, it is ridge regression; the loss is the squared
    difference in variances of the target.
    """
    Z = np.hstack(
        [
            _indicators(dataset.values[:, one], masses)
            if dataset.categorical[one]
            else _standardized(_filled(dataset.values[:, one], masses), masses)[:, np.newaxis]
            for one in columns.tolist()
        ]
    )
    if dataset.classes is None:
        target = np.asarray(dataset.target, np.float64)
        scale = np.ptp(target) or 1.0  # squares of very large or small numbers are not finite
        target = (target - mean_by(target, masses)) / scale
        if masses is None:
            spread = float(target.std(ddof=min(1, len(target) - 1))) or 1.0
        else:
            spread = float(np.sqrt((masses * target**2).sum() / others_of(masses.sum()))) or 1.0
        return _ridge_losses(Z, target / spread, anchors, together, masses)
    codes = dataset.target.astype(np.int64)
    return _discriminant_losses(Z, codes, len(dataset.classes), anchors, together, masses)


def _ridge_losses(
    Z: Floats, target: Floats, anchors: Integers, together: Integers, masses: Floats | None
) -> Floats:
    """Return the squared errors, from those with all samples: (1 - X X')^-1 apart without X.

    Rows and targets are multiplied by the square roots of the masses, and the errors divided.
    """
    if np.ptp(together) == 0:  # no other samples: the mean is all there is
        return np.asarray(target[anchors] ** 2)
    Z = np.column_stack([np.ones(len(Z)), Z])
    if masses is not None:
        Z, target = Z * np.sqrt(masses)[:, np.newaxis], target * np.sqrt(masses)
    penalty = PENALTY * np.eye(Z.shape[1])
    penalty[0, 0] = 0.0  # the intercept is free
    Z = _whitened(Z, Z.T @ Z + penalty)
    apart, errors = target - Z @ (Z.T @ target), np.empty(len(Z))
    for rows in _left_out(anchors, together, Z.shape[1]):
        x, e = Z[rows], apart[rows][..., np.newaxis]
        xt = _turned(x)
        if x.shape[1] <= x.shape[2]:
            left = np.linalg.solve(_one_minus(x @ xt), e)
        else:
            left = e + x @ np.linalg.solve(_one_minus(xt @ x), xt @ e)
        errors[rows] = left[..., 0]
    squares = errors[anchors] ** 2
    return np.asarray(squares if masses is None else squares / masses[anchors])


def _discriminant_losses(
    Z: Floats,
    codes: Integers,
    n_classes: int,
    anchors: Integers,
    together: Integers,
    masses: Floats | None,
) -> Floats:
    """Return the losses, from the scatter of all samples without that of those left out.

    Without samples whose distances from the means of their classes are Y, the scatter is less by
    Y'Y, and by the products of their sums over each class, as its mean moves. These distances, and
    the classes in `is_of`, are multiplied by the square roots of the masses.
    """
    is_of = (codes[:, np.newaxis] == np.arange(n_classes)).astype(np.float64)
    roots = np.ones((len(Z), 1)) if masses is None else np.sqrt(masses)[:, np.newaxis]
    squares = np.ones((len(Z), 1)) if masses is None else masses[:, np.newaxis]
    counts = (is_of * squares).sum(axis=0)
    means = (is_of * squares).T @ Z / _not_zero(counts)[:, np.newaxis]
    apart = (Z - means[codes]) * roots
    is_of *= roots
    scatter = apart.T @ apart + PENALTY * np.eye(Z.shape[1])
    Z, means, apart = (_whitened(some, scatter) for some in (Z, means, apart))
    losses = np.empty(len(Z))
    for rows in _left_out(anchors, together, n_classes * Z.shape[1]):
        y, own = apart[rows], is_of[rows]
        # Exact, unlike a sum of squared roots: what is left of a class may be nothing.
        n_left = counts - ((own > 0) * squares[rows]).sum(axis=1)
        yt, sums = _turned(y), _turned(own) @ y
        moves = sums / _not_zero(n_left)[..., np.newaxis]
        is_small = y.shape[1] <= y.shape[2]
        if is_small:
            share = np.where(n_left > 0, 1 / _not_zero(counts), 0.0)[:, np.newaxis]
            inner = np.linalg.inv(_one_minus(y @ yt + own * share @ _turned(own)))
        else:
            inner = np.linalg.inv(_one_minus(yt @ y + _turned(sums) @ moves))
        squared = np.empty(own.shape)
        at_once = max(1, CELLS_AT_ONCE // y.size)
        for some in (slice(first, first + at_once) for first in range(0, n_classes, at_once)):
            u = Z[rows][:, :, np.newaxis] - (means - moves)[:, np.newaxis, some]
            part = u @ yt[:, np.newaxis] if is_small else u
            squared[..., some] = (part @ inner[:, np.newaxis] * part).sum(axis=-1)
            if is_small:
                squared[..., some] += (u * u).sum(axis=-1)
        freedom = np.maximum(1, n_left.sum(axis=1) - n_classes)[:, np.newaxis, np.newaxis]
        with np.errstate(divide="ignore"):  # a class without other samples is never predicted
            scores = np.log(n_left)[:, np.newaxis] - freedom / 2 * squared
        is_best = scores >= scores.max(axis=-1, keepdims=True) - TOLERANCE
        is_right = (is_best * own).any(axis=-1)
        losses[rows] = np.where(is_right, 1.0 - 1.0 / is_best.sum(axis=-1), 1.0)
    return losses[anchors]


def _not_zero(counts: Floats) -> Floats:
    """Return counts, 1 in place of 0."""
    return np.where(counts > 0, counts, 1.0)


def _whitened(Z: Floats, scatter: Floats) -> Floats:
    """Return rows in coordinates in which the scatter is the identity."""
    return np.asarray(np.linalg.solve(np.linalg.cholesky(scatter), Z.T).T)


def _turned(matrices: Floats) -> Floats:
    return matrices.swapaxes(-1, -2)


def _one_minus(matrices: Floats) -> Floats:
    return np.asarray(np.eye(matrices.shape[-1]) - matrices)


def _left_out(anchors: Integers, together: Integers, width: int) -> Iterator[Integers]:
    """Yield the samples of groups that have anchors, int64[n_groups, size].

    As many groups of one size as fit into memory with `width` numbers for each sample.
    """
    order, sizes = np.argsort(together, kind="stable"), np.bincount(together)
    starts, groups = np.cumsum(sizes) - sizes, np.unique(together[anchors])
    for size in np.unique(sizes[groups]).tolist():
        some = starts[groups[sizes[groups] == size]]
        at_once = max(1, CELLS_AT_ONCE // (size * width))
        for first in range(0, len(some), at_once):
            stop_if_late()
            yield order[some[first : first + at_once, np.newaxis] + np.arange(size)]
