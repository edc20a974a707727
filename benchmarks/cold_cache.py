"""Many processes at once on a cold cache of compiled kernels: right answers, no traceback.

    python benchmarks/cold_cache.py --processes 64

Every process compiles what the others compile at the same moment, and all of them write the same
files. Each scores three subsets of a table that is too large to do without kernels, by one engine,
so that it compiles no more than it has to, and says whether it has compiled kernels at the end.
Afterwards one more process must find the kernels compiled.
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

import numpy as np

N_SAMPLES, N_FEATURES = 20_000, 4


def main() -> None:
    """Start all processes, and compare their output with that of a warm cache."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(scored()))
        return
    call = [sys.executable, __file__, "--child"]
    usual = subprocess.run(call, check=True, capture_output=True, text=True)  # noqa: S603
    expected = json.loads(usual.stdout)
    assert expected["has_compiled"], "without compiled kernels this proves nothing"
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
        right = sum(json.loads(out or "null") == expected for out, _ in ended)
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
    assert json.loads(last.stdout) == expected


def scored() -> dict[str, object]:
    """Return the scores of some subsets, and whether a kernel was compiled or loaded for them."""
    from fuzzyfrog.measure import Dependency, _kernel_scan

    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 50, (N_SAMPLES, N_FEATURES)), rng.integers(0, 3, N_SAMPLES)
    subsets = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [0, 1, 0, 1]], bool)
    scores = Dependency(X, y, engine="scan", n_jobs=1).score(subsets).tolist()
    kernels = [getattr(one, "overloads", ()) for one in vars(_kernel_scan).values()]
    return {"scores": [score.hex() for score in scores], "has_compiled": any(kernels)}


if __name__ == "__main__":
    main()
