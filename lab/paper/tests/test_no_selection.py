"""Every selector is compared with all features, and the outcome is stated."""

from dataclasses import replace

import pytest

from made_up import ACCURACIES, entry, fill, five_experiment, small_experiment
from paper.pages.no_selection import against_all, against_rows
from paper.tests.verdicts import part, rows, verdict_of

CLASSIFIERS = ("J48", "JRip")
TITLE = "Against no selection"


def table(differences, n_datasets=10):
    """Results where the selectors differ from all features by known points."""
    return {
        f"data {place}": {
            "all": entry({"J48": 70.0, "JRip": 70.0}, size=20),
            **{
                name: entry({"J48": 70.0 + each[place], "JRip": 70.0 + each[place]}, size=4)
                for name, each in differences.items()
            },
        }
        for place in range(n_datasets)
    }


def test_differences_are_tested_and_adjusted():
    down = [1.0, *range(-2, -11, -1)]  # only the smallest is a gain
    mixed = [(-1) ** i * i for i in range(1, 11)]
    results = table({"down": down, "mixed": mixed})
    one, other = against_all(results, "all", ["down", "mixed"], CLASSIFIERS, least=10)
    assert one.difference == pytest.approx(sum(down) / 10)
    assert one.test.p_value == pytest.approx(
        2 * 2 / 2**10
    )  # of the sums of ranks 0 and 1 are so small
    assert one.adjusted == pytest.approx(2 * one.test.p_value)
    assert other.adjusted == other.test.p_value > 0.5
    head, first, _ = against_rows([one, other])
    shown = dict(zip(head, first, strict=True))
    assert (shown["higher"], shown["lower"], shown["ties"]) == ("1", "9", "0")
    assert (shown["accuracy"], shown["all features"]) == ("64.70", "70.00")
    assert (shown["features"], shown["of all"]) == ("4.00", "20.00")


def test_both_are_compared_with_the_classifiers_that_both_have():
    results = table({"selector": [0.0] * 10})
    results["data 0"]["selector"] = entry({"J48": 70.0})
    results["data 0"]["all"] = entry({"J48": 70.0, "JRip": 10.0})
    (found,) = against_all(results, "all", ["selector"], CLASSIFIERS, least=10)
    assert (found.difference, found.test.ties) == (0.0, 10)


def test_what_is_not_done_or_too_little_is_left_out():
    results = table({"selector": [1.0] * 10})
    results["data 3"]["selector"] = replace(results["data 3"]["selector"], n_missing=1)
    assert against_all(results, "all", ["selector"], CLASSIFIERS, least=10) == []
    (found,) = against_all(results, "all", ["selector"], CLASSIFIERS, least=9)
    assert len(found.accuracies) == 9


def with_all_features():
    five = five_experiment()
    whole = next(one for one in small_experiment().selectors if one.search == "none")
    selectors = (*five.selectors, whole)
    lineups = {**five.lineups, "everything": tuple(one.name for one in selectors)}
    return replace(five, selectors=selectors, lineups=lineups)


@pytest.mark.parametrize(
    ("accuracy", "sentence", "rank"),
    [
        (85, "exceeded by none of 5 selectors; the best difference is -5.00 points, of B-SFLA.",
         "has the mean rank 1.00, place 1 of 6; next is B-SFLA with 2.00."),
        (67, "exceeded by 3 of 5 selectors (L-FRFS, GA and B-SFLA); the best difference is +13.00",
         "has the mean rank 4.00, place 4 of 6; first is B-SFLA with 1.00."),
    ],
    ids=["nothing", "something"],
)  # fmt: skip
def test_the_page_says_what_selecting_is_worth(tmp_path, accuracy, sentence, rank):
    experiment = with_all_features()
    fill(tmp_path / "cells.jsonl", experiment, 10, {**ACCURACIES, None: accuracy})
    text = verdict_of(tmp_path, experiment)
    assert part(text, TITLE).count(sentence) == 2  # protocols
    assert part(text, TITLE).count(rank) == 2
    assert rows(text, TITLE)["GA"]["difference"] == f"{68 - accuracy:+.2f}"
    assert (rows(text, TITLE)["GA"]["features"], rows(text, TITLE)["GA"]["of all"]) == (
        "5.00",
        "6.00",
    )
