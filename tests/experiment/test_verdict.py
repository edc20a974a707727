"""The verdict says what the figures say, whatever they say."""

import json
from pathlib import Path

import pytest

from experiment.made_up import ACCURACIES, BONUS, PANELS, fill, five_experiment
from fuzzyfrog.experiment.claims import claims_of
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.standing import standing_of_paper
from fuzzyfrog.experiment.tables import write_tables

ROOT = Path(__file__).resolve().parents[2]
N_CASES = 2 * 2  # panels x protocols


@pytest.fixture(scope="module")
def paper():
    return PaperFigures.read(ROOT / "paper" / "expected")


def verdict(folder, accuracies, n_datasets=8, **made_up):
    experiment, cells = five_experiment(), folder / "cells.jsonl"
    fill(cells, experiment, n_datasets, accuracies, **made_up)
    write_tables(experiment, cells, folder, PANELS, figures=False)
    return (folder / "verdict.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def agreeing(tmp_path_factory):
    """The verdict where B-SFLA is the best by far."""
    return verdict(tmp_path_factory.mktemp("agreeing"), ACCURACIES)


def part(text, title):
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def rows(text, title):
    lines = [line for line in part(text, title).splitlines() if line.startswith("| ")]
    split = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {one[0]: dict(zip(split[0], one, strict=True)) for one in split[1:]}


def test_the_paper_agrees_with_itself(paper):
    whole = standing_of_paper(paper, paper.tables["accuracy_mean"])
    findings = {claim.name: claim.judge(whole) for claim in claims_of(paper)}
    assert all(finding.holds for finding in findings.values())
    assert findings["accuracy"].figure == "73.53 (+0.00)"  # printed as 73.52: of rounded means
    assert findings["Friedman"].figure == "p 0.0268"
    assert findings["wins"].figure == "8 of 8"


def test_the_paper_disagrees_with_itself_on_its_small_data_sets(paper):
    small = standing_of_paper(paper, list(paper.tables["accuracy_mean"])[:13])
    findings = {claim.name: claim.judge(small) for claim in claims_of(paper)}
    assert findings["first"].holds
    assert (findings["Friedman"].holds, findings["Friedman"].figure) == (False, "p 0.1042")
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
    assert own["Nemenyi"] == "+GBFS +PSO"
    assert own["Wilcoxon (Holm)"] == "+L-FRFS +GA +PSO +GBFS"
    assert len(tests) == N_CASES + 2


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
    # 67.9 is the mean of the paper over the first eight data sets: reached only where it leaks.
    text = verdict(tmp_path, {**ACCURACIES, "B-SFLA": 71})
    (sentence,) = [
        line for line in part(text, "What holds in part").splitlines() if "mean accuracy of" in line
    ]
    assert "2 of 4 cases (weka paper 1 of 1, " in sentence
    assert "weka nested 0 of 1" in sentence


def test_accuracies_and_sizes_are_compared_on_the_same_data_sets(agreeing, paper):
    own = rows(agreeing, "B-SFLA beside the paper's, data set by data set")
    own = own["lexicographic ranking, weka, paper"]
    assert own["accuracy"] == f"{ACCURACIES['B-SFLA'] + BONUS:.2f}"
    names = list(paper.tables["sizes"])[:8]
    theirs = sum(float(paper.get("accuracy_mean", one, "B-SFLA")) for one in names) / 8
    assert float(own["difference"]) == pytest.approx(81.78 - theirs, abs=0.02)
    assert (own["higher"], own["lower"]) == ("6", "2")  # not on wine and parkinson


def test_the_leak_is_told_for_every_selector(agreeing):
    leaks = rows(agreeing, "What the leak is worth")
    assert leaks["B-SFLA"]["weka"] == "+3.00 (8 of 8)"
    assert len(leaks) == 5


def test_the_leak_is_that_of_the_same_seeds(tmp_path):
    text = verdict(tmp_path, ACCURACIES, n_datasets=2, seed_gain=1)
    # The seeds 1 to 4 of protocol "paper" are better and have no like in protocol "nested".
    assert rows(text, "What the leak is worth")["GA"]["sklearn"] == "+3.00 (2 of 2)"


def test_what_is_not_done_is_named(agreeing):
    first = agreeing.split("\n\n")[1]
    assert "put to 8 of its 22 data sets" in first
    assert "arcene: they are not done" in first


def test_classifiers_that_failed_are_named(tmp_path):
    fill(tmp_path / "cells.jsonl", five_experiment(), n_datasets=2)
    lines = (tmp_path / "cells.jsonl").read_text(encoding="utf-8").splitlines()
    place = next(i for i, line in enumerate(lines) if '"JRip"' in line and "lung_cancer" in line)
    failed = {**json.loads(lines[place]), "error": "no"}
    del failed["value"]
    lines[place] = json.dumps(failed)
    (tmp_path / "cells.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = verdict(tmp_path, ACCURACIES, n_datasets=0)
    assert "is left out for all of them on lung_cancer (weka: JRip)." in text


def test_too_little_is_said_to_be_too_little(tmp_path):
    assert "Too few data sets are done" in verdict(tmp_path, ACCURACIES, n_datasets=1)
