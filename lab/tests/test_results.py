"""Which of the cells a report is about."""

from fuzzyfrog_lab.cells import read_cells, table_digests
from fuzzyfrog_lab.config import read_config
from fuzzyfrog_lab.results import Lookup, read_results
from test_runner import fruit_config, rows, run, write_fruit

PANEL = "quick, quick_panel:QuickPanel"
CLASSIFIERS = ("bayes", "neighbor")


def accuracies(config, tables=None):
    """Return the accuracies of the apples with all features."""
    experiment = read_config(config)
    lookup = Lookup(read_cells(config.parent / "out" / "cells.jsonl"), tables)
    found = read_results(experiment, lookup, experiment.protocols[0], PANEL, CLASSIFIERS)
    return found["apples"]["everything"].accuracies


def computed(config):
    return table_digests(read_config(config).data, None)


def test_the_table_that_is_there_counts_not_the_last_that_was_new(tmp_path):
    config = fruit_config(tmp_path)
    run(config, only=["apples"])
    first = accuracies(config, computed(config))
    write_fruit(tmp_path / "apples.csv", 7, 36)
    assert accuracies(config, computed(config)) == {}  # cells of another table are none of this
    run(config, only=["apples"])
    second = accuracies(config, computed(config))
    write_fruit(tmp_path / "apples.csv", 0, 36)
    assert run(config, only=["apples"]).computed == 0
    assert accuracies(config, computed(config)) == first != second
    (tmp_path / "apples.csv").unlink()
    assert set(computed(config)) == {"pears"}
    assert accuracies(config, computed(config)) == second  # the best guess without the data


def test_the_report_is_about_the_table_that_is_there(tmp_path):
    config = fruit_config(tmp_path)
    reports = []
    for seed in (0, 7, 0):
        write_fruit(tmp_path / "apples.csv", seed, 36)
        run(config, only=["apples"])
        found = rows(config, "quick-paper-classifiers.csv")
        reports.append([row["accuracy"] for row in found if row["data"] == "apples"])
    assert reports[0] == reports[2] != reports[1]
