import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzyfrog.common.resources import is_on_disk
from fuzzyfrog.data import make_dataset, read_table
from fuzzyfrog.data.formats.parquet import ParquetTable
from fuzzyfrog.data.write_table import CellSource, write_reduced
from fuzzyfrog.errors import DataError

TABLE = pa.table(
    {"id": [1, 2, 3], "size": [1.5, None, 3.0], "color": ["u", "v", None], "class": [7, 8, 7]}
)


@pytest.fixture
def path(tmp_path):
    pq.write_table(TABLE, tmp_path / "shop.parquet")
    return tmp_path / "shop.parquet"


def test_a_parquet_file_plain_and_packed(path, same):
    expected = make_dataset(TABLE.select(["size", "color"]), [7, 8, 7])
    data = read_table(path, "class", ignore=["id"])
    same(data, expected)
    assert data.name == "shop"
    packed = path.with_name("shop.parquet.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    same(read_table(packed, "class", ignore=["id"]), expected)


def test_errors_name_the_file(path, refusal):
    with pytest.raises(DataError, match=r"shop\.parquet: target must be .* Known"):
        read_table(path, "zzz")
    with pytest.raises(DataError, match=r"shop\.parquet: feature 'color' must be a number"):
        read_table(path, "class", categorical_features=None)
    assert "must be Parquet, got something else" in refusal("x.parquet", "a,class\n")


N = 200
RNG = np.random.default_rng(0)
LONG = pa.table(
    {
        "size": RNG.normal(size=N),
        "code": [f"c{k}" for k in RNG.integers(0, 30, N)],
        "count": pa.array([*RNG.integers(0, 9, N - 1).tolist(), None], pa.int32()),
        "kind": pa.array(RNG.choice(["u", "v"], N).tolist()).dictionary_encode(),
        "class": RNG.choice(["yes", "no"], N).tolist(),
    }
)


@pytest.fixture
def folder(tmp_path):
    """A folder of three files, of which the names are not in the order they were written."""
    inside = tmp_path / "shops"
    (inside / "deep").mkdir(parents=True)
    for name, (first, last) in {
        "part-1.parquet": (60, 61),
        "deep/x.parquet": (0, 60),
        "part-2.parquet": (61, N),
    }.items():
        pq.write_table(LONG.slice(first, last - first), inside / name, row_group_size=25)
    for stranger in ("_SUCCESS", ".part-0.parquet.crc", "_old.parquet", "notes.txt"):
        (inside / stranger).write_text("?")
    return inside


@pytest.mark.parametrize("limit", ["1GB", "0"])
def test_a_folder_is_its_files_in_the_order_of_their_paths(folder, same, monkeypatch, limit):
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", limit)
    monkeypatch.setattr("fuzzyfrog.data.gathering.BLOCK_CELLS", 150)
    expected = make_dataset(LONG.drop(["class"]), LONG["class"])
    data = read_table(folder, "class")
    same(data, expected)
    assert (data.name, data.categories) == ("shops", expected.categories)
    assert is_on_disk(data.values) == (limit == "0")


def test_the_folder_in_which_one_is(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert read_table(".", "class").name == "shops"
    dotted = folder.rename(folder.with_name("shops.v2"))
    assert read_table(dotted, "class").name == "shops.v2"
    assert read_table(dotted.rename(folder.with_name("all.parquet")), "class").name == "all"


def test_a_folder_that_is_no_table(tmp_path, folder):
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match=r"^none: a folder must hold Parquet files"):
        read_table(tmp_path / "none", "class")
    pq.write_table(LONG.drop(["code"]), folder / "part-3.parquet")
    with pytest.raises(DataError, match=r"^shops: .*got 'part-3\.parquet' without 'code'"):
        read_table(folder, "class")
    assert read_table(folder, "class", ignore=["code"]).n_samples == 2 * N
    pq.write_table(LONG.set_column(0, "size", LONG["code"]), folder / "part-3.parquet")
    with pytest.raises(DataError, match=r"^shops: feature 'size' must have one type"):
        read_table(folder, "class")
    (folder / "part-3.parquet").write_text("no")
    with pytest.raises(DataError, match=r"^part-3\.parquet: the file must be Parquet"):
        read_table(folder, "class")


def test_columns_in_the_names_of_folders_are_refused(tmp_path):
    (tmp_path / "all" / "year=2020").mkdir(parents=True)
    pq.write_table(LONG, tmp_path / "all" / "year=2020" / "a.parquet")
    with pytest.raises(DataError, match=r"^all: .*in the names of folders.*year=2020"):
        read_table(tmp_path / "all", "class")


def test_an_index_without_a_name_is_no_feature(tmp_path):
    for name in ("__index_level_0__", "__null_dask_index__"):
        pq.write_table(LONG.append_column(name, pa.array(range(N))), tmp_path / "x.parquet")
        names = read_table(tmp_path / "x.parquet", "class").feature_names
        assert [*names, "class"] == LONG.column_names


def test_files_that_change_between_the_look_and_the_reading(folder):
    layout = ["size"]
    table = ParquetTable.of(folder)
    pq.write_table(LONG, folder / "part-2.parquet")
    with pytest.raises(DataError, match=r"^part-2\.parquet: the file changed while it was read"):
        list(table.tables(layout))
    table = ParquetTable.of(folder)
    pq.write_table(LONG, folder / "part-9.parquet")
    with pytest.raises(DataError, match=r"^shops: the file changed while it was read"):
        list(table.tables(layout))


def test_a_file_that_changes_while_it_is_read(path, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.data.gathering.BLOCK_CELLS", 1)
    tables = ParquetTable.of(path).tables(["size"])
    next(tables)
    pq.write_table(LONG, path)
    with pytest.raises(DataError, match=r"^shop\.parquet: the file changed while it was read"):
        list(tables)


def test_a_folder_as_the_source_of_a_reduced_table(folder, tmp_path):
    data = read_table(folder, "class")
    chosen = LONG.select(["size", "kind", "class"])
    write_reduced(data, ["kind", "size"], tmp_path / "out.parquet", CellSource(folder))
    written = pq.read_table(tmp_path / "out.parquet")
    assert written.column_names == ["size", "kind", "class"]
    assert written.to_pylist() == chosen.to_pylist()
    assert written.schema.types == chosen.schema.types
    write_reduced(data, ["count"], tmp_path / "out.csv", CellSource(folder))
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "count,class"
    assert lines[-1] == f",{LONG['class'][-1]}"
    assert len(lines) == N + 1


def columns_at_once(monkeypatch, n_cells):
    """Let few cells be many, so that a small row group is as tall as a large one."""
    monkeypatch.setattr("fuzzyfrog.data.formats.parquet.LEAST_COLUMNS", 2)
    monkeypatch.setattr("fuzzyfrog.data.formats.parquet.BLOCK_CELLS", n_cells)
    monkeypatch.setattr("fuzzyfrog.data.gathering.BLOCK_CELLS", n_cells)
    monkeypatch.setattr("fuzzyfrog.data.gathering.ROWS_IN_CACHE", 64)


@pytest.mark.parametrize("limit", ["1GB", "0"])  # in memory by columns, on disk by rows
@pytest.mark.parametrize("ignore", [[], ["count"]])
def test_tall_row_groups_are_read_a_few_columns_at_a_time(
    tmp_path, same, monkeypatch, limit, ignore
):
    columns_at_once(monkeypatch, 100)
    monkeypatch.setenv("FUZZYFROG_SPILL_ABOVE", limit)
    names = pa.array([f"row {k}" for k in range(N)])
    pq.write_table(LONG.append_column("name", names), tmp_path / "x.parquet", row_group_size=100)
    read, of_columns = [], pq.ParquetFile.read_row_group

    def read_row_group(self, group, columns):
        read.append((group, columns))
        return of_columns(self, group, columns)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", read_row_group)
    data = read_table(tmp_path / "x.parquet", "class", row_labels="name", ignore=ignore)
    expected = make_dataset(LONG.drop(["class", *ignore]), LONG["class"])
    same(data, expected)
    assert data.categories == expected.categories
    assert data.rows == tuple(names.to_pylist())
    last = [["kind"]] if ignore else [["count", "kind"]]
    stripes = [["size", "code"], *last]
    stripes[-1] += ["class", "name"]
    in_memory = [(group, some) for group in range(2) for some in stripes]
    assert read == (in_memory if limit == "1GB" else [])


def test_small_row_groups_are_read_together(tmp_path, same, monkeypatch):
    columns_at_once(monkeypatch, 100)
    pq.write_table(LONG, tmp_path / "x.parquet", row_group_size=25)
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", None)
    same(
        read_table(tmp_path / "x.parquet", "class"),
        make_dataset(LONG.drop(["class"]), LONG["class"]),
    )


def test_errors_of_tall_row_groups(tmp_path, monkeypatch):
    columns_at_once(monkeypatch, 100)
    path = tmp_path / "x.parquet"
    values = {name: np.ones(N) for name in "abcd"}
    values["d"][7] = values["a"][150] = -np.inf
    pq.write_table(pa.table({**values, "y": LONG["class"]}), path)
    with pytest.raises(DataError, match=r"x\.parquet: X must .* -inf in feature 'd' of sample 7\."):
        read_table(path, "y")
    texts = pa.array([b"\xff"] * N).view(pa.string())
    pq.write_table(pa.table({**values, "text": texts, "y": LONG["class"]}), path)
    with pytest.raises(DataError, match=r"^x\.parquet: the file must be Parquet, .* UTF8"):
        read_table(path, "y")
    cut = path.read_bytes()
    first = pq.ParquetFile(path).metadata.row_group(0).column(3).data_page_offset
    path.write_bytes(cut[:first] + b"\xff" * 40 + cut[first + 40 :])
    with pytest.raises(DataError, match=r"^x\.parquet: the file must be Parquet, got something"):
        read_table(path, "y")


@pytest.mark.filterwarnings("ignore:the target has classes that differ only in blanks")
def test_a_target_of_text_is_only_text(tmp_path):
    path = tmp_path / "x.parquet"
    codes = ["NA", "007", "7", "", " 7", "?"]
    pq.write_table(pa.table({"a": [0.5, 1, 2, 3, 4, 5, 6], "y": [*codes, None]}), path)
    with pytest.warns(UserWarning, match=r"x\.parquet: 1 row without a target left out\.$"):
        dataset = read_table(path, "y")
    assert dataset.classes == ("", " 7", "007", "7", "?", "NA")
    assert dataset.target.tolist() == [5, 2, 3, 0, 1, 4]
    with pytest.raises(DataError, match="a numeric target must hold numbers, got 'NA'"):
        read_table(path, "y", target_kind="numeric")


def test_a_target_of_text_in_one_file_and_of_numbers_in_another(tmp_path):
    for name, y in {"1.parquet": ["p", "q"], "2.parquet": [1, 2], "3.parquet": ["p", None]}.items():
        pq.write_table(pa.table({"a": [1.5, 2.5], "y": y}), tmp_path / name)
    with pytest.raises(DataError, match="class labels must all be of one type, got 'p', 1"):
        read_table(tmp_path, "y")
    pq.write_table(pa.table({"a": [1.5, 2.5], "y": ["q", "r"]}), tmp_path / "2.parquet")
    with pytest.warns(UserWarning, match="1 row without a target"):
        dataset = read_table(tmp_path, "y", max_missing=0)
    assert dataset.classes == ("p", "q", "r")
    assert dataset.target.tolist() == [0, 1, 1, 2, 0]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_any_type_of_text_in_features_and_target(tmp_path, kind):
    path = tmp_path / "t.parquet"
    a, n, c = ["x", None, " y", "x", "z"], [1.0, 2.0, 3.0, 4.0, 5.0], ["p", "q", None, "q", "p"]
    pq.write_table(pa.table({"a": pa.array(a, kind), "n": n, "c": pa.array(c, kind)}), path)
    with pytest.warns(UserWarning, match="1 row without a target left out"):
        dataset = read_table(path, "c")
    np.testing.assert_array_equal(dataset.values, [[0, 1], [np.nan, 2], [0, 4], [2, 5]])
    assert dataset.categories[0] == ("x", "y", "z")
    assert dataset.classes == ("p", "q")
    assert dataset.target.tolist() == [0, 1, 1, 0]


def test_whole_numbers_in_a_target_with_gaps_stay_whole(tmp_path):
    pq.write_table(pa.table({"a": [0.5, 1, 2], "y": [1, 2, None]}), tmp_path / "x.parquet")
    with pytest.warns(UserWarning, match="1 row without a target"):
        assert repr(read_table(tmp_path / "x.parquet", "y").classes) == "(1, 2)"
