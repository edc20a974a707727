"""What a run has found so far: every distinct best subset, and the front."""

from dataclasses import dataclass

import numpy as np

from fuzzyfrog.search.protocol import Floats, Masks
from fuzzyfrog.search.ranking import Ranking

__all__ = ["Archive", "Front", "FrontPoint", "packed", "unpacked"]


def packed(subsets: Masks) -> list[bytes]:
    """Give each subset as a byte string, one bit for each feature."""
    return [row.tobytes() for row in np.packbits(subsets, axis=1)]


def unpacked(rows: list[bytes], n_features: int) -> Masks:
    """Give byte strings back as subsets, bool[n_subsets, n_features]."""
    bits = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)
    return np.unpackbits(bits, axis=1, count=n_features).astype(np.bool_)


class Archive:
    """Every distinct subset met that no other met subset is better than.

    Parameters
    ----------
    ranking : Ranking
        Which subset is better.

    Attributes
    ----------
    score, size : float, int
        Highest score of a member, and the size that all of them have.
    """

    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking
        self._merit = np.full((1, 3), -np.inf)
        self._members: dict[bytes, float] = {}
        self.score = -np.inf
        self.size = 0

    def __len__(self) -> int:
        return len(self._members)

    def add(self, subsets: Masks, scores: Floats) -> bool:
        """Take in the subsets that are as good as the best; tell whether one is better."""
        scored = np.flatnonzero(scores > -np.inf)
        if not len(scored):
            return False
        merit = self._ranking.merit(scores[scored], subsets[scored].sum(axis=1))
        best = merit[np.lexsort((merit[:, 1], merit[:, 0]))[-1:]]
        improved = bool(self._ranking.beats(best, self._merit)[0])
        if improved:
            self._merit, self._members = best, {}
        level = scored[(merit[:, :2] == self._merit[:, :2]).all(axis=1)]
        self._members.update(zip(packed(subsets[level]), scores[level].tolist(), strict=True))
        self._summarize(subsets[level], scores[level], improved)
        return improved

    def _summarize(self, subsets: Masks, scores: Floats, improved: bool) -> None:
        if improved:
            self.score, self.size = -np.inf, int(subsets[0].sum())
        self.score = max(self.score, float(scores.max(initial=-np.inf)))

    def members(self) -> tuple[Masks, Floats]:
        """Give the subsets as they were met, and their scores."""
        subsets = unpacked(list(self._members), self._ranking.n_features)
        return subsets, np.array(list(self._members.values()))

    def ranked(self) -> tuple[Masks, Floats]:
        """Give the subsets from the first to the last, and their scores."""
        subsets, scores = self.members()
        order = self._ranking.order(subsets, scores)
        return subsets[order], scores[order]


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """The best subset of its size.

    Attributes
    ----------
    size : int
        Number of features.
    score : float
        Highest score met with that many.
    subset : bool[n_features]
        The subset that has it; of several, the one with the lowest features.
    """

    size: int
    score: float
    subset: Masks


class Front:
    """The highest score met for each size."""

    def __init__(self, n_features: int) -> None:
        self._n_features = n_features
        self._best: dict[int, tuple[float, bytes]] = {}

    def add(self, subsets: Masks, scores: Floats) -> None:
        """Take in scored subsets; minus infinity stands for an unknown score."""
        sizes = subsets.sum(axis=1)
        for size in np.unique(sizes[scores > -np.inf]):
            of_size = np.flatnonzero(sizes == size)
            highest = scores[of_size].max()
            first = max(packed(subsets[of_size[scores[of_size] == highest]]))
            known = self._best.get(int(size), (-np.inf, b""))
            self._best[int(size)] = max(known, (float(highest), first))

    def points(self) -> tuple[FrontPoint, ...]:
        """Give the front from the smallest size to the largest."""
        return tuple(
            FrontPoint(size, score, unpacked([row], self._n_features)[0])
            for size, (score, row) in sorted(self._best.items())
        )
