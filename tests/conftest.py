from __future__ import annotations

import os
from pathlib import Path

import pytest


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
