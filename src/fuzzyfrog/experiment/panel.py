"""Panels of classifiers: their protocol, and nine classifiers of scikit-learn.

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
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from fuzzyfrog.common.params import check_known
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, FuzzyfrogError
from fuzzyfrog.experiment.folds import Fold

__all__ = ["CellError", "Panel", "SklearnPanel", "check_classes", "reason_of"]

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
    without it that is its `version`.

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
    """Nine classifiers of scikit-learn with fixed settings and seeds.

    Numbers are standardized (missing values get the median) and categorical features one-hot
    encoded, both fitted on the training part of a fold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fuzzyfrog.data import make_dataset
    >>> from fuzzyfrog.experiment.folds import stratified_folds
    >>> from fuzzyfrog.experiment.panel import SklearnPanel
    >>> iris = make_dataset(*load_iris(return_X_y=True))
    >>> SklearnPanel().correct(iris, "naive_bayes", stratified_folds(iris.target, 5))
    [29, 28, 28, 30, 29]
    """

    name = "sklearn"
    classifiers: tuple[str, ...] = NAMES

    @property
    def version(self) -> str:
        """Version of scikit-learn."""
        import sklearn

        return f"scikit-learn {sklearn.__version__}"

    def made_with(self, classifier: str) -> dict[str, str]:
        """Return the version of scikit-learn, and the settings that are not its defaults."""
        return {self.name: self.version, "settings": repr(_classifier(classifier))}

    def correct(self, dataset: Dataset, classifier: str, folds: Sequence[Fold]) -> list[int]:
        """Return the number of correct predictions on each fold."""
        check_known("classifier", classifier, NAMES)
        check_classes(dataset)
        return [_correct(dataset, classifier, fold) for fold in folds]

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def check_classes(dataset: Dataset) -> None:
    """Raise DataError unless the target consists of classes."""
    if dataset.classes is None:
        raise DataError(
            f"{dataset.name}: the target must be classes, got numbers. "
            "Classifiers need labels: read it with target='class'."
        )


def _correct(dataset: Dataset, classifier: str, fold: Fold) -> int:
    X, y = dataset.values, dataset.target
    model = _model(classifier, dataset)
    try:
        predicted = model.fit(X[fold.train], y[fold.train]).predict(X[fold.test])
    except ValueError as error:  # too few samples of a class, for example
        raise CellError(" ".join(str(error).split())) from None
    return int(np.count_nonzero(predicted == y[fold.test]))


def _model(classifier: str, dataset: Dataset) -> Any:
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
    return make_pipeline(prepared, _classifier(classifier))


def _classifier(name: str) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB, GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    known = {
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
    return known[name]
