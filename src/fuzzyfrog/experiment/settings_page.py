"""What was run: data sets, selectors with all their parameters, numbers of frogs."""

from collections.abc import Mapping
from math import nan

from fuzzyfrog.experiment.config import Experiment, SelectorEntry
from fuzzyfrog.experiment.markdown import GAP, Rows, beside, table
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.selectors import parameters
from fuzzyfrog.experiment.shapes import Shape
from fuzzyfrog.search.presets import SMALL_CELLS, preset_counts
from fuzzyfrog.search.protocol import Problem

__all__ = ["settings_page"]


def settings_page(experiment: Experiment, shapes: Mapping[str, Shape], paper: PaperFigures) -> str:
    """Give the Markdown page.

    Parameters
    ----------
    experiment : Experiment
        What was asked.
    shapes : mapping of str to Shape
        The sizes of the tables, of those that are known.
    paper : PaperFigures
        What is put in brackets.

    Returns
    -------
    str
        Markdown.
    """
    limit = experiment.classifier_seconds
    return "\n".join(
        [
            f"# {experiment.title}: settings",
            "",
            f"{experiment.folds} stratified folds, seed {experiment.fold_seed}. A classifier of "
            f"Weka may take {f'{limit:g} seconds' if limit else 'any time'} on a table.",
            "",
            "## Data sets",
            "",
            *(["The paper's sizes in brackets.", ""] if paper.methods else []),
            *table(_data_rows(experiment, shapes, paper)),
            "",
            "## Selectors",
            "",
            *table(_selector_rows(experiment)),
            "",
            "## Frogs",
            "",
            f"What the frog search, and with it the populations and rounds of the others, takes by "
            f"itself: one rule up to {SMALL_CELLS:,} cells of data, another above.",
            "",
            *table(_frog_rows(experiment, shapes)),
            "",
        ]
    )


def _data_rows(experiment: Experiment, shapes: Mapping[str, Shape], paper: PaperFigures) -> Rows:
    rows = [["data", "samples", "features", "classes", "labels"]]
    for one in experiment.data:
        shape = shapes.get(one.name)
        labels = ", ".join(f"{old} is {new}" for old, new in one.class_labels.items())
        sizes = [GAP, GAP, GAP]
        if shape is not None:
            sizes = [str(shape.n_samples), str(shape.n_features), str(shape.n_classes)]
        theirs = [paper.get("datasets", one.name, name) for name in ("samples", "features")]
        both = [beside(*pair) for pair in zip(sizes[:2], theirs, strict=True)]
        rows.append([one.name, *both, sizes[2], labels])
    return rows


def _selector_rows(experiment: Experiment) -> Rows:
    head = ["selector", "in the paper", "search", "ranking", "parameters", "limits"]
    return [head] + [
        [one.name, one.paper or GAP, one.search, one.ranking, _parameters(one), _limits(one)]
        for one in experiment.selectors
    ]


def _parameters(entry: SelectorEntry) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters(entry).items()) or GAP


def _limits(entry: SelectorEntry) -> str:
    limits = {"seconds": entry.max_seconds, "evaluations": entry.max_evaluations}
    return ", ".join(f"{value:g} {name}" for name, value in limits.items() if value) or GAP


def _frog_rows(experiment: Experiment, shapes: Mapping[str, Shape]) -> Rows:
    head = ["data", "cells", "memeplexes m", "frogs in each n", "evolutions N", "submemeplex q",
            "longest leap S_max", "population of GA and PSO"]  # fmt: skip
    rows = [head]
    for one in experiment.data:
        if (shape := shapes.get(one.name)) is None:
            continue
        n_cells = shape.n_samples * shape.n_features
        counts = preset_counts("auto", Problem(shape.n_features, n_cells, nan))
        numbers = (n_cells, counts.n_memeplexes, counts.n_frogs, counts.n_evolutions,
                   counts.n_submemeplex, counts.max_step, counts.n_all_frogs)  # fmt: skip
        rows.append([one.name, *(f"{number:,}" for number in numbers)])
    return rows
