"""What to try next: the searches and the one driver that runs them; none sees the data."""

from fuzzyfrog.search.archive import Callback, FrontPoint, Moment, Outcome, Reduct
from fuzzyfrog.search.checkpoint import Checkpoint
from fuzzyfrog.search.driver import run
from fuzzyfrog.search.exact import Certified, Exact
from fuzzyfrog.search.exact_front import ExactFront
from fuzzyfrog.search.frogs import ShuffledFrogs
from fuzzyfrog.search.genetic import Genetic
from fuzzyfrog.search.protocol import Batch, Objective, Problem, Proof, Proposal, Search
from fuzzyfrog.search.quickreduct import QuickReduct
from fuzzyfrog.search.random_subsets import RandomSubsets
from fuzzyfrog.search.swarm import ParticleSwarm

__all__ = [
    "Batch",
    "Callback",
    "Certified",
    "Checkpoint",
    "Exact",
    "ExactFront",
    "FrontPoint",
    "Genetic",
    "Moment",
    "Objective",
    "Outcome",
    "ParticleSwarm",
    "Problem",
    "Proof",
    "Proposal",
    "QuickReduct",
    "RandomSubsets",
    "Reduct",
    "Search",
    "ShuffledFrogs",
    "run",
]
