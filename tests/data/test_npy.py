import gzip
import io

import numpy as np
import pytest

from fuzzyfrog.data import make_dataset, read_table
from fuzzyfrog.data.formats.npy import NpyTable
from fuzzyfrog.data.write_table import CellSource, write_reduced
from fuzzyfrog.errors import DataError

CELLS = np.array([[1.5, 0, 7], [2.5, 1, np.nan], [3.5, 0, 9], [4.5, 1, 8]])


@pytest.fixture
def saved(tmp_path):
    def save(array, name="x.npy"):
        np.save(tmp_path / name, array)
        return tmp_path / name

    return save


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f8", "f4", ">f8", "f2"])
def test_an_array_of_any_layout(saved, same, monkeypatch, order, dtype):
    monkeypatch.setattr("fuzzyfrog.data.gathering.BLOCK_CELLS", 8)
    array = np.asarray(CELLS, dtype, order=order)
    data = read_table(saved(array), "x1")
    expected = make_dataset(array[:, [0, 2]], array[:, 1], feature_names=["x0", "x2"])
    same(data, expected)
    assert (data.name, data.target_name, data.classes) == ("x", "x1", (0.0, 1.0))


def test_integers_and_categorical_features(saved, same):
    array = np.array([[5, 0, 3], [7, 1, 3], [5, 0, 1]])
    data = read_table(saved(array), "x1", categorical_features=["x0"])
    same(
        data,
        make_dataset(
            array[:, [0, 2]], [0, 1, 0], categorical_features=[0], feature_names=["x0", "x2"]
        ),
    )
    assert data.categories == ((5, 7), None)


def test_a_packed_array(saved):
    path = saved(CELLS)
    packed = path.with_name("x.npy.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    np.testing.assert_array_equal(read_table(packed, "x1").values, CELLS[:, [0, 2]])
    packed.write_bytes(gzip.compress(saved(np.asfortranarray(CELLS)).read_bytes()))
    np.testing.assert_array_equal(read_table(packed, "x1").values, CELLS[:, [0, 2]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must be an array written by numpy.save"),
        (b"a,b\n1,2\n", "must be an array written by numpy.save"),
        (np.arange(4.0), r"two dimensions and hold numbers, got shape \(4,\) of float64"),
        (np.array([["a"], ["b"]]), "hold numbers"),
        (np.array([[{}], [None]]), "hold numbers"),
        (np.zeros((3, 1)), "at least 2 columns"),
        (np.zeros((1, 3)), "at least 2 samples, got 1"),
        (np.full((3, 3), np.inf), "got inf in feature 'x0' of sample 0"),
        (np.full((3, 3), np.nan), "at least 2 rows must stay"),
    ],
)
def test_what_is_not_a_table_is_refused(saved, tmp_path, content, message):
    if isinstance(content, bytes):
        (tmp_path / "x.npy").write_bytes(content)
    else:
        saved(content)
    with pytest.raises(DataError, match=rf"^x\.npy: .*{message}"):
        read_table(tmp_path / "x.npy", "x1")


def promising(shape):
    """The bytes of a file that has a header and next to nothing else."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return stream.getvalue() + bytes(64)


@pytest.mark.parametrize(("name", "pack"), [("x.npy", bytes), ("x.npy.gz", gzip.compress)])
def test_a_header_that_promises_too_much_costs_no_memory(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(promising((2, 10**12))))
    with pytest.raises(DataError, match="must hold 16,000,000,000,000 bytes of numbers, got fewer"):
        read_table(tmp_path / name, "x1")


def test_a_file_that_was_cut_off(saved):
    path = saved(CELLS)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(DataError, match=r"x\.npy: the file must hold 96 bytes of numbers, got"):
        read_table(path, "x1")


def test_a_file_that_changes_in_between(saved):
    table = NpyTable(saved(CELLS))
    saved(np.vstack([CELLS, CELLS]))
    with pytest.raises(DataError, match=r"x\.npy: the file changed while it was read"):
        list(table.blocks())


def test_a_file_that_changes_while_it_is_read(saved, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.gathering.BLOCK_CELLS", 3)
    blocks = NpyTable(saved(CELLS)).blocks()
    next(blocks)
    saved(np.vstack([CELLS, CELLS]))
    with pytest.raises(DataError, match=r"x\.npy: the file changed while it was read"):
        list(blocks)


def test_cells_of_the_reduced_table(saved, tmp_path):
    path = saved(CELLS)
    write_reduced(read_table(path, "x1"), ["x2"], tmp_path / "out.csv", CellSource(path))
    assert (tmp_path / "out.csv").read_text() == "x1,x2\n0,7\n1,\n0,9\n1,8\n"
    path = saved(np.array([[True, False], [False, True]]))
    write_reduced(read_table(path, "x1"), ["x0"], tmp_path / "out.csv", CellSource(path))
    assert (tmp_path / "out.csv").read_text() == "x0,x1\n1,0\n0,1\n"
