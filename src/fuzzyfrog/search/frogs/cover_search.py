"""The local search of frogs that know why a subset falls short: rows of requirements."""

from collections.abc import Callable

import numpy as np

from fuzzyfrog.search.archive import Archive
from fuzzyfrog.search.covering import Oracle, RowWeighting
from fuzzyfrog.search.frogs.local_search import HARVEST, TRIED_TOGETHER, LocalPond
from fuzzyfrog.search.frogs.pond import FrogCounts
from fuzzyfrog.search.protocol import (
    Batch,
    Constraints,
    Integers,
    Masks,
    Problem,
    Proposal,
    Stream,
    overheard,
    packed,
)

# docs/decisions/0003-frogs-that-leap.md has the measurements.
# Where a smaller subset exists, the walk meets covers of the known rows again and again, right or
# wrong, until one is right; where there is none, the known rows soon have no cover at all.
IDLE_STEPS = 1_000  # without any cover, after which there seems to be no smaller subset
MOST_WORK = 2**33  # steps times rows times features, among subsets of one size
WANDERED = 100  # steps among subsets of the best size, before their neighbors are tried
STEPS_AT_ONCE = 200  # between two chances to stop the search
# Of each subset in the list, the last check tries to remove every feature: trials for all of them.
MOST_CHECKS = 8_000


class CoverPond(LocalPond):
    """The frogs with a search for covers of known requirements in place of the climb.

    It comes before the first round, so that the frogs start with a small subset, and neighbors
    of the best subsets are scored only if they satisfy all requirements met so far.
    """

    n_looks = 1

    def __init__(
        self,
        counts: FrogCounts,
        dissimilarity: Callable[[Masks, Masks], Integers],
        problem: Problem,
        seed: int,
    ) -> None:
        super().__init__(counts, dissimilarity, problem, seed)
        if problem.oracle is None:
            raise ValueError("problem must have an oracle, got None.")
        self.covers = CoverWalk(problem, problem.oracle, self.archive, self._stream("cover"))

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
        self._work = 0  # among subsets of this size
        self._listed = 0  # size of the subsets whose neighbors are tried
        self._open: list[Masks] = []  # those of them whose neighbors were not tried yet
        self._met: set[bytes] = set()  # these subsets, and the neighbors that were scored

    def descend(self) -> Proposal:
        """Cover the requirements greedily, then walk to smaller subsets."""
        cover = self._fixed
        while self._learn(cover):
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
            if n_left <= 0 or self._work > MOST_WORK:
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
                self._learn(cover)

    def _start(self) -> None:
        """Start from the newest of the best subsets."""
        self._rows.start(self._best.members()[0][-1])
        self._size = self._best.size - 1
        self._idle_from, self._work = self._rows.n_steps, 0

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
            covers = self._new_of(self._rows.exchanges(subset))
            is_done = True
            while len(covers) and n_trials > 0 and not self._is_list_full:
                some, covers = covers[:TRIED_TOGETHER], covers[TRIED_TOGETHER:]
                n_trials -= len(some)
                self._met.update(packed(some))
                scores = yield Batch(some, at_least=self._target)
                self._open.extend(some[scores >= self._target])
                wrong = some[scores < self._target]
                if len(wrong):
                    self._learn(wrong[0])
                    covers = covers[self._rows.are_covers(covers)]
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
        new: Masks = subsets[[key not in self._met for key in packed(subsets)]]
        return new

    def _learn(self, subset: Masks) -> bool:
        """Ask why a subset falls short; return whether it does."""
        rows = self._oracle(subset)
        if len(rows):
            self._rows.learn(rows, subset)
        return bool(len(rows))
