"""Small tables: all extensions of a subset at once, against the other engines and the twin."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.dependency import one_step
from measure_cases import KINDS, TNORMS, cases
from naive import twins
from strategies import JIT_IS_OFF, examples


def extensions(base, order):
    """Return the base with each of some features added."""
    masks = np.repeat(base[np.newaxis], len(order), axis=0)
    masks[np.arange(len(order)), order] = True
    return masks


@pytest.fixture
def steps_taken(monkeypatch):
    """Return a list that grows with every step: without it, scores might come from the scan."""
    dependency = import_module("fuzzyfrog.measure.dependency")  # the package has such a function
    taken, weigh = [], dependency.weigh_step
    monkeypatch.setattr(
        dependency, "weigh_step", lambda *arguments: taken.append(arguments) or weigh(*arguments)
    )
    return taken


@st.composite
def steps(draw, kind):
    """Draw a table, a subset, and features to add to it in any order, some of them twice."""
    case = draw(cases(kinds=[kind]))
    base = draw(st.sampled_from(list(case.masks))).copy()
    base[draw(st.integers(0, base.size - 1))] = False
    free = np.flatnonzero(~base).tolist()
    order = draw(st.lists(st.sampled_from(free), min_size=2, max_size=12))
    if len(set(order)) == 1:  # then the feature would be common to all: no step
        order[0] = free[0] if free[0] != order[0] else free[-1]
    return case, extensions(base, order)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tnorm", TNORMS)
@examples(40)
@given(data=st.data())
def test_steps_equal_the_twin_and_the_plain_engine(tnorm, kind, data):
    case, masks = data.draw(steps(kind))
    scores = case.measure(tnorm).score(masks)
    assert scores.tobytes() == case.measure(tnorm, "plain").score(masks).tobytes()
    expected = [twins.dependency(row) for row in with_masks(case, masks).twin_memberships(tnorm)]
    np.testing.assert_allclose(scores, expected, rtol=0.0, atol=1e-12)


def with_masks(case, masks):
    return type(case)(case.table, masks, case.kind, case.spread, case.missing)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tnorm", TNORMS)
@examples(20)
@given(data=st.data())
def test_all_features_together_equal_the_plain_engine(tnorm, kind, data):
    case = data.draw(cases(kinds=[kind]))
    assert case.measure(tnorm).full == case.measure(tnorm, "plain").full


def wide_table(kind):
    """Return more samples, common features and features to add than are taken at once."""
    rng = np.random.default_rng(3)
    n_samples, n_features = (20, 90) if JIT_IS_OFF else (150, 300)
    X = rng.normal(size=(n_samples, n_features))
    X[rng.integers(5, size=n_features), np.arange(n_features)] = 500.0  # a wide range
    X[:, ::9] = rng.random((n_samples, len(X[0, ::9]))) < 0.02
    X[rng.random(X.shape) < 0.02] = np.nan
    y = rng.normal(size=n_samples)
    y = np.round(y, 1) if kind == "numeric" else np.digitize(y, [-0.5, 0.8])
    categorical = np.flatnonzero(np.arange(n_features) % 9 == 0)
    return X, y, {"target": kind, "spread": "range", "categorical_features": categorical}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("n_common", [0, 5, 80])
@pytest.mark.usefixtures("threads_take_any_work")
def test_wide_steps_give_the_same_bytes(tnorm, kind, n_common, steps_taken):
    X, y, settings = wide_table(kind)
    order = np.random.default_rng(n_common).permutation(X.shape[1])
    base = np.zeros(X.shape[1], dtype=bool)
    base[np.sort(order)[3 : 3 + n_common]] = True
    masks = extensions(base, order[~base[order]])
    one, two = (Dependency(X, y, tnorm=tnorm, n_jobs=jobs, **settings) for jobs in (1, 2))
    scores = one.score(masks)
    scanned = Dependency(X, y, tnorm=tnorm, engine="scan", **settings).score(masks)
    assert scores.tobytes() == scanned.tobytes() == two.score(masks).tobytes()
    parts = [one.score(masks[:3]), two.score(masks[3:5]), one.score(masks[5:])]
    assert scores.tobytes() == np.concatenate(parts).tobytes()
    assert len(steps_taken) == 5
    assert len(np.unique(scores)) > 1


@pytest.mark.parametrize("tnorm", TNORMS)
def test_greedy_search_on_a_small_table_goes_by_steps(tnorm, steps_taken):
    X, y, _ = wide_table("class")
    measure = Dependency(X[:, :20], y, tnorm=tnorm, target="class", spread="range")
    plain = Dependency(X[:, :20], y, tnorm=tnorm, target="class", spread="range", engine="plain")
    base = np.zeros(20, dtype=bool)
    for _ in range(3):
        masks = extensions(base, np.flatnonzero(~base))
        scores = plain.score(masks)
        expected = np.where(scores == scores.max(), scores, -np.inf)
        assert measure.best(masks).tobytes() == expected.tobytes()
        base = masks[np.argmax(scores)]
    assert len(steps_taken) == 3


def test_at_least_holds_for_steps(steps_taken):
    X, y, settings = wide_table("class")
    measure = Dependency(X, y, **settings)
    masks = np.eye(X.shape[1], dtype=bool)
    scores = measure.score(masks)
    bar = np.median(scores)
    expected = np.where(scores < bar, -np.inf, scores)
    assert measure.score(masks, at_least=bar).tobytes() == expected.tobytes()
    assert len(steps_taken) == 2


def test_what_is_no_step():
    eye = np.eye(4, dtype=bool)
    base, added = one_step(eye)
    assert not base.any()
    assert added.tolist() == [0, 1, 2, 3]
    base, added = one_step((eye | eye[0])[[2, 1, 1]])
    assert base.tolist() == [True, False, False, False]
    assert added.tolist() == [2, 1, 1]
    less = np.array([~eye[3], ~eye[2], eye[0]])
    uneven = np.array([eye[0], eye[1], ~eye.any(axis=0), eye[2] | eye[3]])
    alone = np.array([eye[0], ~eye[0]])
    for masks in (eye[:0], eye[:1], eye[[1, 1]], ~eye, alone, ~eye[[0, 0]], less, uneven):
        assert one_step(masks) is None
