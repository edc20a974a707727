"""Same bytes for any engine, thread count and batch; early rejection changes no answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzyfrog.measure import Dependency
from measure_cases import ENGINES, TNORMS, cases
from strategies import JIT_IS_OFF, examples

NEVER = -np.inf


def same_bytes(first, second):
    return first.dtype == second.dtype and first.tobytes() == second.tobytes()


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(case=cases())
def test_engines_give_the_same_bytes(tnorm, case):
    scores = [case.measure(tnorm, engine).score(case.masks) for engine in ENGINES]
    assert all(same_bytes(scores[0], other) for other in scores[1:])


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("engine", ENGINES)
@examples(20)
@given(case=cases(), data=st.data())
def test_threads_and_batches_give_the_same_bytes(engine, tnorm, case, data):
    whole = case.measure(tnorm, engine, n_jobs=1).score(case.masks)
    assert same_bytes(whole, case.measure(tnorm, engine, n_jobs=2).score(case.masks))
    cut = data.draw(st.integers(0, len(case.masks)))
    measure = case.measure(tnorm, engine, n_jobs=2)
    parts = [measure.score(part) for part in (case.masks[:cut], case.masks[cut:])]
    assert same_bytes(whole, np.concatenate(parts))


@pytest.fixture(scope="module")
def crowd():
    """Return more samples than fit in one block of any engine, with ties, and 20 subsets."""
    rng = np.random.default_rng(20)
    n_samples, n_features = (60, 5) if JIT_IS_OFF else (900, 10)
    X = rng.normal(size=(n_samples, n_features))
    X[:, 1] = rng.integers(0, 4, size=n_samples)
    y = (X[:, 0] + rng.normal(size=n_samples) > 0).astype(int) + (X[:, 2] > 1.5)
    masks = rng.random((20, n_features)) < rng.random((20, 1))
    return X, y, masks


@pytest.mark.usefixtures("no_table_is_small")
@pytest.mark.parametrize("tnorm", TNORMS)
def test_engines_and_threads_agree_on_many_samples(crowd, tnorm):
    X, y, masks = crowd
    scores = [
        Dependency(X, y, tnorm=tnorm, engine=engine, n_jobs=n_jobs).score(masks)
        for engine in ENGINES
        for n_jobs in (1, 2)
    ]
    assert all(same_bytes(scores[0], other) for other in scores[1:])


@pytest.mark.usefixtures("no_table_is_small")
def test_one_subset_is_shared_by_the_threads_without_a_trace(crowd):
    X, y, masks = crowd
    for engine in ENGINES:
        one, two = (Dependency(X, y, engine=engine, n_jobs=n_jobs) for n_jobs in (1, 2))
        assert same_bytes(one.memberships(masks[0]), two.memberships(masks[0]))
        assert same_bytes(one.score(masks[:1]), two.score(masks[:1]))


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("engine", ENGINES)
@examples(25)
@given(case=cases(), data=st.data())
def test_at_least_rejects_what_is_below_and_nothing_else(engine, tnorm, case, data):
    measure = case.measure(tnorm, engine)
    gammas = measure.score(case.masks)
    bar = data.draw(st.sampled_from([0.5, 0.0, 1.0, *gammas.tolist()]))
    for at_least in (bar, np.nextafter(bar, 2.0), np.nextafter(bar, -1.0)):
        expected = np.where(gammas < at_least, NEVER, gammas)
        assert same_bytes(measure.score(case.masks, at_least=at_least), expected)


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("engine", ENGINES)
@examples(25)
@given(case=cases(), seed=st.integers(0, 2**32 - 1))
def test_at_least_may_differ_from_subset_to_subset(engine, tnorm, case, seed):
    measure = case.measure(tnorm, engine)
    gammas = measure.score(case.masks)
    around = np.random.default_rng(seed).choice([-0.01, 0.0, 1e-16, 0.01], size=len(gammas))
    expected = np.where(gammas < gammas + around, NEVER, gammas)
    assert same_bytes(measure.score(case.masks, at_least=gammas + around), expected)


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("engine", ENGINES)
@examples(25)
@given(case=cases())
def test_best_keeps_the_largest_and_its_ties(engine, tnorm, case):
    measure = case.measure(tnorm, engine, n_jobs=2)
    gammas = measure.score(case.masks)
    expected = np.where(gammas == gammas.max(), gammas, NEVER)
    assert same_bytes(measure.best(case.masks), expected)


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("engine", ENGINES)
def test_rejection_changes_no_answer_on_many_samples(crowd, engine, tnorm):
    X, y, masks = crowd
    measure = Dependency(X, y, tnorm=tnorm, engine=engine, n_jobs=2)
    gammas = measure.score(masks)
    for bar in np.quantile(gammas, [0.2, 0.5, 1.0], method="nearest"):
        expected = np.where(gammas < bar, NEVER, gammas)
        assert same_bytes(measure.score(masks, at_least=bar), expected)
    expected = np.where(gammas == gammas.max(), gammas, NEVER)
    assert same_bytes(measure.best(masks), expected)


@examples(20)
@given(case=cases())
def test_asking_twice_gives_the_same_answer(case):
    """What is remembered from rejections and earlier batches must not leak into later scores."""
    measure = case.measure()
    fresh = case.measure().score(case.masks)
    measure.score(case.masks, at_least=2.0)
    measure.best(case.masks)
    assert same_bytes(measure.score(case.masks[::-1]), fresh[::-1])


def test_an_empty_batch_has_no_scores():
    measure = Dependency(np.array([[0.0], [1.0]]), ["a", "b"])
    for scores in (measure.score(np.empty((0, 1), bool)), measure.best(np.empty((0, 1), bool))):
        assert scores.shape == (0,)
