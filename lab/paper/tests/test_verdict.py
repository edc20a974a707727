"""The verdict says what the figures say, whatever they say."""

import json
from pathlib import Path

import pytest

from fuzzyfrog_lab.published import PublishedFigures
from made_up import ACCURACIES, BONUS, fill, five_experiment, keep_panel
from paper.pages.claims import claims_of
from paper.pages.standing import impossible_cells, standing_of_paper
from paper.tests.verdicts import part, rows, verdict, verdict_of

ROOT = Path(__file__).resolve().parents[2]
N_CASES = 2 * 2  # panels x protocols


@pytest.fixture(scope="module")
def paper():
    return PublishedFigures.read(ROOT / "paper" / "expected")


@pytest.fixture(scope="module")
def agreeing(tmp_path_factory):
    """The verdict where B-SFLA is the best by far."""
    return verdict(tmp_path_factory.mktemp("agreeing"), ACCURACIES)


def test_the_paper_agrees_with_itself(paper):
    whole = standing_of_paper(paper, paper.tables["accuracy_mean"])
    findings = {claim.name: claim.judge(whole) for claim in claims_of(paper)}
    assert all(finding.holds for finding in findings.values())
    assert findings["accuracy"].figure == "73.53 (+0.00)"  # printed as 73.52: of rounded means
    assert findings["Friedman"].figure == "p 0.0268 (B-SFLA first)"
    assert findings["wins"].figure == "8, the most are 8"


def test_the_paper_disagrees_with_itself_on_its_small_data_sets(paper):
    small = standing_of_paper(paper, list(paper.tables["accuracy_mean"])[:13])
    findings = {claim.name: claim.judge(small) for claim in claims_of(paper)}
    assert findings["first"].holds
    assert not findings["Friedman"].holds
    assert findings["Friedman"].figure == "p 0.1042 (B-SFLA first)"
    assert (findings["Li"].holds, findings["Li"].figure) == (False, "1 of 3")


def test_figures_that_agree_are_said_to_agree(agreeing):
    holds = part(agreeing, "What holds")
    assert "B-SFLA has the best mean rank. 4 of 4 cases." in holds
    assert "B-SFLA is significantly better than GBFS, PSO and GA (Li)." not in part(
        agreeing, "What does not hold"
    )
    assert part(agreeing, "What does not hold").strip() == "- Nothing."
    tests = rows(agreeing, "Is B-SFLA first, and is that more than chance?")
    own = tests["lexicographic ranking, weka, paper"]
    assert (own["rank"], own["place"], own["first"]) == ("1.0000", "1", "B-SFLA")
    assert own["Li"] == "+GBFS +PSO +GA"
    assert own["Nemenyi"] == "+GBFS +PSO +GA"
    assert own["Wilcoxon (Holm)"] == "+L-FRFS +GA +PSO +GBFS"
    assert len(tests) == N_CASES + 4  # the paper: whole, without flaws, without gaps, same data


def test_figures_that_disagree_are_said_to_disagree(tmp_path):
    worst = {**ACCURACIES, "B-SFLA": 30}
    text = verdict(tmp_path, worst)
    does_not = part(text, "What does not hold")
    assert "B-SFLA has the best mean rank. 0 of 4 cases." in does_not
    assert "B-SFLA has the highest mean accuracy. 0 of 4 cases." in does_not
    assert "L-FRFS 71.78, no" in does_not
    assert "The methods are not equal (Friedman, p at most 0.05). 4 of 4" in part(
        text, "What holds"
    )
    own = rows(text, "Is B-SFLA first, and is that more than chance?")
    own = own["lexicographic ranking, weka, paper"]
    assert (own["place"], own["first"]) == ("5", "L-FRFS")
    assert own["Li"] == "-L-FRFS -GA -PSO"


def test_what_holds_under_one_protocol_only_holds_in_part(tmp_path):
    # 74.37 is the mean of the paper over the first ten data sets: reached only where it leaks.
    text = verdict(tmp_path, {**ACCURACIES, "B-SFLA": 74})
    (sentence,) = [
        line for line in part(text, "What holds in part").splitlines() if "mean accuracy of" in line
    ]
    assert "1 of 2 cases (weka paper 1 of 1, weka nested 0 of 1)" in sentence


def test_other_classifiers_do_not_decide_what_is_held_against_the_paper(agreeing):
    claims = rows(agreeing, "Claim by claim")
    other = claims["lexicographic ranking, sklearn, paper"]
    assert (other["accuracy"], other["size"], other["quicker"]) == ("–", "–", "–")
    assert other["first"] == "yes, rank 1.00"
    assert "on the same data sets. 2 of 2 cases." in part(agreeing, "What holds")
    accuracies = rows(agreeing, "B-SFLA next to the paper's, data set by data set")
    assert not [label for label in accuracies if "sklearn" in label]


def test_few_data_sets_are_listed_and_not_judged(tmp_path):
    experiment, path = five_experiment(), tmp_path / "cells.jsonl"
    fill(path, experiment, 10)
    keep_panel(path, "sklearn", [data.name for data in experiment.data[:3]])
    text = verdict_of(tmp_path, experiment)
    assert "B-SFLA has the best mean rank. 2 of 2 cases." in part(text, "What holds")
    few = part(text, "Too few to judge")
    assert "- sklearn, paper: 3 data sets (lexicographic ranking)." in few
    assert "weka" not in few
    assert not [label for label in rows(text, "Claim by claim") if "sklearn" in label]


def test_accuracies_and_sizes_are_compared_on_the_same_data_sets(agreeing, paper):
    own = rows(agreeing, "B-SFLA next to the paper's, data set by data set")
    own = own["lexicographic ranking, weka, paper"]
    assert own["accuracy"] == f"{ACCURACIES['B-SFLA'] + BONUS:.2f}"
    names = list(paper.tables["sizes"])[:10]
    theirs = sum(float(paper.get("accuracy_mean", one, "B-SFLA")) for one in names) / 10
    assert float(own["difference"]) == pytest.approx(81.78 - theirs, abs=0.02)
    assert (own["higher"], own["lower"]) == ("7", "3")  # not on wine, parkinson, breast cancer


def test_the_leak_is_told_for_every_selector(agreeing):
    leaks = rows(agreeing, "What the leak is worth")
    assert leaks["B-SFLA"]["weka"].startswith("+3.00 ± 0.00 (10 of 10, p 0.00")
    assert "the same seeds: 0)" in part(agreeing, "What the leak is worth")
    assert len(leaks) == 5


def test_the_leak_is_that_of_the_same_seeds(tmp_path):
    text = verdict(tmp_path, ACCURACIES, seed_gain=1)
    # The seeds 1 to 4 of protocol "paper" are better and have no like in protocol "nested".
    assert rows(text, "What the leak is worth")["GA"]["sklearn"].startswith("+3.00 ")


def test_what_is_not_done_is_named(agreeing):
    first = agreeing.split("\n\n")[1]
    assert "tested on 10 of its 22 data sets" in first
    assert "arcene: they are not done" in first


def test_classifiers_that_failed_are_told_for_the_protocol_where_they_did(tmp_path):
    experiment, path = five_experiment(), tmp_path / "cells.jsonl"
    fill(path, experiment, 10)
    lines = path.read_text(encoding="utf-8").splitlines()
    place = next(i for i, line in enumerate(lines) if '"JRip"' in line and "lung_cancer" in line)
    failed = {**json.loads(lines[place]), "error": "no"}
    assert failed["key"]["fold"] is None  # selected on all samples: protocol "paper"
    del failed["value"]
    lines[place] = json.dumps(failed)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    left_out = part(verdict_of(tmp_path, experiment), "Classifiers left out")
    assert "- weka, paper: lung_cancer without JRip (lexicographic ranking)." in left_out
    assert "nested" not in left_out


def test_the_paper_has_three_cells_that_cannot_be(paper):
    cells = impossible_cells(paper)
    found = {(one.data, one.method): (one.best, round(one.limit, 2)) for one in cells}
    assert found == {
        ("urban_land_cover", "GA"): (74.37, 70.83),
        ("urban_land_cover", "PSO"): (71.26, 61.30),
        ("urban_land_cover", "GBFS"): (83.70, 56.45),
    }


def test_the_paper_is_judged_without_its_flaws(agreeing):
    claims = rows(agreeing, "Claim by claim")
    sound = claims["the paper without urban_land_cover"]
    assert (sound["data sets"], sound["Friedman"]) == ("21", "no, p 0.0516 (B-SFLA first)")
    complete = claims["the paper, complete rows only"]
    assert (complete["data sets"], complete["Li"]) == ("19", "no, 2 of 3")
    told = part(agreeing, "Claim by claim")
    assert "GA on urban_land_cover (best 74.37, at most 70.83)" in told
    assert "Their means are also those of molecular_biology." in told


def test_too_little_is_said_to_be_too_little(tmp_path):
    text = verdict(tmp_path, ACCURACIES, n_datasets=9)  # ten are enough: see above
    assert "Too few data sets are done to judge" in text
    assert "- weka, paper: 9 data sets (lexicographic ranking)." in text
    assert "## What holds" not in text
