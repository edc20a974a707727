"""Boosted trees in which the first use of a feature costs; the only module that uses LightGBM."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data import Dataset

__all__ = ["Trees", "gains", "losses"]

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
    """Give what each feature gained in all splits, 0 where it was never used."""
    everything = np.arange(dataset.n_samples)
    model = _grown(_table(dataset, everything), dataset, trees, penalty)
    used = model.feature_importance("split") > 0
    # A split may gain nothing in float32 and still count as used.
    smallest = np.finfo(np.float64).tiny
    return np.where(used, np.maximum(model.feature_importance("gain"), smallest), 0.0)


def losses(dataset: Dataset, trees: Trees, penalties: Sequence[float], folds: Integers) -> Floats:
    """Give the loss of each sample under models that have not seen its fold.

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
    """Give samples in the form that LightGBM learns from, for any number of models."""
    return _lightgbm().Dataset(
        dataset.values[samples],
        _labels(dataset)[samples],
        categorical_feature=np.flatnonzero(dataset.nominal).tolist(),
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
    """Give the codes of the classes, or a numeric target in units that a penalty can mean."""
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
