"""Fuzz everything that reads files: ``python fuzz SECONDS [HARNESS...]``, by default all of them.

A harness is a file of this folder, such as ``arff_tables``. The exit code is 1 if one of them
found something; its bytes are then in a file that begins with ``fuzz-``.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import FOLDER_VARIABLE

HERE = Path(__file__).parent
HARNESSES = (
    "delimited_tables",
    "arff_tables",
    "packed_tables",
    "parquet_tables",
    "npy_tables",
    "workbook_tables",
    "score_logs",
    "saved_runs",
    "experiment_configs",
)


def fuzz(name: str, seconds: str) -> int:
    """Run a harness in a separate process and folder; return its exit code."""
    memory = "/dev/shm"  # noqa: S108 - a private folder is made below it; a disk would be slow
    where = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="fuzzyfrog-fuzz-", dir=where) as folder:
        return subprocess.run(  # noqa: S603 - our own interpreter and code
            [sys.executable, str(HERE / f"{name}.py"), seconds],
            env={**os.environ, FOLDER_VARIABLE: folder},
            check=False,
        ).returncode


def main(seconds: str = "60", *names: str) -> int:
    """Run harnesses one after the other; return the exit code."""
    found = [name for name in names or HARNESSES if fuzz(name, seconds)]
    sys.stdout.write(f"Found something: {', '.join(found) or 'none of them'}\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
