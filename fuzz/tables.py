"""Read a table from bytes, for the harnesses of all formats."""

import warnings
from collections.abc import Callable

import numpy as np
from harness import require, working_folder

from fuzzyfrog.data import Dataset, read_table

__all__ = ["reader"]


def reader(name: str, target: str = "class") -> Callable[[bytes], None]:
    """Return a check that writes bytes to a file of this name and reads them as a table."""
    path = working_folder() / name

    def check(content: bytes) -> None:
        path.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # doubts are fine
            data = read_table(path, target)
        _require_sound(data)

    return check


def _require_sound(data: Dataset) -> None:
    """Raise unless a table keeps what the documentation of Dataset promises."""
    n_samples, n_features = data.values.shape
    require(n_samples >= 2 and n_features >= 1, "two samples and a feature")
    require(not np.isinf(data.values).any(), "finite values")
    require(len(set(data.feature_names)) == n_features, "distinct names")
    require(data.target.shape == (n_samples,), "a target for each sample")
    require(data.classes is None or len(set(data.classes)) >= 2, "two classes")
    for feature in np.flatnonzero(data.categorical):
        codes = data.values[~np.isnan(data.values[:, feature]), feature]
        require(bool(((codes >= 0) & (codes == np.floor(codes))).all()), "whole codes")
