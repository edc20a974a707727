"""Whether a limit in seconds holds on large tables: reading, total, and the time beyond the limit.

    python benchmarks/limits.py --folder /tmp/tables                  # all tables
    python benchmarks/limits.py --folder /tmp/tables wide --limit 5   # one of them

Promised: limit + reading + 5 seconds, with an answer and a report. Reading is what the command
takes before its clock starts: imports, the file, the checks of its columns. It is measured in the
same process, which writes the time when the clock starts. Run it alone on the machine, twice: the
first run may compile kernels.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

# Samples, features, and how the target is read.
TABLES = {
    "long": (200_000, 50, "class"),
    "numeric": (50_000, 10, "numeric"),
    "wide": (300, 20_000, "class"),
    "million": (1_000_000, 50, "class"),
}
USUAL = ("long", "numeric", "wide")
ALLOWED = 5.0  # seconds beyond the limit and reading


def made(name: str, folder: Path) -> list[str]:
    """Write a table unless it is there; return the arguments that name it and its target."""
    n_samples, n_features, kind = TABLES[name]
    path = folder / f"{name}.{'parquet' if name == 'million' else 'csv'}"
    if not path.exists():
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n_samples, n_features)).round(3)
        total = X[:, :5].sum(axis=1)
        y = total if kind == "numeric" else np.searchsorted([-1.5, 1.5], total)
        folder.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            columns = {f"x{i}": X[:, i] for i in range(n_features)}
            pq.write_table(pa.table({**columns, "y": y}), path)
            return made(name, folder)
        head = ",".join([*(f"x{i}" for i in range(n_features)), "y"])
        formats = ["%.3f"] * n_features + ["%.4f" if kind == "numeric" else "%d"]
        np.savetxt(path, np.column_stack([X, y]), formats, ",", header=head, comments="")
    return [str(path.resolve()), "--target", "y", "--target-kind", kind]


def main() -> None:
    """Run the command on each table and print its times."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", default=list(USUAL), metavar="|".join(TABLES))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--limit", type=float, default=10.0)
    asked, options = parser.parse_known_args()  # others are for fuzzyfrog reducts
    print(f"limit {asked.limit:g} s; promised: limit + reading + {ALLOWED:g} s")
    print("table     reading   total  beyond  evaluations  features  kept?")
    for name in asked.tables:
        print(measured(name, asked.folder, asked.limit, options), flush=True)


def measured(name: str, folder: Path, limit: float, options: list[str]) -> str:
    """Return the line about one table."""
    table = made(name, folder)
    files = {one: folder / f"{name}.{one}" for one in ("json", "html", "clock")}
    for path in (*files.values(), folder / f"{name}.json.scores"):
        path.unlink(missing_ok=True)
    call = ["reducts", *table, "--max-seconds", f"{limit:g}", "--quiet", *options]
    call += ["--save", str(files["json"]), "--report", str(files["html"])]
    begun = time.monotonic()
    ended = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, __file__, "--child", str(files["clock"]), *call],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    total = time.monotonic() - begun
    assert ended.returncode in (0, 3), ended.stderr
    reading = float(files["clock"].read_text(encoding="utf-8")) - begun
    run = json.loads(files["json"].read_text(encoding="utf-8"))["result"]
    assert files["html"].stat().st_size > 0
    beyond = total - reading - limit
    return (
        f"{name:8} {reading:8.1f} {total:7.1f} {beyond:7.1f} {run['n_evaluations']:12,} "
        f"{len(run['selected']):9}  {'yes' if beyond <= ALLOWED else 'NO'}"
    )


def run_child(clock: Path, call: list[str]) -> None:
    """Run the command line in this process, and note when its clock starts."""
    from fuzzyfrog.cli import run as fuzzyfrog
    from fuzzyfrog.cli.progress import ProgressState

    start_clock = ProgressState.start_clock

    def noted(self: ProgressState) -> None:
        clock.write_text(repr(time.monotonic()), encoding="utf-8")
        start_clock(self)

    ProgressState.start_clock = noted  # type: ignore[method-assign]
    sys.argv = ["fuzzyfrog", *call]
    fuzzyfrog()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        run_child(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
