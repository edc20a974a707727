"""Two versions side by side: an evaluation, a population, QuickReduct, a tree.

    git clone . /tmp/before && git -C /tmp/before checkout COMMIT
    python benchmarks/versions.py /tmp/before [population tree ...]

Each version runs in a process of its own, with kernels compiled before; laps alternate, so that a
change in the load of the machine meets both, and the best of several counts. Every lap has a new
measure, made before the clock starts, so that nothing remembered from an earlier lap helps. Both
versions must give the same answers, bit for bit.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np

LAPS = 15
THREADS = 2
# Name, data (a data set of the paper or a made table), features of a subset, subsets.
WORK = [
    ("one evaluation", "sonar", 30, 1),
    ("one evaluation", "molecular_biology", 30, 1),
    ("one evaluation", "coil_2000", 5, 1),
    ("one evaluation", "cnae_9", 428, 1),
    ("one evaluation", "madelon", 250, 1),
    ("population", "sonar", 30, 900),
    ("population", "madelon", 50, 900),
    ("population", "coil_2000", 20, 900),
    ("QuickReduct", "sonar", 0, 0),
    ("QuickReduct", "arrhythmia", 0, 0),
    ("QuickReduct", "cnae_9", 0, 0),
    ("QuickReduct", "madelon", 0, 0),
    ("tree", "100000x20", 5, 1),
    ("tree", "400000x10", 4, 1),
]


def main():
    """Print a row for each piece of work, or for those whose name is given."""
    here = Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory() as folder:
        now, before = Version(here, folder), Version(Path(sys.argv[1]), folder)
        print("| | data | before | now | now / before |\n|---|---|---|---|---|")
        for work in [one for one in WORK if not sys.argv[2:] or one[0] in sys.argv[2:]]:
            ready = [version.asked([*work, "prepare"]) for version in (before, now)]
            if ready[0]["answer"] != ready[1]["answer"]:
                raise SystemExit(f"{work} has other answers: {ready}")
            laps = [[version.asked([*work, ""])["seconds"] for version in (before, now)]
                    for _ in range(LAPS)]  # fmt: skip
            theirs, ours = map(min, zip(*laps, strict=True))
            name, data, size, _ = work
            told = f"{data}, {size} features" if size else data
            ratio = f"{1e3 * theirs:.3g} ms | {1e3 * ours:.3g} ms | {ours / theirs:.2f}"
            print(f"| {name} | {told} | {ratio} |", flush=True)


class Version:
    """A working copy in a process of its own that runs what it is asked for."""

    def __init__(self, checkout, folder):
        cache = tempfile.mkdtemp(dir=folder)
        environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "NUMBA_CACHE_DIR": cache}
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, __file__, "--serve"], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def asked(self, work):
        """Return the seconds and the answer of some work."""
        self._process.stdin.write(json.dumps(work) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def serve():
    """Do what the parent asks for, line by line."""
    from fuzzyfrog.common import jit
    from fuzzyfrog.measure import Dependency
    from quickreduct import greedy_reduct
    from workloads import load, mixed_features, random_subsets

    compiling = getattr(jit, "compiling_all", nullcontext)  # older versions compile at once
    tables = {}

    def run(data, size, count):
        if data not in tables:
            tables.clear()
            is_made = data.replace("x", "").isdigit()
            tables[data] = mixed_features(*map(int, data.split("x"))) if is_made else load(data)
        X, y = tables[data]
        measure = Dependency(X, y, target="class", n_jobs=THREADS)
        measure.score(np.ones((1, X.shape[1]), bool))
        masks = random_subsets(X.shape[1], size, count) if count else None
        start = time.perf_counter()
        found = greedy_reduct(measure) if masks is None else measure.score(masks)
        return time.perf_counter() - start, hashlib.sha256(np.asarray(found).tobytes()).hexdigest()

    for line in sys.stdin:
        _, data, size, count, what = json.loads(line)
        with compiling() if what else nullcontext():
            taken, answer = run(data, size, count)
        print(json.dumps({"seconds": taken, "answer": answer}), flush=True)


if __name__ == "__main__":
    serve() if sys.argv[1] == "--serve" else main()
