"""The models of a check, and a fold of the table as they see it."""

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.deadline import stop_if_late, uninterrupted
from fuzzyfrog.data import Dataset
from fuzzyfrog.measure.threads import effective_threads

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Masks = NDArray[np.bool_]

CLASSIFIERS = ("k nearest neighbors", "logistic regression", "random forest")
REGRESSORS = ("k nearest neighbors", "ridge regression", "random forest")
N_TREES = 50
LOWEST_R2 = -1e9  # a result has finite numbers only
WORTH_A_THREAD = 20_000  # cells to train on
MOST_CATEGORIES = 50  # of a feature that models see; the rest are one


class ModelTable:
    """A fold as models see it: numbers without gaps; all that is learned comes from `train`."""

    def __init__(self, dataset: Dataset, train: Integers, test: Integers) -> None:
        self._is_numeric = dataset.classes is None
        self._y_train, self._y_test = dataset.target[train], dataset.target[test]
        blocks = [
            (one_hot if categorical else standardized)(column[train], column[test])
            for column, categorical in zip(dataset.values.T, dataset.categorical, strict=True)
        ]
        self._train = np.hstack([block[0] for block in blocks])
        self._test = np.hstack([block[1] for block in blocks])
        self._feature = np.repeat(np.arange(len(blocks)), [block[0].shape[1] for block in blocks])
        self._known: dict[bytes, Floats] = {}

    def scores(self, features: Masks, seed: int, n_jobs: int | None) -> Floats:
        """Return the score of each model with some features."""
        if features.tobytes() in self._known:
            return self._known[features.tobytes()]
        columns = features[self._feature]
        X_train, X_test = self._train[:, columns], self._test[:, columns]
        n_threads = effective_threads(n_jobs) if X_train.size >= WORTH_A_THREAD else 1
        scores = []
        for model in _models(seed, is_numeric=self._is_numeric):
            stop_if_late()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a linear model need not converge
                is_forest = hasattr(model, "n_estimators")
                if is_forest:
                    model.set_params(n_jobs=n_threads)
                model.fit(X_train, self._y_train)
                if is_forest:
                    model.set_params(n_jobs=1)  # threads would add up in any order
                predicted = model.predict(X_test)
            scores.append(_score(self._y_test, predicted, is_numeric=self._is_numeric))
        self._known[features.tobytes()] = np.array(scores)
        return self._known[features.tobytes()]


def standardized(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Return a column of numbers in units of its spread, gaps at the median."""
    known = train[~np.isnan(train)]
    median = float(np.median(known)) if known.size else 0.0
    train, test = (np.where(np.isnan(one), median, one) for one in (train, test))
    center, spread = float(train.mean()), float(train.std())
    scale = spread if np.isfinite(spread) and spread > 0 else 1.0
    return ((train - center) / scale)[:, None], ((test - center) / scale)[:, None]


def one_hot(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Return a column of zeros and ones for each category seen; a gap or a new one has no 1."""
    seen, counts = np.unique(train[~np.isnan(train)], return_counts=True)
    kept = np.sort(seen[np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]])
    return (train[:, None] == kept).astype(float), (test[:, None] == kept).astype(float)


def _models(seed: int, *, is_numeric: bool) -> list[Any]:
    """Return the models; classes count equally, as they do in the score."""
    with uninterrupted():  # the imports
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
        from sklearn.linear_model import LogisticRegression, Ridge
        from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    if is_numeric:
        forest = RandomForestRegressor(N_TREES, random_state=seed % 2**32)
        return [KNeighborsRegressor(), Ridge(), forest]
    return [
        KNeighborsClassifier(),
        LogisticRegression(class_weight="balanced", max_iter=500),
        RandomForestClassifier(N_TREES, class_weight="balanced", random_state=seed % 2**32),
    ]


def _score(truth: Any, predicted: Any, *, is_numeric: bool) -> float:
    if is_numeric:
        apart = truth - truth.mean()
        unit = float(np.abs(apart).max())  # squares of very large or small numbers are not finite
        if not 0.0 < unit < math.inf:
            return 0.0
        spread = float(((apart / unit) ** 2).sum())
        missed = float((((truth - predicted) / unit) ** 2).sum())
        return max(LOWEST_R2, 1.0 - missed / spread)
    return float(np.mean([np.mean(predicted[truth == one] == one) for one in np.unique(truth)]))
