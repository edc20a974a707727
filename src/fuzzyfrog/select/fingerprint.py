"""One short text that stands for all that a score depends on."""

import hashlib

import numpy as np

from fuzzyfrog.data import Dataset

__all__ = ["fingerprint"]


def fingerprint(dataset: Dataset, *options: str) -> str:
    """Give the digest of a table and of the options that it is measured with.

    Names of features and classes are left out: they change no score. Zeros of either sign are
    the same, and so are missing values whatever bits they came with.
    """
    digest = hashlib.sha256("\0".join(options).encode())
    for feature in range(dataset.n_features):
        column = dataset.values[:, feature] + 0.0
        column[np.isnan(column)] = np.nan
        digest.update(column.astype("<f8").tobytes())
    digest.update(dataset.nominal.tobytes())
    kind = "<f8" if dataset.classes is None else "<i8"
    digest.update(dataset.target.astype(kind).tobytes())
    return f"sha256:{digest.hexdigest()}"
