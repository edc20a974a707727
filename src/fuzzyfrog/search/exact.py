"""Exact search: the smallest subsets with proof, or bounds when time is up."""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from fuzzyfrog.common.params import check_count
from fuzzyfrog.search.archive import Archive
from fuzzyfrog.search.backward_elimination import shed
from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.cover_proof import CoverProof
from fuzzyfrog.search.exact_front import subsets_reaching
from fuzzyfrog.search.protocol import (
    Batch,
    Floats,
    Masks,
    Problem,
    Proof,
    Proposal,
    Search,
    Steps,
    overheard,
)
from fuzzyfrog.search.quickreduct import grow
from fuzzyfrog.search.ranking import ranking_of

__all__ = ["Certified", "Exact"]


class Exact(BaseEstimator):  # type: ignore[misc]
    """Prove which subsets are the best, and list them.

    What is asked decides how. The fewest features that keep the full score: by covering the
    requirements that the problem's oracle tells, for tables of any width. A share of the full
    score, a given size or the ranking "product": by branch and bound over scores, for tables of
    moderate width. A run that is stopped keeps the best subsets and the bounds it has.

    Parameters
    ----------
    limit : int
        Best subsets to list. Where there are more, the list ends soon after: subsets that were
        scored together, and those that a search met before, are listed all the same. Where there
        are no more, the list is proved to be complete. A given size needs only one subset that
        reaches the target, and products are listed without a limit.

    Examples
    --------
    >>> from fuzzyfrog.search import Exact
    >>> Exact(limit=1000).get_params()
    {'limit': 1000}
    """

    def __init__(self, *, limit: int = 100_000) -> None:
        self.limit = limit

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters and give the coroutine; see the protocol.

        Parameters
        ----------
        problem : Problem
            What is asked.
        seed : int
            Not used: nothing is drawn.

        Returns
        -------
        Proposal
            Yields batches, receives scores.
        """
        check_count("limit", self.limit)
        return _Prover(problem, self.limit).prove(None)


class Certified:
    """A search whose answer is then proved, or improved until it can be.

    Parameters
    ----------
    search : Search
        What looks for good subsets first.
    exact : Exact
        What proves.
    """

    def __init__(self, search: Search, exact: Exact) -> None:
        self._search = search
        self._exact = exact

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of both, and the name of the search."""
        inner = {"search": type(self._search).__name__, **self._search.get_params(deep)}
        return {**inner, **{f"exact__{k}": v for k, v in self._exact.get_params(deep).items()}}

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Return the coroutine: cheap bounds, then the search, then the proof."""
        check_count("limit", self._exact.limit)
        found = self._search.propose(problem, seed)
        return _Prover(problem, self._exact.limit).prove(found)


class _Prover:
    """The best subsets met, and what was proved about them."""

    def __init__(self, problem: Problem, limit: int) -> None:
        self._problem = problem
        self._limit = limit
        self._constraints = Constraints(problem)
        self._ranking = ranking_of(problem)
        self._best = Archive(self._ranking)
        self._is_cut = False

    def prove(self, search: Proposal | None) -> Proposal:
        """Bound, search if there is a search, and prove."""
        covers = self._covering()
        begin = self._start() if covers is None else covers.bound()
        yield from overheard(begin, self._hear)
        if search is not None:
            yield from overheard(search, self._hear)
        yield from overheard(self._by_scores() if covers is None else covers.smallest(), self._hear)

    def _covering(self) -> CoverProof | None:
        """Return the proof by requirements where it can be had."""
        problem = self._problem
        is_fewest = problem.ranking == "lexicographic" and problem.n_features_to_select is None
        if problem.oracle is None or not is_fewest or problem.min_dependency < 1:
            return None
        return CoverProof(problem, problem.oracle, self._limit)

    def _start(self) -> Steps[None]:
        """Grow a subset greedily, and take out what is not needed."""
        subset, score = yield from grow(self._problem)
        if self._problem.n_features_to_select is None:
            required = self._problem.kept(np.array([score]))
            backwards = np.arange(len(subset))[np.newaxis, ::-1]
            yield from shed(subset[np.newaxis], required, self._constraints.fixed, backwards)

    def _hear(self, subsets: Masks, scores: Floats) -> None:
        is_allowed = self._constraints.has_allowed_size(subsets)
        self._best.add(subsets[is_allowed], scores[is_allowed])

    def _by_scores(self) -> Proposal:
        """Go through the sizes at which a subset could be as good as the best one met."""
        nothing = np.empty((0, self._problem.n_features), np.bool_)
        smallest, largest = self._constraints.sizes
        for size in range(smallest, largest + 1):
            yield Batch(nothing, proof=Proof(min(size, self._best.size)))
            yield from subsets_reaching(self._constraints, size, self._bar(size))
        all_listed = not self._is_cut
        yield Batch(nothing, proof=Proof(self._best.size, is_best=True, all_listed=all_listed))

    def _bar(self, size: int) -> Callable[[], float]:
        """Return a callable giving the score a subset of this size must reach."""

        def bar() -> float:
            best = np.array([self._best.score]), np.array([self._best.size])
            as_good = float(self._ranking.needed(np.array([size]), *best)[0])
            if not self._is_enough(size):
                return as_good
            self._is_cut |= as_good < inf
            is_at_target = self._best.score >= self._problem.target
            return inf if is_at_target else float(np.nextafter(self._best.score, inf))

        return bar

    def _is_enough(self, size: int) -> bool:
        """Return whether subsets of a size that are only as good as the best need no listing."""
        problem, best = self._problem, self._best
        if problem.ranking == "product" and problem.target > 0:
            return False
        if size < best.size:
            return False
        # With a size given there may be no end of subsets that reach the target.
        is_given = problem.n_features_to_select is not None
        return len(best) > self._limit or (is_given and best.score >= problem.target)
