"""Exact searches: the smallest subsets, or the best of each size, with proof or with bounds.

The fewest features that keep the full score are proved by requirements. Rows of requirements come
from the oracle, bounds from a linear relaxation or an integer program (`covering.linear_program`),
and the list of all covers of one size from branch and bound (`covering.search`), whose slices are
kept (`RecordedSearch`), so that a run that is killed resumes.

Anything else is proved by branch and bound over scores.  A score never falls when a feature is
added.  So the score of all features that a branch can still have is an upper bound for its subsets,
and a feature without which that bound falls below the bar is in every subset that remains
(docs/theory.md#front).  With costs, the front has the highest score for each cost at which it is
higher than for any lower one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import comb, inf
from typing import Any, TypeAlias

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.params import Parametrized, check_count
from fuzzyfrog.common.resources import SHARE, available_memory
from fuzzyfrog.search.archive import Archive, Front, ranking_of
from fuzzyfrog.search.checkpoint import RecordedSearch
from fuzzyfrog.search.covering.linear_program import relaxed, rounded, smallest_cover
from fuzzyfrog.search.covering.search import CheapestSearch, CoverSearch
from fuzzyfrog.search.protocol import (
    Batch,
    Constraints,
    Oracle,
    Problem,
    Proof,
    Proposal,
    Rows,
    Search,
    Steps,
    cost_of,
    overheard,
    without_each,
)
from fuzzyfrog.search.stepwise import eliminate, grow, shorten

# Of proofs by requirements:
SLICE_WORK = 2**27  # nodes times rows times words of features between two batches
PATIENCE = 16  # rounds of the relaxation without a higher bound
QUICKLY_BRANCHED = 4  # features besides the core up to which branching is quick ...
LITTLE_PATIENCE = 2  # ... so that only this many rounds are worth their time
FIRST_ROUNDS = 4  # of the relaxation, before features are eliminated in its order
ASKED_BETWEEN_REPORTS = 64  # calls of the oracle between two batches
MOST_BRANCHED = 10  # features besides the core up to which branching alone finishes
FAR = 1.5  # times the lower bound: beyond this, an integer program does not close the gap
PROGRAM_WORK = 2**25  # nodes of an integer program times its weights
BYTES_PER_WEIGHT = 32  # of a row, in all forms in which a search keeps it
FEWEST_COVERS = 8  # scored together, as long as some of them break unknown rows
MOST_COVERS = 4096


Bar: TypeAlias = Callable[[Integers], Floats]  # the score to reach, for each cost


class Exact(Parametrized):
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
    """A search followed by a proof of its answer, or of a better one found on the way."""

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
        covers, problem = None, self._problem
        if problem.oracle is not None and problem.is_covering:
            covers = CoverProof(problem, problem.oracle, self._limit)
        begin = self._start() if covers is None else covers.bound()
        yield from overheard(begin, self._hear)
        if search is not None:
            yield from overheard(search, self._hear)
        yield from overheard(self._by_scores() if covers is None else covers.smallest(), self._hear)

    def _start(self) -> Steps[None]:
        """Grow a subset greedily, then remove the features that it does not need."""
        subset, score = yield from grow(self._problem)
        if self._problem.n_features_to_select is None:
            yield from shorten(self._problem, subset, score)

    def _hear(self, subsets: Masks, scores: Floats) -> None:
        is_allowed = self._constraints.has_allowed_size(subsets)
        self._best.add(subsets[is_allowed], scores[is_allowed])

    def _by_scores(self) -> Proposal:
        """Go through the sizes at which a subset could be as good as the best one found."""
        n_features = self._problem.n_features
        if self._problem.costs is None:
            smallest, largest = self._constraints.sizes
            for size in range(smallest, largest + 1):
                yield Batch.empty(n_features, Proof(min(size, self._best.cost)))
                yield from subsets_reaching(self._constraints, size, self._bar)
        else:
            yield from subsets_within(self._constraints, self._bar)
        all_listed = not self._is_cut
        yield Batch.empty(n_features, Proof(self._best.cost, is_best=True, all_listed=all_listed))

    def _bar(self, costs: Integers) -> Floats:
        """Return the score that a subset that costs as much must reach."""
        best, target = self._best, self._problem.target
        as_good = self._ranking.needed(costs, np.array([best.score]), np.array([best.cost]))
        is_enough = self._is_enough(costs)
        self._is_cut |= bool((is_enough & (as_good < inf)).any())
        higher = inf if best.score >= target else float(np.nextafter(best.score, inf))
        return np.where(is_enough, higher, as_good)

    def _is_enough(self, costs: Integers) -> Masks:
        """Whether subsets that cost as much and are only as good as the best need not be listed."""
        problem, best = self._problem, self._best
        if problem.ranking == "product" and problem.target > 0:
            return np.zeros(len(costs), np.bool_)
        # With a given size there may be very many subsets that reach the target.
        is_given = problem.n_features_to_select is not None
        is_listed = len(best) > self._limit or (is_given and best.score >= problem.target)
        return np.asarray(is_listed & (costs >= best.cost))


class CoverProof:
    """Proves how many features the full score takes, and lists the subsets that have it.

    Rows are requested from the oracle as they are needed. Every cover found is proposed, so
    that the objective decides; one that it rejects leads to rows that it breaks. At most `limit`
    subsets of the smallest size are listed, and one more if there are more. Rows may take a
    quarter of the memory that is available at the start.
    """

    def __init__(self, problem: Problem, oracle: Oracle, limit: int) -> None:
        self._target = problem.target
        self._oracle, self._log = oracle, problem.log
        self._limit = limit
        constraints = Constraints(problem)
        self._fixed = constraints.fixed.copy()
        self._allowed = constraints.allowed
        self._costs = problem.costs
        self._rows = [Rows.none(problem.n_features)]
        # Read once: rows take of it.
        self._room = available_memory() // (SHARE * BYTES_PER_WEIGHT * problem.n_features)
        self._known_cost = self._cost(self._allowed)
        self.lower_bound = constraints.least_cost

    def _cost(self, subset: Masks) -> int:
        return int(cost_of(subset[np.newaxis], self._costs)[0])

    def bound(self) -> Proposal:
        """Raise the lower bound as far as that is cheap, and find a small subset on the way."""
        yield Batch(self._allowed[np.newaxis])  # so that one subset is known from the start
        shares = yield from self._relax(FIRST_ROUNDS)
        known = yield from self._eliminate(shares)
        self._known_cost = self._cost(known)
        yield from self._relax()
        n_rows = len(self._rows)
        yield from self._find_core(known)
        if len(self._rows) > n_rows:
            yield from self._relax()

    def _relax(self, n_rounds: float = inf) -> Steps[Floats]:
        """Solve the linear relaxation, with more rows as long as that raises the bound.

        Returns the share of each feature in the last solution.
        """
        if len(self._rows) == 1:
            self._learn(self._fixed)
        n_idle, shares = 0, self._fixed.astype(np.float64)
        while n_idle < self._patience() and n_rounds > 0:
            rows = Rows.joined(self._rows)
            bound, shares = relaxed(
                rows, fixed=self._fixed, allowed=self._allowed, costs=self._costs
            )
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
        is_small = self.lower_bound - self._cost(self._fixed) <= QUICKLY_BRANCHED
        return LITTLE_PATIENCE if is_small else PATIENCE

    def _eliminate(self, shares: Floats) -> Steps[Masks]:
        """Return a small subset: all features but those not needed, small shares first."""
        costs = np.zeros(len(shares)) if self._costs is None else -self._costs
        order = np.lexsort((costs, shares))[np.newaxis]
        needed = np.array([self._target])
        left, _ = yield from eliminate(self._allowed[np.newaxis], needed, self._fixed, order)
        smallest: Masks = left[0]
        return smallest

    def _find_core(self, known: Masks) -> Proposal:
        """Fix the features that all others together cannot replace.

        Only features of `known`, a subset with the full score, can be in every such subset.
        """
        for feature in np.flatnonzero(known & ~self._fixed):
            others = self._allowed.copy()
            others[feature] = False
            self._fixed[feature] |= self._learn(others)
            self._raise_bound(self._cost(self._fixed))
            yield self._report()

    def _largest(self, shares: Floats) -> Masks:
        """Return the features with the largest shares, as many as the lower bound pays for."""
        subset = self._fixed.copy()
        order = np.argsort(-shares, kind="stable")
        order = order[(self._allowed & ~self._fixed)[order]]
        costs = np.ones(len(order)) if self._costs is None else self._costs[order]
        subset[order[costs.cumsum() <= self.lower_bound - self._cost(subset)]] = True
        return subset

    def smallest(self) -> Proposal:
        """List the subsets of the smallest size, after proving that it is the smallest.

        With costs, those of the lowest cost.
        """
        if self._costs is not None:
            yield from self._cheapest(self._costs)
            return
        n_open = self.lower_bound - int(self._fixed.sum())
        if n_open > MOST_BRANCHED and self._known_cost <= FAR * self.lower_bound:
            yield from self._program()
        n_listed = 0
        for size in range(self.lower_bound, int(self._allowed.sum()) + 1):
            self._raise_bound(size)
            yield self._report()
            n_listed, is_exhausted = yield from self.covers(size)
            if n_listed:
                proof = Proof(size, is_best=True, all_listed=is_exhausted)
                yield Batch.empty(len(self._fixed), proof)
                return

    def _program(self) -> Proposal:
        """Raise the bound by an integer program, with more rows as long as its covers break some.

        Its work is limited by nodes, not by time, so that a run can be repeated.
        """
        is_broken = True
        while is_broken:
            rows = Rows.joined(self._rows)
            n_nodes = 1 + PROGRAM_WORK // (1 + int(np.count_nonzero(rows.weights)))
            answer = smallest_cover(rows, fixed=self._fixed, allowed=self._allowed, n_nodes=n_nodes)
            self._raise_bound(answer.lower_bound)
            if answer.cover is None:
                return
            proof = Proof(self.lower_bound)
            scores = yield Batch(answer.cover[np.newaxis], at_least=self._target, proof=proof)
            is_broken = scores[0] < self._target and self._learn(answer.cover)

    def _cheapest(self, costs: Integers) -> Proposal:
        """Prove the lowest cost by looking for lower ones; then list what costs as much."""
        if not self._fixed.any():  # the empty subset is not an answer
            self._rows.append(Rows(self._allowed.astype(np.float64)[np.newaxis], np.ones(1)))
        lower = self._within(costs, self._known_cost - 1)
        while self.lower_bound < self._known_cost:
            cover, is_exhausted = yield from self._next_cover(lower)
            if cover is not None:
                self._known_cost = self._cost(cover)
                lower.budget = self._known_cost - 1
            elif is_exhausted:
                self._raise_bound(self._known_cost)
        yield Batch.empty(len(self._fixed), Proof(self.lower_bound, is_best=True))
        search, n_listed = self._within(costs, self.lower_bound), 0
        while not search.is_exhausted and n_listed <= self._limit:
            cover, _ = yield from self._next_cover(search)
            n_listed += cover is not None
        proof = Proof(self.lower_bound, is_best=True, all_listed=search.is_exhausted)
        yield Batch.empty(len(self._fixed), proof)

    def _within(self, costs: Integers, budget: int) -> CheapestSearch:
        rows = Rows.joined(self._rows)
        return CheapestSearch(rows, costs, budget, fixed=self._fixed, allowed=self._allowed)

    def _next_cover(self, search: CheapestSearch) -> Steps[tuple[Masks | None, bool]]:
        """Continue a search; return the next subset with the full score, and if that was all."""
        cover = search.advance(self._slice_of_nodes())
        if cover is None:
            yield self._report()
            return None, search.is_exhausted
        scores = yield Batch(cover[np.newaxis], at_least=self._target)
        if scores[0] >= self._target:
            return cover, False
        rows = yield from self._rows_against(cover[np.newaxis])
        search.add(rows)
        return None, False

    def covers(self, size: int) -> Steps[tuple[int, bool]]:
        """List subsets of one size with the full score; return how many, and whether all."""
        if len(self._rows) == 1:
            self._learn(self._fixed)
        rows = Rows.joined(self._rows)
        plain = CoverSearch(rows, size, fixed=self._fixed, allowed=self._allowed)
        search = plain if self._log is None else RecordedSearch(plain, self._log)
        n_listed, n_covers = 0, FEWEST_COVERS
        while not search.is_exhausted and n_listed <= self._limit:
            n_wanted = min(n_covers, self._limit + 1 - n_listed)
            found = search.advance(self._slice_of_nodes(), n_wanted).covers
            found = found[found.any(axis=1)]  # the empty subset is not an answer
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
        """Request rows until each of some subsets breaks one of them; return these rows."""
        n_rows, left = len(self._rows), subsets
        while len(left):
            self._learn(left[0])
            left = left[1:][[self._rows[-1].covered_by(one) for one in left[1:]]]
            if (len(self._rows) - n_rows) % ASKED_BETWEEN_REPORTS == 0:
                yield self._report()
        return Rows.joined([Rows.none(len(self._fixed)), *self._rows[n_rows:]])

    def _learn(self, subset: Masks) -> bool:
        """Request rows that a subset breaks; return whether there are any."""
        rows = self._oracle(subset)
        if len(rows):
            self._rows.append(rows)
            self._room -= len(rows)
        if self._room < 0:
            raise MemoryError("the requirements of a proof take too much memory")
        return bool(len(rows))

    def _slice_of_nodes(self) -> int:
        n_words = -(-len(self._fixed) // 64)
        n_rows = 1 + sum(len(rows) for rows in self._rows)
        return max(64, SLICE_WORK // (n_rows * n_words))

    def _raise_bound(self, size: int) -> None:
        self.lower_bound = max(self.lower_bound, size)

    def _report(self) -> Batch:
        return Batch.empty(len(self._fixed), Proof(self.lower_bound))


# Of branch and bound over scores:
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
            better = subsets_reaching(self._constraints, size, self._above)
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

    def _above(self, sizes: Integers) -> Floats:
        """Return the lowest scores above the highest known; infinity once that is the full one."""
        return self._higher(self._highest[sizes])

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


def subsets_reaching(constraints: Constraints, size: int, bar: Bar) -> Proposal:
    """Propose every allowed subset of one size whose score may reach the bar for that size.

    The bar may rise; it is infinity once no subset can reach it.
    """
    free = constraints.allowed & ~constraints.fixed
    branches = [_Branch(constraints.fixed, free, inf)]
    n_together = min(TRIED_TOGETHER, max(1, BATCH_CELLS // len(free)))
    while branches:
        branch = branches.pop()
        n_left, n_rest = size - int(branch.chosen.sum()), int(branch.rest.sum())
        lowest = float(bar(np.array([size]))[0])
        if branch.bound < lowest or lowest == inf or not 0 <= n_left <= n_rest:
            continue
        if comb(n_rest, n_left) <= n_together:
            yield Batch(_completed(branch, n_left), at_least=lowest)
        else:
            branches += yield from _split(branch, n_left, lowest)


def subsets_within(constraints: Constraints, bar: Bar) -> Proposal:
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
