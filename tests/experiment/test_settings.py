"""The page of the settings: what the cells were really computed with."""

from dataclasses import replace

import pytest

from experiment.made_up import small_experiment
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Lookup
from fuzzyfrog.experiment.settings_page import settings_page
from fuzzyfrog.experiment.shapes import shape_of

VERSIONS = {"python": "3.11.7", "weka": "Weka 3.6.14, Java 17"}


def cells(*changes):
    """Cells with all that the page reads, each with some of it changed."""
    common = {"key": {"data": "wine", "table": "t"}, "when": "2026-11-16T03:39:17+00:00",
              "versions": VERSIONS}  # fmt: skip
    return Lookup({str(place): common | change for place, change in enumerate(changes)})


def page(lookup, experiment=None, *, beside_paper=True):
    experiment = experiment or small_experiment()
    shapes = {one.name: shape_of(one) for one in experiment.data}
    paper = PaperFigures.read(experiment.expected if beside_paper else None)
    return settings_page(experiment, shapes, paper, lookup)


def given_up(seconds):
    return {"error": f"it took more than {seconds} seconds"}


def test_limits_other_than_that_of_the_config_are_told():
    told = page(cells(given_up(4), given_up(4), given_up(0.5), given_up(3600), {"error": "no"}))
    assert "may take 3600 seconds on a table.\nCells that were computed under another" in told
    assert "1 given up after 0.5 seconds and 2 given up after 4 seconds." in told
    assert "another limit" not in page(cells(given_up(3600)))


def test_days_and_versions_are_told_once():
    earlier = {"when": "2026-11-09T23:59:59+00:00", "versions": {"python": "3.12.1"}}
    part = page(cells({}, {}, earlier)).split("## Computed with\n")[1].split("\n## ")[0]
    assert "3 cells, computed from 2026-11-09 to 2026-11-16 (UTC)." in part
    assert part.count("| python | 3.11.7; 3.12.1 |") == part.count("| python |") == 1
    assert "| weka | Weka 3.6.14, Java 17 |" in part
    assert "1 cell, computed on 2026-11-16" in page(cells({}))
    assert "Nothing has been computed." in page(cells())


def test_the_statement_of_the_paper_that_was_followed_is_told():
    told = page(cells())
    assert "The text was followed." in told
    assert "on breast_tissue, lung_cancer, glass" in told
    assert "ionosphere and sonar the tables would give 900 subsets and 5 rounds, 5,400" in told
    assert "GA, GA product, PSO and PSO product take their populations" in told
    assert "The paper says" not in page(cells(), beside_paper=False)


@pytest.mark.parametrize("is_last", [False, True])
def test_a_search_with_numbers_of_its_own_follows_nobody(is_last):
    own = {"genetic": {"n_population": 900, "n_generations": 5},
           "swarm": {"n_particles": 900, "n_iterations": 5}}  # fmt: skip
    whole = small_experiment()
    kinds = ("genetic", "swarm") if is_last else ("genetic",)
    changed = tuple(
        replace(one, options=own[one.search]) if one.search in kinds else one
        for one in whole.selectors
    )
    told = page(cells(), replace(whole, selectors=changed))
    assert ("take their populations" not in told) == is_last
    assert ("The paper says" not in told) == is_last
    assert "GA, GA product" not in told
