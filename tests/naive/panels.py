"""Cheap panels, spare columns and rows set aside, by definition, in whole numbers.

Nothing here may import the package. A table has whole numbers, categories (texts) and gaps (None);
differences are measured in ranges, so that every distance is a fraction with the same denominator.
"""

from fractions import Fraction
from itertools import combinations
from math import lcm


def memberships(columns, target):
    """Return the membership of each sample by every subset of columns, as fractions."""
    n = len(target)
    widths = [width(column) for column in columns]
    one = lcm(1, *widths, width(target))
    apart = [distances(column, one) for column in columns]
    is_numeric = not isinstance(target[0], str)
    found = {}
    for size in range(len(columns) + 1):
        for subset in combinations(range(len(columns)), size):
            found[subset] = tuple(
                Fraction(
                    min(
                        (
                            min(one, sum(apart[a][i][j] for a in subset) + alike(target, i, j, one))
                            for j in range(n)
                            if j != i and (is_numeric or target[i] != target[j])
                        ),
                        default=one,
                    ),
                    one,
                )
                for i in range(n)
            )
    return found


def width(values):
    numbers = [value for value in values if value is not None and not isinstance(value, str)]
    return max(1, max(numbers, default=0) - min(numbers, default=0))


def distances(column, one):
    unit = one // width(column)

    def apart(a, b):
        if a is None or b is None or a == b:
            return 0
        return one if isinstance(a, str) else abs(a - b) * unit

    return [[apart(a, b) for b in column] for a in column]


def alike(target, i, j, one):
    """How alike two numeric targets are; 0 for classes, whose samples are all enemies."""
    if isinstance(target[i], str):
        return 0
    return max(0, one - abs(target[i] - target[j]) * (one // width(target)))


class Panels:
    """All subsets of the features of a table; a feature is a tuple of columns.

    `score` is the dependency, the least one after the loss of any `n_losses` features.
    """

    def __init__(self, columns, target, features, *, must=(), banned=(), n_losses=0):
        self.memberships = memberships(columns, target)
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
        return self.memberships[tuple(sorted(c for one in subset for c in self.features[one]))]

    def dependency(self, subset):
        return sum(self.of(subset)) / len(self.of(subset))

    def score(self, subset):
        n_lost = min(self.n_losses, len(subset))
        return min(
            self.dependency([one for one in subset if one not in lost])
            for lost in combinations(subset, n_lost)
        )

    def best(self, costs, share=1):
        """The cheapest subsets that reach a share of the full dependency, and what they cost."""
        asked = share * self.dependency(self.all)
        enough = [subset for subset in self.subsets if self.score(subset) >= asked]
        price = {subset: sum(costs[one] for one in subset) for subset in enough}
        lowest = min(price.values(), default=None)
        return {subset for subset in enough if price[subset] == lowest}, lowest

    def n_lost(self, subset):
        """The number of samples whose membership is lower than by all features."""
        return sum(a < b for a, b in zip(self.of(subset), self.of(self.all), strict=True))
