"""Proofs for selectors: the requirements of the data, told to a search that never sees them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.errors import DataError
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.requirements import Requirements
from fuzzyfrog.records.certificate import Certificate, Claim
from fuzzyfrog.search import (
    Batch,
    Certified,
    Exact,
    ExactFront,
    Outcome,
    Problem,
    Proposal,
    Search,
    run,
)
from fuzzyfrog.search.constraints import Constraints
from fuzzyfrog.search.covering import Oracle, Rows

__all__ = ["certificate_of", "certificate_of_subset", "oracle_of", "proving"]

Mask = NDArray[np.bool_]

LARGEST_BLUR = 1e-9  # a difference of dependencies that must never be taken for a tie


def proving(search: Search, certify: bool) -> tuple[Search, bool]:
    """Give the search that does what is asked, and whether it proves something."""
    if isinstance(search, Exact | ExactFront):
        return search, True
    return (Certified(search, Exact()), True) if certify else (search, False)


def oracle_of(measure: Dependency, allowed: Mask) -> Oracle:
    """Return what tells a search which requirements a subset of the allowed features breaks."""
    check_provable(measure)
    requirements: list[Requirements] = []  # made when it is first asked for

    def broken(subset: Mask) -> Rows:
        if not requirements:
            requirements.append(Requirements(measure, allowed))
        return Rows(*requirements[0].broken(subset))

    return broken


def check_provable(measure: Dependency) -> None:
    """Raise unless rounding is too small for a true difference to be taken for a tie."""
    blurred = 2.0 * measure.tolerance
    if blurred > LARGEST_BLUR:
        raise DataError(
            f"what is to be proved must not hang on rounding, which must stay below "
            f"{LARGEST_BLUR:g} in the dependency, got {blurred:.1g}. Leave out columns that lie "
            "far apart or are not needed, or choose spread='range' or tnorm='minimum'."
        )


def certificate_of(outcome: Outcome, problem: Problem) -> Certificate:
    """Give what a run proved."""
    size, n_reducts = int(outcome.subset.sum()), len(outcome.reducts)
    claim: Claim = "product" if problem.ranking == "product" else "fewest"
    if problem.n_features_to_select is not None:
        claim = "size"
    if claim == "fewest" and outcome.score < problem.target:
        # Nothing else is known to reach it than all features together.
        size, n_reducts = Constraints(problem).sizes[1], 1
    return Certificate(
        proven=outcome.proven,
        lower_bound=outcome.lower_bound,
        size=size,
        n_reducts=n_reducts,
        all_listed=outcome.all_listed,
        claim=claim,
    )


def certificate_of_subset(
    measure: Dependency, subset: Mask, max_seconds: float | None
) -> Certificate:
    """Give what can be proved about the fewest features that reach the dependency of a subset."""
    check_provable(measure)
    score, full = measure.score(np.array([subset, np.ones_like(subset)])).tolist()
    is_full = score >= full - measure.tolerance
    problem = Problem(
        n_features=measure.n_features,
        n_cells=measure.n_samples * measure.n_features,
        full_score=full if is_full else score,
        oracle=oracle_of(measure, np.ones_like(subset)) if is_full else None,
        tolerance=measure.tolerance,
    )
    search = Certified(_Given(subset), Exact())
    return certificate_of(run(search, measure, problem, seed=0, max_seconds=max_seconds), problem)


class _Given:
    """A search that proposes one subset, found elsewhere."""

    def __init__(self, subset: Mask) -> None:
        self._subset = subset

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give no parameters."""
        return {}

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Give the coroutine; see the protocol."""
        return _once(Batch(self._subset[np.newaxis]))


def _once(batch: Batch) -> Proposal:
    yield batch
