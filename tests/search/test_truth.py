"""The frogs against what was proved by exhaustive search."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fuzzyfrog.search import ShuffledFrogs, run
from search.lookup import Lookup, dependency_table, sizes_of


@pytest.fixture(scope="module")
def wine():
    """Dependency of all 8192 subsets of Wine."""
    return Lookup(dependency_table(*load_wine(return_X_y=True)))


def test_the_truth_about_wine(wine):
    sizes = sizes_of(wine.table)
    reducts = wine.table == wine.table[-1]
    assert sizes[reducts].min() == 5
    assert (reducts & (sizes == 5)).sum() == 343


@pytest.mark.parametrize("seed", range(3))
def test_frogs_list_the_smallest_reducts_of_wine(wine, seed):
    outcome = run(ShuffledFrogs(), wine, wine.problem(n_cells=178 * 13), seed=seed)
    assert outcome.stop_reason == "converged"
    assert outcome.subset.sum() == 5
    assert len(outcome.reducts) >= 0.9 * 343
    assert all(reduct.minimal for reduct in outcome.reducts)


@pytest.mark.parametrize("seed", range(3))
def test_frogs_find_the_largest_product_of_wine(wine, seed):
    problem = wine.problem(n_cells=178 * 13, ranking="product")
    outcome = run(ShuffledFrogs(), wine, problem, seed=seed)
    assert (np.flatnonzero(outcome.subset) + 1).tolist() == [7, 10, 13]
