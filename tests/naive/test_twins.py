"""The twins against tables small enough to calculate by hand."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from naive import exact, twins

NAN = math.nan


@pytest.mark.parametrize("twin", [twins, exact])
def test_twins_do_not_import_the_package(twin):
    assert "fuzzyfrog" not in Path(twin.__file__).read_text(encoding="utf-8")


def test_whole_numbers_by_hand():
    """Ranges 2 and 4: the middle sample is half of each away from the next."""
    X, y = np.array([[0, 0], [1, 2], [2, 4]]), [0, 1, 1]
    found = exact.dependencies(X, y, spread="range", tnorm="lukasiewicz")
    assert found == {(0,): Fraction(2, 3), (1,): Fraction(2, 3), (0, 1): 1}
    assert exact.smallest(found) == ({(0, 1)}, {0, 1})
    assert exact.of_size(found, 1) == exact.by_product(found) == {(0,), (1,)}
    found = exact.dependencies(X, y, spread="std", tnorm="minimum")
    assert exact.smallest(found) == ({(0,), (1,)}, set())


# 0, 1, 5: mean 2, squared deviations 4 + 1 + 9 = 14, divided by n - 1 = 2
@pytest.mark.parametrize(("rule", "expected"), [("std", 7**0.5), ("variance", 7.0), ("range", 5.0)])
def test_spread(rule, expected):
    assert twins.spread_of(np.array([0.0, 1.0, 5.0]), rule) == expected


@pytest.mark.parametrize("rule", ["std", "variance", "range"])
@pytest.mark.parametrize("values", [[0.1, 0.1, 0.1], [3.0, NAN, NAN], [NAN, NAN]])
def test_spread_is_exactly_zero_when_there_is_nothing_to_tell_apart(rule, values):
    assert twins.spread_of(np.array(values), rule) == 0.0


def test_spread_uses_present_values_only():
    assert twins.spread_of(np.array([0.0, NAN, 4.0]), "variance") == 8.0


def test_spread_survives_the_largest_and_the_smallest_numbers():
    for scale in (1e300, 1e-300):
        assert twins.spread_of(np.array([0.0, scale]), "std") == pytest.approx(scale / 2**0.5)


def test_numeric_similarity_is_a_triangle_around_the_value():
    R = twins.feature_similarity(np.array([0.0, 1.0, 4.0]), spread="range")
    assert R.tolist() == [[1, 0.75, 0], [0.75, 1, 0.25], [0, 0.25, 1]]


def test_similarity_is_cut_at_zero():
    # 0, 0, 4: variance 16 / 3, so |4 - 0| / sigma = 0.75; with std it is sqrt(3) > 1
    values = np.array([0.0, 0.0, 4.0])
    assert twins.feature_similarity(values, spread="variance")[0, 2] == pytest.approx(0.25)
    assert twins.feature_similarity(values, spread="std")[0, 2] == 0.0


def test_categorical_similarity_is_equality():
    R = twins.feature_similarity(np.array([0.0, 1.0, 7.0, 1.0]), categorical=True)
    assert R.tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1]]


def test_missing_similar_resembles_everything():
    R = twins.feature_similarity(np.array([0.0, NAN, 2.0]), spread="range", missing="similar")
    assert R.tolist() == [[1, 1, 0], [1, 1, 1], [0, 1, 1]]


@pytest.mark.parametrize("categorical", [False, True])
def test_missing_different_resembles_only_itself(categorical):
    R = twins.feature_similarity(
        np.array([NAN, NAN, 2.0]), categorical=categorical, missing="different"
    )
    assert R.tolist() == np.eye(3).tolist()


def test_constant_feature_tells_nothing_apart():
    assert np.all(twins.feature_similarity(np.array([0.1, 0.1, 0.1])) == 1.0)


@pytest.mark.parametrize(
    ("tnorm", "expected"), [("lukasiewicz", 0.25), ("minimum", 0.5), ("product", 0.375)]
)
def test_tnorms_join_one_half_and_three_quarters(tnorm, expected):
    similarities = [np.array([[0.5]]), np.array([[0.75]]), np.array([[0.0]])]
    assert twins.join(similarities, [True, True, False], tnorm) == expected
    assert twins.join(similarities, [True, True, True], tnorm) == 0.0


@pytest.mark.parametrize("tnorm", sorted(twins.TNORMS))
def test_empty_subset_makes_all_samples_alike(tnorm):
    assert twins.join([np.zeros((2, 2))], [False], tnorm).tolist() == [[1, 1], [1, 1]]


def test_an_unknown_tnorm_is_not_that_of_another():
    with pytest.raises(ValueError, match="nilpotent"):
        exact.join([np.zeros((2, 2), object)], 1, "nilpotent")


# One feature 0, 1, 4 of range 4; R = 1 .75 0 / .75 1 .25 / 0 .25 1
LINE = twins.feature_similarity(np.array([0.0, 1.0, 4.0]), spread="range")


def test_lower_and_upper_approximation_of_a_class():
    members = twins.class_membership(["a", "b", "a"], "a")
    # x = 0: the only outsider is 1, I(.75, 0) = .25; x = 1: I(1, 0) = 0; x = 2: I(.25, 0) = .75
    assert twins.lower_approximation(LINE, members).tolist() == [0.25, 0.0, 0.75]
    # x = 1: the likest member is 0, T(.75, 1) = .75
    assert twins.upper_approximation(LINE, members).tolist() == [1.0, 0.75, 1.0]


def test_lower_and_upper_approximation_of_a_fuzzy_set():
    members = twins.target_membership(np.array([0.0, 1.0, 2.0]), 0.0, "range")
    assert members.tolist() == [1.0, 0.5, 0.0]
    # x = 0: min(I(1, 1), I(.75, .5), I(0, 0)) = min(1, .75, 1)
    # x = 1: min(I(.75, 1), I(1, .5), I(.25, 0)) = min(1, .5, .75)
    assert twins.lower_approximation(LINE, members).tolist() == [0.75, 0.5, 0.0]
    # x = 2: max(T(0, 1), T(.25, .5), T(1, 0)) = 0; x = 1: max(T(.75, 1), T(1, .5)) = .75
    assert twins.upper_approximation(LINE, members).tolist() == [1.0, 0.75, 0.0]


def test_positive_region_of_classes_is_that_of_the_own_class():
    memberships = twins.positive_region_of_classes(LINE, ["a", "b", "a"])
    # 1 - .75 for the pair (0, 1), 1 - .25 for the pair (1, 2)
    assert memberships.tolist() == [0.25, 0.25, 0.75]
    assert twins.dependency(memberships) == pytest.approx(5 / 12, abs=1e-16)


def test_positive_region_of_numbers_pays_for_unlike_targets_of_like_samples():
    # target 0, 2, 2: R_target is 0 between sample 0 and the others and 1 between 1 and 2
    memberships = twins.positive_region_of_numbers(LINE, np.array([0.0, 2.0, 2.0]), "range")
    assert memberships.tolist() == [0.25, 0.25, 1.0]


def test_duplicates_of_different_class_belong_nowhere():
    R = np.ones((2, 2))
    assert twins.positive_region_of_classes(R, ["a", "b"]).tolist() == [0.0, 0.0]


# Blocks {0, 1}, {2, 3}, {4}; class a = {0, 1, 2}, class b = {3, 4}
ROWS = [(1, 0), (1, 0), (1, 1), (1, 1), (0, 0)]
LABELS = ["a", "a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("value", "positive", "negative", "boundary"),
    [("a", {0, 1}, {4}, {2, 3}), ("b", {4}, {0, 1}, {2, 3}), (None, {0, 1, 4}, set(), {2, 3})],
)
def test_crisp_regions(value, positive, negative, boundary):
    assert twins.crisp_regions(ROWS, LABELS, value) == (positive, negative, boundary)


def test_crisp_regions_without_features_are_all_boundary():
    assert twins.crisp_regions([()] * 5, LABELS) == (set(), set(), {0, 1, 2, 3, 4})
