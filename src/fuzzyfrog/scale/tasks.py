"""What workers do with a whole table: functions of what they are given and nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.scale.packing import Packed
from fuzzyfrog.scale.stamp import require_stamp
from fuzzyfrog.scale.tables import measure_of

__all__ = ["best", "nothing", "score"]

Floats = NDArray[np.float64]


def score(stamp: str, fingerprint: str, subsets: Packed, bars: Floats) -> Floats:
    """Give the dependency of each subset, -inf where it is below its bar."""
    require_stamp(stamp)
    return measure_of(fingerprint).score(subsets.masks(), at_least=bars)


def best(stamp: str, fingerprint: str, subsets: Packed) -> Floats:
    """Give the dependency of the best of these subsets, -inf for the others."""
    require_stamp(stamp)
    return measure_of(fingerprint).best(subsets.masks())


def nothing(part: int) -> int:
    """Give the number of the part back, to see how long a round takes at least."""
    return part
