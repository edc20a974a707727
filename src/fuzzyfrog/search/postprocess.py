"""The steps after a search: fill up a subset that is too small, remove features not needed."""

import numpy as np

from fuzzyfrog.search.archive import Archive, Front
from fuzzyfrog.search.backward_elimination import eliminate
from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.evaluation import Ledger, subset_keys
from fuzzyfrog.search.protocol import Batch, Masks, Problem, Proposal

CHECKED_TOGETHER = 256  # subsets checked in one batch


class Finish:
    """The last steps of a run, as coroutines like those of a search.

    The driver adds the subsets that these steps score to the archive and to the front.
    """

    def __init__(self, problem: Problem, archive: Archive, front: Front) -> None:
        self._required = problem.kept
        self._constraints = Constraints(problem)
        self._archive = archive
        self._front = front
        self._sized = problem.n_features_to_select is not None

    def n_evaluations(self) -> int:
        """Return the number of evaluations to keep for these steps."""
        if self._sized:
            return 0 if len(self._archive) else 1
        return self._archive.size

    def fill(self) -> Proposal:
        """Complete the largest subset found, lowest features first, if none has the right size."""
        if len(self._archive):
            return
        points = self._front.points()
        subset = (points[-1].subset if points else self._constraints.fixed).copy()
        absent = self._constraints.free[~subset[self._constraints.free]]
        subset[absent[: self._constraints.sizes[0] - int(subset.sum())]] = True
        yield Batch(subset[np.newaxis])

    def reduce_best(self, ledger: Ledger) -> Proposal:
        """Remove features that the best subset does not need, high ones first."""
        subsets, scores = self._archive.ranked()
        if self._sized or self.is_minimal(subsets[0], float(scores[0]), ledger):
            return
        orders = np.arange(subsets.shape[1])[np.newaxis, ::-1]
        yield from eliminate(
            subsets[:1], self._required(scores[:1]), self._constraints.fixed, orders
        )

    def check_all(self) -> Proposal:
        """Try to remove one feature from each of the best subsets, until all are minimal."""
        size = -1
        while not self._sized and size != self._archive.size:
            size = self._archive.size
            subsets, scores = self._archive.ranked()
            required = self._required(scores)
            for start in range(0, len(subsets), CHECKED_TOGETHER):
                smaller = [
                    self._constraints.without_one(one) for one in subsets[start:][:CHECKED_TOGETHER]
                ]
                bars = np.repeat(required[start:][: len(smaller)], [len(one) for one in smaller])
                if len(bars):
                    yield Batch(np.concatenate(smaller), at_least=bars)
                if size != self._archive.size:  # a better subset: the others no longer count
                    break

    def is_minimal(self, subset: Masks, score: float, ledger: Ledger) -> bool:
        """Whether each feature that may be left out is known to be needed."""
        required = float(self._required(np.array([score]))[0])
        smaller = self._constraints.without_one(subset)
        return all(ledger.is_below(key, required) for key in subset_keys(smaller))
