"""Searches for good subsets of features, and the driver that runs them; none sees the data.

How a run works::

    run                    asks a search for batches of subsets, scores    driver.py
      |                    them, removes features that are not needed,
      |                    and returns the Outcome
      |-- Search           a coroutine: yields a Batch, gets scores        protocol.py
      |     ShuffledFrogs    frog leaping, with a local search  frogs.py  pond.py
      |     Genetic, ParticleSwarm                                         populations.py
      |     QuickReduct      greedy steps forward                          stepwise.py
      |     Exact, Certified proof of the smallest subsets                 exact.py
      |       CoverProof       by requirements, with covering/             exact.py
      |       ExactFront       by branch and bound over scores             exact.py
      |-- Evaluator        each subset once, within the budget             evaluator.py
      |     ScoreLog         scores on disk, to resume from                checkpoint.py
      |     RecordedSearch   slices of a proof, in the same log            checkpoint.py
      `-- Archive, Front   the best subsets found, by a ranking            archive.py

What several searches share: `archive` (which subset is better), `protocol` (which are allowed),
`stepwise` (greedy steps forward and back).

Start reading with `protocol.py`, then `stepwise.py`, which has the shortest search, then
`driver.py`.
"""

from collections.abc import Callable

from fuzzyfrog.search.archive import Callback, Moment, Outcome, ScoredSubset
from fuzzyfrog.search.checkpoint import Checkpoint
from fuzzyfrog.search.driver import run
from fuzzyfrog.search.exact import Certified, Exact, ExactFront
from fuzzyfrog.search.frogs import ShuffledFrogs
from fuzzyfrog.search.populations import Genetic, ParticleSwarm
from fuzzyfrog.search.protocol import Batch, Objective, Problem, Proof, Proposal, Search
from fuzzyfrog.search.stepwise import QuickReduct

# The searches by name, for selectors and experiments; a test compares the command line with it.
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

__all__ = [
    "DETERMINISTIC",
    "PROVING",
    "SEARCHES",
    "Batch",
    "Callback",
    "Certified",
    "Checkpoint",
    "Exact",
    "ExactFront",
    "Genetic",
    "Moment",
    "Objective",
    "Outcome",
    "ParticleSwarm",
    "Problem",
    "Proof",
    "Proposal",
    "QuickReduct",
    "ScoredSubset",
    "Search",
    "ShuffledFrogs",
    "run",
]
