"""Backward elimination: take features out of subsets until none can be spared."""

import numpy as np

from fuzzyfrog.search.protocol import Batch, Floats, Integers, Masks, Steps


def eliminate(
    subsets: Masks, required: Floats, keep: Masks, orders: Integers
) -> Steps[tuple[Masks, Floats]]:
    """Take features out of subsets until none can be spared; all subsets in step.

    Scores never rise when a feature is removed, so one pass over the features is enough.
    Features are removed in groups that double after a success and halve after a failure: if 10 of
    1000 features are needed, about 175 trials find them.

    Each subset must keep its score in `required` (float64[n_subsets]), tries its features in the
    order given by its row of `orders` (int64[n_subsets, n_features]), and always keeps those in
    `keep` (bool[n_features]). Returns the smaller subsets, and their scores where one was measured,
    else minus infinity.
    """
    running = [_Elimination(one, order, keep) for one, order in zip(subsets, orders, strict=True)]
    scores = np.full(len(running), -np.inf)
    active = [row for row, one in enumerate(running) if not one.done]
    while active:
        trials = np.array([running[row].trial() for row in active])
        measured = yield Batch(trials, at_least=required[active])
        for row, score in zip(active, measured, strict=True):
            if running[row].learn(bool(score >= required[row])):
                scores[row] = score
        active = [row for row in active if not running[row].done]
    smaller = np.array([one.subset for one in running], dtype=np.bool_)
    return smaller.reshape(subsets.shape), scores


class _Elimination:
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
        """Continue after a trial that was good enough or not; return whether it was."""
        if enough:
            self.subset[self._left[: self._group]] = False
            self._left = self._left[self._group :]
            self._group *= 2
        elif self._group == 1:
            self._left = self._left[1:]
        else:
            self._group //= 2
        return enough
