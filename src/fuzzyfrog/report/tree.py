"""The tree of columns as places: branches, and a row for each column from top to bottom."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from fuzzyfrog.result import Column, ColumnTree, Result

TICKS = (0.0, 0.5, 0.9, 0.99)  # correlations


class Leaf(NamedTuple):
    """A column of the tree."""

    feature: int
    name: str
    mark: str  # its role, or "noise" if it is unneeded and says nothing alone
    size: float  # of the mark, from 0 to 1: how much the column says alone
    n_alike: int


class Fork(NamedTuple):
    """Two branches from where they start to where they join, across from 0 to 1, and by row."""

    at: float
    starts: tuple[float, float]
    rows: tuple[float, float]


def across(correlation: float) -> float:
    """Return how far to the right branches of a correlation join, from 0 to 1.

    That is by their distance as vectors, which spreads those that are much alike.
    """
    return 1.0 - sqrt(1.0 - correlation)


def leaves(result: Result, tree: ColumnTree) -> list[Leaf]:
    """Return the columns from top to bottom."""
    known = [one.alone for one in result.columns if one.alone is not None]
    low = min([*known, result.chance if result.chance is not None else 0.0])
    span = max(known, default=low) - low or 1.0
    columns = [result.columns[feature] for feature in tree.leaves]
    return [
        Leaf(feature, one.name, _mark(one), ((one.alone or low) - low) / span, n_alike)
        for feature, one, n_alike in zip(tree.leaves, columns, tree.n_alike, strict=True)
    ]


def _mark(one: Column) -> str:
    return "noise" if one.role == "unneeded" and one.relevant is False else one.role


def forks(tree: ColumnTree) -> list[Fork]:
    """Return the branches, each of which starts at a leaf or at an earlier fork."""
    nodes = [(1.0, float(row)) for row in range(len(tree.leaves))]
    found = []
    for one in tree.joins:
        at = across(one.correlation)
        (left, top), (right, bottom) = nodes[one.left], nodes[one.right]
        found.append(Fork(at, (left, right), (top, bottom)))
        nodes.append((at, (top + bottom) / 2))
    return found
