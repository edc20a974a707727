"""What is said of a run, on the command line and in the report, is what it may claim."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest

from fuzzyfrog.cli.summary import result_lines
from fuzzyfrog.records import Certificate, TargetSummary
from fuzzyfrog.records.statements import (
    Verdict,
    advice,
    alike,
    doubts,
    headline,
    shortcut,
    unchecked,
    verdict,
)
from fuzzyfrog.report import render_report, summary_html
from fuzzyfrog.report.render import collect
from report.made import HOSTILE, a_check


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
    allowed = "5 of the 11 allowed features (2 are left out)"
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
    assert headline(run) == "All 5 allowed features are needed to separate these samples this well"
    assert shortcut(run) == (0.95, 4)
    enough = "with --min-dependency 0.95, 4 features are enough"
    assert enough in printed(run)
    assert enough in collect(run)["answer"]["reasons"][-1]
    assert shortcut(wine_run) == (0.95, 4)
    assert enough in printed(wine_run)
    assert collect(wine_run)["answer"]["reasons"][-1].startswith("With --min-dependency 0.95, 4")


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
    assert collect(run)["search"]["facts"].endswith("since then 10 a second.")
    assert "1,000 evaluations (900 before resuming), 10.0 s" in printed(run)


def test_options_are_not_broken_and_bare_numbers_are_classes(wine_run):
    page = render_report(replace(wine_run, command="fuzzyfrog <b> --min-dependency 0.9"))
    assert '&lt;b&gt; <span class="option">--min-dependency</span> 0.9' in page
    first = wine_run.explanations[0]
    pair = replace(first.pairs[0], sample_target="2", enemy_target="x2")
    run = replace(
        wine_run, explanations=(replace(first, pairs=(pair,)), *wine_run.explanations[1:])
    )
    cards = {one["name"]: one for one in collect(run)["features"]["first"]}
    shown = cards[first.name]["pairs"][0]
    assert (shown["sample_target"], shown["enemy_target"]) == ("class 2", "x2")


def test_a_single_subset_has_nothing_to_sort(wine_run):
    page = render_report(replace(wine_run, n_reducts=1, reducts=wine_run.reducts[:1]))
    assert 'id="explorer"' not in page
    assert 'id="reducts"' not in page
    assert "The search found no other subset of 5 features that is as good." in page


def test_what_must_be_in_is_not_called_checked(wine_run):
    asked = asking(wine_run, must_include=["alcohol"])
    assert verdict(wine_run) is Verdict.CHECKED
    assert verdict(asked) is Verdict.OPEN
    assert "feature in them is needed" not in printed(asked)


def test_a_run_that_was_stopped_promises_no_shortcut(wine_run):
    everything = tuple(range(wine_run.data.n_features))
    stopped = replace(wine_run, selected=everything, core=(), stop_reason="max_seconds")
    assert shortcut(stopped) is None


def test_a_small_loss_is_called_slight(wine_run):
    """Below one point, and beyond a standard error."""
    check = a_check(lost=0.005)
    everything, (_, *others) = check.scores[0], check.scores[1:]
    slight = replace(check.scores[1], difference_error=0.002)
    (said,) = doubts(replace(wine_run, check=replace(check, scores=(everything, slight, *others))))
    assert said.startswith("Models do slightly worse with features selected this way: balanced ")
    assert not doubts(replace(wine_run, check=check))


def test_what_speaks_against_a_selection_is_said_first(wine_run):
    claim = "5 of 13 features separate these samples as well as all columns do"
    soft = ("alcohol", "hue")
    run = replace(wine_run, check=a_check(twins=12, soft=soft), full_dependency=0.3, dependency=0.3)
    loss, noise, low = doubts(run)
    assert loss == (
        "Models do worse with features selected this way: balanced accuracy 82.0%, with all "
        "features 90.0% (\N{MINUS SIGN}8.0 ± 1.0 points)."
    )
    assert noise.endswith(
        "with a shuffled twin of every column, 12 of the 24 columns taken were twins."
    )
    assert low.endswith("poorly: their dependency is 0.300 on a scale from 0 to 1.")
    assert advice(run) == (
        "For prediction, use --measure soft: it selects 2 features (alcohol, hue), with which "
        "models reach balanced accuracy 89.0%."
    )
    for text in (printed(run), render_report(run), summary_html(run)):
        text = text.replace('<span class="option">', "").replace("</span>", "")
        places = [text.index(one) for one in (loss, noise, low, advice(run), claim)]
        assert places == sorted(places)
    answer = collect(run)["answer"]
    assert (answer["headline"], answer["claim"]) == (loss, f"{claim}.")


def test_the_soft_measure_is_no_advice_where_it_loses(wine_run):
    check = a_check(twins=12, soft=("alcohol", "hue"))
    worse = replace(check.soft, score=0.8, difference=-0.1)
    check = replace(check, scores=(*check.scores[:-1], worse))
    assert advice(replace(wine_run, check=check)) == (
        "For prediction, keep all features (balanced accuracy 90.0%); --measure soft takes 6 "
        "features on average and reaches 80.0%."
    )


def test_what_does_better_than_the_soft_measure_is_kept(wine_run):
    check = a_check(lost=-0.01, twins=12, soft=("alcohol", "hue"))  # 91%, soft 89 ± 2
    kept = "For prediction, keep the selected features (balanced accuracy 91.0%)"
    assert advice(replace(wine_run, check=check)).startswith(kept)


def test_of_features_that_do_equally_well_the_fewer_are_kept(wine_run):
    check = a_check(lost=0.0, twins=12, soft=("alcohol", "hue"))
    everything, selected, elbow, soft = check.scores
    worse = replace(soft, score=0.8, difference=-0.1)
    run = replace(wine_run, check=replace(check, scores=(everything, selected, elbow, worse)))
    assert advice(run).startswith("For prediction, keep the selected features")
    hiding = replace(selected, by_model=(0.92, 0.89, 0.89))
    run = replace(wine_run, check=replace(check, scores=(everything, hiding, elbow, worse)))
    assert advice(run).startswith("For prediction, keep all features")


def test_columns_that_predict_nothing_are_not_recommended(wine_run):
    check = a_check(twins=12, soft=("alcohol", "hue"))
    chance = tuple(replace(one, score=0.34) for one in check.scores)
    run = replace(wine_run, check=replace(check, scores=chance))
    assert doubts(run)[0] == (
        "With these columns, models are hardly better than chance: balanced accuracy 34.0% at best."
    )
    assert advice(run) == "For prediction, the table needs other columns."
    for error, is_luck in ((0.05, True), (0.04, False)):
        some = tuple(replace(one, score=0.42, standard_error=error) for one in check.scores)
        found = doubts(replace(run, check=replace(check, scores=some)))
        assert ("hardly better than chance" in found[0]) is is_luck
    zero = tuple(replace(one, score=-0.1) for one in check.scores)
    numbers = TargetSummary("price", (), 0.0, 1.0)
    run = replace(
        wine_run,
        data=replace(wine_run.data, target=numbers),
        check=replace(check, metric="R²", scores=zero),
    )
    assert doubts(run)[0] == (
        "With these columns, models are hardly better than always predicting the mean: R² "
        "\N{MINUS SIGN}0.100 at best."
    )


def test_an_identifier_that_is_selected_is_mentioned_before_the_headline(wine_run):
    feature = wine_run.selected[0]
    run = replace(wine_run, check=a_check(lost=0.005), identifiers=(feature, 12))
    for some in (run, replace(run, command=None)):
        first, *others = doubts(some)
        assert first.startswith("The selected 'alcohol' looks like an ID: what it says about")
        assert first.endswith("exclude.")
        assert len(others) == (12 in run.selected)
        assert advice(some) is None
        assert printed(some).index(first) < printed(some).index(headline(some))
        assert first.removesuffix("--exclude.").split(":")[0] in unescape(render_report(some))
    assert doubts(replace(run, identifiers=(3,))) == []


def test_what_tells_the_target_alone_is_mentioned_before_the_headline(wine_run):
    one, other = wine_run.selected[:2]
    run = replace(wine_run, check=a_check(lost=0.005), telling=(one,))
    first, *others = doubts(run)
    assert first == (
        "'alcohol' alone tells the target almost perfectly. If it is recorded after the fact, "
        "these scores do not hold for new samples: leave it out with --exclude."
    )
    assert (others, advice(run)) == ([], None)
    assert printed(run).index(first) < printed(run).index(headline(run))
    assert doubts(replace(run, telling=(one, other)))[0].startswith(
        "'alcohol', 'ash' each tell the"
    )
    assert doubts(replace(run, telling=(3,))) == []
    (name,) = run.names((3,))
    proposed = replace(run, telling=(3,), check=a_check(lost=0.1, soft=(name,)))
    assert doubts(proposed)[0].startswith(f"'{name}' alone tells")


def test_a_mean_that_hides_what_the_best_model_loses(wine_run):
    check = a_check(lost=0.0)
    everything, selected, *others = check.scores
    hiding = replace(selected, by_model=(0.95, 0.85, 0.9))
    run = replace(wine_run, check=replace(check, scores=(everything, hiding, *others)))
    assert doubts(run) == []  # one model is as good, whichever it is
    hiding = replace(selected, by_model=(0.92, 0.89, 0.89))
    run = replace(wine_run, check=replace(check, scores=(everything, hiding, *others)))
    assert doubts(run) == [
        "Models do not clearly lose on average, but the best model does: random forest reaches "
        "balanced accuracy 95.0% with all features, and no model more than 92.0% with the selected "
        "ones."
    ]


def test_features_of_the_core_that_are_not_selected_are_named(wine_run):
    core = (0, 1, 2)
    run = replace(wine_run, selected=(0, 1), core=core, dependency=0.7, stop_reason="max_seconds")
    assert (
        "core        alcohol, malic_acid, ash: cannot be replaced; ash is not selected, because "
        "the search was stopped by --max-seconds\n"
    ) in printed(run)
    assert "size        2, too few: stopped by --max-seconds\n" in printed(run)
    assert "is not selected" not in printed(replace(run, selected=core))
    asked = replace(run, parameters={**run.parameters, "n_features_to_select": 2})
    assert "; ash is not selected, because 2 features were asked for\n" in printed(asked)
    assert "; ash is not selected\n" in printed(replace(run, stop_reason="converged"))


def test_models_that_were_not_tried_are_mentioned_next_to_the_headline(wine_run):
    warning = "Models were not tried, so this says nothing about predicting new samples"
    for text in (printed(wine_run), render_report(wine_run), summary_html(wine_run)):
        assert headline(wine_run) in text
        assert warning in text[text.index(headline(wine_run)) :]
    assert f"{headline(wine_run)}.\n{warning}" in printed(wine_run)
    for run in (replace(wine_run, check=a_check()), replace(wine_run, selected=tuple(range(13)))):
        assert unchecked(run) is None
        assert f"{headline(run)}:\n\n" in printed(run)


@pytest.mark.parametrize(
    ("number", "size"), [(1.0, "1 feature"), (1.4, "1.4 features"), (0.6, "0.6 features")]
)
def test_one_feature_is_singular(wine_run, number, size):
    check = a_check(soft=("hue",))
    everything, selected, elbow, soft = check.scores
    elbow = replace(elbow, n_features=number)
    soft = replace(soft, n_features=number, score=0.7)
    run = replace(wine_run, check=replace(check, scores=(everything, selected, elbow, soft)))
    assert f"at the elbow ({size} on average) 70.0%" in printed(run)
    assert f"--measure soft takes {size} on average and reaches 70.0%." in advice(run)


def test_one_twin_is_singular(wine_run):
    for twins, ending in ((0, "0 of the 24 columns taken were twins"), (1, "taken was a twin")):
        assert ending in printed(replace(wine_run, check=a_check(twins=twins)))


def test_nothing_is_said_against_what_holds(wine_run):
    run = replace(wine_run, check=a_check(lost=0.005))
    assert (doubts(run), advice(run)) == ([], None)
    answer = collect(run)["answer"]
    assert (answer["headline"], answer["claim"]) == (f"{headline(run)}.", None)
    assert "(\N{MINUS SIGN}0.5 ± 1.0 points): no clear difference" in printed(run)


def test_all_features_lose_nothing(wine_run):
    everything = tuple(range(13))
    run = replace(wine_run, check=a_check(), selected=everything, explanations=())
    assert doubts(run) == []
    assert "balanced accuracy 90.0%; all features are selected" in printed(run)


def test_each_reason_alone_is_enough(wine_run):
    assert len(doubts(replace(wine_run, check=a_check()))) == 1
    assert len(doubts(replace(wine_run, check=a_check(lost=0.0, twins=12)))) == 1
    assert len(doubts(replace(wine_run, full_dependency=0.49, dependency=0.49))) == 1
    assert doubts(replace(wine_run, full_dependency=0.5, dependency=0.5)) == []
    assert advice(replace(wine_run, check=a_check())) == "For prediction, try --measure soft."
    assert advice(replace(wine_run, check=a_check(), command=None)) == (
        'For prediction, try measure="soft".'
    )


def test_a_soft_selection_that_loses_is_not_sent_to_itself(wine_run):
    soft = asking(replace(wine_run, check=a_check(twins=12)), measure="soft")
    assert len(doubts(soft)) == 1  # shuffled copies are no news about a strict selection
    assert "--measure soft" not in advice(soft)
    assert "--n-features" in advice(soft)


def test_green_is_only_for_what_models_confirm(wine_run):
    def style(run):
        claim = headline(run)
        return next(str(one.style) for one in result_lines(run) if str(one).startswith(claim))

    certified = replace(wine_run, certificate=Certificate(True, 5, 5, 343, True))
    assert style(certified) == "bold"
    assert style(replace(certified, check=a_check())) == "bold"
    assert style(replace(certified, check=a_check(lost=0.0))) == "bold green"


def test_a_proof_is_about_these_samples(wine_run):
    certified = replace(wine_run, certificate=Certificate(True, 5, 5, 343, True))
    proof = collect(certified)["answer"]["proof"]
    assert proof["title"] == "Proven for these samples: 5 features are the fewest."
    assert proof["text"].endswith("not about how well models predict new ones.")


def test_names_in_the_advice_do_no_harm(wine_run):
    run = replace(wine_run, check=a_check(soft=tuple(HOSTILE)))
    page = render_report(run) + summary_html(run)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert(1)" not in page
    assert "and 10 more), with which" in page
    assert "\u202e" not in page + printed(run)


def test_a_check_that_was_left_out_says_so(wine_run):
    assert "Run again with" in render_report(wine_run)
    silent = replace(
        a_check(), models=(), scores=(), noise=None, left_out="it would take about 40 s."
    )
    run = replace(wine_run, check=silent)
    assert "Not checked: it would take about 40 s." in render_report(run)
    assert "models      not checked: it would take about 40 s" in printed(run)
    assert doubts(run) == []
