"""A small cover, quickly."""

from __future__ import annotations

import numpy as np

from fuzzyfrog.search.covering.rows import Rows
from fuzzyfrog.search.protocol import Masks

__all__ = ["greedy_cover"]


def greedy_cover(rows: Rows, *, fixed: Masks, allowed: Masks) -> Masks | None:
    """Give a cover from which no feature can be taken, beside the fixed ones; None if none is.

    The feature that fills the largest share of what the rows lack is added again and again;
    then those that became needless go, the earliest first.
    """
    if not rows.covered_by(fixed | allowed):
        return None
    cover = fixed.copy()
    lacks = np.maximum(rows.deficits(cover), 0.0)
    while not rows.covered_by(cover):
        is_open = lacks > 0
        filled = np.minimum(rows.weights[is_open], lacks[is_open, np.newaxis])
        gains = (filled / rows.needed[is_open, np.newaxis]).sum(axis=0)
        added = int(np.argmax(np.where(allowed & ~cover, gains, -1.0)))
        cover[added] = True
        lacks = np.maximum(rows.deficits(cover), 0.0)
    return _without_needless(rows, cover, fixed)


def _without_needless(rows: Rows, cover: Masks, fixed: Masks) -> Masks:
    kept = cover.copy()
    for feature in np.flatnonzero(cover & ~fixed):
        kept[feature] = False
        kept[feature] = not rows.covered_by(kept)
    return kept
