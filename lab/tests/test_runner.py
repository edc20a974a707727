"""Whole experiments on small tables: every cell once, whatever happens in between."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fuzzyfrog import QuickReduct, ReductSelector, read_table
from fuzzyfrog_lab.config import ConfigError
from fuzzyfrog_lab.folds import stratified_folds
from fuzzyfrog_lab.runner import reproduce
from quick_panel import QuickPanel

TESTS = Path(__file__).resolve().parent
COMMAND = [sys.executable, "-m", "fuzzyfrog_lab"]
CONFIG = """
title = "Fruit"
panels = ["quick_panel:QuickPanel"]
folds = 3
[protocols.paper]
seeds = [0, 1]
[protocols.nested]
[selectors.everything]
search = "none"
[selectors.quick]
search = "quickreduct"
[selectors.frogs]
search = "frogs"
ranking = "product"
[data.apples]
file = "apples.csv"
[data.pears]
file = "pears.csv"
"""
N_SELECTIONS = 2 * ((1 + 1 + 2) + 3 * 3)  # data sets x (paper + nested)


def write_fruit(path, seed, n_samples):
    random = np.random.default_rng(seed)
    kinds = np.arange(n_samples) % 3
    X = random.normal(size=(n_samples, 5)) + kinds[:, None] * [2.0, 1.0, 0.5, 0.0, 0.0]
    rows = [",".join([*(f"{x:.3f}" for x in row), f"k{kind}"]) for row, kind in zip(X, kinds)]  # noqa: B905
    path.write_text("a,b,c,d,e,class\n" + "\n".join(rows) + "\n", encoding="utf-8")


def fruit_config(folder):
    write_fruit(folder / "apples.csv", 0, 36)
    write_fruit(folder / "pears.csv", 1, 60)
    path = folder / "fruit.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


@pytest.fixture
def config(tmp_path):
    return fruit_config(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A config whose experiment is done, to look at."""
    path = fruit_config(tmp_path_factory.mktemp("finished"))
    run(path)
    return path


def run(config, out="out", **options):
    return reproduce(config, None, config.parent / out, quiet=True, figures=False, **options)


def lines(config, out="out"):
    path = config.parent / out / "cells.jsonl"
    every = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in every if "key" in line]


def contents(config, out="out"):
    """Return the cells without their times."""
    return sorted(json.dumps([line["key"], line.get("value")]) for line in lines(config, out))


def rows(config, name, out="out"):
    with (config.parent / out / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_cell_is_computed_once(config):
    done = run(config)
    kinds = [line["key"]["kind"] for line in lines(config)]
    assert kinds.count("selection") == N_SELECTIONS
    assert done.computed == len(kinds)
    assert len(contents(config)) == len(set(contents(config)))
    assert done.failures == ()
    before = {path: path.read_bytes() for path in done.tables}
    again = run(config)
    assert (again.computed, again.reused) == (0, done.computed + done.reused)
    assert {path: path.read_bytes() for path in again.tables} == before


def test_small_tables_come_first_and_the_cheap_protocol(finished):
    order = [(line["key"]["data"], line["key"]["fold"] is None) for line in lines(finished)]
    assert list(dict.fromkeys(order)) == [
        ("apples", True), ("pears", True), ("apples", False), ("pears", False)
    ]  # fmt: skip


def by_hand(config, *, nested):
    """Return the accuracy of QuickReduct on the pears, without the machinery."""
    pears = read_table(config.parent / "pears.csv", "class")
    X, y = pears.values, pears.target
    folds = stratified_folds(y, 3, 1)
    correct = dict.fromkeys(QuickPanel.classifiers, 0)
    for fold in folds:
        seen = np.sort(fold.train) if nested else np.arange(60)
        chosen = ReductSelector(QuickReduct()).fit(X[seen], y[seen]).get_support()
        reduced = type(pears)(X[:, chosen], y, (), pears.categorical[chosen], pears.classes)
        for name in correct:
            correct[name] += sum(QuickPanel().correct(reduced, name, [fold]))
    return {name: f"{100 * right / 60:.4f}" for name, right in correct.items()}


@pytest.mark.parametrize("protocol", ["paper", "nested"])
def test_accuracies_are_those_computed_by_hand(finished, protocol):
    found = {
        row["classifier"]: row["accuracy"]
        for row in rows(finished, f"quick-{protocol}-classifiers.csv")
        if (row["data"], row["selector"]) == ("pears", "quick")
    }
    assert found == by_hand(finished, nested=protocol == "nested")


def test_means_deviations_and_sizes_follow_from_the_accuracies(finished):
    every = rows(finished, "quick-paper-classifiers.csv")
    for row in rows(finished, "quick-paper.csv"):
        own = [
            float(one["accuracy"])
            for one in every
            if (one["data"], one["selector"]) == (row["data"], row["selector"])
        ]
        assert len(own) == int(row["classifiers"]) == 2
        figures = [np.mean(own), np.std(own, ddof=1), np.max(own)]
        assert [float(row[name]) for name in ("mean", "std", "best")] == pytest.approx(
            figures, abs=2e-4
        )
    sizes = {row["selector"]: row["size"] for row in rows(finished, "quick-paper.csv")}
    assert sizes["everything"] == "5.00"


def test_the_pages_have_ranks_leak_and_no_gaps(finished):
    page = (finished.parent / "out" / "quick-nested.md").read_text(encoding="utf-8")
    assert "selected on the training part of every fold" in page
    assert "Mean ranks over 2 data sets" in page
    assert page.rstrip().endswith("## Gaps\n\nNone.")
    leak = (finished.parent / "out" / "quick-leak.md").read_text(encoding="utf-8")
    assert "| everything | 2 | " in leak
    assert "| +0.00 | 0 | 0 |" in leak  # nothing is selected, so nothing leaks


def test_a_killed_run_goes_on_to_the_same_cells(config, finished):
    command = [*COMMAND, "reproduce", "--config", str(config), "--out",
               str(config.parent / "out"), "--quiet"]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    process = subprocess.Popen(command, env=environment)  # noqa: S603 - our own interpreter
    file = config.parent / "out" / "cells.jsonl"
    is_running = True
    while not file.exists() or file.read_bytes().count(b"\n") < 5:
        assert is_running
        time.sleep(0.002)
        is_running = process.poll() is None  # if not, all cells are there at the next look
    process.send_signal(signal.SIGKILL)
    process.wait()
    torn = file.read_bytes()
    file.write_bytes(torn[:-7] if torn.count(b"\n") < len(contents(finished)) else torn)
    done = run(config)
    assert done.reused > 0
    assert contents(config) == contents(finished)
    assert not list((config.parent / "out" / "checkpoints").glob("*.scores"))


def test_a_changed_setting_touches_only_its_own_cells(config):
    run(config)
    config.write_text(CONFIG.replace('"frogs"\n', '"frogs"\noptions = { patience = 2 }\n'))
    before = len(lines(config))
    run(config)
    new = lines(config)[before:]
    selections = [line for line in new if line["key"]["kind"] == "selection"]
    assert {line["value"]["by"] for line in selections} == {"frogs"}
    assert len(selections) == 2 * (2 + 3)


def test_selectors_with_the_same_features_share_their_accuracies(config):
    config.write_text(CONFIG.replace("[data.apples]", '[selectors.same]\nsearch = "none"\n'
                                     "max_evaluations = 1\n[data.apples]"))  # fmt: skip
    run(config)
    keys = [json.dumps(line["key"]) for line in lines(config)]
    assert len(keys) == len(set(keys))
    found = rows(config, "quick-paper.csv")
    means = {(row["data"], row["selector"]): row["mean"] for row in found}
    assert means["pears", "same"] == means["pears", "everything"] != ""


def test_a_failed_cell_stops_nothing_and_is_left_out_for_all(config):
    config.write_text(CONFIG.replace("QuickPanel", "FailingPanel"))
    done = run(config)
    assert any(
        one == "pears: bayes, 5 features: the virtual machine ended" for one in done.failures
    )
    page = (config.parent / "out" / "failing-paper.md").read_text(encoding="utf-8")
    assert "- pears: bayes, the virtual machine ended: 1 cell\n" in page
    accuracies = page[page.index("### Accuracy") :].splitlines()
    assert next(row for row in accuracies if row.startswith("| pears")).endswith("| 1 |")
    assert next(row for row in accuracies if row.startswith("| apples")).endswith("| 2 |")
    assert "Mean ranks over 2 data sets" in page
    assert run(config).computed == 0
    assert run(config, retry_failed=True).computed > 0


def test_a_selector_that_fails_is_a_gap_and_the_last(config):
    own = '[selectors.own]\nsearch = "quick_panel:Refusing"\n[data.apples]'
    config.write_text(CONFIG.replace("[data.apples]", own))
    done = run(config)
    assert "apples: own, seed 0: ValueError: nothing to select" in done.failures
    page = (config.parent / "out" / "quick-paper.md").read_text(encoding="utf-8")
    assert "  own                  4.0000" in page


def test_a_wrong_value_is_refused_before_anything_runs(config):
    config.write_text(CONFIG.replace('"product"', '"product"\noptions = { patience = 0 }'))
    told = r"^selectors\.frogs: patience must be an integer of at least 1, got 0\.$"
    with pytest.raises(ConfigError, match=told):
        run(config)
    assert not (config.parent / "out").exists()


def test_a_selector_of_ones_own(config):
    own = '[selectors.own]\nsearch = "quick_panel:Widest"\n[data.apples]'
    config.write_text(CONFIG.replace("[data.apples]", own))
    run(config)
    assert {
        row["size"] for row in rows(config, "quick-nested.csv") if row["selector"] == "own"
    } == {"1.00"}


def test_what_was_interrupted_is_no_result(config):
    own = '[selectors.own]\nsearch = "quick_panel:Interrupted"\n[data.apples]'
    config.write_text(CONFIG.replace("[data.apples]", own))
    with pytest.raises(KeyboardInterrupt):
        run(config)
    assert "own" not in {line.get("value", {}).get("by") for line in lines(config)}


def test_a_missing_table_is_told_and_the_others_are_done(config):
    (config.parent / "apples.csv").unlink()
    done = run(config)
    assert len(done.failures) == 1
    assert done.failures[0].startswith("apples: ")
    assert {line["key"]["data"] for line in lines(config)} == {"pears"}
    page = (config.parent / "out" / "quick-paper.md").read_text(encoding="utf-8")
    assert "| apples | – | – | – | 0 |" in page
    assert "Too few data sets are done" in page


def test_only_some_data_sets(config):
    run(config, only=["pears"])
    assert {line["key"]["data"] for line in lines(config)} == {"pears"}
    assert "apples" in (config.parent / "out" / "quick-paper.md").read_text(encoding="utf-8")
    with pytest.raises(ConfigError, match="only must name data sets of the config, got 'pear'"):
        run(config, only=["pear"])


def test_labels_are_part_of_the_table(config):
    config.write_text(CONFIG + 'class_labels = { k0 = "x" }\n')
    run(config, only=["pears"])
    config.write_text(CONFIG + 'class_labels = { k0 = "y" }\n')
    assert run(config, only=["pears"]).reused == 0
    config.write_text(CONFIG + 'class_labels = { k9 = "x" }\n')
    (told,) = run(config, only=["pears"]).failures
    assert told.startswith("pears: class_labels must rename classes of the data, got 'k9'")


def test_the_command_line_says_a_sentence_and_exits_with_2(config):
    config.write_text("folds = 1\n" + CONFIG.replace("folds = 3\n", ""))
    command = [*COMMAND, "reproduce", "--config", str(config), "--out", "x", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=config.parent)  # noqa: S603
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "fuzzyfrog: fruit.toml: folds must be an integer of at least 2, got 1.\n"
    )


def test_progress_counts(config, capsys):
    reproduce(config, None, config.parent / "out")
    told = capsys.readouterr().err
    assert told.startswith("fuzzyfrog: 0 of ")
    assert " cells; apples: everything, seed 0\n" in told


@pytest.mark.long
@pytest.mark.usefixtures("installed_weka")
def test_wine_with_weka(tmp_path):
    text = (
        'panels = ["weka"]\n[protocols.paper]\n[selectors.all]\nsearch = "none"\n[data.wine]\n'
        'class_labels = { class_0 = "a", class_1 = "b", class_2 = "c" }\n'
    )
    path = tmp_path / "wine.toml"
    path.write_text(text, encoding="utf-8")
    run(path)
    assert rows(path, "weka-paper.csv")[0]["mean"] == "95.1935"
