"""Searches and proofs by cost, against all subsets of small tables."""

import numpy as np
import pytest

from fuzzyfrog.search import (
    Certified,
    Checkpoint,
    Exact,
    ExactFront,
    Genetic,
    ParticleSwarm,
    QuickReduct,
    ShuffledFrogs,
    exact,
    run,
)
from search.lookup import Lookup, Oracle, mask_of, plain, random_table
from strategies import seeds

CONSTRAINTS = {
    "nothing": {},
    "must": {"must_include": mask_of(7, 1, 4)},
    "exclude": {"exclude": mask_of(7, 0, 6)},
    "share": {"min_dependency": 0.8},
    "low share": {"min_dependency": 0.3, "exclude": mask_of(7, 2)},
    "nothing free": {"must_include": mask_of(7, 1, 2), "exclude": mask_of(7, 0, 3, 4, 5, 6)},
}


def task(seed=0, with_oracle=True, highest=6, **changes):
    objective = Lookup(random_table(n_samples=30, seed=seed))
    costs = np.random.default_rng(seed).integers(1, highest, 7)
    allowed = ~changes.get("exclude", mask_of(7))
    full = float(objective.table[objective.index(allowed)])
    oracle = Oracle(objective, allowed) if with_oracle else None
    return objective, objective.problem(full_score=full, oracle=oracle, costs=costs, **changes)


def subsets_and_scores(objective, problem):
    index = np.arange(1, 128)
    subsets = (index[:, None] >> np.arange(7) & 1).astype(bool)
    must = mask_of(7) if problem.must_include is None else problem.must_include
    banned = mask_of(7) if problem.exclude is None else problem.exclude
    allowed = subsets[:, must].all(axis=1) & ~subsets[:, banned].any(axis=1)
    return subsets[allowed], objective.table[1:][allowed]


def cheapest(objective, problem):
    subsets, scores = subsets_and_scores(objective, problem)
    enough = subsets[scores >= problem.target]
    costs = enough @ problem.costs
    return {tuple(np.flatnonzero(one)) for one in enough[costs == costs.min()]}, costs.min()


def found_subsets(outcome):
    return {tuple(np.flatnonzero(reduct.subset)) for reduct in outcome.reducts}


@pytest.mark.parametrize("with_oracle", [True, False], ids=["rows", "scores"])
@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("seed", seeds(6, first=2))
def test_finds_all_of_the_cheapest(seed, constraint, with_oracle, monkeypatch):
    monkeypatch.setattr(exact, "TRIED_TOGETHER", 2)  # so that bounds are needed
    monkeypatch.setattr(exact, "SLICE_WORK", 1)  # and more than one slice
    objective, problem = task(seed, with_oracle, [3, 1000, 6][seed % 3], **CONSTRAINTS[constraint])
    outcome = run(Exact(), objective, problem, seed=0)
    truth, cost = cheapest(objective, problem)
    assert (outcome.proven, outcome.all_listed, outcome.lower_bound) == (True, True, cost)
    assert found_subsets(outcome) == truth
    assert all(reduct.minimal for reduct in outcome.reducts)


@pytest.mark.parametrize(
    "search", [Genetic(), ParticleSwarm(), QuickReduct(), ShuffledFrogs()], ids=repr
)
@pytest.mark.parametrize("constraint", ["nothing", "must", "share"])
def test_every_search_ranks_by_cost(search, constraint):
    n_cheapest = 0
    for seed in range(5):
        objective, problem = task(seed, highest=50, **CONSTRAINTS[constraint])
        truth, cost = cheapest(objective, problem)
        alone = run(search, objective, problem, seed=0)
        assert alone.score >= problem.target
        assert alone.subset @ problem.costs >= cost
        n_cheapest += alone.subset @ problem.costs == cost
        certified = run(Certified(search, Exact()), objective, problem, seed=0)
        assert certified.all_listed
        assert found_subsets(certified) == truth
    assert n_cheapest >= (2 if isinstance(search, QuickReduct) else 4)


@pytest.mark.parametrize("n_together", [1, 8, 4096])
@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("seed", [4, 6, 28, *range(3)])
def test_the_front_is_the_highest_score_for_each_cost(seed, constraint, n_together, monkeypatch):
    """Its last point, too, though a subset of that cost may reach the target before it."""
    monkeypatch.setattr(exact, "TRIED_TOGETHER", n_together)
    objective, problem = task(seed, False, 4 if seed > 3 else 9, **CONSTRAINTS[constraint])
    outcome = run(ExactFront(), objective, problem, seed=0)
    subsets, scores = subsets_and_scores(objective, problem)
    costs, wanted, highest = subsets @ problem.costs, [], -np.inf
    for cost in np.unique(costs):
        if scores[costs == cost].max() > highest and highest < problem.target:
            highest = scores[costs == cost].max()
            wanted.append((cost, highest))
    assert outcome.proven
    found = [(one.subset @ problem.costs, one.score) for one in outcome.front]
    assert [one for one in found if wanted[0][0] <= one[0] <= outcome.lower_bound] == wanted


def test_whatever_ends_early_claims_nothing_wrong():
    objective, problem = task(2, highest=20)
    truth, cost = cheapest(objective, problem)
    n_proven = 0
    for limit in range(1, 80, 2):
        outcome = run(Exact(), objective, problem, seed=0, max_evaluations=limit)
        assert outcome.lower_bound <= cost
        assert not outcome.proven or found_subsets(outcome) <= truth
        assert not outcome.all_listed or found_subsets(outcome) == truth
        n_proven += outcome.proven
    assert 0 < n_proven < 40


def test_a_limit_ends_the_list_not_the_proof():
    objective, problem = task(1, highest=2)
    truth, cost = cheapest(objective, problem)
    assert len(truth) > 2
    outcome = run(Exact(limit=1), objective, problem, seed=0)
    assert (outcome.proven, outcome.all_listed, outcome.lower_bound) == (True, False, cost)


def test_nothing_to_tell_apart_takes_the_cheapest_feature():
    objective = Lookup(np.zeros(16))
    oracle = Oracle(objective, np.ones(4, bool))
    problem = objective.problem(oracle=oracle, costs=np.array([3, 2, 5, 2]))
    outcome = run(Exact(), objective, problem, seed=0)
    assert (outcome.proven, outcome.all_listed) == (True, True)
    assert found_subsets(outcome) == {(1,), (3,)}


@pytest.mark.parametrize("limit", [5, 20, None])
def test_resumes_bit_for_bit(limit, tmp_path):
    objective, problem = task(1, highest=30)
    search = Certified(Genetic(n_generations=1), Exact())
    whole = run(search, objective, problem, seed=2)
    checkpoint = Checkpoint(tmp_path / "scores", data="table")
    run(search, objective, problem, seed=2, max_evaluations=limit, checkpoint=checkpoint)
    again, problem = task(1, highest=30)
    resumed = run(search, again, problem, seed=2, checkpoint=checkpoint)
    assert plain(resumed) == plain(whole)
