"""Verdicts on made-up cells, and their sections and tables."""

from made_up import fill, five_experiment, read
from paper.pages.verdict import Verdict


def verdict(folder, accuracies, n_datasets=10, **made_up):
    """The page about the five selectors of the paper."""
    experiment = five_experiment()
    fill(folder / "cells.jsonl", experiment, n_datasets, accuracies, **made_up)
    return verdict_of(folder, experiment)


def verdict_of(folder, experiment):
    """The page about the cells in a folder, without all the others."""
    found = read(folder, experiment)
    return Verdict(experiment, found.published, found.lineups, found.results).page()


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
