"""The pond of a frog search: where frogs are dealt, leap, and are shuffled."""

from collections.abc import Callable, Generator
from typing import TypeAlias, TypeVar

import numpy as np

from fuzzyfrog.search.archive import Archive
from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.leaping import deal, leap, submemeplexes
from fuzzyfrog.search.population import diverse_sizes, diverse_subsets
from fuzzyfrog.search.presets import FrogCounts
from fuzzyfrog.search.protocol import Batch, Floats, Integers, Masks, Problem, Proposal
from fuzzyfrog.search.random import Stream
from fuzzyfrog.search.ranking import ranking_of

__all__ = ["Pond", "Steps"]

T = TypeVar("T")
Steps: TypeAlias = Generator[Batch, Floats, T]


class Pond:
    """One run of the published algorithm; steps are numbered as in the paper.

    Parameters
    ----------
    counts : FrogCounts
        How many frogs, memeplexes, evolutions.
    dissimilarity : callable
        Gives for frogs and goals what the length of a leap is drawn from.
    problem : Problem
        What is asked.
    seed : int
        Where all random numbers come from.
    """

    def __init__(
        self,
        counts: FrogCounts,
        dissimilarity: Callable[[Masks, Masks], Integers],
        problem: Problem,
        seed: int,
    ) -> None:
        self.counts = counts
        self.dissimilarity = dissimilarity
        self.seed = seed
        self.ranking = ranking_of(problem)
        self.constraints = Constraints(problem)
        self.archive = Archive(self.ranking)
        self.improved = False
        self.n_shuffles = 0
        self.frogs = np.empty((0, problem.n_features), dtype=np.bool_)
        self.scores = np.empty(0)

    def live(self, patience: int) -> Proposal:
        """Go through steps 1 to 7, until for some shuffles no better frog is met."""
        yield from self._spawn()
        yield from self._settle(patience)

    def _settle(self, patience: int) -> Steps[None]:
        """Go through rounds and shuffles until the pond has converged (steps 3 to 7)."""
        n_idle = 0
        while n_idle < patience:
            self.improved = False
            yield from self._round(self.n_shuffles)
            n_idle = 0 if self.improved else n_idle + 1
            self.n_shuffles += 1

    def _spawn(self) -> Steps[None]:
        """Put the first frogs, of diverse sizes, into the pond (steps 1 and 2)."""
        n_frogs = self.counts.n_all_frogs
        self.frogs = diverse_subsets(n_frogs, self.constraints, self._stream("spawn"))
        scores = yield from self._ask(Batch(self.frogs.copy()))
        self.scores = scores.copy()

    def _round(self, shuffle: int) -> Steps[None]:
        """Rank and deal the frogs, and let every memeplex evolve (steps 3 to 6)."""
        order = self.ranking.order(self.frogs, self.scores)
        best = self.frogs[order[0]].copy()
        memeplexes = deal(order, self.counts.n_memeplexes)
        for evolution in range(self.counts.n_evolutions):
            yield from self._evolve(memeplexes, best, self._stream("evolve", shuffle, evolution))
            memeplexes = self._sorted(memeplexes)

    def _evolve(self, memeplexes: Integers, best: Masks, stream: Stream) -> Steps[None]:
        """Let the worst frog of a submemeplex of each memeplex leap (steps 5.4 to 5.7)."""
        rows = np.arange(len(memeplexes))
        ranks = submemeplexes(len(rows), self.counts.n_frogs, self.counts.n_submemeplex, stream)
        leaders = memeplexes[rows, ranks[:, 0]]
        worst = memeplexes[rows, ranks[:, -1]]
        landed = yield from self._leap(worst, self.frogs[leaders], stream)
        worst = worst[~landed]
        landed = yield from self._leap(worst, np.tile(best, (len(worst), 1)), stream)
        worst = worst[~landed]
        stuck = (self.frogs[worst] != best).any(axis=1)  # the best frog is never censored
        yield from self._censor(worst[stuck], stream)

    def _leap(self, rows: Integers, goals: Masks, stream: Stream) -> Steps[Masks]:
        """Leap towards the goals (step 5.5 or 5.6); tell who found a better place."""
        frogs = self.frogs[rows]
        lengths = stream.floats(len(rows)) * self.dissimilarity(frogs, goals)
        steps = np.minimum(lengths.astype(np.int64), self.counts.max_step)
        values, numbers = stream.floats((2, *frogs.shape))
        places = leap(frogs, goals, steps, values, numbers)
        if self.constraints.one_size:
            places = self.constraints.repair(places, stream)
        return (yield from self._try(rows, places))

    def _try(self, rows: Integers, places: Masks) -> Steps[Masks]:
        """Move the frogs for which the place is better than where they are; tell which."""
        scores = yield from self._score_hopeful(rows, places)
        better = self.ranking.beats(self._merit(places, scores), self._merit_of(rows))
        self._put(rows[better], places[better], scores[better])
        return better

    def _score_hopeful(self, rows: Integers, places: Masks) -> Steps[Floats]:
        """Score the allowed places that may be as good as where the frogs are."""
        sizes, (smallest, largest) = places.sum(axis=1), self.constraints.sizes
        bars = self.ranking.needed(sizes, self.scores[rows], self.frogs[rows].sum(axis=1))
        moved = (places != self.frogs[rows]).any(axis=1)
        allowed = (smallest <= sizes) & (sizes <= largest)
        hopeful = np.flatnonzero(moved & allowed & (bars < np.inf))
        scores = np.full(len(rows), -np.inf)
        if len(hopeful):
            batch = Batch(places[hopeful], at_least=bars[hopeful])
            scores[hopeful] = yield from self._ask(batch)
        return scores

    def _merit(self, frogs: Masks, scores: Floats) -> Floats:
        return self.ranking.merit(scores, frogs.sum(axis=1))

    def _merit_of(self, rows: Integers) -> Floats:
        return self._merit(self.frogs[rows], self.scores[rows])

    def _censor(self, rows: Integers, stream: Stream) -> Steps[None]:
        """Replace frogs that found no better place by random ones (step 5.7)."""
        if len(rows):
            sizes = diverse_sizes(self.counts.n_all_frogs, *self.constraints.sizes)
            drawn = sizes[stream.integers(len(sizes), len(rows))]
            frogs = self.constraints.random_subsets(drawn, stream)
            scores = yield from self._ask(Batch(frogs))
            self._put(rows, frogs, scores)

    def _sorted(self, memeplexes: Integers) -> Integers:
        """Sort each memeplex again (step 5.8)."""
        order = self.ranking.order(self.frogs, self.scores)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        by_rank = np.argsort(rank[memeplexes], axis=1, kind="stable")
        return np.take_along_axis(memeplexes, by_rank, axis=1)

    def _put(self, rows: Integers, frogs: Masks, scores: Floats) -> None:
        self.frogs[rows] = frogs
        self.scores[rows] = scores

    def _ask(self, batch: Batch) -> Steps[Floats]:
        scores = yield batch
        if self.archive.add(batch.subsets, scores):
            self.improved = True
        return scores

    def _stream(self, *purpose: str | int) -> Stream:
        return Stream(self.seed, "frogs", *purpose)
