"""Verdicts about cells that were made up, and their sections and tables."""

import json

from experiment.made_up import PANELS, fill, five_experiment
from fuzzyfrog.experiment.cells import read_cells
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Entry, Lookup, lineups_of, read_results
from fuzzyfrog.experiment.verdict import Verdict


def verdict(folder, accuracies, n_datasets=10, **made_up):
    """The page about the five selectors of the paper."""
    experiment = five_experiment()
    fill(folder / "cells.jsonl", experiment, n_datasets, accuracies, **made_up)
    return verdict_of(folder, experiment)


def verdict_of(folder, experiment):
    """The page about the cells in a folder, without all the others."""
    results, lineups = read(folder, experiment)
    return Verdict(experiment, PaperFigures.read(experiment.expected), lineups, results).page()


def read(folder, experiment):
    """The results and the lineups of the cells in a folder, by panel and protocol."""
    lookup = Lookup(read_cells(folder / "cells.jsonl"))
    results = {
        (panel, protocol.name): read_results(experiment, lookup, protocol, panel, classifiers)
        for panel, classifiers in PANELS.items()
        for protocol in experiment.protocols
    }
    lineups = {
        place: lineups_of(experiment, found, PANELS[place[0]]) for place, found in results.items()
    }
    return results, lineups


def keep_panel(path, panel, datasets):
    """Leave the cells of a panel on some data sets only."""

    def is_kept(line):
        key = json.loads(line).get("key", {})
        return key.get("panel") != panel or key["data"] in datasets

    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(filter(is_kept, lines)) + "\n", encoding="utf-8")


def part(text, title):
    """A section of a page."""
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def rows(text, title):
    """The rows of the first table of a section, by their first cell."""
    lines = [line for line in part(text, title).splitlines() if line.startswith("|")]
    split = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    ends = [i for i, line in enumerate(lines) if i > 1 and line.startswith("|---")]
    table = split[: ends[0] - 1] if ends else split
    return {one[0]: dict(zip(table[0], one, strict=True)) for one in table[2:]}


def entry(accuracies, size=3):
    """What a selector gave on a data set, by classifier; everything is done."""
    return Entry(
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
