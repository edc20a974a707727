"""Tables and targets that Dask computes, one partition at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.gathering import rows_at_once
from fuzzyfrog.data.target import TargetParts, warn_of_column
from fuzzyfrog.errors import DataError


@dataclass(frozen=True)
class DaskTable:
    """A Dask DataFrame, or a Dask Array with two dimensions."""

    native: Any

    @classmethod
    def of(cls, X: Any) -> DaskTable:
        """Return the table of a collection that a user passed as `X`."""
        _check_collection(X, "X")
        if X.ndim != 2:
            raise DataError(
                f"X must have two dimensions, got {X.ndim} ({type(X).__name__} of Dask). "
                "Pass one row per sample: X.to_frame() of a Series, X.reshape(-1, 1) of an Array."
            )
        return cls(X)

    @property
    def columns(self) -> list[Hashable]:
        """Names of the columns; none for an array."""
        return list(getattr(self.native, "columns", ()))

    @property
    def shape(self) -> tuple[None, int]:
        """Number of samples, unknown until all are computed, and number of features."""
        return None, int(self.native.shape[1])

    def parts(self) -> Iterator[Any]:
        """Yield the rows of each partition, as a pandas frame or an array."""
        is_array = hasattr(self.native, "chunks")
        yield from _computed(_in_rows(self.native) if is_array else self.native)


def dask_labels(y: Any) -> Any:
    """Return a Dask target as one array in memory."""
    _check_collection(y, "y")
    if y.ndim == 2 and y.shape[1] == 1:
        warn_of_column()
        y = y.iloc[:, 0] if hasattr(y, "iloc") else y[:, 0]
    target = TargetParts()
    for part in _computed(y):
        target.add(part)
    return target.finish()


def dask_columns(X: Any, chosen: NDArray[np.intp]) -> Any:
    """Return some columns of a Dask DataFrame or Array without computing them."""
    return X.iloc[:, chosen.tolist()] if hasattr(X, "iloc") else X[:, chosen]


def _check_collection(value: Any, argument: str) -> None:
    # Asked of the type: a Delayed has every attribute.
    if not all(hasattr(type(value), name) for name in ("ndim", "shape", "to_delayed")):
        raise DataError(
            f"{argument} must be a DataFrame, a Series or an Array of Dask, got "
            f"{type(value).__name__}. Convert it, for example with to_dataframe()."
        )


def _in_rows(array: Any) -> Any:
    """Return an array whose chunks hold all columns."""
    if array.numblocks[1] == 1:
        return array
    n_rows = rows_at_once(array.shape[1])
    longest = max(array.chunks[0])
    # Chunks of unknown length (NaN) can only stay as they are.
    keep = longest != longest or longest <= n_rows
    return array.rechunk({1: -1} if keep else {0: n_rows, 1: -1})


def _computed(collection: Any) -> Iterator[Any]:
    for part in np.ravel(np.asarray(collection.to_delayed(), dtype=object)):
        yield part.compute()
