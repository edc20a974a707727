from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

# A shell starts what it puts into the background with Ctrl-C ignored; what is tested here may
# not depend on how the tests were started.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def paper_data_folder() -> Path:
    """The folder with the 22 files of the paper; tests that ask for it are skipped without."""
    given = os.environ.get("FUZZYFROG_DATA")
    if not given or not Path(given, "glass.csv").is_file():
        pytest.skip("FUZZYFROG_DATA does not name a folder with the data files of the paper")
    return Path(given)
