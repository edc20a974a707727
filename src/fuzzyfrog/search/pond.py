"""The published algorithm: its settings, the pond of frogs, and how they leap."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.params import check_known
from fuzzyfrog.search.archive import Archive, ranking_of
from fuzzyfrog.search.protocol import (
    Batch,
    Constraints,
    Problem,
    Proposal,
    Steps,
    Stream,
    diverse_sizes,
    diverse_subsets,
)

SMALL_CELLS = 15_000
PRESETS = ("auto", "small", "general", "eusuff")


@dataclass(frozen=True)
class FrogCounts:
    """Counts of a frog search; the letters are the paper's.

    Attributes
    ----------
    n_memeplexes : int
        Memeplexes, m.
    n_frogs : int
        Frogs in each memeplex, n.
    n_evolutions : int
        Evolutions of a memeplex between two shuffles, N.
    n_submemeplex : int
        Frogs in a submemeplex, q.
    max_step : int
        Features that one leap may change, S_max.
    """

    n_memeplexes: int
    n_frogs: int
    n_evolutions: int
    n_submemeplex: int
    max_step: int

    @property
    def n_all_frogs(self) -> int:
        """Frogs in the pond."""
        return self.n_memeplexes * self.n_frogs


def preset_counts(preset: str, problem: Problem) -> FrogCounts:
    """Return the counts of a preset; ``"auto"`` chooses by the cells of the data."""
    check_known("preset", preset, PRESETS)
    n_features = problem.n_features
    if preset == "auto":
        preset = "small" if problem.n_cells <= SMALL_CELLS else "general"
    if preset == "small":
        n_frogs = _percent(70, n_features)
        n_submemeplex = min(_percent(45, n_features), n_frogs)
        step, n_evolutions = _percent(50, n_features), _percent(50, n_features)
        return FrogCounts(_percent(220, n_features), n_frogs, n_evolutions, n_submemeplex, step)
    if preset == "general":
        return FrogCounts(30, 30, 5, 15, _percent(45, n_features))
    return FrogCounts(100, 30, 20, 20, n_features)


def _percent(share: int, n_features: int) -> int:
    """Return a share rounded down, at least 1; in integers, where 0.7 · 10 is 7."""
    return max(1, share * n_features // 100)


@dataclass(eq=False)
class Pond:
    """One run of the published algorithm; steps are numbered as in the paper."""

    counts: FrogCounts
    dissimilarity: Callable[[Masks, Masks], Integers]
    problem: Problem
    seed: int

    def __post_init__(self) -> None:
        problem = self.problem
        self.ranking = ranking_of(problem)
        self.constraints = Constraints(problem)
        self.archive = Archive(self.ranking)
        self.improved = False
        self.n_shuffles = 0
        self.frogs = np.empty((0, problem.n_features), dtype=np.bool_)
        self.scores = np.empty(0)

    def live(self, patience: int) -> Proposal:
        """Go through steps 1 to 7, until some shuffles in a row find no better frog."""
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
        """Leap towards the goals (step 5.5 or 5.6); return which frogs found a better place."""
        frogs = self.frogs[rows]
        lengths = stream.floats(len(rows)) * self.dissimilarity(frogs, goals)
        steps = np.minimum(lengths.astype(np.int64), self.counts.max_step)
        values, numbers = stream.floats((2, *frogs.shape))
        places = leap(frogs, goals, steps, values, numbers)
        if self.constraints.one_size:
            places = self.constraints.repair(places, stream)
        return (yield from self._try(rows, places))

    def _try(self, rows: Integers, places: Masks) -> Steps[Masks]:
        """Move the frogs for which the place is better than where they are; return which."""
        scores = yield from self._score_hopeful(rows, places)
        better = self.ranking.beats(self._merit(places, scores), self._merit_of(rows))
        self._put(rows[better], places[better], scores[better])
        return better

    def _score_hopeful(self, rows: Integers, places: Masks) -> Steps[Floats]:
        """Score the allowed places that may be as good as where the frogs are."""
        cost = self.ranking.cost
        bars = self.ranking.needed(cost(places), self.scores[rows], cost(self.frogs[rows]))
        moved = (places != self.frogs[rows]).any(axis=1)
        allowed = self.constraints.has_allowed_size(places)
        hopeful = np.flatnonzero(moved & allowed & (bars < np.inf))
        scores = np.full(len(rows), -np.inf)
        if len(hopeful):
            batch = Batch(places[hopeful], at_least=bars[hopeful])
            scores[hopeful] = yield from self._ask(batch)
        return scores

    def _merit(self, frogs: Masks, scores: Floats) -> Floats:
        return self.ranking.merit(scores, self.ranking.cost(frogs))

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
        self._hear(batch.subsets, scores)
        return scores

    def _hear(self, subsets: Masks, scores: Floats) -> None:
        if self.archive.add(subsets, scores):
            self.improved = True

    def _stream(self, *purpose: str | int) -> Stream:
        return Stream(self.seed, "frogs", *purpose)


def deal(order: Integers, n_memeplexes: int) -> Integers:
    """Deal ranked frogs like cards: memeplex k gets the ranks k, k + m, k + 2m, ...

    Returns the frogs of each memeplex, still from the best to the worst.
    """
    return np.ascontiguousarray(order.reshape(-1, n_memeplexes).T)


def submemeplexes(n_memeplexes: int, n_frogs: int, n_chosen: int, stream: Stream) -> Integers:
    """Draw ranks within each memeplex, good ones more often (triangular), sorted."""
    weights = np.arange(n_frogs, 0, -1, dtype=np.int64)
    return np.sort(stream.weighted_choices(weights, n_memeplexes, n_chosen), axis=1)


def hamming(frogs: Masks, goals: Masks) -> Integers:
    """Count the features in which two frogs differ."""
    return np.asarray((frogs != goals).sum(axis=1), dtype=np.int64)


def positive_region(frogs: Masks, goals: Masks) -> Integers:
    """Count the positions where the goal's bit does not determine the frog's bit.

    It is L - POS(goal, frog) with the positions as samples, the goal's bits as the only feature
    and the frog's bits as the class.  Two different bits are at least one spread apart, so a
    position is in the positive region exactly when all positions with its bit in the goal have
    the same bit in the frog.
    """
    unsure = np.zeros(len(frogs), dtype=np.int64)
    for group in (goals, ~goals):
        n_group = group.sum(axis=1)
        n_ones = (frogs & group).sum(axis=1)
        mixed = (n_ones > 0) & (n_ones < n_group)
        unsure += np.where(mixed, n_group, 0)
    return unsure


DISSIMILARITIES: dict[str, Callable[[Masks, Masks], Integers]] = {
    "positive_region": positive_region,
    "hamming": hamming,
}


def leap(frogs: Masks, goals: Masks, steps: Integers, values: Floats, numbers: Floats) -> Masks:
    """Return the frogs after each has taken some of the bits in which its goal differs.

    Parameters
    ----------
    frogs, goals : bool[n_leaps, n_features]
        Where each leap starts and where it aims.
    steps : int64[n_leaps]
        Largest number of bits that may change.
    values, numbers : float64[n_leaps, n_features]
        A differing bit is taken from the goal if its number is below its value; if these are too
        many, those with the lowest numbers are taken.

    Returns
    -------
    bool[n_leaps, n_features]
        Where the frogs land.
    """
    taken = (frogs != goals) & (numbers < values)
    for row in np.flatnonzero(taken.sum(axis=1) > steps):
        takers = np.flatnonzero(taken[row])
        lowest_first = takers[np.argsort(numbers[row, takers], kind="stable")]
        taken[row, lowest_first[steps[row] :]] = False
    return np.where(taken, goals, frogs)
