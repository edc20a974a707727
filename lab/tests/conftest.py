"""The command line of the laboratory, and the real Weka, installed if it is not there."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import strategies  # noqa: F401 - loads the profile of Hypothesis, without a clock
from fuzzyfrog.cli.console import stderr, stdout
from fuzzyfrog_lab.cli import main
from fuzzyfrog_lab.weka.process import missing_for_weka

INSTALLER = Path(__file__).resolve().parents[2] / "scripts" / "install_weka.sh"


@pytest.fixture(scope="session")
def installed_weka() -> None:
    """Install Weka where that can be done; tests that ask for it are skipped elsewhere."""
    if missing_for_weka() is None:
        return
    run = subprocess.run([str(INSTALLER)], capture_output=True, text=True, check=False)  # noqa: S603
    if missing := missing_for_weka():
        pytest.skip(f"{missing} (install_weka.sh: {run.stderr.strip() or run.stdout.strip()})")


@pytest.fixture
def in_process(monkeypatch, capsys) -> Callable[..., tuple[int, str, str]]:
    """Run the command line here, which is quick; return exit code, stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        stdout.cache_clear()  # consoles keep the stream that they were made for
        stderr.cache_clear()
        monkeypatch.setattr(sys, "argv", ["fuzzyfrog-lab", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return int(ended.value.code or 0), told.out, told.err

    return run
