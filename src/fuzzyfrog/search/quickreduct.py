"""QuickReduct: the greedy forward selection of L-FRFS."""

import numpy as np
from sklearn.base import BaseEstimator

from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.protocol import Batch, Floats, Integers, Masks, Problem, Proposal, Steps

PATH = 20  # features that are added even if the score falls, where it may rise again
BATCH_CELLS = 2**24  # subsets times features of one batch: 16 MB, all candidates up to 4,096


class QuickReduct(BaseEstimator):  # type: ignore[misc]
    """Add the feature that raises the score most, until the score is high enough.

    With a measure that a feature can lower, as the soft dependency, no score is high enough: 20
    features are added, and more while each raises the score above all before.

    Of features that raise it equally, the one with the lowest index is added. That includes steps
    that do not raise it: where single features tell nothing, only such a step leads further.

    Examples
    --------
    >>> from fuzzyfrog.search import QuickReduct
    >>> QuickReduct().get_params()
    {}
    """

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Return the coroutine that yields batches; the seed is not used."""
        return _grown(problem)


def grow(problem: Problem) -> Steps[tuple[Masks, float]]:
    """Add the best feature until the score is high enough; return the subset and its score."""
    constraints = Constraints(problem)
    subset, score, highest = constraints.fixed.copy(), -np.inf, -np.inf
    if subset.any():
        score = float((yield Batch(subset[np.newaxis]))[0])
    left = constraints.free
    while len(left) and _wants_more(problem, int(subset.sum()), score, highest):
        highest = max(highest, score)
        scores = yield from _try_each(subset, left, problem.tolerance)
        chosen = int(np.argmax(scores >= scores.max() - problem.tolerance))
        subset[left[chosen]] = True
        score = float(scores[chosen])
        left = np.delete(left, chosen)
    return subset, score


def _grown(problem: Problem) -> Proposal:
    yield from grow(problem)


def _wants_more(problem: Problem, size: int, score: float, highest: float) -> bool:
    if problem.n_features_to_select is not None:
        return size < problem.n_features_to_select
    if not problem.is_monotone:
        return size < PATH or score > highest
    return score < problem.target


def _try_each(subset: Masks, candidates: Integers, within: float) -> Steps[Floats]:
    """Score the subset with each candidate added; -inf for all but the best of each batch."""
    n_rows = max(1, BATCH_CELLS // len(subset))
    scores = np.empty(len(candidates))
    for start in range(0, len(candidates), n_rows):
        some = candidates[start : start + n_rows]
        grown = np.repeat(subset[np.newaxis], len(some), axis=0)
        grown[np.arange(len(some)), some] = True
        scores[start : start + n_rows] = yield Batch(grown, only_best=True, within=within)
    return scores
