"""The loops without a filter: every pair, as the definition says."""

from fuzzyfrog.common.jit import kernel
from fuzzyfrog.measure._kernel_scan import alike, distance


@kernel
def plain(Z, side, target, asked, subset, join, first, last, membership, enemy):
    """Set memberships to the distance of the nearest enemy, cut at 1.

    Parameters
    ----------
    side : int64[n_samples]
        Samples on different sides are enemies; with a numeric target each is on a side of its own.
    asked : int64[n_asked]
        The samples that memberships are wanted of.
    first, last : int
        Which of them to look at.
    """
    for k in range(first, last):
        i = asked[k]
        membership[k], enemy[k] = 1.0, -1
        for j in range(side.size):
            if side[i] == side[j]:
                continue
            d = distance(Z, i, j, subset, join)
            if target.size > 0:
                d += alike(target, i, j)
            if d < membership[k]:
                membership[k], enemy[k] = d, j


@kernel
def nearest(Z, side, target, order, subset, join, first, last, membership, enemy):
    """Set `enemy` to the enemy at the distance of the membership that the caller knows first."""
    for i in range(first, last):
        enemy[i] = -1
        if membership[i] == 1.0:
            continue
        for j in range(side.size):
            if side[i] == side[j] or (enemy[i] >= 0 and order[j] > order[enemy[i]]):
                continue
            more = alike(target, i, j) if target.size > 0 else 0.0
            if more > membership[i]:
                continue
            if distance(Z, i, j, subset, join) + more == membership[i]:
                enemy[i] = j


@kernel
def infimum(Z, concept, subset, join, first, last, result):
    """Return the smallest of distance + degree of belonging to a concept, cut at 1."""
    for i in range(first, last):
        result[i] = 1.0
        for j in range(concept.size):
            if concept[j] < result[i]:
                result[i] = min(result[i], distance(Z, i, j, subset, join) + concept[j])
