"""What is said of a run, on the command line and in the report, is what it may claim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fuzzyfrog.cli.summary import result_lines
from fuzzyfrog.records import Certificate
from fuzzyfrog.records.statements import Verdict, alike, headline, shortcut, verdict
from fuzzyfrog.report import render_report
from fuzzyfrog.report.render import collect


def asking(run, **parameters):
    return replace(run, parameters={**run.parameters, **parameters})


def printed(run):
    return "\n".join(map(str, result_lines(run)))


@pytest.fixture(scope="module")
def enough(wine_run):
    """Nine subsets that keep what was asked for, and not the same."""
    return replace(asking(wine_run, min_dependency=0.95), dependency=0.96, n_reducts=9)


def test_what_is_enough_is_not_called_equally_good(enough):
    assert alike(enough) == "subsets of 5 features that keep at least 95%"
    page, text = render_report(enough), printed(enough)
    assert "9 subsets of 5 features that keep at least 95%" in page
    assert "found 9 subsets of 5 features that keep at least 95%" in text
    assert "no single feature is needed to keep 95%" in text
    assert "still reach 95% of the γ of all features." in page
    assert "equally good" not in text + page.replace("Equally good</th>", "")


def test_a_given_size_is_not_called_the_smallest(wine_run):
    run = replace(asking(wine_run, n_features_to_select=5), dependency=0.5, core=wine_run.selected)
    assert verdict(run) is Verdict.ASKED
    text = printed(run)
    assert "5, as requested" in text
    assert "smallest" not in text
    assert "cannot be replaced" not in text
    assert collect(run)["answer"]["proof"]["title"] == "5 features, as asked for."
    missed = asking(run, min_dependency=0.9)
    assert "0.5000 of 1.0000, below the required 0.9000" in printed(missed)
    assert "less than the 0.900 asked for" in collect(missed)["answer"]["reasons"][0]


def test_nothing_is_smaller_than_one(wine_run):
    one = replace(wine_run, selected=wine_run.selected[:1], explanations=wine_run.explanations[:1])
    assert verdict(one) is Verdict.ONE
    assert "1, the fewest possible" in printed(one)
    assert collect(one)["answer"]["proof"]["state"] == "proven"
    assert verdict(replace(one, dependency=0.5)) is Verdict.OPEN  # it does not reach the goal


def test_excluded_features_do_not_count(wine_run):
    free = [at for at in range(13) if at not in wine_run.selected]
    run = replace(wine_run, excluded=tuple(free[:2]))
    allowed = "5 of the 11 allowed features (2 are excluded)"
    assert headline(run) == f"{allowed} separate these samples as well as all 11 do"
    assert collect(run)["answer"]["facts"][0]["of"] == "of 11 allowed"
    assert collect(run)["all_features"] == "all 11 allowed features"


def test_a_proof_is_not_only_a_search(wine_run):
    certified = replace(wine_run, certificate=Certificate(True, 5, 5, 343, True))
    content = collect(certified)
    assert content["answer"]["facts"][2]["of"] == "all there are"
    assert content["answer"]["reasons"][2].startswith("There are exactly 343 equally good subsets")
    assert content["search"]["reason"] == "The search ended with a proof."


def test_a_run_that_leaves_nothing_out_gets_a_next_step(wine_run):
    kept = wine_run.selected
    dropped = tuple(at for at in range(13) if at not in kept)
    run = replace(wine_run, core=kept, excluded=dropped)
    assert headline(run) == "All 5 allowed features are needed to separate these samples as well"
    assert shortcut(run) == (0.95, 4)
    enough = "with --min-dependency 0.95, 4 features are enough"
    assert enough in printed(run)
    assert enough in collect(run)["answer"]["reasons"][-1]
    assert shortcut(wine_run) is None


def test_the_chosen_point_is_the_selected_subset(wine_run, enough):
    def chosen(run):
        return [one for one in collect(run)["front"]["points"] if one["chosen"]]

    names = list(wine_run.names(wine_run.selected))
    assert [one["names"] for one in chosen(wine_run)] == [names]
    other = replace(wine_run.front[-1], features=tuple(range(5)))
    assert wine_run.selected != other.features
    beside = replace(enough, front=(*wine_run.front[:-1], other))
    assert [(one["names"], one["gamma"]) for one in chosen(beside)] == [(names, "0.960")]


def test_a_resumed_run_does_not_boast(wine_run):
    run = replace(wine_run, n_evaluations=1_000, n_resumed=900, seconds=10.0)
    assert collect(run)["search"]["facts"][0]["of"].endswith("since then 10 a second")
    assert "1,000 evaluations (900 before resuming), 10.0 s" in printed(run)


def test_options_are_not_broken_and_bare_numbers_are_classes(wine_run):
    page = render_report(replace(wine_run, command="fuzzyfrog <b> --min-dependency 0.9"))
    assert '&lt;b&gt; <span class="option">--min-dependency</span> 0.9' in page
    first = wine_run.explanations[0]
    pair = replace(first.pairs[0], sample_target="2", enemy_target="x2")
    run = replace(
        wine_run, explanations=(replace(first, pairs=(pair,)), *wine_run.explanations[1:])
    )
    cards = {one["name"]: one for one in collect(run)["explanations"]["cards"]}
    shown = cards[first.name]["pairs"][0]
    assert (shown["sample_target"], shown["enemy_target"]) == ("class 2", "x2")


def test_a_single_subset_has_nothing_to_sort(wine_run):
    page = render_report(replace(wine_run, n_reducts=1, reducts=wine_run.reducts[:1]))
    assert 'id="explorer"' not in page
    assert "No other subset was as good" in page


def test_what_must_be_in_is_not_called_checked(wine_run):
    asked = asking(wine_run, must_include=["alcohol"])
    assert verdict(wine_run) is Verdict.CHECKED
    assert verdict(asked) is Verdict.OPEN
    assert "feature in them is needed" not in printed(asked)


def test_a_run_that_was_stopped_promises_no_shortcut(wine_run):
    everything = tuple(range(wine_run.data.n_features))
    stopped = replace(wine_run, selected=everything, core=())
    assert shortcut(stopped) is None
