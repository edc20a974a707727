"""What a search and the driver say to each other.

A search knows the :class:`Problem`, never the data: it yields a :class:`Batch` of subsets and
receives one score for each.  So a run is a pure function of its seed and of the scores it was
told, and the driver can keep the budget, remember scores and resume for every search alike.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fuzzyfrog.search.covering import Oracle
    from fuzzyfrog.search.proof_log import ProofLog

__all__ = [
    "Batch",
    "Floats",
    "Integers",
    "Masks",
    "Objective",
    "Problem",
    "Proof",
    "Proposal",
    "Search",
    "Steps",
    "overheard",
]

Masks: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Proof:
    """What a search has proved.

    Attributes
    ----------
    lower_bound : int
        No allowed subset with fewer features reaches the target; with the ranking "product": none
        is as good as the best one met. With a given size all allowed subsets have that size.
    is_best : bool
        No allowed subset is better than the best one met.
    all_listed : bool
        Every allowed subset that is as good as the best one met was proposed.
    """

    lower_bound: int
    is_best: bool = False
    all_listed: bool = False


@dataclass(frozen=True, eq=False)
class Batch:
    """Subsets to score together.

    A batch without subsets is a sign of life: the driver looks at the clock and tells the
    callbacks, and sends no scores back.

    Attributes
    ----------
    subsets : bool[n_subsets, n_features]
        One subset in each row.
    at_least : float, float64[n_subsets] or None
        A subset whose score is below its value comes back as minus infinity, so that the
        evaluator may reject it early.
    only_best : bool
        Every subset that is not among the best of the batch comes back as minus infinity.
    within : float
        How far below the highest score of the batch the best may lie.
    proof : Proof or None
        What was proved up to now, if that is more than before; it replaces what was known.
    """

    subsets: Masks
    at_least: float | Floats | None = None
    only_best: bool = False
    within: float = 0.0
    proof: Proof | None = None


Proposal: TypeAlias = Generator[Batch, Floats, None]


class Objective(Protocol):
    """What scores subsets; in this library a dependency measure bound to its data."""

    @property
    def n_features(self) -> int:
        """Number of features, the length of every mask."""

    def score(self, masks: Masks, at_least: float | Floats | None = None) -> Floats:
        """Score of each subset; below its ``at_least`` a subset may come back as -inf."""

    def best(self, masks: Masks) -> Floats:
        """Score of each subset that is as good as the best of all; -inf for the others."""


@dataclass(frozen=True, eq=False)
class Problem:
    """All that a search may know about its task.

    Attributes
    ----------
    n_features : int
        Number of features, the length of every mask.
    n_cells : int
        Samples times features of the data; it chooses among the presets.
    full_score : float
        Score of all the features that may be selected.
    ranking : {"lexicographic", "product"}
        Which of two subsets is the better one, see :mod:`fuzzyfrog.search.ranking`.
    must_include, exclude : bool[n_features] or None
        Features that every subset has, and features that none has.
    n_features_to_select : int or None
        The exact size of the answer; None leaves it to the search.
    min_dependency : float
        Share of ``full_score`` that must be kept; a score above it is not worth features.
    oracle : callable or None
        Gives for a subset rows of requirements that it breaks, so that a search can prove what
        is needed for the full score; see :mod:`fuzzyfrog.search.covering`. None if there is none.
    tolerance : float
        How far scores may lie apart that are equal but for rounding (docs/theory.md#ties).
    proof_log : ProofLog or None
        Where a proof keeps what it has worked out; the driver sets it for a run with a checkpoint.
    """

    n_features: int
    n_cells: int
    full_score: float
    ranking: str = "lexicographic"
    must_include: Masks | None = None
    exclude: Masks | None = None
    n_features_to_select: int | None = None
    min_dependency: float = 1.0
    oracle: "Oracle | None" = None
    tolerance: float = 0.0
    proof_log: "ProofLog | None" = None

    @property
    def asked(self) -> float:
        """Score that is asked for."""
        return self.min_dependency * self.full_score

    @property
    def target(self) -> float:
        """Score that is high enough: the one asked for, but for rounding."""
        return max(0.0, self.asked - self.tolerance)

    def kept(self, scores: Floats) -> Floats:
        """Return the lowest scores that are as good as the given ones."""
        return np.where(scores >= self.target, self.target, scores - self.tolerance)

    def told(self, score: float) -> float:
        """Return a score as people are told it: what keeps the full one, or what is asked, is it.

        Nobody should have to wonder about 0.9999999999999998 of 1.
        """
        if score >= self.full_score - self.tolerance:
            return self.full_score
        return self.asked if self.target <= score < self.asked else score


class Search(Protocol):
    """What proposes subsets: parameters that can be listed, and one coroutine."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters as they were given."""

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""


T = TypeVar("T")
Steps: TypeAlias = Generator[Batch, Floats, T]


def overheard(steps: Steps[T], hear: Callable[[Masks, Floats], object]) -> Steps[T]:
    """Go through steps that yield batches, and tell `hear` the subsets and scores of each."""
    try:
        batch = next(steps)
        while True:
            scores = yield batch
            hear(batch.subsets, scores)
            batch = steps.send(scores)
    except StopIteration as stop:
        result: T = stop.value
        return result
