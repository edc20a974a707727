"""The text that identifies the code behind scores."""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import fuzzyfrog
from fuzzyfrog.cluster import worker
from fuzzyfrog.cluster.worker import stamp

IMPORT_EDIT_TELL = """
import sys
from fuzzyfrog.cluster.worker import stamp
with open(sys.argv[1], "a", encoding="utf-8") as file:
    file.write("# an idea to try")
print(stamp())
"""


@pytest.fixture
def told(tmp_path):
    """Return the output of a process that imports a copy of the package, then edits a file."""
    package = shutil.copytree(fuzzyfrog.__path__[0], tmp_path / "fuzzyfrog")

    def run(file):
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", IMPORT_EDIT_TELL, package / file],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    return run


@pytest.mark.parametrize("file", ["data/dataset.py", "cluster/worker.py"])
def test_it_is_that_of_the_code_as_it_was_imported(told, file):
    assert told(file) == stamp()  # edited too late
    assert told(file) != stamp()


def test_it_covers_all_code_of_the_measure_and_its_tables():
    """A renamed file must not fall out of the digest unnoticed."""
    covered = {pattern: list(worker._PACKAGE.glob(pattern)) for pattern in worker._SOURCES}
    assert all(covered.values()), covered
    files = {file for found in covered.values() for file in found}
    for name in ("measure.dependency", "measure._kernel_scan", "data.scaling", "cluster.worker"):
        assert Path(importlib.import_module(f"fuzzyfrog.{name}").__file__) in files


def test_it_names_the_versions_that_bits_may_depend_on():
    parts = stamp().split(", ")
    assert parts[1:3] == [f"numpy {np.__version__}", f"numba {numba.__version__}"]
