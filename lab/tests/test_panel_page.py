"""The page of a panel: what is shown where runs differ, where cells failed, and where none is."""

import csv
import json
from dataclasses import replace
from statistics import fmean, stdev

import pytest

from fuzzyfrog_lab.cells import read_cells
from fuzzyfrog_lab.config import Protocol
from fuzzyfrog_lab.pages import write_pages
from fuzzyfrog_lab.results import Lookup, failure_lines, read_results
from made_up import N_TESTED, PANELS, fill, five_experiment, read

PAPER = Protocol("paper", (0, 1))


def four_tables():
    """The five selectors of the paper on its first data sets."""
    five = five_experiment()
    return replace(five, data=five.data[:4])


def pages(folder, change=lambda line: line, n_datasets=2):
    """Write the pages about cells of the first data sets, each changed, or None to leave it out."""
    path = folder / "cells.jsonl"
    experiment = four_tables()
    fill(path, experiment, n_datasets)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    changed = [line if "key" not in line else change(line) for line in lines]
    kept = [json.dumps(line) for line in changed if line is not None]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    write_pages(read(folder, experiment), folder, figures=False)
    return folder


def text(folder, name="weka-paper.md"):
    return (folder / name).read_text(encoding="utf-8")


def row(page, title, start):
    part = page.split(f"### {title}")[1].split("\n#")[0]
    (found,) = [line for line in part.splitlines() if line.startswith(f"| {start} |")]
    return [cell.strip() for cell in found.strip("|").split("|")][1:]


def judged(seed, accuracies):
    """Change the accuracies of some classifiers of B-SFLA, the last selector, in one seed."""

    def change(line):
        key = line["key"]
        if key["kind"] == "accuracy" and key["features"][-1] == 1040 + seed and not key["fold"]:
            right = accuracies.get(key["classifier"], 50)
            n_folds = len(line["value"]["tested"])
            line["value"]["correct"] = [right * N_TESTED // 100] * n_folds
        return line

    return change


def test_deviation_and_best_are_those_of_one_run(tmp_path):
    """Seeds that favor different classifiers must not even each other out."""
    first, second = judged(0, {"J48": 90}), judged(1, {"FT": 80})
    page = text(pages(tmp_path, lambda line: second(first(line))))
    deviations = [stdev([high, *[50] * 8]) for high in (90, 80)]
    means = [fmean([high, *[50] * 8]) for high in (90, 80)]
    told = f"{fmean(means):.2f} ± {fmean(deviations):.2f}"
    assert row(page, "Accuracy", "lung_cancer")[4].startswith(told)
    assert row(page, "Best classifier", "lung_cancer")[4].startswith("85.00")
    assert row(page, "Spread of the mean over seeds", "lung_cancer")[4] == f"{stdev(means):.2f}"
    assert row(page, "Spread of the mean over seeds", "lung_cancer")[0] == "–"  # it runs once
    assert "each taken within one seed" in page


def test_one_seed_has_no_spread(tmp_path):
    page = text(pages(tmp_path), "weka-nested.md")
    assert "Spread of the mean" not in page
    assert "each taken within one seed" not in page


def counted(line):
    """Make the evaluations of every search depend on the seed."""
    if line["key"]["kind"] == "selection" and line["value"]["by"] != "GBFS":
        line["value"]["evaluations"] = 1000 + 100 * line["key"]["seed"]
    return line


def test_evaluations_are_medians_and_stand_before_the_seconds(tmp_path):
    page = text(pages(tmp_path, counted))
    assert row(page, "Evaluations of a selection", "lung_cancer") == [
        "1,000", "1,050", "1,050", "–", "1,050"
    ]  # fmt: skip
    assert "| wine |" not in page.split("### Evaluations")[1].split("###")[0]  # nothing to tell
    assert page.index("### Evaluations") < page.index("### Seconds")


def test_seconds_of_a_single_run_are_marked(tmp_path):
    folder = pages(tmp_path)
    assert "L-FRFS ran once on a data set" in text(folder)
    assert "ran once" not in text(folder, "weka-nested.md")  # once in every fold


def failed(line):
    """Make FT fail on lung cancer with the first seed, J48 with one selector."""
    key = line["key"]
    last = key.get("features", [0])[-1]
    if key["data"] != "lung_cancer" or key.get("panel") != "weka" or key["fold"] is not None:
        return line
    reasons = {"FT": "it took more than 12 seconds", "J48": "no memory."}
    reason = reasons.get(key["classifier"])
    if reason is None or last % 10 or (key["classifier"] == "J48" and last != 1010):
        return line
    return {name: part for name, part in line.items() if name != "value"} | {"error": reason}


def test_failed_cells_are_told_by_data_set_classifier_and_reason(tmp_path):
    page = text(pages(tmp_path, failed))
    gaps = page.split("## Gaps\n")[1].splitlines()
    assert [line for line in gaps if line.startswith("- ")] == [
        "- lung_cancer: FT, it took more than 12 seconds: 5 cells",
        "- lung_cancer: J48, no memory: 1 cell",
    ]
    assert gaps[-1] == "2 data sets are not complete; [index.md](index.md) says how far they are."


def test_failures_belong_to_their_panel_and_protocol(tmp_path):
    experiment = four_tables()
    lookup = Lookup(read_cells(pages(tmp_path, failed) / "cells.jsonl"))
    nested = Protocol("nested", (0,))
    assert len(failure_lines(experiment, lookup, PAPER, "weka")) == 2
    assert failure_lines(experiment, lookup, PAPER, "sklearn") == []
    assert failure_lines(experiment, lookup, nested, "weka") == []


def without_a_value(line):
    key = line["key"]
    if key["kind"] == "selection" and line["value"]["by"] == "GBFS" and key["data"] == "glass":
        return {name: part for name, part in line.items() if name != "value"} | {"error": "no!"}
    return line


def test_a_selector_that_failed_is_told_on_the_page_of_every_panel(tmp_path):
    folder = pages(tmp_path, without_a_value, n_datasets=3)
    for panel in PANELS:
        assert "- glass: GBFS, no!: 2 cells" in text(folder, f"{panel}-paper.md")
        assert "- glass: GBFS, no!: 2 cells" in text(folder, f"{panel}-nested.md")


def test_a_page_without_a_complete_data_set_is_short(tmp_path):
    folder = pages(tmp_path, lambda line: None if line["key"].get("panel") == "sklearn" else line)
    page = text(folder, "sklearn-paper.md")
    assert "No data set is complete here" in page
    assert len(page.splitlines()) < 10
    assert "|" not in page
    assert "| lung_cancer |" in text(folder, "weka-paper.md")


@pytest.mark.parametrize("protocol", ["paper", "nested"])
def test_the_csv_file_has_the_means_of_the_page(tmp_path, protocol):
    """A classifier that failed for one selector counts for none, in either."""
    folder = pages(tmp_path, failed)
    page = text(folder, f"weka-{protocol}.md")
    shown = {cell.strip("*").split(" ")[0] for cell in row(page, "Accuracy", "lung_cancer")[:5]}
    with (folder / f"weka-{protocol}.csv").open(encoding="utf-8") as stream:
        found = [one for one in csv.DictReader(stream) if one["data"] == "lung_cancer"]
    assert {f"{float(one['mean']):.2f}" for one in found} == shown
    n_common = 7 if protocol == "paper" else 9
    assert {one["classifiers"] for one in found} == {str(n_common)}


def test_what_has_no_figures_counts_no_classifiers(tmp_path):
    with (pages(tmp_path) / "weka-paper.csv").open(encoding="utf-8") as stream:
        found = [one for one in csv.DictReader(stream) if one["data"] == "wine"]
    assert {(one["mean"], one["classifiers"]) for one in found} == {("", "0")}


def test_evaluations_are_read_where_a_search_counted_them(tmp_path):
    experiment = four_tables()
    lookup = Lookup(read_cells(pages(tmp_path, counted) / "cells.jsonl"))
    found = read_results(experiment, lookup, PAPER, "weka", PANELS["weka"])["lung_cancer"]
    assert found["GA"].evaluations == 1050
    assert found["GBFS"].evaluations is None
