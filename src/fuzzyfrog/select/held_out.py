"""A quick test of a fit: whether neighbors predict held-out samples better than by chance.

The selection is repeated on one half of the samples, because neighbors of columns that were chosen
on the same samples do well on any noise. `check` says much more, and takes longer.
"""

import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import FuzzyfrogError
from fuzzyfrog.select.cross_validation import Selecting
from fuzzyfrog.select.kind import Masks
from fuzzyfrog.select.models import Fold
from fuzzyfrog.select.repeated_samples import parts_of
from fuzzyfrog.select.settings import Settings

MOST_TESTED = 1_000  # samples of both halves
FEWEST_TESTED = 40
CLEARLY = 2.0  # standard deviations of shuffled targets
HALVING = 0x68616C766573  # next to the seed: no other part of a fit draws from it


def chance_doubts(
    settings: Settings, dataset: Dataset, excluded: Masks, seed: int
) -> Iterator[str]:
    """Yield a warning if neighbors do no better than with shuffled targets.

    `excluded` are the features that the fit left out, for whatever reason.
    """
    if dataset.n_samples < FEWEST_TESTED:
        return
    random = np.random.default_rng([seed, HALVING])
    rows = np.sort(random.permutation(dataset.n_samples)[:MOST_TESTED])
    greedy = replace(
        settings,
        search="quickreduct",
        exclude=excluded,
        copies="keep",
        screens=False,
        sample=None,
        max_evaluations=None,
        random_state=seed,
    )
    together = None if dataset.groups is None else dataset.groups[rows]
    try:
        parts = parts_of(dataset.target[rows], 2, seed, together)
        train, test = (rows[part] for part in parts[0])
        chooser = Selecting(greedy, dataset)
        features = chooser.mask(chooser.selected(train).selected)
    except (FuzzyfrogError, KeyboardInterrupt):  # the fit is complete without it
        return
    model = KNeighborsRegressor() if dataset.classes is None else KNeighborsClassifier()
    X_train, X_test = Fold(dataset, (train, test), {}, {}, None).prepared(features)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there may be many classes
        model.fit(X_train, dataset.target[train])
    if above_shuffled(model, X_test, dataset.target[test]) < CLEARLY:
        yield (
            "The selected columns may predict nothing: if selected on one half of the samples, "
            "they predict the other half no better than chance (by five nearest neighbors). For "
            "more, see fuzzyfrog.check."
        )


def above_shuffled(
    model: KNeighborsClassifier | KNeighborsRegressor,
    X: NDArray[np.float64],
    target: NDArray[np.float64] | NDArray[np.int64],
) -> float:
    """Return how far a score is above its mean over all orders of the target, in deviations.

    The score is the mean probability of the right class, with classes counting equally, or the
    covariance with a numeric target. Mean and variance are those of a sum over a random
    permutation (Hoeffding 1951).
    """
    if target.dtype.kind == "f":
        each = np.outer(model.predict(X), target - target.mean())
    else:
        weights = 1.0 / np.bincount(target)[target]
        place = np.searchsorted(model.classes_, target).clip(max=len(model.classes_) - 1)
        right = np.where(model.classes_[place] == target, model.predict_proba(X)[:, place], 0.0)
        each = right * weights
    apart = each - each.mean(axis=0) - each.mean(axis=1)[:, None] + each.mean()
    deviation = float(np.sqrt((apart**2).sum() / (len(target) - 1)))
    if deviation == 0.0:
        return 0.0
    return float((np.trace(each) - each.sum() / len(target)) / deviation)
