"""A custom panel and selectors, named in configs as quick_panel:Class."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from fuzzyfrog_lab.panel import CellError


class QuickPanel:
    name = "quick"
    classifiers = ("bayes", "neighbor")
    version = "1"

    def correct(self, dataset, classifier, folds):
        models = {"bayes": GaussianNB(), "neighbor": KNeighborsClassifier(1)}
        X, y = dataset.values, dataset.target
        counts = []
        for fold in folds:
            fitted = models[classifier].fit(X[fold.train], y[fold.train])
            counts.append(int((fitted.predict(X[fold.test]) == y[fold.test]).sum()))
        return counts

    def close(self):
        pass


class FailingPanel(QuickPanel):
    name = "failing"

    def correct(self, dataset, classifier, folds):
        if dataset.name == "pears" and classifier == "bayes" and dataset.n_features > 2:
            raise CellError("the virtual machine ended")
        return super().correct(dataset, classifier, folds)


class Widest(SelectorMixin, BaseEstimator):
    """The feature with the widest range."""

    def fit(self, X, y):
        self.support_ = np.arange(X.shape[1]) == np.argmax(np.ptp(X, axis=0))
        return self

    def _get_support_mask(self):
        return self.support_


class Refusing(Widest):
    def fit(self, X, y):
        raise ValueError("nothing to\nselect")


class Interrupted(Widest):
    def fit(self, X, y):
        self.stop_reason_ = "interrupted"
        return super().fit(X, y)
