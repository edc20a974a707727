"""The genetic algorithm of the paper's comparison."""

from dataclasses import dataclass

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.params import Parametrized, check_count, check_share
from fuzzyfrog.search.archive import ranking_of
from fuzzyfrog.search.frogs.pond import preset_counts
from fuzzyfrog.search.protocol import Batch, Constraints, Problem, Proposal, Stream, diverse_subsets


@dataclass(eq=False, repr=False, kw_only=True)
class Genetic(Parametrized):
    """Goldberg's simple genetic algorithm, as in Weka's ``GeneticSearch``.

    Parents are drawn by linearly scaled fitness, crossed at one point and mutated bit by bit; the
    best subset so far survives.

    Parameters
    ----------
    n_population : int or None
        Subsets in each generation; None for the number of frogs (900 on larger data).
    n_generations : int or None
        Generations after the first; None for the evolutions of the frogs (5 on larger data).
    p_crossover : float
        Probability that two parents are crossed.
    p_mutation : float
        Probability that a bit flips.

    Examples
    --------
    >>> from fuzzyfrog.search import Genetic
    >>> Genetic(n_generations=20).p_crossover
    0.6
    """

    n_population: int | None = None
    n_generations: int | None = None
    p_crossover: float = 0.6
    p_mutation: float = 0.033

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""
        for name in ("n_population", "n_generations"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        for name in ("p_crossover", "p_mutation"):
            check_share(name, getattr(self, name))
        counts = preset_counts("auto", problem)
        n_population = self.n_population or counts.n_all_frogs
        n_generations = self.n_generations or counts.n_evolutions
        return self._evolve(problem, seed, n_population, n_generations)

    def _evolve(
        self, problem: Problem, seed: int, n_population: int, n_generations: int
    ) -> Proposal:
        ranking, constraints = ranking_of(problem), Constraints(problem)
        parents = diverse_subsets(n_population, constraints, Stream(seed, "genetic", "spawn"))
        scores = yield Batch(parents)
        for generation in range(n_generations):
            stream = Stream(seed, "genetic", generation)
            fitness = ranking.merit(scores, ranking.cost(parents))[:, 0]
            elite = ranking.order(parents, scores)[0]
            children = self._vary(parents[_drawn(fitness, stream)], stream)
            children = constraints.repair(children, stream)
            children[-1] = parents[elite]
            scores = yield Batch(children)
            parents = children

    def _vary(self, parents: Masks, stream: Stream) -> Masks:
        """Cross neighbors at one point, then flip bits."""
        n_pairs, n_features = len(parents) // 2, parents.shape[1]
        crossed = stream.floats(n_pairs) < self.p_crossover
        points = np.where(crossed, 1 + stream.integers(max(1, n_features - 1), n_pairs), n_features)
        tail = np.arange(n_features) >= points[:, np.newaxis]
        left, right = parents[0 : 2 * n_pairs : 2], parents[1 : 2 * n_pairs : 2]
        children = parents.copy()
        children[0 : 2 * n_pairs : 2] = np.where(tail, right, left)
        children[1 : 2 * n_pairs : 2] = np.where(tail, left, right)
        flipped = stream.floats(children.shape) < self.p_mutation
        return np.asarray(children ^ flipped)


def _drawn(fitness: Floats, stream: Stream) -> Integers:
    """Draw as many parents as there are subsets, by linearly scaled fitness.

    The best is drawn twice as often as the average; the probability of those that the scaling
    would make negative is 0.
    """
    mean = np.cumsum(fitness)[-1] / len(fitness)  # added one by one: the same on any machine
    reach = fitness.max() - mean
    chances = np.ones_like(fitness) if reach <= 0 else np.maximum(0.0, fitness - mean + reach)
    upto = np.cumsum(chances)
    tickets = stream.floats(len(fitness)) * upto[-1]
    chosen = np.searchsorted(upto, tickets, side="right")
    return np.asarray(np.minimum(chosen, len(fitness) - 1), dtype=np.int64)
