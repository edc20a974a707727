"""The smallest covers of a problem's requirements, with proof, as coroutines."""

from math import inf

import numpy as np

from fuzzyfrog.search.backward_elimination import shed
from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.covering import Oracle, Rows, rounded
from fuzzyfrog.search.proof_log import RecordedSteps
from fuzzyfrog.search.protocol import Batch, Floats, Masks, Problem, Proof, Proposal, Steps

__all__ = [
    "CoverProof",
]

SLICE_WORK = 2**27  # nodes times rows times words of features between two signs of life
PATIENCE = 16  # rounds of the relaxation that need not raise the bound
QUICKLY_BRANCHED = 4  # features beside the core up to which branching soon gets by itself ...
LITTLE_PATIENCE = 2  # ... so that fewer rounds are worth their time
FIRST_ROUNDS = 4  # of the relaxation, before features are shed by what it says
ASKED_BETWEEN_SIGNS = 64  # answers of the oracle between two signs of life
MOST_BRANCHED = 10  # features beside the core up to which branching alone gets to the end
FAR = 1.5  # times the lower bound: with a known subset beyond, an integer program does not close
PROGRAM_WORK = 2**25  # nodes of an integer program times its weights
FEWEST_COVERS = 8  # scored together, as long as some of them break rows that were not known
MOST_COVERS = 4096


class CoverProof:
    """Proves how many features the full score takes, and lists the subsets that have it.

    Rows are asked of the oracle as they are needed. Every cover that is found is proposed, so
    that the objective has the last word; one that it rejects is answered by rows that it breaks.

    Parameters
    ----------
    problem : Problem
        What is asked; it has an oracle, and its target is the full score.
    oracle : callable
        The problem's oracle.
    limit : int
        Subsets of the smallest size to list; one more is listed if there are more.
    """

    def __init__(self, problem: Problem, oracle: Oracle, limit: int) -> None:
        self._target = problem.target
        self._steps = RecordedSteps(oracle, problem.proof_log)
        self._limit = limit
        constraints = Constraints(problem)
        self._fixed = constraints.fixed.copy()
        self._allowed = constraints.fixed.copy()
        self._allowed[constraints.free] = True
        self._rows = [Rows.none(problem.n_features)]
        self._n_known = int(self._allowed.sum())
        self.lower_bound = constraints.sizes[0]

    def bound(self) -> Proposal:
        """Raise the lower bound as far as that is cheap, and find a small subset on the way."""
        yield Batch(self._allowed[np.newaxis])  # one subset is known from the first moment on
        shares = yield from self._relax(FIRST_ROUNDS)
        known = yield from self._shed(shares)
        self._n_known = int(known.sum())
        yield from self._relax()
        n_rows = len(self._rows)
        yield from self._find_core(known)
        if len(self._rows) > n_rows:
            yield from self._relax()

    def _relax(self, n_rounds: float = inf) -> Steps[Floats]:
        """Solve the linear relaxation, with more rows as long as that raises the bound.

        Returns
        -------
        float64[n_features]
            The share of each feature in the last solution.
        """
        if len(self._rows) == 1:
            self._learn(self._fixed)
        n_idle, shares = 0, self._fixed.astype(np.float64)
        while n_idle < self._patience() and n_rounds > 0:
            rows = Rows.joined(self._rows)
            bound, shares = self._steps.relaxed(rows, fixed=self._fixed, allowed=self._allowed)
            n_idle, n_rounds = 0 if bound > self.lower_bound else n_idle + 1, n_rounds - 1
            self._raise_bound(int(bound))
            cover = rounded(rows, shares, fixed=self._fixed, allowed=self._allowed)
            if not cover.any():
                break  # there are no rows
            proof = Proof(self.lower_bound)
            scores = yield Batch(cover[np.newaxis], at_least=self._target, proof=proof)
            if scores[0] < self._target:
                self._learn(cover)
            elif not self._learn(self._largest(shares)):
                break  # as few as the bound allows have the full score
        return shares

    def _patience(self) -> int:
        is_small = self.lower_bound - int(self._fixed.sum()) <= QUICKLY_BRANCHED
        return LITTLE_PATIENCE if is_small else PATIENCE

    def _shed(self, shares: Floats) -> Steps[Masks]:
        """Take out of all features what is not needed, small shares first; give what is left."""
        order = np.argsort(shares, kind="stable")[np.newaxis]
        needed = np.array([self._target])
        left, _ = yield from shed(self._allowed[np.newaxis], needed, self._fixed, order)
        smallest: Masks = left[0]
        return smallest

    def _find_core(self, known: Masks) -> Proposal:
        """Fix what all other features together cannot replace.

        Parameters
        ----------
        known : bool[n_features]
            A subset that has the full score: only its features can be needed by all.
        """
        for feature in np.flatnonzero(known & ~self._fixed):
            others = self._allowed.copy()
            others[feature] = False
            self._fixed[feature] |= self._learn(others)
            self._raise_bound(int(self._fixed.sum()))
            yield self._sign_of_life()

    def _largest(self, shares: Floats) -> Masks:
        """Return as many features, those with the largest shares, as the lower bound has."""
        subset = self._fixed.copy()
        order = np.argsort(-shares, kind="stable")
        order = order[(self._allowed & ~self._fixed)[order]]
        subset[order[: self.lower_bound - int(subset.sum())]] = True
        return subset

    def smallest(self) -> Proposal:
        """List the subsets of the smallest size, having proved that it is the smallest."""
        if self._is_for_program():
            yield from self._program()
        n_listed = 0
        for size in range(self.lower_bound, int(self._allowed.sum()) + 1):
            self._raise_bound(size)
            yield self._sign_of_life()
            n_listed, is_exhausted = yield from self.covers(size)
            if n_listed:
                proof = Proof(size, is_best=True, all_listed=is_exhausted)
                yield Batch(self._nothing(), proof=proof)
                return

    def _is_for_program(self) -> bool:
        n_open = self.lower_bound - int(self._fixed.sum())
        return n_open > MOST_BRANCHED and self._n_known <= FAR * self.lower_bound

    def _program(self) -> Proposal:
        """Let an integer program raise the bound, with more rows as long as its covers break some.

        Its work is limited by nodes, not by time: a run must come out the same again.
        """
        is_broken = True
        while is_broken:
            rows = Rows.joined(self._rows)
            n_nodes = 1 + PROGRAM_WORK // (1 + int(np.count_nonzero(rows.weights)))
            answer = self._steps.smallest_cover(
                rows, fixed=self._fixed, allowed=self._allowed, n_nodes=n_nodes
            )
            self._raise_bound(answer.lower_bound)
            if answer.cover is None:
                return
            proof = Proof(self.lower_bound)
            scores = yield Batch(answer.cover[np.newaxis], at_least=self._target, proof=proof)
            is_broken = scores[0] < self._target and self._learn(answer.cover)

    def covers(self, size: int) -> Steps[tuple[int, bool]]:
        """List subsets of one size that have the full score.

        Returns
        -------
        int, bool
            How many were listed, and whether these are all.
        """
        if len(self._rows) == 1:
            self._learn(self._fixed)
        search = self._steps.covers(
            Rows.joined(self._rows), size, fixed=self._fixed, allowed=self._allowed
        )
        n_listed, n_covers = 0, FEWEST_COVERS
        while not search.is_exhausted and n_listed <= self._limit:
            n_wanted = min(n_covers, self._limit + 1 - n_listed)
            found = search.advance(self._slice_of_nodes(), n_wanted).covers
            found = found[found.any(axis=1)]  # nothing covers no rows, but is no answer
            scores = yield Batch(found, at_least=self._target)
            is_kept = scores >= self._target
            n_listed += int((found[is_kept].sum(axis=1) == size).sum())
            rows = yield from self._rows_against(found[~is_kept])
            search.add(rows)
            if not is_kept.all():
                n_covers = max(FEWEST_COVERS, n_covers // 4)
            elif len(found):
                n_covers = min(2 * n_covers, MOST_COVERS)
        return n_listed, search.is_exhausted

    def _rows_against(self, subsets: Masks) -> Steps[Rows]:
        """Ask for rows until each of some subsets breaks one of them; give these rows."""
        n_rows, left = len(self._rows), subsets
        while len(left):
            self._learn(left[0])
            left = left[1:][[self._rows[-1].covered_by(one) for one in left[1:]]]
            if (len(self._rows) - n_rows) % ASKED_BETWEEN_SIGNS == 0:
                yield self._sign_of_life()
        return Rows.joined([Rows.none(len(self._fixed)), *self._rows[n_rows:]])

    def _learn(self, subset: Masks) -> bool:
        """Ask for rows that a subset breaks; tell whether there are some."""
        rows = self._steps.broken(subset)
        if len(rows):
            self._rows.append(rows)
        return bool(len(rows))

    def _slice_of_nodes(self) -> int:
        n_words = -(-len(self._fixed) // 64)
        n_rows = 1 + sum(len(rows) for rows in self._rows)
        return max(64, SLICE_WORK // (n_rows * n_words))

    def _raise_bound(self, size: int) -> None:
        self.lower_bound = max(self.lower_bound, size)

    def _sign_of_life(self) -> Batch:
        return Batch(self._nothing(), proof=Proof(self.lower_bound))

    def _nothing(self) -> Masks:
        return np.empty((0, len(self._fixed)), np.bool_)
