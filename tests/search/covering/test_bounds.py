from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzyfrog.search.covering import (
    Rows,
    core,
    greedy_cover,
    lp_bound,
    reduced,
    smallest_cover,
    without_fixed,
)
from search.covering.instances import all_covers, choices, problems, smallest_size, subset_of

some = settings(deadline=None, max_examples=150)


@some
@given(st.data())
def test_bound_is_never_above_the_smallest_size(data):
    rows = data.draw(problems())
    fixed, allowed = data.draw(choices(rows.n_features))
    bound, size = lp_bound(rows, fixed=fixed, allowed=allowed), smallest_size(rows, fixed, allowed)
    assert bound == inf if size is None else fixed.sum() <= bound <= size


def test_bound_of_disjoint_rows_is_their_number():
    rows = Rows(np.repeat(np.eye(150), 2, axis=1), np.ones(150))
    nothing, everything = np.zeros(300, bool), np.ones(300, bool)
    assert lp_bound(rows, fixed=nothing, allowed=everything) == 150


def test_bound_rounds_up():
    rows = Rows(np.array([[1.0, 1, 0], [1, 0, 1], [0, 1, 1]]), np.ones(3))  # 1.5 by halves
    assert lp_bound(rows, fixed=np.zeros(3, bool), allowed=np.ones(3, bool)) == 2


@some
@given(st.data())
def test_program_finds_the_smallest_size(data):
    rows = data.draw(problems())
    fixed, allowed = data.draw(choices(rows.n_features))
    answer = smallest_cover(rows, fixed=fixed, allowed=allowed, max_seconds=60)
    size = smallest_size(rows, fixed, allowed)
    if size is None:
        assert answer.cover is None
        assert answer.lower_bound == inf
    else:
        assert answer.lower_bound == size
        assert subset_of(answer.cover) in all_covers(rows, size, fixed, allowed)


def test_program_does_not_believe_tolerances():
    """The first two features miss the need by less than the solver can see."""
    rows = Rows(np.array([[0.5, 0.5 - 2**-30, 0.25, 0.25]]), np.ones(1))
    nothing, everything = np.zeros(4, bool), np.ones(4, bool)
    answer = smallest_cover(rows, fixed=nothing, allowed=everything, max_seconds=60)
    assert answer.cover is not None
    assert rows.covered_by(answer.cover)
    assert (answer.cover.sum(), answer.lower_bound) == (3, 3)


def test_program_without_time_proves_nothing():
    rows = Rows(np.ones((1, 2)), np.ones(1))
    answer = smallest_cover(rows, fixed=np.zeros(2, bool), allowed=np.ones(2, bool), max_seconds=0)
    assert answer.cover is None
    assert answer.lower_bound == 0


@some
@given(st.data())
def test_greedy_cover_is_minimal(data):
    rows = data.draw(problems())
    fixed, allowed = data.draw(choices(rows.n_features))
    cover = greedy_cover(rows, fixed=fixed, allowed=allowed)
    if cover is None:
        assert smallest_size(rows, fixed, allowed) is None
        return
    assert rows.covered_by(cover)
    assert not (cover & ~(fixed | allowed)).any()
    assert not (fixed & ~cover).any()
    for feature in np.flatnonzero(cover & ~fixed):
        smaller = cover.copy()
        smaller[feature] = False
        assert not rows.covered_by(smaller)


@some
@given(st.data())
def test_reduced_rows_have_the_same_covers(data):
    rows = data.draw(problems(most_features=6))
    fixed, allowed = data.draw(choices(rows.n_features))
    fewer, left = reduced(rows), without_fixed(rows, fixed)
    assert len(fewer) <= len(rows)
    for size in range(rows.n_features + 1):
        covers = all_covers(rows, size, fixed, allowed)
        assert all_covers(fewer, size, fixed, allowed) == covers
        assert all_covers(left, size, fixed, allowed) == covers


@pytest.mark.parametrize(
    ("weights", "needed", "n_kept"),
    [
        ([[1, 0.5], [1, 0.5]], [1, 1], 1),  # twins
        ([[1, 0.5], [1, 0.25]], [1, 1], 1),  # the second gives less
        ([[1, 0], [0.5, 0]], [1, 0.5], 1),  # the same, cut
        ([[1, 0], [0, 1]], [1, 1], 2),
        ([[0.5, 0.5], [1, 0.25]], [1, 1], 2),
    ],
)
def test_implied_rows_go(weights, needed, n_kept):
    assert len(reduced(Rows(np.array(weights, float), np.array(needed, float)))) == n_kept


@some
@given(st.data())
def test_core_is_what_all_covers_share(data):
    rows = data.draw(problems())
    nothing = np.zeros(rows.n_features, bool)
    _, allowed = data.draw(choices(rows.n_features))
    covers = [
        cover
        for size in range(rows.n_features + 1)
        for cover in all_covers(rows, size, nothing, allowed)
    ]
    if covers:
        assert subset_of(core(rows, allowed)) == frozenset.intersection(*covers)


def test_rows_must_fit():
    with pytest.raises(ValueError, match="one row for each value"):
        Rows(np.ones((2, 3)), np.ones(3))
    with pytest.raises(ValueError, match="above 0"):
        Rows(np.ones((1, 3)), np.zeros(1))
