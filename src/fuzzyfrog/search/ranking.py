"""Which of two subsets is the better one.

``lexicographic``
    higher score first, then fewer features (the text of the paper);
``product``
    higher score · (1 - size / n_features) first, then higher score (its published figures);
    of subsets with score 0 the one with fewer features.

A score above the target counts as the target.  Equals are ordered by their features, the lowest
index first, never by their arrival: so an order is the same however the subsets were found.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.search.checks import check_known
from fuzzyfrog.search.protocol import Floats, Integers, Masks, Problem

__all__ = ["LexicographicRanking", "ProductRanking", "Ranking", "feature_keys", "ranking_of"]

SLACK = 1 - 2.0**-50  # a few roundings of a division: a bar may be too low, never too high


def feature_keys(subsets: Masks) -> NDArray[np.bytes_]:
    """Give a byte string for each subset; sorted, low features come first."""
    packed = np.packbits(~subsets, axis=1)
    return np.ascontiguousarray(packed).view(f"S{packed.shape[1]}").ravel()


@dataclass(frozen=True)
class Ranking(ABC):
    """An order of subsets by score and size.

    Parameters
    ----------
    n_features : int
        Number of all features.
    target : float
        The score that is high enough.
    """

    n_features: int
    target: float

    @abstractmethod
    def merit(self, scores: Floats, sizes: Integers) -> Floats:
        """Columns to compare one after the other, float64[n, 3]; higher is better.

        Subsets with the same first two columns are equally good; the third only orders them.
        """

    @abstractmethod
    def needed(self, sizes: Integers, score: Floats, size: Integers) -> Floats:
        """Lowest score with which subsets of ``sizes`` are as good as (``score``, ``size``).

        It may be a rounding too low, never too high; infinity where no score is enough.
        """

    def order(self, subsets: Masks, scores: Floats) -> Integers:
        """Give positions from the best subset to the worst."""
        third, second, first = -self.merit(scores, subsets.sum(axis=1))[:, ::-1].T
        return np.lexsort((feature_keys(subsets), third, second, first)).astype(np.int64)

    def beats(self, merit: Floats, other: Floats) -> Masks:
        """Tell row by row whether the first is strictly better, judged by :meth:`merit`."""
        ahead = merit[:, 0] > other[:, 0]
        level = merit[:, 0] == other[:, 0]
        return np.asarray(ahead | (level & (merit[:, 1] > other[:, 1])))


class LexicographicRanking(Ranking):
    """Higher score first, then fewer features."""

    def merit(self, scores: Floats, sizes: Integers) -> Floats:
        """Score up to the target, fewer features, score."""
        return np.column_stack([np.minimum(scores, self.target), -sizes, scores])

    def needed(self, sizes: Integers, score: Floats, size: Integers) -> Floats:
        """As much for a subset that is not larger, more for a larger one."""
        enough = np.minimum(score, self.target)
        more = np.where(enough < self.target, np.nextafter(enough, np.inf), np.inf)
        return np.where(sizes <= size, enough, more)


class ProductRanking(Ranking):
    """Higher score times the share of features left out first, then higher score."""

    def merit(self, scores: Floats, sizes: Integers) -> Floats:
        """Give product, score up to the target, fewer features.

        Where even the score is 0, fewer features come before it: nothing else is left to compare.
        """
        enough = np.minimum(scores, self.target)
        scored = np.where(np.isneginf(enough), 0.0, enough)
        product = scored * (1 - sizes / self.n_features)
        then = np.where(scored > 0, enough, -sizes)
        return np.column_stack([np.where(np.isneginf(enough), enough, product), then, -sizes])

    def needed(self, sizes: Integers, score: Floats, size: Integers) -> Floats:
        """Product to reach, divided by the share of features left out."""
        product = np.minimum(score, self.target) * (1 - size / self.n_features)
        left_out = 1 - sizes / self.n_features
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(product > 0, product / left_out * SLACK, 0.0)
        if self.target <= 0:
            return np.where(sizes <= size, needed, np.inf)
        return np.where(needed > self.target, np.inf, needed)


RANKINGS = {"lexicographic": LexicographicRanking, "product": ProductRanking}


def ranking_of(problem: Problem) -> Ranking:
    """Give the ranking that a problem asks for."""
    check_known("ranking", problem.ranking, RANKINGS)
    return RANKINGS[problem.ranking](problem.n_features, problem.target)
