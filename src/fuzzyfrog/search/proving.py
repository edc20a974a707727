"""The smallest covers of a problem's requirements, with proof, as coroutines."""

import numpy as np

from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.covering import CoverSearch, Oracle, Rows
from fuzzyfrog.search.overhearing import Steps
from fuzzyfrog.search.protocol import Batch, Floats, Masks, Problem, Proof, Proposal
from fuzzyfrog.search.relaxing import relaxed, rounded

__all__ = ["CoverProof"]

SLICE_WORK = 2**27  # nodes times rows times words of features between two signs of life
PATIENCE = 16  # rounds of the relaxation that need not raise the bound
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
        Subsets of the smallest size to list at most.
    """

    def __init__(self, problem: Problem, oracle: Oracle, limit: int) -> None:
        self._target = problem.target
        self._oracle = oracle
        self._limit = limit
        constraints = Constraints(problem)
        self._fixed = constraints.fixed.copy()
        self._allowed = constraints.fixed.copy()
        self._allowed[constraints.free] = True
        self._rows = [Rows.none(problem.n_features)]
        self.lower_bound = constraints.sizes[0]

    def bound(self, known: Masks) -> Proposal:
        """Raise the lower bound as far as that is cheap.

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
        yield from self._relax()

    def _relax(self) -> Proposal:
        """Solve the linear relaxation, with more rows as long as that raises the bound."""
        self._learn(self._fixed)
        n_idle = 0
        while n_idle < PATIENCE:
            rows = Rows.joined(self._rows)
            bound, shares = relaxed(rows, self._fixed, self._allowed)
            n_idle = n_idle + 1 if bound <= self.lower_bound else 0
            self._raise_bound(bound)
            cover = rounded(rows, shares, self._fixed, self._allowed)
            if not cover.any():
                return  # there are no rows
            proof = Proof(self.lower_bound)
            scores = yield Batch(cover[np.newaxis], at_least=self._target, proof=proof)
            if scores[0] < self._target:
                self._learn(cover)
            elif not self._learn(self._largest(shares)):
                return  # as few as the bound allows have the full score

    def _largest(self, shares: Floats) -> Masks:
        """Give as many features, those with the largest shares, as the lower bound has."""
        subset = self._fixed.copy()
        order = np.argsort(-shares, kind="stable")
        order = order[(self._allowed & ~self._fixed)[order]]
        subset[order[: self.lower_bound - int(subset.sum())]] = True
        return subset

    def smallest(self) -> Proposal:
        """List the subsets of the smallest size, having proved that it is the smallest."""
        n_listed = 0
        for size in range(self.lower_bound, int(self._allowed.sum()) + 1):
            self._raise_bound(size)
            yield self._sign_of_life()
            n_listed, is_exhausted = yield from self.covers(size)
            if n_listed:
                proof = Proof(size, is_best=True, all_listed=is_exhausted)
                yield Batch(self._nothing(), proof=proof)
                return

    def covers(self, size: int) -> Steps[tuple[int, bool]]:
        """List subsets of one size that have the full score.

        Returns
        -------
        int, bool
            How many were listed, and whether these are all.
        """
        if len(self._rows) == 1:
            self._learn(self._fixed)
        search = CoverSearch(
            Rows.joined(self._rows), size, fixed=self._fixed, allowed=self._allowed
        )
        n_listed, n_covers = 0, FEWEST_COVERS
        while not search.is_exhausted and n_listed < self._limit:
            n_wanted = min(n_covers, self._limit - n_listed)
            found = search.advance(self._slice_of_nodes(), n_wanted).covers
            found = found[found.any(axis=1)]  # nothing covers no rows, but is no answer
            scores = yield Batch(found, at_least=self._target)
            is_kept = scores >= self._target
            n_listed += int((found[is_kept].sum(axis=1) == size).sum())
            n_rows = len(self._rows)
            for cover in found[~is_kept]:
                self._learn(cover)
            if len(self._rows) > n_rows:
                search.add(Rows.joined(self._rows[n_rows:]))
            if not is_kept.all():
                n_covers = max(FEWEST_COVERS, n_covers // 4)
            elif len(found):
                n_covers = min(2 * n_covers, MOST_COVERS)
        return n_listed, search.is_exhausted

    def _learn(self, subset: Masks) -> bool:
        """Ask for rows that a subset breaks; tell whether there are some."""
        rows = self._oracle(subset)
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
