"""The one form in which data travels through fuzzyfrog."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.records.parts import UNNAMED

__all__ = ["Dataset", "Labels"]

Labels: TypeAlias = tuple[Hashable, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of samples with a target, checked and ready to be measured.

    Parameters
    ----------
    values : float64[n_samples, n_features]
        One row per sample. A categorical feature holds codes 0, 1, 2, ...; a missing value is NaN.
        No value is infinite.
    target : int64[n_samples] or float64[n_samples]
        Codes into `classes`, or numbers when `classes` is None.
    feature_names : tuple of str
        Distinct names, one per feature.
    categorical : bool[n_features]
        True where equality is all that can be said about two values.
    classes : tuple or None
        Labels of the classes in the order of their codes; None for a numeric target.
    target_name : str
        Name of the target column.
    name : str
        What to call the table when speaking to a person.
    categories : tuple of (tuple or None), or None
        For each feature the labels of a categorical one in the order of its codes, None for a
        numeric one; None as a whole where only the codes are known.
    notes : tuple of str
        The warnings that were given when the table was read.
    """

    values: NDArray[np.float64]
    target: NDArray[np.int64] | NDArray[np.float64]
    feature_names: tuple[str, ...]
    categorical: NDArray[np.bool_]
    classes: Labels | None
    target_name: str = "class"
    name: str = UNNAMED
    categories: tuple[Labels | None, ...] | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kind = "a numeric target" if self.classes is None else f"{len(self.classes)} classes"
        n_categorical = int(np.count_nonzero(self.categorical))
        categorical = f" ({n_categorical:,} categorical)" if n_categorical else ""
        return (
            f"<Dataset {self.name!r}: {self.n_samples:,} samples, {self.n_features:,} features"
            f"{categorical}, {self.target_name!r} with {kind}>"
        )

    @property
    def n_samples(self) -> int:
        """Number of samples (rows)."""
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features (columns)."""
        return int(self.values.shape[1])
