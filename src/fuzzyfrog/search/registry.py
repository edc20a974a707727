"""The searches by name: the one list that the selector, the command line and experiments share."""

from collections.abc import Callable

from fuzzyfrog.search.exact import Exact
from fuzzyfrog.search.exact_front import ExactFront
from fuzzyfrog.search.frogs import ShuffledFrogs
from fuzzyfrog.search.genetic import Genetic
from fuzzyfrog.search.protocol import Search
from fuzzyfrog.search.quickreduct import QuickReduct
from fuzzyfrog.search.swarm import ParticleSwarm

# Each value is the class; called with its parameters it makes the search.
SEARCHES: dict[str, Callable[..., Search]] = {
    "frogs": ShuffledFrogs,
    "genetic": Genetic,
    "swarm": ParticleSwarm,
    "quickreduct": QuickReduct,
    "exact": Exact,
    "front": ExactFront,
}

DESCRIPTIONS = {
    "frogs": "Shuffled frog leaping with a local search: small subsets, usually the smallest.",
    "genetic": "Genetic algorithm, as in Weka.",
    "swarm": "Binary particle swarm.",
    "quickreduct": "Greedy forward selection (L-FRFS): fast, often a few features too many.",
    "exact": "Proves which subsets are the smallest, and lists them.",
    "front": "Proves the best dependency for each number of features.",
}

PROVING = frozenset({"exact", "front"})  # they take as long as their proof takes
DETERMINISTIC = frozenset({"quickreduct", "exact", "front"})  # the seed makes no difference
