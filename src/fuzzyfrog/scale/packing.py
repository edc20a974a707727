"""Subsets as bits, for their way to a worker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Packed"]


@dataclass(frozen=True, eq=False)
class Packed:
    """Boolean masks, eight features to a byte.

    Attributes
    ----------
    bits : uint8[n_subsets, n_bytes]
        The masks, filled up to whole bytes.
    n_features : int
        Length of a mask.
    """

    bits: NDArray[np.uint8]
    n_features: int

    @classmethod
    def of(cls, masks: NDArray[np.bool_]) -> Packed:
        """Give masks packed."""
        return cls(np.packbits(masks, axis=1), masks.shape[1])

    def masks(self) -> NDArray[np.bool_]:
        """Give the masks back."""
        return np.unpackbits(self.bits, axis=1, count=self.n_features).view(np.bool_)
