"""What follows a search: fill up what is too small, take out what is not needed."""

import numpy as np

from fuzzyfrog.search.archive import Archive, Front
from fuzzyfrog.search.backward_elimination import shed
from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.evaluation import Ledger, subset_keys
from fuzzyfrog.search.protocol import Batch, Masks, Problem, Proposal

__all__ = [
    "Finish",
]

CHECKED_TOGETHER = 256  # subsets of which one feature is left out in one batch


class Finish:
    """The last steps of a run, as coroutines like those of a search.

    Parameters
    ----------
    problem : Problem
        What is asked.
    archive, front : Archive, Front
        What was found; the driver adds to them what these steps score.
    """

    def __init__(self, problem: Problem, archive: Archive, front: Front) -> None:
        self._required = problem.kept
        self._constraints = Constraints(problem)
        self._archive = archive
        self._front = front
        self._sized = problem.n_features_to_select is not None

    def n_evaluations(self) -> int:
        """Return how many evaluations should be kept for these steps."""
        if self._sized:
            return 0 if len(self._archive) else 1
        return self._archive.size

    def fill(self) -> Proposal:
        """Complete the largest subset met, lowest features first, if none has the size asked."""
        if len(self._archive):
            return
        points = self._front.points()
        subset = (points[-1].subset if points else self._constraints.fixed).copy()
        absent = self._constraints.free[~subset[self._constraints.free]]
        subset[absent[: self._constraints.sizes[0] - int(subset.sum())]] = True
        yield Batch(subset[np.newaxis])

    def reduce_best(self, ledger: Ledger) -> Proposal:
        """Take out of the best subset what is not needed, high features first."""
        subsets, scores = self._archive.ranked()
        if self._sized or self.is_minimal(subsets[0], float(scores[0]), ledger):
            return
        orders = np.arange(subsets.shape[1])[np.newaxis, ::-1]
        yield from shed(subsets[:1], self._required(scores[:1]), self._constraints.fixed, orders)

    def check_all(self) -> Proposal:
        """Try to take one feature out of each of the best subsets, until all are minimal."""
        size = -1
        while not self._sized and size != self._archive.size:
            size = self._archive.size
            subsets, scores = self._archive.ranked()
            required = self._required(scores)
            for start in range(0, len(subsets), CHECKED_TOGETHER):
                smaller = [self._without_one(one) for one in subsets[start:][:CHECKED_TOGETHER]]
                bars = np.repeat(required[start:][: len(smaller)], [len(one) for one in smaller])
                if len(bars):
                    yield Batch(np.concatenate(smaller), at_least=bars)
                if size != self._archive.size:  # a better subset: the others do not count any more
                    break

    def is_minimal(self, subset: Masks, score: float, ledger: Ledger) -> bool:
        """Return whether each feature that may go is known to be needed."""
        required = float(self._required(np.array([score]))[0])
        smaller = self._without_one(subset)
        return all(ledger.is_below(key, required) for key in subset_keys(smaller))

    def _without_one(self, subset: Masks) -> Masks:
        """Return the subset without each of its features that may go; never an empty one."""
        free = self._constraints.free
        present = free[subset[free]] if subset.sum() > 1 else free[:0]
        smaller = np.repeat(subset[np.newaxis], len(present), axis=0)
        smaller[np.arange(len(present)), present] = False
        return smaller
