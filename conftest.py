"""What all tests share, those of fuzzyfrog and those of the laboratory."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# Every run draws the same examples, whatever the clock says, and prints how to repeat a failure.
settings.register_profile(
    "fuzzyfrog", derandomize=True, deadline=None, print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.load_profile("fuzzyfrog")

# A shell starts background jobs with Ctrl-C ignored, and nohup ignores a closed terminal; the
# tests must not depend on how they were started.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

if not hasattr(os, "mkfifo"):  # Windows: these need pipes, terminals, owners or limits to be read
    collect_ignore = [
        "tests/reliability", "tests/common/test_jit.py", "tests/common/test_spill.py",
        "tests/data/test_opening.py",
        "tests/cli/test_interrupt.py", "tests/cli/test_interruption.py",
        "tests/cli/test_outputs.py", "tests/cli/test_terminal.py",
    ]  # fmt: skip

# Each belongs to one process of pytest-xdist: any other would start a cluster of its own, and Dask
# would take Playwright's loop for its own.
TOGETHER = ("tests/cluster/", "tests/report/test_browser.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep tests together; groups of pytest-xdist 3.8 do not work with pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class Grouped(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next((one for one in TOGETHER if nodeid.startswith(one)), nodeid)

    return Grouped(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator, created afresh for every test: their order does not matter."""
    return np.random.default_rng(1)


@pytest.fixture(scope="session")
def paper_data_folder() -> Path:
    """Return the folder with the 22 files of the paper; without it, skip the test."""
    given = os.environ.get("FUZZYFROG_DATA")
    if not given or not Path(given, "glass.csv").is_file():
        pytest.skip("FUZZYFROG_DATA does not name a folder with the data files of the paper")
    return Path(given)
