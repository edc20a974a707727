"""The protocol between a search and the driver.

A search knows the :class:`Problem`, never the data: it yields a :class:`Batch` of subsets and
receives one score for each.  So a run is a pure function of its seed and of the scores it
received, and the driver can keep the budget, remember scores and resume for every search alike.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fuzzyfrog.search.covering import Oracle
    from fuzzyfrog.search.proof_log import ProofLog

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
        is as good as the best one found. With a given size all allowed subsets have that size.
    is_best : bool
        No allowed subset is better than the best one found.
    all_listed : bool
        Every allowed subset that is as good as the best one found was proposed.
    """

    lower_bound: int
    is_best: bool = False
    all_listed: bool = False


@dataclass(frozen=True, eq=False)
class Batch:
    """Subsets to score together.

    With an empty batch a search reports a proof or gives the driver a chance to stop it: the
    driver checks the clock, calls the callbacks and sends no scores back.

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
        What is proved by now, if that is more than before.
    """

    subsets: Masks
    at_least: float | Floats | None = None
    only_best: bool = False
    within: float = 0.0
    proof: Proof | None = None

    @classmethod
    def empty(cls, n_features: int, proof: Proof) -> "Batch":
        """Return a batch without subsets that reports a proof."""
        return cls(np.empty((0, n_features), np.bool_), proof=proof)


Proposal: TypeAlias = Generator[Batch, Floats, None]


class Objective(Protocol):
    """A function that scores subsets; in this library a dependency measure bound to its data."""

    @property
    def n_features(self) -> int:
        """Number of features, the length of every mask."""

    def score(self, masks: Masks, at_least: float | Floats | None = None) -> Floats:
        """Return the score of each subset; -inf is allowed below its ``at_least``."""

    def best(self, masks: Masks) -> Floats:
        """Return the score of each subset that is as good as the best of all; -inf for others."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything that a search knows about its task.

    Attributes
    ----------
    n_features : int
        Number of features, the length of every mask.
    n_cells : int
        Samples times features of the data; presets depend on it.
    full_score : float
        Score of all the features that may be selected.
    ranking : {"lexicographic", "product"}
        Which of two subsets is the better one, see :mod:`fuzzyfrog.search.ranking`.
    must_include, exclude : bool[n_features] or None
        Features that every subset has, and features that none has.
    n_features_to_select : int or None
        The exact size of the answer; None leaves it to the search.
    min_dependency : float
        Share of ``full_score`` that must be kept; a higher score is not worth more features.
    oracle : callable or None
        Returns rows of requirements that a subset breaks, so that a search can prove what is
        needed for the full score; see :mod:`fuzzyfrog.search.covering`.
    is_monotone : bool
        Whether a further feature never lowers the score. If it may, no score is high enough, and
        the highest one is searched for.
    tolerance : float
        Scores that differ by no more than this are equal up to rounding (docs/theory.md#ties).
    proof_log : ProofLog or None
        Where a proof keeps its intermediate results; set by the driver if there is a checkpoint.
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
    is_monotone: bool = True
    tolerance: float = 0.0
    proof_log: "ProofLog | None" = None

    @property
    def asked(self) -> float:
        """The score that is asked for."""
        return self.min_dependency * self.full_score

    @property
    def target(self) -> float:
        """The score that is high enough: the one asked for, up to rounding."""
        if not self.is_monotone:
            return inf
        return max(0.0, self.asked - self.tolerance)

    def kept(self, scores: Floats) -> Floats:
        """Return the lowest scores that are as good as the given ones."""
        return np.where(scores >= self.target, self.target, scores - self.tolerance)

    def told(self, score: float) -> float:
        """Return a score to report: the full score, or the one asked for, if it is equal to it.

        Nobody should have to wonder about 0.9999999999999998 of 1.
        """
        if not self.is_monotone:
            return score
        if score >= self.full_score - self.tolerance:
            return self.full_score
        return self.asked if self.target <= score < self.asked else score


class Search(Protocol):
    """An algorithm that proposes subsets: its parameters, and one coroutine."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters as they were given."""

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""


T = TypeVar("T")
Steps: TypeAlias = Generator[Batch, Floats, T]


def overheard(steps: Steps[T], hear: Callable[[Masks, Floats], object]) -> Steps[T]:
    """Yield the batches of some steps, and call `hear` with the subsets and scores of each."""
    try:
        batch = next(steps)
        while True:
            scores = yield batch
            hear(batch.subsets, scores)
            batch = steps.send(scores)
    except StopIteration as stop:
        result: T = stop.value
        return result
