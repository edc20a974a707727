"""The real Weka for the tests, installed if it is not there."""

import subprocess
from pathlib import Path

import pytest

import strategies  # noqa: F401 - loads the profile of Hypothesis, without a clock
from fuzzyfrog.experiment.weka.process import missing_for_weka

INSTALLER = Path(__file__).resolve().parents[2] / "scripts" / "install_weka.sh"


@pytest.fixture(scope="session")
def installed_weka() -> None:
    """Install Weka where that can be done; tests that ask for it are skipped elsewhere."""
    if missing_for_weka() is None:
        return
    run = subprocess.run([str(INSTALLER)], capture_output=True, text=True, check=False)  # noqa: S603
    if missing := missing_for_weka():
        pytest.skip(f"{missing} (install_weka.sh: {run.stderr.strip() or run.stdout.strip()})")
