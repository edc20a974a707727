"""The genetic algorithm and the particle swarm of the paper's comparison."""

from dataclasses import dataclass

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.params import Parametrized, check_count, check_positive, check_share
from fuzzyfrog.search.archive import Ranking, ranking_of
from fuzzyfrog.search.pond import preset_counts
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


@dataclass(eq=False, repr=False, kw_only=True)
class ParticleSwarm(Parametrized):
    """Binary particle swarm: a bit is set with the sigmoid of its velocity as probability.

    Parameters
    ----------
    n_particles : int or None
        Subsets in the swarm; None for the number of frogs (900 on larger data).
    n_iterations : int or None
        Moves of the swarm; None for the evolutions of the frogs (5 on larger data).
    c_own, c_swarm : float
        Pull of a particle's own best and of the best of all, C1 and C2.
    max_velocity : float
        Velocities stay within plus and minus this. The paper gives no limit; with 6, every bit
        flips with a probability of at least 1 in 400, as Kennedy and Eberhart advise.

    Examples
    --------
    >>> from fuzzyfrog.search import ParticleSwarm
    >>> ParticleSwarm(n_iterations=20).c_own
    2.0
    """

    n_particles: int | None = None
    n_iterations: int | None = None
    c_own: float = 2.0
    c_swarm: float = 2.0
    max_velocity: float = 6.0

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""
        counts = preset_counts("auto", problem)
        for name in ("n_particles", "n_iterations"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        for name in ("c_own", "c_swarm", "max_velocity"):
            check_positive(name, getattr(self, name))
        n_particles = self.n_particles or counts.n_all_frogs
        return self._fly(problem, seed, n_particles, self.n_iterations or counts.n_evolutions)

    def _fly(self, problem: Problem, seed: int, n_particles: int, n_iterations: int) -> Proposal:
        ranking, constraints = ranking_of(problem), Constraints(problem)
        stream = Stream(seed, "swarm", "spawn")
        places = diverse_subsets(n_particles, constraints, stream)
        # A velocity that agrees with the place; otherwise a first move would make every size n / 2.
        speed = stream.floats(places.shape) * self.max_velocity
        velocity = np.where(places, speed, -speed)
        own = _Memory(places, (yield Batch(places)), ranking)
        for iteration in range(n_iterations):
            stream = Stream(seed, "swarm", iteration)
            velocity = self._steered(velocity, places, own, stream)
            chances = 1 / (1 + np.exp(-velocity))
            places = constraints.repair(stream.floats(places.shape) < chances, stream)
            own.learn(places, (yield Batch(places)))

    def _steered(self, velocity: Floats, places: Masks, own: "_Memory", stream: Stream) -> Floats:
        """Pull each particle to its own best place and to the best place of all."""
        here = places.astype(np.float64)
        to_own = self.c_own * stream.floats(places.shape) * (own.places - here)
        to_best = self.c_swarm * stream.floats(places.shape) * (own.best() - here)
        return np.clip(velocity + to_own + to_best, -self.max_velocity, self.max_velocity)


@dataclass(eq=False)
class _Memory:
    """The best place that each particle has been to."""

    places: Masks
    scores: Floats
    ranking: Ranking

    def best(self) -> Masks:
        """Return the best place of all."""
        return np.asarray(self.places[self.ranking.order(self.places, self.scores)[0]])

    def learn(self, places: Masks, scores: Floats) -> None:
        """Remember the places that are better than the remembered ones."""
        ranking = self.ranking
        new = ranking.merit(scores, ranking.cost(places))
        better = ranking.beats(new, ranking.merit(self.scores, ranking.cost(self.places)))
        self.places = np.where(better[:, np.newaxis], places, self.places)
        self.scores = np.where(better, scores, self.scores)
