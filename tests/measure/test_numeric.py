"""Numeric targets on more samples than one block holds: every engine against the plain loop."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from fuzzyfrog.measure import Dependency, _kernel_tree, _vectors
from fuzzyfrog.measure.engines import PlainEngine
from fuzzyfrog.measure.geometry import subset_of
from fuzzyfrog.measure.sampled import SampledDependency
from fuzzyfrog.measure.tree import TreeEngine
from measure_cases import SPREADS, TNORMS
from strategies import JIT_IS_OFF, examples

N_SAMPLES = 70 if JIT_IS_OFF else 900
TARGETS = {
    "noise": lambda rng, X: rng.normal(size=len(X)),
    "smooth": lambda rng, X: np.sin(2 * X[:, 0]) + X[:, 1],
    "a feature": lambda rng, X: 3 * X[:, 0],
    "few values": lambda rng, X: np.rint(X[:, 0] + X[:, 1]),
    "long tail": lambda rng, X: np.exp(3 * X[:, 0]),
    "one outlier": lambda rng, X: np.where(np.arange(len(X)) == 7, 1e9, X[:, 0]),
    "huge": lambda rng, X: 1e300 * X[:, 0],
    "all but one alike": lambda rng, X: (np.arange(len(X)) == 7) * 4.0,
}


def table(name, with_gaps):
    """Return samples with ties, a categorical feature, repeated rows and, on request, gaps."""
    rng = np.random.default_rng(sorted(TARGETS).index(name))
    X = rng.normal(size=(N_SAMPLES, 6))
    X[:, 1] = np.rint(2 * X[:, 1])
    X[:, 5] = rng.integers(0, 3, size=N_SAMPLES)
    y = TARGETS[name](rng, X)
    X[::9] = X[1]
    if with_gaps:
        X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def measures(name, with_gaps, tnorm, n_jobs=1):
    X, y = table(name, with_gaps)
    return [
        Dependency(
            X, y, tnorm=tnorm, target="numeric", engine=engine, n_jobs=n_jobs,
            categorical_features=[5],
        )
        for engine in ("plain", "scan", "tree")
    ]  # fmt: skip


MASKS = np.array(
    [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 1], [1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1]], dtype=bool
)


@pytest.mark.usefixtures("threads_take_any_work")
@pytest.mark.parametrize("with_gaps", [False, True])
@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_memberships_are_those_of_the_plain_loop(name, tnorm, with_gaps):
    plain, *others = measures(name, with_gaps, tnorm, n_jobs=2)
    for mask in MASKS[: 2 if JIT_IS_OFF else None]:
        truth = plain.memberships(mask)
        for other in others:
            assert other.memberships(mask).tobytes() == truth.tobytes()


@pytest.mark.parametrize("n_sampled", [1, N_SAMPLES // 10, N_SAMPLES // 2])
@pytest.mark.parametrize("name", ["noise", "smooth", "long tail"])
def test_a_part_of_the_samples_finds_the_same_enemies(name, n_sampled):
    plain, *others = (SampledDependency(m, n_sampled) for m in measures(name, True, "lukasiewicz"))
    for mask in MASKS:
        truth = plain._nearest(mask)
        for other in others:
            found = other._nearest(mask)
            assert found.membership.tobytes() == truth.membership.tobytes()
            assert np.array_equal(found.enemy < 0, truth.enemy < 0)


@pytest.mark.parametrize("n_samples", [2, 64, 65, 129])
def test_blocks_that_are_not_full(n_samples):
    rng = np.random.default_rng(n_samples)
    X, y = rng.normal(size=(n_samples, 2)), rng.normal(size=n_samples)
    plain, *others = (
        Dependency(X, y, target="numeric", engine=engine) for engine in ("plain", "scan", "tree")
    )
    for other in others:
        truth = plain.memberships([True, True])
        assert other.memberships([True, True]).tobytes() == truth.tobytes()


def as_plain(X, y):
    """Whether the tree gives the memberships of the plain loop on all features."""
    everything = np.ones(X.shape[1], dtype=bool)
    plain, tree = (
        Dependency(X, y, target="numeric", spread="range", engine=engine).memberships(everything)
        for engine in ("plain", "tree")
    )
    assert 0.0 < plain.min() < 1.0
    return tree.tobytes() == plain.tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_enemies_that_differ_by_less_than_a_step(seed):
    """A node that is left out a step too soon holds the nearest: one block for each place."""
    rng = np.random.default_rng(seed)
    place = np.repeat([[0.0, 0.0], [-0.5, 1.0], [0.5, 1.0]], 64, axis=0)
    place += rng.random(place.shape) * 1e-5
    measure = Dependency(place[:, :1], place[:, 1], target="numeric", spread="range")
    subset = subset_of(measure._geometry, np.array([True]))
    plain, tree = (
        kind(measure._geometry, measure._join, 1, asked=np.arange(64)).nearest(subset, np.inf)
        for kind in (PlainEngine, TreeEngine)  # only the first place asks, so it must look itself
    )
    assert tree.membership.tobytes() == plain.membership.tobytes()
    is_above = measure._geometry.Z[plain.enemy, 0] > 0.0
    assert 0 < is_above.sum() < 64  # enemies on both sides


@pytest.mark.parametrize("seed", range(3))
def test_enemies_that_are_few(seed):
    rng = np.random.default_rng(seed)
    X = rng.random((300, 3))
    y = (rng.random(len(X)) < 0.05) + 1e-3 * rng.random(len(X))
    assert as_plain(X, y)


def test_every_node_knows_the_levels_of_its_samples(monkeypatch):
    grown = []
    grow = _kernel_tree.grow_boxes
    monkeypatch.setattr(
        _kernel_tree, "grow_boxes", lambda *args: grow(*args) or grown.append((args[0], args[2]))
    )
    X, y = np.random.default_rng(0).normal(size=(2, 700))
    Dependency(X[:, None], y, target="numeric", engine="tree").memberships([True])
    [(forest, level)] = grown

    def levels(node):
        child = int(forest.child[node])
        if child < 0:
            return level[(-1 - child) * _vectors.LANES :][: _vectors.LANES].tolist()
        return levels(child) + levels(child + 1)

    for node in range(forest.child.size):
        inside = levels(node)
        assert (forest.lowest[node], forest.highest[node]) == (min(inside), max(inside))
    assert len(set(levels(0))) > 500


@pytest.mark.usefixtures("every_table_is_huge")
def test_many_samples_are_searched_by_trees(monkeypatch):
    used = []
    nearest = TreeEngine.nearest
    monkeypatch.setattr(
        TreeEngine, "nearest", lambda self, *args: used.append(self) or nearest(self, *args)
    )
    X, y = table("smooth", with_gaps=False)
    measure = Dependency(X, y, target="numeric")
    measure.score(MASKS)
    assert len(used) == len(MASKS)
    measure.best(np.eye(6, dtype=bool))
    assert len(used) > len(MASKS)


@pytest.mark.skipif(not JIT_IS_OFF, reason="compiled kernels cannot be counted")
def test_most_of_the_tree_is_never_looked_at(monkeypatch):
    """Without this a tree that is searched in full would pass all tests."""
    met = []
    meet = _kernel_tree._meet
    monkeypatch.setattr(_kernel_tree, "_meet", lambda *args: met.append(1) or meet(*args))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(640, 1))
    measure = Dependency(X, X[:, 0] + rng.normal(size=640), target="numeric", engine="tree")
    measure.memberships([True])
    assert 10 <= len(met) < 60  # of a hundred pairs of blocks


# ------------------------------------------------------------------------------ levels


@examples(100)
@given(
    spread=st.sampled_from(SPREADS),
    y=st.lists(
        st.floats(-1e300, 1e300) | st.floats(-4.0, 4.0) | st.integers(-3, 3).map(float),
        min_size=2,
        max_size=8,
    ).filter(lambda y: len(set(y)) > 1),
)
def test_levels_never_promise_more_than_targets_are_alike(spread, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        measure = Dependency(np.arange(len(y))[:, None], y, target="numeric", spread=spread)
        geometry = measure._geometry
        level = geometry.level
    there = level.of[: len(y)].astype(int)
    assert np.all(np.abs(there) <= 16383)
    less = np.maximum(level.alike - np.abs(there[:, None] - there), 0)
    alike = np.maximum(0.0, 1.0 - np.abs(geometry.target[:, None] - geometry.target))
    assert np.all(level.step * less <= alike * geometry.steps + 1e-6)


def test_levels_of_an_ordinary_target_say_nearly_all():
    y = np.random.default_rng(0).normal(size=500)
    geometry = Dependency(y[:, None], y, target="numeric")._geometry
    level = geometry.level
    there = level.of[: len(y)].astype(int)
    less = np.maximum(level.alike - np.abs(there[:, None] - there), 0)
    alike = np.maximum(0.0, 1.0 - np.abs(geometry.target[:, None] - geometry.target))
    assert np.all(level.step * less >= (alike - 0.001) * geometry.steps)


@pytest.mark.skipif(JIT_IS_OFF, reason="there is only one of the two")
def test_ceilings_in_vectors_are_those_in_numpy():
    rng = np.random.default_rng(0)
    compiled = njit(lambda *args: _vectors.set_ceilings(*args))
    for step, alike in [(1, 16382), (1, 4094), (3, 1364), (8191, 1), (1, 0)]:
        level = rng.integers(-16383, 16384, 256).astype(np.int16)
        limit = rng.choice([_vectors.NEVER, 0, 1, 5000, 16384], 256).astype(np.int16)
        low, high = np.sort(rng.integers(-16383, 16384, 2)).astype(np.int16)
        limit_i = rng.choice(limit)
        found, expected = np.empty((2, _vectors.LANES), np.int16)
        args = np.int16(alike), np.int16(step), low, high, 64, limit, 128, limit_i
        compiled(level, *args, found)
        _vectors._set_ceilings_in_numpy(level, *args, expected)
        assert found.tolist() == expected.tolist()
