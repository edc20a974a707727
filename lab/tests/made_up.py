"""Cells that were made up, so that what the pages must say is known beforehand."""

import json
from dataclasses import replace
from pathlib import Path

from fuzzyfrog_lab.catalog import registry
from fuzzyfrog_lab.cells import Cells, accuracy_key, selection_key, selection_runs
from fuzzyfrog_lab.config import Protocol, read_config
from fuzzyfrog_lab.pages import PageData
from fuzzyfrog_lab.panel import SklearnPanel
from fuzzyfrog_lab.results import SelectorResult
from fuzzyfrog_lab.weka import WekaPanel

LAB = Path(__file__).resolve().parents[1]
N_TESTED = 100
# Percent of right samples by method of the paper; classifiers are up to 4 points better.
ACCURACIES = {None: 60, "L-FRFS": 70, "GA": 68, "PSO": 66, "GBFS": 50, "B-SFLA": 80}
BONUS = 16 / 9  # by which the nine are better on average
NESTED_LOSS = 3  # points
SIZES = {None: 5, "L-FRFS": 4, "GA": 4, "PSO": 3, "GBFS": 1, "B-SFLA": 2}


PANELS = {panel.name: panel.classifiers for panel in (SklearnPanel, WekaPanel)}


def small_experiment():
    """The experiment of the paper with fewer folds, seeds and lineups."""
    whole = read_config(LAB / "paper" / "experiment.toml")
    lineups = {name: whole.lineups[name] for name in ("lexicographic ranking", "everything")}
    protocols = (Protocol("paper", (0, 1)), Protocol("nested", (0,)))
    return replace(whole, folds=2, protocols=protocols, lineups=lineups)


def five_experiment():
    """The same with the five selectors of the paper only."""
    small = small_experiment()
    lineups = {"lexicographic ranking": small.lineups["lexicographic ranking"]}
    (members,) = lineups.values()
    selectors = tuple(one for one in small.selectors if one.name in members)
    return replace(small, selectors=selectors, lineups=lineups)


def fill(path, experiment, n_datasets, accuracies=ACCURACIES, seed_gain=0):
    """Write all cells of the first data sets; every seed gains some points."""
    with Cells(path, {"fuzzyfrog": "made up"}) as cells:
        for data in experiment.data[:n_datasets]:
            for protocol in experiment.protocols:
                for entry in experiment.selectors:
                    for run in selection_runs(experiment, protocol, data.name, entry):
                        right = accuracies[entry.paper] + seed_gain * run[0]
                        _add(cells, experiment, data.name, entry, run, right)


def read(folder, experiment):
    """Read what the pages about the cells in a folder show."""
    return PageData.read(experiment, folder / "cells.jsonl", PANELS)


def keep_panel(path, panel, datasets):
    """Leave the cells of a panel on some data sets only."""

    def is_kept(line):
        key = json.loads(line).get("key", {})
        return key.get("panel") != panel or key["data"] in datasets

    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(filter(is_kept, lines)) + "\n", encoding="utf-8")


def entry(accuracies, size=3):
    """What a selector gave on a data set, by classifier; everything is done."""
    return SelectorResult(
        sizes=(size,),
        seconds=1.0,
        accuracies=accuracies,
        by_seed={0: accuracies},
        dependency=None,
        errors=(),
        n_missing=0,
        n_cells=10,
        evaluations=None,
    )


def _add(cells, experiment, data, entry, run, right):
    n_features = registry()[data].features
    # No two selectors share features, so that each has accuracies of its own.
    place = list(experiment.selectors).index(entry) * 10 + run[0]
    features = [*range(SIZES[entry.paper]), 1000 + place]
    key = selection_key(experiment, data, "table", entry, run)
    value = {"by": entry.name, "features": features, "dependency": 0.9}
    cells.add(key, value=value, seconds=n_features * 0.001 * SIZES[entry.paper])
    n_folds = experiment.folds if run[1] is None else 1
    right -= 0 if run[1] is None else NESTED_LOSS
    for panel in (SklearnPanel, WekaPanel):
        for bonus, classifier in enumerate(panel.classifiers):
            key = accuracy_key(experiment, data, "table", features, run[1], panel.name, classifier)
            counts = {"correct": [right + bonus % 5] * n_folds, "tested": [N_TESTED] * n_folds}
            cells.add(key, value=counts, seconds=0.01 * n_folds)
