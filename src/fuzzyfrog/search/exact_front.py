"""The exact front: the highest score of each size, by branch and bound over scores.

A score never falls when a feature is added.  So the score of all features that a branch can still
have is an upper bound for its subsets, and a feature without which that bound falls below the bar
is in every subset that remains (docs/theory.md#front).  With costs, the front has the highest score
for each cost at which it is higher than for any lower one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import comb, inf

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.params import Parametrized
from fuzzyfrog.search.archive import Archive, Front, ranking_of
from fuzzyfrog.search.protocol import (
    Batch,
    Constraints,
    Problem,
    Proof,
    Proposal,
    Steps,
    cost_of,
    overheard,
    without_each,
)
from fuzzyfrog.search.stepwise import grow

TRIED_TOGETHER = 4096  # subsets up to which a branch is scored instead of being bounded
BATCH_CELLS = 2**24  # subsets times features of one batch


class ExactFront(Parametrized):
    """Find the highest score of each size, with proof, up to the size that reaches the target.

    With costs: the highest score for each cost, up to the cost that reaches the target.

    For tables of moderate width: every size up to some 20 features; beyond that, the smallest sizes
    and those close to the target.

    Examples
    --------
    >>> from fuzzyfrog.search import ExactFront
    >>> ExactFront().get_params()
    {}
    """

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Return the coroutine that yields batches; the seed is not used."""
        climb = _Climb(problem)
        return climb.sizes() if problem.costs is None else climb.costs()


class _Climb:
    """The highest scores found, size by size."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._constraints = Constraints(problem)
        self._best = Archive(ranking_of(problem))
        self._highest = np.full(problem.n_features + 1, -inf)
        self._front = Front(problem.n_features, problem.tolerance, problem.costs)

    def sizes(self) -> Proposal:
        """Go from the smallest size to the first that reaches the target."""
        yield from overheard(grow(self._problem), self._hear)
        smallest, largest = self._constraints.sizes
        for size in range(smallest, largest + 1):
            better = subsets_reaching(self._constraints, size, partial(self._above, size))
            yield from overheard(better, self._hear)
            is_last = bool(self._highest[size] >= self._problem.target or size == largest)
            proof = Proof(min(size + 1, self._best.size), is_best=is_last)
            yield Batch.empty(self._problem.n_features, proof)
            if is_last:
                return

    def costs(self) -> Proposal:
        """Find all points at once: each new one rules out costlier subsets that score no more."""
        yield from overheard(grow(self._problem), self._hear)
        yield from overheard(subsets_within(self._constraints, self._above_all), self._hear)
        yield Batch.empty(self._problem.n_features, Proof(self._best.cost, is_best=True))

    def _above_all(self, costs: Integers) -> Floats:
        """Return the lowest scores above the highest known for costs up to each of these.

        Infinity for what costs more than a subset that reaches the target: the front ends there.
        """
        known = self._front.scores()
        highest = np.array([-inf, *known.values()])
        places = np.searchsorted(list(known), costs, side="right")
        last = next((cost for cost, score in known.items() if score >= self._problem.target), inf)
        return np.where(costs > last, inf, self._higher(highest[places]))

    def _above(self, size: int) -> float:
        """Return the lowest score above the highest known; infinity once that is the full score."""
        return float(self._higher(self._highest[size]))

    def _higher(self, scores: Floats) -> Floats:
        is_full = scores >= self._problem.full_score - self._problem.tolerance
        return np.where(is_full, inf, np.nextafter(scores, inf))

    def _hear(self, subsets: Masks, scores: Floats) -> None:
        is_allowed = self._constraints.has_allowed_size(subsets)  # greedy steps may be smaller
        self._best.add(subsets[is_allowed], scores[is_allowed])
        np.maximum.at(self._highest, subsets.sum(axis=1), scores)
        if self._problem.costs is not None:
            self._front.add(subsets[is_allowed], scores[is_allowed])


@dataclass(frozen=True, eq=False)
class _Branch:
    """Subsets that have all of `chosen` and the others from `rest`; none scores above `bound`."""

    chosen: Masks
    rest: Masks
    bound: float


def subsets_reaching(constraints: Constraints, size: int, bar: Callable[[], float]) -> Proposal:
    """Propose every allowed subset of one size whose score may reach the bar.

    The bar may rise; it is infinity once no subset can reach it.
    """
    free = constraints.allowed & ~constraints.fixed
    branches = [_Branch(constraints.fixed, free, inf)]
    n_together = min(TRIED_TOGETHER, max(1, BATCH_CELLS // len(free)))
    while branches:
        branch = branches.pop()
        n_left, n_rest = size - int(branch.chosen.sum()), int(branch.rest.sum())
        lowest = bar()
        if branch.bound < lowest or lowest == inf or not 0 <= n_left <= n_rest:
            continue
        if comb(n_rest, n_left) <= n_together:
            yield Batch(_completed(branch, n_left), at_least=lowest)
        else:
            branches += yield from _split(branch, n_left, lowest)


def subsets_within(constraints: Constraints, bar: Callable[[Integers], Floats]) -> Proposal:
    """Propose every allowed subset whose score may reach the bar for what it costs.

    The bar never falls as costs rise, and it may rise; infinity where no score is enough.
    """
    costs = np.asarray(constraints.problem.costs)
    free = constraints.allowed & ~constraints.fixed
    branches = [_Branch(constraints.fixed, free, inf)]
    while branches:
        branch = branches.pop()
        cost = int(costs[branch.chosen].sum())
        lowest = float(bar(np.array([cost]))[0])
        if branch.bound < lowest or lowest == inf:
            continue
        needed = bar(cost + costs)
        rest = branch.rest & (needed < inf) & (needed <= branch.bound)
        branch = _Branch(branch.chosen, rest, branch.bound)
        n_rest = int(rest.sum())
        if 2**n_rest <= TRIED_TOGETHER:
            parts = [_completed(branch, n_left) for n_left in range(n_rest + 1)]
            subsets = np.concatenate(parts)
            bars = bar(cost_of(subsets, costs))
            is_wanted = (bars < inf) & subsets.any(axis=1)
            yield Batch(subsets[is_wanted], at_least=bars[is_wanted])
        else:
            branches += yield from _split(branch, n_rest, lowest)


def _completed(branch: _Branch, n_left: int) -> Masks:
    """Return all subsets of a branch."""
    added = list(combinations(np.flatnonzero(branch.rest), n_left))
    subsets = np.repeat(branch.chosen[np.newaxis], len(added), axis=0)
    subsets[np.arange(len(added))[:, np.newaxis], np.array(added, np.int64)] = True
    return subsets


def _split(branch: _Branch, n_left: int, lowest: float) -> Steps[list[_Branch]]:
    """Choose the features that are needed; if none is, branch on one of them."""
    rest = np.flatnonzero(branch.rest)
    scores = yield Batch(without_each(branch.chosen | branch.rest, rest), at_least=lowest)
    needed = rest[scores < lowest]
    if len(needed) > n_left:
        return []
    if len(needed):
        return [_moved(branch, needed, branch.bound)]
    least = int(np.argmin(scores))  # losing it costs most, so it is likely in the best subsets
    left_out = branch.rest.copy()
    left_out[rest[least]] = False
    return [
        _Branch(branch.chosen, left_out, float(scores[least])),
        _moved(branch, rest[least : least + 1], branch.bound),
    ]


def _moved(branch: _Branch, features: np.ndarray, bound: float) -> _Branch:
    chosen, rest = branch.chosen.copy(), branch.rest.copy()
    chosen[features], rest[features] = True, False
    return _Branch(chosen, rest, bound)
