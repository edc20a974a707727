"""The settings of the paper's searches: numbers of frogs, and the populations that follow them."""

from collections.abc import Mapping
from math import nan

from fuzzyfrog.search.pond import SMALL_CELLS, FrogCounts, preset_counts
from fuzzyfrog.search.protocol import Problem
from fuzzyfrog_lab.config import Experiment
from fuzzyfrog_lab.pages.markdown import Rows, joined, table
from fuzzyfrog_lab.pages.settings_page import Shape
from fuzzyfrog_lab.selectors import parameters

__all__ = ["settings_lines"]

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


def settings_lines(experiment: Experiment, shapes: Mapping[str, Shape]) -> list[str]:
    """Return the lines to append to the generic page of the settings."""
    names = [
        one.name
        for one in experiment.selectors
        if any(parameters(one)[name] is None for name in FOLLOWING.get(one.search, ()))
    ]
    followers = [FOLLOWERS.format(names=joined(names))] if names else []
    return [
        *(_two_statements(shapes) if names else []),
        "## Frogs",
        "",
        " ".join([FROGS, *followers]),
        "",
        *table(_frog_rows(experiment, shapes)),
        "",
    ]


def _two_statements(shapes: Mapping[str, Shape]) -> list[str]:
    """Return which statement of the paper about GA and PSO was followed, and where it matters."""
    printed = PAPER_POPULATION, PAPER_ROUNDS
    others = [
        name
        for name, shape in shapes.items()
        if (counts := _counts(shape)) and (counts.n_all_frogs, counts.n_evolutions) != printed
    ]
    if not others:
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
