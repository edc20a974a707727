import subprocess
import sys
import warnings

import dask
import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import ReductSelector
from fuzzyfrog.common.resources import is_on_disk
from fuzzyfrog.data import make_dataset
from fuzzyfrog.data.dataset import dask_table
from fuzzyfrog.errors import DataError

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

N = 60
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(size=N),
        "count": RNG.integers(0, 9, N),
        "color": RNG.choice(["red", "blue", "green"], N),
        "shape": pd.Categorical(RNG.choice(["round", "flat"], N)),
        "tall": RNG.random(N) < 0.5,
    }
)
FRAME.loc[7, ["size", "color"]] = None
Y = pd.Series(RNG.choice(["yes", "no"], N), name="ripe")


@pytest.fixture(params=["in memory", "on disk"])
def place(request, monkeypatch):
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", "1GB" if request.param == "in memory" else "0")
    return request.param


@pytest.mark.parametrize("n_parts", [1, 7])
def test_a_frame_is_what_pandas_gives(same, place, n_parts):
    X, y = (dd.from_pandas(one, npartitions=n_parts) for one in (FRAME, Y))
    expected = make_dataset(FRAME, Y)
    for target in (y, Y, Y.tolist(), da.from_array(Y.to_numpy(object), chunks=9)):
        got = make_dataset(X, target)
        same(got, expected)
        assert got.categories == expected.categories
        assert is_on_disk(got.values) == (place == "on disk")


def test_one_partition_is_computed_at_a_time():
    alive, most = [], []

    def watched(part):
        alive.append(1)
        most.append(len(alive))
        return part

    X = dd.from_pandas(FRAME, npartitions=5).map_partitions(watched, meta=FRAME)
    for _ in dask_table(X).parts:
        alive.pop()
    assert most == [1] * 5


def test_categories_that_are_not_known_and_parts_without_rows(same):
    texts = FRAME.assign(shape=FRAME["shape"].astype(str))
    X = dd.from_pandas(texts, npartitions=6).astype({"shape": "category"})
    assert not X["shape"].cat.known
    same(make_dataset(X, Y), make_dataset(FRAME, Y))
    some = FRAME["size"] > 0.5
    X = dd.from_pandas(FRAME, npartitions=30)
    same(make_dataset(X[X["size"] > 0.5], Y[some]), make_dataset(FRAME[some], Y[some]))


@pytest.mark.parametrize("chunks", [(60, 4), (7, 4), (60, 1), (13, 3)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "?"])
def test_an_array_of_any_chunks(same, monkeypatch, place, chunks, dtype, rng):
    monkeypatch.setattr("fuzzyfrog.data.gathering.BLOCK_CELLS", 40)
    array = (rng.normal(size=(N, 4)) * 9).astype(dtype)
    X, y = da.from_array(array, chunks=chunks), da.from_array(np.arange(N) % 3, chunks=11)
    same(make_dataset(X, y), make_dataset(array, np.arange(N) % 3))
    same(
        make_dataset(X, y, categorical_features=[1]),
        make_dataset(array, np.arange(N) % 3, categorical_features=[1]),
    )


@pytest.mark.parametrize("chunks", [(7, 4), (13, 3)])
def test_chunks_of_unknown_length(same, chunks, rng):
    array = rng.normal(size=(N, 4))
    X = da.from_array(array, chunks=chunks)
    y = da.from_array(np.arange(N) % 2, chunks=chunks[0])
    keep = array[:, 0] > 0
    chosen = X[da.from_array(keep, chunks=chunks[0])]
    assert np.isnan(chosen.shape[0])
    same(
        make_dataset(chosen, y[da.from_array(keep, chunks=chunks[0])]),
        make_dataset(array[keep], (np.arange(N) % 2)[keep]),
    )


def test_a_target_with_one_column_is_taken_with_one_warning(same):
    expected = make_dataset(FRAME, Y)
    X = dd.from_pandas(FRAME, npartitions=3)
    column = da.from_array(Y.to_numpy(object)[:, np.newaxis], chunks=(9, 1))
    for y in (dd.from_pandas(Y.to_frame(), npartitions=3), column):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            same(make_dataset(X, y), expected)
        assert [str(one.message)[:20] for one in caught] == ["y is a column vector"]


def test_the_target_keeps_its_kind():
    X = da.zeros((N, 2), chunks=(9, 2))
    numbers = np.arange(N) + 0.5
    got = make_dataset(X, da.from_array(numbers, chunks=9))
    assert got.classes is None
    np.testing.assert_array_equal(got.target, numbers)
    # The first part alone would be classes.
    late = np.r_[np.zeros(50), np.full(10, 0.5)]
    assert make_dataset(X, da.from_array(late, chunks=9)).classes is None


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (dd.from_pandas(FRAME, 3), Y[:-1], "same number of samples, got 60 and 59"),
        (dd.from_pandas(FRAME, 3), None, "the target y is None"),
        (dd.from_pandas(FRAME, 3), Y.where(Y.index != 41), "missing value at sample 41"),
        (dd.from_pandas(FRAME["size"], 3), Y, "X must have two dimensions, got 1 \\(Series of"),
        (da.zeros((60, 2, 2)), Y, "X must have two dimensions, got 3"),
        (da.zeros((60, 0)), Y, "at least one feature"),
        (dd.from_pandas(FRAME.assign(day=pd.Timedelta(0)), 3), Y, "feature 'day' .* got Duration"),
        (dd.from_pandas(FRAME.assign(far=np.inf), 3), Y, "got inf in feature 'far' of sample 0"),
        (da.full((60, 2), np.inf), Y, "got inf in feature 'x0' of sample 0"),
        (da.zeros((60, 2), dtype="M8[s]"), Y, "feature 'x0' .* got datetime64"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(X, y, message):
    with pytest.raises(DataError, match=message):
        make_dataset(X, y)
    if y is not None:
        with pytest.raises(DataError, match=message):
            make_dataset(X, dd.from_pandas(y, npartitions=2))


def test_what_is_no_table_of_dask():
    with pytest.raises(DataError, match="X must be a DataFrame, a Series or an Array of Dask, got"):
        make_dataset(dask.delayed(1), Y)
    with pytest.raises(DataError, match="y must be a DataFrame, a Series or an Array of Dask, got"):
        make_dataset(FRAME, dask.delayed(1))


def test_a_selector_finds_the_same_features(place):
    X, y = (dd.from_pandas(one, npartitions=4) for one in (FRAME, Y))
    got = ReductSelector("quickreduct", random_state=0).fit(X, y)
    expected = ReductSelector("quickreduct", random_state=0).fit(FRAME, Y)
    assert got.dependency_ == expected.dependency_
    assert got.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert got.feature_names_in_.tolist() == list(FRAME)
    reduced = got.transform(X)
    assert isinstance(reduced, dd.DataFrame)
    assert reduced.compute().equals(X[got.get_feature_names_out().tolist()].compute())
    with pytest.raises(ValueError, match="feature names should match"):
        got.transform(X.rename(columns={"size": "width"}))
    array = FRAME[["size", "count"]].fillna(0).to_numpy()
    by_array = ReductSelector("quickreduct", random_state=0)
    by_array.fit(da.from_array(array, chunks=(8, 1)), y)
    reduced = by_array.transform(da.from_array(array, chunks=(8, 1)))
    assert isinstance(reduced, da.Array)
    np.testing.assert_array_equal(reduced, array[:, by_array.support_])
    assert by_array.n_features_in_ == 2
    assert not hasattr(by_array, "feature_names_in_")


def test_dask_is_not_imported():
    code = (
        "import sys, numpy as np; from fuzzyfrog.data import make_dataset;"
        "make_dataset(np.eye(4), [0, 1, 0, 1]); sys.exit('dask' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own interpreter


def test_whole_numbers_that_are_categories_are_classes():
    y = pd.Series(np.arange(60) // 2).astype("category")
    X = da.from_array(np.arange(60.0)[:, np.newaxis], chunks=(30, 1))
    assert len(make_dataset(X, dd.from_pandas(y, npartitions=2)).classes) == 30
