"""What is known about subsets, so that none is scored twice."""

import hashlib

import numpy as np

from fuzzyfrog.search.archive import packed
from fuzzyfrog.search.protocol import Floats, Masks

__all__ = ["Ledger", "subset_keys"]

KEY_BYTES = 16


def subset_keys(subsets: Masks) -> list[bytes]:
    """Give a short key for each subset: its bits, or their digest where that is shorter."""
    rows = packed(subsets)
    if subsets.shape[1] <= 8 * KEY_BYTES:
        return rows
    return [hashlib.blake2b(row, digest_size=KEY_BYTES).digest() for row in rows]


class Ledger:
    """Scores of subsets, and for rejected ones the value that their score is below."""

    def __init__(self) -> None:
        self._scores: dict[bytes, float] = {}
        self._below: dict[bytes, float] = {}

    def known(self, key: bytes, bar: float) -> float | None:
        """Give what a subset comes back as when scored with ``bar``; None if not known."""
        score = self._scores.get(key)
        if score is not None:
            return score if score >= bar else -np.inf
        return -np.inf if self.is_below(key, bar) else None

    def is_below(self, key: bytes, value: float) -> bool:
        """Tell whether the score of a subset is known to be below a value."""
        if key in self._scores:
            return self._scores[key] < value
        return self._below.get(key, np.inf) <= value

    def enter(self, keys: list[bytes], scores: Floats, bars: Floats) -> None:
        """Note the scores of subsets; one below its bar stands for a rejection."""
        for key, score, bar in zip(keys, scores.tolist(), bars.tolist(), strict=True):
            if score >= bar:
                self._scores[key] = score
                self._below.pop(key, None)
            else:
                self._below[key] = min(bar, self._below.get(key, np.inf))
