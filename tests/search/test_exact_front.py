"""The exact front against all subsets."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fuzzyfrog.search import ExactFront, exact, run
from search.lookup import Lookup, dependency_table, mask_of, random_table, sizes_of

WINE = [0.179653, 0.691037, 0.933981, 0.998985, 1.0]


def highest(table, size, must=0, banned=0):
    index = np.arange(len(table))
    allowed = (sizes_of(table) == size) & (index & must == must) & (index & banned == 0)
    return table[allowed].max()


@pytest.fixture(params=[1, 6, 4096], ids=lambda n: f"{n} together")
def n_together(request, monkeypatch):
    """From all subsets of a size at once down to branching to the last feature."""
    monkeypatch.setattr(exact, "TRIED_TOGETHER", request.param)


@pytest.mark.parametrize("seed", range(5))
def test_the_front_is_the_highest_score_of_each_size(seed, n_together):
    objective = Lookup(random_table(seed=seed))
    outcome = run(ExactFront(), objective, objective.problem(), seed=0)
    assert outcome.proven
    assert outcome.lower_bound == outcome.subset.sum()
    points = outcome.front[: outcome.lower_bound]
    assert [point.size for point in points] == list(range(1, outcome.lower_bound + 1))
    for point in points:
        assert point.score == highest(objective.table, point.size)


@pytest.mark.parametrize("seed", range(3))
def test_the_front_keeps_to_what_is_allowed(seed, n_together):
    objective = Lookup(random_table(seed=seed))
    problem = objective.problem(
        must_include=mask_of(7, 2), exclude=mask_of(7, 5), full_score=objective.table[127 - 32]
    )
    outcome = run(ExactFront(), objective, problem, seed=0)
    for point in outcome.front[: outcome.lower_bound]:
        assert point.score == highest(objective.table, point.size, must=4, banned=32)


@pytest.mark.parametrize("ranking", ["lexicographic", "product"])
def test_the_best_of_the_front_is_the_best_of_all(ranking, n_together):
    objective = Lookup(random_table(seed=3))
    outcome = run(ExactFront(), objective, objective.problem(ranking=ranking), seed=0)
    assert outcome.proven
    sizes = sizes_of(objective.table)
    products = objective.table * (1 - sizes / 7)
    if ranking == "product":
        assert outcome.score * (1 - outcome.subset.sum() / 7) == products.max()
    else:
        assert outcome.subset.sum() == sizes[objective.table == objective.table[-1]].min()


@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_given_size_is_its_own_bound(size, n_together):
    """The features that the greedy way has beyond it, or before, are not the answer."""
    objective = Lookup(random_table(seed=2))
    problem = objective.problem(n_features_to_select=size)
    for limit in (None, 5, 20, 60):
        outcome = run(ExactFront(), objective, problem, seed=0, max_evaluations=limit)
        assert outcome.subset.sum() == size == outcome.lower_bound
        assert {moment.lower_bound for moment in outcome.history} == {size}


def test_subsets_of_other_sizes_do_not_move_the_bound():
    """Branches are scored with all that may follow: more features than were asked for."""
    objective = Lookup(random_table(n_samples=30, n_features=12, seed=1))
    problem = objective.problem(n_features_to_select=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "TRIED_TOGETHER", 4)
        outcome = run(ExactFront(), objective, problem, seed=0)
    assert (outcome.proven, outcome.lower_bound) == (True, 4)


def test_bounds_leave_most_subsets_out(monkeypatch):
    """Near the full score few subsets are left: many more would have to be scored one by one."""
    monkeypatch.setattr(exact, "TRIED_TOGETHER", 16)
    objective = Lookup(random_table(n_samples=30, n_features=12, seed=1))
    problem = objective.problem(n_features_to_select=9)
    outcome = run(ExactFront(), objective, problem, seed=0)
    assert outcome.score == highest(objective.table, 9)
    assert outcome.proven
    assert outcome.n_evaluations < 110  # of 220


def test_the_front_of_wine():
    objective = Lookup(dependency_table(*load_wine(return_X_y=True)))
    outcome = run(ExactFront(), objective, objective.problem(), seed=0)
    assert [round(point.score, 6) for point in outcome.front[:5]] == WINE
