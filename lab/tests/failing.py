"""Custom panels and selectors that fail in unforeseen ways."""

import numpy as np

from fuzzyfrog_lab.panel import CellError
from quick_panel import QuickPanel, Widest


class Crossed(QuickPanel):
    """Each classifier fails for one of two selectors, so that no classifier has both."""

    name = "crossed"

    def correct(self, dataset, classifier, folds):
        if (classifier == "bayes") == (dataset.n_features == 1):
            raise RuntimeError("not\nhere")
        return super().correct(dataset, classifier, folds)


class OutOfMemory(QuickPanel):
    """It has no memory for the neighbors of pears."""

    name = "out of memory"

    def correct(self, dataset, classifier, folds):
        if dataset.name == "pears" and classifier == "neighbor":
            raise MemoryError("no room")
        return super().correct(dataset, classifier, folds)


class Slow(QuickPanel):
    """Its neighbors take too long for the first table of pears, and would not for others."""

    name = "slow"
    n_tried = 0

    def correct(self, dataset, classifier, folds):
        if dataset.name == "pears" and classifier == "neighbor":
            Slow.n_tried += 1
            raise CellError("it took more than 7 seconds")
        return super().correct(dataset, classifier, folds)


class NumpyCounts(QuickPanel):
    """It counts with NumPy, whose integers JSON does not know."""

    name = "numpy"

    def correct(self, dataset, classifier, folds):
        return np.array(super().correct(dataset, classifier, folds))


class Stopping(QuickPanel):
    """It is stopped from the keyboard."""

    name = "stopping"

    def correct(self, dataset, classifier, folds):
        raise KeyboardInterrupt


class OutOfRange(Widest):
    """It looks for a feature that is not there."""

    def fit(self, X, y):
        return X[:, X.shape[1]]
