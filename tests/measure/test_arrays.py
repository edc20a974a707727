"""NumPy alone: the same bytes as the kernels, and when it hands over to them."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzyfrog.common import jit
from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.measure import Dependency, SampledDependency, _kernel_scan, engines
from fuzzyfrog.measure.engines import SCANS_BY_KIND
from fuzzyfrog.measure.requirements import Requirements
from measure_cases import KINDS, TNORMS, cases
from strategies import JIT_IS_OFF, examples


def same_bytes(first, second):
    return first.dtype == second.dtype and first.tobytes() == second.tobytes()


@pytest.fixture(params=[7, 2**13])
def rectangles(request, monkeypatch):
    """Cut the pairs into rectangles of any size, down to a few pairs."""
    monkeypatch.setattr(engines, "_PAIRS", request.param)
    monkeypatch.setattr(engines, "_WIDTH", max(1, request.param // 2))
    monkeypatch.setattr(engines, "_AT_ONCE", 2)
    monkeypatch.setattr(engines, "_MOST_COLUMNS", 3)
    monkeypatch.setattr(engines, "_MOST_SUBSETS", 3)


@pytest.mark.usefixtures("rectangles")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tnorm", TNORMS)
@examples(20)
@given(data=st.data())
def test_every_answer_has_the_bytes_of_the_plain_engine(tnorm, kind, data):
    case = data.draw(cases(kinds=[kind]))
    by_arrays, plain = case.measure(tnorm, "arrays"), case.measure(tnorm, "plain")
    assert same_bytes(by_arrays.score(case.masks), plain.score(case.masks))
    concept = np.linspace(0.0, 1.0, plain.n_samples)
    for mask in case.masks[:3]:
        assert same_bytes(by_arrays.memberships(mask), plain.memberships(mask))
        assert same_bytes(by_arrays.nearest_enemies(mask), plain.nearest_enemies(mask))
        assert same_bytes(by_arrays.infimum(mask, concept), plain.infimum(mask, concept))
    n_part = data.draw(st.integers(1, plain.n_samples))
    part, whole = (SampledDependency(one, n_part, seed=3) for one in (by_arrays, plain))
    assert same_bytes(part.score(case.masks), whole.score(case.masks))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tnorm", TNORMS)
def test_wide_tables_drop_pairs_early_and_lose_none(tnorm, kind):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50 if JIT_IS_OFF else 160, 90))
    X[1::2] = X[::2] + rng.normal(size=X[::2].shape) / 100  # a few pairs stay open to the end
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, ::7] = np.nan_to_num(np.round(X[:, ::7] * 30))
    y = rng.integers(0, 3, len(X)) if kind == "class" else rng.normal(size=len(X))
    masks = rng.random((8, 90)) < 0.6
    target = "class" if kind == "class" else "numeric"
    scores = [
        Dependency(X, y, tnorm=tnorm, target=target, spread="range", engine=engine).score(masks)
        for engine in ("arrays", "plain")
    ]
    assert 0.0 < scores[0].min() < 1.0
    assert same_bytes(*scores)


@pytest.mark.usefixtures("kernels_never_pay")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tnorm", TNORMS)
@examples(10)
@given(data=st.data())
def test_a_table_that_is_left_to_numpy_gets_the_same_answers(tnorm, kind, data):
    case = data.draw(cases(kinds=[kind]))
    auto, plain = case.measure(tnorm), case.measure(tnorm, "plain")
    assert auto.full == plain.full
    assert same_bytes(auto.score(case.masks), plain.score(case.masks))
    assert same_bytes(auto.best(case.masks), plain.best(case.masks))
    everything = np.ones(plain.n_features, bool)
    found, expected = (Requirements(one, everything) for one in (auto, plain))
    for mask in case.masks[:3]:
        for rows, others in zip(found.broken(mask), expected.broken(mask), strict=True):
            assert same_bytes(rows, others)


def test_kernels_pay_once_all_that_was_left_to_numpy_would_have_paid_for_them(monkeypatch):
    monkeypatch.undo()  # the fixture that has kernels always pay
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setattr(jit, "PATIENCE", 3.0)
    unused = Kernels("fuzzyfrog.measure.no_such_module", "main")
    assert [unused.pay(lambda s=seconds: s) for seconds in (2.5, 4.0, 0.4, 0.2, 0.1)] == [
        False, True, False, True, False,
    ]  # fmt: skip


@pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")
def test_kernels_that_are_compiled_always_pay(monkeypatch):
    case = Dependency(np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2)
    case.score(np.eye(3, dtype=bool) | True)
    monkeypatch.undo()
    assert Kernels("fuzzyfrog.measure._kernel_scan", "scan_batch").pay(lambda: 0.0)


@pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")
def test_kernels_for_classes_are_no_kernels_for_numbers(monkeypatch):
    X = np.random.default_rng(0).normal(size=(30, 3))
    Dependency(X, np.arange(30) % 2).score(np.eye(3, dtype=bool) | True)
    monkeypatch.undo()
    types = [
        str(one) for name in engines._SCANS
        for one in getattr(getattr(_kernel_scan, name), "overloads", ())
    ]  # fmt: skip
    assert SCANS_BY_KIND[False].pay(lambda: 0.0)
    has_numbers = any("none" not in one for one in types)  # from another test
    assert SCANS_BY_KIND[True].pay(lambda: 0.0) is has_numbers


def test_kernels_never_pay_without_the_compiler(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert not Kernels("fuzzyfrog.measure._kernel_scan", "scan_batch").pay(lambda: 1e9)


COLD = """
import sys
import numpy as np
from fuzzyfrog.measure import Dependency

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 8))
X[rng.random(X.shape) < 0.05] = np.nan
for tnorm in ("lukasiewicz", "minimum", "product"):
    for y in (np.arange(150) % 3, X[:, 0] + np.nan_to_num(X[:, 1])):
        measure = Dependency(X, np.nan_to_num(y), tnorm=tnorm)
        measure.full, measure.score(np.eye(8, dtype=bool)), measure.best(np.eye(8, dtype=bool))
        measure.nearest_enemies(np.ones(8, bool))
print(sorted({"numba", "sklearn", "scipy", "pandas"} & set(sys.modules)))
"""


def test_small_tables_are_measured_without_numba(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    found = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", COLD], capture_output=True, text=True, check=True, env=environment
    )
    assert found.stdout == "[]\n"
