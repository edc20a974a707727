"""Which subsets are the best, in whole numbers: no rounding, so a tie is a tie.

The certificates are checked against these functions, so nothing here may import the package. A
distance is a whole number of parts of `one`. Spreads of whole numbers are rational but for the
standard deviation, f sqrt(s) / p with s square-free: there sqrt(s) stands for the first 400 of its
bits, the same for every feature with that s. Square roots of different s are independent over the
rationals, so what is equal has equal whole numbers; what is not is far apart (`check_gaps`).
"""

from fractions import Fraction
from itertools import combinations, pairwise
from math import isqrt, lcm

import numpy as np

BITS = 400


def dependencies(X, y, *, spread, tnorm):
    """Return the dependency of every subset as a fraction: a dict by tuples of features."""
    apart, one = distances(X, spread)
    if tnorm == "product" and spread == "std":
        raise ValueError("products of square roots are not whole numbers of one root")
    is_enemy = np.asarray(y)[:, None] != np.asarray(y)[None, :]
    found = {}
    for size in range(1, X.shape[1] + 1):
        for subset in combinations(range(X.shape[1]), size):
            joined, whole = join([apart[a] for a in subset], one, tnorm)
            joined = np.where(is_enemy, np.minimum(joined, whole), whole)
            found[subset] = Fraction(int(joined.min(axis=1).sum()), whole * len(y))
    check_gaps(found.values())
    return found


def distances(X, spread):
    """Return |x - y| / spread by feature in whole numbers, and the number that stands for 1."""
    spreads = [inverse_spread([int(value) for value in column], spread) for column in X.T]
    one = lcm(*(ratio.denominator for ratio, _ in spreads)) << (BITS if spread == "std" else 0)
    apart = []
    for column, (ratio, radicand) in zip(X.T, spreads, strict=True):
        values = np.array([int(value) for value in column], dtype=object)
        unit = one * ratio.numerator // ratio.denominator
        if spread == "std":
            unit = (unit >> BITS) * isqrt(radicand << 2 * BITS)
        apart.append(np.abs(values[:, None] - values[None, :]) * unit)
    return apart, one


def inverse_spread(values, spread):
    """Return 1 / spread as a ratio times the root of a square-free number; 0 if nothing varies."""
    if spread == "range":
        width = max(values) - min(values)
        return (Fraction(1, width) if width else Fraction(0)), 1
    n = len(values)
    variance = Fraction(n * sum(v * v for v in values) - sum(values) ** 2, n * (n - 1))
    if variance == 0 or spread == "variance":
        return (1 / variance if variance else Fraction(0)), 1
    p, q = variance.numerator, variance.denominator
    (f, s), (g, t) = square_free(p), square_free(q)
    return Fraction(f * g, p), s * t


def square_free(number):
    """Return f and s with number = f * f * s, s without squares."""
    factor, rest, divisor = 1, number, 2
    while divisor * divisor <= rest:
        if rest % (divisor * divisor) == 0:
            rest //= divisor * divisor
            factor *= divisor
        else:
            divisor += 1
    return factor, rest


def join(apart, one, tnorm):
    """Return the joined distances of all pairs, not cut at 1, and the number that stands for 1."""
    if tnorm == "lukasiewicz":
        return sum(apart), one
    if tnorm == "minimum":
        return np.maximum.reduce(apart), one
    if tnorm != "product":
        raise ValueError(f"{tnorm} has no exact twin")
    similarity = 1
    for distance in apart:
        similarity = similarity * np.maximum(0, one - np.minimum(distance, one))
    return one ** len(apart) - similarity, one ** len(apart)


def check_gaps(values):
    """Raise if two numbers are so close that it is unclear whether they are equal."""
    ordered = sorted(set(values))
    gaps = [high - low for low, high in pairwise(ordered)]
    assert min(gaps, default=1) > Fraction(1, 10**8), "a table for another test"


def smallest(found, share=1):
    """Return the smallest subsets that keep a share of the full dependency, and the core."""
    full = found[max(found, key=len)]
    enough = [subset for subset, score in found.items() if score >= share * full]
    size = min(map(len, enough))
    everything = set(max(found, key=len))
    core = {a for a in everything if found.get(tuple(sorted(everything - {a})), 0) < share * full}
    return {subset for subset in enough if len(subset) == size}, core


def of_size(found, size):
    """Return the subsets of a size with the highest dependency."""
    scores = {subset: score for subset, score in found.items() if len(subset) == size}
    highest = max(scores.values())
    return {subset for subset, score in scores.items() if score == highest}


def by_product(found):
    """Return the subsets with the largest product, and of these the highest dependency."""
    n_features = max(map(len, found))
    full = max(found.values())
    if full == 0:
        return {subset for subset in found if len(subset) == 1}
    merit = {subset: (score * (n_features - len(subset)), score) for subset, score in found.items()}
    largest = max(merit.values())
    return {subset for subset, value in merit.items() if value == largest}
