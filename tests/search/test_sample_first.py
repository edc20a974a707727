"""A search that starts on a sample of the rows: its answer is one on all rows."""

import signal
from dataclasses import replace

import numpy as np
import pytest

from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.sampled import RowSample
from fuzzyfrog.search import Checkpoint, Problem, ShuffledFrogs, run
from fuzzyfrog.search.protocol import Batch
from fuzzyfrog.search.sample_first import SampleFirst

N_FEATURES = 12
FROGS = ShuffledFrogs(n_memeplexes=4, n_frogs=5, n_evolutions=2, patience=1)


@pytest.fixture(scope="module")
def measure():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, N_FEATURES)).round(1)
    return Dependency(X, np.searchsorted([-1.5, 1.5], X[:, :4].sum(axis=1)))


def problem_of(measure, **settings):
    rows = RowSample(measure, np.ones(N_FEATURES, np.bool_), seed=0, n_rows=15)
    return Problem(
        N_FEATURES, measure.n_samples * N_FEATURES, rows.full_score,
        tolerance=measure.tolerance, on_sample=rows.on, **settings,
    )  # fmt: skip


def searched(measure, **settings):
    return run(SampleFirst(FROGS), measure, problem_of(measure), seed=0, **settings)


def same(one, other):
    return (
        np.array_equal(one.subset, other.subset)
        and one.history == other.history
        and one.n_on_sample == other.n_on_sample
        and [point.score for point in one.front] == [point.score for point in other.front]
    )


def test_every_score_is_that_on_all_rows(measure):
    found = searched(measure)
    subsets = np.array([one.subset for one in (*found.reducts, *found.front)])
    scores = [one.score for one in (*found.reducts, *found.front)]
    assert scores == measure.score(subsets).tolist()
    assert 0 < found.n_on_sample < found.n_evaluations


def test_the_answer_keeps_the_full_score_and_needs_all_its_features(measure):
    found = searched(measure)
    assert found.stop_reason == "converged"
    assert found.score >= measure.full - measure.tolerance
    for feature in np.flatnonzero(found.subset):
        rest = found.subset & (np.arange(N_FEATURES) != feature)
        assert measure.score(rest[np.newaxis])[0] < measure.full - measure.tolerance


def test_it_finds_as_few_features_as_a_search_on_all_rows(measure):
    on_all = run(FROGS, measure, replace(problem_of(measure), on_sample=None), seed=0)
    assert searched(measure).subset.sum() <= on_all.subset.sum()


def test_scores_on_different_samples_are_kept_apart(measure):
    class Two:
        def get_params(self, deep=True):
            return {}

        def propose(self, problem, seed):
            subset = np.arange(N_FEATURES)[np.newaxis] < 3
            for failed in (subset[:0], subset, subset[:0]):
                scores.extend((yield Batch(subset, sample=failed)))

    scores = []
    problem = problem_of(measure)
    run(Two(), measure, problem, seed=0)
    subset = np.arange(N_FEATURES)[np.newaxis] < 3
    expected = [problem.on_sample(failed).score(subset)[0] for failed in (subset[:0], subset)]
    assert scores == [*expected, expected[0]]
    assert expected[0] != expected[1]


def test_constraints_hold(measure):
    fixed, banned = np.arange(N_FEATURES) == 11, np.arange(N_FEATURES) == 0
    problem = problem_of(measure)
    full = measure.score(~banned[np.newaxis])[0]
    problem = replace(problem, must_include=fixed, exclude=banned, full_score=full)
    found = run(SampleFirst(FROGS), measure, problem, seed=0)
    assert found.subset[11]
    assert not found.subset[0]
    assert found.score >= full - measure.tolerance


@pytest.mark.parametrize("n_evaluations", [1, 40, 150, 400])
def test_a_run_that_was_stopped_resumes_with_the_same_result(measure, tmp_path, n_evaluations):
    whole = searched(measure)
    checkpoint = Checkpoint(tmp_path / "scores", "data")

    class Killed(Exception):  # noqa: N818
        pass

    def kill(moment):
        if moment.n_evaluations >= n_evaluations:
            raise Killed

    with pytest.raises(Killed):
        searched(measure, checkpoint=checkpoint, callbacks=[kill])
    resumed = searched(measure, checkpoint=checkpoint)
    assert resumed.n_replayed >= n_evaluations
    assert same(resumed, whole)


def test_ctrl_c_on_the_sample_leaves_all_features(measure):
    def stop(moment):
        assert moment.on_sample
        assert moment.size == N_FEATURES
        signal.raise_signal(signal.SIGINT)

    found = searched(measure, callbacks=[stop])
    assert found.stop_reason == "interrupted"
    assert found.subset.all()
    assert found.score == measure.full


def test_ctrl_c_later_leaves_the_greedy_answer_repaired_on_all_rows(measure):
    def stop(moment):
        if moment.on_sample and moment.size < N_FEATURES:
            signal.raise_signal(signal.SIGINT)

    found = searched(measure, callbacks=[stop])
    assert found.stop_reason == "interrupted"
    assert found.subset.sum() < N_FEATURES
    assert found.score >= measure.full - measure.tolerance
    assert found.n_on_sample < 100  # greedy steps: the search has not begun


@pytest.mark.parametrize("most", [1, 2, 30, 200])
def test_a_budget_holds(measure, most):
    found = searched(measure, max_evaluations=most)
    assert found.n_evaluations <= most
    assert found.score >= measure.full - measure.tolerance


def test_a_batch_on_a_sample_needs_a_problem_with_one(measure):
    class Lost:
        def get_params(self, deep=True):
            return {}

        def propose(self, problem, seed):
            yield Batch(np.eye(N_FEATURES, dtype=bool), sample=np.empty((0, N_FEATURES), bool))

    with pytest.raises(ValueError, match="on_sample"):
        run(Lost(), measure, replace(problem_of(measure), on_sample=None), seed=0)
