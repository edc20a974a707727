"""Many processes at once on a cold cache of compiled kernels: right answers, no traceback.

    python benchmarks/cold_cache.py --processes 64

Every process compiles what the others compile at the same moment, and all of them write the same
files. Afterwards one more process must find the kernels compiled.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter

CODE = """
from fuzzyfrog import load_dataset
from fuzzyfrog.measure import Dependency
wine = Dependency(load_dataset("wine"), engine="scan", n_jobs=1)
print(wine.score([[True] * 3 + [False] * 10])[0])
"""


def main() -> None:
    """Start all processes, and compare their output with that of a warm cache."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--processes", type=int, default=64)
    asked = parser.parse_args()
    call = [sys.executable, "-c", CODE]  # a command would leave a small table to NumPy
    usual = subprocess.run(call, check=True, capture_output=True, text=True)  # noqa: S603
    with tempfile.TemporaryDirectory() as cache:  # nobody else can write there
        cold = {**os.environ, "NUMBA_CACHE_DIR": cache}
        begun = time.monotonic()
        processes = [
            subprocess.Popen(  # noqa: S603 - our own interpreter and code
                call, env=cold, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for _ in range(asked.processes)
        ]
        ended = [process.communicate() for process in processes]
        print(f"{asked.processes} processes: {time.monotonic() - begun:.0f} s")
        codes = Counter(process.returncode for process in processes)
        right = sum(json.loads(out or "null") == json.loads(usual.stdout) for out, _ in ended)
        said = Counter(err.strip() for _, err in ended)
        print(f"exit codes {dict(codes)}, right answers {right}, said {dict(said)}")
        begun = time.monotonic()
        last = subprocess.run(  # noqa: S603 - our own interpreter and code
            call, env=cold, check=True, capture_output=True, text=True
        )
        print(f"one more: {time.monotonic() - begun:.1f} s, said {last.stderr.strip()!r}")
    assert codes == {0: asked.processes}
    assert right == asked.processes
    assert not any("Traceback" in err for err in said)
    assert last.stdout == usual.stdout


if __name__ == "__main__":
    main()
