"""The text that workers have to have in common."""

import os
import shutil
import subprocess
import sys

import numba
import numpy as np
import pytest

import fuzzyfrog
from fuzzyfrog.cluster.code_version import stamp

IMPORT_EDIT_TELL = """
import sys
from fuzzyfrog.cluster.code_version import stamp
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


@pytest.mark.parametrize("file", ["data/dataset.py", "cluster/shards.py"])
def test_it_is_that_of_the_code_as_it_was_imported(told, file):
    assert told(file) == stamp()  # edited too late
    assert told(file) != stamp()


def test_it_names_the_versions_that_bits_may_depend_on():
    parts = stamp().split(", ")
    assert parts[1:3] == [f"numpy {np.__version__}", f"numba {numba.__version__}"]
