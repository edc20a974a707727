"""How sure a selection is: how often each column is taken on complementary halves of the samples.

R. D. Shah and R. J. Samworth, "Variable selection with error control: another look at stability
selection", Journal of the Royal Statistical Society B 75, 2013.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fuzzyfrog.common.arrays import Integers, Masks
from fuzzyfrog.common.deadline import TimeIsUp
from fuzzyfrog.common.messages import shown
from fuzzyfrog.common.params import check_count
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result import Chosen, Result, Stability
from fuzzyfrog.result.parts import ALIKE
from fuzzyfrog.select.choosers import Selecting
from fuzzyfrog.select.cross_validation import MOST_SAMPLES, Hear
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.redundant import correlations
from fuzzyfrog.select.row_groups import LEAST_IN_A_FOLD, parts_of, with_metadata
from fuzzyfrog.select.selection import fingerprint, with_groups
from fuzzyfrog.select.settings import Settings, check_seed, seeded
from fuzzyfrog.select.table_selector import read_again

N_PAIRS = 50
HALVING = 0x68616C766573  # next to the seed: no other part of a run draws from it


def stability(
    selector: Any,
    X: object,
    y: object = None,
    *,
    n_pairs: int = N_PAIRS,
    groups: object = None,
    sample_weight: object = None,
    seed: int = 0,
) -> Stability:
    """Return how often each column is selected on halves of the samples.

    The samples are split at random into two halves, stratified by class or along a numeric target,
    and the selection is repeated on each half with the same settings. What is left out of the
    features, such as identifiers and copies, is decided once, on all samples.

    Parameters
    ----------
    selector : SoftSelector, ReductSelector or FeatureSelector
        What selects, fitted or not. It stays as it is; on the halves nothing is proved.
    X : array-like or data frame of shape (n_samples, n_features), or Dataset
        The samples, as for `fit`. Of more than 5,000, a random part is used.
    y : array-like of shape (n_samples,), default=None
        Classes, or numbers. Leave it out if `X` is a `Dataset`, which has its own.
    n_pairs : int, default=50
        Number of splits.
    groups : array-like of shape (n_samples,), default=None
        Samples that belong together, such as those of a patient, are in the same half. None takes
        an ID that the table has, if the selector does.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, as for `fit`.
    seed : int, default=0
        Seed of the splits. The same seed gives the same result.

    Returns
    -------
    Stability
        The share of the halves in which each column, or a substitute of it, is selected, and the
        bound on the expected number of columns that are stable by luck. Print it for a table.

    Raises
    ------
    DataError
        If there are too few samples for two halves.
    ParameterError
        If a parameter is not valid. Both are a ValueError.

    Examples
    --------
    >>> from fuzzyfrog import SoftSelector, load_dataset, stability
    >>> found = stability(SoftSelector(), load_dataset("wine"), n_pairs=10)
    >>> [one.name for one in found.columns if one.share == 1.0]
    ['flavanoids']
    >>> round(found.by_luck(), 1)
    3.2
    """
    if not callable(getattr(selector, "settings", None)):
        rule = "be a SoftSelector, a ReductSelector or a FeatureSelector"
        raise ParameterError("selector", rule, shown(selector))
    settings = seeded(selector, seed)
    dataset = with_metadata(read_again(selector, X, y), groups, sample_weight)
    with warnings.catch_warnings(action="ignore"):  # `fit` says the same
        dataset = with_groups(dataset, settings)
    groups_of_columns = Groups.of(settings.feature_groups, dataset)
    answer = getattr(selector, "result_", None)
    if answer is None or f"sha256:{answer.table.sha256}" != fingerprint(dataset):
        answer = Selecting(settings, dataset).selected(np.arange(dataset.n_samples))
    return stability_of(settings, dataset, groups_of_columns.in_result(answer), n_pairs, seed)


def stability_of(
    settings: Settings,
    dataset: Dataset,
    answer: Result,
    n_pairs: int,
    seed: int,
    hear: Hear = lambda _: None,
) -> Stability:
    """Return the stability of a selection by its settings, which have a seed.

    `answer` is the result on all samples, with each group of columns as one feature; `hear` is
    called with what comes next. Without the time for all pairs, there are fewer.
    """
    check_count("n_pairs", n_pairs)
    check_seed(seed)
    random = np.random.default_rng([seed, HALVING])
    rows = np.arange(dataset.n_samples)
    if len(rows) > MOST_SAMPLES:
        rows = np.sort(random.permutation(rows)[:MOST_SAMPLES])
    if len(rows) < 2 * LEAST_IN_A_FOLD:
        raise DataError(
            f"stability must have at least {2 * LEAST_IN_A_FOLD} samples, got {len(rows)}."
        )
    selecting, columns = Selecting(settings, dataset), np.arange(dataset.n_features)
    taken: list[Masks] = []  # the first column of a group stands for it
    try:
        for pair, number in enumerate(random.integers(2**31, size=n_pairs).tolist(), start=1):
            hear(f"selecting on halves, pair {pair} of {n_pairs}")
            halves = _halves(dataset, rows, number)
            taken += [np.isin(columns, selecting.selected(half).selected) for half in halves]
    except TimeIsUp:
        if not taken:
            raise
    groups = Groups.of(settings.feature_groups, dataset)
    return _summed(np.array(taken), answer, dataset, groups, selecting.allowed, len(rows))


def _halves(dataset: Dataset, rows: Integers, number: int) -> list[Integers]:
    """Return two halves of some samples; samples of a group stay together."""
    together = None
    if dataset.groups is not None:
        together = np.unique(dataset.groups[rows], return_inverse=True)[1]
    parts = parts_of(dataset.target[rows], 2, number, together)
    halves = [np.sort(rows[half]) for _, half in parts]
    for half in halves:
        target = dataset.target[half]
        if len(half) < LEAST_IN_A_FOLD or target.min() == target.max():
            raise DataError(
                "stability must have a target that varies in both halves, got a half with "
                f"{len(half):,} samples in which it does not. Add samples."
            )
    return halves


def _summed(
    taken: Masks, answer: Result, dataset: Dataset, groups: Groups, allowed: Masks, n_samples: int
) -> Stability:
    shares = taken.mean(axis=0)
    ever = np.flatnonzero(taken.any(axis=0))
    single = np.flatnonzero(allowed & ~groups.grouped)
    own = ever[np.isin(ever, single)]
    with_others = shares.copy()
    if len(own):
        near = correlations(dataset, own, single) >= ALIKE
        near |= own[:, np.newaxis] == single  # a category is alike to itself
        has_any = taken[:, own].astype(np.float64) @ near > 0
        with_others[single] = has_any.mean(axis=0)
    kept = np.flatnonzero(~groups.members)
    columns = [
        Chosen(place, answer.table.features[place].name, share, group, place in answer.selected)
        for place, (share, group) in enumerate(
            zip(shares[kept].tolist(), with_others[kept].tolist(), strict=True)
        )
        if group > 0 or place in answer.selected
    ]
    order = sorted(columns, key=lambda one: (-one.share, -one.with_substitutes, one.feature))
    return Stability(
        n_pairs=len(taken) // 2,
        n_samples=n_samples,
        mean_size=float(taken.sum(axis=1).mean()),
        n_offered=int((allowed & ~groups.members).sum()),
        columns=tuple(order),
    )
