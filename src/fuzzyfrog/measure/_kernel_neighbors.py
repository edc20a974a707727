"""The nearest samples by the first features of a path, for every length of the path at once."""

from __future__ import annotations

import numpy as np

from fuzzyfrog.common.jit import kernel
from fuzzyfrog.measure._kernel_soft import CATEGORY

__all__ = ["left_out_neighbors"]


@kernel
def left_out_neighbors(z, kind, differs, gap, anchors, first, last, found):
    """Find the nearest other samples of some anchors.

    Parameters
    ----------
    z : float64[n_steps, n_samples]
        Numbers in spreads and codes of categories, NaN for gaps; in the order of the path.
    kind : int64[n_steps]
        The kind of each feature.
    differs, gap : float64[n_steps]
        Difference of two categories, and of a gap to anything.
    anchors : int64[n_anchors]
        Samples whose neighbors are wanted.
    first, last : int
        The part of the anchors that is done here.
    found : int64[n_steps, n_anchors, n_neighbors]
        Neighbors, written here: the nearest first, of equally near ones the first sample.
    """
    n_steps, n_samples = z.shape
    n_neighbors = found.shape[2]
    delta = np.empty(n_samples)
    nearest = np.empty(n_neighbors)
    for place in range(first, last):
        x = anchors[place]
        delta[:] = 0.0
        for step in range(n_steps):
            here, row = z[step, x], z[step]
            for y in range(n_samples):
                if np.isnan(here) or np.isnan(row[y]):
                    delta[y] += gap[step]
                elif kind[step] != CATEGORY:
                    delta[y] += abs(row[y] - here)
                elif row[y] != here:
                    delta[y] += differs[step]
            nearest[:] = np.inf
            for y in range(n_samples):
                if y == x or delta[y] >= nearest[n_neighbors - 1]:
                    continue
                k = n_neighbors - 1
                while k > 0 and nearest[k - 1] > delta[y]:
                    nearest[k] = nearest[k - 1]
                    found[step, place, k] = found[step, place, k - 1]
                    k -= 1
                nearest[k] = delta[y]
                found[step, place, k] = y
