"""A search that works on a sample of the rows first, and confirms its answers on all rows."""

from dataclasses import replace
from typing import Any

import numpy as np

from fuzzyfrog.common.arrays import Masks
from fuzzyfrog.search.archive import Archive, ranking_of
from fuzzyfrog.search.protocol import (
    Batch,
    Constraints,
    Problem,
    Proposal,
    Search,
    Steps,
    T,
    overheard,
)
from fuzzyfrog.search.stepwise import grow, shorten

N_SEARCHES = 4  # on samples that have grown in between
CONFIRMED_TOGETHER = 4  # subsets scored on all rows before the sample grows
MOST_CONFIRMED = 32  # subsets of one search that are scored on all rows until one is good enough
ALIKE_CELLS = 200_000_000  # of data that may be scored to find more subsets of the final size


class SampleFirst:
    """A search on a sample of the rows, whose answers are confirmed or repaired on all rows.

    A greedy search on the sample comes first; on all rows, features are added to its answer until
    the score is high enough, and those that are not needed are removed. Then the search itself
    looks for smaller subsets on the sample. The ones that it finds are scored on all rows; rows on
    which they fail join the sample, which rules out most of the others; and if none is left, the
    search starts again on the larger sample. It ends when the smallest subset found on the sample
    is not smaller than the best one on all rows.

    For the fewest features that keep the full score only. The problem must have `on_sample`.
    """

    def __init__(self, search: Search) -> None:
        self._search = search

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters and the name of the search."""
        return {"search": type(self._search).__name__, **self._search.get_params(deep)}

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""
        self._search.propose(problem, seed).close()
        return _Confirmation(self._search, problem, seed).live()


class _Confirmation:
    """One run: the subsets that fell short on all rows, and the smallest that did not."""

    def __init__(self, search: Search, problem: Problem, seed: int) -> None:
        self._search = search
        self._problem = problem
        self._seed = seed
        self._constraints = Constraints(problem)
        self._failed = np.empty((0, problem.n_features), np.bool_)
        self._size = int(self._constraints.allowed.sum())
        self._n_alike = max(CONFIRMED_TOGETHER, ALIKE_CELLS // problem.n_cells)

    def live(self) -> Proposal:
        """Find a first answer, then smaller ones."""
        part = yield from self._part()
        subset, _ = yield from self._on_sample(grow(part))
        yield from self._repair(subset)
        for _ in range(N_SEARCHES):
            part = yield from self._part()
            found = Archive(ranking_of(part))
            yield from self._on_sample(overheard(self._search.propose(part, self._seed), found.add))
            candidates, _ = found.ranked()
            if found.size > self._size:
                return
            if found.size == self._size:  # not smaller, but perhaps other ones
                yield self._to_confirm(_spread(candidates, self._n_alike))
                return
            if (yield from self._confirm(candidates)):
                return

    def _part(self) -> Steps[Problem]:
        """Return the problem on the sample as it is now."""
        scores = yield Batch(self._constraints.allowed[np.newaxis], sample=self._failed)
        return replace(self._problem, full_score=float(scores[0]), on_sample=None)

    def _on_sample(self, steps: Steps[T]) -> Steps[T]:
        """Follow some steps with scores on the sample."""
        try:
            batch = next(steps)
            while True:
                batch = steps.send((yield replace(batch, sample=self._failed)))
        except StopIteration as stop:
            result: T = stop.value
            return result

    def _confirm(self, candidates: Masks) -> Steps[bool]:
        """Score candidates on all rows until one is good enough; return whether one is.

        Each failure adds rows to the sample, which then rules out other candidates. If none is
        left, the last one is repaired.
        """
        n_left, last = MOST_CONFIRMED, candidates[0]
        while len(candidates) and n_left > 0:
            some = _spread(candidates, CONFIRMED_TOGETHER)
            n_left -= len(some)
            scores = yield self._to_confirm(some)
            if (scores >= self._problem.target).any():
                self._size = int(some[0].sum())
                yield self._to_confirm(_spread(candidates, self._n_alike))
                return True
            last = some[0]
            self._failed = np.concatenate([self._failed, some])
            part = yield from self._part()
            scores = yield Batch(candidates, at_least=part.target, sample=self._failed)
            candidates = candidates[scores >= part.target]
        if int(last.sum()) + 1 < self._size:
            yield from self._repair(last)
        return False

    def _to_confirm(self, subsets: Masks) -> Batch:
        return Batch(subsets, at_least=self._problem.target)

    def _repair(self, subset: Masks) -> Steps[None]:
        """Add features until the score on all rows is high enough; remove those not needed."""
        grown, score = yield from grow(replace(self._problem, must_include=subset))
        smaller = yield from shorten(self._problem, grown, score)
        self._size = min(self._size, int(smaller.sum()))


def _spread(subsets: Masks, n_taken: int) -> Masks:
    """Return the first subset and others from all over the list."""
    places = np.linspace(0, len(subsets), min(n_taken, len(subsets)), endpoint=False)
    return subsets[places.astype(np.int64)]
