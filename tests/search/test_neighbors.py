"""Neighbors of the best subsets: all of them, each once, none that is not allowed."""

import numpy as np
import pytest

from fuzzyfrog.search import Problem
from fuzzyfrog.search.archive import Archive, ranking_of
from fuzzyfrog.search.frogs import Explorer, random_neighbors
from fuzzyfrog.search.protocol import Constraints, Stream
from search.lookup import mask_of


def explorer(problem, *subsets, score):
    archive = Archive(ranking_of(problem))
    masks = np.array([mask_of(problem.n_features, *one) for one in subsets])
    archive.add(masks, np.full(len(masks), score))
    return Explorer(archive, ranking_of(problem), Constraints(problem), Stream(0, "test"))


def all_neighbors(one, limit):
    """Return all neighbors of an explorer, as tuples of features, and the scores asked for."""
    found = []
    while (batch := one.neighbors(limit)) is not None:
        assert len(batch.subsets)
        rows = [tuple(np.flatnonzero(mask).tolist()) for mask in batch.subsets]
        found += zip(rows, batch.at_least.tolist(), strict=True)
    return found


def by_definition(subset, n_features):
    """All subsets that are one drop, addition or exchange away."""
    inside, outside = set(subset), set(range(n_features)) - set(subset)
    drops = [inside - {a} for a in inside]
    adds = [inside | {b} for b in outside]
    swaps = [inside - {a} | {b} for a in inside for b in outside]
    return {tuple(sorted(one)) for one in drops + adds + swaps} - {()}


@pytest.mark.parametrize("limit", [1, 5, 100])
@pytest.mark.parametrize("subset", [(1,), (0, 2, 5), (0, 1, 2, 3, 4)])
def test_all_neighbors_are_tried_once(limit, subset):
    found = all_neighbors(explorer(Problem(6, 60, 1.0), subset, score=0.5), limit)
    assert len({row for row, _ in found}) == len(found)
    assert {row for row, _ in found} == by_definition(subset, 6)
    assert all((bar > 0.5) == (len(row) > len(subset)) for row, bar in found)


def test_nothing_is_added_to_what_is_good_enough():
    found = all_neighbors(explorer(Problem(6, 60, 1.0), (0, 3), score=1.0), 4)
    assert {row for row, _ in found} == {r for r in by_definition((0, 3), 6) if len(r) <= 2}


def test_constraints_hold():
    problem = Problem(
        6, 60, 1.0, must_include=mask_of(6, 0), exclude=mask_of(6, 5), n_features_to_select=2
    )
    found = all_neighbors(explorer(problem, (0, 1), score=0.5), 3)
    assert {row for row, _ in found} == {(0, 2), (0, 3), (0, 4)}


def test_every_best_subset_is_looked_at():
    one = explorer(Problem(5, 50, 1.0), (0, 1), (2, 3), score=1.0)
    found = {row for row, _ in all_neighbors(one, 3)}
    expected = by_definition((0, 1), 5) | by_definition((2, 3), 5)
    assert found == {row for row in expected if len(row) <= 2}


def test_popular_features_come_in_first():
    one = explorer(Problem(8, 80, 1.0), (0, 1), score=1.0)
    one.reward(np.array([mask_of(8, 6), mask_of(8, 6), mask_of(8, 4)]))
    newcomers = [(set(row) - {0, 1}).pop() for row, _ in all_neighbors(one, 5) if len(row) == 2]
    assert newcomers[:4] == [6, 6, 4, 4]


@pytest.mark.parametrize("size", [None, 3])
def test_random_neighbors_are_neighbors(size):
    problem = Problem(6, 60, 1.0, n_features_to_select=size)
    subset = mask_of(6, 0, 2, 5)
    rows = random_neighbors(np.tile(subset, (3000, 1)), Constraints(problem), Stream(0, "test"))
    found = {tuple(np.flatnonzero(row).tolist()) for row in rows}
    expected = by_definition((0, 2, 5), 6)
    assert found == {row for row in expected if size is None or len(row) == size}
