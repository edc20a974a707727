"""Which of two subsets is better, and how much a subset needs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzyfrog.search import Problem
from fuzzyfrog.search.archive import ranking_of
from fuzzyfrog.search.protocol import check_problem
from search.lookup import mask_of

shares = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 2 / 3, 0.7, 0.9, 1.0])
sizes = st.integers(1, 6)
names = st.sampled_from(["lexicographic", "product"])


def ranking(name, target=1.0, n_features=6):
    return ranking_of(Problem(n_features, 60, target, name))


def order(name, subsets, scores, target=1.0):
    masks = np.array([mask_of(6, *features) for features in subsets])
    return [subsets[i] for i in ranking(name, target).order(masks, np.array(scores))]


def test_lexicographic_takes_score_then_size_then_features():
    subsets = [(3, 4), (0, 5), (0, 4), (1,), (0, 1, 2), (2,)]
    scores = [0.5, 0.9, 0.9, 0.9, 1.0, 0.2]
    expected = [(0, 1, 2), (1,), (0, 4), (0, 5), (3, 4), (2,)]
    assert order("lexicographic", subsets, scores) == expected


def test_product_takes_score_times_share_left_out():
    subsets = [(0, 1, 2), (0,), (0, 1, 2, 3, 4, 5), (1,)]
    scores = [1.0, 0.5, 1.0, 0.61]  # 0.5, 0.41667, 0, 0.50833
    assert order("product", subsets, scores) == [(1,), (0, 1, 2), (0,), (0, 1, 2, 3, 4, 5)]


def test_product_prefers_the_higher_score_among_zeros():
    assert order("product", [(0,), (0, 1, 2, 3, 4, 5)], [0.0, 0.8])[0] == (0, 1, 2, 3, 4, 5)


def test_a_score_above_the_target_is_not_worth_features():
    assert order("lexicographic", [(0, 1), (2,)], [1.0, 0.9], target=0.9) == [(2,), (0, 1)]
    assert order("lexicographic", [(0,), (2,)], [0.9, 1.0], target=0.9) == [(2,), (0,)]


@pytest.mark.parametrize("name", ["lexicographic", "product"])
def test_rejected_subsets_come_last(name):
    assert order(name, [(0, 1, 2, 3, 4, 5), (1,)], [-np.inf, 0.0])[0] == (1,)


@pytest.mark.parametrize("name", ["lexicographic", "product"])
def test_order_does_not_depend_on_arrival(name):
    rng = np.random.default_rng(0)
    masks = np.unique(rng.random((60, 6)) < 0.5, axis=0)
    scores = rng.integers(0, 3, len(masks)) / 2
    shuffled = rng.permutation(len(masks))
    there = masks[ranking(name).order(masks, scores)]
    again = masks[shuffled][ranking(name).order(masks[shuffled], scores[shuffled])]
    assert np.array_equal(there, again)


@given(names, shares, sizes, shares, sizes, st.sampled_from([0.5, 0.9, 1.0]))
def test_what_is_needed_is_exactly_as_good(name, score, size, new_score, new_size, target):
    """Below the bar a subset is worse for sure; so rejecting it changes nothing."""
    rank = ranking(name, target)
    bar = rank.needed(np.array([new_size]), np.array([score]), np.array([size]))[0]
    old = rank.merit(np.array([score]), np.array([size]))
    new = rank.merit(np.array([new_score]), np.array([new_size]))
    as_good = not rank.beats(old, new)[0]
    if as_good and name == "lexicographic":
        assert new_score >= bar
    if name == "product" and new[0, 0] >= old[0, 0]:
        assert new_score >= bar
    if new_score >= bar * (1 + 2.0**-48) and bar > 0:
        assert new[0, 0] >= old[0, 0] * (1 - 2.0**-48)


@given(names, shares, sizes, shares, sizes)
def test_one_of_two_beats_the_other_unless_equal(name, score, size, other, other_size):
    rank = ranking(name)
    one = rank.merit(np.array([score]), np.array([size]))
    two = rank.merit(np.array([other]), np.array([other_size]))
    assert not (rank.beats(one, two)[0] and rank.beats(two, one)[0])
    assert not rank.beats(one, one)[0]


def test_unknown_name_lists_the_known():
    with pytest.raises(ValueError, match="one of 'lexicographic', 'product', got 'sum'"):
        check_problem(Problem(6, 60, 1.0, "sum"))
