import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzyfrog.search.covering import search as cover_search
from fuzzyfrog.search.covering.search import CoverSearch
from fuzzyfrog.search.protocol import Rows
from search.covering.instances import all_covers, choices, problems, subset_of
from strategies import JIT_IS_OFF


def listed(search, n_nodes, n_covers, rows_later=()):
    """All covers of the right size in the order they came, with rows added on the way."""
    later = list(rows_later)
    found = []
    while not search.is_exhausted:
        found += [subset_of(cover) for cover in search.advance(n_nodes, n_covers).covers]
        if later:
            search.add(later.pop(0))
    return [cover for cover in found if len(cover) == search.size]


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_lists_every_cover_once(data):
    rows = data.draw(problems())
    fixed, allowed = data.draw(choices(rows.n_features))
    size = data.draw(st.integers(0, rows.n_features))
    n_nodes, n_covers = data.draw(st.sampled_from([(1, 1), (3, 2), (10**6, 1), (10**6, 10**3)]))
    search = CoverSearch(rows, size, fixed=fixed, allowed=allowed)
    found = listed(search, n_nodes, n_covers)
    assert len(found) == len(set(found))
    assert set(found) == all_covers(rows, size, fixed, allowed)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_rows_may_come_in_the_middle(data):
    rows = data.draw(problems())
    fixed, allowed = data.draw(choices(rows.n_features))
    size = data.draw(st.integers(0, rows.n_features))
    n_first = data.draw(st.integers(0, len(rows)))
    search = CoverSearch(rows.take(np.arange(n_first)), size, fixed=fixed, allowed=allowed)
    later = [rows.take(np.array([row])) for row in range(n_first, len(rows))]
    found = listed(search, data.draw(st.integers(1, 4)), 1, later)
    true = all_covers(rows, size, fixed, allowed)
    assert len(found) == len(set(found))
    assert true <= set(found)  # covers found before a row was added may break it
    assert set(found) <= all_covers(rows.take(np.arange(n_first)), size, fixed, allowed)


def broken(rows, cover):
    return rows.take(rows.deficits(cover) > 0)


@pytest.mark.parametrize("size", [2, 3])
def test_wide_problem_with_an_oracle(size):
    """More features than one word has bits, more rows than the first capacity."""
    rng = np.random.default_rng(0)
    weights = np.round(rng.random((600, 70)) * 64) / 64
    rows = Rows(np.minimum(weights, 0.25), np.full(600, 0.25))
    everything, nothing = np.ones(70, bool), np.zeros(70, bool)
    search = CoverSearch(Rows.none(70), size, fixed=nothing, allowed=everything)
    found = set()
    while not search.is_exhausted:
        for cover in search.advance(10**4).covers:
            new = broken(rows, cover)
            search.add(new.take(np.arange(min(5, len(new)))))
            if not len(new):
                assert subset_of(cover) not in found
                found.add(subset_of(cover))
    whole = CoverSearch(rows, size, fixed=nothing, allowed=everything)
    assert found == set(listed(whole, 10**9, 10**5))
    assert found == by_levels(rows, size)
    assert found or size == 2


def by_levels(rows, size):
    """Covers by levels of all subsets, kept only while the best completion could cover."""
    n_features = rows.n_features
    largest = np.sort(rows.weights, axis=1)[:, ::-1].cumsum(axis=1)
    partial = [((), np.zeros(len(rows)))]
    for n_left in range(size - 1, -1, -1):
        best = largest[:, n_left - 1] if n_left else 0.0
        partial = [
            ((*subset, feature), sums + rows.weights[:, feature])
            for subset, sums in partial
            for feature in range(subset[-1] + 1 if subset else 0, n_features)
            if (sums + rows.weights[:, feature] + best >= rows.needed).all()
        ]
    return {frozenset(subset) for subset, _ in partial}


def test_smaller_covers_are_told_first():
    rows = Rows(np.array([[1.0, 0.0, 0.0, 0.0]]), np.array([1.0]))
    nothing, everything = np.zeros(4, bool), np.ones(4, bool)
    search = CoverSearch(rows, 3, fixed=nothing, allowed=everything)
    first = search.advance(10**6, 100)
    assert [subset_of(cover) for cover in first.covers] == [{0}]
    assert not first.is_exhausted
    search.add(Rows(np.array([[0.0, 0.0, 0.0, 1.0]]), np.array([1.0])))
    assert set(listed(search, 10**6, 100)) == {frozenset({0, 3, 1}), frozenset({0, 3, 2})}


def test_same_covers_for_any_slice():
    rng = np.random.default_rng(1)
    rows = Rows(np.round(rng.random((40, 20)) * 8) / 8, np.full(40, 1.25))
    nothing, everything = np.zeros(20, bool), np.ones(20, bool)
    answers = []
    for n_nodes, n_covers in [(1, 1), (7, 3), (10**9, 10**6)]:
        search = CoverSearch(rows, 6, fixed=nothing, allowed=everything)
        answers.append(set(listed(search, n_nodes, n_covers)))
    assert answers[0] == answers[1] == answers[2]
    assert len(answers[0]) > 100


@pytest.mark.parametrize("size", [4, 5])
@pytest.mark.parametrize("kind", ["sets", "steps", "logarithms"])
@pytest.mark.parametrize("n_first", [0, 400])
def test_many_rows(kind, size, n_first, monkeypatch):
    """More rows than a deep node lists, so that some are found late; sorted again and again."""
    monkeypatch.setattr(cover_search, "KILLS_BETWEEN_SORTS", 3)
    for seed in range(3):
        rows = many_rows(kind, seed)
        everything, nothing = np.ones(9, bool), np.zeros(9, bool)
        later = [rows.take(np.arange(i, i + 50)) for i in range(n_first, len(rows), 50)]
        first = rows.take(np.arange(n_first))
        search = CoverSearch(first, size, fixed=nothing, allowed=everything)
        for part in later:
            search.advance(n_nodes=2)
            search.add(part)
        met_before = CoverSearch(first, size, fixed=nothing, allowed=everything)
        found = listed(search, 3, 2)
        truth = all_covers(rows, size, nothing, everything)
        assert len(found) == len(set(found))
        assert set(found) <= truth
        if not later:
            assert set(found) == truth
            assert len(truth) < 126
            assert truth or size == 4
        else:
            assert truth - set(found) <= all_covers(first, size, nothing, everything)
            assert set(listed(met_before, 10**6, 10**3)) >= truth


def many_rows(kind, seed, n_rows=600):
    rng = np.random.default_rng(seed)
    if kind == "sets":
        weights, needed = (rng.random((n_rows, 9)) < 0.75) * 1.0, np.ones(n_rows)
        weights[:, 0] = 1.0 - weights[:, 1]
    elif kind == "steps":
        weights, needed = rng.integers(2, 9, (n_rows, 9)) / 8, np.full(n_rows, 1.5)
    else:
        weights = -np.log(rng.random((n_rows, 9)))
        needed = np.sort(weights, axis=1)[:, 2:6].sum(axis=1) * rng.uniform(0.3, 0.6, n_rows)
    return Rows(np.minimum(weights, needed[:, np.newaxis]), needed)


def course_of(rows, size, fixed, allowed, slices, patience):
    """Return all that a search reports and where it stands after each slice."""
    with pytest.MonkeyPatch.context() as patch:
        left = iter(patience)
        patch.setattr(cover_search._kernel_cover.__class__, "patience", lambda _: next(left, -1.0))
        half = len(rows) // 2
        search = CoverSearch(rows.take(np.arange(half)), size, fixed=fixed, allowed=allowed)
        told = []
        for number, (n_nodes, n_covers) in enumerate(slices):
            if number == 1:
                search.add(rows.take(np.arange(half, len(rows))))
            found = search.advance(n_nodes, n_covers)
            told.append((found.covers.tolist(), found.n_nodes, found.is_exhausted))
            told.append([part.tolist() for part in search.place() or []])
    return told


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_plain_python_takes_the_course_of_the_kernels(data):
    """From the first node to the last, or up to any node in the middle of a slice."""
    rows = data.draw(problems())
    fixed, allowed = data.draw(choices(rows.n_features))
    size = data.draw(st.integers(0, rows.n_features))
    slices = data.draw(
        st.lists(st.tuples(st.integers(1, 40), st.integers(1, 5)), min_size=2, max_size=6)
    )
    node = cover_search._SECONDS_PER_ROW * (1 + len(rows))
    patience = data.draw(st.lists(st.integers(-1, 12).map(lambda n: n * node), max_size=9))
    asked = rows, size, fixed, allowed, slices
    compiled = course_of(*asked, [])
    assert course_of(*asked, [np.inf] * 99) == compiled
    assert course_of(*asked, patience) == compiled


@pytest.mark.parametrize("n_covers", [3, 500])
@pytest.mark.parametrize("n_nodes", [30, 10**6])
def test_kernels_continue_a_slice_where_plain_python_stopped(n_nodes, n_covers, monkeypatch):
    rng = np.random.default_rng(4)
    rows = Rows(np.round(rng.random((60, 12)) * 16) / 16, np.full(60, 1.75))
    nothing = np.zeros(12, bool)

    def course(n_interpreted):
        search = CoverSearch(rows, 6, fixed=nothing, allowed=~nothing)
        left = n_interpreted * cover_search._SECONDS_PER_ROW * 61.5
        monkeypatch.setattr(type(cover_search._kernel_cover), "patience", lambda _: left)
        told = []
        while not search.is_exhausted:
            found = search.advance(n_nodes, n_covers)
            told += [
                found.covers.tolist(),
                found.n_nodes,
                [p.tolist() for p in search.place() or []],
            ]
        return told

    compiled = course(-1)
    assert sum(told if isinstance(told, int) else 0 for told in compiled) > 60
    for n_interpreted in (1, 2, 7, 20, 29, 45):
        assert course(n_interpreted) == compiled


@pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")
def test_a_wide_table_is_not_left_to_plain_python(monkeypatch):
    """Its nodes have thousands of branches, and no limit or Ctrl-C ends the work on one."""

    def refused(*arguments):
        raise AssertionError("plain Python")

    monkeypatch.setattr(cover_search._kernel_cover.interpreted, "advance", refused)
    monkeypatch.setattr(type(cover_search._kernel_cover), "patience", lambda _: 1.0)
    rng = np.random.default_rng(0)
    rows = Rows(rng.uniform(0.0, 0.4, (50, 5_000)), np.ones(50))
    nothing, everything = np.zeros(5_000, bool), np.ones(5_000, bool)
    search = CoverSearch(rows, 3, fixed=nothing, allowed=everything)
    assert search.advance(100, 1).n_nodes >= 100
