import datetime
import subprocess
import sys
import tracemalloc
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fuzzyfrog import ReductSelector
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.errors import DataError

Y = ["a", "b", "a", "b"]
COLUMNS = {
    "count": [1, 2, None, 4],
    "color": ["red", "blue", None, "red"],
    "tall": [True, False, None, True],
    "size": [1.5, None, 2.5, 3.0],
}
VALUES = [[1, 1, 1, 1.5], [2, 0, 0, np.nan], [np.nan, np.nan, np.nan, 2.5], [4, 1, 1, 3]]

FRAMES = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas on Arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda columns: pl.DataFrame(columns),
    "Arrow": lambda columns: pa.table(columns),
    "list": lambda columns: [list(row) for row in zip(*columns.values(), strict=True)],
}
frames = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())


@frames
def test_every_library_gives_the_same_dataset_as_numpy(frame, same):
    expected = make_dataset(
        np.array(VALUES), Y, categorical_features=[1], feature_names=list(COLUMNS)
    )
    got = make_dataset(frame(COLUMNS), Y, feature_names=list(COLUMNS))
    same(got, expected)
    np.testing.assert_array_equal(got.values, VALUES)
    assert got.categorical.tolist() == [False, True, False, False]


@frames
def test_names_come_from_the_frame(frame):
    data = make_dataset(frame(COLUMNS), Y)
    expected = ("x0", "x1", "x2", "x3") if isinstance(frame(COLUMNS), list) else tuple(COLUMNS)
    assert data.feature_names == expected


@settings(deadline=None)
@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6),
        elements=st.floats(allow_infinity=False),
    )
)
def test_numbers_pass_unchanged_through_every_library(values):
    y = np.arange(len(values)) % 2
    columns = {f"c{j}": values[:, j] for j in range(values.shape[1])}
    for frame in (pd.DataFrame, pl.DataFrame, pa.table, lambda c: np.array([*c.values()]).T):
        data = make_dataset(frame(columns), y, categorical_features=None)
        np.testing.assert_array_equal(data.values, values)
        assert data.values.flags.c_contiguous


@pytest.mark.parametrize(
    "array",
    [
        np.asfortranarray(np.eye(4)),
        np.eye(4, dtype=">f8"),
        np.eye(4, dtype=np.float16),
        np.eye(4, dtype=np.uint64),
        np.eye(4, dtype=bool),
        np.eye(4).astype(object),
        np.eye(8)[::2, ::2],
    ],
    ids=lambda array: str(array.dtype),
)
def test_any_layout_of_numbers_will_do(array):
    array.flags.writeable = False
    data = make_dataset(array, Y)
    assert data.values.dtype == np.dtype("=f8")
    assert data.values.flags.c_contiguous
    np.testing.assert_array_equal(data.values, np.eye(4))


def test_long_doubles_are_rounded_with_a_warning():
    with pytest.warns(UserWarning, match="rounded to float64"):
        make_dataset(np.eye(4, dtype=np.longdouble), Y)


def test_float64_in_c_order_is_shared_unless_it_must_be_coded():
    X = np.array([[5.0, 1.0], [7.0, 2.0], [5.0, 3.0], [6.0, 4.0]])
    assert np.shares_memory(make_dataset(X, Y).values, X)
    coded = make_dataset(X, Y, categorical_features=[0])
    assert coded.values[:, 0].tolist() == [0.0, 2.0, 0.0, 1.0]
    assert X[:, 0].tolist() == [5.0, 7.0, 5.0, 6.0]


def test_a_large_table_needs_no_temporaries_of_its_size():
    X = np.zeros((100_000, 50))
    y = np.arange(len(X)) % 2
    tracemalloc.start()
    make_dataset(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Even one byte per cell would be an eighth.
    assert peak < X.nbytes / 12


def test_a_dataset_passes_through_unchanged():
    data = make_dataset(np.eye(4), Y)
    assert make_dataset(data) is data
    with pytest.raises(DataError, match="y must be None when X is a Dataset"):
        make_dataset(data, Y)


def test_names_and_kinds_are_kept():
    data = make_dataset(np.eye(4), Y, target_name="kind", name="eye", feature_names=list("abcd"))
    assert isinstance(data, Dataset)
    assert (data.target_name, data.name, data.feature_names) == ("kind", "eye", tuple("abcd"))


def test_categories_are_categorical_even_if_they_look_like_numbers():
    for column in (
        pd.DataFrame({"a": pd.Categorical([30, 10, None, 30])}),
        pd.DataFrame({"a": pd.Categorical(["3", "1", None, "3"])}),
        pl.DataFrame({"a": ["3", "1", None, "3"]}).cast(pl.Categorical),
        pl.DataFrame({"a": ["3", "1", None, "3"]}).cast(pl.Enum(["3", "1"])),
        pa.table({"a": pa.array(["3", "1", None, "3"]).dictionary_encode()}),
    ):
        data = make_dataset(column, Y)
        assert data.categorical.tolist() == [True]
        np.testing.assert_array_equal(data.values[:, 0], [1, 0, np.nan, 1])


@frames
def test_numbers_as_text_are_read_with_a_warning_unless_named_as_categorical(frame):
    columns = {"a": ["10", "9", None, "10"]}
    with pytest.warns(UserWarning, match="holds numbers as text"):
        data = make_dataset(frame(columns), Y)
    np.testing.assert_array_equal(data.values[:, 0], [10, 9, np.nan, 10])
    named = make_dataset(frame(columns), Y, categorical_features=[0])
    np.testing.assert_array_equal(named.values[:, 0], [0, 1, np.nan, 0])


def test_commas_that_may_mark_decimals_are_told():
    cells = [f"{k},5" for k in range(9)]
    with pytest.warns(UserWarning, match="'a' holds commas that may mark decimals, such as '0,5'"):
        data = make_dataset(pd.DataFrame({"a": cells}), [0, 1, 0] * 3)
    assert data.categorical.tolist() == [True]


series = pytest.mark.parametrize("series", [list, np.array, pd.Series, pl.Series])


@series
@pytest.mark.parametrize("form", ["{:.2f}", "{:.1f}%"])
def test_a_target_of_numbers_as_text_is_classes_with_a_warning(series, form):
    X, y = np.arange(60.0).reshape(-1, 1), series([form.format(k / 7) for k in range(60)])
    said = "The target holds numbers as text, so its 60 different values are classes. Convert it"
    with pytest.warns(UserWarning, match=said):
        assert len(make_dataset(X, y).classes) == 60
    assert len(make_dataset(X, y, target="class").classes) == 60


@series
def test_a_target_of_times_is_classes_with_a_warning(series):
    X, y = np.arange(60.0).reshape(-1, 1), series([f"{k // 20}:{k:02}:07" for k in range(60)])
    said = "The target holds times such as '0:00:07', so its 60 different values are classes."
    with pytest.warns(UserWarning, match=said):
        assert len(make_dataset(X, y).classes) == 60
    make_dataset(X, y, target="class")  # says nothing: warnings are errors


@series
def test_classes_that_differ_only_in_blanks_are_told(series):
    y = series(["no", "yes", "yes ", " yes"] * 3)
    with pytest.warns(UserWarning, match="only in blanks or capital letters: ' yes' and 'yes'"):
        make_dataset(np.arange(12.0).reshape(-1, 1), y)


@frames
def test_integers_that_float64_would_merge_are_refused(frame):
    with pytest.raises(DataError, match=r"distinct values beyond 2\*\*53 that would become equal"):
        make_dataset(frame({"id": [2**53, 2**53 + 1, 5, 6]}), Y)
    with pytest.raises(DataError, match=r"distinct values beyond 2\*\*53 that would become equal"):
        make_dataset(frame({"id": [f"{2**53}", f"{2**53 + 1}", "5", None]}), Y)
    assert make_dataset(frame({"id": [2**60, 0, 5, 6]}), Y).values[0, 0] == 2.0**60
    coded = make_dataset(frame({"id": [2**53, 2**53 + 1, 5, 6]}), Y, categorical_features=[0])
    assert coded.values[:, 0].tolist() == [2.0, 3.0, 0.0, 1.0]


def test_huge_integers_of_numpy_and_python_are_refused_too():
    large = np.array([[2**53], [2**53 + 1], [5], [6]])
    for X in (
        large,
        large.astype(np.uint64),
        large.astype(object) * 2**70,
        large.astype(object) * 2**2000,
    ):
        with pytest.raises(DataError, match="float64 can tell apart"):
            make_dataset(X, Y)
    coded = make_dataset(large, Y, categorical_features=[0])
    assert coded.values[:, 0].tolist() == [2.0, 3.0, 0.0, 1.0]


@frames
def test_infinite_values_are_named(frame):
    with pytest.raises(DataError, match=r"got inf in feature '(size|x0)' of sample 2"):
        make_dataset(frame({"size": [1.0, 2.0, np.inf, np.nan]}), Y)


DAY = datetime.datetime(2020, 1, 1)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (None, "X must be an array, a frame or a list of rows, got None"),
        ("wine.csv", "Read files with read_table"),
        ({"a": [1, 2]}, "X must be an array"),
        (np.arange(4.0), r"two dimensions, got 1 \(shape \(4,\)\)"),
        (np.zeros((4, 1, 1)), "two dimensions, got 3"),
        (pd.Series([1.0, 2, 3, 4]), "two dimensions, got a single column"),
        (pl.DataFrame(COLUMNS).lazy(), r"got a lazy frame. Pass X\.collect"),
        (np.ma.masked_array(np.eye(4), mask=np.eye(4)), "got a masked array"),
        ([[1.0], [1.0, 2.0]], "rows of different lengths"),
        (np.eye(4) * 1j, "got complex128. Complex data not supported"),
        (np.zeros((4, 1), "M8[s]"), "feature 'x0' .* got datetime64"),
        (np.zeros((4, 1), "m8[s]"), "feature 'x0' .* got timedelta64"),
        (np.array([[b"a"]] * 4), "Decode bytes"),
        ([[b"a"]] * 4, "got bytes. Decode bytes"),
        ([[{}]] * 4, "got dict. Convert or drop"),
        ([[1], ["red"], [3], [4]], "numbers or text, not both, got 'red'"),
        (pl.DataFrame({"a": [DAY - DAY] * 4}), "feature 'a' .* got Duration"),
        (pl.DataFrame({"a": [[1]] * 4}), "feature 'a' .* got List"),
        (pd.DataFrame(np.eye(4), columns=list("abca")), "must be distinct.*'a' 2 times"),
        (pa.table([[1] * 4, [2] * 4], names=["a", "a"]), "must be distinct.*'a' 2 times"),
        (pd.DataFrame(np.eye(4), columns=["a", 1, 2, 3]), "must be text, got 1"),
        (np.empty((4, 0)), r"0 feature\(s\) \(shape=\(4, 0\)\) while a minimum of 1 is required"),
        (np.empty((0, 4)), "at least 2 samples, got 0"),
        (np.empty((1, 4)), "at least 2 samples, got 1 sample"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(X, message):
    with pytest.raises(DataError, match=message):
        make_dataset(X, Y)


def test_text_in_a_feature_not_named_as_categorical_is_refused():
    with pytest.raises(DataError, match="feature 'x1' must be a number, got 'red'"):
        make_dataset([[1, "red"]] * 4, Y, categorical_features=[0])


def test_positions_as_names_are_no_names():
    assert make_dataset(pd.DataFrame(np.eye(4)), Y).feature_names == ("x0", "x1", "x2", "x3")


def test_decimals_are_numbers():
    X = [[Decimal("0.5")], [Decimal(1)], [2], [None]]
    np.testing.assert_array_equal(make_dataset(X, Y).values[:, 0], [0.5, 1, 2, np.nan])


@pytest.mark.parametrize("library", ["pandas on Arrow", "polars", "Arrow"])
@pytest.mark.parametrize("other", ["9007199254740993", "9007199254740992.5"])
def test_decimals_of_a_frame_are_treated_as_objects_are(library, other):
    cells = [Decimal(2**53), Decimal(other), Decimal(5), None]
    decimals = FRAMES[library]({"id": pa.array(cells, pa.decimal128(38, 1))})
    objects = pd.DataFrame({"id": cells})
    for frame in (decimals, objects):
        with pytest.raises(DataError, match="feature 'id' must hold numbers that float64 can tell"):
            make_dataset(frame, Y)
        coded = make_dataset(frame, Y, categorical_features=["id"])
        np.testing.assert_array_equal(coded.values[:, 0], [1, 2, 0, np.nan])
        assert coded.categories == ((Decimal(5), *cells[:2]),)


def test_decimals_of_a_frame_keep_apart_as_labels_what_float64_merges():
    cells = [Decimal("0.1"), Decimal("0.1000000000000000000001"), Decimal(1), Decimal(2)]
    table = pa.table({"a": pa.array(cells, pa.decimal128(38, 30))})
    coded = make_dataset(table, Y, categorical_features=["a"])
    assert coded.categories == (tuple(cells),)


@pytest.mark.parametrize(
    "cells",
    [[1.5, 0.0, np.nan, 0.0], [1, 0, 2, 0], [True, False, True, True], ["b", "a", "b", "b"]],
)
def test_sparse_columns_of_pandas_are_read_as_dense_ones(cells, same):
    dense = pd.DataFrame({"a": cells, "b": [0.0, 1.0, 2.0, 3.0]})
    kept = pd.arrays.SparseArray(cells, fill_value=cells[-1])
    for categorical in ("from_dtype", ["a"]):
        got = make_dataset(dense.assign(a=kept), Y, categorical_features=categorical)
        same(got, make_dataset(dense, Y, categorical_features=categorical))
    same(
        make_dataset(dense[["b"]], pd.Series(pd.arrays.SparseArray([1, 0, 0, 1]))),
        make_dataset(dense[["b"]], [1, 0, 0, 1]),
    )


def test_sparse_integers_that_float64_merges_are_refused():
    kept = pd.arrays.SparseArray([2**53, 2**53 + 1, 0, 0], fill_value=0)
    with pytest.raises(DataError, match="feature 'a' must hold numbers that float64 can tell"):
        make_dataset(pd.DataFrame({"a": kept}), Y)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (pd.period_range("2020-01", periods=4, freq="M"), r"got period\[M\]. Convert dates to"),
        (np.array([1j, 2, 3, 4]), "got complex128. Complex data not supported: pass real"),
        (pd.arrays.SparseArray([1j, 2, 3, 4]), "got complex128. Complex data"),
        (pd.interval_range(0, 4), r"got interval\[int64, right\]. Convert or drop"),
        (
            np.arange(4).astype(np.longdouble),
            r"got float\d+. Convert the column with astype\(float",
        ),
    ],
)
def test_a_column_that_cannot_be_used_is_named_by_its_dtype(cells, message):
    frame = pd.DataFrame({"a": cells})
    for categorical in ("from_dtype", ["a"]):
        with pytest.raises(DataError, match=f"feature 'a' must hold numbers.*, {message}"):
            make_dataset(frame, Y, categorical_features=categorical)


def test_a_column_of_arrow_that_cannot_be_used_is_named_by_its_type():
    table = pa.table({"a": pa.array([(1, 2, 3)] * 4, pa.month_day_nano_interval())})
    with pytest.raises(DataError, match="text, got month_day_nano_interval"):
        make_dataset(table, Y)


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = (
        "import sys, fuzzyfrog.data;"
        "heavy = {'pandas', 'polars', 'pyarrow', 'arff', 'sklearn', 'numba'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own interpreter


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [scipy.sparse.coo_matrix, scipy.sparse.coo_array])
def test_sparse_matrices_are_unpacked_in_blocks(monkeypatch, same, form, kind):
    monkeypatch.setattr("fuzzyfrog.data.gathering.BLOCK_CELLS", 6)
    dense = np.array([[0.0, 1.5, 0], [2, 0, 0], [0, 0, 0], [0, 3, np.nan]])
    sparse = kind(dense).asformat(form)
    same(make_dataset(sparse, Y), make_dataset(dense, Y))
    selector = ReductSelector("quickreduct").fit(sparse, Y)
    assert (
        selector.support_.tolist() == ReductSelector("quickreduct").fit(dense, Y).support_.tolist()
    )
    assert selector.transform(sparse).shape == (4, selector.n_features_)
