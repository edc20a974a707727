"""The searches by name, for selectors and experiments; a test compares the command line with it."""

from collections.abc import Callable

from fuzzyfrog.search.exact import Exact
from fuzzyfrog.search.exact_front import ExactFront
from fuzzyfrog.search.frogs import ShuffledFrogs
from fuzzyfrog.search.genetic import Genetic
from fuzzyfrog.search.protocol import Search
from fuzzyfrog.search.stepwise import QuickReduct
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

PROVING = frozenset({"exact", "front"})  # these take as long as their proof
DETERMINISTIC = frozenset({"quickreduct", "exact", "front"})  # the seed makes no difference
