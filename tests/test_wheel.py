"""The wheel as a user gets it: complete, and with kernels that are kept from run to run."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DIST_INFO = f"fuzzyfrog-{version('fuzzyfrog')}.dist-info"

USE = """
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import fuzzyfrog
    from fuzzyfrog.measure import Dependency, _kernel_scan
    measure = Dependency(fuzzyfrog.load_dataset("iris"), engine="scan", n_jobs=2)
    value = float(measure.score([[False, False, False, True]])[0])
stats = _kernel_scan.scan.stats
print(json.dumps({
    "file": fuzzyfrog.__file__,
    "value": value,
    "hits": sum(stats.cache_hits.values()),
    "warnings": [str(each.message) for each in caught],
}))
"""


FIT = """
import fuzzyfrog, sys
selector = fuzzyfrog.ReductSelector(random_state=7, max_evaluations=300, n_jobs=1)
run = selector.fit(fuzzyfrog.load_dataset("wine")).record()
print(fuzzyfrog.__file__, run.to_json(), sep="\\n")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--quiet", "-w", str(folder)], check=True, timeout=600)  # noqa: S603
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", str(wheel), "--no-deps", "--quiet"]
    subprocess.run([*command, "--target", str(folder)], check=True, timeout=600)  # noqa: S603
    return folder


def run(code: str, installed: Path, home: Path, **environment: str) -> str:
    """Return what code prints that imports the package from a folder."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))
    }
    return subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code],
        env={**kept, "PYTHONPATH": str(installed), "HOME": str(home), **environment},
        cwd=home,
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=600,
    ).stdout


def use(installed: Path, home: Path, **environment: str) -> dict:
    return json.loads(run(USE, installed, home, **environment))


def test_wheel_has_the_package_without_tests_and_laboratory(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "fuzzyfrog/py.typed" in names
    assert "fuzzyfrog/report/templates/report.html" in names
    assert {name.partition("/")[0] for name in names} == {"fuzzyfrog", DIST_INFO}
    assert not [name for name in names if re.search("experiment|weka|boosted|catalog", name)]


def test_source_archive_has_what_the_tests_need(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=600, stdout=subprocess.DEVNULL)  # noqa: S603
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"Makefile", "pyproject.toml", "README.md", "CONTRIBUTING.md", "docs/index.md",
              "lab/pyproject.toml", "lab/src/fuzzyfrog_lab/registry.json",
              "lab/paper/experiment.toml", "lab/paper/expected/sizes.csv",
              "lab/paper/results/cells.jsonl.gz", "lab/tests/test_cells.py", "conftest.py",
              "examples/gallery/GALLERY_HEADER.rst", "requirements/constraints.txt",
              "scripts/lowest.py",
              "src/fuzzyfrog/report/templates/report.html"}  # fmt: skip
    assert needed <= names, needed - names


@pytest.mark.long
def test_second_run_from_the_wheel_compiles_nothing(installed, tmp_path):
    first, second = use(installed, tmp_path), use(installed, tmp_path)
    assert Path(first["file"]).is_relative_to(installed)
    assert (first["warnings"], second["warnings"]) == ([], [])
    assert (first["hits"], second["hits"]) == (0, 1)
    assert first["value"] == second["value"]


@pytest.mark.long
def test_home_and_package_that_cannot_be_written_cost_one_warning(installed, tmp_path):
    """Files in place of directories stop even root, whom permissions do not stop."""
    package = shutil.copytree(installed, tmp_path / "package")
    shutil.rmtree(package / "fuzzyfrog" / "measure" / "__pycache__")
    (package / "fuzzyfrog" / "measure" / "__pycache__").write_text("not a directory")
    (tmp_path / "home").write_text("not a directory")
    told = use(package, tmp_path, HOME=str(tmp_path / "home" / "me"))
    assert Path(told["file"]).is_relative_to(package)
    assert told["value"] == use(installed, tmp_path)["value"]
    assert len(told["warnings"]) == 1
    assert "Set NUMBA_CACHE_DIR" in told["warnings"][0]


@pytest.mark.long
def test_a_fit_from_the_wheel_has_the_record_of_one_from_the_source(installed, tmp_path):
    records = {}
    for folder in (installed, ROOT / "src"):
        file, text = run(FIT, folder, tmp_path).splitlines()
        assert Path(file).is_relative_to(folder)
        records[folder] = timeless(text)
    assert records[installed] == records[ROOT / "src"]


def timeless(text: str) -> bytes:
    """Return a record, byte for byte, without what the clock put there."""
    record = json.loads(text)
    for part in (record["result"], *record["result"]["history"]):
        del part["seconds"]
    return json.dumps(record).encode()
