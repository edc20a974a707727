"""Frogs that know why a subset falls short: the same answers as a look at every subset."""

import numpy as np
import pytest

from fuzzyfrog import ReductSelector
from fuzzyfrog.measure import Dependency
from fuzzyfrog.search import Certified, Checkpoint, Exact, Problem, ShuffledFrogs, frogs, run
from fuzzyfrog.search.archive import Archive, ranking_of
from fuzzyfrog.search.frogs import CoverWalk
from fuzzyfrog.search.protocol import Rows, Stream
from fuzzyfrog.select.outcome import oracle_of
from search.lookup import Lookup, Oracle, mask_of, plain, random_table

FROGS = ShuffledFrogs(n_memeplexes=3, n_frogs=4, n_evolutions=2, patience=1)
CONSTRAINTS = {
    "nothing": {},
    "must": {"must_include": mask_of(7, 1, 4)},
    "exclude": {"exclude": mask_of(7, 0, 6)},
    "nothing free": {"must_include": mask_of(7, 1, 2), "exclude": mask_of(7, 0, 3, 4, 5, 6)},
}


def task(seed, **changes):
    objective = Lookup(random_table(seed=seed))
    allowed = ~changes.get("exclude", mask_of(7))
    full = float(objective.table[objective.index(allowed)])
    oracle = Oracle(objective, allowed)
    return objective, objective.problem(full_score=full, oracle=oracle, **changes)


def wide_table():
    """A table of 60 features whose smallest reducts are few and small."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 60)).round(1)
    return X, (X[:, [7, 23, 41]] > 0).sum(axis=1) % 2


def wide_problem():
    X, y = wide_table()
    measure = Dependency(X, y, n_jobs=1)
    everything = np.ones(measure.n_features, bool)
    full = float(measure.score(everything[None])[0])
    oracle = oracle_of(measure, everything)
    tolerance = measure.tolerance
    return measure, Problem(len(everything), X.size, full, oracle=oracle, tolerance=tolerance)


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("seed", range(6))
def test_finds_the_fewest_features(seed, constraint):
    objective, problem = task(seed, **CONSTRAINTS[constraint])
    proved = run(Exact(), objective, problem, seed=0)
    found = run(FROGS, objective, problem, seed=seed)
    assert found.score >= problem.target
    assert found.subset.sum() == proved.subset.sum()
    assert all(objective.table[objective.index(one.subset)] == one.score for one in found.reducts)


@pytest.mark.parametrize("changes", [{"ranking": "product"}, {"min_dependency": 0.8}])
def test_rows_of_the_full_score_are_not_used_for_another_goal(changes):
    objective, problem = task(0, **changes)
    run(FROGS, objective, problem, seed=0)
    assert problem.oracle.n_calls == 0


def test_the_frogs_of_the_paper_ask_nothing():
    objective, problem = task(0)
    run(ShuffledFrogs(variant="paper", patience=1), objective, problem, seed=0)
    assert problem.oracle.n_calls == 0


def test_finds_the_proved_size_of_a_wide_table():
    measure, problem = wide_problem()
    proved = run(Certified(FROGS, Exact()), measure, problem, seed=0)
    sizes = [run(FROGS, measure, problem, seed=seed).subset.sum() for seed in range(4)]
    assert proved.proven
    assert sizes == [proved.subset.sum()] * 4


def test_scores_only_what_satisfies_all_known_rows_and_learns_from_what_falls_short():
    measure, problem = wide_problem()
    known, n_wrong = [], 0

    def oracle(subset):
        known.append(problem.oracle(subset))
        return known[-1]

    best = Archive(ranking_of(problem))
    walk = CoverWalk(problem, oracle, best, Stream(0, "test")).descend()
    batch = next(walk)
    while batch is not None:
        for subset in batch.subsets:
            assert all(rows.covered_by(subset) for rows in known)
        n_known = len(known)
        scores = measure.score(batch.subsets, batch.at_least)
        best.add(batch.subsets, scores)
        try:
            batch = walk.send(scores)
        except StopIteration:
            break
        is_wrong = len(scores) > 0 and scores[0] < problem.target
        assert len(known) == n_known + is_wrong
        n_wrong += is_wrong
    assert n_wrong > 3
    assert best.size == 3


@pytest.mark.parametrize(("name", "most"), [("MOST_GREEDY", 4), ("MOST_WRONG", 3)])
def test_wrong_covers_without_end_end_the_walk(monkeypatch, name, most):
    """As on tables with very many requirements, of which no thousand tells them all."""
    monkeypatch.setattr(frogs, name, most)
    n_features = 24
    problem = Problem(n_features, 100, 1.0, oracle=only_this_one)
    best = Archive(ranking_of(problem))
    best.add(np.ones((1, n_features), bool), np.ones(1))
    walk = CoverWalk(problem, only_this_one, best, Stream(0, "test"))
    n_wrong = 0
    for batch in answered(walk.descend() if name == "MOST_GREEDY" else walk.walk()):
        n_wrong += len(batch.subsets)
        assert n_wrong <= 600
    assert n_wrong == most + 1 if name == "MOST_WRONG" else most < n_wrong <= most + 501


def only_this_one(subset):
    """Return a row that rules out one subset, and those inside it, only."""
    return Rows((~subset).astype(float)[None], np.ones(1))


def answered(steps):
    """Yield the batches of some steps, and answer that every subset falls short."""
    try:
        batch = next(steps)
        while True:
            yield batch
            batch = steps.send(np.full(len(batch.subsets), -np.inf))
    except StopIteration:
        return


@pytest.mark.parametrize("limit", [20, 120, 400, None])
def test_resumes_bit_for_bit(limit, tmp_path):
    measure, problem = wide_problem()
    whole = run(FROGS, measure, problem, seed=2)
    checkpoint = Checkpoint(tmp_path / "scores", data="table")
    run(FROGS, measure, problem, seed=2, max_evaluations=limit, checkpoint=checkpoint)
    assert plain(run(FROGS, measure, problem, seed=2, checkpoint=checkpoint)) == plain(whole)


def test_threads_make_no_difference():
    X, y = wide_table()
    fits = [
        ReductSelector(search=FROGS, random_state=3, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2)
    ]
    first, second = [[one.features for one in fit.reducts_] for fit in fits]
    assert first == second
    assert fits[0].n_evaluations_ == fits[1].n_evaluations_


def test_the_list_ends_where_its_last_check_would_take_too_long(monkeypatch):
    X = np.repeat(np.arange(12.0)[:, None], 30, axis=1) + np.linspace(0, 0.01, 30)
    X = np.random.default_rng(0).permuted(X.round(3), axis=0)
    y = np.arange(12) % 2
    measure = Dependency(X, y, n_jobs=1)
    everything = np.ones(30, bool)
    full = float(measure.score(everything[None])[0])
    problem = Problem(30, X.size, full, oracle=oracle_of(measure, everything))
    many = run(FROGS, measure, problem, seed=0)
    monkeypatch.setattr(frogs, "MOST_CHECKS", 10)
    monkeypatch.setattr(frogs, "TRIED_TOGETHER", 4)
    few = run(FROGS, measure, problem, seed=0)
    assert len(few.reducts) < len(many.reducts)
    assert few.subset.sum() == many.subset.sum()


def test_a_sample_is_searched_without_rows(monkeypatch):
    """Rows are about all samples."""

    def refuse(*_):
        raise AssertionError("asked for rows")

    X, y = wide_table()
    monkeypatch.setattr("fuzzyfrog.select.strict.oracle_of", refuse)
    limited = {"max_seconds": 60}  # no second selection asks whether this one holds
    ReductSelector(search=FROGS, random_state=0, sample=20, **limited).fit(X, y)
    with pytest.raises(AssertionError, match="asked for rows"):
        ReductSelector(search=FROGS, random_state=0).fit(X, y)
