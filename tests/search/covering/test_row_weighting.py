"""The weighting search: whatever it returns covers the rows, and it finds the smallest covers."""

import itertools

import numpy as np
import pytest

from fuzzyfrog.common.deadline import Deadline, TimeIsUp, limited
from fuzzyfrog.search import Problem
from fuzzyfrog.search.covering import row_weighting
from fuzzyfrog.search.covering.row_weighting import RowWeighting
from fuzzyfrog.search.protocol import Rows, Stream
from search.lookup import mask_of


def random_rows(seed, n_rows=30, n_features=12):
    rng = np.random.default_rng(seed)
    weights = rng.random((n_rows, n_features)) * (rng.random((n_rows, n_features)) < 0.6)
    weights[np.arange(n_rows), rng.integers(0, n_features, n_rows)] = 1.0
    return Rows(weights, np.ones(n_rows))


def search_for(rows, seed=0, **constraints):
    n_features = rows.n_features
    search = RowWeighting(Problem(n_features, 1, 1.0, **constraints), Stream(seed, "test"))
    search.learn(rows, np.zeros(n_features, bool))
    return search


def covers_of(rows, size):
    chosen = itertools.combinations(range(rows.n_features), size)
    masks = [mask_of(rows.n_features, *one) for one in chosen]
    return [mask for mask in masks if rows.covered_by(mask)]


def smallest_size(rows):
    return next(size for size in range(1, rows.n_features + 1) if covers_of(rows, size))


@pytest.mark.parametrize("seed", range(8))
def test_walks_down_to_a_smallest_cover(seed):
    rows = random_rows(seed)
    search, smallest = search_for(rows, seed), smallest_size(rows)
    cover = search.greedy()
    assert rows.covered_by(cover)
    while cover.sum() > smallest:
        search.start(cover)
        size = int(cover.sum()) - 1
        cover = search.walk(size, 2_000)
        assert cover is not None
        assert cover.sum() == size
        assert rows.covered_by(cover)
    search.start(cover)
    assert search.walk(smallest - 1, 500) is None


def test_weights_lead_out_of_a_dead_end():
    """Without growing weights, the same few exchanges would follow each other forever."""
    rows = random_rows(3, n_rows=80, n_features=20)
    cover = search_for(rows).greedy()
    search = search_for(rows)
    search.start(cover)
    while (found := search.walk(int(cover.sum()) - 1, 3_000)) is not None:
        cover = found
        search.start(cover)
    assert cover.sum() == smallest_size(rows)
    assert np.ptp(search._priority[: len(rows)]) > 0


def test_required_features_stay_and_excluded_ones_stay_out():
    rows = random_rows(1)
    must, banned = mask_of(12, 3), mask_of(12, 0, 7)
    search = search_for(rows, must_include=must, exclude=banned)
    search.start(~banned)
    for _ in range(20):
        cover = search.walk(9, 50)
        assert cover is not None
        assert cover[3]
        assert not cover[[0, 7]].any()


def test_exchanges_are_all_neighbors_that_cover():
    rows = random_rows(2)
    size = smallest_size(rows)
    search, subset = search_for(rows), covers_of(rows, size)[0]
    expected = {
        tuple(np.flatnonzero(one))
        for one in covers_of(rows, size)
        if (one & ~subset).sum() == 1
    }  # fmt: skip
    assert {tuple(np.flatnonzero(one)) for one in search.exchanges(subset).masks()} == expected
    assert expected


def test_a_feature_that_is_not_needed_goes_and_none_takes_its_place():
    rows = Rows(np.array([[1.0, 1.0, 0.0, 1.0]]), np.ones(1))
    search = search_for(rows)
    found = search.exchanges(mask_of(4, 0, 2)).masks()
    assert {tuple(np.flatnonzero(one)) for one in found} == {(0,), (1, 2), (2, 3)}
    assert not (search.exchanges(mask_of(4, 0)).masks().sum(axis=1) == 0).any()


def test_a_row_that_is_broken_by_less_than_a_unit_is_not_forgotten():
    """Otherwise the same wrong cover would come again and again."""
    nearly = 1.0 - row_weighting.UNIT**-2
    search = search_for(Rows(np.array([[nearly, 0.0, 0.4]]), np.ones(1)))
    wrong = mask_of(3, 0)
    assert search.cover_newest(wrong[None]).all()
    search.learn(Rows(np.array([[nearly, 0.0, 0.4]]), np.ones(1)), wrong)
    assert search.cover_newest(np.array([wrong, mask_of(3, 0, 2)])).tolist() == [False, True]


def test_a_true_cover_is_never_lost_to_rounding():
    thirds = Rows(np.full((1, 3), 1.0) / 3.0, np.array([1.0 / 3.0 + 1.0 / 3.0 + 1.0 / 3.0]))
    assert search_for(thirds).cover_newest(np.ones((1, 3), bool)).all()


def test_when_there_is_no_room_the_rows_that_matter_least_are_dropped(monkeypatch):
    monkeypatch.setattr(row_weighting, "MOST_CELLS", 0)
    monkeypatch.setattr(row_weighting, "FIRST_CAPACITY", 8)
    search = search_for(Rows(np.eye(8), np.ones(8)))
    search.start(mask_of(8, *range(8)))
    search.walk(1, 1)
    hard = search._priority[: search._n_rows] > 1.0
    assert 0 < hard.sum() < 8
    kept = search._weights[: search._n_rows][hard][-4:].copy()
    search.learn(Rows(np.ones((2, 8)), np.ones(2)), mask_of(8))
    assert search._n_rows == 6
    np.testing.assert_array_equal(search._weights[: len(kept)], kept)


def test_of_rows_that_matter_equally_the_newest_are_kept(monkeypatch):
    """They say what the current cover lacks."""
    monkeypatch.setattr(row_weighting, "MOST_CELLS", 0)
    monkeypatch.setattr(row_weighting, "FIRST_CAPACITY", 8)
    search = search_for(Rows(np.eye(8), np.ones(8)))
    search.learn(Rows(np.ones((2, 8)), np.ones(2)), mask_of(8))
    np.testing.assert_array_equal(search._weights[:4] > 0, np.eye(8, dtype=bool)[4:])


def test_a_walk_ends_when_its_time_is_up():
    search = search_for(Rows(np.eye(4), np.ones(4)))
    search.start(mask_of(4, 0, 1, 2, 3))
    with limited(Deadline(0.0)):
        for late in (search.greedy, lambda: search.walk(2, 5)):
            with pytest.raises(TimeIsUp):
                late()


def test_the_empty_subset_is_never_an_answer():
    search = search_for(Rows.none(4))
    found = search.exchanges(mask_of(4, 0)).masks()
    assert {tuple(np.flatnonzero(one)) for one in found} == {(1,), (2,), (3,)}


@pytest.mark.parametrize("at_once", [1, 30, 10_000])
def test_exchanges_are_tested_in_parts(at_once, monkeypatch):
    monkeypatch.setattr(row_weighting, "AT_ONCE", at_once)
    rows, sizes = random_rows(2), []
    search, subset = search_for(rows), covers_of(rows, smallest_size(rows))[0]
    every = search.exchanges(subset)

    def has_an_even_feature(masks):
        sizes.append(len(masks))
        return masks[:, ::2].any(axis=1)

    some = every.that(has_an_even_feature)
    assert max(sizes) <= max(1, at_once // 12)
    assert sum(sizes) == len(every)
    np.testing.assert_array_equal(some.masks(), [one for one in every.masks() if one[::2].any()])
    assert len(every[:0].that(has_an_even_feature)) == 0
