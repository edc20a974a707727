"""Seconds and memory of reading tables, next to pandas and polars in the same run.

Each way runs in a separate process; the memory is the peak of that process above what it took
after the imports (Linux: reads /proc). fuzzyfrog gives a `Dataset`, the others a frame; all must
have the same numbers.

    python benchmarks/reading.py                 # all of them, with 300,000 rows
    python benchmarks/reading.py 300000 plain    # one of them
    python benchmarks/reading.py 10000000 short  # two short columns
    python benchmarks/reading.py 1000000 disk    # Parquet, kept on disk
"""

import gzip
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

N_COLUMNS = 50
TABLES = {
    "plain": "50 numbers, a category, a class",
    "mixed": "20 numbers, 10 whole numbers, 20 categories, a class",
    "quoted": "as plain, every cell in quotes",
    "gaps": "as plain, a tenth of the numbers missing",
    "commas": "as plain, decimal commas, semicolons",
    "gzip": "as plain, gzipped",
    "parquet": "as plain, Parquet",
    "excel": "as plain, a workbook (20 numbers, 1 row in 30)",
}
WAYS = ("fuzzyfrog", "pandas", "polars")


def main() -> None:
    """Print a table with one line per file."""
    n_rows = int((*sys.argv[1:], "300000")[0])
    names = sys.argv[2:] or list(TABLES)
    print("| table | file | fuzzyfrog | pandas | polars | times the faster | memory |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=os.environ.get("FUZZYFROG_SPILL")) as folder:
        for name in names:
            path = _written(Path(folder), name, n_rows)
            laps = [[_run(way, name, path) for way in WAYS] for _ in range(3)]
            sums = {total for lap in laps for *_, total in lap if total != "-"}
            assert len(sums) == 1, f"the ways give different numbers: {sums}"
            _, peak, size, _ = laps[0][0]
            wall = [min(float(lap[way][0]) for lap in laps) for way in range(len(WAYS))]
            print(
                f"| {TABLES.get(name, name)} | {path.stat().st_size / 1e6:,.0f} MB | "
                + " | ".join(f"{one:.2f} s" for one in wall)
                + f" | {wall[0] / min(wall[1:]):.1f} | {float(peak) / float(size):.1f} × "
                f"{float(size):,.0f} MB |",
                flush=True,
            )
            path.unlink()


def _written(folder: Path, name: str, n_rows: int) -> Path:
    rng = np.random.default_rng(0)
    n_rows = n_rows // 30 if name == "excel" else n_rows
    n_columns = {"excel": 20, "mixed": 20, "short": 1}.get(name, N_COLUMNS)
    frame = pd.DataFrame({f"x{k}": np.round(rng.normal(size=n_rows), 5) for k in range(n_columns)})
    if name == "gaps":
        frame = frame.mask(rng.random(frame.shape) < 0.1)
    if name == "short":
        frame = (100 * frame).round().clip(-99, 99).astype(int)
    if name == "mixed":
        for k in range(10):
            frame[f"n{k}"] = rng.integers(0, 5000, n_rows)
            frame[f"a{k}"] = rng.choice(["red", "green", "blue", "black"], n_rows)
            frame[f"b{k}"] = [f"label {one}" for one in rng.integers(0, 500, n_rows)]
    elif name != "short":
        frame["color"] = rng.choice(["red", "green", "blue", "black"], n_rows)
    frame["class"] = rng.choice(["yes", "no"], n_rows)
    path = folder / {"gzip": "x.csv.gz", "excel": "x.xlsx"}.get(name, "x.csv")
    if name in ("parquet", "disk"):
        path = folder / "x.parquet"
        pq.write_table(pa.Table.from_pandas(frame), path)
    elif name == "excel":
        frame.to_excel(path, index=False)
    elif name == "gzip":
        with gzip.open(path, "wt", compresslevel=1) as stream:
            frame.to_csv(stream, index=False)
    else:
        marks = {"sep": ";", "decimal": ","} if name == "commas" else {}
        frame.to_csv(path, index=False, quoting=1 if name == "quoted" else 0, **marks)
    return path


def _run(way: str, name: str, path: Path) -> list[str]:
    command = [sys.executable, __file__, "--read", way, name, str(path)]
    environment = {**os.environ, "FUZZYFROG_SPILL_ABOVE": "1MB" if name == "disk" else "1TB"}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603
    return run.stdout.split()


def _read(way: str, name: str, path: str) -> None:
    import polars as pl
    import pyarrow.compute  # imported late by fuzzyfrog
    import pyarrow.csv  # noqa: F401

    from fuzzyfrog import read_table

    commas = name == "commas"
    kind = {"parquet": "parquet", "disk": "parquet", "excel": "excel"}.get(name, "csv")
    marks = {"sep": ";", "decimal": ","} if commas else {}
    polars_marks = {"separator": ";", "decimal_comma": True} if commas else {}
    if kind == "excel":
        polars_marks = {"engine": "openpyxl"}
    ways = {
        "fuzzyfrog": lambda: read_table(path, "class", decimal="," if commas else "."),
        "pandas": lambda: getattr(pd, f"read_{kind}")(path, **marks),
        "polars": lambda: getattr(pl, f"read_{kind}")(path, **polars_marks),
    }
    before, wall = _peak(), time.perf_counter()
    found = ways[way]()
    took, peak = time.perf_counter() - wall, _peak() - before
    column = found.values[:, 0] if way == "fuzzyfrog" else found["x0"].to_numpy()
    size = found.values.nbytes if way == "fuzzyfrog" else 0
    print(took, peak, size / 1e6, repr(float(np.nansum(np.asarray(column, np.float64)))))


def _peak() -> float:
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024 / 1e6


if __name__ == "__main__":
    _read(*sys.argv[2:]) if "--read" in sys.argv else main()
