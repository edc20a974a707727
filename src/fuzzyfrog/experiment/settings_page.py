"""What was run, and with what: versions, data sets, selectors with all their parameters."""

from collections.abc import Mapping
from math import nan

from fuzzyfrog.experiment.config import Experiment, SelectorEntry
from fuzzyfrog.experiment.markdown import GAP, Rows, beside, joined, table
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.provenance import limit_lines, provenance_lines
from fuzzyfrog.experiment.results import Lookup
from fuzzyfrog.experiment.selectors import parameters
from fuzzyfrog.experiment.shapes import Shape
from fuzzyfrog.search.presets import SMALL_CELLS, FrogCounts, preset_counts
from fuzzyfrog.search.protocol import Problem

__all__ = ["settings_page"]

# The parameters that, left at None, follow the frogs.
FOLLOWING = {
    "genetic": ("n_population", "n_generations"),
    "swarm": ("n_particles", "n_iterations"),
}
PAPER_POPULATION, PAPER_ROUNDS = 900, 5
FROGS = (
    f"What the frog search takes by itself: one rule up to {SMALL_CELLS:,} cells of data, another "
    "above."
)
FOLLOWERS = (
    "{names} take their populations and rounds from it, as far as they are None above: a subset "
    "for every frog, a round for every evolution, after a first one that is drawn. The last column "
    "is how many subsets that makes. A subset that comes again is not scored again, and the best "
    "ones are checked in the end: the pages of the panels have the evaluations that there were."
)
TWO_STATEMENTS = (
    "The paper says two things about GA and PSO. Its text has their population and generations "
    "identical to those of B-SFLA, which depend on the number of features of small data; its two "
    f"tables of parameters print {PAPER_POPULATION} and {PAPER_ROUNDS}. The text was followed. "
    "Above {cells:,} cells both are the same; on {datasets} the tables would give {population} "
    "subsets and {rounds} rounds, {most:,} in all, in place of what stands under Frogs."
)


def settings_page(
    experiment: Experiment, shapes: Mapping[str, Shape], paper: PaperFigures, lookup: Lookup
) -> str:
    """Give the Markdown page.

    Parameters
    ----------
    experiment : Experiment
        What was asked.
    shapes : mapping of str to Shape
        The sizes of the tables, of those that are known.
    paper : PaperFigures
        What is put in brackets.
    lookup : Lookup
        The cells: with what they were computed.

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
            *limit_lines(lookup, limit),
            "",
            "## Computed with",
            "",
            *provenance_lines(lookup),
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
            *(_two_statements(experiment, shapes) if paper.methods else []),
            "## Frogs",
            "",
            " ".join([FROGS, *_followers(experiment)]),
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


def _following(experiment: Experiment) -> list[str]:
    """Name the selectors whose population or rounds follow the frogs."""
    return [
        one.name
        for one in experiment.selectors
        if any(parameters(one)[name] is None for name in FOLLOWING.get(one.search, ()))
    ]


def _followers(experiment: Experiment) -> list[str]:
    names = _following(experiment)
    return [FOLLOWERS.format(names=joined(names))] if names else []


def _two_statements(experiment: Experiment, shapes: Mapping[str, Shape]) -> list[str]:
    """Tell which of the paper's statements about GA and PSO was followed, and where it matters."""
    printed = PAPER_POPULATION, PAPER_ROUNDS
    others = [
        name
        for name, shape in shapes.items()
        if (counts := _counts(shape)) and (counts.n_all_frogs, counts.n_evolutions) != printed
    ]
    if not _following(experiment) or not others:
        return []
    told = TWO_STATEMENTS.format(
        cells=SMALL_CELLS, datasets=joined(others), population=PAPER_POPULATION,
        rounds=PAPER_ROUNDS, most=PAPER_POPULATION * (1 + PAPER_ROUNDS),
    )  # fmt: skip
    return [told, ""]


def _counts(shape: Shape) -> FrogCounts:
    n_cells = shape.n_samples * shape.n_features
    return preset_counts("auto", Problem(shape.n_features, n_cells, nan))


def _frog_rows(experiment: Experiment, shapes: Mapping[str, Shape]) -> Rows:
    head = ["data", "cells", "memeplexes m", "frogs in each n", "evolutions N", "submemeplex q",
            "longest leap S_max", "population of GA and PSO", "generations of GA and PSO",
            "subsets in all"]  # fmt: skip
    rows = [head]
    for one in experiment.data:
        if (shape := shapes.get(one.name)) is None:
            continue
        counts = _counts(shape)
        population, rounds = counts.n_all_frogs, counts.n_evolutions
        numbers = (shape.n_samples * shape.n_features, counts.n_memeplexes, counts.n_frogs,
                   rounds, counts.n_submemeplex, counts.max_step, population, rounds,
                   population * (1 + rounds))  # fmt: skip
        rows.append([one.name, *(f"{number:,}" for number in numbers)])
    return rows
