"""The sums of the soft dependency in NumPy, to the same bits as those of its kernels.

Small tables are done before Numba would be imported, let alone have compiled anything
(decision 8 in docs/decisions.md). The kernels multiply the same numbers, since
all exponentials come from NumPy, and add them in the same order: one after the other within a
tile of references, then tile by tile in float64.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.deadline import stop_if_late

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Scalars = NDArray[np.floating[Any]]

NUMBER, GAPS, CATEGORY = 0, 1, 2  # kinds of features: numbers, numbers with gaps, categories
SAME = 1e-9  # distances in spreads that differ by less are equal, up to rounding
TILE = 64  # references that are summed up in the precision of their similarities ...
WEIGHTED_TILE = 256  # ... and with masses, whose cost fewer and longer sums make up for
SINGLE, DOUBLE = 32, 16  # lanes: anchors that kernels weigh together, in float32 and in float64

_CELLS_AT_ONCE = 2**16  # pairs of samples, about as many as fit into the cache of a core


def seconds_for_memberships(n_pairs: int, n_base: int, n_added: int) -> float:
    """Return about how long `memberships` takes for some pairs of samples."""
    return n_pairs * (2e-9 * n_base + 4e-9 * n_added)


def seconds_for_losses(n_pairs: int, n_steps: int, n_wanted: int) -> float:
    """Return about how long `left_out_losses` takes for some pairs of samples."""
    return n_pairs * (2e-9 * n_steps + 8e-9 * n_wanted)


def factor(
    kind: int, a_there: Any, b_there: Any, a_here: Any, b_here: Any, differs: Any, gap: Any
) -> Any:
    """Return the factors by which a feature lowers the similarities of some pairs."""
    if kind == CATEGORY:
        found = np.where(a_there == a_here, np.ones_like(differs), differs)
        return np.where(np.isnan(a_there) | np.isnan(a_here), gap, found)
    found = a_here * b_there
    np.minimum(found, b_here * a_there, out=found)
    return found if kind == NUMBER else np.where(np.isnan(found), gap, found)


def memberships(
    a: Scalars,
    b: Scalars,
    kind: Integers,
    differs: Scalars,
    gap: Scalars,
    n_base: int,
    target: Floats,
    tiles: Integers,
    mass_of: Floats,
    together: Integers,
    masses: Scalars,
    anchors: Integers,
    found: Floats,
    lowest: Floats,
) -> None:
    """Find the soft memberships of all anchors; the arguments are those of the kernel."""
    n_samples, single = a.shape[1], masses.copy()
    for first, last in tiles[mass_of > 0, :2].tolist() if masses.size else ():
        single[first:last] = 1.0  # their sums are multiplied
    of_tiles = np.where(mass_of > 0, mass_of, 1.0)
    for some in _parts(len(anchors), n_samples):
        here = anchors[some]

        def factors(f: int, here: Integers = here) -> Any:
            column = a[f, :, np.newaxis], b[f, :, np.newaxis]
            return factor(kind[f], *column, a[f, here], b[f, here], differs[f], gap[f])

        weights = np.ones((n_samples, len(here)), a.dtype)
        weights[together[:, np.newaxis] == together[here]] = 0.0
        for f in range(n_base):
            weights *= factors(f)
        likeness = None
        if target.size:
            apart = np.abs(target[:, np.newaxis] - target[here])
            likeness = np.maximum(0.0, 1.0 - apart).astype(a.dtype)
        for group in _parts(len(found), weights.size):  # few calls for small tables
            e = np.array([factors(n_base + c) for c in range(len(found))[group]])
            e *= weights
            shape = len(e), len(here)
            shares, least = np.zeros(shape), np.full(shape, np.inf)
            for terms in _powers(e, single[:, np.newaxis]):
                total, alike = np.zeros(shape), np.zeros(shape)
                graded = None if likeness is None else terms * likeness
                for mass, (first, last, start, end) in zip(of_tiles, tiles.tolist(), strict=True):
                    # Row by row.
                    sums = mass * np.add.reduce(terms[:, first:last], axis=1).astype(np.float64)
                    total += sums
                    if graded is None:
                        alike += ((start <= here) & (here < end)) * sums
                    else:
                        part = np.add.reduce(graded[:, first:last], axis=1).astype(np.float64)
                        alike += mass * part
                shares += np.divide(alike, total, out=np.zeros(shape), where=total > 0)
                np.minimum(least, total, out=least)
            found[group, some], lowest[group, some] = shares / 3.0, least


def _powers(e: Scalars, masses: Scalars) -> Iterator[Scalars]:
    """Yield similarities of pairs, their squares and fourth powers, times masses if there are."""
    if not masses.size:
        yield e
        for _ in range(2):
            e *= e
            yield e
        return
    terms = e * masses
    for _ in range(2):
        yield terms
        terms *= e
        e *= e
    yield terms


def left_out_losses(
    z: Floats,
    kind: Integers,
    differs: Floats,
    gap: Floats,
    codes: Integers,
    n_classes: int,
    target: Floats,
    n_nearest: Floats,
    together: Integers,
    masses: Floats,
    start: int,
    anchors: Integers,
    losses: Floats,
) -> None:
    """Find how wrong the nearest other samples are; the arguments are those of the kernel."""
    is_weighted = bool((masses != 1.0).any())
    for some in _parts(len(anchors), z.shape[1]):
        here, n_neighbors = anchors[some], n_nearest[some]
        rows, is_out = np.arange(len(here)), together == together[here, np.newaxis]
        delta = np.zeros((len(here), z.shape[1]))
        for step, column in enumerate(z):
            delta += differences(column, here, kind[step], differs[step], gap[step])
            if step < start:
                continue
            others = delta.copy()
            others[is_out] = np.inf
            farthest = _farthest(others, n_neighbors, masses if is_weighted else None)
            nearer = np.nonzero(others < farthest - SAME)
            tied = np.nonzero((others >= farthest - SAME) & (others <= farthest + SAME))
            n_nearer, n_tied = (
                np.bincount(one[0], masses[one[1]], minlength=len(here)) for one in (nearer, tied)
            )
            share = (n_neighbors - n_nearer) / n_tied
            if n_classes == 0:
                near, rest = (
                    np.bincount(one[0], masses[one[1]] * target[one[1]], minlength=len(here))
                    for one in (nearer, tied)
                )
                losses[step - start, some] = (
                    (near + share * rest) / n_neighbors - target[here]
                ) ** 2
                continue
            certain, possible = (
                np.bincount(
                    one[0] * n_classes + codes[one[1]],
                    masses[one[1]],
                    minlength=len(here) * n_classes,
                ).reshape(len(here), n_classes)
                for one in (nearer, tied)
            )
            votes = certain + share[:, np.newaxis] * possible
            is_best = votes >= votes.max(axis=1, keepdims=True) - SAME
            is_right = is_best[rows, codes[here]]
            losses[step - start, some] = np.where(is_right, 1.0 - 1.0 / is_best.sum(axis=1), 1.0)


def _farthest(others: Floats, n_neighbors: Floats, masses: Floats | None) -> Floats:
    """Return how far the last of the nearest samples is, float64[n_anchors, 1]."""
    rows = np.arange(len(others))
    if masses is None:
        last = n_neighbors.astype(np.int64) - 1
        ordered: Floats = np.partition(others, np.unique(last), axis=1)
        return ordered[rows, last][:, np.newaxis]
    order = np.argsort(others, axis=1, kind="stable")
    last = np.argmax(np.cumsum(masses[order], axis=1) >= n_neighbors[:, np.newaxis], axis=1)
    return np.asarray(others[rows, order[rows, last]][:, np.newaxis])


def differences(
    column: Floats, here: Integers, kind: int, differs: float, gap: float
) -> NDArray[np.float64]:
    """Return how far all samples are from some of them on a feature, float64[n_some, n_samples]."""
    mine = column[here, np.newaxis]
    apart = np.abs(column - mine)
    if kind == CATEGORY:
        apart = np.where(column == mine, 0.0, np.where(np.isnan(apart), np.nan, differs))
    return apart if kind == NUMBER else np.where(np.isnan(apart), gap, apart)


def _parts(n_anchors: int, n_samples: int) -> Iterator[slice]:
    """Yield anchors to compare with all samples at once, whole vectors of them.

    A single anchor would be a column that NumPy sums in another order.
    """
    at_once = max(1, _CELLS_AT_ONCE // n_samples // SINGLE) * SINGLE
    for first in range(0, n_anchors, at_once):
        stop_if_late()
        yield slice(first, first + at_once)
