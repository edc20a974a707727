"""The tests of a page: the right control, and only what they allow to say."""

from pathlib import Path

import pytest

from fuzzyfrog_lab.config import SelectorEntry
from fuzzyfrog_lab.pages.panel_page import ranking_lines
from fuzzyfrog_lab.published import PublishedFigures, is_as_published
from fuzzyfrog_lab.results import Lineup
from made_up import entry

LAB = Path(__file__).resolve().parents[1]
OTHERS = ("L-FRFS", "GA", "PSO", "GBFS")


@pytest.fixture(scope="module")
def paper():
    return PublishedFigures.read(LAB / "paper" / "expected")


def lineup(paper, accuracies, subject="B-SFLA"):
    """Members with one accuracy on each of the first data sets of the paper."""
    selectors = [SelectorEntry(name, "genetic", paper=name) for name in OTHERS]
    options = {"variant": "paper"} if subject == "B-SFLA" else {}
    selectors.append(SelectorEntry(subject, "frogs", options=options, paper="B-SFLA"))
    names = list(paper.tables["accuracy_mean"])[: len(accuracies["GA"])]
    results = {
        data: {one.name: entry({"J48": accuracies[one.paper][i]}) for one in selectors}
        for i, data in enumerate(names)
    }
    return Lineup("made up", tuple(selectors), results, ("J48",))


def apart(n_datasets=6):
    """GA is the best and GBFS the worst on every data set; B-SFLA is in between."""
    levels = {"GA": 90.0, "L-FRFS": 80.0, "B-SFLA": 70.0, "PSO": 60.0, "GBFS": 50.0}
    return {name: [level + i**2 / 7 for i in range(n_datasets)] for name, level in levels.items()}


def equal(n_datasets=5):
    """Each is the best once."""
    names = [*OTHERS, "B-SFLA"]
    return {
        name: [50.0 + (place + i) % len(names) for i in range(n_datasets)]
        for place, name in enumerate(names)
    }


def cells(lines, start):
    found = next(line for line in lines if line.startswith(f"| {start} |"))
    return [cell.strip() for cell in found.strip("|").split("|")]


def after(lines, start):
    place = next(i for i, line in enumerate(lines) if line.startswith(start))
    return lines[place:]


def test_wilcoxon_is_of_the_paper_s_method_though_another_is_first(paper):
    lines = after(
        ranking_lines(lineup(paper, apart()), paper),
        "Wilcoxon's signed-rank test of B-SFLA against",
    )
    assert cells(lines, "GA")[1:4] == ["0", "0", "6"]
    assert cells(lines, "GA")[7] == "-1.000"
    assert cells(lines, "PSO")[1:4] == ["6", "0", "0"]
    assert cells(lines, "PSO")[7] == "+1.000"


def test_another_search_in_its_place_is_called_so(paper):
    text = "\n".join(ranking_lines(lineup(paper, apart(), "frogs"), paper))
    assert "test of frogs, our own search in the place of B-SFLA, against each" in text


def test_pairs_that_are_not_significant_are_counted_only(paper):
    lines = ranking_lines(lineup(paper, apart()), paper)
    told = after(lines, "Nemenyi:")
    assert told[0] == "Nemenyi: of 10 pairs 7 are not significant at 0.05. The others:"
    pairs = [line.strip("| ").split(" | ")[:2] for line in told[4:] if line.startswith("|")]
    assert pairs == [["GA", "GBFS"], ["L-FRFS", "GBFS"], ["GA", "PSO"]]


def test_what_friedman_does_not_allow_is_said(paper):
    told = "Friedman does not reject (p above 0.05)"
    assert not [x for x in ranking_lines(lineup(paper, apart()), paper) if told in x]
    lines = ranking_lines(lineup(paper, equal()), paper)
    assert len([x for x in lines if told in x]) == 2  # as in the paper, and ties corrected
    (nemenyi,) = [line for line in lines if line.startswith("Nemenyi:")]
    assert nemenyi.startswith("Nemenyi: of 10 pairs 10 are not significant at 0.05. The closest is")


def test_only_frogs_as_in_the_paper_are_the_paper_s():
    assert is_as_published(SelectorEntry("B-SFLA", "frogs", options={"variant": "paper"}))
    assert not is_as_published(SelectorEntry("frogs", "frogs"))
    assert is_as_published(SelectorEntry("GA", "genetic"))
