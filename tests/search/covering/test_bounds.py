from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzyfrog.search.covering import linear_program
from fuzzyfrog.search.covering.linear_program import relaxed, rounded, without_fixed
from fuzzyfrog.search.protocol import Rows
from search.covering.instances import all_covers, choices, problems, smallest_size

some = settings(deadline=None, max_examples=150)


@some
@given(st.data())
def test_bound_is_never_above_the_smallest_size(data):
    rows = data.draw(problems())
    fixed, allowed = data.draw(choices(rows.n_features))
    bound, _ = relaxed(rows, fixed=fixed, allowed=allowed)
    size = smallest_size(rows, fixed, allowed)
    assert bound == inf if size is None else fixed.sum() <= bound <= size


def test_bound_of_disjoint_rows_is_their_number():
    rows = Rows(np.repeat(np.eye(150), 2, axis=1), np.ones(150))
    nothing, everything = np.zeros(300, bool), np.ones(300, bool)
    assert relaxed(rows, fixed=nothing, allowed=everything)[0] == 150


def test_bound_rounds_up():
    rows = Rows(np.array([[1.0, 1, 0], [1, 0, 1], [0, 1, 1]]), np.ones(3))  # 1.5 by halves
    assert relaxed(rows, fixed=np.zeros(3, bool), allowed=np.ones(3, bool))[0] == 2


@some
@given(st.data())
def test_what_the_fixed_leave_has_the_same_covers(data):
    rows = data.draw(problems(most_features=6))
    fixed, allowed = data.draw(choices(rows.n_features))
    free = np.flatnonzero(allowed & ~fixed)
    left = without_fixed(rows, fixed, free)
    nothing, everything = np.zeros(len(free), bool), np.ones(len(free), bool)
    for size in range(len(free) + 1):
        found = all_covers(left, size, nothing, everything)
        covers = all_covers(rows, size + int(fixed.sum()), fixed, allowed)
        whole = {frozenset([*free[list(one)], *np.flatnonzero(fixed)]) for one in found}
        assert whole == covers


@pytest.mark.parametrize("n_rows", [1, 3, 500])
@pytest.mark.parametrize("seed", range(4))
def test_rows_that_come_late_count_as_much(seed, n_rows, monkeypatch):
    monkeypatch.setattr(linear_program, "FIRST_ROWS", n_rows)
    monkeypatch.setattr(linear_program, "ROWS_PER_ROUND", n_rows)
    rng = np.random.default_rng(seed)
    rows = Rows((rng.random((60, 12)) < 0.25) + np.eye(60, 12), np.ones(60))
    rows = Rows(np.minimum(rows.weights, 1.0), rows.needed).take(rows.weights.any(axis=1))
    bound, shares = relaxed(rows, fixed=np.zeros(12, bool), allowed=np.ones(12, bool))
    assert (rows.weights @ shares >= 1 - 1e-6).all()
    assert bound == np.ceil(shares.sum() - 1e-6)


@some
@given(st.data())
def test_rounding_gives_a_cover_that_spares_nothing(data):
    rows = data.draw(problems())
    fixed, allowed = data.draw(choices(rows.n_features))
    bound, shares = relaxed(rows, fixed=fixed, allowed=allowed)
    if bound == inf:
        return
    assert shares[~(allowed | fixed)].sum() == 0
    assert (shares[fixed] == 1).all()
    cover = rounded(rows, shares, fixed=fixed, allowed=allowed)
    assert rows.covered_by(cover)
    assert not (cover & ~(fixed | allowed)).any()
    assert not (fixed & ~cover).any()
    for feature in np.flatnonzero(cover & ~fixed):
        cover[feature] = False
        assert not rows.covered_by(cover)
        cover[feature] = True


def test_shares_are_whole_where_nothing_can_be_exchanged():
    nothing, everything = np.zeros(8, bool), np.ones(8, bool)
    bound, shares = relaxed(Rows(np.eye(8)[:5], np.ones(5)), fixed=nothing, allowed=everything)
    assert bound == 5
    assert np.allclose(shares, np.arange(8) < 5)


def test_rows_must_fit():
    with pytest.raises(ValueError, match="one row for each value"):
        Rows(np.ones((2, 3)), np.ones(3))
    with pytest.raises(ValueError, match="above 0"):
        Rows(np.ones((1, 3)), np.zeros(1))
