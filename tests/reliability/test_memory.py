"""A fit holds a few tables of its size, never a matrix of samples by samples."""

import json

import pytest

from reliability.processes import python

N_SAMPLES = 60_000
PAIRS_BYTES = N_SAMPLES**2 * 8
ALLOWANCE = 200 * 2**20  # compiled kernels, and a few copies of a table of 2 MB

CODE = f"""
import json, resource
import numpy as np
from fuzzyfrog import ReductSelector

rng = np.random.default_rng(0)
X, y = rng.normal(size=({N_SAMPLES}, 4)), rng.integers(0, 2, {N_SAMPLES})

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

ReductSelector("quickreduct", n_jobs=1).fit(X[:200], y[:200])
before = peak()
selector = ReductSelector("quickreduct", n_jobs=2, max_evaluations=3, random_state=0)
selector.fit(X, y)
print(json.dumps([before, peak()]))
"""


def test_the_peak_of_a_fit_is_far_below_all_pairs(tmp_path):
    done = python(CODE, tmp_path, "-W", "ignore")
    assert done.returncode == 0, done.stderr
    before, peak = json.loads(done.stdout)
    assert peak - before < ALLOWANCE < PAIRS_BYTES / 100


# The memory in use may grow by that many bytes; imports and kernels are already there.
LIMITED = """
import resource, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
from fuzzyfrog import ReductSelector
from fuzzyfrog.cli import main

rng = np.random.default_rng(0)
ReductSelector("quickreduct", n_jobs=1).fit(rng.normal(size=(200, 4)), rng.integers(0, 2, 200))

def allow(more):
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))
"""
READING = """
lines = (f"{i},{-i},{i},1,{i % 2}\\n" for i in range(1_000_000))
open("table.csv", "w").write("a,b,c,d,class\\n" + "".join(lines))
open("small.csv", "w").write("a,b,c,d,class\\n" + "1,2,3,4,0\\n2,1,4,3,1\\n" * 20)
sys.argv = ["fuzzyfrog", "reducts", "small.csv", "--target", "class", "-q", "--no-check"]
try:
    main()  # imports what reading needs
except SystemExit:
    sys.stdout.flush()
sys.argv[2] = "table.csv"
allow(8 * 2**20)
main()
"""
POSITIONS = """
X, y = np.ones((400_000, 20)), np.arange(400_000) % 2
X[:, 0] = np.arange(400_000)
allow(48 * 2**20)
try:
    ReductSelector("quickreduct", n_jobs=1).fit(X, y)
except MemoryError as error:
    sys.exit(str(error))
"""


@pytest.mark.long
def test_what_did_not_fit_into_memory_is_said(tmp_path):
    done = python(LIMITED + READING, tmp_path)
    assert done.returncode == 1
    said = _without_the_words_of_python(done.stderr)
    assert said.startswith("fuzzyfrog: memory must have room for the table of 'table.csv'")
    assert "save the table as Parquet" in said
    assert len(said.splitlines()) == 1
    done = python(LIMITED + POSITIONS, tmp_path)
    assert done.returncode == 1
    said = "memory must have room for the positions of 400,000 samples on 20 features, got too"
    assert _without_the_words_of_python(done.stderr).startswith(said)
    assert "--ignore" in done.stderr


def _without_the_words_of_python(stderr):
    """Return the text without how Python starts to complain of a finalizer that has no memory."""
    return stderr.removeprefix("Exception ignored in: ")
