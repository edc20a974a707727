"""The exact search against all subsets: what it proves is true, also when it is cut short."""

import numpy as np
import pytest

from fuzzyfrog.search import (
    Certified,
    Checkpoint,
    Exact,
    Genetic,
    Problem,
    QuickReduct,
    exact,
    run,
)
from fuzzyfrog.search.protocol import Rows
from search.lookup import Lookup, Oracle, mask_of, plain, random_table

N_FEATURES = 7
SEEDS = range(6)


def task(seed=0, with_oracle=True, **changes):
    """An objective, and a problem with or without an oracle."""
    objective = Lookup(random_table(seed=seed))
    allowed = ~changes.get("exclude", mask_of(N_FEATURES))
    full = float(objective.table[objective.index(allowed)])
    oracle = Oracle(objective, allowed) if with_oracle else None
    return objective, objective.problem(full_score=full, oracle=oracle, **changes)


def best_subsets(objective, problem):
    """All subsets that no allowed subset is better than, by looking at every one."""
    index = np.arange(1, len(objective.table))
    subsets = (index[:, None] >> np.arange(N_FEATURES) & 1).astype(bool)
    scores, sizes = np.minimum(objective.table[1:], problem.target), subsets.sum(axis=1)
    must = mask_of(N_FEATURES) if problem.must_include is None else problem.must_include
    banned = mask_of(N_FEATURES) if problem.exclude is None else problem.exclude
    allowed = subsets[:, must].all(axis=1) & ~subsets[:, banned].any(axis=1)
    if problem.n_features_to_select is not None:
        allowed &= sizes == problem.n_features_to_select
    if problem.ranking == "product":
        merit = scores * (1 - sizes / N_FEATURES)
    else:
        merit = scores - 1e-9 * sizes
    best = merit[allowed].max()
    return {tuple(np.flatnonzero(one)) for one in subsets[allowed & (merit == best)]}


def found_subsets(outcome):
    return {tuple(np.flatnonzero(reduct.subset)) for reduct in outcome.reducts}


CONSTRAINTS = {
    "nothing": {},
    "must": {"must_include": mask_of(7, 1, 4)},
    "exclude": {"exclude": mask_of(7, 0, 6)},
    "share": {"min_dependency": 0.8},
    "low share": {"min_dependency": 0.3, "exclude": mask_of(7, 2)},
    "size": {"n_features_to_select": 2},
    "product": {"ranking": "product"},
    "product with must": {"ranking": "product", "must_include": mask_of(7, 3)},
    "nothing free": {"must_include": mask_of(7, 1, 2), "exclude": mask_of(7, 0, 3, 4, 5, 6)},
}


@pytest.mark.parametrize("with_oracle", [True, False], ids=["rows", "scores"])
@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_finds_all_of_the_best(seed, constraint, with_oracle, monkeypatch):
    monkeypatch.setattr(exact, "TRIED_TOGETHER", 2)  # so that bounds are needed in a small table
    objective, problem = task(seed, with_oracle, **CONSTRAINTS[constraint])
    outcome = run(Exact(), objective, problem, seed=0)
    truth = best_subsets(objective, problem)
    assert outcome.proven
    assert outcome.lower_bound == outcome.subset.sum()
    assert found_subsets(outcome) <= truth
    assert outcome.all_listed == (found_subsets(outcome) == truth)
    assert outcome.all_listed or "size" in constraint
    assert all(reduct.minimal for reduct in outcome.reducts) or "size" in constraint
    assert outcome.stop_reason == "converged"


@pytest.mark.parametrize("search", [Genetic(), QuickReduct()], ids=repr)
@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_certified_searches_end_with_the_best(search, constraint):
    objective, problem = task(1, **CONSTRAINTS[constraint])
    outcome = run(Certified(search, Exact()), objective, problem, seed=0)
    assert outcome.proven
    assert outcome.all_listed
    assert found_subsets(outcome) == best_subsets(objective, problem)


@pytest.mark.parametrize("with_oracle", [True, False], ids=["rows", "scores"])
@pytest.mark.parametrize("constraint", ["nothing", "share", "product", "size"])
def test_whatever_ends_early_claims_nothing_wrong(constraint, with_oracle):
    objective, problem = task(2, with_oracle, **CONSTRAINTS[constraint])
    truth = best_subsets(objective, problem)
    smallest = len(next(iter(truth)))
    n_proven = 0
    for limit in range(1, 140, 3):
        outcome = run(Exact(), objective, problem, seed=0, max_evaluations=limit)
        assert outcome.lower_bound <= smallest
        assert not outcome.proven or found_subsets(outcome) <= truth
        assert not outcome.all_listed or found_subsets(outcome) == truth
        n_proven += outcome.proven
    assert 0 < n_proven < 47


def test_ctrl_c_keeps_the_bounds_and_the_best():
    objective, problem = task(1)
    whole = run(Exact(), objective, problem, seed=0)
    bounds = []
    for n_calls in range(problem.oracle.n_calls):
        objective, problem = task(1)
        problem.oracle.breaks_after = n_calls
        outcome = run(Exact(), objective, problem, seed=0)
        assert outcome.stop_reason == "interrupted"
        assert outcome.score == problem.target
        assert outcome.lower_bound <= whole.lower_bound
        assert not outcome.all_listed
        bounds.append(outcome.lower_bound)
    assert bounds == sorted(bounds)
    assert bounds[-1] > bounds[0]


def test_time_that_is_up_gives_bounds():
    objective, problem = task(4)
    outcome = run(Exact(), objective, problem, seed=0, max_seconds=1e-9)
    assert outcome.stop_reason == "max_seconds"
    assert (outcome.lower_bound, outcome.proven, outcome.all_listed) == (1, False, False)


@pytest.mark.parametrize("search", [Exact(), Certified(QuickReduct(), Exact())])
def test_rows_that_take_too_much_memory_end_a_proof_with_bounds(search, monkeypatch):
    objective, problem = task(0)
    whole = run(search, objective, problem, seed=0)
    reasons = set()
    for n_rows in (0, 1, 5, 12, 1000):
        n_bytes = 4 * 32 * N_FEATURES * n_rows  # a quarter is for rows
        monkeypatch.setattr(exact, "available_memory", lambda n_bytes=n_bytes: n_bytes)
        outcome = run(search, objective, problem, seed=0)
        reasons.add(outcome.stop_reason)
        assert outcome.all_listed == (outcome.stop_reason == "converged")
        assert outcome.lower_bound <= whole.lower_bound <= outcome.subset.sum()
    assert reasons == {"memory", "converged"}


def test_callbacks_hear_the_bound_rise():
    objective, problem = task(0)
    heard = []
    outcome = run(Exact(), objective, problem, seed=0, callbacks=[heard.append])
    bounds = [moment.lower_bound for moment in heard]
    assert bounds == sorted(bounds)
    assert (bounds[0], bounds[-1]) == (1, outcome.lower_bound)
    assert any(moment.diversity is None for moment in heard), "no sign of life"


@pytest.mark.parametrize("with_oracle", [True, False], ids=["rows", "scores"])
def test_a_limit_ends_the_list_not_the_proof(with_oracle, monkeypatch):
    monkeypatch.setattr(exact, "TRIED_TOGETHER", 1)
    objective, problem = task(1, with_oracle)
    truth = best_subsets(objective, problem)
    assert len(truth) > 2
    for limit in range(1, len(truth) + 2):
        outcome = run(Exact(limit=limit), objective, problem, seed=0)
        assert outcome.proven
        assert found_subsets(outcome) <= truth
        assert len(outcome.reducts) >= min(limit + 1, len(truth))
        assert not outcome.all_listed or found_subsets(outcome) == truth
    few = run(Exact(limit=1), objective, problem, seed=0)
    assert len(few.reducts) < len(truth)


@pytest.mark.parametrize("with_oracle", [True, False], ids=["rows", "scores"])
def test_a_list_that_just_fits_is_complete(with_oracle):
    objective, problem = task(1, with_oracle)
    truth = best_subsets(objective, problem)
    outcome = run(Exact(limit=len(truth)), objective, problem, seed=0)
    assert outcome.all_listed
    assert found_subsets(outcome) == truth


def test_bounds_come_before_anything_that_grows_with_the_number_of_features():
    """A wide table gets a bound and a small subset from few evaluations."""
    objective = Independent(n_features=600, n_needed=12)
    problem = Problem(600, 600, full_score=1.0, oracle=objective.broken)
    outcome = run(Exact(), objective, problem, seed=0, max_evaluations=200)
    assert outcome.lower_bound == 12
    assert outcome.subset.sum() == 12
    assert outcome.proven


class Independent:
    """Each of the needed features adds its part to the score; the others add nothing."""

    def __init__(self, n_features, n_needed):
        self.n_features, self.n_needed = n_features, n_needed

    def score(self, masks, at_least=None):
        return masks[:, : self.n_needed].mean(axis=1)

    def best(self, masks):
        scores = self.score(masks)
        return np.where(scores == scores.max(), scores, -np.inf)

    def broken(self, subset):
        missing = np.flatnonzero(~subset[: self.n_needed])[:3]
        return Rows(np.eye(self.n_features)[missing], np.ones(len(missing)))


def test_covers_that_break_a_row_just_learned_are_not_asked_about(monkeypatch):
    """One answer rules out many covers; and between many answers there is a sign of life."""
    monkeypatch.setattr(exact, "ASKED_BETWEEN_REPORTS", 2)
    asked = []

    def oracle(subset):
        asked.append(tuple(np.flatnonzero(subset)))
        missing = np.flatnonzero(~subset[:4])[:1]
        return Rows(np.eye(12)[missing], np.ones(len(missing)))

    proof = exact.CoverProof(Problem(12, 12, full_score=1.0, oracle=oracle), oracle, limit=10)
    lacking = [~mask_of(12, feature, other) for feature in range(4) for other in range(5, 12)]
    steps = proof._rows_against(np.array(lacking))
    signs = list(steps)
    assert len(asked) == 4
    assert [len(sign.subsets) for sign in signs] == [0, 0]


def test_zero_products_are_ranked_by_size():
    objective = Lookup(np.zeros(16))
    for search in (Exact(), Certified(Genetic(), Exact())):
        problem = objective.problem(ranking="product")
        outcome = run(search, objective, problem, seed=0)
        assert outcome.proven
        assert outcome.all_listed
        assert found_subsets(outcome) == {(0,), (1,), (2,), (3,)}


@pytest.mark.parametrize("limit", [5, 20, 40, None])
def test_resumes_bit_for_bit_with_an_oracle(limit, tmp_path):
    objective, problem = task(1)
    search = Certified(Genetic(n_generations=1), Exact())
    whole = run(search, objective, problem, seed=2)
    checkpoint = Checkpoint(tmp_path / "scores", data="table")
    run(search, objective, problem, seed=2, max_evaluations=limit, checkpoint=checkpoint)
    again, problem = task(1)
    resumed = run(search, again, problem, seed=2, checkpoint=checkpoint)
    assert plain(resumed) == plain(whole)
    assert (resumed.proven, resumed.lower_bound) == (whole.proven, whole.lower_bound)
    assert len(again.asked) <= max(0, whole.n_evaluations - 0.9 * (limit or np.inf) + 7)


def test_nothing_to_tell_apart_takes_one_feature():
    objective = Lookup(np.zeros(16))
    oracle = Oracle(objective, np.ones(4, bool))
    outcome = run(Exact(), objective, objective.problem(oracle=oracle), seed=0)
    assert outcome.proven
    assert outcome.all_listed
    assert found_subsets(outcome) == {(0,), (1,), (2,), (3,)}


@pytest.mark.parametrize("limit", [0, -1, 2.5, None, True])
def test_limit_must_be_a_count(limit):
    objective, problem = task()
    with pytest.raises(ValueError, match="limit must be an integer of at least 1"):
        run(Exact(limit=limit), objective, problem, seed=0)
