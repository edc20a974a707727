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
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("FUZZYFROG_DATA", beside))
    if not (folder / "glass.csv").is_file():
        pytest.skip(
            f"no data files of the paper in {folder}; set FUZZYFROG_DATA to a folder with them"
        )
    return folder
