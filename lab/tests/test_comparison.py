"""Friedman and what follows: the paper's figures to the last digit, and what SciPy says."""

import csv
import json
from itertools import pairwise, product
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scikit_posthocs
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fuzzyfrog import DataError
from fuzzyfrog_lab.comparison import compare

EXPECTED = Path(__file__).resolve().parents[1] / "paper" / "expected"
PAPER = json.loads((EXPECTED / "statistics.json").read_text(encoding="utf-8"))


def expected_table(name):
    """Return a table of the paper: data set -> method -> figure, None where it has none."""
    with (EXPECTED / f"{name}.csv").open(encoding="utf-8") as file:
        rows = {row.pop("data"): row for row in csv.DictReader(file)}
    return {
        data: {method: float(cell) if cell else None for method, cell in row.items()}
        for data, row in rows.items()
    }


@pytest.fixture(scope="module")
def accuracies():
    return expected_table("accuracy_mean")


@pytest.fixture(scope="module")
def as_in_the_paper(accuracies):
    return compare(accuracies, tie_correction=False, missing=0)


def six(value):
    return float(f"{value:.6f}")


def test_friedman_of_the_paper(as_in_the_paper):
    assert {name: round(rank, 4) for name, rank in as_in_the_paper.ranks.items()} == PAPER["ranks"]
    assert six(as_in_the_paper.statistic) == PAPER["statistic"]
    assert six(as_in_the_paper.p_value) == PAPER["p_value"]
    assert as_in_the_paper.control == "B-SFLA"
    assert as_in_the_paper.n_datasets == 22


def test_li_of_the_paper(as_in_the_paper):
    tests = as_in_the_paper.posthoc
    assert [test.worse for test in tests] == list(PAPER["z"])
    assert {test.worse: six(test.z) for test in tests} == PAPER["z"]
    assert {test.worse: six(test.p_value) for test in tests} == PAPER["p_values"]
    assert six(as_in_the_paper.threshold) == PAPER["threshold"]
    assert [six(test.threshold) for test in tests] == [PAPER["threshold"]] * 3 + [0.05]
    assert [test.significant for test in tests] == [True, True, True, False]


def test_means_and_wins_of_the_paper(accuracies):
    table = pd.DataFrame(accuracies).T.astype(float)
    # Gaps are left out there; and the means come from more digits than the table has.
    assert table.mean().to_dict() == pytest.approx(PAPER["mean_accuracy"], abs=0.01)
    # The table of wins counts one of the three equal accuracies of Breast Tissue less than ours.
    wins = table.eq(table.max(axis=1), axis=0).sum().to_dict()
    assert wins == {**PAPER["wins"], "PSO": PAPER["wins"]["PSO"] + 1}


def test_the_paper_under_other_procedures(accuracies):
    holm = compare(accuracies, missing=0, posthoc="holm").posthoc
    assert [test.significant for test in holm] == [True, True, False, False]
    assert [round(test.threshold, 6) for test in holm] == [0.0125, 0.016667, 0.025, 0.05]
    nemenyi = compare(accuracies, missing=0, posthoc="nemenyi").posthoc
    assert len(nemenyi) == 10
    assert [(t.better, t.worse) for t in nemenyi if t.significant] == [("B-SFLA", "GBFS")]


def table_of(n_datasets, n_methods, levels):
    return st.lists(
        st.lists(st.integers(0, levels), min_size=n_methods, max_size=n_methods),
        min_size=n_datasets,
        max_size=n_datasets,
    ).map(lambda rows: pd.DataFrame(rows, columns=list("abcde")[:n_methods], dtype=float))


@given(table_of(6, 4, 5).filter(lambda table: table.nunique(axis=1).max() > 1))
def test_friedman_with_ties_is_scipys(table):
    ours = compare(table)
    statistic, p_value = stats.friedmanchisquare(*(table[name] for name in table))
    assert ours.statistic == pytest.approx(statistic, abs=1e-9)
    assert ours.p_value == pytest.approx(p_value, abs=1e-9)


def test_nemenyi_is_that_of_scikit_posthocs(accuracies):
    table = pd.DataFrame(accuracies).T.astype(float).fillna(0)
    theirs = scikit_posthocs.posthoc_nemenyi_friedman(table)
    for test in compare(table, posthoc="nemenyi").posthoc:
        assert test.adjusted == pytest.approx(theirs.loc[test.better, test.worse], abs=1e-8)


def test_critical_difference_is_demsars():
    # Demsar (2006), table 5: q = 2.569 for 4 methods; his example has 14 data sets.
    scores = pd.DataFrame(np.random.default_rng(0).random((14, 4)), columns=list("abcd"))
    difference = compare(scores).critical_difference
    assert difference == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=1e-3)


def test_holm_by_hand():
    from fuzzyfrog_lab.comparison.ranks import holm_adjusted

    assert holm_adjusted([0.04, 0.01, 0.03, 0.5]) == pytest.approx([0.09, 0.04, 0.09, 0.5])


def test_wilcoxon_is_scipys_and_effects_have_signs(accuracies):
    table = pd.DataFrame(accuracies).T.astype(float).fillna(0)
    for test in compare(table, control="B-SFLA").signed_rank:
        difference = (table["B-SFLA"] - table[test.method]).round(9)
        p_value = stats.wilcoxon(difference, method="asymptotic").pvalue
        assert test.p_value == pytest.approx(p_value, abs=0.02)
        assert test.p_value <= test.adjusted
        assert (test.wins, test.losses) == ((difference > 0).sum(), (difference < 0).sum())
        assert test.median_difference == pytest.approx(difference.median())
        assert 0 < test.effect < 1


def test_small_wilcoxon_by_hand():
    scores = {str(i): {"a": float(2**i), "b": 0.0} for i in range(5)}
    (test,) = compare(scores).signed_rank
    assert (test.wins, test.ties, test.losses, test.effect) == (5, 0, 0, 1.0)
    assert test.p_value == pytest.approx(2 / 2**5)
    assert compare(scores, control="b").signed_rank[0].effect == -1.0


def test_equal_methods_are_equal():
    found = compare({"x": {"a": 1, "b": 1}, "y": {"a": 2, "b": 2}})
    assert (found.statistic, found.p_value, found.ranks) == (0.0, 1.0, {"a": 1.5, "b": 1.5})
    assert (found.signed_rank[0].p_value, found.signed_rank[0].effect) == (1.0, 0.0)


def test_rounding_is_no_difference():
    rows = {"w": (0.3, 0.2), "x": (0.2, 0.1), "y": (0.1, 0.2), "z": (0.7, 0.6)}
    found = compare({name: {"a": a, "b": b} for name, (a, b) in rows.items()})
    assert found.signed_rank[0].effect == pytest.approx(0.5)  # 3 of 4, all equally large


def test_friedman_and_wilcoxon_see_the_same_ties():
    rows = {"x": (0.1 + 0.2, 0.3), "y": (0.3, 0.1 + 0.2), "z": (0.1 * 3, 0.3), "w": (0.5, 0.4)}
    found = compare({name: {"a": a, "b": b} for name, (a, b) in rows.items()})
    assert found.ranks == {"a": 1.375, "b": 1.625}
    assert found.signed_rank[0].ties == 3


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3, 1e15])
def test_a_difference_in_the_tenth_digit_is_one(scale):
    scores = {name: {"a": scale, "b": scale * (1 + 1e-10)} for name in "xy"}
    found = compare(scores)
    assert found.ranks == {"a": 2.0, "b": 1.0}
    assert found.signed_rank[0].wins == 2
    assert found.signed_rank[0].median_difference == pytest.approx(scale * 1e-10, rel=1e-3)


def wilcoxon_by_enumeration(differences):
    """Return the p-value by trying all signs; the ranks of ties are their mean."""
    told = [difference for difference in differences if difference != 0]
    ranks = stats.rankdata(np.abs(told))
    signs = np.array(list(product([0, 1], repeat=len(told))))
    sums = signs @ ranks
    own = ranks[np.array(told) > 0].sum()
    return min(1.0, 2 * min(np.mean(sums <= own), np.mean(sums >= own)))


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=10))
def test_wilcoxon_with_ties_and_zeros_is_that_of_all_signs(differences):
    scores = {str(i): {"a": 5.0 + one, "b": 5.0} for i, one in enumerate(differences)}
    (test,) = compare(scores, control="a").signed_rank
    wanted = wilcoxon_by_enumeration(differences) if any(differences) else 1.0
    assert test.p_value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("n_gaps", [4, 5])
def test_gaps_are_tied_and_still_exact(n_gaps):
    scores = {str(i): {"a": 1.0 + i, "b": None} for i in range(n_gaps)}
    assert compare(scores).signed_rank[0].p_value == 2 / 2**n_gaps


def test_wilcoxon_of_many_data_sets():
    random = np.random.default_rng(0)
    for n_datasets in (59, 60, 61, 200):
        table = pd.DataFrame(random.normal(0.2, size=(n_datasets, 2)), columns=["a", "b"])
        (test,) = compare(table, control="a").signed_rank
        difference = table["a"] - table["b"]
        method = "exact" if n_datasets <= 60 else "asymptotic"
        wanted = stats.wilcoxon(difference, method=method).pvalue
        assert test.p_value == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("gap", [None, nan])
def test_a_gap_is_the_worst_or_a_number(gap):
    scores = {"x": {"a": -5.0, "b": gap}, "y": {"a": 1.0, "b": 2.0}, "z": {"a": 1.0, "b": gap}}
    assert compare(scores).ranks == {"a": pytest.approx(4 / 3), "b": pytest.approx(5 / 3)}
    assert compare(scores, missing=0).ranks == {
        "a": pytest.approx(5 / 3),
        "b": pytest.approx(4 / 3),
    }
    (test,) = compare(scores).signed_rank
    assert (test.wins, test.losses, test.median_difference) == (2, 1, np.inf)
    assert test.effect == pytest.approx(4 / 6)


def test_two_gaps_are_a_tie():
    scores = {"x": {"a": None, "b": None}, "y": {"a": 1.0, "b": 2.0}}
    assert compare(scores).ranks == {"a": 1.75, "b": 1.25}
    assert compare(scores).signed_rank[0].ties == 1


def test_every_kind_of_table_gives_the_same(accuracies):
    frame = pd.read_csv(EXPECTED / "accuracy_mean.csv")
    tables = [
        accuracies,
        frame,
        frame.set_index("data"),
        pl.read_csv(EXPECTED / "accuracy_mean.csv"),
    ]
    assert len({repr(compare(table)) for table in tables}) == 1


def test_it_reads_like_a_report(as_in_the_paper):
    text = str(as_in_the_paper)
    for part in ("2.1364", "10.981818", "0.026769", "2.860388", "0.043057", "B-SFLA before GBFS"):
        assert part in text


def test_results_cannot_be_changed(as_in_the_paper):
    with pytest.raises(AttributeError):
        as_in_the_paper.statistic = 0.0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"posthoc": "lee"}, "posthoc must be one of 'li', 'holm', 'nemenyi', got 'lee'."),
        ({"control": "c"}, "control must be one of 'a', 'b', got 'c'."),
        ({"missing": "best"}, "missing must be 'worst' or a finite number, got 'best'."),
        ({"missing": True}, "missing must be 'worst' or a finite number, got True."),
    ],
)
def test_wrong_arguments_get_a_sentence(arguments, sentence):
    with pytest.raises(ValueError, match="must be") as error:
        compare({"x": {"a": 1, "b": 2}, "y": {"a": 2, "b": 1}}, **arguments)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("scores", "part"),
    [
        ({"x": {"a": 1, "b": 2}}, "2 data sets (rows) and 2 methods (columns), got 1 and 2"),
        ({}, "got 0 and 0"),
        ({"x": 3, "y": 4}, "must map data sets to mappings"),
        ({"x": {1: 1, "1": 2}, "y": {1: 1, "1": 2}}, "distinct names, got '1' more than once"),
        (pd.DataFrame([[1, 2]] * 2, columns=["a", "a"]), "distinct names, got a frame with rep"),
        (pd.DataFrame([[1, 2]] * 2, columns=[1, "1"]), "distinct names, got '1' more than once"),
        ({"x": {"a": 1, "b": "2"}, "y": {"a": 1, "b": 2}}, "of 'b' must be numbers, got '2'"),
        ({"x": {"a": 1, "b": 2}, "y": {"a": 1, "b": np.inf}}, "got inf for 'b' on 'y'"),
        (np.ones((3, 3)), "must be a frame or a mapping, data sets x methods, got ndarray"),
        (pd.DataFrame({"a": [1.0, 2.0]}), "got 2 and 1"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_compared_get_a_sentence(scores, part):
    with pytest.raises(DataError) as error:
        compare(scores)
    assert part in str(error.value)


def test_the_diagram_is_drawn(as_in_the_paper, tmp_path):
    import matplotlib as mpl

    mpl.use("Agg")
    ax = as_in_the_paper.plot_cd()
    texts = [text.get_text() for text in ax.texts]
    assert all(any(name in text for text in texts) for name in as_in_the_paper.ranks)
    assert "critical difference 1.30" in ax.get_title()
    ax.figure.savefig(tmp_path / "cd.svg")
    assert "<svg" in (tmp_path / "cd.svg").read_text(encoding="utf-8")
    mpl.pyplot.close(ax.figure)


RANKS = st.lists(st.integers(4, 20).map(lambda n: n / 4), min_size=2, max_size=8)


@given(RANKS, st.floats(0.3, 3.0))
def test_the_bars_join_those_that_are_closer_than_the_critical_difference(values, width):
    from fuzzyfrog_lab.comparison.cd_diagram import indistinct_groups

    ranks = {str(place): rank for place, rank in enumerate(values)}
    bars = indistinct_groups(ranks, width)
    for one in values:
        for other in values:
            joined = any(first <= min(one, other) <= max(one, other) <= last
                         for first, last in bars)  # fmt: skip
            assert joined == (one != other and abs(one - other) < width) or one == other
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(bars))  # none inside another
