"""What the soft dependency does with pairs of samples, here or in the worker of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.measure import soft_arrays
from fuzzyfrog.measure.soft_columns import (
    WIDTHS,
    Others,
    Precision,
    References,
    SoftColumns,
    pieces,
)
from fuzzyfrog.measure.threads import map_blocks

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
_kernel_soft = Kernels("fuzzyfrog.measure._kernel_soft", "memberships")

_MOST_FEATURES = 512  # extensions that one call of the kernel sums up
_FEW_SAMPLES = 2_048  # up to which threads share extensions, not anchors ...
_SHARED_FEATURES = 64, 256  # ... the fewest and the most at a time; their sums fit into the cache
ANCHORS_AT_ONCE = 64  # whose neighbors are looked for
_WORTH_A_THREAD = 2**24  # pairs times features: below, handing work over costs more than it saves


class Pairs(Protocol):
    """Looks at pairs of samples, wherever that is done; the answers do not depend on it."""

    def memberships(
        self,
        columns: SoftColumns,
        base: Integers,
        added: Integers,
        precision: Precision,
        places: Integers,
    ) -> tuple[Floats, Mask]:
        """Return the memberships for each extension of a base, and which of them are unsure.

        The places are those of the anchors among the references.
        """

    def losses(self, columns: SoftColumns, path: Integers, start: int, anchors: Integers) -> Floats:
        """Return how wrong the nearest others of some anchors are, for each size from a start."""


class PairsHere:
    """Looks at pairs of samples in the threads of this process."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads

    def memberships(
        self,
        columns: SoftColumns,
        base: Integers,
        added: Integers,
        precision: Precision,
        places: Integers,
    ) -> tuple[Floats, Mask]:
        """Return what `Pairs` says."""
        found = np.empty((len(added), len(places)))
        is_unsure = np.empty(found.shape, np.bool_)
        n_threads, at_once = 1, _MOST_FEATURES
        fewest, most = _SHARED_FEATURES
        if len(columns.place) <= _FEW_SAMPLES and len(added) > most:
            n_threads = min(self.n_threads, len(added) // fewest)
            n_parts = -(-len(added) // (most * n_threads)) * n_threads
            at_once = -(-len(added) // n_parts)  # all threads are done at the same time
        references, scale = columns.references, scale_of(len(base))

        def extend(part: tuple[int, int]) -> None:
            some = slice(*part)
            features = np.concatenate([base, added[some]])
            factors = columns.factors(features, scale, precision)
            step = references, factors, len(base), precision, places
            found[some], is_unsure[some] = summed(*step, self.n_threads)

        map_blocks(extend, pieces(len(added), at_once), n_threads)
        return found, is_unsure

    def losses(self, columns: SoftColumns, path: Integers, start: int, anchors: Integers) -> Floats:
        """Return what `Pairs` says."""
        table = columns.differences(path, columns.place)
        n_nearest = columns.n_nearest(anchors)
        return lost(columns.others, table, n_nearest, start, anchors, self.n_threads)


def scale_of(n_base: int) -> float:
    """Return what the exponents of the features of an extension are divided by."""
    return WIDTHS[-1] * (n_base + 1)


def summed(
    references: References,
    factors: Sequence[Any],
    n_base: int,
    precision: Precision,
    places: Integers,
    n_threads: int,
) -> tuple[Floats, Mask]:
    """Return the memberships for each extension of a base, and which of them are unsure.

    Those of an extension on an anchor do not depend on which others there are: each is summed up in
    a lane of its own.

    Parameters
    ----------
    references : References
        All samples.
    factors : tuple of arrays
        Those of the base, then of the features that extend it (`SoftFeatures.factors`).
    n_base : int
        Number of features of the base.
    precision : Precision
        What is summed up in.
    places : int64[n_anchors]
        Places of the anchors among the references.
    n_threads : int
        Number of threads.
    """
    a, b, kind, differs, gap, is_far = factors
    n_anchors, lanes = len(places), precision.lanes
    n_samples, n_added = a.shape[1], len(a) - n_base
    anchors = np.resize(places, -(-n_anchors // lanes) * lanes)
    found = np.empty((n_added, len(anchors)))
    lowest = np.empty_like(found)

    masses = references.masses.astype(precision.dtype)
    about = references.tiles, references.mass_of, references.together, masses
    table = a, b, kind, differs, gap, n_base, references.target, *about, anchors

    work = n_samples * len(anchors), n_base, n_added
    if _kernel_soft.pay(partial(soft_arrays.seconds_for_memberships, *work)):
        n_threads = n_threads if work[0] * len(a) >= _WORTH_A_THREAD else 1
        n_blocks, kernel = len(anchors) // lanes, _kernel_soft.memberships
        most = _WORTH_A_THREAD // (n_samples * lanes * len(a))
        some = pieces(n_blocks, max(1, min(most, n_blocks // n_threads)))
        map_blocks(lambda block: kernel(*table, *block, found, lowest), some, n_threads)
    else:
        soft_arrays.memberships(*table, found, lowest)
    is_unsure = lowest[:, :n_anchors] < precision.least
    if is_far.any():
        is_unsure |= is_far[:n_base, places].any(axis=0) | is_far[n_base:, places]
    return found[:, :n_anchors], is_unsure


def lost(
    others: Others,
    table: tuple[Any, Any, Any, Any],
    n_nearest: Floats,
    start: int,
    anchors: Integers,
    n_threads: int,
) -> Floats:
    """Return how wrong the nearest others of some anchors are, float64[n_steps - start, n_anchors].

    Parameters
    ----------
    others : Others
        All samples.
    table : tuple of arrays
        Their features (`SoftFeatures.differences`) in the order of the path.
    n_nearest : float64[n_anchors]
        Number of neighbors of each anchor.
    start : int
        The first step whose losses are wanted.
    anchors : int64[n_anchors]
        The anchors.
    n_threads : int
        Number of threads.
    """
    n_steps, n_samples = table[0].shape
    losses = np.zeros((n_steps - start, len(anchors)))
    about = others.codes, others.n_classes, others.target, n_nearest, others.together, others.masses
    given = *table, *about, start, anchors
    work = n_samples * len(anchors), n_steps, len(losses)
    if not _kernel_soft.pay(partial(soft_arrays.seconds_for_losses, *work)):
        soft_arrays.left_out_losses(*given, losses)
        return losses

    def rows(block: tuple[int, int]) -> None:
        _kernel_soft.left_out_losses(*given, *block, losses)

    map_blocks(rows, pieces(len(anchors), ANCHORS_AT_ONCE), n_threads)
    return losses
