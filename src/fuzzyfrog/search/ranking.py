"""The rankings: which of two subsets is better.

``lexicographic``
    higher score first, then fewer features (the text of the paper);
``product``
    higher score · (1 - size / n_features) first, then higher score (its published figures);
    of subsets with score 0 the one with fewer features.

A score above the target counts as the target.  Below it, scores (or products) within the tolerance
of each other are equal up to rounding: a tie (docs/theory.md#ties).  Equals are ordered by their
features, the lowest index first, never by their arrival, so that an order does not depend on how
the subsets were found.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from fuzzyfrog.common.params import check_known
from fuzzyfrog.search.protocol import Floats, Integers, Masks, Problem

SLACK = 1 - 2.0**-50  # for the roundings of a division: a bar may be too low, never too high


@dataclass(frozen=True)
class Ranking(ABC):
    """An order of subsets by score and size."""

    n_features: int
    target: float
    tolerance: float

    @abstractmethod
    def merit(self, scores: Floats, sizes: Integers) -> Floats:
        """Return columns to compare one after another, float64[n, 3]; higher is better.

        Subsets whose first two columns tie are equally good; the third only orders them.
        """

    @abstractmethod
    def floor(self, merit: Floats) -> Floats:
        """Return the lowest values of the first column that tie with the given ones."""

    @abstractmethod
    def needed(self, sizes: Integers, score: Floats, size: Integers) -> Floats:
        """Return the lowest score with which ``sizes`` are as good as (``score``, ``size``).

        It may be a rounding too low, never too high; infinity where no score is enough.
        """

    @abstractmethod
    def best(self, scores: Floats, sizes: Integers) -> Masks:
        """Return which subsets are the best; all of these have the same size."""

    @abstractmethod
    def contend(self, scores: Floats, sizes: Integers) -> Masks:
        """Return which subsets may be among the best after better ones are found.

        Subsets tie with the best of all, not with the next one: a later subset may end the tie of
        those that are the best now, but not that of others.
        """

    def order(self, subsets: Masks, scores: Floats) -> Integers:
        """Return positions from the best subset to the worst."""
        third, second, first = -self.merit(scores, subsets.sum(axis=1))[:, ::-1].T
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

    def near(self, scores: Floats, sizes: Integers) -> Masks:
        """Return which subsets tie with the best by the first column."""
        first = self.merit(scores, sizes)[:, 0]
        return np.asarray(first >= self.floor(first.max(keepdims=True)))


class LexicographicRanking(Ranking):
    """Higher score first, then fewer features."""

    def merit(self, scores: Floats, sizes: Integers) -> Floats:
        """Return score up to the target, fewer features, score."""
        return np.column_stack([np.minimum(scores, self.target), -sizes, scores])

    def floor(self, merit: Floats) -> Floats:
        """Return the target where it is reached, else a tolerance less."""
        return np.where(merit >= self.target, self.target, merit - self.tolerance)

    def needed(self, sizes: Integers, score: Floats, size: Integers) -> Floats:
        """Return the same score for a subset that is not larger, a higher one for a larger one."""
        enough = np.minimum(score, self.target)
        more = np.where(enough < self.target, np.nextafter(enough, np.inf), np.inf)
        return np.where(sizes <= size, self.floor(enough), more)

    def best(self, scores: Floats, sizes: Integers) -> Masks:
        """Return which have the fewest features of those with the highest score."""
        near = self.near(scores, sizes)
        return np.asarray(near & (sizes == sizes[near].min()))

    def contend(self, scores: Floats, sizes: Integers) -> Masks:
        """Return which tie with the highest score and score more than any smaller subset."""
        enough = np.minimum(scores, self.target)
        contends = self.near(scores, sizes)
        highest = -np.inf
        for size in np.unique(sizes[contends]):
            of_size = contends & (sizes == size)
            contends &= ~of_size | (enough > highest)
            highest = max(highest, enough[of_size].max())
        return contends


class ProductRanking(Ranking):
    """Higher score times the share of features left out first, then higher score."""

    def merit(self, scores: Floats, sizes: Integers) -> Floats:
        """Return product, score up to the target, fewer features.

        Where even the score is 0, fewer features come before it: nothing else is left to compare.
        """
        enough = np.minimum(scores, self.target)
        scored = np.where(np.isneginf(enough), 0.0, enough)
        product = scored * (1 - sizes / self.n_features)
        then = np.where(scored > 0, enough, -sizes)
        return np.column_stack([np.where(np.isneginf(enough), enough, product), then, -sizes])

    def floor(self, merit: Floats) -> Floats:
        """Return a tolerance less."""
        return merit - self.tolerance

    def needed(self, sizes: Integers, score: Floats, size: Integers) -> Floats:
        """Return the product to reach, divided by the share of features left out."""
        product = np.minimum(score, self.target) * (1 - size / self.n_features)
        left_out = 1 - sizes / self.n_features
        lowest = self.floor(product)
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(lowest > 0, lowest / left_out * SLACK, 0.0)
        if self.target <= 0:
            return np.where(sizes <= size, needed, np.inf)
        return np.where(needed > self.target, np.inf, needed)

    def best(self, scores: Floats, sizes: Integers) -> Masks:
        """Return which have the highest score of those with the largest product."""
        then = self.merit(scores, sizes)[:, 1]
        best = self.near(scores, sizes)
        best &= then >= then[best].max() - self.tolerance
        return np.asarray(best & (sizes == sizes[best].min()))

    def contend(self, scores: Floats, sizes: Integers) -> Masks:
        """Return which tie with the largest product; a score of 0 never gets better."""
        return np.asarray(self.near(scores, sizes) & (scores > 0))


RANKINGS = {"lexicographic": LexicographicRanking, "product": ProductRanking}


def ranking_of(problem: Problem) -> Ranking:
    """Return the ranking that a problem asks for."""
    check_known("ranking", problem.ranking, RANKINGS)
    return RANKINGS[problem.ranking](problem.n_features, problem.target, problem.tolerance)
