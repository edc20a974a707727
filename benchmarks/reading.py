"""Time and memory of reading a large Parquet file, next to pandas, which holds all of it.

Each way runs in a separate process; the memory is the peak of that process above what it took
after the imports (Linux: reads /proc). All ways must give the same values.

    python benchmarks/reading.py 1000000 50
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

WAYS = {
    "fuzzyfrog, on disk": ("parts", "1MB"),
    "fuzzyfrog, in memory": ("parts", "1TB"),
    "dask.dataframe → fuzzyfrog, on disk": ("dask", "1MB"),
    "pandas → fuzzyfrog": ("pandas", "1TB"),
    "pandas alone": ("frame", "1TB"),
}


def main() -> None:
    """Print a table with one line per way."""
    n_rows, n_columns = (int(word) for word in (*sys.argv[1:], "1000000", "50")[:2])
    print(f"{n_rows:,} x {n_columns} float64 ({8 * n_rows * n_columns / 1e6:,.0f} MB)\n")
    print("| way | wall s | CPU s | peak MB |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=os.environ.get("FUZZYFROG_SPILL")) as folder:
        path = Path(folder) / "large.parquet"
        _write(path, n_rows, n_columns)
        _write(path.with_name("small.parquet"), 100, n_columns)
        sums = {_run(name, *way, path) for name, way in WAYS.items()}
    assert len(sums) == 1, f"the ways give different values: {sums}"


def _write(path: Path, n_rows: int, n_columns: int) -> None:
    rng = np.random.default_rng(0)
    names = [f"x{place}" for place in range(n_columns)]
    schema = pa.schema([*((name, pa.float64()) for name in names), ("class", pa.int8())])
    with pq.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for first in range(0, n_rows, 100_000):
            n_part = min(100_000, n_rows - first)
            columns = {name: rng.random(n_part) for name in names}
            part = {**columns, "class": (np.arange(n_part) % 2).astype(np.int8)}
            writer.write_table(pa.table(part, schema))


def _run(name: str, way: str, limit: str, path: Path) -> str:
    command = [sys.executable, __file__, "--read", way, str(path)]
    environment = {**os.environ, "FUZZYFROG_SPILL_ABOVE": limit}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603
    wall, cpu, peak, total = run.stdout.split()
    print(f"| {name} | {float(wall):.1f} | {float(cpu):.1f} | {float(peak):,.0f} |", flush=True)
    return total


def _read(way: str, path: str) -> None:
    read = {"parts": _in_parts, "dask": _by_dask, "pandas": _by_pandas, "frame": _frame}[way]
    read(str(Path(path).with_name("small.parquet")))  # all that is imported late is imported now
    before, wall, cpu = _peak(), time.perf_counter(), time.process_time()
    values = read(path)
    took = time.perf_counter() - wall, time.process_time() - cpu, _peak() - before
    print(*took, repr(float(np.asarray(values[:, 0]).sum())))


def _in_parts(path: str) -> np.ndarray:
    from fuzzyfrog import read_table

    return read_table(path, "class").values


def _by_dask(path: str) -> np.ndarray:
    import dask.dataframe as dd

    from fuzzyfrog.data import make_dataset

    frame = dd.read_parquet(path, split_row_groups=True)
    return make_dataset(frame.drop(columns="class"), frame["class"]).values


def _by_pandas(path: str) -> np.ndarray:
    import pandas as pd

    from fuzzyfrog.data import make_dataset

    frame = pd.read_parquet(path)
    return make_dataset(frame.drop(columns="class"), frame["class"]).values


def _frame(path: str) -> np.ndarray:
    import pandas as pd

    return pd.read_parquet(path).to_numpy()


def _peak() -> float:
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024 / 1e6


if __name__ == "__main__":
    _read(*sys.argv[2:]) if "--read" in sys.argv else main()
