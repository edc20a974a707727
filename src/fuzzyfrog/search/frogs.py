"""Shuffled frogs: the search of the paper, and the local searches that two variants add to it."""

from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np

from fuzzyfrog.common.arrays import Integers, Masks
from fuzzyfrog.common.params import Parametrized, check_count, check_known
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.search.archive import Archive, Ranking
from fuzzyfrog.search.covering.row_weighting import RowWeighting
from fuzzyfrog.search.pond import DISSIMILARITIES, FrogCounts, Pond, preset_counts
from fuzzyfrog.search.protocol import (
    NONE,
    Batch,
    Constraints,
    Oracle,
    Problem,
    Proposal,
    Steps,
    Stream,
    exchanged,
    overheard,
    packed,
)
from fuzzyfrog.search.stepwise import eliminate, grow

ALL = -1  # every neighbor was tried
ACTIVE_MEMBERS = 32  # subsets whose neighbors are tried at the same time

TRIED_TOGETHER = 128  # exchanges; after a batch the climb continues from the best of them
# The presets grow with the features; the cost of the local steps does not.
MAX_LEADERS = 30
MAX_TRIALS = 900  # neighbors of the best subsets, in each round
HARVEST = 10_000  # neighbors of the best subsets, in the end

# The walk among covers; decision 3 in docs/decisions.md has the measurements.
# Where a smaller subset exists, the walk meets covers of the known rows again and again, right or
# wrong, until one is right; where there is none, the known rows soon have no cover at all.
IDLE_STEPS = 1_000  # without any cover, after which there seems to be no smaller subset
MOST_WORK = 2**33  # steps times rows times features, among subsets of one size
# Of tables with many samples, thousands of rows are not enough to tell a right cover from a wrong
# one. There it is better to leave the rest to the frogs.
MOST_GREEDY = 200  # wrong covers of the greedy kind
MOST_WRONG = 500  # wrong covers on the walk, among subsets of one size
WANDERED = 100  # steps among subsets of the best size, before their neighbors are tried
STEPS_AT_ONCE = 200  # between two chances to stop the search
# Of each subset in the list, the last check tries to remove every feature: trials for all of them.
MOST_CHECKS = 8_000


class LocalPond(Pond):
    """The frogs of the paper with a local search before each round of leaps.

    The leaders, one for each memeplex but at most 30, drop the features that they do not need and
    move, three times, to the best of some random neighbors; the neighbors of the best subsets are
    tried one after another; and a climb continues among subsets that are one feature smaller.  In
    the end a frog is grown greedily.  Decision 3 in docs/decisions.md says what these
    steps gained.
    """

    n_looks = 3  # moves of the leaders in each round

    def __post_init__(self) -> None:
        super().__post_init__()
        stream = self._stream("explore")
        self.explorer = Explorer(self.archive, self.ranking, self.constraints, stream)
        self.squeeze = Squeeze(self.problem, self.archive, self.ranking, self.explorer)
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
        """Look for subsets that are one feature smaller than the best; costs are another matter."""
        if self.problem.costs is not None:
            return
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
        self.explorer.reward(frogs)

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


class CoverPond(LocalPond):
    """The frogs with a search for covers of known requirements in place of the climb.

    It comes before the first round, so that the frogs start with a small subset, and neighbors
    of the best subsets are scored only if they satisfy all requirements met so far.
    """

    n_looks = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        oracle = self.problem.oracle
        if oracle is None:
            raise ValueError("problem must have an oracle, got None.")
        self.covers = CoverWalk(self.problem, oracle, self.archive, self._stream("cover"))

    def live(self, patience: int) -> Proposal:
        """Find a small subset, then live as in the paper; then complete the front and the list."""
        yield from self._spawn()
        yield from overheard(self.covers.descend(), self._hear)
        self._adopt()
        yield from self._settle(patience)
        # The best subsets of smaller sizes are part of the result, and covers say nothing of them.
        yield from self._grow()
        yield from super()._squeeze()
        yield from self._explore(HARVEST)

    def _adopt(self) -> None:
        """Replace the worst frog by the best subset found."""
        subsets, scores = self.archive.members()
        worst = self.ranking.order(self.frogs, self.scores)[-1:]
        self._put(worst, subsets[-1:], scores[-1:])

    def _squeeze(self) -> Proposal:
        yield from overheard(self.covers.walk(), self._hear)

    def _explore(self, n_trials: int) -> Proposal:
        yield from overheard(self.covers.wander(WANDERED), self._hear)
        yield from overheard(self.covers.explore(n_trials), self._hear)


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

    def reward(self, subsets: Masks) -> None:
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
        leaving = np.append(NONE, free[subset[free]])
        coming = np.append(NONE, self._incoming[~subset[self._incoming]])
        n_moves = len(leaving) * len(coming)
        start = self._tried.get(key, 1)  # move 0 is to stay
        moves = np.arange(start, min(start + quota, n_moves))
        self._tried[key] = start + quota if start + quota < n_moves else ALL
        return exchanged(subset, leaving[moves % len(leaving)], coming[moves // len(leaving)])

    def _promising(self, masks: Masks, score: float) -> Batch:
        """Return those that are allowed and may be as good as the best, with the scores needed."""
        costs = self._ranking.cost(masks)
        bars = self._ranking.needed(costs, np.array(score), np.array(self._archive.cost))
        useful = (bars < np.inf) & self._constraints.has_allowed_size(masks)
        return Batch(masks[useful], at_least=bars[useful])


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


class CoverWalk:
    """Looks for smaller subsets, and for more of the same size, among covers of known rows.

    A row is a requirement that some subset broke. Subsets that break a known one are not worth an
    evaluation; one that breaks none is scored, and if it falls short, the oracle tells why. The
    caller adds the scored subsets to `best`.
    """

    def __init__(self, problem: Problem, oracle: Oracle, best: Archive, stream: Stream) -> None:
        self._target = problem.target
        self._oracle = oracle
        self._best = best
        self._fixed = Constraints(problem).fixed
        self._rows = RowWeighting(problem, stream)
        self._size = 0  # of the subsets on the walk; 0 before its first step
        self._idle_from = 0  # step of the last cover
        self._work = self._n_wrong = 0  # among subsets of this size
        self._listed = 0  # size of the subsets whose neighbors are tried
        self._open: list[Masks] = []  # those of them whose neighbors were not tried yet
        self._met: set[bytes] = set()  # these subsets, and the neighbors that were scored

    def descend(self) -> Proposal:
        """Cover the requirements greedily, then walk to smaller subsets."""
        cover = self._fixed
        for _ in range(MOST_GREEDY):
            if not self._learn(cover):
                break
            cover = self._rows.greedy()
            scores = yield Batch(cover[np.newaxis], at_least=self._target)
            if scores[0] >= self._target:
                break
        yield from self.walk()

    def walk(self) -> Proposal:
        """Walk among subsets that are one smaller than the best, as long as that seems to help."""
        while self._best.size - 1 > self._fixed.sum():
            if self._size != self._best.size - 1:
                self._start()
            n_left = self._idle_from + IDLE_STEPS - self._rows.n_steps
            if n_left <= 0 or self._work > MOST_WORK or self._n_wrong > MOST_WRONG:
                return
            begun = self._rows.n_steps
            cover = self._rows.walk(self._size, min(STEPS_AT_ONCE, n_left))
            self._work += (self._rows.n_steps - begun) * self._rows.n_cells
            if cover is None:
                yield Batch(self._fixed[np.newaxis][:0])
                continue
            self._idle_from = self._rows.n_steps
            scores = yield Batch(cover[np.newaxis], at_least=self._target)
            if scores[0] < self._target:
                self._n_wrong += 1
                self._learn(cover)

    def _start(self) -> None:
        """Start from the newest of the best subsets."""
        self._rows.start(self._best.members()[0][-1])
        self._size = self._best.size - 1
        self._idle_from, self._work, self._n_wrong = self._rows.n_steps, 0, 0

    def wander(self, n_steps: int) -> Proposal:
        """Take some steps among subsets of the best size, and score the covers on the way.

        So the list gets subsets that no exchange of one feature leads to.
        """
        if self._best.size <= self._fixed.sum():
            return
        self._note_best()
        self._rows.start(self._best.members()[0][-1])
        end = self._rows.n_steps + n_steps
        while self._rows.n_steps < end and not self._is_list_full:
            cover = self._rows.walk(self._listed, end - self._rows.n_steps)
            if cover is not None and len(new := self._new_of(cover[np.newaxis])):
                self._met.update(packed(new))
                scores = yield Batch(new, at_least=self._target)
                if scores[0] >= self._target:
                    self._open.append(cover)
                else:
                    self._learn(cover)

    def explore(self, n_trials: int) -> Proposal:
        """Try neighbors of the best subsets that are covers; at most about `n_trials`."""
        self._note_best()
        while n_trials > 0 and self._open and not self._is_list_full:
            subset = self._open.pop()
            covers = self._rows.exchanges(subset).that(self._are_new)
            is_done = True
            while len(covers) and n_trials > 0 and not self._is_list_full:
                some, covers = covers[:TRIED_TOGETHER].masks(), covers[TRIED_TOGETHER:]
                n_trials -= len(some)
                self._met.update(packed(some))
                scores = yield Batch(some, at_least=self._target)
                self._open.extend(some[scores >= self._target])
                wrong = some[scores < self._target]
                if len(wrong):
                    self._learn(wrong[0])
                    covers = covers.that(self._rows.cover_newest)
                    # If a feature is needed after all, others may take its place.
                    is_done &= bool((wrong.sum(axis=1) == self._listed).all())
            if self._best.size < self._listed:
                self._note_best()
            elif len(covers) or not is_done:
                self._open.append(subset)

    @property
    def _is_list_full(self) -> bool:
        return len(self._best) * self._best.size > MOST_CHECKS

    def _note_best(self) -> None:
        """Add the best subsets that others found to those whose neighbors will be tried."""
        if self._best.size != self._listed:
            self._listed, self._open, self._met = self._best.size, [], set()
        new = self._new_of(self._best.members()[0])
        self._met.update(packed(new))
        self._open.extend(new)

    def _new_of(self, subsets: Masks) -> Masks:
        """Return the subsets that were not met before."""
        new: Masks = subsets[self._are_new(subsets)]
        return new

    def _are_new(self, subsets: Masks) -> Masks:
        return np.array([key not in self._met for key in packed(subsets)], np.bool_)

    def _learn(self, subset: Masks) -> bool:
        """Ask why a subset falls short; return whether it does."""
        rows = self._oracle(subset)
        if len(rows):
            self._rows.learn(rows, subset)
        return bool(len(rows))


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


__all__ = ["ShuffledFrogs"]

VARIANTS = {"learning": CoverPond, "local": LocalPond, "paper": Pond}


@dataclass(eq=False, repr=False, kw_only=True)
class ShuffledFrogs(Parametrized):
    """Frogs in memeplexes that leap towards better ones, and are shuffled again and again.

    Parameters
    ----------
    variant : {"learning", "local", "paper"}
        ``"paper"`` is the published algorithm. ``"local"`` adds steps before each round of
        leaps: the leaders drop features that they do not need and try neighbors, the best subsets
        try neighbors and climb among subsets that are one feature smaller, and when the frogs have
        converged, one is grown greedily and the others get a last round. ``"learning"`` asks the
        strict measure which requirements a subset breaks, and looks for small covers of those met
        so far instead of climbing. It is for the fewest features with the full dependency, where
        it finds smaller subsets of wide tables and lists more of them; with any other goal or
        measure, it is ``"local"``.
    preset : {"auto", "small", "general", "eusuff"}
        Counts for those parameters below that are None; ``"auto"`` is ``"small"`` up to 15,000
        cells of data, else ``"general"``.
    n_memeplexes, n_frogs, n_evolutions, n_submemeplex, max_step : int or None
        Memeplexes, frogs in each, evolutions between two shuffles, frogs in a submemeplex, and
        features that a leap may change.
    dissimilarity : {"positive_region", "hamming"}
        The measure that the length of a leap is drawn from.
    patience : int
        Number of shuffles without a better frog after which the search has converged.

    Examples
    --------
    >>> from fuzzyfrog.search import ShuffledFrogs
    >>> ShuffledFrogs(preset="general", patience=3).get_params()["n_memeplexes"] is None
    True
    """

    variant: str = "learning"
    preset: str = "auto"
    n_memeplexes: int | None = None
    n_frogs: int | None = None
    n_evolutions: int | None = None
    n_submemeplex: int | None = None
    max_step: int | None = None
    dissimilarity: str = "positive_region"
    patience: int = 5

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""
        check_known("variant", self.variant, VARIANTS)
        check_known("dissimilarity", self.dissimilarity, DISSIMILARITIES)
        check_count("patience", self.patience)
        kind = VARIANTS[self.variant]
        # The walk keeps to one size, and rows about several samples lead it astray.
        is_walked = problem.is_covering and problem.costs is None and problem.oracle_share == 1
        if kind is CoverPond and not is_walked:
            kind = LocalPond
        pond = kind(self._counts(problem), DISSIMILARITIES[self.dissimilarity], problem, seed)
        return pond.live(self.patience)

    def _counts(self, problem: Problem) -> FrogCounts:
        """Return the counts of the preset, replaced by those that were given."""
        counts = preset_counts(self.preset, problem)
        given = {
            field.name: getattr(self, field.name)
            for field in fields(FrogCounts)
            if getattr(self, field.name) is not None
        }
        for name, value in given.items():
            check_count(name, value)
        counts = replace(counts, **given)
        if self.n_submemeplex is None:
            return replace(counts, n_submemeplex=min(counts.n_submemeplex, counts.n_frogs))
        if counts.n_submemeplex > counts.n_frogs:
            raise ParameterError(
                "n_submemeplex",
                f"be at most n_frogs ({counts.n_frogs})",
                str(counts.n_submemeplex),
            )
        return counts
