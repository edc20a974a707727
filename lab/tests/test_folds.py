"""Weka's folds without Weka."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzyfrog_lab.folds import JavaRandom, stratified_folds


def test_the_numbers_are_those_of_java():
    # new Random(42): nextInt(10) five times, nextInt(16) three times, nextInt(2^30 + 1) twice
    random = JavaRandom(42)
    assert [random.below(10) for _ in range(5)] == [0, 3, 8, 4, 0]
    assert [random.below(16) for _ in range(3)] == [15, 4, 11]
    assert [random.below(2**30 + 1) for _ in range(2)] == [196118093, 969067502]


@given(st.lists(st.sampled_from("abc"), min_size=5, max_size=60), st.integers(2, 5))
def test_every_sample_is_tested_once_and_learned_from_otherwise(target, n_folds):
    folds = stratified_folds(target, n_folds)
    everything = list(range(len(target)))
    assert sorted(np.concatenate([fold.test for fold in folds])) == everything
    for fold in folds:
        assert sorted([*fold.train, *fold.test]) == everything
        assert abs(len(fold.test) - len(target) / n_folds) < 1


@given(st.lists(st.sampled_from("abc"), min_size=10, max_size=60))
def test_every_fold_has_its_share_of_every_class(target):
    folds = stratified_folds(target, 5)
    for label in set(target):
        counts = [sum(target[row] == label for row in fold.test) for fold in folds]
        assert max(counts) - min(counts) <= 2


def test_the_seed_counts():
    first, again, other = (
        [fold.test.tolist() for fold in stratified_folds("ab" * 20, 4, seed)] for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize("n_folds", [1, 0, 2.0, True])
def test_too_few_folds_are_refused(n_folds):
    with pytest.raises(ValueError, match="n_folds must be an integer of at least 2"):
        stratified_folds("abab", n_folds)


def test_more_folds_than_samples_are_refused():
    with pytest.raises(ValueError, match=r"at most the number of samples \(4\), got 5"):
        stratified_folds("abab", 5)
