"""A fit holds a few tables of its size, never a matrix of samples by samples."""

import json

from reliability.processes import python

N_SAMPLES = 60_000
PAIRS_BYTES = N_SAMPLES**2 * 8
ALLOWANCE = 200 * 2**20  # compiled kernels, and a few copies of a table of 2 MB

CODE = f"""
import json, resource
import numpy as np
from fuzzyfrog import FuzzyRoughSelector

rng = np.random.default_rng(0)
X, y = rng.normal(size=({N_SAMPLES}, 4)), rng.integers(0, 2, {N_SAMPLES})

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

FuzzyRoughSelector("quickreduct", n_jobs=1).fit(X[:200], y[:200])
before = peak()
selector = FuzzyRoughSelector("quickreduct", n_jobs=2, max_evaluations=3, random_state=0)
selector.fit(X, y)
print(json.dumps([before, peak()]))
"""


def test_the_peak_of_a_fit_is_far_below_all_pairs(tmp_path):
    done = python(CODE, tmp_path, "-W", "ignore")
    assert done.returncode == 0, done.stderr
    before, peak = json.loads(done.stdout)
    assert peak - before < ALLOWANCE < PAIRS_BYTES / 100
