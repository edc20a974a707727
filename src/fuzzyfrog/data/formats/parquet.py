"""Read and write Parquet files, and folders of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw

from fuzzyfrog.common.messages import listed, shown
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
from fuzzyfrog.data.gathering import rows_at_once
from fuzzyfrog.errors import DataError

# The names that pandas and Dask give to an index without a name, which only counts the rows.
_COUNTER = re.compile(r"__index_level_\d+__|__null_dask_index__")


@dataclass(frozen=True)
class ParquetTable(Source):
    """A Parquet file, or the Parquet files of a folder in the order of their paths.

    `names` are the columns of the first file, without an index that has no name.
    """

    path: Path
    files: Mapping[Path, FileStamp]
    names: list[str]
    n_rows: int

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
        target = self.names[layout.target]
        label = [] if layout.row_labels is None else [self.names[layout.row_labels]]
        for table in self.tables([*layout.names, target, *label]):
            frame = nw.from_native(table, eager_only=True)
            labels = [["" if cell is None else str(cell) for cell in frame[one]] for one in label]
            yield Rows(frame.select(*layout.names), frame[target], *labels)

    def cells(self) -> Iterator[list[Any]]:
        """Yield the names of the columns, then the cells of each sample."""
        yield self.names
        for table in self.tables(self.names):
            for batch in table.to_batches(max_chunksize=10_000):
                columns = (column.to_pylist() for column in batch.columns)
                yield from map(list, zip(*columns, strict=True))

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the columns of each block of rows as an Arrow table."""
        for file, mark in self.files.items():
            check_unchanged(file, mark)
            with _opened(file) as parquet:
                self._check_columns(file, parquet.schema_arrow.names, columns)
                yield from _tables(file, mark, parquet, columns)
        self._check_unchanged()

    def _check_columns(self, file: Path, found: Sequence[str], columns: Sequence[str]) -> None:
        missing = [name for name in columns if name not in found]
        if missing:
            raise DataError(
                f"{self.path.name}: all files of the folder must have the columns of the first, "
                f"got {shown(file.name)} without {listed(missing)}. Write the folder again."
            )

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


def _tables(file: Path, mark: FileStamp, parquet: Any, columns: Sequence[str]) -> Iterator[Any]:
    import pyarrow as pa

    batches = parquet.iter_batches(rows_at_once(len(columns)), columns=list(columns))
    while True:
        try:
            batch = next(batches, None)
            if batch is not None:
                batch.validate(full=True)  # texts that are not UTF-8, offsets that point nowhere
        except (pa.ArrowException, OSError) as error:
            check_unchanged(file, mark)
            raise something_else(file, "Parquet", error) from None
        if batch is None:
            return
        yield pa.Table.from_batches([batch]).select(list(columns))


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
