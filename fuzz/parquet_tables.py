"""Parquet files: ``python fuzz SECONDS parquet_tables``.

pyarrow is compiled without instruments, so that nothing steers the fuzzer inside of it.
"""

import io

import atheris
import pyarrow as pa
import pyarrow.parquet as pq

with atheris.instrument_imports(include=["fuzzyfrog"]):
    from harness import run
    from tables import reader

    from fuzzyfrog.errors import DataError


def written(columns: dict) -> bytes:
    """Return the Parquet file of some columns."""
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream, compression="none")
    return stream.getvalue()


SEEDS = (
    written({"a": [1.5, None], "class": ["x", "y"]}),
    written({"a": ["u", "v"], "b": [True, None], "class": [1, 2]}),
    written({"a": pa.array(["u", "v"]).dictionary_encode(), "class": [0.5, 1.5]}),
)

if __name__ == "__main__":
    run(reader("x.parquet"), SEEDS, (DataError,))
