"""Cheap panels, spare columns and rows set aside, by definition, in whole numbers.

Nothing here may import the package. A table has whole numbers, categories (texts) and gaps (None);
differences are measured in ranges, so that every distance is a fraction with the same denominator.
"""

from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import lcm

import numpy as np

from naive.exact import join


def memberships(columns, target, tnorm="lukasiewicz", missing="similar"):
    """Return the membership of each sample by every subset of columns, as fractions."""
    n = len(target)
    one = lcm(1, *map(width, columns), width(target))
    apart = [distances(column, one, missing) for column in columns]
    nothing = np.zeros((n, n), dtype=object)
    is_enemy, alike = enemies(target, one)
    found = {}
    for size in range(len(columns) + 1):
        for subset in combinations(range(len(columns)), size):
            joined, whole = join([apart[a] for a in subset] or [nothing], one, tnorm)
            near = np.minimum(joined + alike * (whole // one), whole)
            lowest = np.where(is_enemy, near, whole).min(axis=1)
            found[subset] = tuple(Fraction(int(value), whole) for value in lowest)
    return found


def width(values):
    numbers = [value for value in values if value is not None and not isinstance(value, str)]
    return max(1, max(numbers, default=0) - min(numbers, default=0))


def distances(column, one, missing):
    unit = one // width(column)

    def apart(a, b):
        if a is None or b is None:
            return one if missing == "different" else 0
        if isinstance(a, str):
            return 0 if a == b else one
        return abs(a - b) * unit

    return np.array([[apart(a, b) for b in column] for a in column], dtype=object)


def enemies(target, one):
    """Return who is whose enemy, and how alike their numeric targets are (0 for classes)."""
    n, unit = len(target), one // width(target)
    if isinstance(target[0], str):
        return np.array([[a != b for b in target] for a in target]), 0
    alike = [[max(0, one - abs(a - b) * unit) for b in target] for a in target]
    return ~np.eye(n, dtype=bool), np.array(alike, dtype=object)


class Panels:
    """All subsets of the features of a table; a feature is a tuple of columns.

    `score` is the dependency, the least one after the loss of any `n_losses` features.
    """

    def __init__(self, columns, target, features, *, must=(), banned=(), n_losses=0, **how):
        self.memberships = memberships(columns, target, **how)
        self.features, self.n_losses = features, n_losses
        allowed = [one for one in range(len(features)) if one not in banned]
        self.all = tuple(allowed)
        self.subsets = [
            subset
            for size in range(1, len(allowed) + 1)
            for subset in combinations(allowed, size)
            if set(must) <= set(subset)
        ]

    def of(self, subset):
        """The memberships by some features."""
        return self.memberships[self._columns(subset)]

    def _columns(self, subset):
        return tuple(sorted(c for one in subset for c in self.features[one]))

    @cached_property
    def _dependencies(self):
        return {columns: sum(kept) / len(kept) for columns, kept in self.memberships.items()}

    def dependency(self, subset):
        return self._dependencies[self._columns(subset)]

    def score(self, subset):
        n_lost = min(self.n_losses, len(subset))
        return min(
            self.dependency([one for one in subset if one not in lost])
            for lost in combinations(subset, n_lost)
        )

    def best(self, costs, share=1):
        """The cheapest subsets that reach a share of the full dependency, and what they cost."""
        asked = share * self.dependency(self.all)
        return cheapest([one for one in self.subsets if self.score(one) >= asked], costs)

    def front(self, costs, share=1):
        """The highest score for each cost, up to the first that reaches a share of all."""
        asked, rising = share * self.dependency(self.all), {}
        for cost, score in highest(self.subsets, costs, self.score):
            rising[cost] = score
            if score >= asked:
                break
        return rising

    def curve(self, costs, max_lost=0):
        """The fewest samples that lose membership for each cost, down to those that may."""
        falling = {}
        for cost, kept in highest(self.subsets, costs, lambda subset: -self.n_lost(subset)):
            falling[cost] = -kept
            if -kept <= max_lost:
                break
        return falling

    def n_lost(self, subset):
        """The number of samples whose membership is lower than by all features."""
        return sum(a < b for a, b in zip(self.of(subset), self.of(self.all), strict=True))


def cheapest(subsets, costs):
    """The cheapest of some subsets, and what they cost."""
    price = {subset: sum(costs[one] for one in subset) for subset in subsets}
    lowest = min(price.values(), default=None)
    return {subset for subset in subsets if price[subset] == lowest}, lowest


def highest(subsets, costs, score):
    """Yield the costs at which the highest score rises, and that score."""
    best = {}
    for subset in subsets:
        cost = sum(costs[one] for one in subset)
        best[cost] = max(best.get(cost, score(subset)), score(subset))
    reached = None
    for cost in sorted(best):
        if reached is None or best[cost] > reached:
            reached = best[cost]
            yield cost, reached
