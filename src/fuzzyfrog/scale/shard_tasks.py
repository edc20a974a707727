"""What workers do with shards: functions of what they are given and nothing else.

Each asks for the code of whoever submitted it: a worker may come at any time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fuzzyfrog.scale import shards
from fuzzyfrog.scale.packing import Packed
from fuzzyfrog.scale.shards import Shard, Totals
from fuzzyfrog.scale.stamp import require_stamp
from fuzzyfrog.scale.unions import unions

__all__ = ["add_up", "is_done", "merge", "weigh_pair"]

Floats = NDArray[np.float64]


def weigh_pair(
    stamp: str,
    mark: str,
    after: object,
    subsets: Packed,
    allowed: Floats,
    join: int,
    *pair: Shard,
) -> tuple[Floats, ...]:
    """Give what `shards.weigh` tells of a pair of shards.

    Parameters
    ----------
    stamp : str
        The code of whoever submitted the task.
    mark : str
        What stands for the pair.
    after : object
        Not read: the result of a task that is to be done before the shards are fetched.
    subsets, allowed, join
        As in `shards.weigh`.
    *pair : Shard
        The shards.
    """
    require_stamp(stamp)
    with unions.lent(mark, lambda: shards.unite(*pair)) as union:
        return shards.weigh(union, subsets, allowed, join)


def is_done(stamp: str, result: object) -> bool:
    """Give True, once there is a result."""
    require_stamp(stamp)
    return True


def merge(stamp: str, parts: Sequence[Floats]) -> Floats:
    """Give the smallest of several memberships of the same samples."""
    require_stamp(stamp)
    return shards.lowest(parts)


def add_up(stamp: str, parts: Sequence[Floats]) -> Totals:
    """Give the totals of a shard for each subset."""
    require_stamp(stamp)
    return shards.totals(parts)
