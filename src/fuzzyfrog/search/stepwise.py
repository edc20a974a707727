"""Stepwise selection: forward as in QuickReduct (L-FRFS), and backward elimination."""

from typing import Any

import numpy as np

from fuzzyfrog.common.arrays import Extensions, Floats, Integers, Masks
from fuzzyfrog.common.params import Parametrized
from fuzzyfrog.search.protocol import Batch, Constraints, Problem, Proposal, Steps

PATH = 20  # features that are added even if the score falls, since it may rise again
BATCH_CELLS = 2**24  # subsets times features of one batch: all candidates up to 4,096 ...
BATCH_SAMPLES = 2**23  # ... or subsets times samples, if these are fewer


class QuickReduct(Parametrized):
    """Add the feature that raises the score most, until the score is high enough.

    With costs, add the one that raises it most for what it costs.

    With a measure that a feature can lower, such as the soft dependency, no score is high enough:
    20 features are added, and more as long as each raises the score above all previous ones.

    Of features that raise it equally, the one with the lowest index is added. That includes steps
    that do not raise it: if no single feature is informative, only such a step leads further.

    Examples
    --------
    >>> from fuzzyfrog.search import QuickReduct
    >>> QuickReduct().get_params()
    {}
    """

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Return the coroutine that yields batches; the seed is not used."""
        return grow(problem)


def grow(problem: Problem) -> Steps[tuple[Masks, float]]:
    """Add the best feature until the score is high enough; return the subset and its score."""
    constraints = Constraints(problem)
    subset, score, highest = constraints.fixed.copy(), -np.inf, -np.inf
    if subset.any():
        score = float((yield Batch(subset[np.newaxis]))[0])
    left = constraints.free
    while len(left) and _wants_more(problem, int(subset.sum()), score, highest):
        highest = max(highest, score)
        if problem.costs is None:
            scores = yield from try_each(problem, subset, left, problem.tolerance)
            chosen = int(np.argmax(scores >= scores.max() - problem.tolerance))
        else:
            scores = yield from try_each(problem, subset, left, within=None)
            gained = np.minimum(scores, problem.target) - max(score, 0.0)
            worth = np.where(gained > problem.tolerance, gained, 0.0) / problem.costs[left]
            chosen = int(np.lexsort((problem.costs[left], -worth))[0])
        subset[left[chosen]] = True
        score = float(scores[chosen])
        left = np.delete(left, chosen)
    return subset, score


def _wants_more(problem: Problem, size: int, score: float, highest: float) -> bool:
    if problem.n_features_to_select is not None:
        return size < problem.n_features_to_select
    if not problem.is_monotone:
        return size < PATH or score > highest
    return score < problem.target


def try_each(
    problem: Problem, subset: Masks, candidates: Integers, within: float | None
) -> Steps[Floats]:
    """Score the subset with each candidate added; -inf for all but the best of each batch.

    The best are those that lie `within` the highest score; None for all.
    """
    n_samples = max(1, problem.n_cells // problem.n_features)
    n_rows = max(1, BATCH_CELLS // problem.n_features, BATCH_SAMPLES // n_samples)
    scores = np.empty(len(candidates))
    for start in range(0, len(candidates), n_rows):
        some = candidates[start : start + n_rows]
        tried: Any = Extensions(subset.copy(), some)  # as good as masks
        batch = Batch(tried, only_best=True, within=within) if within is not None else Batch(tried)
        scores[start : start + n_rows] = yield batch
    return scores


def eliminate(
    subsets: Masks, required: Floats, keep: Masks, orders: Integers
) -> Steps[tuple[Masks, Floats]]:
    """Remove features from subsets until none can be spared; all subsets advance together.

    Scores never rise when a feature is removed, so one pass over the features is enough.
    Features are removed in groups that double after a success and halve after a failure: if 10 of
    1000 features are needed, about 175 trials find them.

    Each subset must keep its score in `required` (float64[n_subsets]), tries its features in the
    order given by its row of `orders` (int64[n_subsets, n_features]), and always keeps those in
    `keep` (bool[n_features]). Returns the smaller subsets, and their scores where one was measured,
    else minus infinity.
    """
    running = [_Elimination(one, order, keep) for one, order in zip(subsets, orders, strict=True)]
    scores = np.full(len(running), -np.inf)
    active = [row for row, one in enumerate(running) if not one.done]
    while active:
        trials = np.array([running[row].trial() for row in active])
        measured = yield Batch(trials, at_least=required[active])
        for row, score in zip(active, measured, strict=True):
            if running[row].learn(bool(score >= required[row])):
                scores[row] = score
        active = [row for row in active if not running[row].done]
    smaller = np.array([one.subset for one in running], dtype=np.bool_)
    return smaller.reshape(subsets.shape), scores


def shorten(problem: Problem, subset: Masks, score: float) -> Steps[Masks]:
    """Remove features that a subset does not need to be as good, costly and high ones first."""
    constraints = Constraints(problem)
    required = problem.kept(np.array([score]))
    orders = constraints.removal_order[np.newaxis]
    smaller, _ = yield from eliminate(subset[np.newaxis], required, constraints.fixed, orders)
    found: Masks = smaller[0]
    return found


class _Elimination:
    """One subset on its way to a smaller one."""

    def __init__(self, subset: Masks, order: Integers, keep: Masks) -> None:
        self.subset = subset.copy()
        self._left = order[(subset & ~keep)[order]]
        self._last = not keep.any()  # then the last feature must stay
        self._group = max(1, len(self._left) // 2)

    @property
    def done(self) -> bool:
        only_one = self._last and self.subset.sum() == 1
        return only_one or not len(self._left)

    def trial(self) -> Masks:
        """Return the subset without the next group of features."""
        n_spare = int(self.subset.sum()) - (1 if self._last else 0)
        self._group = min(self._group, len(self._left), n_spare)
        smaller = self.subset.copy()
        smaller[self._left[: self._group]] = False
        return smaller

    def learn(self, enough: bool) -> bool:
        """Continue after a trial that was good enough or not; return whether it was."""
        if enough:
            self.subset[self._left[: self._group]] = False
            self._left = self._left[self._group :]
            self._group *= 2
        elif self._group == 1:
            self._left = self._left[1:]
        else:
            self._group //= 2
        return enough
