"""The pages about an experiment: complete, honest about gaps, and the same for the same cells."""

import json
import os
import re
import shutil
import subprocess
import sys
from math import sqrt
from pathlib import Path

import pytest

from fuzzyfrog.errors import UnwrittenError
from fuzzyfrog_lab.cells import pack_cells
from fuzzyfrog_lab.pages import write_pages
from made_up import ACCURACIES, BONUS, fill, read, small_experiment

TESTS = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The pages about cells of four data sets that were made up."""
    folder = tmp_path_factory.mktemp("report")
    fill(folder / "cells.jsonl", small_experiment(), n_datasets=4)
    write(folder)
    return folder


def write(folder):
    return write_pages(read(folder, small_experiment()), folder)


def page(folder, name):
    return (folder / name).read_text(encoding="utf-8")


def row(text, start):
    (found,) = [line for line in text.splitlines() if line.startswith(f"| {start} |")]
    return [cell.strip() for cell in found.strip("|").split("|")]


def section(text, title):
    return text.split(f"{title}\n", 1)[1].split("\n## ", 1)[0].split("\n### ", 1)[0]


def test_every_link_leads_to_a_file(report):
    pages = sorted(report.glob("*.md"))
    assert len(pages) == 4 + 2 + 2  # panels x protocols, leaks, settings and index
    for one in pages:
        for link in re.findall(r"\]\(([^)]+)\)", one.read_text(encoding="utf-8")):
            assert (report / link).is_file(), f"{one.name} links to {link}"


def test_every_file_is_in_the_index(report):
    index = page(report, "index.md")
    for file in report.rglob("*"):
        name = file.relative_to(report).as_posix()
        if file.is_file() and name not in {"index.md", "cells.jsonl"}:
            assert f"({name})" in index


def test_the_index_marks_what_is_done_and_what_is_missing(report):
    index = page(report, "index.md")
    assert row(index, "wine") == ["wine", "178 (178)", "13 (13)", "3", *["done"] * 4]
    assert row(index, "olitos")[4:] == ["missing"] * 4
    assert "A percentage is the share of the cells that are there" in index


def test_figures_of_the_paper_stand_beside_ours(report):
    text = page(report, "weka-paper.md")
    sizes = row(section(text, "### Number of features (paper in brackets)"), "wine")
    assert sizes[1:] == ["5.0 (5)", "5.0 (5)", "4.0 (5)", "2.0 (1)", "3.0 (3)"]
    accuracies = row(section(text, "### Accuracy (paper in brackets)"), "wine")
    mean = ACCURACIES["B-SFLA"] + BONUS
    assert accuracies[5] == f"**{mean:.2f} ± 1.39** (93.57 ± 1.97)"
    assert accuracies[6] == "9"
    bests = row(section(text, "### Best classifier (paper in brackets)"), "wine")
    assert bests[5] == f"{ACCURACIES['B-SFLA'] + 4}.00 (96.07)"
    wins = section(text, "### Wins and ranks (paper in brackets)")
    assert row(wins, "wins")[5] == "4 (1)"  # over the same four
    assert row(wins, "mean rank")[5] == "1.0000 (2.2500)"
    assert row(wins, "wins, as printed over 22")[5] == "(8)"
    assert row(wins, "mean rank, as printed over 22")[5] == "(2.1364)"


def test_ranks_among_twelve_have_no_ranks_among_five_beside_them(report):
    text = page(report, "weka-paper.md").split("\n## everything\n")[1]
    assert "(" not in section(text, "### Wins and ranks")
    assert "As printed" not in text


def test_the_mean_of_the_paper_is_over_the_same_data_sets(report):
    text = section(page(report, "weka-paper.md"), "### Accuracy (paper in brackets)")
    means = row(text, "**mean**")
    theirs = (65.09 + 62.96 + 65.32 + 93.57) / 4
    assert means[5].endswith(f"({theirs:.2f} of 4)")


def test_the_tests_of_the_paper_stand_beside_ours_where_it_has_the_same_first(report):
    text = section(page(report, "weka-paper.md"), "### Post-hoc tests (paper in brackets)")
    z = (5 - 2.25) / sqrt(5 * 6 / (6 * 4))  # mean ranks of GBFS and B-SFLA in the paper's four
    assert f"({z:.6f})" in row(text, "B-SFLA before GBFS")[1]  # B-SFLA was made up to be first
    assert "As printed in the paper, over its 22 data sets: chi-square 10.981818" in text
    assert "GBFS z 2.860388, p 0.004231" in text
    assert "(10.981818)" not in text


@pytest.mark.long
def test_the_same_cells_give_the_same_bytes(report, tmp_path):
    code = f"from pathlib import Path; from test_pages import write; write({tmp_path!r})"
    code = code.replace("PosixPath", "Path")
    shutil.copy(report / "cells.jsonl", tmp_path)
    pack_cells(tmp_path / "cells.jsonl")
    run = [sys.executable, "-c", code]
    path = os.pathsep.join([str(TESTS), *sys.path])
    changed = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": path}
    subprocess.run(run, check=True, env=changed)  # noqa: S603 - our own code
    files = {one.relative_to(report): one for one in report.rglob("*.*")}
    names = {one.relative_to(tmp_path) for one in tmp_path.rglob("*.*")}
    assert {*names, Path("cells.jsonl")} == {*files, Path("cells.jsonl.gz"), Path("cells.jsonl")}
    for name in names - {Path("cells.jsonl.gz")}:
        assert (tmp_path / name).read_bytes() == files[name].read_bytes(), name


def test_figures_are_whole_and_name_everybody(report):
    figures = sorted((report / "figures").glob("*.svg"))
    assert len(figures) == 2 * 4 + 4 + 2 * 2  # ranks; accuracies; sizes and seconds
    for one in figures:
        text = one.read_text(encoding="utf-8")
        assert text.rstrip().endswith("</svg>")
        assert all(name in text for name in ("GBFS", "GA", "PSO"))
        assert "dc:date" not in text


def test_half_a_data_set_is_counted_and_not_ranked(tmp_path):
    path = tmp_path / "cells.jsonl"
    fill(path, small_experiment(), n_datasets=3)
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if json.loads(line).get("key", {}).get("data") != "glass"]
    glass = [line for line in lines if json.loads(line).get("key", {}).get("data") == "glass"]
    path.write_text("\n".join([*kept, *glass[: len(glass) // 10]]) + "\n", encoding="utf-8")
    write_pages(read(tmp_path, small_experiment()), tmp_path, figures=False)
    done = row(page(tmp_path, "index.md"), "glass")
    assert re.fullmatch(r"\d+ %", done[4])
    assert "Mean ranks over 2 data sets" in page(tmp_path, "weka-paper.md")


def test_a_page_that_cannot_be_written_is_named_and_costs_no_other(tmp_path):
    fill(tmp_path / "cells.jsonl", small_experiment(), 2)
    for name in ("settings.md", "figures"):
        (tmp_path / name).mkdir(parents=True)  # stops even root
    (tmp_path / "figures").rmdir()
    (tmp_path / "figures").write_text("no folder")
    with pytest.raises(UnwrittenError) as caught:
        write_pages(read(tmp_path, small_experiment()), tmp_path)
    sentences = caught.value.sentences
    assert any(f"{tmp_path / 'settings.md'} could not be written (" in one for one in sentences)
    assert sentences[0] == f"{tmp_path / 'figures'} could not be written (File exists)."
    assert (tmp_path / "index.md").exists()
    assert not list(tmp_path.glob(".fuzzyfrog-*"))
