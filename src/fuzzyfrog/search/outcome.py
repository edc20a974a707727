"""What a run gives."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from fuzzyfrog.search.archive import FrontPoint
from fuzzyfrog.search.protocol import Floats, Masks

__all__ = ["Callback", "Moment", "Outcome", "Reduct"]


@dataclass(frozen=True)
class Moment:
    """Where a run stands after a batch.

    Attributes
    ----------
    n_evaluations : int
        Subsets scored so far.
    score, size : float, int
        Of the best subset so far.
    n_best : int
        Distinct subsets met that are as good.
    diversity : float
        How much the subsets of the batch differ, from 0 (all the same) to 1 (every feature is
        in half of them): the mean of 4 p (1 - p), with p the share that has a feature. Not a
        number for a batch without subsets.
    lower_bound : int
        No allowed subset with fewer features reaches the target, as far as was proved.
    """

    n_evaluations: int
    score: float
    size: int
    n_best: int
    diversity: float
    lower_bound: int


Callback: TypeAlias = Callable[[Moment], bool | None]


@dataclass(frozen=True, eq=False)
class Reduct:
    """One of the best subsets.

    Attributes
    ----------
    subset : bool[n_features]
        The features.
    score : float
        Its score.
    minimal : bool
        Whether it was checked, with the objective, that no feature can go without the score
        falling below the target (or below its own, if it does not reach the target).
    """

    subset: Masks
    score: float
    minimal: bool


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a run.

    Attributes
    ----------
    subset, score : bool[n_features], float
        The best subset, never empty, and its score.
    reducts : tuple of Reduct
        Every distinct subset met that is as good as the best one, the best one first.
    front : tuple of FrontPoint
        The highest score met for each size.
    feature_frequency : float64[n_features]
        Share of the reducts that have a feature.
    history : tuple of Moment
        One for each batch.
    n_evaluations : int
        Subsets scored.
    n_replayed : int
        Those of them whose scores came from a checkpoint.
    stop_reason : str
        Why the run ended: "converged", "max_evaluations", "max_seconds", "callback",
        "interrupted" or "memory".
    lower_bound : int
        No allowed subset with fewer features reaches the target, as far as was proved; with the
        ranking "product": none is as good as the best one. A given size, if there is one.
    proven : bool
        Whether it was proved that no allowed subset is better than the best one.
    all_listed : bool
        Whether ``reducts`` has every subset that is as good as the best one, by proof.
    """

    subset: Masks
    score: float
    reducts: tuple[Reduct, ...]
    front: tuple[FrontPoint, ...]
    feature_frequency: Floats
    history: tuple[Moment, ...]
    n_evaluations: int
    n_replayed: int
    stop_reason: str
    lower_bound: int
    proven: bool
    all_listed: bool
