"""The local searches that two variants add to the frogs of the paper."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Self

import numpy as np

from fuzzyfrog.search.archive import Archive, Ranking
from fuzzyfrog.search.frogs.pond import FrogCounts, Pond
from fuzzyfrog.search.protocol import (
    Batch,
    Constraints,
    Integers,
    Masks,
    Problem,
    Proposal,
    Steps,
    Stream,
    overheard,
    packed,
)
from fuzzyfrog.search.stepwise import eliminate, grow

KEEP = -1  # no feature
ALL = -1  # every neighbor was tried
ACTIVE_MEMBERS = 32  # subsets whose neighbors are tried at the same time

TRIED_TOGETHER = 128  # exchanges; after a batch the climb continues from the best of them
# The presets grow with the features; the cost of the local steps does not.
MAX_LEADERS = 30
MAX_TRIALS = 900  # neighbors of the best subsets, in each round
HARVEST = 10_000  # neighbors of the best subsets, in the end


class LocalPond(Pond):
    """The frogs of the paper with a local search before each round of leaps.

    The leaders, one for each memeplex but at most 30, drop the features that they do not need and
    move, three times, to the best of some random neighbors; the neighbors of the best subsets are
    tried one after another; and a climb continues among subsets that are one feature smaller.  In
    the end a frog is grown greedily.  docs/decisions/0003-frogs-that-leap.md says what these steps
    gained.
    """

    n_looks = 3  # moves of the leaders in each round

    def __init__(
        self,
        counts: FrogCounts,
        dissimilarity: Callable[[Masks, Masks], Integers],
        problem: Problem,
        seed: int,
    ) -> None:
        super().__init__(counts, dissimilarity, problem, seed)
        self.problem = problem
        stream = self._stream("explore")
        self.explorer = Explorer(self.archive, self.ranking, self.constraints, stream)
        self.squeeze = Squeeze(problem, self.archive, self.ranking, self.explorer)
        self._spared: set[bytes] = set()

    def live(self, patience: int) -> Proposal:
        """Live as in the paper, and again with a frog that grew greedily; then explore."""
        yield from super().live(patience)
        if not self.constraints.one_size:
            yield from self._grow()
            yield from self._settle(1)
        yield from self._explore(HARVEST)

    def _grow(self) -> Steps[None]:
        """Replace the worst frog by the subset that QuickReduct finds.

        Not earlier: each of its steps takes as many evaluations as there are features, and before
        the others have converged it would lead all of them to where it is.
        """
        frog, score = yield from overheard(grow(self.problem), self._hear)
        worst = self.ranking.order(self.frogs, self.scores)[-1:]
        self._put(worst, frog[np.newaxis], np.array([score]))

    def _round(self, shuffle: int) -> Steps[None]:
        if not self.constraints.one_size:
            yield from self._eliminate(shuffle)
            yield from self._squeeze()
        yield from self._explore(self._n_trials)
        for look in range(self.n_looks):
            yield from self._look_around(self._stream("look", shuffle, look))
        yield from super()._round(shuffle)

    def _squeeze(self) -> Steps[None]:
        """Look for subsets that are one feature smaller than the best."""
        yield from overheard(self.squeeze.climb(self._n_trials), self._hear)

    @property
    def _n_trials(self) -> int:
        return min(self.counts.n_all_frogs, MAX_TRIALS)

    def _leaders(self) -> Integers:
        n_leaders = min(self.counts.n_memeplexes, MAX_LEADERS)
        return self.ranking.order(self.frogs, self.scores)[:n_leaders]

    def _eliminate(self, shuffle: int) -> Steps[None]:
        """Remove the features that the leaders do not need."""
        leaders = self._leaders()
        keys = packed(self.frogs[leaders])
        rows = leaders[[key not in self._spared for key in keys]]
        required = self.problem.kept(self.scores[rows])
        # The name of a stream decides its numbers, so it keeps its old one.
        words = self._stream("shed", shuffle).words((len(rows), self.frogs.shape[1]))
        orders = np.argsort(words, axis=1, kind="stable").astype(np.int64)
        trials = eliminate(self.frogs[rows], required, self.constraints.fixed, orders)
        frogs, scores = yield from overheard(trials, self._hear)
        smaller = scores > -np.inf
        self._put(rows[smaller], frogs[smaller], scores[smaller])
        self._spared.update(packed(frogs))
        self.explorer.praise(frogs)

    def _look_around(self, stream: Stream) -> Steps[None]:
        """Move each leader to the best of some neighbors that is as good as where it is.

        As good is enough, so that leaders wander over a plateau until they find its edge.
        """
        rows = np.repeat(self._leaders(), self.counts.n_frogs)
        places = random_neighbors(self.frogs[rows], self.constraints, stream)
        scores = yield from self._score_hopeful(rows, places)
        worse = self.ranking.beats(self._merit_of(rows), self._merit(places, scores))
        good = np.flatnonzero(~worse)
        ranked = good[self.ranking.order(places[good], scores[good])]
        _, first = np.unique(rows[ranked], return_index=True)
        chosen = ranked[first]
        self._put(rows[chosen], places[chosen], scores[chosen])
        self._spared.update(packed(places[chosen]))

    def _explore(self, n_trials: int) -> Steps[None]:
        """Try neighbors of the best subsets found."""
        while n_trials > 0:
            batch = self.explorer.neighbors(min(n_trials, TRIED_TOGETHER))
            if batch is None:
                break
            n_trials -= len(batch.subsets)
            yield from self._ask(batch)


class Explorer:
    """Tries the neighbors of the best subsets found: one feature less, more or exchanged.

    If features b and c of a subset can be replaced by a, then b alone can be replaced by a, and
    after that c is not needed: exchanging and dropping single features also finds the result of a
    larger step. The stream orders features that are equally popular.
    """

    def __init__(
        self, archive: Archive, ranking: Ranking, constraints: Constraints, stream: Stream
    ) -> None:
        self._archive = archive
        self._ranking = ranking
        self._constraints = constraints
        self._tried: dict[bytes, int] = {}
        self._n_turned = 0
        self._popularity = stream.floats(ranking.n_features)

    def around(self, archive: Archive, constraints: Constraints) -> Self:
        """Return an explorer of other subsets for which the same features are popular."""
        other = copy(self)
        other._archive, other._constraints, other._tried = archive, constraints, {}
        return other

    def praise(self, subsets: Masks) -> None:
        """Make the features of good subsets the first ones to be added."""
        self._popularity += subsets.sum(axis=0)

    def neighbors(self, limit: int) -> Batch | None:
        """Return at most about ``limit`` neighbors not tried before, or None if none is left."""
        subsets, scores = self._archive.members()
        keys = packed(subsets)
        if not any(key in self._tried for key in keys):
            self._restart()
        while True:
            fresh = [row for row, key in enumerate(keys) if self._tried.get(key) != ALL]
            if not fresh:
                return None
            active = fresh[-ACTIVE_MEMBERS:]
            quota = -(-limit // len(active))
            masks = np.concatenate(
                [self._some_of(subsets[row], keys[row], quota) for row in active]
            )
            batch = self._promising(masks, float(scores[active].min()))
            if len(batch.subsets):
                return batch

    def _restart(self) -> None:
        """Forget what was tried around subsets that are no longer the best.

        Features that were added first around those are added last around the new ones: most of
        them would fail again.
        """
        n_leaving = self._archive.size + 1
        self._n_turned += max(self._tried.values(), default=0) // n_leaving
        self._tried = {}
        free = self._constraints.free
        popular = free[np.argsort(-self._popularity[free], kind="stable")]
        self._incoming = np.roll(popular, -self._n_turned)

    def _some_of(self, subset: Masks, key: bytes, quota: int) -> Masks:
        """Return the next neighbors of one subset: drops first, then one newcomer at a time."""
        free = self._constraints.free
        leaving = np.append(KEEP, free[subset[free]])
        coming = np.append(KEEP, self._incoming[~subset[self._incoming]])
        n_moves = len(leaving) * len(coming)
        start = self._tried.get(key, 1)  # move 0 is to stay
        moves = np.arange(start, min(start + quota, n_moves))
        self._tried[key] = start + quota if start + quota < n_moves else ALL
        return _exchanged(subset, leaving[moves % len(leaving)], coming[moves // len(leaving)])

    def _promising(self, masks: Masks, score: float) -> Batch:
        """Return those that are allowed and may be as good as the best, with the scores needed."""
        sizes, (smallest, largest) = masks.sum(axis=1), self._constraints.sizes
        bars = self._ranking.needed(sizes, np.array(score), np.array(self._archive.size))
        useful = (bars < np.inf) & (smallest <= sizes) & (sizes <= largest)
        return Batch(masks[useful], at_least=bars[useful])


def _exchanged(subset: Masks, leaving: Integers, coming: Integers) -> Masks:
    """Return the subset with one feature out and one in, in each row; KEEP stands for none."""
    masks = np.repeat(subset[np.newaxis], len(leaving), axis=0)
    rows = np.arange(len(leaving))
    masks[rows[leaving != KEEP], leaving[leaving != KEEP]] = False
    masks[rows[coming != KEEP], coming[coming != KEEP]] = True
    return masks


class Squeeze:
    """Climbs, by exchanges of one feature, among the subsets that are one smaller than the best.

    Subsets that are good enough form a plateau on which nothing points to a smaller one. One size
    below, scores differ, and climbing up to the target there finds it. The caller adds the
    scored subsets to `best`; `explorer` decides which features come in first.
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
        """Try about `n_trials` exchanges; the next call continues where this one ends."""
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
        """Start from the newest of the best subsets not used as a start yet, less one feature."""
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
        return Batch(constraints.without_one(subset))


def random_neighbors(subsets: Masks, constraints: Constraints, stream: Stream) -> Masks:
    """Return a random neighbor of each subset; its size may not be allowed."""
    free, rows = constraints.free, np.arange(len(subsets))
    if not len(free):
        return subsets.copy()
    present = subsets[:, free]
    n_present = present.sum(axis=1)
    leaving = free[_nth_true(present, stream.integers(np.maximum(n_present, 1), len(rows)))]
    n_absent = len(free) - n_present
    coming = free[_nth_true(~present, stream.integers(np.maximum(n_absent, 1), len(rows)))]
    kind = stream.integers(1 if constraints.one_size else 3, len(rows))
    drops, adds = (kind != 2) & (n_present > 0), (kind != 1) & (n_absent > 0)
    neighbors = subsets.copy()
    neighbors[rows[drops], leaving[drops]] = False
    neighbors[rows[adds], coming[adds]] = True
    return neighbors


def _nth_true(masks: Masks, n: Integers) -> Integers:
    """Return the column of the n-th true value of each row, counted from 0; 0 where none is."""
    columns = np.zeros(len(masks), dtype=np.int64)
    for row in np.flatnonzero(masks.any(axis=1)):  # a number for every cell would take far longer
        columns[row] = np.flatnonzero(masks[row])[n[row]]
    return columns
