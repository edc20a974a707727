"""Bounds and covers from the linear relaxation, against all subsets."""

import numpy as np
import pytest

from fuzzyfrog.search.covering import Rows
from fuzzyfrog.search.relaxing import relaxed, rounded
from search.lookup import mask_of

N_FEATURES = 8
EVERY = (np.arange(2**N_FEATURES)[:, None] >> np.arange(N_FEATURES) & 1).astype(bool)


def some_rows(seed, n_rows=12):
    rng = np.random.default_rng(seed)
    needed = rng.integers(1, 9, n_rows) / 8
    weights = rng.integers(0, 9, (n_rows, N_FEATURES)) / 8 * (rng.random((n_rows, 8)) < 0.6)
    weights[:, 7] = needed
    return Rows(np.minimum(weights, needed[:, None]), needed)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("fixed", [(), (2,), (7,)])
def test_no_cover_is_smaller_than_the_bound(seed, fixed):
    rows, fixed, allowed = some_rows(seed), mask_of(8, *fixed), ~mask_of(8, 0)
    fitting = EVERY[EVERY[:, fixed].all(axis=1) & ~EVERY[:, ~allowed].any(axis=1)]
    smallest = min(subset.sum() for subset in fitting if rows.covered_by(subset))
    bound, shares = relaxed(rows, fixed, allowed)
    assert max(1, fixed.sum()) <= bound <= smallest
    assert shares[~allowed].sum() == 0
    assert (shares[fixed] == 1).all()


@pytest.mark.parametrize("seed", range(10))
def test_rounding_gives_a_cover_that_spares_nothing(seed):
    rows, fixed, allowed = some_rows(seed), mask_of(8, 3), ~mask_of(8, 0)
    cover = rounded(rows, relaxed(rows, fixed, allowed)[1], fixed, allowed)
    assert rows.covered_by(cover)
    assert cover[3]
    assert not cover[0]
    for feature in np.flatnonzero(cover & ~fixed):
        assert not rows.covered_by(cover & ~mask_of(8, feature))


def test_the_bound_is_tight_where_shares_are_whole():
    rows = Rows(np.eye(8)[:5], np.ones(5))
    bound, shares = relaxed(rows, mask_of(8), ~mask_of(8))
    assert bound == 5
    assert np.allclose(shares, mask_of(8, *range(5)))
