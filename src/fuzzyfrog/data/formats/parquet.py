"""Read and write Parquet files, and folders of them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw

from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.common.resources import most_in_memory
from fuzzyfrog.data.formats import (
    FileStamp,
    Layout,
    Rows,
    Source,
    changed,
    check_unchanged,
    open_seekable,
    something_else,
    stamp,
)
from fuzzyfrog.data.gathering import BLOCK_CELLS, rows_at_once
from fuzzyfrog.errors import DataError

# The names that pandas and Dask give to an index without a name, which only counts the rows.
_COUNTER = re.compile(r"__index_level_\d+__|__null_dask_index__")

LEAST_COLUMNS = 8  # of a tall row group that are read at once
MOST_ROWS = 2**20  # of a row group that is read by columns: its texts are held in memory


@dataclass(frozen=True)
class ParquetTable(Source):
    """A Parquet file, or the Parquet files of a folder in the order of their paths.

    `names` are the columns of the first file, without an index that has no name.
    """

    path: Path
    files: Mapping[Path, FileStamp]
    names: list[str]
    n_rows: int
    gaps = frozenset()

    @classmethod
    def of(cls, path: Path) -> ParquetTable:
        """Return the table of a file or a folder."""
        files = {file: stamp(file) for file in _files(path)}
        with _opened(next(iter(files))) as first:
            names = [name for name in first.schema_arrow.names if not _COUNTER.fullmatch(name)]
            n_rows = first.metadata.num_rows
        return cls(path, files, names, n_rows)

    def parts(self, layout: Layout, columns: Sequence[Any] = ()) -> Iterator[Rows]:
        """Yield the features, the target and the labels of each block of rows."""
        last = [self.names[layout.target]]
        last += [] if layout.row_labels is None else [self.names[layout.row_labels]]
        for file, mark, parquet in self._readers([*layout.names, *last]):
            if _has_tall_groups(parquet, len(layout.names)):
                yield from _by_columns(file, mark, parquet, layout.names, last)
            else:
                for table in _tables(file, mark, parquet, [*layout.names, *last]):
                    yield _rows(table, layout.names, last)
        self._check_unchanged()

    def cells(self) -> Iterator[list[Any]]:
        """Yield the names of the columns, then the cells of each sample."""
        yield self.names
        for table in self.tables(self.names):
            for batch in table.to_batches(max_chunksize=10_000):
                columns = (column.to_pylist() for column in batch.columns)
                yield from map(list, zip(*columns, strict=True))

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the columns of each block of rows as an Arrow table."""
        for file, mark, parquet in self._readers(columns):
            yield from _tables(file, mark, parquet, columns)
        self._check_unchanged()

    def _readers(self, columns: Sequence[str]) -> Iterator[tuple[Path, FileStamp, Any]]:
        for file, mark in self.files.items():
            check_unchanged(file, mark)
            with _opened(file) as parquet:
                found = parquet.schema_arrow.names
                if missing := [name for name in columns if name not in found]:
                    raise DataError(
                        f"{self.path.name}: all files of the folder must have the columns of the "
                        f"first, got {shown(file.name)} without {listed(missing)}. Write the "
                        "folder again."
                    )
                yield file, mark, parquet

    def _check_unchanged(self) -> None:
        for file, mark in self.files.items():
            check_unchanged(file, mark)
        if _files(self.path) != list(self.files):
            raise changed(self.path)

    def copy(self, names: Collection[str | None], path: Path) -> None:
        """Write some columns, with their types and in their order, as one Parquet file."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = [name for name in self.names if name in names]
        with _opened(next(iter(self.files))) as first:
            whole = first.schema_arrow
        schema = pa.schema([whole.field(name) for name in columns], whole.metadata)
        with pq.ParquetWriter(path, schema) as writer:
            for table in self.tables(columns):
                writer.write_table(table.cast(schema))


def write_arrow(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write columns of texts or of numbers, each with None where it is missing, as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(dict(columns)), path)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    inside = {file: file.relative_to(path) for file in sorted(path.rglob("*"))}
    files = [
        file
        for file, relative in inside.items()
        if file.suffix.lower() == ".parquet"
        and not any(part.startswith((".", "_")) for part in relative.parts)
        and file.is_file()
    ]
    if not files:
        raise DataError(
            f"{path.name}: a folder must hold Parquet files to be read as a table, got none. "
            "Pass the path of a file, or of a folder with files that end in '.parquet'."
        )
    for file in files:
        if "=" in str(inside[file].parent):
            raise DataError(
                f"{path.name}: all columns must be in the files, got some in the names of "
                f"folders ({shown(str(inside[file].parent))}). Write the table without partitions."
            )
    return files


def _has_tall_groups(parquet: Any, n_columns: int) -> bool:
    """Whether row groups are so tall that some columns at a time are read faster, but fit."""
    about = parquet.metadata
    groups = [about.row_group(place) for place in range(about.num_row_groups)]
    tallest = max((group.num_rows for group in groups), default=0)
    return (
        about.num_rows > len(groups) * rows_at_once(n_columns)
        and tallest <= MOST_ROWS
        and 8 * tallest * n_columns <= most_in_memory()
    )


def _by_columns(
    file: Path, mark: FileStamp, parquet: Any, names: Sequence[str], last: Sequence[str]
) -> Iterator[Rows]:
    """Yield some columns of each row group at a time, the target with the last ones.

    The next ones are read while these are collected.
    """
    parts: list[tuple[int, Sequence[str], Sequence[str]]] = []
    for group in range(parquet.num_row_groups):
        n_rows = parquet.metadata.row_group(group).num_rows
        width = max(LEAST_COLUMNS, BLOCK_CELLS // max(1, n_rows))
        for first in range(0, len(names) if n_rows else 0, width):
            extra = last if first + width >= len(names) else ()
            parts.append((group, names[first : first + width], extra))

    def read(group: int, some: Sequence[str], extra: Sequence[str]) -> Any:
        with _explained(file, mark):
            table = parquet.read_row_group(group, [*some, *extra])
            table.validate(full=True)
        return table

    with ThreadPoolExecutor(1) as reader:
        ahead = deque(reader.submit(read, *part) for part in parts[:1])
        for after, (_, some, extra) in enumerate(parts, start=1):
            table = ahead.popleft().result()
            ahead.extend(reader.submit(read, *part) for part in parts[after : after + 1])
            yield _rows(table, some, extra)


def _rows(table: Any, features: Sequence[str], last: Sequence[str]) -> Rows:
    """Return rows with the target and the labels, which are the last columns, if there are any."""
    frame = nw.from_native(table, eager_only=True)
    labels = [["" if cell is None else str(cell) for cell in frame[one]] for one in last[1:]]
    return Rows(frame.select(*features), frame[last[0]] if last else None, *labels)


def _tables(file: Path, mark: FileStamp, parquet: Any, columns: Sequence[str]) -> Iterator[Any]:
    import pyarrow as pa

    batches = parquet.iter_batches(rows_at_once(len(columns)), columns=list(columns))
    while True:
        with _explained(file, mark):
            batch = next(batches, None)
            if batch is None:
                return
            batch.validate(full=True)  # texts that are not UTF-8, offsets that point nowhere
        yield pa.Table.from_batches([batch]).select(list(columns))


@contextmanager
def _explained(file: Path, mark: FileStamp) -> Iterator[None]:
    """Turn an error of Arrow into one that says what is wrong with the file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        check_unchanged(file, mark)
        raise something_else(file, "Parquet", error) from None


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a Parquet file, also a gzipped one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with open_seekable(path) as stream:
        try:
            parquet = pq.ParquetFile(stream, pre_buffer=False, buffer_size=2**16)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # names that are not text
            raise something_else(path, "Parquet", error) from None
        yield parquet
