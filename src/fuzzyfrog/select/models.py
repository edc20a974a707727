"""The models of a check, the table as they see it, and their scores: all of scikit-learn."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple, cast

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, get_scorer, get_scorer_names
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import has_fit_parameter

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.common.messages import shown, suggested
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.measure.threads import effective_threads
from fuzzyfrog.result.check import FARTHEST
from fuzzyfrog.select.held_out import by_class

Scorer = Callable[..., float]
Models = Mapping[str, Any] | Sequence[Any] | None

N_TREES = 30
LEAST = -1.0  # R²
WORTH_A_THREAD = 20_000  # cells to train on
MOST_CATEGORIES = 50  # of a feature that models see; the rarest are one
TRIAL = np.array([[0.5], [1.7], [-2.2], [3.1]])  # numbers that are no classes
LARGEST = 1e100  # of a number that models see: its square is finite
RANKED = ("ROC AUC", "average precision")  # scores of the order of two classes
METRICS = {
    "balanced_accuracy": "balanced accuracy",
    "r2": "R²",
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
}


def preparation(categorical: Masks) -> ColumnTransformer:
    """Return what makes numbers without gaps of features; `features_of` says of which."""
    numbers = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    labels = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False
    )
    return ColumnTransformer(
        [
            ("numbers", numbers, np.flatnonzero(~categorical)),
            ("labels", labels, np.flatnonzero(categorical)),
        ],
        verbose_feature_names_out=False,
    )


def features_of(prepared: ColumnTransformer) -> Integers:
    """Return the feature of each column that a fitted preparation makes."""
    names = prepared.get_feature_names_out()
    return np.array([int(name[1:].partition("_")[0]) for name in names], np.int64)


def named_models(models: Models, seed: int, *, is_numeric: bool) -> dict[str, Any]:
    """Return the models by name; by default, classes count equally, as they do in the score."""
    if models is None:
        models = {
            "k nearest neighbors": KNeighborsClassifier(),
            "logistic regression": LogisticRegression(class_weight="balanced", max_iter=200),
            "random forest": RandomForestClassifier(N_TREES, class_weight="balanced"),
        }
        if is_numeric:
            models = {
                "k nearest neighbors": KNeighborsRegressor(),
                "ridge regression": Ridge(),
                "random forest": RandomForestRegressor(N_TREES),
            }
    named = _by_class(models) if isinstance(models, Sequence) else models
    if not isinstance(named, Mapping) or not named or not all(map(_is_estimator, named.values())):
        rule = "be estimators of scikit-learn such as Ridge(), as a list or by their names"
        raise ParameterError("models", rule, shown(models))
    return {str(name): _seeded(clone(one), seed) for name, one in named.items()}


def _by_class(models: Sequence[Any]) -> dict[str, Any]:
    """Return models by the name of their class, with a number if several are of the same."""
    names = [type(one).__name__ for one in models]
    numbers = [names[: place + 1].count(name) for place, name in enumerate(names)]
    numbered = [
        f"{name}-{number}" if names.count(name) > 1 else name
        for name, number in zip(names, numbers, strict=True)
    ]
    return dict(zip(numbered, models, strict=True))


def _is_estimator(model: Any) -> bool:
    return not isinstance(model, type) and hasattr(model, "fit") and hasattr(model, "get_params")


def _seeded(model: Any, seed: int) -> Any:
    """Return a model whose random numbers, also those of its parts, have a seed."""
    given = model.get_params()
    unseeded = [name for name in given if name.split("__")[-1] == "random_state"]
    return model.set_params(**{name: seed for name in unseeded if given[name] is None})


def check_scoring(scoring: object, *, is_numeric: bool) -> None:
    """Raise if a scorer is for another kind of target."""
    for scorer in named_scorers(scoring).values():
        takes_numbers = True
        try:
            with warnings.catch_warnings(action="ignore"):
                scorer(DummyRegressor().fit(TRIAL, TRIAL[:, 0]), TRIAL, TRIAL[:, 0])
        except (ValueError, TypeError, AttributeError):
            takes_numbers = False
        if takes_numbers != is_numeric:
            which, such = ("numbers", "r2") if is_numeric else ("classes", "balanced_accuracy")
            rule = f"be scorers for a target of {which}, such as {such}"
            raise ParameterError("scoring", rule, shown(scoring))


def named_scorers(scoring: object) -> dict[str, Scorer]:
    """Return scikit-learn's scorers by what they are called here."""
    names = [scoring] if isinstance(scoring, str) else scoring
    if not isinstance(names, Sequence) or not names:
        rule = "be the name of a scorer of scikit-learn, or several of them"
        raise ParameterError("scoring", rule, shown(scoring))
    known = get_scorer_names()
    for name in names:
        if name not in known:
            rule = "be scorers of scikit-learn, such as accuracy or roc_auc"
            raise ParameterError("scoring", rule, shown(name), suggested(name, known))
    return {METRICS.get(name, name.replace("_", " ")): get_scorer(name) for name in names}


class Tried(NamedTuple):
    """How a model does in a fold: its scores, what it predicts, and what would be right.

    In the place of R² is the sum of its squared errors, which `pooled` needs of all folds.
    """

    scores: list[float]
    predicted: Floats
    wanted: Floats


def pooled(squares: Sequence[Sequence[float]], of_means: Sequence[float]) -> list[list[float]]:
    """Return the part of each fold and model in R², whose mean is R² of all predictions together.

    A fold of its own has no R² to average: one of a few groups may have targets that hardly vary.
    The squared errors of the means of the training parts are what a model has to beat. A model that
    fails has -1, however far off it is: else it would decide what is said of all models.
    """
    to_beat = max(sum(of_means) / len(of_means), np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        parts = 1.0 - np.array(squares) / to_beat
    parts[:, parts.mean(axis=0) < LEAST] = LEAST
    return cast(list[list[float]], parts.tolist())


class Fold:
    """A fold as models see it; all that is learned comes from `train`."""

    def __init__(
        self,
        dataset: Dataset,
        parts: tuple[Integers, Integers],
        models: Mapping[str, Any],
        scorers: Mapping[str, Scorer],
        unit: float,
    ) -> None:
        self._dataset, self._models, self._scorers = dataset, models, scorers
        self._parts = train, test = parts
        target, self._unit = dataset.target, max(unit, np.finfo(float).tiny)
        if list(scorers) == ["R²"] and not 1 / LARGEST < unit < LARGEST:  # R² depends on no unit,
            target, self._unit = target / self._unit, 1.0  # and squares would overflow, or be 0
        self._targets = target[train], target[test]
        weights = dataset.weights
        self._weights = (None, None) if weights is None else (weights[train], weights[test])
        # Compared with the largest of the table, so that their scale counts for nothing.
        self._counts = np.ones(len(test)) if weights is None else weights[test] / weights.max()
        self._known: dict[bytes, list[Tried]] = {}

    def tried(self, features: Masks, n_jobs: int | None) -> list[Tried]:
        """Return how each model does with some features."""
        key = features.tobytes()
        if key not in self._known:
            X = self.prepared(features)
            self._known[key] = [self._tried(model, X, n_jobs) for model in self._models.values()]
        return self._known[key]

    def prepared(self, features: Masks) -> tuple[Floats, Floats]:
        """Return the samples to train on and to predict as numbers without gaps."""
        table, columns = preparation(self._dataset.categorical[features]), np.flatnonzero(features)
        train, test = (
            np.clip(self._dataset.values[np.ix_(rows, columns)], -LARGEST, LARGEST)
            for rows in self._parts
        )
        with warnings.catch_warnings(action="ignore"):  # columns may be empty, and categories new
            return table.fit_transform(train), table.transform(test)

    def chance(self) -> float:
        """Return the first score of a model that sees no feature."""
        dummy = DummyRegressor() if self._dataset.classes is None else DummyClassifier()
        train, test = (np.zeros((len(rows), 1)) for rows in self._parts)
        return self._tried(dummy, (train, test), 1).scores[0]

    def squares_of_mean(self) -> float:
        """Return the sum of the squared errors of the mean of the samples to train on."""
        return self._squares(np.average(self._targets[0], weights=self._weights[0]))

    def _squares(self, predicted: Any) -> float:
        errors = (self._targets[1] - np.ravel(predicted)) / self._unit
        return float(errors**2 @ self._counts)

    def _tried(self, model: Any, X: tuple[Any, Any], n_jobs: int | None) -> Tried:
        stop_if_late()
        model, (train, test) = clone(model), self._weights
        weighted = train is not None and has_fit_parameter(model, "sample_weight")
        is_forest = type(model).__name__.startswith("RandomForest")
        with warnings.catch_warnings(action="ignore"):  # a linear model need not converge
            if is_forest and X[0].size >= WORTH_A_THREAD:
                model.set_params(n_jobs=effective_threads(n_jobs))
            model.fit(X[0], self._targets[0], **({"sample_weight": train} if weighted else {}))
            if is_forest:
                model.set_params(n_jobs=1)  # threads would add up in any order
            given = {} if test is None else {"sample_weight": test}
            predict = cache(partial(model.predict, X[1]))  # once for the score and for `_predicted`
            scores = [self._scored(name, model, X[1], predict, given) for name in self._scorers]
            return Tried(scores, *self._predicted(model, X[1], predict))

    def _predicted(self, model: Any, X: Any, predict: Callable[[], Any]) -> tuple[Floats, Floats]:
        """Return what is predicted for each sample, and what its target wants.

        That is the right class, all of which count alike; the order of two classes, if that is the
        score; or how far a number is from the mean of those to train on.
        """
        target = self._targets[1]
        if self._dataset.classes is None:
            predicted = np.asarray(predict(), np.float64).reshape(len(target), 1)
            predicted = np.clip(predicted / self._unit, -FARTHEST, FARTHEST)
            usual = np.average(self._targets[0], weights=self._weights[0])
            return predicted, (self._counts * (target - usual) / self._unit)[:, np.newaxis]
        codes, n_classes = target.astype(np.int64), len(self._dataset.classes)
        wanted = by_class(codes, self._counts, n_classes)
        if next(iter(self._scorers)) in RANKED and hasattr(model, "predict_proba"):
            other, one = wanted[:, model.classes_[:1]], wanted[:, model.classes_[1:2]]
            return model.predict_proba(X)[:, 1:2], one - other
        return (predict()[:, np.newaxis] == np.arange(n_classes)) * 1.0, wanted

    def _scored(
        self, name: str, model: Any, X: Any, predict: Callable[[], Any], given: dict[str, Floats]
    ) -> float:
        if name == "R²":
            return min(self._squares(predict()), FARTHEST)
        try:
            if name == METRICS["balanced_accuracy"]:
                score = float(balanced_accuracy_score(self._targets[1], predict(), **given))
            else:
                score = float(self._scorers[name](model, X, self._targets[1], **given))
        except (ValueError, TypeError, AttributeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise ParameterError(
                "scoring", "suit the target and the models", name, reason
            ) from None
        if not np.isfinite(score):
            raise DataError(
                f"the score {name} must be a number in every fold, got {score:g}. Use fewer folds, "
                "or another score."
            )
        return min(max(score, -FARTHEST), FARTHEST)
