"""The parts of a leap: dealing, submemeplexes, dissimilarity, the step itself."""

from collections.abc import Callable

import numpy as np

from fuzzyfrog.search.protocol import Floats, Integers, Masks
from fuzzyfrog.search.random import Stream

__all__ = ["DISSIMILARITIES", "deal", "leap", "submemeplexes"]


def deal(order: Integers, n_memeplexes: int) -> Integers:
    """Deal ranked frogs like cards: memeplex k gets the ranks k, k + m, k + 2m, ...

    Parameters
    ----------
    order : int64[n_all_frogs]
        Frogs from the best to the worst.
    n_memeplexes : int
        Number of memeplexes; it divides the number of frogs.

    Returns
    -------
    int64[n_memeplexes, n_frogs]
        Frogs of each memeplex, still from the best to the worst.
    """
    return np.ascontiguousarray(order.reshape(-1, n_memeplexes).T)


def submemeplexes(n_memeplexes: int, n_frogs: int, n_chosen: int, stream: Stream) -> Integers:
    """Draw ranks within each memeplex, good ones more often (triangular), sorted."""
    weights = np.arange(n_frogs, 0, -1, dtype=np.int64)
    return np.sort(stream.weighted_choices(weights, n_memeplexes, n_chosen), axis=1)


def hamming(frogs: Masks, goals: Masks) -> Integers:
    """Count the features in which two frogs differ."""
    return np.asarray((frogs != goals).sum(axis=1), dtype=np.int64)


def positive_region(frogs: Masks, goals: Masks) -> Integers:
    """Count the positions where the goal's bit does not tell the frog's bit for sure.

    It is L - POS(goal, frog) with the positions as samples, the goal's bits as the only feature
    and the frog's bits as the class.  Two different bits are at least one spread apart, so a
    position is in the positive region exactly when all positions with its bit in the goal have
    the same bit in the frog.
    """
    unsure = np.zeros(len(frogs), dtype=np.int64)
    for group in (goals, ~goals):
        n_group = group.sum(axis=1)
        n_ones = (frogs & group).sum(axis=1)
        mixed = (n_ones > 0) & (n_ones < n_group)
        unsure += np.where(mixed, n_group, 0)
    return unsure


DISSIMILARITIES: dict[str, Callable[[Masks, Masks], Integers]] = {
    "positive_region": positive_region,
    "hamming": hamming,
}


def leap(frogs: Masks, goals: Masks, steps: Integers, values: Floats, numbers: Floats) -> Masks:
    """Give each frog some of the bits in which its goal differs.

    Parameters
    ----------
    frogs, goals : bool[n_leaps, n_features]
        Where each leap starts and what it aims at.
    steps : int64[n_leaps]
        Bits that may change at most.
    values, numbers : float64[n_leaps, n_features]
        A differing bit is taken from the goal when its number is below its value; of too many,
        those with the lowest numbers are.

    Returns
    -------
    bool[n_leaps, n_features]
        Where the frogs land.
    """
    taken = (frogs != goals) & (numbers < values)
    for row in np.flatnonzero(taken.sum(axis=1) > steps):
        takers = np.flatnonzero(taken[row])
        lowest_first = takers[np.argsort(numbers[row, takers], kind="stable")]
        taken[row, lowest_first[steps[row] :]] = False
    return np.where(taken, goals, frogs)
