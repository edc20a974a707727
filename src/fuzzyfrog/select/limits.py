"""How the seconds of a limited fit are shared, and the answer when they do not suffice."""

import time
from math import inf

import numpy as np

from fuzzyfrog.common.deadline import Deadline
from fuzzyfrog.measure import Dependency, SampledDependency
from fuzzyfrog.search import Outcome, Problem, Reduct
from fuzzyfrog.search.archive import FrontPoint
from fuzzyfrog.search.constraints import Constraints

__all__ = ["ALLOWANCE", "Limit", "n_estimated", "unsearched"]

ALLOWANCE = 3.0  # seconds after a limit, or after Ctrl-C, for the core and the explanations
SEARCH_SHARE = 0.9  # of a limit: the rest is for what follows the search
CORE_SHARE = 0.95
ESTIMATED_PAIRS = 30_000_000  # a fraction of a second, on whatever table
FEWEST_ESTIMATED = 16


class Limit:
    """When the parts of a fit must end.

    Parameters
    ----------
    max_seconds : float or None
        What all of it may take from now on; None for no limit.
    """

    def __init__(self, max_seconds: float | None) -> None:
        self._seconds = inf if max_seconds is None else max_seconds
        self._start = time.monotonic()

    def for_search(self) -> Deadline:
        """Return when the search must end."""
        return Deadline(self._left(SEARCH_SHARE))

    def for_core(self, *, interrupted: bool) -> Deadline:
        """Return when the core must be known; an interrupted fit has the allowance alone."""
        left = max(0.0, self._left(CORE_SHARE)) + ALLOWANCE / 2
        return Deadline(min(left, ALLOWANCE / 2) if interrupted else left)

    def for_explaining(self) -> float:
        """Return the seconds that are left for explaining the result."""
        return max(self._left() + ALLOWANCE, ALLOWANCE / 2)

    def _left(self, share: float = 1.0) -> float:
        return self._start + share * self._seconds - time.monotonic()


def n_estimated(n_samples: int, sample: int | None) -> int:
    """Return how many samples can be measured at once, at most as many as were asked for."""
    most = max(FEWEST_ESTIMATED, ESTIMATED_PAIRS // n_samples)
    return most if sample is None else min(most, sample)


def unsearched(measure: Dependency | SampledDependency, problem: Problem) -> tuple[Outcome, float]:
    """Return the answer without a search, and what all features reach.

    It is all features that may be selected, or as many of the first as are asked for.
    """
    constraints = Constraints(problem)
    subset, allowed = constraints.fixed.copy(), constraints.fixed.copy()
    allowed[constraints.free] = True
    subset[constraints.free[: constraints.sizes[1] - int(subset.sum())]] = True
    full, score = measure.score(np.array([allowed, subset])).tolist()
    outcome = Outcome(
        subset=subset,
        score=score,
        reducts=(Reduct(subset, score, minimal=False),),
        front=(FrontPoint(int(subset.sum()), score, subset),),
        feature_frequency=subset.astype(np.float64),
        history=(),
        n_evaluations=0,
        n_replayed=0,
        stop_reason="max_seconds",
        lower_bound=constraints.sizes[0],
        proven=False,
        all_listed=False,
    )
    return outcome, full
