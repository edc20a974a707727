"""The protocol between a search and the driver.

A search knows the :class:`Problem`, never the data: it yields a :class:`Batch` of subsets and
receives one score for each.  So a run is a pure function of its seed and of the scores it
received, and the driver can enforce the budget, save scores and resume in the same way for all.
Its random numbers come from a :class:`Stream`, and :class:`Constraints` says which subsets are
allowed.
"""

import hashlib
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.messages import Sentence, Setting, listed, shown
from fuzzyfrog.common.params import check_known, check_share
from fuzzyfrog.errors import ParameterError

if TYPE_CHECKING:
    from fuzzyfrog.search.checkpoint import ScoreLog

Shape: TypeAlias = int | tuple[int, ...]

RANKINGS = ("lexicographic", "product")
NONE = -1  # in the place of a feature


@dataclass(frozen=True)
class Proof:
    """What a search has proved.

    Attributes
    ----------
    lower_bound : int
        No allowed subset that costs less reaches the target (without costs: none with fewer
        features); with the ranking "product": none is as good as the best one found. With a given
        size all allowed subsets have that size.
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
        One subset in each row; also `Extensions`, which are turned into masks where needed.
    at_least : float, float64[n_subsets] or None
        A subset whose score is below its value comes back as minus infinity, so that the
        evaluator may reject it early.
    only_best : bool
        Every subset that is not among the best of the batch comes back as minus infinity.
    within : float
        How far below the highest score of the batch the best may lie.
    proof : Proof or None
        What is proved by now, if that is more than before.
    sample : bool[n_failed, n_features] or None
        Score on a sample of the rows that has rows on which each of these subsets fails (see
        `Problem.on_sample`); such scores say nothing about all rows. None for all rows.
    """

    subsets: Masks
    at_least: float | Floats | None = None
    only_best: bool = False
    within: float = 0.0
    proof: Proof | None = None
    sample: Masks | None = None

    @classmethod
    def empty(cls, n_features: int, proof: Proof) -> "Batch":
        """Return a batch without subsets that reports a proof."""
        return cls(np.empty((0, n_features), np.bool_), proof=proof)


Proposal: TypeAlias = Generator[Batch, Floats, Any]  # the last value says nothing


class Objective(Protocol):
    """A function that scores subsets; in this library a dependency measure bound to its data."""

    @property
    def n_features(self) -> int:
        """Number of features, the length of every mask."""

    def score(self, masks: Masks, at_least: float | Floats | None = None) -> Floats:
        """Return the score of each subset; -inf is allowed below its ``at_least``."""

    def best(self, masks: Masks) -> Floats:
        """Return the score of each subset that is as good as the best of all; -inf for others."""


class Wrapped:
    """An objective that changes the subsets or the scores of another one."""

    def __init__(self, measure: Any) -> None:
        self._measure = measure
        self.n_features = int(measure.n_features)

    @property
    def n_at_once(self) -> int:
        """Number of subsets that are scored at the same time."""
        return int(getattr(self._measure, "n_at_once", 1))

    def score(self, masks: Masks, at_least: float | Floats | None = None) -> Floats:
        """Return the score of each subset; -inf where it is less than `at_least`."""
        raise NotImplementedError

    def best(self, masks: Masks) -> Floats:
        """Return the score of the best subsets of a batch, -inf for the others."""
        scores = self.score(masks)
        return np.where(scores >= scores.max(), scores, -inf)


@dataclass(frozen=True, eq=False)
class Rows:
    """Requirements: in every row the weights of a cover's features add up to what is needed.

    Parameters
    ----------
    weights : float64[n_rows, n_features]
        How much each feature contributes to each row: not negative, and cut at what the row needs.
    needed : float64[n_rows]
        What the weights of a subset must add up to, above 0.

    Notes
    -----
    Sums are taken in float64. Weights that are multiples of 2**-50 and at most 1 make them exact
    as long as they stay below 8, so that a tie is a tie in any order of the features.
    """

    weights: Floats
    needed: Floats

    def __post_init__(self) -> None:
        weights, needed = self.weights, self.needed
        if weights.ndim != 2 or needed.shape != weights.shape[:1]:
            raise ValueError(
                "weights must have one row for each value of needed, "
                f"got shapes {weights.shape} and {needed.shape}."
            )
        if not (needed > 0).all() or not (weights >= 0).all():
            raise ValueError(
                "needed must be above 0 and weights not below, "
                f"got minima {needed.min(initial=np.inf)} and {weights.min(initial=np.inf)}."
            )

    @classmethod
    def none(cls, n_features: int) -> "Rows":
        """Return no rows at all: every subset covers them."""
        return cls(np.empty((0, n_features)), np.empty(0))

    @classmethod
    def joined(cls, parts: Iterable["Rows"]) -> "Rows":
        """Return the rows of all parts (at least one), one after the other."""
        several = list(parts)
        weights = np.concatenate([part.weights for part in several])
        return cls(weights, np.concatenate([part.needed for part in several]))

    def __len__(self) -> int:
        return len(self.needed)

    @property
    def n_features(self) -> int:
        """Number of features, the length of every mask."""
        return int(self.weights.shape[1])

    def take(self, chosen: np.ndarray) -> "Rows":
        """Return some of the rows, by a mask or by their numbers."""
        return Rows(self.weights[chosen], self.needed[chosen])

    def deficits(self, subset: Masks) -> Floats:
        """Return what a subset lacks in each row; not above 0 where the row is covered."""
        deficits: Floats = self.needed - self.weights[:, subset].sum(axis=1)
        return deficits

    def covered_by(self, subset: Masks) -> bool:
        """Whether a subset covers all rows."""
        return not (self.deficits(subset) > 0).any()


Oracle: TypeAlias = Callable[[Masks], Rows]
"""Returns rows that a subset breaks, the most broken ones of different samples first; none exactly
when the subset keeps the full score."""


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
        Which of two subsets is the better one, see :mod:`fuzzyfrog.search.archive`.
    must_include, exclude : bool[n_features] or None
        Features that every subset has, and features that none has.
    n_features_to_select : int or None
        The exact size of the answer; None leaves it to the search.
    min_dependency : float
        Share of ``full_score`` that must be kept; a higher score is not worth more features, but
        of subsets of a given size, the highest score is the best.
    costs : int64[n_features] or None
        What each feature costs, above 0: the best subset is the cheapest that reaches the target.
        None for 1 each, the smallest subset.
    oracle : callable or None
        Returns rows of requirements that a subset breaks, so that a search can prove what is
        needed for the full score; see :mod:`fuzzyfrog.search.covering`.
    oracle_share : float
        Share of ``full_score`` that these rows are about.
    is_monotone : bool
        Whether adding a feature never lowers the score. If it may, no score is high enough, and
        the search looks for the highest one.
    tolerance : float
        Scores that differ by no more than this are equal up to rounding (docs/theory.md#ties).
    log : ScoreLog or None
        Where scores and the slices of a proof are kept; set by the driver if there is a checkpoint.
    on_sample : callable or None
        Returns the objective on a sample of the rows, one that has rows on which each of some
        subsets (bool[n_failed, n_features]) fails.
    """

    n_features: int
    n_cells: int
    full_score: float
    ranking: str = "lexicographic"
    must_include: Masks | None = None
    exclude: Masks | None = None
    n_features_to_select: int | None = None
    min_dependency: float = 1.0
    costs: Integers | None = None
    oracle: Oracle | None = None
    oracle_share: float = 1.0
    is_monotone: bool = True
    tolerance: float = 0.0
    log: "ScoreLog | None" = None
    on_sample: Callable[[Masks], Objective] | None = None

    @property
    def asked(self) -> float:
        """The required score."""
        return self.min_dependency * self.full_score

    @property
    def required(self) -> float:
        """The lowest score that is the one asked for, up to rounding."""
        return max(0.0, self.asked - self.tolerance) if self.is_monotone else inf

    @property
    def target(self) -> float:
        """The score that is high enough: the required one, or the full one for a given size."""
        if self.n_features_to_select is None or not self.is_monotone:
            return self.required
        return max(0.0, self.full_score - self.tolerance)

    @property
    def asks_for_fewest(self) -> bool:
        """Whether the goal is the fewest or cheapest features that reach the target."""
        return self.ranking == "lexicographic" and self.n_features_to_select is None

    @property
    def is_covering(self) -> bool:
        """Whether the best subsets are the cheapest that satisfy all rows of the oracle."""
        is_told = self.oracle is not None and self.min_dependency == self.oracle_share
        return is_told and self.asks_for_fewest

    def kept(self, scores: Floats) -> Floats:
        """Return the lowest scores that are as good as the given ones."""
        return np.where(scores >= self.target, self.target, scores - self.tolerance)

    def told(self, score: float) -> float:
        """Return a score to report: the full or the required score if it is equal to that.

        Nobody should have to wonder about 0.9999999999999998 of 1.
        """
        if not self.is_monotone:
            return score
        if score >= self.full_score - self.tolerance:
            return self.full_score
        return self.asked if self.required <= score < self.asked else score


class Search(Protocol):
    """An algorithm that proposes subsets: its parameters, and one coroutine."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters as they were given."""

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""


T = TypeVar("T")
Steps: TypeAlias = Generator[Batch, Floats, T]


def overheard(steps: Steps[T], hear: Callable[[Masks, Floats], object]) -> Steps[T]:
    """Yield the batches of some steps; call `hear` with the subsets of each that have a score."""
    try:
        batch = next(steps)
        while True:
            scores = yield batch
            is_known = scores > -inf  # of thousands of `Extensions`, often a single one
            hear(batch.subsets[is_known], scores[is_known])
            batch = steps.send(scores)
    except StopIteration as stop:
        result: T = stop.value
        return result


class Stream:
    """A stream of random numbers, named by the seed and a purpose such as "leap", 7.

    It is the same under every version of NumPy, which guarantees the 64-bit words of its bit
    generators, but not what ``Generator`` makes of them. So the words are turned into floats,
    integers and orders here, by exact arithmetic.

    Streams with different names are independent, and none has a state to save: round 7 opens the
    stream of round 7.
    """

    def __init__(self, seed: int, *purpose: str | int) -> None:
        name = repr((int(seed), *purpose)).encode()
        key = hashlib.blake2b(name, digest_size=16).digest()
        self._bits = np.random.Philox(key=int.from_bytes(key, "little"))

    def words(self, shape: Shape) -> NDArray[np.uint64]:
        """Return uniform 64-bit words."""
        n_words = int(np.prod(shape))
        return np.asarray(self._bits.random_raw(n_words), dtype=np.uint64).reshape(shape)

    def floats(self, shape: Shape) -> Floats:
        """Return uniform numbers in [0, 1), multiples of 2**-53."""
        return (self.words(shape) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def integers(self, below: int | Integers, shape: Shape) -> Integers:
        """Return uniform integers from 0 up to, not including, ``below`` (at most 2**32)."""
        return (self.floats(shape) * np.asarray(below, dtype=np.float64)).astype(np.int64)

    def order(self, n_items: int) -> Integers:
        """Return a random permutation of ``range(n_items)``."""
        return np.argsort(self.words(n_items), kind="stable").astype(np.int64)

    def weighted_choices(self, weights: Integers, n_rows: int, n_chosen: int) -> Integers:
        """Return ``n_chosen`` items for each row, drawn one by one without replacement."""
        left = np.repeat(weights[np.newaxis], n_rows, axis=0)
        chosen = np.empty((n_rows, n_chosen), dtype=np.int64)
        rows = np.arange(n_rows)
        for column in range(n_chosen):
            upto = np.cumsum(left, axis=1)
            ticket = self.integers(upto[:, -1], n_rows)
            chosen[:, column] = (upto <= ticket[:, np.newaxis]).sum(axis=1)
            left[rows, chosen[:, column]] = 0
        return chosen


@dataclass(frozen=True, eq=False)
class Constraints:
    """The allowed subsets of a problem, which `check_problem` has checked."""

    problem: Problem

    @cached_property
    def fixed(self) -> Masks:
        """Features that every subset has."""
        return _mask_or_none(self.problem.must_include, self.problem.n_features)

    @cached_property
    def free(self) -> Integers:
        """Indices of the features that a subset may or may not have."""
        return np.flatnonzero(self.allowed & ~self.fixed).astype(np.int64)

    @cached_property
    def allowed(self) -> Masks:
        """Features that a subset may have, with those that it has."""
        return ~_mask_or_none(self.problem.exclude, self.problem.n_features)

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Smallest and largest size of a subset."""
        exact = self.problem.n_features_to_select
        if exact is not None:
            return exact, exact
        n_fixed = int(self.fixed.sum())
        return max(1, n_fixed), n_fixed + len(self.free)

    @cached_property
    def least_cost(self) -> int:
        """What the cheapest subset costs, whatever it scores."""
        subset = self.fixed.copy()
        if self.problem.n_features_to_select is not None:
            return self.sizes[0]
        if not subset.any():
            costs = self.problem.costs
            subset[self.free[0 if costs is None else np.argmin(costs[self.free])]] = True
        return int(cost_of(subset[np.newaxis], self.problem.costs)[0])

    @cached_property
    def removal_order(self) -> Integers:
        """All features, those to leave out first: the costly, and of these the last."""
        last_first = np.arange(self.problem.n_features)[::-1]
        if self.problem.costs is None:
            return last_first
        return last_first[np.argsort(-self.problem.costs[::-1], kind="stable")]

    def has_allowed_size(self, subsets: Masks) -> Masks:
        """Return for each subset whether it has neither too few features nor too many."""
        sizes = subsets.sum(axis=1)
        return np.asarray((self.sizes[0] <= sizes) & (sizes <= self.sizes[1]))

    @property
    def one_size(self) -> bool:
        """Whether all subsets have the same size, so that features can only be exchanged."""
        return self.sizes[0] == self.sizes[1]

    def without_one(self, subset: Masks) -> Masks:
        """Return the subset without each of its free features in turn; never an empty one."""
        spare = self.free[subset[self.free]] if subset.sum() > 1 else self.free[:0]
        return without_each(subset, spare)

    def random_subsets(self, sizes: Integers, stream: Stream) -> Masks:
        """Return random subsets of the given sizes, which must be allowed ones."""
        keys = stream.words((len(sizes), len(self.free)))
        return self._first_free(np.argsort(keys, axis=1, kind="stable"), sizes)

    def repair(self, subsets: Masks, stream: Stream) -> Masks:
        """Make subsets allowed with as few changes as possible, chosen at random."""
        repaired = np.repeat(self.fixed[np.newaxis], len(subsets), axis=0)
        repaired[:, self.free] = subsets[:, self.free]
        wanted = np.clip(repaired.sum(axis=1), *self.sizes)
        wrong = np.flatnonzero(repaired.sum(axis=1) != wanted)
        keys = stream.floats((len(wrong), len(self.free)))
        absent = ~repaired[np.ix_(wrong, self.free)]
        order = np.argsort(keys + absent, axis=1, kind="stable")  # present features come first
        repaired[wrong] = self._first_free(order, wanted[wrong])
        return repaired

    def _first_free(self, order: Integers, sizes: Integers) -> Masks:
        """Return subsets of these sizes: the first free features in the order of each row."""
        n_wanted = sizes - int(self.fixed.sum())
        chosen = np.zeros(order.shape, dtype=np.bool_)
        taken = np.arange(order.shape[1]) < n_wanted[:, np.newaxis]
        np.put_along_axis(chosen, order, taken, axis=1)
        subsets = np.repeat(self.fixed[np.newaxis], len(sizes), axis=0)
        subsets[:, self.free] = chosen
        return subsets


def diverse_sizes(n_subsets: int, smallest: int, largest: int) -> Integers:
    """Return sizes from the smallest to the largest, as many small ones as large ones.

    Half of them grow evenly and half by a constant factor: coin flips would never draw a small
    subset of 10,000 features, and constant factors alone hardly a large one.
    """
    position = (np.arange(n_subsets) + 0.5) / n_subsets
    evenly = smallest + position * (largest - smallest)
    by_factor = smallest * (largest / smallest) ** position
    sizes = np.where(np.arange(n_subsets) % 2 == 0, evenly, by_factor)
    return np.clip(np.rint(sizes), smallest, largest).astype(np.int64)


def diverse_subsets(n_subsets: int, constraints: Constraints, stream: Stream) -> Masks:
    """Return random allowed subsets of diverse sizes, in random order: any part is diverse too."""
    sizes = diverse_sizes(n_subsets, *constraints.sizes)
    return constraints.random_subsets(sizes[stream.order(n_subsets)], stream)


def check_problem(problem: Problem) -> None:
    """Raise ParameterError for a problem that makes no sense."""
    fixed = _mask_or_none(problem.must_include, problem.n_features)
    banned = _mask_or_none(problem.exclude, problem.n_features)
    both = np.flatnonzero(fixed & banned)
    if len(both):
        raise ParameterError(
            ("must_include", "exclude"), "not overlap", f"{listed(both.tolist())} in both",
            "Remove these features from one of them.",
        )  # fmt: skip
    if banned.all():
        raise ParameterError("exclude", "leave at least one feature", "all of them")
    check_share("min_dependency", problem.min_dependency, zero=False)
    check_known("ranking", problem.ranking, RANKINGS)
    size, least, n_allowed = problem.n_features_to_select, max(1, int(fixed.sum())), (~banned).sum()
    if size is not None and not least <= size <= n_allowed:
        rule = Sentence(
            f"be from {least} (those of ", Setting("must_include"),
            f", at least 1) to {n_allowed} (all that are not excluded)",
        )  # fmt: skip
        raise ParameterError("n_features_to_select", rule, shown(size))


def _mask_or_none(mask: Masks | None, n_features: int) -> Masks:
    if mask is None:
        return np.zeros(n_features, dtype=np.bool_)
    mask = np.asarray(mask)
    if mask.dtype != np.bool_ or mask.shape != (n_features,):
        raise ParameterError(
            ("must_include", "exclude"),
            f"be masks of {n_features} booleans",
            f"{mask.dtype} of shape {mask.shape}",
        )
    return mask


def exchanged(subset: Masks, leaving: Integers, coming: Integers) -> Masks:
    """Return the subset with one feature out and one in, in each row; `NONE` stands for none."""
    masks = np.repeat(subset[np.newaxis], len(leaving), axis=0)
    rows = np.arange(len(leaving))
    masks[rows[leaving != NONE], leaving[leaving != NONE]] = False
    masks[rows[coming != NONE], coming[coming != NONE]] = True
    return masks


def without_each(subset: Masks, features: Integers) -> Masks:
    """Return the subset without each of some features in turn, bool[n_chosen, n_features]."""
    return exchanged(subset, features, np.full(len(features), NONE))


def cost_of(subsets: Masks, costs: Integers | None) -> Integers:
    """Return what each subset costs; its size without costs."""
    if costs is None:
        return np.asarray(subsets.sum(axis=1))
    # Subset by subset: a product with the matrix would copy it as integers.
    return np.array([costs[subset].sum() for subset in subsets], np.int64)


def packed(subsets: Masks) -> list[bytes]:
    """Return each subset as a byte string, one bit for each feature."""
    return [row.tobytes() for row in np.packbits(subsets, axis=1)]


def unpacked(rows: list[bytes], n_features: int) -> Masks:
    """Return the subsets in byte strings, bool[n_subsets, n_features]."""
    bits = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)
    return np.unpackbits(bits, axis=1, count=n_features).astype(np.bool_)
