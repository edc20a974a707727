"""Dask frames, series and arrays -> parts, computed one at a time; Dask is never imported."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.data.gathering import rows_at_once
from fuzzyfrog.data.labels import warn_of_column
from fuzzyfrog.data.parts import TargetParts
from fuzzyfrog.errors import DataError

__all__ = ["DaskTable", "dask_columns", "dask_labels", "is_dask", "without_rows"]


def is_dask(value: object) -> bool:
    """Tell whether a value is one of Dask's collections, told by where its type is defined."""
    return type(value).__module__.partition(".")[0] in ("dask", "dask_expr")


@dataclass(frozen=True)
class DaskTable:
    """A Dask DataFrame, or a Dask Array of two dimensions.

    Parameters
    ----------
    native : dask.dataframe.DataFrame or dask.array.Array
        What was passed.
    """

    native: Any

    @classmethod
    def of(cls, X: Any) -> DaskTable:
        """Give the table of what a user passed as `X`."""
        _check_collection(X, "X")
        if X.ndim != 2:
            raise DataError(
                f"X must have two dimensions, got {X.ndim} ({type(X).__name__} of Dask). "
                "Pass one row per sample: X.to_frame() of a Series, X.reshape(-1, 1) of an Array."
            )
        return cls(X)

    @property
    def columns(self) -> list[Hashable]:
        """What the columns are called; nothing for an array."""
        return list(getattr(self.native, "columns", ()))

    @property
    def shape(self) -> tuple[None, int]:
        """Number of samples, which is not known before all are computed, and of features."""
        return None, int(self.native.shape[1])

    def parts(self) -> Iterator[Any]:
        """Yield the rows of one partition after the other, as a pandas frame or an array."""
        is_array = hasattr(self.native, "chunks")
        yield from _computed(_in_rows(self.native) if is_array else self.native)


def dask_labels(y: Any) -> NDArray[Any]:
    """Give a target that Dask computes as one array in memory."""
    _check_collection(y, "y")
    if y.ndim == 2 and y.shape[1] == 1:
        warn_of_column()
        y = y.iloc[:, 0] if hasattr(y, "iloc") else y[:, 0]
    target = TargetParts()
    for part in _computed(y):
        target.add(part)
    return target.finish()


def without_rows(X: Any) -> Any:
    """Give a small pandas frame with the columns of a Dask DataFrame; anything else as it is."""
    return X.dtypes.to_frame().T if is_dask(X) and hasattr(X, "dtypes") else X


def dask_columns(X: Any, chosen: NDArray[np.intp]) -> Any:
    """Give some columns of a Dask DataFrame or Array, which stay uncomputed."""
    return X.iloc[:, chosen.tolist()] if hasattr(X, "iloc") else X[:, chosen]


def _check_collection(value: Any, argument: str) -> None:
    # Asked of the type: a Delayed has every attribute.
    if not all(hasattr(type(value), name) for name in ("ndim", "shape", "to_delayed")):
        raise DataError(
            f"{argument} must be a DataFrame, a Series or an Array of Dask, got "
            f"{type(value).__name__}. Convert it, for example with to_dataframe()."
        )


def _in_rows(array: Any) -> Any:
    """Give an array of which every chunk has all columns."""
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
