"""Boosted trees in which the first use of a feature costs; the only module that uses LightGBM."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import shown
from fuzzyfrog.common.params import check_count, check_positive
from fuzzyfrog.data import Dataset
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.threads import effective_threads
from fuzzyfrog.records import Certificate
from fuzzyfrog.search.driver import check_budget
from fuzzyfrog.select.base import TableSelector, ranks_behind
from fuzzyfrog.select.certify import certificate_of_subset
from fuzzyfrog.select.parameters import RandomState, check_certify, seed_of

__all__ = [
    "BoostedSelector",
    "Trees",
    "gains",
    "losses",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LOWEST_CHANCE = 1e-15  # a class that was never seen has chance 0, and its loss must be finite


@dataclass(frozen=True)
class Trees:
    """How trees are grown.

    Attributes
    ----------
    n_estimators : int
        Rounds of boosting.
    learning_rate : float
        Weight of each tree.
    max_leaf_nodes, min_samples_leaf : int
        Size of a tree.
    seed, n_threads : int
        The result depends on the first only.
    """

    n_estimators: int
    learning_rate: float
    max_leaf_nodes: int
    min_samples_leaf: int
    seed: int
    n_threads: int


def gains(dataset: Dataset, trees: Trees, penalty: float) -> Floats:
    """Return what each feature gained in all splits, 0 where it was never used."""
    everything = np.arange(dataset.n_samples)
    model = _grown(_table(dataset, everything), dataset, trees, penalty)
    used = model.feature_importance("split") > 0
    # A split may gain nothing in float32 and still count as used.
    smallest = np.finfo(np.float64).tiny
    return np.where(used, np.maximum(model.feature_importance("gain"), smallest), 0.0)


def losses(dataset: Dataset, trees: Trees, penalties: Sequence[float], folds: Integers) -> Floats:
    """Return the loss of each sample under models that have not seen its fold.

    It is the logarithmic loss of its class, or the squared error of a standardized target.

    Returns
    -------
    float64[n_penalties, n_samples]
        The losses.
    """
    loss = np.empty((len(penalties), dataset.n_samples))
    for fold in range(int(folds.max()) + 1):
        inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        table = _table(dataset, inside)
        for row, penalty in enumerate(penalties):
            model = _grown(table, dataset, trees, penalty)
            predicted = model.predict(dataset.values[outside], num_threads=trees.n_threads)
            loss[row, outside] = _loss(predicted, dataset, outside)
    return loss


def _loss(predicted: Floats, dataset: Dataset, samples: Integers) -> Floats:
    target = _labels(dataset)[samples]
    if dataset.classes is None:
        return np.asarray((predicted - target) ** 2)
    if predicted.ndim == 1:  # two classes: only the chance of the second is given
        predicted = np.column_stack([1.0 - predicted, predicted])
    chance = predicted[np.arange(len(samples)), target.astype(np.int64)]
    return np.asarray(-np.log(np.maximum(chance, LOWEST_CHANCE)))


def _table(dataset: Dataset, samples: Integers) -> Any:
    """Return samples in the form that LightGBM learns from, for any number of models."""
    return _lightgbm().Dataset(
        dataset.values[samples],
        _labels(dataset)[samples],
        categorical_feature=np.flatnonzero(dataset.categorical).tolist(),
        params={"verbosity": -1, "feature_pre_filter": False},
    )


def _grown(table: Any, dataset: Dataset, trees: Trees, penalty: float) -> Any:
    # Gains are sums over samples; so is the price, to mean the same for any number of them.
    price = penalty * len(table.get_label())
    parameters = {
        **_objective(dataset),
        "learning_rate": trees.learning_rate,
        "num_leaves": trees.max_leaf_nodes,
        "min_data_in_leaf": trees.min_samples_leaf,
        "cegb_penalty_feature_coupled": [price] * dataset.n_features,
        "seed": trees.seed % 2**31,  # it takes no larger one
        "num_threads": trees.n_threads,
        "deterministic": True,
        "force_row_wise": True,
        "feature_pre_filter": False,
        "verbosity": -1,
    }
    return _lightgbm().train(parameters, table, trees.n_estimators)


def _objective(dataset: Dataset) -> dict[str, Any]:
    if dataset.classes is None:
        return {"objective": "regression"}
    if len(dataset.classes) == 2:
        return {"objective": "binary"}
    return {"objective": "multiclass", "num_class": len(dataset.classes)}


def _labels(dataset: Dataset) -> Floats:
    """Return the codes of the classes, or a numeric target in units that a penalty can mean."""
    target = dataset.target.astype(np.float64)
    if dataset.classes is not None:
        return target
    centered = target - target.mean()
    return np.asarray(centered / centered.std())


def _lightgbm() -> Any:
    try:
        import lightgbm  # large, and an extra
    except ImportError:
        raise ImportError(
            "BoostedSelector needs LightGBM, which is not installed. "
            "Install it with: pip install 'fuzzyfrog[boost]'."
        ) from None
    return lightgbm


CELLS_PER_THREAD = 100_000  # LightGBM's threads wait by spinning: few cells are done sooner by one
HIGHEST = 1e6  # so that the price of a feature is finite for any number of samples
PENALTIES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)  # at 1, hardly any split pays for itself


class BoostedSelector(TableSelector):
    """Select the features that boosted trees use when the first use of each has a price.

    This is the idea of gradient boosted feature selection (Xu and others, 2014): using a feature
    again is free. The trees are LightGBM's, whose ``cegb_penalty_feature_coupled`` is that
    price; it is not the authors' own program. Needs the extra ``fuzzyfrog[boost]``.

    Parameters
    ----------
    penalty : float or "auto", default="auto"
        Price of a feature, in gain per sample: useful values lie between 0.001 and 0.3. "auto"
        takes the largest of six whose loss in an inner cross-validation is within one standard
        error of the lowest.
    cv : int, default=5
        Folds of that cross-validation; at most one for each sample.
    n_estimators : int, default=50
        Rounds of boosting.
    learning_rate : float, default=0.1
        Weight of each tree.
    max_leaf_nodes : int, default=8
        Leaves of a tree at most.
    min_samples_leaf : int, default=5
        Samples in a leaf at least.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Features of which only equality counts.
    target : {"auto", "class", "numeric"}, default="auto"
        How `y` is read; "auto" takes numbers with a fractional part as numeric.
    certify : bool, default=False
        Whether to find out, once the features are selected, how few reach the same fuzzy-rough
        dependency (Łukasiewicz, `spread="std"`, missing values similar). It changes no selection.
    max_seconds : float or None, default=None
        Time for the certificate; None for as long as it takes, which is long for wide tables.
    n_jobs : int or None, default=None
        Number of threads; None for all that are usable. The results do not depend on it.
    random_state : None, int, RandomState or Generator, default=None
        Where the seed of the folds and trees comes from.

    Attributes
    ----------
    support_ : bool[n_features]
        The selected features; never empty.
    n_features_ : int
        How many they are.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : object[n_features]
        Their names, if `X` had some.
    penalty_ : float
        The penalty. One that no feature is worth comes down to 1 and then by halves until one
        is; it is 0, and the first feature selected, if none is worth anything.
    ranking_ : int64[n_features]
        1 for the selected features; the others follow by their gain in trees without penalty.
        Those that such trees do not use share the last rank.
    certificate_ : Certificate or None
        What was proved, None unless asked for. Its `size` is the fewest features known that
        reach the dependency of the selected ones: `n_features_` or fewer.
    seed_ : int
        The seed of this fit.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fuzzyfrog import BoostedSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> BoostedSelector(0.3, random_state=0).fit(X, y).get_feature_names_out().tolist()
    ['od280/od315_of_diluted_wines', 'proline']
    """

    def __init__(
        self,
        penalty: float | Literal["auto"] = "auto",
        *,
        cv: int = 5,
        n_estimators: int = 50,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 8,
        min_samples_leaf: int = 5,
        categorical_features: object = "from_dtype",
        target: Literal["auto", "class", "numeric"] = "auto",
        certify: bool = False,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.penalty = penalty
        self.cv = cv
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.categorical_features = categorical_features
        self.target = target
        self.certify = certify
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: object, y: object = None) -> "BoostedSelector":
        """Select features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features), or Dataset
            Numbers or labels; missing values are allowed. pandas, polars or Arrow.
        y : array-like of shape (n_samples,)
            The class of each sample, or a number; left out for a Dataset, which has its own.

        Returns
        -------
        BoostedSelector
            The fitted selector.

        Raises
        ------
        DataError
            If the data cannot be used; a ValueError, like those for bad parameters.
        """
        self._check_parameters()
        dataset = self._read(X, y)
        self.seed_ = seed_of(self.random_state)
        trees = self._trees(dataset)
        free_gains = gains(dataset, trees, 0.0)
        self.penalty_, self.support_ = 0.0, np.arange(dataset.n_features) == 0
        if free_gains.any():
            penalty = self.penalty
            if penalty == "auto":
                penalty = _largest_harmless(dataset, trees, self.cv)
            self.penalty_, self.support_ = _selected(dataset, trees, float(penalty))
        self.n_features_ = int(self.support_.sum())
        self.ranking_ = ranks_behind(self.support_, free_gains)
        self.certificate_ = self._certificate(dataset) if self.certify else None
        return self

    def _certificate(self, dataset: Dataset) -> Certificate:
        measure = Dependency(dataset, n_jobs=self.n_jobs)
        return certificate_of_subset(measure, self.support_, self.max_seconds)

    def _check_parameters(self) -> None:
        _check_penalty(self.penalty)
        check_count("cv", self.cv, least=2)
        check_count("n_estimators", self.n_estimators)
        check_positive("learning_rate", self.learning_rate)
        check_count("max_leaf_nodes", self.max_leaf_nodes, least=2)
        check_count("min_samples_leaf", self.min_samples_leaf)
        check_certify(self.certify)
        check_budget(None, self.max_seconds)

    def _trees(self, dataset: Dataset) -> Trees:
        n_worthwhile = 1 + dataset.values.size // CELLS_PER_THREAD
        return Trees(
            self.n_estimators,
            self.learning_rate,
            self.max_leaf_nodes,
            self.min_samples_leaf,
            self.seed_,
            min(effective_threads(self.n_jobs), n_worthwhile),
        )


def _check_penalty(penalty: object) -> None:
    is_number = isinstance(penalty, Real) and not isinstance(penalty, bool)
    in_range = is_number and 0 <= float(penalty) <= HIGHEST  # type: ignore[arg-type]
    if penalty != "auto" and not in_range:
        raise ValueError(
            f"penalty must be 'auto' or a number from 0 to {HIGHEST:g}, got {shown(penalty)}. "
            "Useful values lie between 0.001 and 0.3."
        )


def _largest_harmless(dataset: Dataset, trees: Trees, n_folds: int) -> float:
    """Return the largest penalty whose loss is within one standard error of the lowest loss."""
    folds = _folds(dataset, n_folds, trees.seed)
    table = losses(dataset, trees, PENALTIES, folds)
    means = table.mean(axis=1)
    lowest = int(np.argmin(means))
    bar = means[lowest] + table[lowest].std(ddof=1) / np.sqrt(dataset.n_samples)
    return max(penalty for penalty, mean in zip(PENALTIES, means, strict=True) if mean <= bar)


def _folds(dataset: Dataset, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Deal the samples out class by class, or in the order of a numeric target."""
    shuffled = np.random.default_rng(seed).permutation(dataset.n_samples)
    order = shuffled[np.argsort(dataset.target[shuffled], kind="stable")]
    folds = np.empty(dataset.n_samples, np.int64)
    folds[order] = np.arange(dataset.n_samples) % n_folds
    return folds


def _selected(dataset: Dataset, trees: Trees, penalty: float) -> tuple[float, NDArray[np.bool_]]:
    """Return the penalty, come down until a feature is worth it, and all features that are."""
    support = gains(dataset, trees, penalty) > 0.0
    while not support.any():
        penalty = min(penalty / 2, 1.0)  # ends, since some feature is used when it is free
        support = gains(dataset, trees, penalty) > 0.0
    return penalty, support
