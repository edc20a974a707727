"""The pond of a frog search with local steps between the shuffles."""

from collections.abc import Callable

import numpy as np

from fuzzyfrog.search.archive import packed
from fuzzyfrog.search.neighbors import Explorer, random_neighbors
from fuzzyfrog.search.pond import Pond, Steps, T
from fuzzyfrog.search.presets import FrogCounts
from fuzzyfrog.search.protocol import Integers, Masks, Problem, Proposal
from fuzzyfrog.search.quickreduct import grow
from fuzzyfrog.search.random import Stream
from fuzzyfrog.search.shedding import shed
from fuzzyfrog.search.squeezing import TRIED_TOGETHER, Squeeze

__all__ = ["LocalPond"]

# The presets grow with the features; what the local steps may cost does not.
MAX_LEADERS = 30
N_LOOKS = 3  # moves of the leaders in each round
MAX_TRIALS = 900  # neighbors of the best subsets, in each round
HARVEST = 10_000  # neighbors of the best subsets, in the end


class LocalPond(Pond):
    """The frogs of the paper, whose leaders also look around; parameters as for ``Pond``.

    Before each round of leaps the leaders, one for each memeplex but 30 at most, shed the
    features that they do not need and move, three times, to the best of some random neighbors;
    the neighbors of the best subsets met are tried one after the other; and a climb goes on among
    the subsets that are one feature smaller.  In the end a frog is grown greedily.  What these
    steps gained is in docs/decisions/0003-frogs-that-leap.md.
    """

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
        """Replace the worst frog by what QuickReduct finds.

        Only now: it takes as many evaluations as features, again and again, and before the others
        have converged it would lead all of them to where it is.
        """
        frog, score = yield from self._listen(grow(self.problem))
        worst = self.ranking.order(self.frogs, self.scores)[-1:]
        self._put(worst, frog[np.newaxis], np.array([score]))

    def _round(self, shuffle: int) -> Steps[None]:
        if not self.constraints.one_size:
            yield from self._shed(shuffle)
            yield from self._listen(self.squeeze.climb(self._n_trials))
        yield from self._explore(self._n_trials)
        for look in range(N_LOOKS):
            yield from self._look_around(self._stream("look", shuffle, look))
        yield from super()._round(shuffle)

    @property
    def _n_trials(self) -> int:
        return min(self.counts.n_all_frogs, MAX_TRIALS)

    def _leaders(self) -> Integers:
        n_leaders = min(self.counts.n_memeplexes, MAX_LEADERS)
        return self.ranking.order(self.frogs, self.scores)[:n_leaders]

    def _shed(self, shuffle: int) -> Steps[None]:
        """Let the leaders lose the features that they do not need."""
        leaders = self._leaders()
        keys = packed(self.frogs[leaders])
        rows = leaders[[key not in self._spared for key in keys]]
        required = self.problem.kept(self.scores[rows])
        words = self._stream("shed", shuffle).words((len(rows), self.frogs.shape[1]))
        orders = np.argsort(words, axis=1, kind="stable").astype(np.int64)
        trials = shed(self.frogs[rows], required, self.constraints.fixed, orders)
        frogs, scores = yield from self._listen(trials)
        lighter = scores > -np.inf
        self._put(rows[lighter], frogs[lighter], scores[lighter])
        self._spared.update(packed(frogs))
        self.explorer.praise(frogs)

    def _look_around(self, stream: Stream) -> Steps[None]:
        """Move each leader to the best of some neighbors that is as good as where it is.

        As good is enough: so leaders wander over a plateau until they find its edge.
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
        """Try neighbors of the best subsets met."""
        while n_trials > 0:
            batch = self.explorer.neighbors(min(n_trials, TRIED_TOGETHER))
            if batch is None:
                break
            n_trials -= len(batch.subsets)
            yield from self._ask(batch)

    def _listen(self, steps: Steps[T]) -> Steps[T]:
        """Go through steps that yield batches, and note what they find."""
        try:
            batch = next(steps)
            while True:
                batch = steps.send((yield from self._ask(batch)))
        except StopIteration as stop:
            found: T = stop.value
            return found
