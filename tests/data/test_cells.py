import numpy as np
import pandas as pd
import pytest

from fuzzyfrog.data.cells import (
    MISSING,
    CategoryCoder,
    NotANumberError,
    has_decimal_commas,
    is_missing,
    parse_numbers,
)


def test_numbers_are_read_to_the_last_bit():
    cells = ("0.1", " -3 ", "1e-320", "1.7976931348623157e308", "+5")
    assert parse_numbers(cells).tolist() == [0.1, -3.0, 1e-320, 1.7976931348623157e308, 5.0]


@pytest.mark.parametrize("token", sorted(MISSING))
def test_every_missing_token_is_nan_among_numbers(token):
    assert np.isnan(parse_numbers(("1", f" {token} "))).tolist() == [False, True]


@pytest.mark.parametrize("cell", ["1_000", "12x", "1,5", "none", "0x10"])
def test_what_people_do_not_call_a_number_is_none(cell):
    with pytest.raises(NotANumberError) as caught:
        parse_numbers(("1", "NA", cell))
    assert caught.value.position == 2


def test_an_underscore_is_no_part_of_a_number_even_where_all_else_is_one():
    with pytest.raises(NotANumberError):
        parse_numbers(("1", "1_000"))


@pytest.mark.parametrize("cell", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_missing_objects(cell):
    assert is_missing(cell)


@pytest.mark.parametrize("cell", [0, "", "nan", False, b"", []])
def test_present_objects(cell):
    assert not is_missing(cell)


def test_codes_follow_the_sorted_values_whatever_the_blocks():
    coder = CategoryCoder(frozenset({"?"}))
    codes = np.concatenate([coder.encode(["red", "?"]), coder.encode(["blue", None, " red"])])
    coder.sort(codes)
    np.testing.assert_array_equal(codes, [1, np.nan, 0, np.nan, 1])


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        (["3,14", "2"], True),
        (["1,234.5", "1,0e5"], True),
        (["3,14", "red"], False),
        (["red", "blue"], False),
        (["a,b"], False),
        (["1", "2"], False),
    ],
)
def test_decimal_commas_are_told_from_text(values, answer):
    assert has_decimal_commas(values) is answer
