"""What `plan.md` compares: W1 with several bars, W2 with its guard, Boruta; and the five models."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import balanced_accuracy_score

from fuzzyfrog import SoftSelector
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.select import redundant

sys.path.append(str(Path(__file__).parents[1]))
from stopping_rule import inputs, models

ALIKE = redundant.ALIKE
MOST_STEPS, FIRST_STEPS = 20, 6  # of W2
LEAST_VARIANCE, LEAST_LOG = 0.01, -20.0  # of naive Bayes
PENALTY = 1.0


def pruned(measure: SoftDependency, taken: list[int], errors: float) -> list[int]:
    """Return features without redundant ones; the loss may rise by some standard errors."""
    redundant.CLEARLY, default = errors, redundant.CLEARLY
    losses = measure.left_out_losses(sorted(taken), start=len(taken) - 1)[0]
    found = redundant.Redundancy(
        measure, taken, lambda some: (np.array(some, np.int64), [0]), losses
    )
    gone = found.substitutes(np.zeros(measure.n_features, np.bool_))
    redundant.CLEARLY = default
    return [one for one in sorted(taken) if one not in gone]


def soft(X: pd.DataFrame, y: np.ndarray, numeric: bool, **settings: object) -> list[int]:
    """Return what `SoftSelector` selects."""
    selector = SoftSelector(target="numeric" if numeric else "class", n_jobs=1, **settings)
    return selector.fit(X, y).get_support(indices=True).tolist()


def boruta(X: pd.DataFrame, y: np.ndarray, numeric: bool) -> list[int]:
    """Return what Boruta confirms or leaves open; categories are codes, gaps medians."""
    from boruta import BorutaPy

    numbers = X.apply(lambda column: column.cat.codes if column.dtype == "category" else column)
    kind = RandomForestRegressor if numeric else RandomForestClassifier
    found = BorutaPy(
        kind(50, max_depth=5, random_state=0), n_estimators=50, max_iter=40, random_state=0
    )
    codes = y if numeric else np.unique(y, return_inverse=True)[1]
    found.fit(numbers.fillna(numbers.median()).to_numpy(np.float64), codes)
    return np.flatnonzero(found.support_ | found.support_weak_).tolist()


class Wide:
    """W2: memberships, linear discriminant analysis and naive Bayes, each sample left out."""

    def __init__(self, X: pd.DataFrame, y: np.ndarray) -> None:
        self.measure = SoftDependency(X, y, target="class", n_jobs=1)
        data = self.measure.dataset
        self.codes, self.n_classes = data.target.astype(np.int64), len(data.classes)
        self.rows = np.arange(len(self.codes))
        self.own = self.codes[:, np.newaxis] == np.arange(self.n_classes)
        self.counts = self.own.sum(axis=0).astype(np.float64)
        left = self.counts - self.own
        self.log_priors = np.log(np.where(self.own, np.maximum(left, 0.5), left))
        self.blocks, self.by_bayes = [], []
        for feature in range(data.n_features):
            column = data.values[:, feature]
            if data.categorical[feature]:
                self.blocks.append(redundant._indicators(column))
                self.by_bayes.append(self._of_categories(column))
            else:
                z = redundant._standardized(redundant._filled(column))
                self.blocks.append(z[:, np.newaxis])
                self.by_bayes.append(self._of_numbers(z))
        every = np.arange(data.n_features)
        self.alike = redundant.correlations(data, every, every)

    def _of_numbers(self, z: np.ndarray) -> np.ndarray:
        """Return the log densities of a column in each class, without the sample itself."""
        sums, squares = self.own.T @ z, self.own.T @ z**2
        n = self.counts - self.own
        x = np.where(self.own, z[:, np.newaxis], 0.0)
        n_or_1 = np.maximum(n, 1.0)
        means = (sums - x) / n_or_1
        spread = np.maximum((squares - x**2) / n_or_1 - means**2, 0.0) + LEAST_VARIANCE
        logs = -0.5 * np.log(spread) - 0.5 * (z[:, np.newaxis] - means) ** 2 / spread
        return np.maximum(logs, LEAST_LOG)

    def _of_categories(self, values: np.ndarray) -> np.ndarray:
        """Return the log shares of a category in each class, one more of each; 0 for gaps."""
        logs = np.zeros(self.own.shape)
        known = ~np.isnan(values)
        kinds, places = np.unique(values[known], return_inverse=True)
        own = self.own[known].astype(np.float64)
        table = np.zeros((len(kinds), self.n_classes))
        np.add.at(table, places, own)
        logs[known] = np.log((table[places] - own + 1) / (table.sum(0) - own + len(kinds)))
        return logs

    def by_discriminant(self, features: list[int]) -> np.ndarray:
        """Return the log posteriors of linear discriminant analysis, up to a constant."""
        Z = np.hstack([self.blocks[one] for one in features])
        own, counts = self.own, self.counts
        means = own.T @ Z / counts[:, np.newaxis]
        v = Z - means[self.codes]
        chol = np.linalg.cholesky(v.T @ v + PENALTY * np.eye(Z.shape[1]))
        inverse = np.linalg.inv(chol).T
        Z, means, v = Z @ inverse, means @ inverse, v @ inverse
        n_own = counts[self.codes]
        a = np.where(n_own > 1, n_own / np.maximum(n_own - 1, 1), 1.0)
        q = np.minimum((v * v).sum(axis=1), 0.999 / a)
        squared = (Z * Z).sum(axis=1)[:, np.newaxis] - 2 * Z @ means.T + (means * means).sum(axis=1)
        across = (Z * v).sum(axis=1)[:, np.newaxis] - v @ means.T
        lost = (a / (1 - a * q))[:, np.newaxis]
        squared = squared + lost * across**2
        squared[self.rows, self.codes] = a**2 * (q + a * q**2 / (1 - a * q))
        freedom = max(1, len(Z) - 1 - self.n_classes)
        return -0.5 * freedom * squared + self.log_priors

    def bayes(self, features: list[int]) -> np.ndarray:
        """Return the log posteriors of naive Bayes, up to a constant."""
        return sum((self.by_bayes[one] for one in features), self.log_priors)

    def posterior(self, logs: np.ndarray) -> np.ndarray:
        """Return the posterior of the own class."""
        return np.exp(logs[self.rows, self.codes] - logsumexp(logs, axis=1))

    def path(self) -> tuple[list[int], list[float]]:
        """Return the features in the order in which they come in, and Q of each size."""
        n = self.measure.n_features
        taken, heights, barred = [], [], np.zeros(n, np.bool_)
        while len(taken) < MOST_STEPS and not barred.all():
            free = np.flatnonzero(~barred)
            masks = np.zeros((len(free), n), np.bool_)
            masks[:, taken] = True
            masks[np.arange(len(free)), free] = True
            memberships = np.atleast_2d(self.measure.memberships(masks)).mean(axis=1)
            so_far = self.bayes(taken)
            heights_here = [
                (
                    mean
                    + self.posterior(self.by_discriminant([*taken, one])).mean()
                    + self.posterior(so_far + self.by_bayes[one]).mean()
                )
                / 3
                for mean, one in zip(memberships.tolist(), free.tolist(), strict=True)
            ]
            best = int(np.argmax(np.round(heights_here, 12)))
            feature = int(free[best])
            taken.append(feature)
            heights.append(float(heights_here[best]))
            barred |= self.alike[feature] >= ALIKE
            barred[feature] = True
            peak = int(np.argmax(heights)) + 1
            if len(taken) > FIRST_STEPS and len(taken) > 2 * peak + 1:
                break
        return taken, heights

    def selected(self) -> list[int]:
        """Return the features of W2."""
        taken, heights = self.path()
        return sorted(taken[: int(np.argmax(heights)) + 1])

    def losses(self, features: list[int]) -> np.ndarray:
        """Return the losses of the model that is best with some features."""
        neighbors = self.measure.left_out_losses(features, start=len(features) - 1)[0]
        found = [neighbors, self._wrong(self.by_discriminant(features))]
        found.append(self._wrong(self.bayes(features)))
        return min(found, key=np.mean)

    def _wrong(self, logs: np.ndarray) -> np.ndarray:
        return (logs.argmax(axis=1) != self.codes).astype(np.float64)

    def guarded(self, wide: list[int], today: list[int]) -> list[int]:
        """Return the features of W2, or today's if these are clearly better."""
        above = self.losses(wide) - self.losses(today)
        error = above.std(ddof=1) / np.sqrt(len(above))
        return today if above.mean() > error else wide


def scored(
    X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray, numeric: bool
) -> tuple[list[float], list[float]]:
    """Return the scores of the five models on the rows left out: accuracy, or R² from -1 on.

    The second list has balanced accuracies, or R² again.
    """
    X = X.astype(dict.fromkeys(X.select_dtypes("category"), object))
    prepared = inputs(X)
    Z, Z_test = prepared.fit_transform(X.iloc[train]), prepared.transform(X.iloc[test])
    scores, balanced = [], []
    for model in models(not numeric):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not numeric:
                said = model.fit(Z, y[train]).predict(Z_test)
                scores.append(float((said == y[test]).mean()))
                balanced.append(float(balanced_accuracy_score(y[test], said)))
                continue
            mean, spread = y[train].mean(), y[train].std() or 1.0
            said = model.fit(Z, (y[train] - mean) / spread).predict(Z_test) * spread + mean
            rest = ((said - y[test]) ** 2).sum() / ((y[test] - y[test].mean()) ** 2).sum()
            scores.append(float(max(-1.0, 1.0 - rest)))
    return scores, balanced or scores


def n_redundant(measure: SoftDependency, taken: list[int]) -> int:
    """Return how many features have a correlation of at least 0.9 to another one."""
    columns = np.array(taken, np.int64)
    alike = redundant.correlations(measure.dataset, columns, columns)
    np.fill_diagonal(alike, 0.0)
    return int((alike.max(axis=1, initial=0.0) >= ALIKE).sum())
