"""Feature selection with boosted trees; the only module that uses LightGBM."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import lightgbm
import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import shown
from fuzzyfrog.common.params import check_budget, check_count, check_positive
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.threads import effective_threads
from fuzzyfrog.result import Certificate
from fuzzyfrog.search import Batch, Certified, Exact, Problem, Proposal, run
from fuzzyfrog.select.outcome import certificate_of, check_provable, oracle_of, ranks_behind
from fuzzyfrog.select.settings import RandomState, check_boolean, seed_of
from fuzzyfrog.select.table_selector import TableSelector

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CELLS_PER_THREAD = 100_000  # LightGBM's threads spin while they wait: one is faster for few cells
HIGHEST_PENALTY = 1e6  # keeps the price of a feature finite for any number of samples
PENALTIES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)  # at 1, hardly any split pays for itself
LOWEST_LIKELIHOOD = 1e-15  # keeps the loss of a class that was never seen finite


class BoostedSelector(TableSelector):
    """Select the features that boosted trees use when every new feature has a price.

    This is the idea of gradient boosted feature selection [1]_: the first split on a feature
    costs a penalty, and using the feature again is free. The trees are grown by LightGBM, with
    ``cegb_penalty_feature_coupled`` as the penalty; this is not the authors' own program.

    Parameters
    ----------
    penalty : float or "auto", default="auto"
        Price of a feature, in gain per sample; useful values lie between 0.001 and 0.3. "auto"
        chooses the largest of six penalties whose loss in an inner cross-validation is within one
        standard error of the lowest.
    cv : int, default=5
        Number of folds of the inner cross-validation.
    n_estimators : int, default=50
        Number of boosting rounds.
    learning_rate : float, default=0.1
        Weight of each tree.
    max_leaf_nodes : int, default=8
        Maximum number of leaves of a tree.
    min_samples_leaf : int, default=5
        Minimum number of samples in a leaf.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Features whose values are only equal or different. The default, "from_dtype", takes
        columns of text and categories.
    target : {"auto", "class", "numeric"}, default="auto"
        How to read `y`, as for :class:`SoftSelector`.
    certify : bool, default=False
        Whether to prove how few features reach the fuzzy-rough dependency of the selected ones
        (with the default settings of :class:`ReductSelector`). It does not change the
        selection.
    max_seconds : float or None, default=None
        Time limit for the certificate; None for no limit, which may take long for wide tables.
    n_jobs : int or None, default=None
        Number of threads; None for all usable CPUs. The results do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the folds and the trees. Pass an integer for the same result every time.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features; never empty.
    n_features_ : int
        Number of selected features.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of object of shape (n_features,)
        Names of the features seen during `fit`, if `X` has any.
    penalty_ : float
        The penalty that was used. If no feature is worth the penalty, it is lowered to 1 and then
        halved until one is. If the target cannot be learned at all, it is 0 and the first feature
        is selected.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the selected features. The others are ranked from 2 on by their gain in trees
        without a penalty; ties share a rank.
    certificate_ : Certificate or None
        What was proved; None unless ``certify=True``. Its `size` is the smallest number of
        features known to reach the dependency of the selected ones, at most ``n_features_``.
    seed_ : int
        The seed of this fit.

    See Also
    --------
    ReductSelector : Select the fewest features that separate the classes.

    References
    ----------
    .. [1] Z. Xu, G. Huang, K. Q. Weinberger and A. X. Zheng, "Gradient boosted feature
       selection", KDD 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fuzzyfrog_lab.boosted import BoostedSelector
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
        X : array-like or data frame of shape (n_samples, n_features), or Dataset
            Training data: numbers, categories and missing values, in NumPy, pandas, polars or
            Arrow.
        y : array-like of shape (n_samples,), default=None
            Classes, or numbers. Leave it out if `X` is a `Dataset`, which has its own.

        Returns
        -------
        self : object
            The fitted selector.

        Raises
        ------
        DataError
            If the data cannot be used.
        ParameterError
            If a parameter is not valid. Both are a ValueError.
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

    def _check_parameters(self) -> None:
        _check_penalty(self.penalty)
        check_count("cv", self.cv, least=2)
        check_count("n_estimators", self.n_estimators)
        check_positive("learning_rate", self.learning_rate)
        check_count("max_leaf_nodes", self.max_leaf_nodes, least=2)
        check_count("min_samples_leaf", self.min_samples_leaf)
        check_boolean("certify", self.certify)
        check_budget(None, self.max_seconds)

    def _trees(self, dataset: Dataset) -> "Trees":
        n_worthwhile = 1 + dataset.values.size // CELLS_PER_THREAD
        return Trees(
            self.n_estimators,
            self.learning_rate,
            self.max_leaf_nodes,
            self.min_samples_leaf,
            self.seed_,
            min(effective_threads(self.n_jobs), n_worthwhile),
        )

    def _certificate(self, dataset: Dataset) -> Certificate:
        measure = Dependency(dataset, n_jobs=self.n_jobs)
        return _certificate_of(measure, self.support_, self.max_seconds)


def _certificate_of(
    measure: Dependency, subset: NDArray[np.bool_], max_seconds: float | None
) -> Certificate:
    """Return what can be proved about the fewest features that reach the dependency of a subset."""
    check_provable(measure)
    score, full = measure.score(np.array([subset, np.ones_like(subset)])).tolist()
    is_full = score >= full - measure.tolerance
    problem = Problem(
        n_features=measure.n_features,
        n_cells=measure.n_samples * measure.n_features,
        full_score=full if is_full else score,
        oracle=oracle_of(measure, np.ones_like(subset)) if is_full else None,
        tolerance=measure.tolerance,
    )
    search = Certified(_Given(subset), Exact())
    return certificate_of(run(search, measure, problem, seed=0, max_seconds=max_seconds), problem)


class _Given:
    """A search that proposes one subset, found elsewhere."""

    def __init__(self, subset: NDArray[np.bool_]) -> None:
        self._subset = subset

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return no parameters."""
        return {}

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Return the coroutine; see the protocol."""
        yield Batch(self._subset[np.newaxis])


def _check_penalty(penalty: object) -> None:
    is_number = isinstance(penalty, Real) and not isinstance(penalty, bool)
    in_range = is_number and 0 <= float(penalty) <= HIGHEST_PENALTY  # type: ignore[arg-type]
    if penalty != "auto" and not in_range:
        raise ParameterError(
            "penalty",
            f"be 'auto' or a number from 0 to {HIGHEST_PENALTY:g}",
            shown(penalty),
            "Useful values lie between 0.001 and 0.3.",
        )


def dealt_folds(target: NDArray[Any], n_folds: int, seed: int) -> Integers:
    """Return the fold of each sample, stratified by class or along a numeric target."""
    shuffled = np.random.default_rng(seed).permutation(len(target))
    order = shuffled[np.argsort(target[shuffled], kind="stable")]
    folds = np.empty(len(target), np.int64)
    folds[order] = np.arange(len(target)) % n_folds
    return folds


def _largest_harmless(dataset: Dataset, trees: "Trees", n_folds: int) -> float:
    """Return the largest penalty whose loss is within one standard error of the lowest loss."""
    folds = dealt_folds(dataset.target, n_folds, trees.seed)
    table = losses(dataset, trees, PENALTIES, folds)
    means = table.mean(axis=1)
    lowest = int(np.argmin(means))
    bar = means[lowest] + table[lowest].std(ddof=1) / np.sqrt(dataset.n_samples)
    return max(penalty for penalty, mean in zip(PENALTIES, means, strict=True) if mean <= bar)


def _selected(dataset: Dataset, trees: "Trees", penalty: float) -> tuple[float, NDArray[np.bool_]]:
    """Return the penalty, lowered until a feature is worth it, and the features that are."""
    support = gains(dataset, trees, penalty) > 0.0
    while not support.any():
        penalty = min(penalty / 2, 1.0)  # ends, since some feature is used when it is free
        support = gains(dataset, trees, penalty) > 0.0
    return penalty, support


@dataclass(frozen=True)
class Trees:
    """How trees are grown; the number of threads does not change them."""

    n_estimators: int
    learning_rate: float
    max_leaf_nodes: int
    min_samples_leaf: int
    seed: int
    n_threads: int


def gains(dataset: Dataset, trees: Trees, penalty: float) -> Floats:
    """Return the total gain of each feature in all splits, 0 for a feature that is never used."""
    everything = np.arange(dataset.n_samples)
    model = _grown(_table(dataset, everything), dataset, trees, penalty)
    used = model.feature_importance("split") > 0
    # A split may gain nothing in float32 and still count as used.
    smallest = np.finfo(np.float64).tiny
    return np.where(used, np.maximum(model.feature_importance("gain"), smallest), 0.0)


def losses(dataset: Dataset, trees: Trees, penalties: Sequence[float], folds: Integers) -> Floats:
    """Return the loss of each sample, float64[n_penalties, n_samples], in cross-validation.

    It is the logarithmic loss of its class, or the squared error of a standardized target.
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
    if predicted.ndim == 1:  # two classes: the probability of the second
        predicted = np.column_stack([1.0 - predicted, predicted])
    likelihood = predicted[np.arange(len(samples)), target.astype(np.int64)]
    return np.asarray(-np.log(np.maximum(likelihood, LOWEST_LIKELIHOOD)))


def _table(dataset: Dataset, samples: Integers) -> Any:
    """Return samples as LightGBM's data set, which any number of models can be trained on."""
    return lightgbm.Dataset(
        dataset.values[samples],
        _labels(dataset)[samples],
        categorical_feature=np.flatnonzero(dataset.categorical).tolist(),
        params={"verbosity": -1, "feature_pre_filter": False},
    )


def _grown(table: Any, dataset: Dataset, trees: Trees, penalty: float) -> Any:
    # Gains are sums over samples. So is the price, to mean the same for any number of samples.
    price = penalty * len(table.get_label())
    parameters = {
        **_objective(dataset),
        "learning_rate": trees.learning_rate,
        "num_leaves": trees.max_leaf_nodes,
        "min_data_in_leaf": trees.min_samples_leaf,
        "cegb_penalty_feature_coupled": [price] * dataset.n_features,
        "seed": trees.seed % 2**31,  # LightGBM accepts no larger one
        "num_threads": trees.n_threads,
        "deterministic": True,
        "force_row_wise": True,
        "feature_pre_filter": False,
        "verbosity": -1,
    }
    return lightgbm.train(parameters, table, trees.n_estimators)


def _objective(dataset: Dataset) -> dict[str, Any]:
    if dataset.classes is None:
        return {"objective": "regression"}
    if len(dataset.classes) == 2:
        return {"objective": "binary"}
    return {"objective": "multiclass", "num_class": len(dataset.classes)}


def _labels(dataset: Dataset) -> Floats:
    """Return the codes of the classes, or a numeric target standardized to match the penalty."""
    target = dataset.target.astype(np.float64)
    if dataset.classes is not None:
        return target
    centered = target - target.mean()
    return np.asarray(centered / centered.std())
