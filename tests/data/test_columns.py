"""A table that comes in parts is the table that comes at once, bit by bit."""

import itertools
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzyfrog.data import make_dataset
from fuzzyfrog.data.dataset import as_table, chosen_categorical
from fuzzyfrog.data.gathering import gathered
from fuzzyfrog.errors import DataError

CELLS = {
    "float": st.floats(allow_infinity=False) | st.none(),
    "integer": st.integers(-5, 5) | st.none(),
    "huge": st.sampled_from([2**53, 2**53 + 1, -(2**53), 2**60, 0, 7, None]),
    "text": st.sampled_from(["red", " red", "blue", "", "NA", None]),
    "numbers as text": st.sampled_from(["1", "2.5", " 1 ", "NA", None]),
    "boolean": st.booleans() | st.none(),
    "decimal": st.sampled_from(
        [None, *map(Decimal, ("0.1", "7", "9007199254740992", "9007199254740992.5", "-1e30"))]
    ),
}
KINDS = {
    "decimal": pa.decimal128(38, 1),
    "huge": pa.int64(),
    "integer": pa.int32(),
    "float": pa.float64(),
    "boolean": pa.bool_(),
}
LIBRARIES = {
    "Arrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "pandas on Arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
}


@st.composite
def tables(draw):
    n_rows = draw(st.integers(2, 12))
    columns = {
        f"{place} {kind}": pa.array(
            draw(st.lists(CELLS[kind], min_size=n_rows, max_size=n_rows)), KINDS.get(kind)
        ).cast(KINDS.get(kind, pa.string()))
        for place, kind in enumerate(draw(st.lists(st.sampled_from([*CELLS]), min_size=1)))
    }
    table = pa.table(columns)
    if draw(st.booleans()) and any("text" in name for name in columns):
        name = next(name for name in columns if "text" in name)
        place = table.column_names.index(name)
        table = table.set_column(place, name, table[name].dictionary_encode())
    categorical = draw(st.just("from_dtype") | st.lists(st.sampled_from([*columns]), unique=True))
    return table, categorical, draw(st.lists(st.integers(0, n_rows), max_size=3))


def cut(table, cuts):
    places = [0, *sorted(cuts), len(table)]
    return [table[a:b] for a, b in itertools.pairwise(places)]


def outcome(function):
    """Return the content of a table, and the warnings about it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function()
        except DataError:
            return "refused"  # perhaps for another column, if several are bad
    values = found.values.view(np.int64) | (np.isnan(found.values) * -1)
    labels = found.categories if hasattr(found, "categories") else found.labels
    notes = [str(one.message) for one in caught] or list(getattr(found, "warnings", ()))
    return values.tolist(), [repr(one) for one in labels], notes


def in_parts(parts, names, categorical):
    return gathered(map(as_table, parts), names, chosen_categorical(categorical, names))


@settings(deadline=None, max_examples=80)
@given(tables(), st.sampled_from([*LIBRARIES]))
def test_frames_in_parts(drawn, library):
    table, categorical, cuts = drawn
    names = table.column_names
    y = np.arange(len(table)) % 2
    whole = LIBRARIES[library](table)
    expected = outcome(lambda: make_dataset(whole, y, categorical_features=categorical))
    got = outcome(lambda: in_parts(cut(whole, cuts), names, categorical))
    assert got == expected


@settings(deadline=None)
@given(st.data())
def test_arrays_in_parts(data):
    dtype = data.draw(st.sampled_from(["f8", ">f4", "i8", "u8", "i2", "?", "O", "U3"]))
    n_rows = data.draw(st.integers(2, 12))
    cells = data.draw(
        st.lists(
            st.lists(st.sampled_from([0, 1, 5, 2**53, 2**53 + 1]), min_size=3, max_size=3),
            min_size=n_rows,
            max_size=n_rows,
        )
    )
    array = np.array(cells) % (2**62 if dtype[-1] == "8" or dtype == "O" else 7)
    array = array.astype(dtype)
    categorical = data.draw(st.sampled_from(["from_dtype", [1], None]))
    cuts = data.draw(st.lists(st.integers(0, n_rows), max_size=3))
    y = np.arange(n_rows) % 2
    expected = outcome(lambda: make_dataset(array, y, categorical_features=categorical))
    assert outcome(lambda: in_parts(cut(array, cuts), ["x0", "x1", "x2"], categorical)) == expected


def test_parts_are_cut_into_blocks(monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.gathering.BLOCK_CELLS", 7)
    monkeypatch.setattr("fuzzyfrog.data.gathering.LEAST_FRAME_ROWS", 1)
    frame = pd.DataFrame({"a": np.arange(20.0), "b": list("xyzxyzxyzxyzxyzxyzxy")})
    got = gathered([as_table(frame)], ["a", "b"], None)
    np.testing.assert_array_equal(got.values, make_dataset(frame, [0, 1] * 10).values)


def test_an_infinite_value_is_named_by_its_sample_in_the_whole_table():
    parts = [np.zeros((4, 2)), np.array([[0.0, 0.0], [0.0, np.inf]])]
    with pytest.raises(DataError, match="got inf in feature 'b' of sample 5"):
        gathered(parts, ["a", "b"], None)
    texts = [pd.DataFrame({"a": ["1", "2"]}), pd.DataFrame({"a": ["3", "inf"]})]
    with pytest.raises(DataError, match="got inf in feature 'a' of sample 3"):
        in_parts(texts, ["a"], "from_dtype")


def test_integers_that_merge_are_found_in_different_parts():
    parts = [np.array([[2**53], [1]]), np.array([[2**53 + 1], [1]])]
    with pytest.raises(DataError, match="feature 'a' must hold numbers that float64 can tell"):
        gathered(parts, ["a"], None)
    longer = [
        pa.table({"a": pa.array([Decimal(one), Decimal(1)], pa.decimal128(38))})
        for one in (2**70, 2**70 + 1)
    ]
    for frames in (longer, [pl.from_arrow(part).cast(pl.Int128) for part in longer]):
        with pytest.raises(DataError, match="feature 'a' must hold numbers that float64 can tell"):
            in_parts(frames, ["a"], "from_dtype")
    apart = [np.array([[2**53], [1]]), np.array([[-(2**53) - 1], [1]])]
    assert gathered(apart, ["a"], None).values[2, 0] == -(2.0**53)


def test_numbers_and_text_in_different_parts():
    numbers, texts = pd.DataFrame({"a": [1.0, 2.0]}), pd.DataFrame({"a": ["u", "v"]})
    with pytest.raises(DataError, match="feature 'a' must have one type in the whole table"):
        in_parts([numbers, texts], ["a"], "from_dtype")
    with pytest.raises(DataError, match="feature 'a' must hold numbers or text, not both"):
        in_parts([texts, numbers], ["a"], "from_dtype")
    with pytest.raises(DataError, match="feature 'a' must hold numbers or text, not both"):
        in_parts([texts, numbers.astype(int)], ["a"], "from_dtype")


@pytest.mark.parametrize("cells", [[1.5, 2.0], [7, 8], ["v", "u"], [True, False]])
def test_a_part_without_a_type(cells):
    nothing, table = pa.table({"a": pa.nulls(2)}), pa.table({"a": cells})
    whole = pa.table({"a": [*cells, None, None]})
    for categorical in ("from_dtype", ["a"]):
        data = make_dataset(whole, [0, 1, 0, 1], categorical_features=categorical)
        for parts, rows in (([table, nothing], slice(None)), ([nothing, table], [2, 3, 0, 1])):
            got = in_parts(parts, ["a"], categorical)
            np.testing.assert_array_equal(got.values, data.values[rows])
            assert got.labels == data.categories


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (pd.DataFrame({"a": pd.to_timedelta(["1 day"] * 2)}), "got Duration"),
        (pd.DataFrame({"a": pd.period_range("2020", periods=2)}), "got period"),
        (pd.DataFrame({"a": [1j, 2j]}), "got complex128"),
        (pd.DataFrame({"a": [{}, {}]}), "got dict"),
        (pd.DataFrame({"a": [b"x", b"y"]}), "got bytes"),
        (np.zeros((2, 1), "M8[s]"), "got datetime64"),
        (np.zeros((2, 1), complex), "Complex data not supported"),
    ],
)
def test_what_is_no_value_is_refused_with_its_feature(part, message):
    for categorical in ("from_dtype", ["a"]):
        with pytest.raises(DataError, match=f"feature 'a' must hold numbers.*{message}"):
            in_parts([part], ["a"], categorical)


def test_decimals_and_objects():
    parts = [pd.DataFrame({"a": [Decimal("0.5"), None]}), pd.DataFrame({"a": [2, True]})]
    values = in_parts([part.astype(object) for part in parts], ["a"], "from_dtype").values
    np.testing.assert_array_equal(values[:, 0], [0.5, np.nan, 2.0, 1.0])


def test_sparse_columns_in_parts():
    parts = [pd.DataFrame({"a": pd.arrays.SparseArray(cells)}) for cells in ([0, 1], [2.5, None])]
    values = in_parts(parts, ["a"], "from_dtype").values
    np.testing.assert_array_equal(values[:, 0], [0, 1, 2.5, np.nan])


def test_no_rows_and_no_columns():
    with pytest.raises(DataError, match="at least 2 samples, got 0"):
        gathered([], ["a"], None)
    with pytest.raises(DataError, match="at least 2 samples, got 1"):
        gathered([np.zeros((1, 1)), np.zeros((0, 1))], ["a"], None)
