"""Extensions of one subset by a feature each, many at once: their scores, or bounds on them.

`extend` goes through every pair of enemies. A pair is measured once on the features that all
extensions have in common; what each further feature makes of it is a loop over features, which the
compiler turns into vectors. Pairs that are at distance 1 already are left out
(docs/theory.md#steps). The other kernels know a few enemies of each sample (docs/theory.md#bounds).
"""

import numpy as np

from fuzzyfrog.common.jit import kernel
from fuzzyfrog.common.tnorms import LARGEST, PRODUCT, SUM
from fuzzyfrog.data.scaling import GRID
from fuzzyfrog.measure._kernel_scan import alike, distance, joined_similarity, total

_BLOCK = 64  # samples that are compared with one sample at a time
_AT_ONCE = 8  # features joined for a whole block before a check of what is left

# In the loops below `d if d > 0.0 else 0.0` makes 0 of NaN: a missing value is similar to anything.
# `abs` changes no value there. It keeps the compiler from storing only what has changed, which
# takes several times as long. Rows are named by their numbers: to cut them out costs as much again.


# Plain arguments: Numba takes as long to look at a named tuple as a small step takes.
@kernel
def extend(Z, target, first_enemy, masses, base, columns, added, near, join, lowest, totals):
    """Set the total of the memberships for each extension of a subset by one feature.

    Parameters
    ----------
    Z : float64[n_samples, n_features]
        Positions on the grid; NaN where missing.
    target : float64[n_samples] or float64[0]
        Positions of a numeric target, nothing for classes.
    first_enemy : int64[n_samples]
        Every sample from here on is an enemy of sample i, none between i and here is.
    masses : int64[n_samples]
        How much each sample counts in a total.
    base : int64[n_base]
        The features of the subset, in ascending order.
    columns : float64[n_columns, n_samples]
        The positions on the first of them.
    added : int64[n_added]
        The feature that each extension adds, in ascending order.
    near : float64[n_samples, n_added or more]
        The positions on these features; filled up with zeros.
    lowest : float64[n_samples, n_added or more]
        At first 1; in the end the memberships under each extension.
    totals : int64[n_added, 2]
        Set to the `total` of each extension.
    """
    n = first_enemy.size
    apart, similarity = np.empty(_BLOCK), np.empty(near.shape[1])
    for block in range(first_enemy[0], n, _BLOCK):
        end = min(block + _BLOCK, n)
        for i in range(n):
            first = max(block, first_enemy[i])
            if first >= end:
                break
            known = apart[: end - first]
            _join_base(Z, columns, base, join, i, first, known)
            for k in range(known.size):
                j = first + k
                more = alike(target, i, j) if target.size > 0 else 0.0
                if known[k] + more >= 1.0:
                    continue
                if join == SUM:
                    _lower_by_sum(near, i, j, known[k] + more, lowest)
                elif join >= PRODUCT:
                    _join_similarities(Z[i], Z[j], base, added, join, similarity)
                    _lower_by_similarity(similarity, i, j, more, lowest)
                else:
                    _lower_by_largest(near, i, j, known[k], more, lowest)
    for a in range(added.size):
        totals[a, 0], totals[a, 1] = total(lowest[:, a], masses)


@kernel
def _join_base(Z, columns, base, join, i, first, apart):
    """Set the distances of sample i to those from the first on; any value of 1 or more is 1.

    A t-norm of similarities is treated as the largest distance, which is never above its own.
    """
    apart[:] = 0.0
    done, n_left = 0, apart.size
    while done < columns.shape[0] and n_left > apart.size // 8:
        for f in range(done, min(done + _AT_ONCE, columns.shape[0])):
            _join_column(columns[f, first : first + apart.size], columns[f, i], join, apart)
        done = min(done + _AT_ONCE, columns.shape[0])
        n_left = 0
        for k in range(apart.size):
            n_left += apart[k] < 1.0
    if done < base.size:
        for k in range(apart.size):
            _join_rest(Z[i], Z[first + k], base[done:], join, apart, k)


@kernel
def _join_rest(here, there, rest, join, apart, k):
    """Join further features to the distance of one pair until it is 1 or more."""
    for f in rest:
        if apart[k] >= 1.0:
            break
        d = abs(here[f] - there[f])
        if d == d:
            apart[k] = apart[k] + d if join == SUM else max(apart[k], d)


@kernel
def _join_column(column, here, join, apart):
    """Join the differences on one feature to the distances of a block."""
    if join == SUM:
        for k in range(apart.size):
            d = abs(column[k] - here)
            apart[k] += d if d > 0.0 else 0.0
    else:
        for k in range(apart.size):
            d = abs(column[k] - here)
            apart[k] = abs(d if d > apart[k] else apart[k])


@kernel
def _lower_by_sum(near, i, j, apart, lowest):
    """Lower memberships to the distance of a pair plus its difference on each further feature."""
    for a in range(near.shape[1]):
        d = abs(near[i, a] - near[j, a])
        value = apart + (d if d > 0.0 else 0.0)
        lowest[i, a] = abs(value if value < lowest[i, a] else lowest[i, a])
        lowest[j, a] = abs(value if value < lowest[j, a] else lowest[j, a])


@kernel
def _lower_by_largest(near, i, j, apart, more, lowest):
    """Lower memberships to the larger of distance and difference on each further feature."""
    for a in range(near.shape[1]):
        d = abs(near[i, a] - near[j, a])
        value = (d if d > apart else apart) + more
        lowest[i, a] = abs(value if value < lowest[i, a] else lowest[i, a])
        lowest[j, a] = abs(value if value < lowest[j, a] else lowest[j, a])


@kernel
def _lower_by_similarity(similarity, i, j, more, lowest):
    """Lower memberships by similarities that were joined before."""
    for a in range(similarity.size):
        value = np.rint((1.0 - similarity[a]) / GRID) * GRID + more
        lowest[i, a] = abs(value if value < lowest[i, a] else lowest[i, a])
        lowest[j, a] = abs(value if value < lowest[j, a] else lowest[j, a])


@kernel
def _join_similarities(here, there, base, added, join, similarity):
    """Set the similarity of a pair on each extension, joined in ascending order of features.

    The order matters, as each step is rounded (docs/theory.md#grid).
    """
    joined, done = 1.0, 0
    for f in base:
        while done < added.size and added[done] < f:
            likeness = _likeness(here[added[done]], there[added[done]])
            similarity[done] = joined_similarity(joined, likeness, join)
            done += 1
        likeness = _likeness(here[f], there[f])
        joined = joined_similarity(joined, likeness, join)
        for a in range(done):
            similarity[a] = joined_similarity(similarity[a], likeness, join)
    for a in range(done, added.size):
        likeness = _likeness(here[added[a]], there[added[a]])
        similarity[a] = joined_similarity(joined, likeness, join)


@kernel
def _likeness(z, other):
    d = abs(z - other)
    return max(0.0, 1.0 - d) if d == d else 1.0


@kernel
def measure_pairs(Z, asked, subset, join, known, apart):
    """Set `apart` to the distance of each sample to each enemy it knows; 1 where it knows none."""
    for i in range(known.shape[0]):
        for k in range(known.shape[1]):
            apart[i, k] = 1.0
            if known[i, k] >= 0:
                apart[i, k] = min(1.0, distance(Z, asked[i], known[i, k], subset, join))


@kernel
def _joined(apart, d, join):
    if join == SUM:
        return apart + d
    if join == LARGEST:
        return max(apart, d)
    return 1.0 - joined_similarity(1.0 - apart, max(0.0, 1.0 - d), join)


@kernel
def bounds(Z, target, asked, masses, join, known, apart, first, last, total):
    """Add to `total` the most that some samples can contribute under each extension.

    Parameters
    ----------
    asked : int64[n_asked]
        The samples that know enemies, one for each row of `known` and `apart`.
    masses : int64[n_asked]
        How much each of them counts.
    first, last : int
        Which of them to look at.
    total : float64[n_features]
        For each feature an upper bound on the sum of memberships once it is added.
    """
    lowest = np.empty(Z.shape[1])
    for i in range(first, last):
        lowest[:] = 1.0
        here = Z[asked[i]]
        for k in range(known.shape[1]):
            base = apart[i, k]
            if base >= 1.0:
                continue
            there = Z[known[i, k]]
            more = alike(target, asked[i], known[i, k]) if target.size > 0 else 0.0
            for a in range(lowest.size):
                d = abs(here[a] - there[a])
                d = d if d == d else 0.0
                value = _joined(base, d, join) + more
                lowest[a] = abs(value if value < lowest[a] else lowest[a])  # see `_lower_by_sum`
        for a in range(lowest.size):
            total[a] += masses[i] * lowest[a]
