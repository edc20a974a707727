"""The same record, byte for byte but for the clock: threads, processes, kernels switched off."""

import json
import multiprocessing
from pathlib import Path

import joblib
import pytest

from fuzzyfrog import ReductSelector, load_dataset
from reliability.processes import python, without

TESTS = Path(__file__).parents[1]
SEARCHES = ("frogs", "genetic", "swarm", "quickreduct", "exact", "front")


def recorded(search: str, n_jobs: int | None = 1, every: int = 1) -> str:
    """Return the record of a fit to every n-th wine, without what the clock put there."""
    wine = load_dataset("wine")
    selector = ReductSelector(search, random_state=3, max_evaluations=400, n_jobs=n_jobs)
    selector.fit(wine.values[::every], wine.target[::every])
    run = json.loads(selector.record().to_json())["result"]
    for part in (run, *run["history"]):
        del part["seconds"]
    return json.dumps(run)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("search", SEARCHES)
def test_one_thread_or_two(search):
    assert recorded(search, 1) == recorded(search, 2)


def test_a_process_that_was_spawned_and_threads_of_joblib():
    expected = recorded("genetic")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(recorded, ("genetic",)) == expected
    parallel = joblib.Parallel(n_jobs=2, backend="threading")
    assert parallel(joblib.delayed(recorded)("genetic", None) for _ in range(2)) == [expected] * 2


PLAIN = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from reliability.test_determinism import recorded
print(recorded("quickreduct", every=6))
"""


def test_kernels_as_plain_python(tmp_path):
    done = python(PLAIN, tmp_path, env=without(NUMBA_DISABLE_JIT="1"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == recorded("quickreduct", every=6)
