"""Random numbers that are the same under every version of NumPy.

NumPy guarantees the 64-bit words of its bit generators, but not what ``Generator`` makes of them.
So the words are turned into floats, integers and orders here, by exact arithmetic.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.search.protocol import Floats, Integers

Shape = int | tuple[int, ...]


class Stream:
    """A stream of random numbers, named by the seed and a purpose such as "leap", 7.

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
