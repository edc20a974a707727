"""Panels of models: their protocol, the metrics, and nine classifiers of scikit-learn.

The nine represent the families of the paper's panel, as far as scikit-learn has them:

=================  =======================================  ===================================
name               scikit-learn                             instead of
=================  =======================================  ===================================
tree               entropy, two samples in a leaf           J48, the same splits without pruning
best_first_tree    Gini, grown best first to 16 leaves      BFTree
forest             100 random trees                         PART; there is no rule learner
naive_bayes        Gaussian                                 NaiveBayes
binary_bayes       Bernoulli, cut at the mean               BayesNet, which cuts into intervals
logistic           one linear model                         FT, which has them in its leaves
discriminant       linear, with shrinkage                   JRip; again no rule learner
neighbors          five nearest                             NBTree, the other local model
svm                radial basis functions                   RBFNetwork
=================  =======================================  ===================================

They answer the same question without Java, but do not reproduce the accuracies of Weka's nine.
For numeric targets there are eight regressors of the same families.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import Sentence, Setting
from fuzzyfrog.common.params import check_known
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, FuzzyfrogError
from fuzzyfrog_lab.folds import Fold

NAMES = (
    "tree",
    "best_first_tree",
    "forest",
    "naive_bayes",
    "binary_bayes",
    "logistic",
    "discriminant",
    "neighbors",
    "svm",
)
REGRESSORS = (
    "tree",
    "best_first_tree",
    "forest",
    "boosting",
    "ridge",
    "lasso",
    "neighbors",
    "svm",
)


@dataclass(frozen=True)
class Metric:
    """How well a model predicts the test samples of a fold, and how pages show it."""

    title: str
    plural: str
    models: Literal["classifiers", "regressors"] = "classifiers"
    scale: float = 100.0  # pages show percent
    digits: int = 2

    @property
    def model(self) -> str:
        """One of the models."""
        return self.models.removesuffix("s")

    @property
    def unit(self) -> str:
        """The unit, to follow the description of a figure."""
        return ", in percent" if self.scale == 100.0 else ""

    @property
    def folds(self) -> str:
        """The kind of folds."""
        return (
            "stratified folds" if self.models == "classifiers" else "folds along the numeric target"
        )

    def text(self, value: float) -> str:
        """Return a figure as pages show it."""
        return f"{value:.{self.digits}f}"


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "accuracy": Metric("accuracy", "accuracies"),
        "balanced-accuracy": Metric("balanced accuracy", "balanced accuracies"),
        "auc": Metric("AUC", "AUCs"),
        "f1": Metric("F1", "F1 scores"),
        "r2": Metric("R²", "R² scores", "regressors", scale=1.0, digits=3),
    }
)


class CellError(FuzzyfrogError, RuntimeError):
    """A cell of an experiment has no result; the message is the reason."""


def reason_of(error: Exception) -> str:
    """Return the reason for a failed cell in one line, with the type of an unexpected error."""
    kind = "" if isinstance(error, CellError) else f"{type(error).__name__}: "
    return " ".join(f"{kind}{error}".split())


class Panel(Protocol):
    """Classifiers that can be evaluated on folds.

    A panel may also have ``made_with(classifier)``, the versions and settings that decide what the
    classifier predicts, by name: a cell is computed again when one of them changes. For a panel
    without it that is its `version`. For a metric other than the accuracy it must have
    ``scores(dataset, classifier, folds, metric)``, the score of each fold.

    Attributes
    ----------
    name : str
        Name of the panel in configs and results.
    classifiers : tuple of str
        Names of its classifiers.
    """

    name: str
    classifiers: tuple[str, ...]

    @property
    def version(self) -> str:
        """The library of the classifiers and its version."""

    def correct(self, dataset: Dataset, classifier: str, folds: Sequence[Fold]) -> list[int]:
        """Return the number of correct predictions on each fold, or raise CellError."""

    def close(self) -> None:
        """Release processes and files."""


class SklearnPanel:
    """Nine classifiers of scikit-learn with fixed settings and seeds, or eight regressors.

    Numbers are standardized (missing values get the median) and categorical features one-hot
    encoded, both fitted on the training part of a fold.

    Parameters
    ----------
    metric : str
        A name in `METRICS`; "r2" makes it a panel of regressors.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyfrog.data import make_dataset
    >>> from fuzzyfrog_lab.folds import stratified_folds
    >>> from fuzzyfrog_lab.panel import SklearnPanel
    >>> iris = make_dataset(*load_iris(return_X_y=True))
    >>> SklearnPanel().correct(iris, "naive_bayes", stratified_folds(iris.target, 5))
    [29, 28, 28, 30, 29]
    """

    name = "sklearn"
    classifiers: tuple[str, ...] = NAMES

    def __init__(self, metric: str = "accuracy") -> None:
        check_known("metric", metric, METRICS)
        self._models = METRICS[metric].models
        if self._models == "regressors":
            self.classifiers = REGRESSORS

    @property
    def version(self) -> str:
        """Version of scikit-learn."""
        import sklearn

        return f"scikit-learn {sklearn.__version__}"

    def made_with(self, classifier: str) -> dict[str, str]:
        """Return the version of scikit-learn, and the settings that are not its defaults."""
        known = _classifiers() if self._models == "classifiers" else _regressors()
        return {self.name: self.version, "settings": repr(known[classifier])}

    def correct(self, dataset: Dataset, classifier: str, folds: Sequence[Fold]) -> list[int]:
        """Return the number of correct predictions on each fold."""
        check_known("classifier", classifier, NAMES)
        check_classes(dataset)
        return [
            int(np.count_nonzero(_fitted(dataset, classifier, fold).is_correct)) for fold in folds
        ]

    def scores(
        self, dataset: Dataset, classifier: str, folds: Sequence[Fold], metric: str
    ) -> list[float]:
        """Return the score of a classifier, or of a regressor, on each fold."""
        check_target(dataset, metric)
        check_known("classifier", classifier, self.classifiers)
        score = SCORES[metric]
        return [score(_fitted(dataset, classifier, fold)) for fold in folds]

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def check_classes(dataset: Dataset) -> None:
    """Raise DataError unless the target consists of classes."""
    if dataset.classes is None:
        raise DataError(
            Sentence(
                f"{dataset.name}: the target must be classes, got numbers. Classifiers need "
                "labels: pass ",
                Setting("target", "class"),
                ", or compare by ",
                Setting("metric", "r2"),
                ".",
            )
        )


def check_target(dataset: Dataset, metric: str) -> None:
    """Raise DataError unless the target is what a metric is about."""
    if METRICS[metric].models == "classifiers":
        check_classes(dataset)
    elif dataset.classes is not None:
        raise DataError(
            Sentence(
                f"{dataset.name}: the target must be numbers for R², got classes. Pass ",
                Setting("target", "numeric"),
                " if they are quantities, or choose another metric.",
            )
        )


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A model that was fitted on the training part of a fold, and the test samples."""

    model: Any
    samples: NDArray[np.float64]
    truth: NDArray[Any]

    @property
    def predicted(self) -> NDArray[Any]:
        predicted: NDArray[Any] = self.model.predict(self.samples)
        return predicted

    @property
    def is_correct(self) -> NDArray[np.bool_]:
        return np.asarray(self.predicted == self.truth)

    def evidence(self, label: int) -> NDArray[np.float64]:
        """Return how much the model is for a class; zeros for one that it has not seen."""
        known = list(self.model.classes_)
        if label not in known:
            return np.zeros(len(self.truth))
        values: NDArray[np.float64]
        if hasattr(self.model, "predict_proba"):
            values = self.model.predict_proba(self.samples)
        else:
            values = self.model.decision_function(self.samples)
        if values.ndim == 1:  # of two classes, for the second one
            return values if known.index(label) else -values
        return values[:, known.index(label)]


def _fitted(dataset: Dataset, classifier: str, fold: Fold) -> _Fitted:
    X, y = dataset.values, dataset.target
    known = _regressors() if dataset.classes is None else _classifiers()
    try:
        model = _model(known[classifier], dataset).fit(X[fold.train], y[fold.train])
    except ValueError as error:  # too few samples of a class, for example
        raise CellError(" ".join(str(error).split())) from None
    return _Fitted(model, X[fold.test], y[fold.test])


def _balanced_accuracy(fitted: _Fitted) -> float:
    """Return the mean share of correct predictions in each class."""
    truth, is_correct = fitted.truth, fitted.is_correct
    return float(np.mean([is_correct[truth == label].mean() for label in np.unique(truth)]))


def _f1(fitted: _Fitted) -> float:
    """Return the mean of the F1 scores of the classes that the fold has to predict.

    Whether a class that is only predicted counts, with 0, would depend on how the folds are drawn;
    as a wrong prediction, it already lowers the score of the right class.
    """
    from sklearn.metrics import f1_score

    truth, labels = fitted.truth, np.unique(fitted.truth)
    score = f1_score(truth, fitted.predicted, labels=labels, average="macro", zero_division=0.0)
    return float(score)


def _auc(fitted: _Fitted) -> float:
    """Return the mean area under the ROC curve of each class against the others."""
    from sklearn.metrics import roc_auc_score

    labels = np.unique(fitted.truth)
    if len(labels) < 2:
        raise CellError("a fold has test samples of one class only, for which there is no AUC")
    areas = [roc_auc_score(fitted.truth == one, fitted.evidence(one)) for one in labels.tolist()]
    return float(np.mean(areas))


def _r2(fitted: _Fitted) -> float:
    """Return the share of the variance that the predictions explain; negative if they do harm."""
    truth = fitted.truth
    if truth.min() == truth.max():  # the variance of equal numbers may be more than 0
        raise CellError("a fold has test samples of one value only, for which there is no R²")
    spread = float(((truth - truth.mean()) ** 2).sum())
    return 1.0 - float(((truth - fitted.predicted) ** 2).sum()) / spread


SCORES = {"balanced-accuracy": _balanced_accuracy, "auc": _auc, "f1": _f1, "r2": _r2}


def _model(estimator: Any, dataset: Dataset) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    prepared = ColumnTransformer(
        [
            ("numbers", numbers, np.flatnonzero(~dataset.categorical)),
            ("labels", labels, np.flatnonzero(dataset.categorical)),
        ]
    )
    return make_pipeline(prepared, estimator)


def _classifiers() -> dict[str, Any]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB, GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    return {
        "tree": DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0),
        "best_first_tree": DecisionTreeClassifier(max_leaf_nodes=16, random_state=0),
        "forest": RandomForestClassifier(random_state=0),
        "naive_bayes": GaussianNB(),
        "binary_bayes": BernoulliNB(),
        "logistic": LogisticRegression(max_iter=5000),
        "discriminant": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        "neighbors": KNeighborsClassifier(),
        "svm": SVC(random_state=0),
    }


def _regressors() -> dict[str, Any]:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import LassoCV, Ridge
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR
    from sklearn.tree import DecisionTreeRegressor

    return {
        "tree": DecisionTreeRegressor(min_samples_leaf=2, random_state=0),
        "best_first_tree": DecisionTreeRegressor(max_leaf_nodes=16, random_state=0),
        "forest": RandomForestRegressor(random_state=0),
        "boosting": GradientBoostingRegressor(random_state=0),
        "ridge": Ridge(),
        "lasso": LassoCV(max_iter=10_000, random_state=0),
        "neighbors": KNeighborsRegressor(),
        # Its margin is in units of the target.
        "svm": TransformedTargetRegressor(regressor=SVR(), transformer=StandardScaler()),
    }
