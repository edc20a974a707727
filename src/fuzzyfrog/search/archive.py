"""What a run finds: every distinct best subset, the front, and the outcome made of them.

A ranking says which of two subsets is better:

``lexicographic``
    higher score first, then fewer features (the text of the paper), or the lower cost if features
    have costs;
``product``
    higher score · (1 - size / n_features) first, then higher score (its published figures);
    of subsets with score 0 the one with fewer features.

A score above the target counts as the target.  Below it, scores (or products) within the tolerance
of each other are equal up to rounding: a tie (docs/theory.md#ties).  Equals are ordered by their
features, the lowest index first, never by their arrival, so that an order does not depend on how
the subsets were found.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.search.protocol import Problem, cost_of, packed, unpacked

SLACK = 1 - 2.0**-50  # for the roundings of a division: a bar may be too low, never too high


@dataclass(frozen=True)
class Ranking:
    """An order of subsets by score, then by cost, which is their size if features have no costs."""

    n_features: int
    target: float
    tolerance: float
    costs: Integers | None = None

    def cost(self, subsets: Masks) -> Integers:
        """Return what each subset costs."""
        return cost_of(subsets, self.costs)

    def merit(self, scores: Floats, costs: Integers) -> Floats:
        """Return columns to compare one after another, float64[n, 3]; higher is better.

        Subsets whose first two columns tie are equally good; the third only orders them. Here: the
        score up to the target, the lower cost, the score.
        """
        return np.column_stack([np.minimum(scores, self.target), -costs, scores])

    def floor(self, merit: Floats) -> Floats:
        """Return the lowest values of the first column that tie with the given ones.

        The target where it is reached, else a tolerance less.
        """
        return np.where(merit >= self.target, self.target, merit - self.tolerance)

    def needed(self, costs: Integers, score: Floats, cost: Integers) -> Floats:
        """Return the lowest score with which ``costs`` are as good as (``score``, ``cost``).

        It may be a rounding too low, never too high; infinity where no score is enough. It is the
        same score for a subset that costs no more, a higher one for others.
        """
        enough = np.minimum(score, self.target)
        more = np.where(enough < self.target, np.nextafter(enough, np.inf), np.inf)
        return np.where(costs <= cost, self.floor(enough), more)

    def best(self, scores: Floats, costs: Integers) -> Masks:
        """Return which subsets are the best, the cheapest of those with the highest score.

        All of these cost the same.
        """
        near = self.near(scores, costs)
        return np.asarray(near & (costs == costs[near].min()))

    def contend(self, scores: Floats, costs: Integers) -> Masks:
        """Return which subsets may be among the best after better ones are found.

        Subsets tie with the best of all, not with the next one: a later subset may end the tie of
        those that are the best now, but not that of others. These tie with the highest score and
        score more than any cheaper subset.
        """
        enough = np.minimum(scores, self.target)
        contends = self.near(scores, costs)
        highest = -np.inf
        for cost in np.unique(costs[contends]):
            as_costly = contends & (costs == cost)
            contends &= ~as_costly | (enough > highest)
            highest = max(highest, enough[as_costly].max())
        return contends

    def order(self, subsets: Masks, scores: Floats) -> Integers:
        """Return positions from the best subset to the worst."""
        third, second, first = -self.merit(scores, self.cost(subsets))[:, ::-1].T
        # Sorted as byte strings, low features come first.
        absent = np.ascontiguousarray(np.packbits(~subsets, axis=1))
        features = absent.view(f"S{absent.shape[1]}").ravel()
        return np.lexsort((features, third, second, first)).astype(np.int64)

    def beats(self, merit: Floats, other: Floats) -> Masks:
        """Return row by row whether the first is strictly better, judged by :meth:`merit`."""
        ahead = other[:, 0] < self.floor(merit[:, 0])
        behind = merit[:, 0] < self.floor(other[:, 0])
        more = other[:, 1] < merit[:, 1] - self.tolerance
        return np.asarray(ahead | (~behind & more))

    def near(self, scores: Floats, costs: Integers) -> Masks:
        """Return which subsets tie with the best by the first column."""
        first = self.merit(scores, costs)[:, 0]
        return np.asarray(first >= self.floor(first.max(keepdims=True)))


class ProductRanking(Ranking):
    """Higher score times the share of features left out first, then higher score."""

    def merit(self, scores: Floats, costs: Integers) -> Floats:
        """Return product, score up to the target, fewer features.

        If the score is 0, fewer features come first: there is nothing else to compare.
        """
        enough = np.minimum(scores, self.target)
        scored = np.where(np.isneginf(enough), 0.0, enough)
        product = scored * (1 - costs / self.n_features)
        then = np.where(scored > 0, enough, -costs)
        return np.column_stack([np.where(np.isneginf(enough), enough, product), then, -costs])

    def floor(self, merit: Floats) -> Floats:
        """Return the values minus the tolerance."""
        return merit - self.tolerance

    def needed(self, costs: Integers, score: Floats, cost: Integers) -> Floats:
        """Return the product to reach, divided by the share of features left out."""
        product = np.minimum(score, self.target) * (1 - cost / self.n_features)
        left_out = 1 - costs / self.n_features
        lowest = self.floor(product)
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(lowest > 0, lowest / left_out * SLACK, 0.0)
        if self.target <= 0:
            return np.where(costs <= cost, needed, np.inf)
        return np.where(needed > self.target, np.inf, needed)

    def best(self, scores: Floats, costs: Integers) -> Masks:
        """Return which have the highest score of those with the largest product."""
        then = self.merit(scores, costs)[:, 1]
        best = self.near(scores, costs)
        best &= then >= then[best].max() - self.tolerance
        return np.asarray(best & (costs == costs[best].min()))

    def contend(self, scores: Floats, costs: Integers) -> Masks:
        """Return which tie with the largest product; a score of 0 never gets better."""
        return np.asarray(self.near(scores, costs) & (scores > 0))


def ranking_of(problem: Problem) -> Ranking:
    """Return the ranking of a problem."""
    kind = ProductRanking if problem.ranking == "product" else Ranking
    return kind(problem.n_features, problem.target, problem.tolerance, problem.costs)


@dataclass(frozen=True, eq=False)
class ScoredSubset:
    """A subset that a run found.

    Attributes
    ----------
    subset : bool[n_features]
        The features; of several that are as good, on a front, the lowest ones.
    score : float
        Its score.
    minimal : bool or None
        Whether it was checked, with the objective, that no feature can be left out without the
        score falling below the target (or below its own, if it does not reach the target). None on
        a front.
    """

    subset: Masks
    score: float
    minimal: bool | None = None

    @property
    def size(self) -> int:
        """Number of features."""
        return int(self.subset.sum())


@dataclass(frozen=True)
class Moment:
    """The state of a run after a batch.

    Attributes
    ----------
    n_evaluations : int
        Subsets scored so far.
    score, size : float, int
        Of the best subset so far.
    n_best : int
        Distinct subsets found that are as good.
    diversity : float or None
        How much the subsets of the batch differ, from 0 (all the same) to 1 (every feature is
        in half of them): the mean of 4 p (1 - p), with p the share that has a feature. None for an
        empty batch.
    lower_bound : int
        No allowed subset that costs less (without costs: none with fewer features) reaches the
        target, as far as proved.
    on_sample : bool
        Whether the batch was scored on a sample of the rows; the best subset never is.
    """

    n_evaluations: int
    score: float
    size: int
    n_best: int
    diversity: float | None
    lower_bound: int
    on_sample: bool = False


Callback: TypeAlias = Callable[[Moment], bool | None]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a run.

    Attributes
    ----------
    subset, score : bool[n_features], float
        The best subset, never empty, and its score.
    reducts : tuple of ScoredSubset
        Every distinct subset found that is as good as the best one, the best one first.
    front : tuple of ScoredSubset
        The highest score found for each size; with costs, the subsets for which no cheaper one
        found scores as high.
    feature_frequency : float64[n_features]
        Share of the reducts that have a feature.
    history : tuple of Moment
        One for each batch.
    n_evaluations : int
        Subsets scored.
    n_on_sample : int
        Number of them that were scored on a sample of the rows.
    n_replayed : int
        Number of them whose scores came from a checkpoint.
    stop_reason : str
        Why the run ended: "converged", "max_evaluations", "max_seconds", "callback",
        "interrupted" or "memory".
    lower_bound : int
        No allowed subset that costs less (without costs: none with fewer features) reaches the
        target, as far as proved; with the ranking "product": none is as good as the best one. A
        given size, if there is one.
    proven : bool
        Whether it was proved that no allowed subset is better than the best one.
    all_listed : bool
        Whether ``reducts`` has every subset that is as good as the best one, by proof.
    """

    subset: Masks
    score: float
    reducts: tuple[ScoredSubset, ...]
    front: tuple[ScoredSubset, ...]
    feature_frequency: Floats
    stop_reason: str
    lower_bound: int
    history: tuple[Moment, ...] = ()
    n_evaluations: int = 0
    n_on_sample: int = 0
    n_replayed: int = 0
    proven: bool = False
    all_listed: bool = False


class _Best(NamedTuple):
    """The best subsets found with their scores, their highest score, and what each costs.

    Also the scores and costs of all that tie with the highest score or product, and that value.
    """

    members: dict[bytes, float]
    score: float
    cost: int
    contenders: dict[bytes, tuple[float, int]]
    top: float


class Archive:
    """Every distinct subset found that is as good as the best.

    Ctrl-C may come at any moment, so the state is replaced as a whole, in one assignment.
    """

    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking
        self._best = _Best({}, -np.inf, 0, {}, -np.inf)

    def __len__(self) -> int:
        return len(self._best.members)

    @property
    def score(self) -> float:
        """Highest score of a member."""
        return self._best.score

    @property
    def cost(self) -> int:
        """What each member costs: its number of features if they have no costs."""
        return self._best.cost

    @property
    def size(self) -> int:
        """Number of features of the first member; all have as many if they have no costs."""
        return int.from_bytes(next(iter(self._best.members), b""), "big").bit_count()

    def add(self, subsets: Masks, scores: Floats) -> bool:
        """Add the subsets that are at least as good as the best; return whether one is better."""
        scored = np.flatnonzero(scores > -np.inf)
        if not len(scored):
            return False
        costs = self._ranking.cost(subsets[scored])
        merit, before = self._ranking.merit(scores[scored], costs), self._merit()
        top = max(self._best.top, float(merit[:, 0].max()))
        lowest = float(self._ranking.floor(np.array(top)))
        near = np.flatnonzero(merit[:, 0] >= lowest)
        then = merit[near, 1]
        is_settled = top == self._best.top == lowest and not (then > before[0, 1]).any()
        if is_settled:  # nothing is better, and ties are equal: no need to sort again
            level = scored[near[then == before[0, 1]]]
            more = dict(zip(packed(subsets[level]), scores[level].tolist(), strict=True))
            self._best.members.update(more)
            self._best = self._best._replace(score=max([self.score, *more.values()]))
            return False
        rows, found = packed(subsets[scored[near]]), scores[scored[near]].tolist()
        news = dict(zip(rows, zip(found, costs[near].tolist(), strict=True), strict=True))
        self._best = self._sorted({**self._best.contenders, **news}, top)
        return bool(self._ranking.beats(self._merit(), before)[0])

    def _sorted(self, known: dict[bytes, tuple[float, int]], top: float) -> _Best:
        """Return the best of the known subsets, and those that may be among the best later."""
        rows = list(known)
        scores = np.array([score for score, _ in known.values()])
        costs = np.array([cost for _, cost in known.values()], np.int64)
        best = self._ranking.best(scores, costs)
        later = best | self._ranking.contend(scores, costs)
        return _Best(
            members={rows[at]: float(scores[at]) for at in np.flatnonzero(best)},
            score=float(scores[best].max()),
            cost=int(costs[best][0]),
            contenders={rows[at]: known[rows[at]] for at in np.flatnonzero(later)},
            top=top,
        )

    def _merit(self) -> Floats:
        """Return the merit of the best, minus infinity before there are any."""
        if not len(self):
            return np.full((1, 3), -np.inf)
        return self._ranking.merit(np.array([self.score]), np.array([self.cost]))

    def members(self) -> tuple[Masks, Floats]:
        """Return the subsets in the order in which they were found, and their scores."""
        subsets = unpacked(list(self._best.members), self._ranking.n_features)
        return subsets, np.array(list(self._best.members.values()))

    def ranked(self) -> tuple[Masks, Floats]:
        """Return the subsets from the best to the worst, and their scores."""
        subsets, scores = self.members()
        # Those that tie with the first are ordered by their features alone.
        level = np.where(scores >= self.score - self._ranking.tolerance, self.score, scores)
        order = self._ranking.order(subsets, level)
        return subsets[order], scores[order]


class Front:
    """The highest score found for each size; with costs, for each that pays."""

    def __init__(
        self, n_features: int, tolerance: float = 0.0, costs: Integers | None = None
    ) -> None:
        self._n_features = n_features
        self._tolerance = tolerance
        self._costs = costs
        self._best: dict[int, tuple[float, bytes]] = {}

    def add(self, subsets: Masks, scores: Floats) -> None:
        """Add scored subsets; minus infinity stands for an unknown score."""
        costs, best = cost_of(subsets, self._costs), dict(self._best)
        for cost in np.unique(costs[(scores > -np.inf) & (costs > 0)]):
            as_costly = np.flatnonzero(costs == cost)
            near = as_costly[scores[as_costly] >= scores[as_costly].max() - self._tolerance]
            known = best.get(int(cost), (-np.inf, b""))
            found = [*zip(scores[near].tolist(), packed(subsets[near]), strict=True), known]
            lowest = max(score for score, _ in found) - self._tolerance
            level = [one for one in found if one[0] >= lowest]
            best[int(cost)] = max(level, key=lambda one: one[1])  # the lowest features
        self._best = best if self._costs is None else self._paying(best)

    def _paying(self, best: dict[int, tuple[float, bytes]]) -> dict[int, tuple[float, bytes]]:
        """Return the points that score more than all cheaper ones: there may be many costs."""
        paying: dict[int, tuple[float, bytes]] = {}
        highest = -np.inf
        for cost, (score, row) in sorted(best.items()):
            if score > highest + self._tolerance:
                paying[cost], highest = (score, row), score
        return paying

    def scores(self) -> dict[int, float]:
        """Return the score for each cost, ascending."""
        return {cost: score for cost, (score, _) in sorted(self._best.items())}

    def points(self) -> tuple[ScoredSubset, ...]:
        """Return the front from the cheapest subset to the costliest."""
        return tuple(
            ScoredSubset(unpacked([row], self._n_features)[0], score)
            for _, (score, row) in sorted(self._best.items())
        )
