"""The arrays that nearly every module takes and returns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Masks = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Extensions:
    """Subsets that each add a feature to a common one; elsewhere, NumPy makes masks of them.

    Thousands of candidates among thousands of features take far longer as masks.
    """

    base: Masks
    added: Integers

    def __len__(self) -> int:
        return len(self.added)

    def __getitem__(self, rows: Any) -> Masks:
        """Return the masks of some subsets, or a part of them."""
        if isinstance(rows, tuple):
            return np.asarray(self)[rows]
        added = self.added[rows]
        masks = np.repeat(self.base[np.newaxis], np.size(added), axis=0)
        masks[np.arange(len(masks)), added] = True
        return masks if np.ndim(added) else masks[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Masks:
        return self[:] if dtype is None else self[:].astype(dtype)
