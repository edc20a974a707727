"""The columns that matter most as a tree: what is alike joins early."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fuzzyfrog.common.arrays import Floats
from fuzzyfrog.data import Dataset
from fuzzyfrog.result import Column, ColumnTree, Join
from fuzzyfrog.result.columns import ALIKE, ROLES
from fuzzyfrog.select.redundant import correlations

MOST_DRAWN = 30
POOL = 200  # columns among which those that are drawn are chosen
MOST_ALIKE = 2  # of these, next to one that they could replace
RESEMBLES = 0.7  # correlation from which on a column is counted with one that is drawn


def column_tree(dataset: Dataset, columns: Sequence[Column], single: Sequence[int]) -> ColumnTree:
    """Return the tree of some columns of a table, which has no group among them.

    Selected columns come first, then substitutes, useful ones, and those that say most alone; of
    many that are alike, only a few are drawn.
    """
    order = sorted(single, key=lambda one: (ROLES.index(columns[one].role), *_rank(columns[one])))
    pool = np.array(order[:POOL], np.int64)
    alike = correlations(dataset, pool, pool)
    places = list(range(len(pool)))
    if len(order) > MOST_DRAWN:
        places = _varied(alike, [columns[one].role == "selected" for one in pool])
    drawn = pool[places]
    joins, leaves = _joined(alike[np.ix_(places, places)])
    place = {leaf: at for at, leaf in enumerate(leaves)}
    n_leaves = len(leaves)
    rest = np.setdiff1d(np.array(order, np.int64), drawn)
    near = correlations(dataset, drawn[leaves], rest) if len(rest) else np.zeros((n_leaves, 0))
    counted = near.argmax(axis=0)[near.max(axis=0) >= RESEMBLES] if len(rest) else rest
    return ColumnTree(
        tuple(drawn[leaves].tolist()),
        tuple(
            Join(place.get(left, left), place.get(right, right), round(min(near, 1.0), 4))
            for left, right, near in joins
        ),
        tuple(np.bincount(counted, minlength=n_leaves).tolist()),
    )


def _rank(one: Column) -> tuple[float, float]:
    cost = 0.0 if one.cost is None or one.role == "selected" else one.cost.lost
    return cost, -(one.alone or 0.0)


def _varied(alike: Floats, is_selected: Sequence[bool]) -> list[int]:
    """Return the places of columns to draw, in their order; at most a few that are alike."""
    drawn: list[int] = []
    for place, is_one in enumerate(is_selected):
        if len(drawn) == MOST_DRAWN:
            break
        near = (alike[place, drawn] >= ALIKE).sum()
        if is_one or near <= MOST_ALIKE:
            drawn.append(place)
    return drawn


def _joined(alike: Floats) -> tuple[list[tuple[int, int, float]], list[int]]:
    """Return the joins by average linkage, and the leaves from top to bottom.

    Leaves are nodes 0 to n - 1, each join makes the next one. The better of two branches, which
    has the earlier leaf, is on top.
    """
    n_leaves = len(alike)
    members = {leaf: [leaf] for leaf in range(n_leaves)}
    joins = []
    while len(members) > 1:
        nodes = sorted(members)
        near, left, right = max(
            (
                (float(alike[np.ix_(members[one], members[other])].mean()), -one, -other)
                for at, one in enumerate(nodes)
                for other in nodes[at + 1 :]
            ),
        )
        branches = sorted((-left, -right), key=lambda node: min(members[node]))
        joins.append((branches[0], branches[1], near))
        members[n_leaves + len(joins) - 1] = [leaf for one in branches for leaf in members.pop(one)]
    return joins, next(iter(members.values()), [])
