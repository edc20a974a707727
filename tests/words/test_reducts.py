"""What is said of reducts, on the command line and in the report, is what they may claim."""

from __future__ import annotations

from html import unescape

import pytest
from msgspec.structs import replace

from fuzzyfrog.cli.summary import result_lines
from fuzzyfrog.report import render_report, summary_html
from fuzzyfrog.report.render import collect
from fuzzyfrog.result import Certificate, Check, Leak, TargetSummary
from fuzzyfrog.words import words_of
from report.made import HOSTILE, a_check, changed, soft_result


def asking(result, **settings):
    return replace(result, settings={**result.settings, **settings})


def printed(result):
    return "\n".join(map(str, result_lines(result, details=True)))


@pytest.fixture(scope="module")
def enough(wine_result):
    """Nine subsets that keep what was asked for, and not the same."""
    return changed(asking(wine_result, min_dependency=0.95), dependency=0.96, n_reducts=9)


def test_what_is_enough_is_not_called_equally_good(enough):
    assert words_of(enough).alike() == "subsets of 5 features that keep at least 95%"
    page, text = render_report(enough), printed(enough)
    assert "9 subsets of 5 features that keep at least 95%" in page
    assert "found 9 subsets of 5 features that keep at least 95%" in text
    assert "no single feature is needed to keep 95%" in text
    assert "The core is empty: no single feature is needed to keep 95%." in page
    assert "equally good" not in text + page.replace("Equally good</th>", "")


def test_a_given_size_is_not_called_the_smallest(wine_result):
    result = changed(
        asking(wine_result, n_features_to_select=5), dependency=0.5, core=wine_result.selected
    )
    text = printed(result)
    assert "5, as requested" in text
    assert "smallest" not in text
    assert "cannot be replaced" not in text
    assert words_of(result).standing().title == "5 features, as asked for."
    missed = asking(result, min_dependency=0.9)
    assert "0.5000 of 1.0000, below the required 0.9000" in printed(missed)
    assert "less than the 0.900 asked for" in words_of(missed).reasons()[0]


def test_nothing_is_smaller_than_one(wine_result):
    one = replace(
        wine_result, selected=wine_result.selected[:1], explanations=wine_result.explanations[:1]
    )
    assert "1, the fewest possible" in printed(one)
    assert words_of(one).standing().state == "proven"
    short = words_of(replace(one, dependency=0.5))  # it does not reach the goal
    assert short.standing().title == "Not proven."


def test_excluded_features_do_not_count(wine_result):
    free = [at for at in range(13) if at not in wine_result.selected]
    result = replace(wine_result, excluded=tuple(free[:2]))
    allowed = "5 of 11 features (2 more are left out)"
    assert (
        words_of(result).headline()
        == f"{allowed} separate these samples as well as all 11 features do"
    )
    assert next(words_of(result).numbers()).of == "of 11 allowed"
    assert collect(result)["all_features"] == "all 11 allowed features"


def test_a_proof_is_not_only_a_search(wine_result):
    certified = changed(wine_result, certificate=Certificate(True, 5, 5, 343, True))
    words = words_of(certified)
    assert list(words.numbers())[2].of == "all there are"
    assert words.reasons()[2].startswith("There are exactly 343 equally good subsets")


def test_a_run_that_leaves_nothing_out_gets_a_next_step(wine_result):
    kept = wine_result.selected
    dropped = tuple(at for at in range(13) if at not in kept)
    result = changed(wine_result, core=kept, excluded=dropped)
    assert (
        words_of(result).headline()
        == "All 5 allowed features are needed to separate these samples this well"
    )
    enough = "with --min-dependency 0.95, 4 features are enough"
    assert enough in printed(result)
    assert enough in words_of(result).reasons()[-1]
    assert enough in printed(wine_result)
    assert words_of(wine_result).reasons()[-1].startswith("With --min-dependency 0.95, 4")


def test_the_chosen_point_is_the_selected_subset(wine_result, enough):
    def chosen(result):
        return [one for one in collect(result)["front"]["points"] if one["chosen"]]

    names = list(wine_result.names(wine_result.selected))
    assert [one["names"] for one in chosen(wine_result)] == [names]
    other = replace(wine_result.front[-1], features=tuple(range(5)))
    assert wine_result.selected != other.features
    beside = replace(enough, front=(*wine_result.front[:-1], other))
    assert [(one["names"], one["gamma"]) for one in chosen(beside)] == [(names, "0.960")]


def test_a_resumed_run_does_not_boast(wine_result):
    result = replace(wine_result, n_evaluations=1_000, n_resumed=900, seconds=10.0)
    assert collect(result)["run"]["facts"].endswith("(900 before resuming), 10.0 s.")
    assert "1,000 evaluations (900 before resuming), 10.0 s" in printed(result)


def test_options_are_not_broken_and_bare_numbers_are_classes(wine_result):
    page = render_report(replace(wine_result, command="fuzzyfrog <b> --min-dependency 0.9"))
    assert '&lt;b&gt; <span class="option">--min-dependency</span> 0.9' in page
    first = wine_result.explanations[0]
    pair = replace(first.examples[0], sample_target="2", other_target="x2")
    result = replace(
        wine_result, explanations=(replace(first, examples=(pair,)), *wine_result.explanations[1:])
    )
    cards = {one["name"]: one for one in collect(result)["features"]["first"]}
    shown = cards[first.name]["pairs"][0]
    assert (shown["sample_target"], shown["other_target"]) == ("class 2", "x2")


def test_a_single_subset_has_nothing_to_sort(wine_result):
    page = render_report(changed(wine_result, n_reducts=1, reducts=wine_result.reducts[:1]))
    assert 'id="explorer"' not in page
    assert 'id="reducts"' not in page
    assert "The search found no other subset of 5 features that is as good." in page


def test_what_must_be_in_is_not_called_checked(wine_result):
    asked = asking(wine_result, must_include="['alcohol']")
    assert words_of(wine_result).standing().state == "checked"
    assert words_of(asked).standing().state == "open"
    assert "feature in them is needed" not in printed(asked)


def test_a_run_that_was_stopped_promises_no_shortcut(wine_result):
    everything = tuple(range(wine_result.table.n_features))
    stopped = changed(wine_result, selected=everything, core=(), stop_reason="max_seconds")
    assert "--min-dependency" not in printed(stopped) + render_report(stopped)


def test_what_speaks_against_a_selection_is_said_first(wine_result):
    claim = "5 of 13 features separate these samples as well as all columns do"
    soft = ("alcohol", "hue")
    result = replace(
        wine_result, check=a_check(n_random=12, soft=soft), full_dependency=0.3, dependency=0.3
    )
    loss, noise, low = words_of(result).doubts()
    assert loss == (
        "5 of 13 columns: the best model scores 0.870 balanced accuracy, with all columns 0.950, "
        "with those of fuzzyfrog select 0.940 (chance 0.333): a loss of 0.080."
    )
    assert noise.endswith("for every real one, 12 of the 24 columns taken were random.")
    assert low.endswith("poorly: their dependency is 0.300 on a scale from 0 to 1.")
    assert words_of(result).advice() == (
        "For prediction, use fuzzyfrog select: it selects 2 columns (alcohol, hue)."
    )
    doubts, numbers = (loss, noise, low), '<dl class="facts">'
    for text, said in (
        (printed(result), [*doubts, claim]),
        (render_report(result), [f">{claim}.</h1>", *doubts, numbers]),
        (summary_html(result), [claim, *doubts]),
    ):
        text = text.replace('<span class="option">', "").replace("</span>", "")
        places = [text.index(one) for one in said]
        assert places == sorted(places)
        assert words_of(result).advice() in text


def test_a_loss_against_the_soft_selection_counts(wine_result):
    """As on genes, where all columns are diluted by noise."""
    check = a_check(lost=0.0, soft=("hue",), soft_lost=-0.04)
    assert (check.loses, replace(check, scores=check.scores[:2]).loses) == (True, False)
    (said,) = words_of(replace(wine_result, check=check)).doubts()
    assert said.endswith("with all columns 0.950, with those of fuzzyfrog select 0.990 "
        "(chance 0.333): a loss of 0.040.")  # fmt: skip


def test_the_soft_measure_is_no_advice_where_it_loses(wine_result):
    check = a_check(n_random=12, soft=("alcohol", "hue"), soft_lost=0.1)
    assert words_of(replace(wine_result, check=check)).advice() == (
        "For prediction, keep all columns; fuzzyfrog select does worse, too."
    )


def test_what_does_better_than_the_soft_measure_is_kept(wine_result):
    check = a_check(lost=-0.04, n_random=12, soft=("alcohol", "hue"))
    kept = "For prediction, keep the selected columns; fuzzyfrog select does worse."
    assert words_of(replace(wine_result, check=check)).advice() == kept


def test_the_soft_measure_is_no_advice_if_its_best_model_is_no_better(wine_result):
    names = wine_result.names(range(5))
    low = replace(wine_result, full_dependency=0.3, dependency=0.3)
    unclear = replace(low, check=a_check(lost=0.0, error=0.05, soft=names))
    kept = "For prediction, keep the selected columns; fuzzyfrog select scores no higher."
    assert words_of(unclear).advice() == kept


@pytest.mark.parametrize("lost", [0.0, 0.02])  # which may be luck
@pytest.mark.parametrize("n_random", [0, 12])
def test_of_equally_good_columns_those_that_are_fewer_or_no_noise_are_better(
    wine_result, lost, n_random
):
    soft = ("alcohol", "hue") if not n_random else wine_result.names(range(6))
    check = a_check(lost=lost, error=0.05, n_random=n_random, soft=soft)
    low = replace(wine_result, full_dependency=0.3, dependency=0.3, check=check)
    said = words_of(low).advice()
    assert said.startswith(f"For prediction, use fuzzyfrog select: it selects {len(soft)} columns")
    assert said.endswith("; no clear difference.")


def test_what_gaps_count_as_is_said(wine_result):
    table, at = wine_result.table, wine_result.selected[0]
    features = list(table.features)
    features[at] = replace(features[at], n_missing=7)
    result = replace(wine_result, table=replace(table, features=tuple(features)))
    said = f"missing values ({features[at].name} 7) count as similar to every value"
    assert said in printed(result)
    assert said not in printed(wine_result)


def test_columns_that_predict_nothing_are_not_recommended(wine_result):
    check = a_check(lost=0.5, error=0.1, chance=0.5)
    nothing = replace(check, scores=(replace(check.selected, name="all"), check.selected))
    result = replace(wine_result, check=nothing)
    assert words_of(result).doubts()[0] == (
        "5 of 13 columns: no better than chance, the best model scores 0.450 balanced accuracy "
        "(chance 0.500)."
    )
    assert words_of(result).advice() == "For prediction, the table needs other columns."
    for lost, is_luck in ((0.16, True), (0.14, False)):  # three standard errors are 0.3
        found = a_check(lost=lost, error=0.1, chance=0.5)
        assert found.is_better_than_chance is not is_luck


def test_an_identifier_that_is_selected_is_mentioned_before_the_headline(wine_result):
    feature = wine_result.selected[0]
    result = replace(wine_result, check=a_check(lost=0.005), identifiers=(feature, 12))
    for some in (result, replace(result, command=None)):
        first, *others = words_of(some).doubts()
        assert first.startswith("The selected 'alcohol' looks like an ID: what it says about")
        assert first.endswith(("with --ignore alcohol.", "with exclude=['alcohol']."))
        assert len(others) == (12 in result.selected)
        assert words_of(some).advice() is None
        assert printed(some).index(first) < printed(some).index(words_of(some).headline())
        assert first.split(":")[0] in unescape(render_report(some))
    assert words_of(replace(result, identifiers=(3,))).doubts() == []


def test_leaks_are_mentioned_before_the_headline(wine_result):
    one, other, *_ = wine_result.selected
    log = Leak((one,), "it is the logarithm of the target")
    result = replace(wine_result, check=a_check(lost=0.005), suspected_leaks=(log,))
    first, *others = words_of(result).doubts()
    assert first == (
        "'alcohol' (it is the logarithm of the target) alone predicts the target almost perfectly. "
        "If it is recorded after the fact or computed from the target, these scores do not hold "
        "for new samples: leave it out with --ignore alcohol."
    )
    assert (others, words_of(result).advice()) == ([], None)
    assert printed(result).index(first) < printed(result).index(words_of(result).headline())
    both = Leak((one, other), "their sum is the target")
    (first,) = words_of(replace(result, suspected_leaks=(log, both))).doubts()
    assert first.startswith(
        "The target is almost perfectly predicted by 'alcohol' (it is the logarithm of the "
        "target); by 'alcohol' and 'ash' (their sum is the target). If they are"
    )
    many = Leak(tuple(range(5)), "their sum is the target")
    (first,) = words_of(replace(result, suspected_leaks=(many,))).doubts()
    assert "'malic_acid', 'ash' and 2 more (their sum is the target) predict the target" in first
    formula = Leak((one, other), "'alcohol' - 'ash' is the target", (other,))
    (first,) = words_of(replace(result, suspected_leaks=(formula,))).doubts()
    assert first == (
        "'alcohol' - 'ash' is the target. If 'alcohol' is recorded after the fact or computed from "
        "the target, these scores do not hold for new samples: leave it out with --ignore alcohol."
    )
    (first,) = words_of(replace(result, suspected_leaks=(log, formula))).doubts()
    assert "(it is the logarithm of the target); by 'alcohol' - 'ash'. If it is" in first
    assert words_of(replace(result, suspected_leaks=(formula,))).leak_of(other) == ""
    same = Leak((other,), log.relation)
    (first,) = words_of(replace(result, suspected_leaks=(log, same))).doubts()
    assert first.startswith(
        "Each of 'alcohol', 'ash' (it is the logarithm of the target) alone predicts the target "
        "almost perfectly. If they are recorded"
    )
    elsewhere = replace(log, features=(3,))
    (name,) = result.names((3,))
    (said,) = words_of(replace(result, suspected_leaks=(elsewhere,))).doubts()
    assert "the score of all columns does not hold for new samples: leave it out" in said
    assert said.endswith(f"with --ignore {name}.")
    (said,) = words_of(replace(result, suspected_leaks=(log, both), command=None)).doubts()
    assert said.endswith("leave them out with exclude=['alcohol', 'ash'].")
    third = Leak((3, other), "their ratio is the target")
    (said,) = words_of(replace(result, suspected_leaks=(elsewhere, third))).doubts()
    assert f" by '{name}' and 'ash' (their ratio is the target); by" in said  # selected one first
    assert said.endswith(f"with --ignore ash,{name}.")
    check = a_check(lost=0.1, soft=(name,))
    proposed = replace(result, suspected_leaks=(elsewhere,), check=check)
    assert words_of(proposed).doubts()[0].startswith(f"'{name}' (it is")


def test_models_that_are_almost_perfect_name_the_columns_that_would_do_alone(wine_result):
    check = a_check(lost=0.0)

    def reaching(score):
        scores = [
            replace(one, folds=tuple(tuple(score for _ in row) for row in one.folds))
            for one in check.scores
        ]
        return replace(wine_result, check=replace(check, scores=tuple(scores)))

    for few, score, is_told in ((3, 0.995, True), (3, 0.985, False), (4, 0.995, False)):
        together = changed(reaching(score), selected=wine_result.selected[:few])
        said = " ".join(words_of(together).doubts())
        assert ("'alcohol', 'ash', 'magnesium' alone, which is rare" in said) == is_told
    leaks = (Leak(wine_result.selected[:1], "alone"),)
    assert words_of(replace(reaching(0.995), suspected_leaks=leaks)).doubts()[0] == (
        "Models reach balanced accuracy 0.995, which is rare, and nearly that with 'alcohol' "
        "alone. If it is recorded after the fact or computed from the target, this does not hold "
        "for new samples: leave it out with --ignore alcohol."
    )
    assert "is rare" not in " ".join(words_of(reaching(0.995)).doubts())
    leaks += (Leak(wine_result.selected[1:2], "alone"),)
    (both,) = words_of(replace(reaching(0.995), suspected_leaks=leaks)).doubts()
    assert "nearly that with each of 'alcohol', 'ash' alone. If some of them are rec" in both
    assert both.endswith("leave those out with --ignore.")
    single = changed(reaching(0.98), selected=wine_result.selected[:1])
    assert "0.980 with 'alcohol' alone, which is rare. If it" in words_of(single).doubts()[0]
    other = replace(single, suspected_leaks=(Leak((3,), "it is the square root of the target"),))
    assert "with 'alcohol' alone, which is rare" in words_of(other).doubts()[1]
    good = words_of(replace(reaching(0.97), suspected_leaks=leaks))
    assert "is rare" not in " ".join(good.doubts())


def test_features_of_the_core_that_are_not_selected_are_named(wine_result):
    core = (0, 1, 2)
    result = changed(
        wine_result, selected=(0, 1), core=core, dependency=0.7, stop_reason="max_seconds"
    )
    assert (
        "core        alcohol, malic_acid, ash: cannot be replaced; ash is not selected, because "
        "the search was stopped by --max-seconds\n"
    ) in printed(result)
    assert "size        2, too few: stopped by --max-seconds\n" in printed(result)
    assert "is not selected" not in printed(replace(result, selected=core))
    asked = replace(result, settings={**result.settings, "n_features_to_select": 2})
    assert "; ash is not selected, because 2 features were asked for\n" in printed(asked)
    assert "; ash is not selected\n" in printed(replace(result, stop_reason="converged"))


def test_models_that_were_not_tried_are_mentioned_next_to_the_headline(wine_result):
    warning = "Models were not tried, so this says nothing about predicting new samples"
    for text in (printed(wine_result), render_report(wine_result), summary_html(wine_result)):
        assert words_of(wine_result).headline() in text
        assert warning in text[text.index(words_of(wine_result).headline()) :]
    assert f"{words_of(wine_result).headline()}.\n{warning}" in printed(wine_result)
    for result in (
        replace(wine_result, check=a_check()),
        replace(wine_result, selected=tuple(range(13))),
    ):
        assert words_of(result).unchecked() is None
        assert f"{words_of(result).headline()}.\n" in printed(result)


@pytest.mark.parametrize(
    ("number", "size"), [(1.0, "1 column"), (1.4, "1.4 columns"), (0.6, "0.6 columns")]
)
def test_one_column_is_singular(wine_result, number, size):
    result = replace(wine_result, check=a_check(lost=0.0, size=number))
    assert f"repeated in the folds ({size} on average), not of exactly these 5." in printed(result)


def test_one_random_column_is_singular(wine_result):
    for n_random, ending in ((0, "0 of the 24 columns taken were random"), (1, "taken was random")):
        assert ending in printed(replace(wine_result, check=a_check(n_random=n_random)))


def test_nothing_is_said_against_what_holds(wine_result):
    result = replace(wine_result, check=a_check(lost=0.005))
    assert (words_of(result).doubts(), words_of(result).advice()) == ([], None)
    answer = collect(result)["answer"]
    assert (answer["headline"], answer["doubts"]) == (f"{words_of(result).headline()}.", [])
    assert "with all columns 0.950 (chance 0.333): no clear difference.\n" in printed(result)


def test_all_features_lose_nothing(wine_result):
    everything = tuple(range(13))
    result = replace(wine_result, check=a_check(size=13), selected=everything, explanations=())
    assert words_of(result).doubts() == []
    assert "All 13 columns: the best model scores 0.950 balanced accuracy (chance 0.3" in printed(
        result
    )
    # What the folds select may gain, and so may the soft selection: all columns do not.
    check = a_check(lost=-0.02, soft=("proline",), soft_lost=-0.02)
    result = replace(wine_result, check=check, selected=everything[1:], excluded=(0,))
    assert words_of(result).verdict() == (
        "All 12 columns (1 more is left out): the best model scores 0.950 balanced accuracy, "
        "with those of fuzzyfrog select 0.970 (chance 0.333)"
    )


def test_each_reason_alone_is_enough(wine_result):
    assert len(words_of(replace(wine_result, check=a_check())).doubts()) == 1
    assert len(words_of(replace(wine_result, check=a_check(lost=0.0, n_random=12))).doubts()) == 1
    assert len(words_of(replace(wine_result, full_dependency=0.49, dependency=0.49)).doubts()) == 1
    assert words_of(replace(wine_result, full_dependency=0.5, dependency=0.5)).doubts() == []
    assert (
        words_of(replace(wine_result, check=a_check())).advice()
        == "For prediction, use fuzzyfrog select."
    )
    assert words_of(replace(wine_result, check=a_check(), command=None)).advice() == (
        "For prediction, use SoftSelector."
    )


def test_a_soft_selection_that_loses_is_not_sent_to_itself():
    soft = replace(soft_result(), check=a_check(), command="fuzzyfrog select wine")
    assert "fuzzyfrog select" not in words_of(soft).advice()
    assert "--n-features" in words_of(soft).advice()


def test_green_is_only_for_what_models_confirm(wine_result):
    def style(result):
        claim = words_of(result).headline()
        return next(str(one.style) for one in result_lines(result) if str(one).startswith(claim))

    certified = changed(wine_result, certificate=Certificate(True, 5, 5, 343, True))
    assert style(certified) == "bold"
    assert style(replace(certified, check=a_check())) == "bold"
    assert style(replace(certified, check=a_check(lost=0.0))) == "bold green"


def test_a_proof_is_about_these_samples(wine_result):
    certified = changed(wine_result, certificate=Certificate(True, 5, 5, 343, True))
    proof = words_of(certified).standing()
    assert proof.title == "Proven for these samples: 5 features are the fewest."
    assert proof.text.endswith("not about how well models predict new ones.")


def test_names_in_the_advice_do_no_harm(wine_result):
    result = replace(wine_result, check=a_check(soft=tuple(HOSTILE)))
    page = render_report(result) + summary_html(result)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert(1)" not in page
    assert "and 10 more)." in page
    assert "\u202e" not in page + printed(result)


def test_a_check_that_was_left_out_says_so(wine_result):
    assert "Not checked; run again without" in render_report(wine_result)
    result = replace(wine_result, check=Check.without("it was interrupted."))
    assert "Not checked: it was interrupted." in render_report(result)
    assert "Not checked with models: it was interrupted" in printed(result)
    assert words_of(result).doubts() == ["Not checked with models: it was interrupted."]


def test_the_first_line_says_how_the_target_is_read(wine_result):
    assert words_of(wine_result).table().endswith("178 samples, 13 features, 3 classes")
    bikers = TargetSummary("bikers", (), 1.0, 977.0, 170, is_whole=True)
    counted = replace(wine_result, table=replace(wine_result.table, target=bikers))
    start = f"{wine_result.table.name}: 178 samples, 13 features; bikers: a quantity"
    hint = "" if wine_result.command is None else "; --target-kind class if these are classes"
    assert words_of(counted).table() == f"{start}, 170 different whole numbers{hint}"
    asked = replace(counted, command="fuzzyfrog select x.csv --target-kind numeric")
    assert words_of(asked).table() == start
    mpg = replace(bikers, is_whole=False)
    assert words_of(replace(counted, table=replace(counted.table, target=mpg))).table() == start
    edema = replace(bikers, n_values=3, is_whole=False)  # 0, 0.5 and 1
    grades = replace(counted, table=replace(counted.table, target=edema))
    assert words_of(grades).table() == f"{start}, 3 different values{hint}"
    assert words_of(replace(grades, command=asked.command)).table() == start


def test_why_there_is_no_core(wine_result):
    settings = {**wine_result.settings, "max_seconds": 2.0}
    lost = replace(wine_result, answer=replace(wine_result.answer, core=None), settings=settings)
    for stop, why in (
        ("interrupted", "the run was interrupted"),
        ("converged", "the time limit was reached"),
    ):
        words = words_of(replace(lost, stop_reason=stop))
        assert dict(words.facts())["core"] == f"not determined: {why}"
        assert words.core()[0] == f"The core is not determined: {why}."


def test_a_search_cut_short_is_named_where_it_found_no_subset(wine_result):
    result = replace(wine_result, selected=tuple(range(13)), stop_reason="max_seconds")
    found = "No subset of the 13 features was found that separates these samples as well"
    stopped = " before the search was stopped by --max-seconds"
    assert words_of(result).headline() == f"{found}{stopped}"
    assert words_of(replace(result, stop_reason="converged")).headline() == found
