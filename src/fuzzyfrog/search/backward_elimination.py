"""Shedding: take features out of subsets until none can go."""

from collections.abc import Generator

import numpy as np

from fuzzyfrog.search.protocol import Batch, Floats, Integers, Masks

__all__ = [
    "shed",
]


def shed(
    subsets: Masks, required: Floats, keep: Masks, orders: Integers
) -> Generator[Batch, Floats, tuple[Masks, Floats]]:
    """Take features out of subsets until none can go; all subsets in step.

    Scores never rise when a feature goes, so one pass over the features is enough.
    Features go in groups that double after a success and halve after a failure: of 1000
    features of which 10 are needed, about 175 trials find them.

    Parameters
    ----------
    subsets : bool[n_subsets, n_features]
        Subsets to make smaller.
    required : float64[n_subsets]
        Scores that must be kept.
    keep : bool[n_features]
        Features that stay in any case.
    orders : int64[n_subsets, n_features]
        In which order each subset tries to do without its features.

    Returns
    -------
    bool[n_subsets, n_features], float64[n_subsets]
        The smaller subsets, and their scores where one was told, else minus infinity.
    """
    sheds = [_Shed(one, order, keep) for one, order in zip(subsets, orders, strict=True)]
    scores = np.full(len(sheds), -np.inf)
    active = [row for row, one in enumerate(sheds) if not one.done]
    while active:
        trials = np.array([sheds[row].trial() for row in active])
        told = yield Batch(trials, at_least=required[active])
        for row, score in zip(active, told, strict=True):
            if sheds[row].learn(bool(score >= required[row])):
                scores[row] = score
        active = [row for row in active if not sheds[row].done]
    lighter = np.array([one.subset for one in sheds], dtype=np.bool_)
    return lighter.reshape(subsets.shape), scores


class _Shed:
    """One subset on its way to a smaller one."""

    def __init__(self, subset: Masks, order: Integers, keep: Masks) -> None:
        self.subset = subset.copy()
        self._left = order[(subset & ~keep)[order]]
        self._last = not keep.any()  # then the last feature must stay
        self._group = max(1, len(self._left) // 2)

    @property
    def done(self) -> bool:
        only_one = self._last and self.subset.sum() == 1
        return only_one or not len(self._left)

    def trial(self) -> Masks:
        """Return the subset without the next group of features."""
        n_spare = int(self.subset.sum()) - (1 if self._last else 0)
        self._group = min(self._group, len(self._left), n_spare)
        smaller = self.subset.copy()
        smaller[self._left[: self._group]] = False
        return smaller

    def learn(self, enough: bool) -> bool:
        """Go on after a trial that was good enough or not; tell whether it was."""
        if enough:
            self.subset[self._left[: self._group]] = False
            self._left = self._left[self._group :]
            self._group *= 2
        elif self._group == 1:
            self._left = self._left[1:]
        else:
            self._group //= 2
        return enough
