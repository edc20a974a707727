"""The first subsets of a search: random, of diverse sizes."""

import numpy as np

from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.protocol import Integers, Masks
from fuzzyfrog.search.random import Stream

__all__ = ["diverse_sizes", "diverse_subsets"]


def diverse_sizes(n_subsets: int, smallest: int, largest: int) -> Integers:
    """Give sizes from the smallest to the largest, as many small ones as large ones.

    Half of them grow evenly and half by a constant factor: with coin flips nobody would ever
    see a small subset of 10,000 features, and with constant factors alone hardly a large one.
    """
    position = (np.arange(n_subsets) + 0.5) / n_subsets
    evenly = smallest + position * (largest - smallest)
    by_factor = smallest * (largest / smallest) ** position
    sizes = np.where(np.arange(n_subsets) % 2 == 0, evenly, by_factor)
    return np.clip(np.rint(sizes), smallest, largest).astype(np.int64)


def diverse_subsets(n_subsets: int, constraints: Constraints, stream: Stream) -> Masks:
    """Give random allowed subsets of diverse sizes, in random order: a part is diverse too."""
    sizes = diverse_sizes(n_subsets, *constraints.sizes)
    return constraints.random_subsets(sizes[stream.order(n_subsets)], stream)
