"""Covers within a budget, against all subsets."""

import numpy as np
import pytest

from fuzzyfrog.search.covering.search import CheapestSearch
from fuzzyfrog.search.protocol import Rows
from strategies import seeds


def instance(seed):
    random = np.random.default_rng([seed, 7])
    n_rows, n_features = random.integers(1, 9), random.integers(2, 9)
    needed = random.integers(1, 12, n_rows) / 8
    weights = np.minimum(random.integers(0, 9, (n_rows, n_features)) / 8, needed[:, np.newaxis])
    fixed = random.random(n_features) < 0.15
    allowed = fixed | (random.random(n_features) < 0.9)
    return Rows(weights, needed), random.integers(1, 9, n_features), fixed, allowed


def covers_of(rows, costs, budget, fixed, allowed):
    """All covers within the budget that lose a row with any feature that is not fixed."""
    subsets = (np.arange(2 ** len(costs))[:, None] >> np.arange(len(costs)) & 1).astype(bool)
    found = set()
    for subset in subsets:
        if (fixed & ~subset).any() or (subset & ~allowed).any() or subset @ costs > budget:
            continue
        if rows.covered_by(subset):
            found.add(tuple(np.flatnonzero(subset)))
    return found


def are_minimal(found):
    return {one for one in found if not any(set(other) < set(one) for other in found)}


def listed(search, n_nodes=10_000):
    found = []
    while not search.is_exhausted:
        cover = search.advance(n_nodes)
        if cover is not None:
            found.append(tuple(np.flatnonzero(cover)))
    return found


@pytest.mark.parametrize("n_nodes", [1, 10_000])
@pytest.mark.parametrize("seed", seeds(60, first=20))
def test_every_cover_that_extends_no_other_is_found_once(seed, n_nodes):
    rows, costs, fixed, allowed = instance(seed)
    everything = covers_of(rows, costs, costs.sum(), fixed, allowed)
    prices = sorted({sum(costs[list(one)]) for one in everything}) or [1]
    for budget in {prices[0] - 1, prices[0], prices[len(prices) // 2], prices[-1]}:
        truth = covers_of(rows, costs, budget, fixed, allowed)
        search = CheapestSearch(rows, costs, int(budget), fixed=fixed, allowed=allowed)
        found = listed(search, n_nodes)
        assert len(found) == len(set(found))
        assert are_minimal(truth) <= set(found) <= truth


@pytest.mark.parametrize("seed", seeds(30, first=10))
def test_rows_may_be_added_and_the_budget_lowered(seed):
    rows, costs, fixed, allowed = instance(seed)
    first = rows.take(np.arange(len(rows)) < len(rows) / 2)
    budget = int(costs.sum())
    search = CheapestSearch(first, costs, budget, fixed=fixed, allowed=allowed)
    lowest = None
    while not search.is_exhausted:
        cover = search.advance(100)
        if cover is None:
            continue
        if rows.covered_by(cover):
            lowest = int(cover @ costs)
            search.budget = lowest - 1
        else:
            search.add(rows.take(rows.deficits(cover) > 0))
    truth = covers_of(rows, costs, budget, fixed, allowed)
    assert lowest == min((int(sum(costs[list(one)])) for one in truth), default=None)
