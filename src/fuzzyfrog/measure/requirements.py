"""What a subset must satisfy to keep the full dependency, as rows of a covering problem.

A subset keeps the dependency of all features when it keeps every sample as far from its enemies
as all features do, up to rounding. That is one requirement for each pair of enemies, linear in
the features or a choice among them (docs/theory.md#requirements). There are far too many to list,
so `broken` returns some of those that a given subset breaks.
"""

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.tnorms import LARGEST, SUM, generator
from fuzzyfrog.data.scaling import GRID
from fuzzyfrog.measure.dependency import Dependency

# Generators and their sums are rounded, so a row asks for this much less than it might, in absolute
# terms and as a share. What 10,000 features can lose by rounding is below a hundredth of it.
MARGIN = 1e-9
SHARES_GRID = 2.0**-40
N_GROUPS = 32  # rows about samples that may be set aside, for one answer, ...
CELLS = 2**22  # ... or fewer: their samples times features, unless one row takes more


class Requirements:
    """Rows of requirements: what each feature contributes to a row, and what the row needs.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzyfrog.measure import Dependency
    >>> from fuzzyfrog.measure.requirements import Requirements
    >>> measure = Dependency([[0.0, 5.0], [1.0, 5.0], [1.0, 7.0]], ["a", "a", "b"], spread="range")
    >>> requirements = Requirements(measure, np.array([True, True]))
    >>> weights, needed = requirements.broken(np.array([True, False]))
    >>> weights.round(9).tolist(), needed.round(9).tolist()  # only 5 and 7 tell the last two
    ([[0.0, 1.0]], [1.0])
    """

    def __init__(self, measure: Dependency, allowed: Masks, *, limit: int = 64) -> None:
        self._measure = measure
        self._allowed = allowed.copy()
        self._limit = limit
        self._kept = measure._nearest(allowed).membership
        self._target = max(0.0, measure._mean(self._kept) - measure.tolerance)
        # All samples together may lose the tolerance of the mean and the rounding of the mean and
        # the target, and one sample may lose all of it: the more, the less it counts.
        lost = measure._mass * (measure.tolerance + GRID) / measure._masses
        self._unseen: Floats = np.ceil(lost / GRID) * GRID

    def broken(self, mask: Masks) -> tuple[Floats, Floats]:
        """Return rows that a subset of the allowed features breaks.

        Parameters
        ----------
        mask : bool[n_features]
            The subset.

        Returns
        -------
        float64[n_rows, n_features], float64[n_rows]
            Weights, not negative and at most what their row needs, and the needs, all above 0:
            a subset keeps the full dependency only if in every row the weights of its features
            add up to what is needed. The given one falls short in each of these rows. There are
            none exactly when it keeps the full dependency. The worst come first.
        """
        membership = self._measure._nearest(mask).membership
        if self._measure._mean(membership) >= self._target:
            return np.empty((0, len(mask))), np.empty(0)
        lost = self._kept - membership
        if (lost <= self._unseen).all():
            return self._one_more(mask, np.flatnonzero(lost > 0.0), membership)
        samples = assorted(lost, lost > self._unseen, self._limit)
        enemies = self._measure._first_enemies(np.flatnonzero(mask), samples, membership)
        low, high = np.minimum(samples, enemies), np.maximum(samples, enemies)
        _, first = np.unique(low * len(membership) + high, return_index=True)
        first.sort()
        low, high = low[first], high[first]
        kept = self._kept - self._unseen
        return self.rows(mask, low, high, np.maximum(kept[low], kept[high]))

    def broken_beyond(self, mask: Masks, max_lost: int) -> tuple[Floats, Floats]:
        """Return rows that a subset breaks if more than `max_lost` samples lose membership by it.

        As `broken`, but of any `max_lost` + 1 samples, one must keep its membership: in a row for
        that many, a feature has the largest share that it supplies of what one of them needs.
        """
        membership = self._measure._nearest(mask).membership
        lowest = self._kept - self._measure.tolerance
        most = max(1, min(N_GROUPS, CELLS // ((max_lost + 1) * len(mask))))
        samples = assorted(lowest - membership, membership < lowest, most * (max_lost + 1))
        if len(samples) <= max_lost:
            return np.empty((0, len(mask))), np.empty(0)
        enemies = self._measure._first_enemies(np.flatnonzero(mask), samples, membership)
        weights, needed = self.rows(mask, samples, enemies, lowest[samples] - GRID)
        alone = _shares(weights, needed)
        more = _shares(np.where(mask, 0.0, weights), needed - weights[:, mask].sum(axis=1))
        order = np.argsort(more.sum(axis=1), kind="stable")  # together those that little helps
        n_groups = len(order) // (max_lost + 1)
        groups = order[: n_groups * (max_lost + 1)].reshape(n_groups, -1)
        rows = alone[groups].max(axis=1)
        is_hidden = rows[:, mask].sum(axis=1) >= 1.0
        rows[is_hidden] = more[groups[is_hidden]].max(axis=1)
        # Together, they need what all but `max_lost` of them need.
        n_kept = len(order) - max_lost
        total = np.minimum(1.0, more.sum(axis=0) / (n_kept * (1.0 - MARGIN)))
        return np.vstack([rows, total]), np.ones(n_groups + 1)

    def _apart(self, i: Integers, j: Integers) -> Floats:
        """Return the distances of pairs on each feature; 0 on those that are not allowed."""
        Z = self._measure._geometry.Z
        apart = np.abs(Z[i] - Z[j])
        apart[np.isnan(apart)] = 0.0  # missing: similar to anything
        apart[:, ~self._allowed] = 0.0
        return apart

    def rows(self, mask: Masks, i: Integers, j: Integers, needed: Floats) -> tuple[Floats, Floats]:
        """Return rows of pairs that must be as far apart as needed, but are not by a subset.

        Where rounding would hide that the subset breaks a row, the row asks for one more of the
        features that tell its two samples apart at all.
        """
        geometry, join = self._measure._geometry, self._measure._join
        if geometry.is_numeric:
            alike = 1.0 - np.abs(geometry.target[i] - geometry.target[j])
            needed = needed - np.maximum(0.0, alike)
        apart = self._apart(i, j)
        margin = 0.0
        if join == SUM:
            weights = np.minimum(apart, np.maximum(needed, 0.0)[:, np.newaxis])
        elif join == LARGEST:
            weights = (apart >= needed[:, np.newaxis]).astype(np.float64)
            needed = np.ones(len(needed))
        else:
            margin = MARGIN
            weights, needed = _in_generators(apart, needed, join)
        is_hidden = weights[:, mask].sum(axis=1) >= needed - margin
        weights[is_hidden] = (apart[is_hidden] > 0.0) & ~mask
        return weights, np.where(is_hidden, 1.0, needed)

    def _one_more(
        self, mask: Masks, samples: Integers, membership: Floats
    ) -> tuple[Floats, Floats]:
        """Return one row that requires a feature that moves any of the samples farther apart."""
        enemies = self._measure._first_enemies(np.flatnonzero(mask), samples, membership)
        helps = np.zeros(len(mask), np.bool_)
        for part in range(0, len(samples), self._limit):
            some = slice(part, part + self._limit)
            helps |= (self._apart(samples[some], enemies[some]) > 0.0).any(axis=0)
        return (helps & ~mask).astype(np.float64)[np.newaxis], np.ones(1)


def assorted(lost: Floats, are_meant: Masks, limit: int) -> Integers:
    """Return those of some samples that lost most, and as many others spread over the rest."""
    order = np.argsort(-lost, kind="stable")
    order = order[are_meant[order]]
    if order.size <= limit:
        return order
    n_worst = limit // 2
    others = np.linspace(n_worst, order.size - 1, limit - n_worst).astype(np.int64)
    return np.concatenate([order[:n_worst], order[others]])


def _in_generators(apart: Floats, needed: Floats, join: int) -> tuple[Floats, Floats]:
    """Return rows for a t-norm of similarities: sums of its generator, less a margin."""
    # A distance on the grid is off by half a unit at most, so the whole unit is on the safe side.
    lacking = generator(1.0 - needed + GRID, join)
    lacking -= MARGIN * (1.0 + lacking)
    with np.errstate(divide="ignore"):
        weights = np.minimum(generator(np.maximum(0.0, 1.0 - apart), join), lacking[:, np.newaxis])
    return np.maximum(0.0, weights), lacking


def _shares(weights: Floats, needed: Floats) -> Floats:
    """Return the shares of what is needed, rounded up to a grid on which their sums are exact."""
    shares = weights / needed[:, np.newaxis]
    grid = (np.floor(shares / SHARES_GRID) + 1.0) * SHARES_GRID
    return np.where(weights > 0.0, np.minimum(1.0, grid), 0.0)
