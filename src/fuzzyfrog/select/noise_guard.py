"""The noise guard: whether the measure takes shuffled columns for features."""

import math
from dataclasses import replace

import numpy as np

from fuzzyfrog.common.arrays import Masks
from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.result import NoiseGuard
from fuzzyfrog.select.selection import select
from fuzzyfrog.select.settings import Settings

MOST_SHUFFLES = 5
MOST_SHUFFLED = 1_000  # samples of a shuffle
FEWEST_SHUFFLED = 100  # with fewer, a part of a table says little about it
GUARD_PAIRS = 1_000_000_000  # pairs of samples x columns that a greedy search compares in seconds
GUARD_STEPS = 8  # that it usually takes
TWINNING = 0x7477696E73  # next to the seed: no other part of a check draws from it


def noise_guard(
    settings: Settings, dataset: Dataset, allowed: Masks, seed: int
) -> NoiseGuard | str:
    """Return how many random columns a greedy search takes, or a sentence why it was left out.

    For every column that may be selected there is one with the same values in random order. The
    measure is that of the settings.
    """
    if settings.feature_groups:
        return "The noise guard was left out: it shuffles single columns, and some form groups."
    # Twins of what a fit leaves out would only dilute the others.
    dataset = dataset.take(columns=allowed)
    per_pair = 2 * dataset.n_features * GUARD_STEPS
    affordable = math.isqrt(GUARD_PAIRS // per_pair)
    if affordable < min(FEWEST_SHUFFLED, dataset.n_samples):
        return (
            f"The noise guard was left out: {dataset.n_features:,} columns and as many random "
            "ones take too long."
        )
    n_samples = min(dataset.n_samples, MOST_SHUFFLED, affordable)
    n_shuffles = min(MOST_SHUFFLES, max(1, GUARD_PAIRS // (n_samples**2 * per_pair)))
    greedy = replace(
        settings,
        search="quickreduct",
        must_include=None,
        exclude=None,
        n_features_to_select=settings.size_of(dataset.n_features),
        costs=None,
        survives=0,
        max_lost=None,
        random_state=seed,
    )
    try:
        return _counted(greedy, dataset, n_samples, n_shuffles, seed)
    except (DataError, ParameterError) as error:
        return f"The noise guard was left out: {error}"


def _counted(
    greedy: Settings, dataset: Dataset, n_samples: int, n_shuffles: int, seed: int
) -> NoiseGuard:
    random = np.random.default_rng([seed, TWINNING])
    n_taken = n_random = 0
    for _ in range(n_shuffles):
        stop_if_late()
        chosen = random.permutation(dataset.n_samples)[:n_samples]
        doubled, is_twin = _with_twins(dataset.take(np.sort(chosen)), random)
        taken = list(select(doubled, greedy, warns=False).selected)
        n_taken += len(taken)
        n_random += int(is_twin[taken].sum())
    return NoiseGuard(n_taken, n_random, n_shuffles, n_samples, greedy.kind.as_noise)


def _with_twins(dataset: Dataset, random: np.random.Generator) -> tuple[Dataset, Masks]:
    """Return a table with a shuffled twin of each column, and which columns are twins.

    They are in random order: of columns that score the same, a search takes the first.
    """
    twins = [column[random.permutation(len(column))] for column in dataset.values.T]
    names = [f"{name} (twin {place})" for place, name in enumerate(dataset.feature_names)]
    doubled = replace(
        dataset,
        values=np.column_stack([dataset.values, *twins]),
        feature_names=(*dataset.feature_names, *names),
        categorical=np.tile(dataset.categorical, 2),
        categories=dataset.categories and dataset.categories * 2,
    )
    order = random.permutation(doubled.n_features)
    is_twin = np.arange(doubled.n_features) >= dataset.n_features
    return doubled.take(columns=order), is_twin[order]
