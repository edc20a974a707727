"""The core: the features that nothing can replace."""

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.search import Objective, Outcome, Problem
from fuzzyfrog.search.shedding import shed

__all__ = ["core_of", "core_of_run"]

Masks = NDArray[np.bool_]


def core_of_run(measure: Objective, problem: Problem, outcome: Outcome) -> list[int]:
    """Give the core; what a run met that is good enough spares most of the work."""
    known = [one.subset for one in outcome.reducts if one.score >= problem.target]
    known += [point.subset for point in outcome.front if point.score >= problem.target]
    return core_of(measure, ~np.asarray(problem.exclude), problem.target, np.array(known, np.bool_))


def core_of(measure: Objective, allowed: Masks, required: float, known: Masks) -> list[int]:
    """Give the features without which the others together do not reach what is required.

    A subset that reaches it without a feature proves that the feature is not in the core, so
    only the features that all known subsets share are left to be tried.

    Parameters
    ----------
    measure : Objective
        What scores subsets.
    allowed : bool[n_features]
        The features that may be selected.
    required : float
        The dependency to reach; all allowed features together reach it.
    known : bool[n_subsets, n_features]
        Subsets of the allowed features that reach it.
    """
    if not len(known):
        known = _one_reduct(measure, allowed, required)
    candidates = np.flatnonzero(known.all(axis=0))
    without = np.repeat(allowed[np.newaxis], len(candidates), axis=0)
    without[np.arange(len(candidates)), candidates] = False
    scores = measure.score(without, at_least=required)
    return [int(feature) for feature in candidates[scores < required]]


def _one_reduct(measure: Objective, allowed: Masks, required: float) -> Masks:
    """Give one subset that reaches what is required and of which no feature can go."""
    backwards = np.arange(len(allowed))[np.newaxis, ::-1]
    trials = shed(
        allowed[np.newaxis], np.array([required]), np.zeros(len(allowed), np.bool_), backwards
    )
    try:
        batch = next(trials)
        while True:
            batch = trials.send(measure.score(batch.subsets, batch.at_least))
    except StopIteration as end:
        subsets: Masks = end.value[0]
        return subsets
