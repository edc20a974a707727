"""Parquet files <-> Arrow tables; the only module that uses pyarrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fuzzyfrog.data.files import open_bytes
from fuzzyfrog.errors import DataError

__all__ = ["check_pyarrow", "copy_arrow", "read_arrow", "write_arrow"]


def read_arrow(path: Path) -> Any:
    """Give the Arrow table of a Parquet file, also of a gzipped one."""
    pa, pq = _pyarrow(path)
    with open_bytes(path) as stream:
        # Parquet is read from its end: a packed one must be unpacked as a whole.
        source = pa.py_buffer(stream.read()) if path.suffix.lower() == ".gz" else stream
        try:
            return pq.ParquetFile(source).read()
        except (pa.ArrowException, OSError) as error:
            reason = " ".join(str(error).split())
            raise DataError(
                f"{path.name}: the file must be Parquet, got something else ({reason}). "
                "Write it again, or name it by its real format."
            ) from None


def write_arrow(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write columns of texts or of numbers, each with None where it is missing, as Parquet."""
    pa, pq = _pyarrow(path)
    pq.write_table(pa.table(dict(columns)), path)


def copy_arrow(source: Path, names: Sequence[str], path: Path) -> None:
    """Write some columns of a Parquet file, with their types and in their order, as Parquet."""
    _, pq = _pyarrow(path)
    table = read_arrow(source)
    pq.write_table(table.select([name for name in table.column_names if name in names]), path)


def check_pyarrow(path: Path) -> None:
    """Refuse a Parquet file, to be read or written, where pyarrow is not installed."""
    _pyarrow(path)


def _pyarrow(path: Path) -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise DataError(
            f"{path.name}: Parquet files need pyarrow, which is not installed. "
            "Install it with: pip install 'fuzzyfrog[parquet]', or save the table as CSV."
        ) from None
    return pa, pq
