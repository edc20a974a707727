"""Random numbers: pinned down to the bit, and spread as they should be."""

import numpy as np

from fuzzyfrog.search.protocol import Constraints, Problem, Stream, diverse_sizes, diverse_subsets

WORDS = ["0xc3a2b6c606754a90", "0x3d8e9c131f2475ae"]


def test_words_are_pinned_down():
    """These words must never change: a seed is a promise to repeat a run in years to come."""
    assert [hex(word) for word in Stream(7, "leap", 3).words(2)] == WORDS
    assert Stream(7, "leap", 3).floats(1)[0] == (int(WORDS[0], 16) >> 11) * 2.0**-53


def test_streams_with_other_names_differ():
    names = [(0, "a"), (1, "a"), (0, "b"), (0, "a", 0), (0, "a", "0")]
    assert len({Stream(*name).words(1)[0] for name in names}) == len(names)


def test_floats_and_integers_stay_in_range():
    floats = Stream(0, "floats").floats(10_000)
    assert 0 <= floats.min() < 0.001
    assert 0.999 < floats.max() < 1
    counts = np.bincount(Stream(0, "integers").integers(7, 7000), minlength=7)
    assert len(counts) == 7
    assert (abs(counts - 1000) < 150).all()


def test_order_is_a_permutation():
    assert sorted(Stream(0, "order").order(50)) == list(range(50))


def test_weighted_choices_are_distinct_and_follow_the_weights():
    weights = np.array([5, 4, 3, 2, 1])
    chosen = Stream(0, "choices").weighted_choices(weights, 20_000, 3)
    assert all(len(set(row)) == 3 for row in chosen[:500].tolist())
    first = np.bincount(chosen[:, 0], minlength=5) / 20_000
    assert np.allclose(first, weights / 15, atol=0.015)
    second = np.bincount(chosen[chosen[:, 0] == 0, 1], minlength=5)
    assert np.allclose(second / second.sum(), [0, 0.4, 0.3, 0.2, 0.1], atol=0.02)


def test_diverse_sizes_reach_both_ends():
    sizes = diverse_sizes(900, 1, 10_000)
    assert sizes.min() == 1
    assert sizes.max() > 9_900
    assert (sizes <= 100).sum() > 200
    assert (sizes >= 5_000).sum() > 200


def test_random_subsets_have_their_sizes_and_use_every_feature():
    constraints = Constraints(Problem(9, 90, 1.0))
    sizes = np.repeat(np.arange(1, 10), 2000)
    subsets = constraints.random_subsets(sizes, Stream(0, "subsets"))
    assert np.array_equal(subsets.sum(axis=1), sizes)
    assert (abs(subsets[sizes == 3].mean(axis=0) - 1 / 3) < 0.05).all()


def test_repair_changes_as_little_as_needed():
    constraints = Constraints(Problem(8, 80, 1.0, n_features_to_select=3))
    subsets = Stream(0, "masks").floats((200, 8)) < 0.5
    repaired = constraints.repair(subsets, Stream(0, "repair"))
    assert (repaired.sum(axis=1) == 3).all()
    changed = (repaired != subsets).sum(axis=1)
    assert np.array_equal(changed, abs(subsets.sum(axis=1) - 3))


def test_a_part_of_the_first_subsets_is_diverse_too():
    constraints = Constraints(Problem(100, 1000, 1.0))
    sizes = diverse_subsets(900, constraints, Stream(0, "spawn"))[:100].sum(axis=1)
    assert sizes.min() <= 2
    assert sizes.max() >= 95
