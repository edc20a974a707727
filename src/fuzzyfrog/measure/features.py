"""Features as people name them -> a boolean mask."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import DataError

__all__ = ["feature_mask"]


def feature_mask(features: object, dataset: Dataset) -> NDArray[np.bool_]:
    """Return the mask of a subset of features.

    Parameters
    ----------
    features : None, mask, or iterable of indices or names
        None stands for all features.
    dataset : Dataset
        The table that has the features.
    """
    mask = np.ones(dataset.n_features, np.bool_)
    if features is None:
        return mask
    if isinstance(features, str) or not isinstance(features, Iterable):
        raise DataError(f"features must be a list of names or indices or a mask, got {features!r}.")
    chosen = list(features)
    if chosen and all(isinstance(one, bool | np.bool_) for one in chosen):
        return _from_mask(chosen, dataset)
    mask[:] = False
    for one in chosen:
        mask[_index(one, dataset)] = True
    return mask


def _from_mask(chosen: list[object], dataset: Dataset) -> NDArray[np.bool_]:
    if len(chosen) != dataset.n_features:
        raise DataError(
            f"features given as a mask must have one entry per feature ({dataset.n_features}), "
            f"got {len(chosen)}."
        )
    return np.array(chosen, np.bool_)


def _index(one: object, dataset: Dataset) -> int:
    if isinstance(one, str):
        if one in dataset.feature_names:
            return dataset.feature_names.index(one)
        raise DataError(
            f"features must be names of the table, got {shown(one)}. "
            f"Known: {listed(dataset.feature_names)}."
        )
    if isinstance(one, int | np.integer) and not isinstance(one, bool):
        if 0 <= one < dataset.n_features:
            return int(one)
        raise DataError(f"features must be indices from 0 to {dataset.n_features - 1}, got {one}.")
    raise DataError(f"features must be all names, all indices or a mask, got {one!r}.")
