"""The settings of the paper's searches: what it says, and what was followed."""

from dataclasses import replace

import pytest

from fuzzyfrog_lab.pages.settings_page import shape_of
from made_up import small_experiment
from paper.pages.settings import settings_lines


def page(experiment=None):
    experiment = experiment or small_experiment()
    shapes = {one.name: shape_of(one) for one in experiment.data}
    return "\n".join(settings_lines(experiment, shapes))


def test_the_statement_of_the_paper_that_was_followed_is_told():
    told = page()
    assert "The text was followed." in told
    assert "on breast_tissue, lung_cancer, glass" in told
    assert "ionosphere and sonar the tables would give 900 subsets and 5 rounds, 5,400" in told
    assert "GA, GA product, PSO and PSO product take their populations" in told


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
    told = page(replace(whole, selectors=changed))
    assert ("take their populations" not in told) == is_last
    assert ("The paper says" not in told) == is_last
    assert "GA, GA product" not in told


def test_the_numbers_of_frogs():
    rows = {line.split(" | ")[0]: line for line in page().splitlines()}
    assert rows["| wine"] == "| wine | 2,314 | 28 | 9 | 6 | 5 | 6 | 252 | 6 | 1,764 |"
    assert rows["| arcene"] == (
        "| arcene | 2,000,000 | 30 | 30 | 5 | 15 | 4,500 | 900 | 5 | 5,400 |"
    )
