"""The pages of the paper: complete, and rebuilt from the committed cells byte for byte."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from made_up import fill, five_experiment, read
from paper.pages import write_paper_pages

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "paper" / "results"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The pages about made-up cells of one data set."""
    folder = tmp_path_factory.mktemp("report")
    fill(folder / "cells.jsonl", five_experiment(), n_datasets=1)
    files = write_paper_pages(read(folder, five_experiment()), folder)
    assert files[0] == folder / "index.md"
    return folder


def test_every_file_is_in_the_index_and_every_link_leads_to_a_file(report):
    index = (report / "index.md").read_text(encoding="utf-8")
    for file in report.rglob("*.*"):
        name = file.relative_to(report).as_posix()
        assert name in {"index.md", "cells.jsonl"} or f"({name})" in index
    for page in report.glob("*.md"):
        for link in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            assert (report / link).is_file(), f"{page.name} links to {link}"


def test_the_index_starts_with_the_verdict_and_names_the_tables_of_the_paper(report):
    index = (report / "index.md").read_text(encoding="utf-8")
    assert index.splitlines()[4].startswith("| [verdict.md](verdict.md) |")
    assert index.splitlines()[5].startswith("| [settings.md](settings.md) |")
    assert "| post-hoc comparison (Li) |" in index
    assert "## Frogs" in (report / "settings.md").read_text(encoding="utf-8")
    assert "Too few data sets" in (report / "verdict.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_committed_pages_are_rebuilt_byte_for_byte(tmp_path):
    shutil.copy(RESULTS / "cells.jsonl.gz", tmp_path)
    command = [sys.executable, "-m", "paper.pages", "--out", str(tmp_path)]
    subprocess.run(command, check=True, cwd=ROOT)  # noqa: S603 - our own code
    for pattern in ("*.md", "*.csv"):  # figures depend on the version of matplotlib
        names = [file.name for file in sorted(RESULTS.glob(pattern))]
        assert [file.name for file in sorted(tmp_path.glob(pattern))] == names
        for name in names:
            assert (tmp_path / name).read_bytes() == (RESULTS / name).read_bytes(), name


def test_without_cells_there_is_a_sentence(tmp_path):
    command = [sys.executable, "-m", "paper.pages", "--out", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)  # noqa: S603
    assert run.returncode == 1
    assert run.stderr.startswith("paper.pages: out must be a folder with cells.jsonl")
    assert len(run.stderr.splitlines()) == 1
