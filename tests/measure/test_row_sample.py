"""A sample of the rows: what it has, how it grows, and what it does not depend on."""

import numpy as np
import pytest

from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.sampled import N_BROKEN, RowSample

N_FEATURES = 8
ALL = np.ones(N_FEATURES, np.bool_)
PAIR = np.arange(N_FEATURES) < 2
OTHERS = np.arange(N_FEATURES) > 5


def made(n_jobs=1, target="class"):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, N_FEATURES)).round(2)
    X[rng.random(X.shape) < 0.02] = np.nan
    y = X[:, :3].sum(axis=1)
    y = np.nan_to_num(y) if target == "numeric" else np.searchsorted([-1.0, 1.0], y)
    return Dependency(X, y, target=target, n_jobs=n_jobs, engine="tree")


def rows_of(part):
    return part._geometry.Z


@pytest.mark.parametrize("target", ["class", "numeric"])
def test_the_full_score_is_that_of_all_rows(target):
    measure = made(target=target)
    assert RowSample(measure, ALL, seed=0, n_rows=50).full_score == measure.full


@pytest.mark.parametrize("target", ["class", "numeric"])
def test_every_subset_that_failed_fails_on_the_sample(target):
    sample = RowSample(made(target=target), ALL, seed=0, n_rows=20)
    failed = np.array([PAIR, OTHERS])
    scores = sample.on(failed).score(np.vstack([failed, ALL]))
    assert (scores[:2] < scores[2]).all()


def test_a_membership_in_the_sample_is_never_below_that_in_the_table():
    measure = made()
    part = RowSample(measure, ALL, seed=0, n_rows=100).on(PAIR[np.newaxis])
    places = {row.tobytes(): at for at, row in enumerate(measure._geometry.Z)}
    at = [places[row.tobytes()] for row in part._geometry.Z]
    for subset in (PAIR, OTHERS, ALL):
        assert (part._nearest(subset).membership >= measure._nearest(subset).membership[at]).all()


def test_drawn_rows_come_with_their_nearest_enemies():
    measure = made()
    sample = RowSample(measure, PAIR, seed=0, n_rows=100)  # by two features, enemies are close
    part = sample.on(np.empty((0, N_FEATURES), np.bool_))
    places = {row.tobytes(): at for at, row in enumerate(measure._geometry.Z)}
    at = [places[row.tobytes()] for row in part._geometry.Z]
    as_far = part._nearest(PAIR).membership == measure._nearest(PAIR).membership[at]
    assert 100 < len(at) <= 200
    assert np.count_nonzero(as_far) >= 100  # those that were drawn, and some of their enemies


def test_a_failure_adds_a_few_rows():
    sample = RowSample(made(), ALL, seed=0, n_rows=20)
    before = sample.on(PAIR[np.newaxis][:0]).n_samples
    assert before < sample.on(PAIR[np.newaxis]).n_samples <= before + 2 * N_BROKEN


def test_the_sample_depends_on_the_failures_and_the_seed_alone():
    one, other = (RowSample(made(n_jobs), ALL, seed=3, n_rows=20) for n_jobs in (1, 2))
    one.on(np.array([OTHERS, PAIR]))
    for failed in ([PAIR], [PAIR, OTHERS], [OTHERS]):
        ours, theirs = one.on(np.array(failed)), other.on(np.array(failed))
        np.testing.assert_array_equal(rows_of(ours), rows_of(theirs))
    drawn = RowSample(made(), ALL, seed=4, n_rows=20).on(np.array([PAIR]))
    assert not np.array_equal(rows_of(drawn), rows_of(one.on(np.array([PAIR]))))
