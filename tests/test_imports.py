"""What `import fuzzyfrog` costs, and what it offers."""

import importlib
import importlib.metadata
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import fuzzyfrog
from fuzzyfrog import _HOMES

HEAVY = {
    "dask",
    "distributed",
    "jpype",
    "lightgbm",
    "matplotlib",
    "numba",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "sklearn",
}


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that a fresh process has loaded after the statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in json.loads(run.stdout)}


def test_import_loads_nothing_heavy():
    loaded = modules_after("import fuzzyfrog")
    assert "fuzzyfrog" in loaded
    assert loaded & HEAVY == set()


def test_error_and_version_load_nothing_heavy():
    loaded = modules_after("from fuzzyfrog import DataError, __version__")
    assert loaded & HEAVY == set()


def test_all_is_sorted_and_complete():
    assert fuzzyfrog.__all__ == sorted(fuzzyfrog.__all__)
    assert set(fuzzyfrog.__all__) == {*_HOMES, "__version__"}


@pytest.mark.parametrize("name", fuzzyfrog.__all__)
def test_every_public_name_can_be_imported(name):
    value = getattr(fuzzyfrog, name)
    assert not inspect.ismodule(value)  # a file of the same name would hide the function
    if name in _HOMES:
        assert value is getattr(importlib.import_module(_HOMES[name]), name)
    else:
        assert value == importlib.metadata.version("fuzzyfrog")


def test_dir_lists_names_before_their_first_use():
    code = "import fuzzyfrog\nassert set(fuzzyfrog.__all__) <= set(dir(fuzzyfrog))"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'fuzzyfrog' has no attribute 'depandency'"):
        _ = fuzzyfrog.depandency


@pytest.mark.parametrize("package", ["fuzzyfrog.measure", "fuzzyfrog.select"])
def test_every_module_is_on_the_map_of_its_package(package):
    found = importlib.import_module(package)
    modules = {path.name for path in Path(found.__file__).parent.glob("*.py")} - {"__init__.py"}
    words = found.__doc__.replace("`", " ").split()
    assert {name for name in modules if not {name, f"{name},"} & set(words)} == set()
