"""Exact search: the smallest subsets with proof, or bounds when time is up."""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from fuzzyfrog.common.params import check_count
from fuzzyfrog.search.archive import Archive
from fuzzyfrog.search.backward_elimination import eliminate
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


class Exact(BaseEstimator):  # type: ignore[misc]
    """Prove which subsets are the best, and list them.

    The fewest features that keep the full score are found by covering the requirements that the
    problem's oracle returns, in tables of any width. A share of the full score, a given size or
    the ranking "product" takes branch and bound over scores, for tables of moderate width. A run
    that is stopped keeps the best subsets and bounds that it has.

    Parameters
    ----------
    limit : int
        Number of best subsets to list. If there are more, the list ends soon after: subsets that
        were scored together, or found by an earlier search, are listed all the same. If there are
        no more, the list is proved to be complete. For a given size, one subset that reaches the
        target is enough, and products are listed without a limit.

    Examples
    --------
    >>> from fuzzyfrog.search import Exact
    >>> Exact(limit=1000).get_params()
    {'limit': 1000}
    """

    def __init__(self, *, limit: int = 100_000) -> None:
        self.limit = limit

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""
        check_count("limit", self.limit)
        return _Prover(problem, self.limit).prove(None)


class Certified:
    """A search followed by a proof of its answer, or by better answers until one is proved."""

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
    """The best subsets found, and what was proved about them."""

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
        """Return the proof by requirements where it is possible."""
        problem = self._problem
        is_fewest = problem.ranking == "lexicographic" and problem.n_features_to_select is None
        if problem.oracle is None or not is_fewest or problem.min_dependency < 1:
            return None
        return CoverProof(problem, problem.oracle, self._limit)

    def _start(self) -> Steps[None]:
        """Grow a subset greedily, then remove the features that it does not need."""
        subset, score = yield from grow(self._problem)
        if self._problem.n_features_to_select is None:
            required = self._problem.kept(np.array([score]))
            backwards = np.arange(len(subset))[np.newaxis, ::-1]
            yield from eliminate(subset[np.newaxis], required, self._constraints.fixed, backwards)

    def _hear(self, subsets: Masks, scores: Floats) -> None:
        is_allowed = self._constraints.has_allowed_size(subsets)
        self._best.add(subsets[is_allowed], scores[is_allowed])

    def _by_scores(self) -> Proposal:
        """Go through the sizes at which a subset could be as good as the best one found."""
        n_features = self._problem.n_features
        smallest, largest = self._constraints.sizes
        for size in range(smallest, largest + 1):
            yield Batch.empty(n_features, Proof(min(size, self._best.size)))
            yield from subsets_reaching(self._constraints, size, self._bar(size))
        all_listed = not self._is_cut
        yield Batch.empty(n_features, Proof(self._best.size, is_best=True, all_listed=all_listed))

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
        """Whether subsets of a size that are only as good as the best need not be listed."""
        problem, best = self._problem, self._best
        if problem.ranking == "product" and problem.target > 0:
            return False
        if size < best.size:
            return False
        # With a given size there may be very many subsets that reach the target.
        is_given = problem.n_features_to_select is not None
        return len(best) > self._limit or (is_given and best.score >= problem.target)
