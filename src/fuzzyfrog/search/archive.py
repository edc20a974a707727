"""What a run has found so far: every distinct best subset, and the front."""

from dataclasses import dataclass
from typing import NamedTuple

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


class _Best(NamedTuple):
    """The best subsets met: how good they are, their scores, the highest score, their size."""

    merit: Floats
    members: dict[bytes, float]
    score: float
    size: int


class Archive:
    """Every distinct subset met that no other met subset is better than.

    Ctrl-C may come at any moment, so what is known changes from one whole to another at once.

    Parameters
    ----------
    ranking : Ranking
        Which subset is better.
    """

    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking
        self._best = _Best(np.full((1, 3), -np.inf), {}, -np.inf, 0)

    def __len__(self) -> int:
        return len(self._best.members)

    @property
    def score(self) -> float:
        """Highest score of a member."""
        return self._best.score

    @property
    def size(self) -> int:
        """Number of features that all members have."""
        return self._best.size

    def add(self, subsets: Masks, scores: Floats) -> bool:
        """Take in the subsets that are as good as the best; tell whether one is better."""
        scored = np.flatnonzero(scores > -np.inf)
        if not len(scored):
            return False
        merit = self._ranking.merit(scores[scored], subsets[scored].sum(axis=1))
        best = merit[np.lexsort((merit[:, 1], merit[:, 0]))[-1:]]
        improved = bool(self._ranking.beats(best, self._best.merit)[0])
        goal = best if improved else self._best.merit
        level = scored[(merit[:, :2] == goal[:, :2]).all(axis=1)]
        members = dict(zip(packed(subsets[level]), scores[level].tolist(), strict=True))
        highest = float(scores[level].max(initial=-np.inf))
        if improved:
            self._best = _Best(best, members, highest, int(subsets[level[0]].sum()))
        elif members:
            self._best.members.update(members)
            self._best = self._best._replace(score=max(self.score, highest))
        return improved

    def members(self) -> tuple[Masks, Floats]:
        """Give the subsets as they were met, and their scores."""
        subsets = unpacked(list(self._best.members), self._ranking.n_features)
        return subsets, np.array(list(self._best.members.values()))

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
