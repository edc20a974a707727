"""Weka's stratified folds without Weka, so that every panel uses the same ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import shown
from fuzzyfrog.common.params import check_count
from fuzzyfrog.errors import ParameterError

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Fold:
    """Indices of training and test samples, in the order of Weka."""

    train: Integers
    test: Integers


class JavaRandom:
    """The random numbers of ``java.util.Random``: 48 bits, linear congruential.

    Examples
    --------
    >>> from fuzzyfrog_lab.folds import JavaRandom
    >>> random = JavaRandom(1)
    >>> [random.below(10) for _ in range(4)]
    [5, 8, 7, 3]
    """

    MULTIPLIER = 0x5DEECE66D
    MASK = (1 << 48) - 1

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ self.MULTIPLIER) & self.MASK

    def below(self, bound: int) -> int:
        """Return the next integer from 0 to `bound` - 1."""
        if bound & (bound - 1) == 0:  # for a power of two, Java takes the upper bits
            return (bound * self._bits31()) >> 31
        while True:
            bits = self._bits31()
            value = bits % bound
            if bits - value + bound - 1 < 1 << 31:  # otherwise the last values would be less likely
                return value

    def _bits31(self) -> int:
        self._state = (self._state * self.MULTIPLIER + 0xB) & self.MASK
        return self._state >> 17


def stratified_folds(target: Sequence[object], n_folds: int = 10, seed: int = 1) -> list[Fold]:
    """Return the folds of a stratified cross-validation, the same as in Weka's Explorer.

    Examples
    --------
    >>> from fuzzyfrog_lab.folds import stratified_folds
    >>> [fold.test.tolist() for fold in stratified_folds("aaabbb", n_folds=3)]
    [[4, 1], [5, 2], [3, 0]]
    """
    classes = list(target)
    _check_number(n_folds, len(classes))
    random = JavaRandom(seed)
    rows = _shuffled(range(len(classes)), random)
    return _cut(_dealt(_grouped(rows, classes), n_folds), n_folds, random)


def folds_along(target: Sequence[float], n_folds: int = 10, seed: int = 1) -> list[Fold]:
    """Return folds in which a numeric target is spread alike, from low to high.

    Examples
    --------
    >>> from fuzzyfrog_lab.folds import folds_along
    >>> [sorted(fold.test.tolist()) for fold in folds_along([0, 1, 2, 3, 4, 5], n_folds=3)]
    [[0, 3], [1, 4], [2, 5]]
    """
    numbers = list(target)
    _check_number(n_folds, len(numbers))
    random = JavaRandom(seed)
    rows = sorted(_shuffled(range(len(numbers)), random), key=lambda row: numbers[row])
    return _cut(_dealt(rows, n_folds), n_folds, random)


def _check_number(n_folds: int, n_samples: int) -> None:
    check_count("n_folds", n_folds, least=2)
    if n_folds > n_samples:
        rule = f"be at most the number of samples ({n_samples})"
        raise ParameterError("n_folds", rule, shown(n_folds))


def _cut(rows: Sequence[int], n_folds: int, random: JavaRandom) -> list[Fold]:
    """Cut rows into folds; each trains on the others, in random order."""
    bounds = np.cumsum([0, *(len(part) for part in np.array_split(rows, n_folds))]).tolist()
    folds = []
    for first, last in pairwise(bounds):
        train = _shuffled([*rows[:first], *rows[last:]], random)  # the same stream for all folds
        folds.append(Fold(np.array(train, np.int64), np.array(rows[first:last], np.int64)))
    return folds


def _shuffled(rows: Sequence[int], random: JavaRandom) -> list[int]:
    """Swap each row, from the last on, with one at or before it."""
    shuffled = list(rows)
    for last in range(len(shuffled) - 1, 0, -1):
        other = random.below(last + 1)
        shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
    return shuffled


def _grouped(rows: Sequence[int], classes: Sequence[object]) -> list[int]:
    """Group the rows of each class by swaps; a stable sort would give other folds."""
    grouped = list(rows)
    end = 1  # of the group that is being collected
    while end < len(grouped):
        wanted = classes[grouped[end - 1]]
        for candidate in range(end, len(grouped)):
            if classes[grouped[candidate]] == wanted:
                grouped[end], grouped[candidate] = grouped[candidate], grouped[end]
                end += 1
        end += 1
    return grouped


def _dealt(rows: Sequence[int], n_folds: int) -> list[int]:
    """Deal the rows out to the folds like cards."""
    return [row for first in range(n_folds) for row in rows[first::n_folds]]
