import numpy as np
import pytest

from fuzzyfrog.data import make_dataset
from fuzzyfrog.data.dataset import check_names, chosen_categorical
from fuzzyfrog.data.gathering import check_finite, check_shape
from fuzzyfrog.errors import DataError, ParameterError

NAMES = ("color", "size", "weight")


@pytest.mark.parametrize(
    ("choice", "mask"),
    [
        (None, [False, False, False]),
        ([], [False, False, False]),
        (["size"], [False, True, False]),
        ((0, 2), [True, False, True]),
        (np.array([2]), [False, False, True]),
        ([np.int64(1)], [False, True, False]),
        (np.array([True, False, True]), [True, False, True]),
        ([False, False, True], [False, False, True]),
    ],
)
def test_categorical_features_are_chosen_by_name_position_or_mask(choice, mask):
    assert chosen_categorical(choice, NAMES).tolist() == mask


def test_from_dtype_leaves_the_choice_to_the_data():
    assert chosen_categorical("from_dtype", NAMES) is None


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("color", r"must be 'from_dtype', None, a list .* got 'color'"),
        (["colour"], "got 'colour'. Did you mean 'color'?"),
        ([3], "indices from 0 to 2, got 3"),
        ([-1], "indices from 0 to 2, got -1"),
        ([True], "got 1 entry for 3 features"),
        ([1.5], "got 1.5"),
        (7, "got 7"),
    ],
)
def test_a_wrong_choice_is_named(choice, message):
    with pytest.raises(ParameterError, match=message):
        chosen_categorical(choice, NAMES)


def test_infinities_are_found_in_any_block(monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.gathering.BLOCK_CELLS", 6)
    values = np.full((10, 3), np.nan)
    check_finite(values, NAMES)
    values[7, 1] = -np.inf
    with pytest.raises(DataError, match="got -inf in feature 'size' of sample 7"):
        check_finite(values, NAMES)


def test_names_are_distinct_texts_one_per_feature():
    assert check_names(list(NAMES), 3) == NAMES
    with pytest.raises(DataError, match="got 3 names for 2 features"):
        check_names(NAMES, 2)
    with pytest.raises(DataError, match="must be text, got 1"):
        check_names(["a", 1], 2)
    with pytest.raises(DataError, match="more than once: 'a'"):
        check_names(["a", "b", "a"], 3)


def test_a_table_needs_two_samples_and_a_feature():
    check_shape(2, 1)
    with pytest.raises(DataError, match="at least 2 samples, got 1 sample"):
        check_shape(1, 1)
    with pytest.raises(DataError, match=r"0 feature\(s\) \(shape=\(5, 0\)\)"):
        check_shape(5, 0)


def test_one_feature_is_no_plural():
    assert ": 2 samples, 1 feature," in repr(make_dataset([[1], [2]], ["x", "y"]))
