"""Our own frogs in the place of the paper's are judged separately, under their own name."""

from dataclasses import replace

import pytest

from made_up import ACCURACIES, fill, five_experiment, small_experiment
from paper.tests.verdicts import part, rows, verdict_of

LINEUP = "frogs that squeeze"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The verdict where B-SFLA is the worst and our own frogs are the best."""
    folder = tmp_path_factory.mktemp("frogs")
    five = five_experiment()
    frogs = next(one for one in small_experiment().selectors if one.name == "frogs")
    fill(folder / "cells.jsonl", five, 10, {**ACCURACIES, "B-SFLA": 30})
    only = replace(five, selectors=(frogs,))
    fill(folder / "cells.jsonl", only, 10, {"B-SFLA": 90})
    lineups = {**five.lineups, LINEUP: ("L-FRFS", "GA", "PSO", "GBFS", "frogs")}
    both = replace(five, selectors=(*five.selectors, frogs), lineups=lineups)
    return verdict_of(folder, both)


def test_they_do_not_speak_for_the_algorithm_of_the_paper(page):
    assert "B-SFLA has the best mean rank. 0 of 4 cases." in part(page, "What does not hold")
    assert LINEUP not in part(page, "What does not hold")
    assert not [label for label in rows(page, "Claim by claim") if LINEUP in label]
    tests = rows(page, "Is B-SFLA first, and is that more than chance?")
    assert not [label for label in tests if LINEUP in label]


def test_they_are_put_to_the_same_claims_under_their_own_name(page):
    title = "Our own frogs in the place of B-SFLA"
    claims = rows(page, title)
    assert len(claims) == 4
    own = claims[f"frogs: {LINEUP}, weka, paper"]
    assert (own["highest"], own["first"]) == ("yes, frogs 91.78", "yes, rank 1.00")
    assert own["Li"] == "yes, 3 of 3"
    assert f"| frogs: {LINEUP}, weka, paper | 91.78 | 74.37 | +17.41 |" in part(page, title)
    assert f"| frogs: {LINEUP}, weka, paper | 10 | 1.0000 | 1 | frogs |" in part(page, title)


def test_they_are_announced(page):
    assert (
        "our own `frogs` take the place of B-SFLA are judged separately" in page.split("\n## ")[0]
    )
