"""Parquet files -> Arrow tables; the only module that uses pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fuzzyfrog.data.files import open_bytes
from fuzzyfrog.errors import DataError

__all__ = ["read_arrow"]


def read_arrow(path: Path) -> Any:
    """Give the Arrow table of a Parquet file, also of a gzipped one."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise DataError(
            f"{path.name}: Parquet files need pyarrow, which is not installed. "
            "Install it with: pip install 'fuzzyfrog[parquet]', or save the table as CSV."
        ) from None
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
