"""Squeezing: look for a subset as good as the best one, but with one feature less."""

from dataclasses import replace

import numpy as np

from fuzzyfrog.search.archive import Archive, packed
from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.neighbors import Explorer
from fuzzyfrog.search.protocol import Batch, Masks, Problem, Proposal
from fuzzyfrog.search.ranking import Ranking

__all__ = ["Squeeze"]

TRIED_TOGETHER = 128  # exchanges; after a batch the climb goes on from the best of them


class Squeeze:
    """Climbs, by exchanges of one feature, among the subsets that are one smaller than the best.

    Subsets that are good enough form a plateau on which nothing shows the way to a smaller one.
    One size below scores differ, and whoever climbs up to the target there has found it.

    Parameters
    ----------
    problem : Problem
        What is asked; with no size given.
    best : Archive
        The best subsets met; whoever runs the climb adds to it what is scored.
    ranking : Ranking
        Which subset is better.
    explorer : Explorer
        Explorer of the best subsets; the climb asks it which features come in first.
    """

    def __init__(
        self, problem: Problem, best: Archive, ranking: Ranking, explorer: Explorer
    ) -> None:
        self._problem = problem
        self._best = best
        self._ranking = ranking
        self._neighbors_of_best = explorer
        self._smallest = Constraints(problem).sizes[0]
        self._size = 0
        self._started: set[bytes] = set()

    def climb(self, n_trials: int) -> Proposal:
        """Try about so many exchanges; the next call goes on where this one ends."""
        while n_trials > 0 and self._smallest < self._best.size:
            batch = None
            if self._size == self._best.size - 1:
                batch = self._explorer.neighbors(min(n_trials, TRIED_TOGETHER))
            if batch is None:
                batch = self._start()
            if batch is None:
                return
            n_trials -= len(batch.subsets)
            self._climbed.add(batch.subsets, (yield batch))

    def _start(self) -> Batch | None:
        """Begin anew: the newest of the best subsets from which none has begun, less a feature."""
        subsets, _ = self._best.members()
        fresh = [row for row, key in enumerate(packed(subsets)) if key not in self._started]
        if not fresh:
            return None
        subset = subsets[fresh[-1]]
        self._started.update(packed(subset[np.newaxis]))
        self._size = self._best.size - 1
        constraints = Constraints(replace(self._problem, n_features_to_select=self._size))
        self._climbed = Archive(self._ranking)
        self._explorer = self._neighbors_of_best.around(self._climbed, constraints)
        return Batch(_without_one(subset, constraints))


def _without_one(subset: Masks, constraints: Constraints) -> Masks:
    """Give the subset without each of its features that may go."""
    leaving = constraints.free[subset[constraints.free]]
    smaller = np.repeat(subset[np.newaxis], len(leaving), axis=0)
    smaller[np.arange(len(leaving)), leaving] = False
    return smaller
