import datetime
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from fuzzyfrog.data.target import check_target_kind, encode_target
from fuzzyfrog.errors import DataError, ParameterError


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["b", "a", "b"], ("a", "b")),
        (np.array(["b", "a", "b"]), ("a", "b")),
        ([True, False, True], (False, True)),
        ([2, -1, 2], (-1, 2)),
        (np.array([2, -1, 2], dtype=np.int8), (-1, 2)),
        ([2.0, 1.0, 2.0], (1.0, 2.0)),
        ([10**30, 1, 10**30], (1, 10**30)),
        (np.array(["b", "a", "b"], dtype=object), ("a", "b")),
        ([np.str_("b"), "a", "b"], ("a", "b")),
        (pd.Series(["b", "a", "b"], dtype="category"), ("a", "b")),
        (pd.Series([2, 1, 2], dtype="Int64"), (1, 2)),
        (pd.Series([2, 1, 2], index=[7, 8, 9]), (1, 2)),
        (pl.Series(["b", "a", "b"]), ("a", "b")),
        (pa.chunked_array([["b"], ["a", "b"]]), ("a", "b")),
    ],
    ids=str,
)
def test_classes_are_sorted_python_objects(y, classes):
    codes, found = encode_target(y, 3, "auto")
    assert codes.dtype == np.int64
    assert codes.tolist() == [1, 0, 1]
    assert found == classes
    assert [type(label) for label in found] == [type(label) for label in classes]


@pytest.mark.parametrize("y", [[0.5, 1, 2], np.array([0.5, 1, 2], dtype=np.float32)])
def test_fractions_make_a_numeric_target(y):
    values, classes = encode_target(y, 3, "auto")
    assert classes is None
    assert values.dtype == np.float64
    assert values.tolist() == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("numbers", "is_numeric"),
    [
        (np.arange(5), False),
        (np.arange(6), True),
        (np.repeat([7, 8, 9, 11, 14, 15, 18, 20, 28, 37, 42], 2), True),  # losses of ammonia
        (np.repeat(np.arange(17), np.maximum(250 // 3 ** np.arange(17), 1)), True),  # visits
        (np.repeat(np.arange(9), [60, 40, 30, 20, 9, 5, 4, 3, 2]), False),  # a third is rare
        (np.repeat(np.arange(9), [60, 40, 30, 20, 9, 4, 4, 3, 2]), True),
        (np.repeat(np.arange(20), 5), False),
        (np.repeat(np.arange(11), np.arange(11, 0, -1) ** 2 + 9), True),  # children
        (np.repeat(np.arange(1, 12), np.arange(11, 0, -1) ** 2 + 9), False),
        (np.repeat(np.arange(10), np.arange(10, 0, -1) ** 2 + 9), False),
        (np.repeat(np.arange(21), 5), True),
        (np.arange(8645) * 7919 % 585, False),  # counts its classes, 14 samples each
        (np.arange(8645) * 7919 % 585 + 2, True),
        (np.arange(8645) * 7919 % 585 * 2, True),
        (np.repeat(np.arange(1, 27), 770), False),  # letters
        (np.repeat(np.arange(40), 10), False),  # faces
        (np.repeat(np.arange(40), 9), True),
        (np.repeat(np.arange(1, 30), np.arange(30, 1, -1) ** 2), True),  # rings of abalones
        (np.repeat(np.arange(17, 91), 400), True),  # ages
        (np.repeat(np.arange(1990, 2021), 100), True),  # years
    ],
)
def test_many_different_whole_numbers_are_quantities_unless_they_are_codes(numbers, is_numeric):
    assert (encode_target(numbers, len(numbers), "auto")[1] is None) == is_numeric


def test_the_kind_can_be_forced():
    assert encode_target([0.5, 1, 2], 3, "class")[1] == (0.5, 1.0, 2.0)
    assert encode_target([3, 1, 2], 3, "numeric")[0].tolist() == [3.0, 1.0, 2.0]
    assert encode_target([Fraction(1, 2), 1, 2], 3, "numeric")[0].tolist() == [0.5, 1.0, 2.0]
    assert encode_target([True, False, True], 3, "numeric")[0].tolist() == [1.0, 0.0, 1.0]
    with pytest.raises(DataError, match="y must be finite, got inf at sample 1"):
        encode_target([Fraction(1, 2), np.inf, 2], 3, "numeric")
    with pytest.raises(ParameterError, match=r"target_kind must be one of .* got 'classes'"):
        check_target_kind("classes", "target_kind")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([1, 2], "same number of samples, got 3 and 2"),
        ("abc", "got 'abc'. Pass the column itself"),
        (["a", None, None], r"2 missing values at sample 1, 2\. Drop"),
        ([1.0, np.nan, 2.0], "at sample 1"),
        (pd.Series([1, pd.NA, 2], dtype="Int64"), "at sample 1"),
        (pl.Series([1, 2, None]), "at sample 2"),
        ([1.0, np.inf, 2.0], "finite, got inf at sample 1"),
        (["a", "a", "a"], "at least 2 classes, got 1 class: 'a'"),
        ([1, "a", 2], "of one type, got 'a', 1|of one type, got 1, 'a'"),
        ([True, 2, 3], "of one type"),
        ([b"a", b"b", b"a"], r"got bytes.*\.decode"),
        (np.array([b"a", b"b", b"a"]), r"got bytes.*\.decode"),
        (np.array([1j, 2, 3]), "got complex"),
        (np.array(["2020-01-01"] * 3, dtype="M8[ns]"), "got datetime64"),
        ([datetime.date(2020, 1, 1)] * 3, "got date"),
        (np.eye(3), r"one dimension, got 2 \(shape \(3, 3\)\)"),
        ([[1, 2], [1], [2]], "got list"),
    ],
    ids=str,
)
def test_a_target_that_cannot_be_used_is_refused(y, message):
    with pytest.raises(DataError, match=message):
        encode_target(y, 3, "auto")


def test_a_numeric_target_needs_different_numbers():
    with pytest.raises(DataError, match="must hold numbers, got '1'"):
        encode_target(["1", "2", "3"], 3, "numeric")
    with pytest.raises(DataError, match=r"at least 2 different values, got only 4\.0"):
        encode_target([4, 4, 4], 3, "numeric")


@pytest.mark.parametrize(
    "y", [np.array([[1], [2], [1]]), pd.DataFrame({"y": [1, 2, 1]}), [[1], [2], [1]]]
)
def test_a_column_vector_is_taken_with_a_warning(y):
    with pytest.warns(DataConversionWarning, match="column vector"):
        codes, classes = encode_target(y, 3, "auto")
    assert codes.tolist() == [0, 1, 0]
    assert classes == (1, 2)


@pytest.mark.parametrize(
    "make", [pd.Series, pl.Series, pa.array], ids=["pandas", "polars", "arrow"]
)
@pytest.mark.parametrize("numbers", [[3, 1, 3], [0.5, 2.0, 0.5], [2.0, 1.0, 2.0]])
def test_numbers_of_a_column_are_those_of_its_list(make, numbers):
    y = (
        pa.chunked_array([make(numbers[:1]), make(numbers[1:])])
        if make is pa.array
        else make(numbers)
    )
    found, classes = encode_target(y, 3, "auto")
    expected, names = encode_target(numbers, 3, "auto")
    assert found.tolist() == expected.tolist()
    assert found.dtype == expected.dtype
    assert classes == names
    assert [type(one) for one in classes or ()] == [type(one) for one in names or ()]
    holed = pd.Series([*numbers, None], dtype="Int64" if type(numbers[0]) is int else "Float64")
    with pytest.raises(DataError, match="y must not be missing"):
        encode_target(holed, 4, "auto")
