"""The versions that `make test` installs: pinned for every tested Python, within the limits."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT, LAB = (
    tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for folder in (ROOT, ROOT / "lab")
)
VERSIONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
LINES = (ROOT / "requirements" / "constraints.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("version", VERSIONS)
def test_every_requirement_is_pinned_once_and_within_its_limits(version):
    pins = {}
    for line in LINES[1:]:
        pin = Requirement(line)
        assert [one.operator for one in pin.specifier] == ["=="], line
        if pin.marker is None or pin.marker.evaluate({"python_version": version}):
            assert pin.name not in pins, line
            pins[pin.name] = next(iter(pin.specifier)).version
    extras = PROJECT["optional-dependencies"]
    listed = [text for name in extras if name != "bench" for text in extras[name]]
    for needed in map(Requirement, PROJECT["dependencies"] + LAB["dependencies"] + listed):
        if needed.name != "fuzzyfrog":
            assert needed.specifier.contains(pins[canonicalize_name(needed.name)]), needed


def test_the_file_names_no_address():
    assert not [line for line in LINES if "//" in line or "@" in line]


def test_workflows_use_actions_at_a_commit():
    files = (ROOT / ".github" / "workflows").glob("*.yml")
    used = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()
            if "uses:" in line]  # fmt: skip
    assert used
    assert [line for line in used if not re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)] == []


def test_the_quick_tests_are_files():
    text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    quick = next(line for line in text.splitlines() if line.startswith("QUICK := "))
    parts = re.findall(r"\$\(addprefix ([^,]+),([^)]*)\)", quick)
    named = [start + end for start, ends in parts for end in ends.split()]
    named += re.sub(r"\$\(.*?\)", "", quick).split()[2:]
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_commits_are_checked_by_the_same_ruff():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    pin = next(line for line in LINES if line.startswith("ruff=="))
    assert set(re.findall(r"ruff==[^\"]+", hooks)) == {pin}
