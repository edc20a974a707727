"""What is said of features to predict with: no word that only γ deserves."""

import re
from html import escape

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from fuzzyfrog import SoftSelector
from fuzzyfrog.report import render_report, summary_html
from fuzzyfrog.report.plot_data import models
from fuzzyfrog.result import Alike, Check, Exchange, Leak
from fuzzyfrog.words import words_of
from fuzzyfrog.words.columns import columns_lead, remark
from report.made import HOSTILE, a_check, changed, soft_result
from words.pages import STRICT, text_of


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"numeric": True},
        {"sample": 60, "exclude": [0]},
        {"n_features_to_select": 2, "must_include": [3]},
    ],
    ids=str,
)
def test_soft_results_have_pages_without_strict_words(parameters):
    result = soft_result(**parameters)
    page = render_report(result)
    shown = text_of(page) + text_of(summary_html(result))
    for word in STRICT:
        assert not re.search(word, shown), word
    assert f"chance: {result.chance:.3f}" in shown
    assert f"soft dependency {result.front[0].dependency:.3f}" in page
    assert "One feature after another" in shown
    assert 'id="frequency"' not in page
    assert 'id="reducts"' not in page


def test_both_curves_are_drawn():
    result = soft_result()
    page = render_report(result)
    for point in result.front:
        right = f"kNN accuracy on these rows (optimistic) {point.accuracy:.3f}"
        assert f"soft dependency {point.dependency:.3f}, {right}" in page
    assert page.count('class="bound"') == 1
    bare = replace(result, front=tuple(replace(one, accuracy=None) for one in result.front))
    assert 'class="bound"' not in render_report(bare)


def test_the_headline_names_chance_and_all():
    result = soft_result(size_rule="peak")
    assert words_of(result).headline() == (
        "Judged by 5 of 13 columns, similar samples share their class 84.1% of the time (all "
        "columns: 77.1%, chance: 33.8%), which is optimistic: the columns were chosen on these "
        "samples"
    )
    assert words_of(result).size_reason() == "where the soft dependency is highest"
    assert (
        words_of(replace(result, dependency=0.3))
        .headline()
        .startswith("No subset does better than chance")
    )
    everything = tuple(range(13))
    assert "Judged by all 13 columns," in words_of(replace(result, selected=everything)).headline()


def test_the_headline_is_about_the_best_model():
    result = replace(soft_result(size_rule="peak"), check=a_check(lost=0.005))
    known = "0.945 balanced accuracy, with all columns 0.950 (chance 0.333)"
    said = f"5 of 13 columns: the best model scores {known}: no clear difference"
    assert words_of(result).headline() == words_of(result).models() == said
    assert words_of(result).is_confirmed
    assert words_of(replace(result, selected=tuple(range(13)))).headline() == (
        "All 13 columns: the best model scores 0.950 balanced accuracy (chance 0.333)"
    )
    lost = replace(result, check=a_check())
    assert words_of(lost).headline().endswith("0.870 balanced accuracy, with all columns 0.950 "
        "(chance 0.333): a loss of 0.080")  # fmt: skip
    assert (words_of(lost).doubts(), words_of(lost).is_confirmed) == ([], False)
    without = replace(result, check=Check.without("it was interrupted."))
    assert words_of(without).headline().startswith("Judged by 5 of 13 columns,")


@pytest.mark.parametrize(
    ("lost", "best_lost", "ending"),
    [
        (0.05, 0.05, ": a loss of 0.050"),
        (-0.05, -0.02, ": a gain of 0.020"),
        (
            0.05,
            0.0,
            ": no clear difference for the best model and a loss of 0.033 on average",
        ),
        (0.0, 0.0, ": no clear difference"),
        (-0.05, 0.0, ": no clear difference"),
        (0.0, 0.03, "a loss of 0.030 for the best model and no clear difference on average"),
        (
            0.0,
            -0.03,
            "a gain of 0.030 for the best model and no clear difference on average",
        ),
    ],
)
def test_a_gain_or_loss_holds_for_the_best_model_and_on_average(lost, best_lost, ending):
    check = a_check(lost=lost, best_lost=best_lost)
    assert words_of(replace(soft_result(), check=check)).headline().endswith(ending)


@pytest.mark.parametrize(
    ("size", "is_said"), [(5.0, False), (6.0, False), (6.1, True), (4.0, False), (3.9, True)]
)
def test_scores_of_selections_of_other_sizes_are_said_first(size, is_said):
    result = replace(soft_result(size_rule="peak"), check=a_check(lost=0.0, size=size))
    said = f"The scores are of selections repeated in the folds ({size:g} columns on average), not"
    doubts = words_of(result).doubts()
    assert [one.startswith(said) for one in doubts] == [True] * is_said


def test_columns_that_no_fold_selected_are_named_next_to_the_scores():
    result = replace(soft_result(size_rule="peak"), check=a_check(lost=0.0, size=5.0))
    first, *rest = result.names(result.selected)
    result = replace(result, check=replace(result.check, selections=(tuple(rest),) * 5))
    assert words_of(result).doubts() == [
        "The scores are of selections repeated in the folds (5 columns on average), not of exactly "
        f"these 5. {first} was selected in no fold."
    ]
    everything = replace(result, selected=tuple(range(13)))
    (said,) = words_of(everything).doubts()  # the headline has the scores of all
    assert said.startswith("The folds selected 5 columns on average, with which the best model sc")


@pytest.mark.parametrize(("alone", "is_said"), [(0.98, True), (0.97, False)])
def test_a_column_that_nearly_does_alone_is_named_if_models_are_near_perfect(alone, is_said):
    result = soft_result(size_rule="peak")
    first, *rest = result.front
    check = a_check(lost=-0.04, error=0.001)
    result = replace(result, front=(replace(first, accuracy=alone), *rest), check=check)
    (name,) = result.names(first.features)
    said = (
        f"Models reach balanced accuracy 0.990, which is rare, and nearly that with '{name}' alone."
    )
    assert any(one.startswith(said) for one in words_of(result).doubts()) is is_said
    # Models get a part of a large table, and may not see what neighbors do.
    result = replace(result, check=a_check(lost=0.0), selected=first.features)
    assert not any("which is rare" in one for one in words_of(result).doubts())
    result = replace(result, check=replace(result.check, n_samples=100))
    for by_class, what in ((False, "an accuracy"), (True, "a balanced accuracy")):
        result = replace(result, answer=replace(result.answer, by_class=by_class))
        reach = f"Neighbors reach {what} of {alone:.3f} with '{name}' alone, which is rare."
        assert any(one.startswith(reach) for one in words_of(result).doubts()) is is_said


def test_few_columns_of_a_number_are_suspects_together():
    result = replace(soft_result(numeric=True), selected=(1, 2))
    scores = tuple(
        replace(one, metric="R²", folds=tuple((0.98,) * 3 for _ in one.folds))
        for one in a_check(lost=0.0, size=2.0).scores
    )
    check = replace(a_check(lost=0.0), metric="R²", scores=scores)
    first, second = result.names((1, 2))
    assert words_of(replace(result, check=check)).doubts()[0] == (
        f"Models reach R² 0.980 with '{first}', '{second}' alone, which is rare. If some of them "
        "are recorded after the fact or computed from the target, this does not hold for new "
        "samples: leave those out with exclude."
    )


def test_columns_that_are_only_good_together_are_not_named_as_good_alone():
    result = soft_result(n_features_to_select=5, must_include=[0, 6, 9, 11, 12])
    assert result.front[0].size == 5
    front = (replace(result.front[0], accuracy=0.99), *result.front[1:])
    result = replace(result, front=front, check=a_check(lost=-0.04, error=0.001))
    assert words_of(result).doubts() == []


def test_no_better_than_chance_is_the_headline():
    check = a_check(lost=0.4, error=0.05, chance=0.5)
    result = replace(soft_result(size_rule="peak"), check=check)
    assert not check.is_better_than_chance
    assert words_of(result).headline() == (
        "5 of 13 columns: no better than chance, the best model scores 0.550 balanced accuracy "
        "(chance 0.500); with all columns, it scores 0.950"
    )
    assert words_of(result).advice().endswith("or keep all columns.")
    swap = Exchange(("ash",), ("hue",), 0.8, 0.1, None, None, None, check.all)
    assert words_of(replace(result, exchange=swap)).headline() == (
        "hue in the place of ash: no better than chance, the best model scores 0.550 balanced "
        "accuracy, before 0.950 (chance 0.500): a loss of 0.400; with all columns 0.950"
    )
    nothing = replace(check, scores=(replace(check.selected, name="all"), check.selected))
    result = replace(result, check=nothing)
    assert words_of(result).headline().endswith("(chance 0.500)")
    assert words_of(result).advice() == "For prediction, the table needs other columns."
    for chance, advice in (
        (0.96, "For prediction, the table needs other columns."),
        (0.948, "For prediction, keep all columns; more samples would tell more."),
    ):
        loss = a_check(lost=0.15, error=0.05, chance=chance)
        result = replace(result, check=loss)
        assert not any(map(loss.beats_chance, loss.scores))
        assert words_of(result).headline().endswith("; with all columns, it scores 0.950")
        assert words_of(result).advice() == advice
    unclear = a_check(lost=0.35, error=0.05, chance=0.5)  # two standard errors
    unclear = replace(unclear, scores=(replace(unclear.selected, name="all"), unclear.selected))
    result = replace(result, check=unclear)
    assert ": not clearly better than chance, the best model scores 0.600 " in (
        words_of(result).headline()
    )
    assert words_of(result).advice() == (
        "For prediction, the table needs more samples or other columns."
    )


def test_chance_is_judged_by_the_model_that_the_headline_names():
    check = a_check(lost=0.6, best_lost=0.3, error=0.01, chance=0.5)  # two models do harm
    words = words_of(replace(soft_result(), check=check))
    assert check.is_better_than_chance
    assert "the best model scores 0.650" in words.headline()
    assert "better than chance" not in words.headline()


def test_values_far_out_come_before_the_headline():
    said = "1 value of the target lies far out (326.5), and R² depends on it."
    check = replace(a_check(lost=0.0), far_out=said)
    words = words_of(replace(soft_result(), check=check))
    assert (words.doubts()[0], words.advice(), words.is_confirmed) == (said, None, False)
    nothing = replace(check, chance=0.99)
    assert words_of(replace(soft_result(), check=nothing)).advice() == (
        "If the values far out are errors, correct them or remove their rows."
    )
    assert said in str(check)


@pytest.mark.parametrize(
    "said",
    [
        "Samples with the same 'state' may belong together: they are alike. Pass --groups state.",
        "The samples are in the order of 'day'. If they are a time series, verify them.",
    ],
)
def test_rows_that_may_depend_on_each_other_come_before_the_headline(said):
    result = replace(soft_result(), notes=("Something else.", said), check=a_check(lost=0.0))
    words = words_of(result)
    assert (words.doubts(), words.is_confirmed) == ([said], False)
    shown = escape(said.partition(" Pass")[0]).replace("&#x27;", "&#39;")  # options are marked up
    assert render_report(result).count(shown) == 1
    lines = str(replace(a_check(lost=0.0), notes=("Something else.", said))).splitlines()
    verdict = next(place for place, line in enumerate(lines) if "best model scores" in line)
    assert lines.index(said) < verdict < lines.index("Note: Something else.")


def test_copies_are_left_out_of_every_count():
    result = replace(soft_result(size_rule="peak"), excluded=(12,), copies=(Alike(0, (12,)),))
    words = words_of(replace(result, check=a_check(lost=0.005)))
    assert words.headline().startswith("5 of 12 columns (1 more is left out): ")
    assert "with all 12 columns 0.950" in words.headline()
    assert next(words.numbers()).of == "of 12 allowed"


def test_negative_numbers_have_a_minus_sign():
    result = soft_result(size_rule="peak")
    front = tuple(replace(one, accuracy=-0.25) for one in result.front)
    assert words_of(replace(result, front=front)).listing().rows[0][2] == "−0.250"


def test_the_axis_of_scores_ends_at_one():
    check = a_check(lost=-0.045, error=0.05)
    drawn = models(words_of(replace(soft_result(), check=check)))
    assert max(float(one["label"]) for one in drawn["ticks"]) <= 1
    assert drawn["rows"][1]["high"] == 100


def test_a_loss_is_answered_with_a_size_to_try():
    result = replace(soft_result(), check=a_check())
    assert words_of(result).advice() == (
        "For prediction, try twice as many columns (n_features_to_select=10), or keep all columns."
    )
    most = replace(result, selected=tuple(range(7)))
    assert words_of(most).advice() == "For prediction, keep all columns."


@pytest.mark.parametrize("lost", [0.08, -0.05], ids=["loss", "gain"])
@pytest.mark.parametrize("doubt", ["rows", "leak"])
def test_no_columns_are_advised_before_doubts_about_their_scores_are_settled(doubt, lost):
    result = replace(soft_result(), check=a_check(lost=lost))
    assert (words_of(result).advice() is None) == (lost < 0)
    if doubt == "rows":
        note = "Samples with the same 'state' may belong together: they are alike."
        result = replace(result, notes=(note,))
    else:
        leak = Leak((result.selected[0],), "it is missing in one class and present in the others")
        result = replace(result, suspected_leaks=(leak,))
    assert words_of(result).advice() == (
        "Settle the doubts first: until then, scores do not say which columns to keep."
    )


def test_a_single_column_that_predicts_in_every_fold_is_not_called_noise():
    result = soft_result(n_features_to_select=1)
    (name,) = result.names(result.selected)
    check = a_check(lost=0.0, n_random=13)
    for n_folds, is_told in ((check.folds, False), (check.folds - 1, True)):
        folds = tuple((name,) if fold < n_folds else ("ash",) for fold in range(check.folds))
        found = replace(result, check=replace(check, selections=folds))
        said = [one for one in words_of(found).doubts() if "may be noise" in one]
        assert bool(said) == is_told
    chance = replace(a_check(lost=0.45, chance=0.5, n_random=13), selections=((name,),) * 5)
    assert any("noise" in one for one in words_of(replace(result, check=chance)).doubts())


def test_a_loss_of_the_best_model_alone_has_a_way_out():
    result = soft_result()
    check = a_check(lost=-0.03, best_lost=0.07)
    assert not check.loses
    words = words_of(replace(result, check=check))
    assert "a loss of 0.020 for the best model" in words.headline()
    assert words.advice().startswith("For prediction, try twice as many columns")
    assert words_of(replace(result, check=a_check(lost=-0.03))).advice() is None


def test_classes_that_may_be_amounts_are_tried_as_such_before_more_columns():
    result = soft_result()
    scale = tuple(replace(one, name=str(at)) for at, one in enumerate(result.table.target.classes))
    more = tuple(replace(scale[0], name=str(at)) for at in range(len(scale), 11))
    for classes, is_told in ((scale + more, True), (scale, False)):
        target = replace(result.table.target, classes=classes)
        table = replace(result.table, target=target)
        found = replace(result, table=table, check=a_check(lost=0.45, chance=0.5))
        assert not found.check.is_better_than_chance
        advice = "0 to 10 may be amounts, not classes: try target='numeric'."
        assert (words_of(found).advice() == advice) == is_told
        typed = replace(found, command="fuzzyfrog select t.csv --target y")
        assert ("--target-kind numeric" in words_of(typed).advice()) == is_told
    asked = replace(typed, table=table, command=f"{typed.command} --target-kind class")
    assert "numeric" not in words_of(asked).advice()


def test_random_columns_that_are_taken_come_before_the_headline():
    result = replace(soft_result(), check=a_check(lost=0.0, n_random=13))
    (said,) = words_of(result).doubts()
    assert said == (
        f"Some of these {len(result.selected)} columns may be noise: in 5 trials with a random "
        "column for every real one, 13 of the 24 columns taken were random."
    )
    names = result.names(result.selected)
    for n_sure, advice in (
        (2, f"Selected in every fold: {', '.join(names[:2])}."),
        (0, "No column is selected in every fold."),
    ):
        folds = tuple(names[: n_sure + fold % 2] for fold in range(result.check.folds))
        found = replace(result, check=replace(result.check, selections=folds))
        assert words_of(found).advice() == advice
    assert said in render_report(result)


def test_hostile_names_stay_text():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, len(HOSTILE))).round(1), columns=HOSTILE)
    result = SoftSelector().fit(table, rng.integers(0, 2, 60)).record()
    page = render_report(result)
    assert "<script>alert(1)" not in page
    assert "onerror=alert(2)>" not in page


def test_sentences_have_a_space_between_them(wine_result, hostile_result):
    numeric = soft_result(numeric=True)
    r2 = replace(a_check(metric="R²"), n_samples=100)
    results = [
        replace(wine_result, check=a_check(soft=("hue",))),
        changed(hostile_result, core=(0,)),
        replace(numeric, check=r2),
        soft_result(),
    ]
    for result in results:
        paragraphs = re.findall(r"<p\b[^>]*>(.*?)</p>", render_report(result), re.DOTALL)
        assert len(paragraphs) > 10
        for paragraph in paragraphs:
            assert not re.search(r"[a-z0-9%)]\.[A-Z][a-z]", re.sub(r"<[^>]+>", "", paragraph))


def test_a_selected_column_that_clearly_lowers_the_dependency_is_said_to():
    result = soft_result(size_rule="peak")
    at = result.selected[-1]
    for adds, said in ((-0.0012, "lowers the soft dependency"), (-0.0003, "adds nothing")):
        one = replace(result.columns[at], adds=adds, error=0.0002, replacements=())
        columns = (*result.columns[:at], one, *result.columns[at + 1 :])
        assert remark(words_of(replace(result, columns=columns)), one).startswith(said)


@pytest.mark.parametrize("lost", [0.08, 0.0])
def test_unneeded_columns_do_not_contradict_a_loss_of_models(lost):
    words = words_of(replace(soft_result(), check=a_check(lost=lost)))
    assert ("models do worse without them" in columns_lead(words)) is (lost > 0)


@pytest.mark.parametrize(("n_rare", "title"), [(40, "accuracy"), (12, "accuracy"), (5, "balanced")])
def test_the_accuracy_of_neighbors_is_named_with_what_is_easy(n_rare, title):
    random = np.random.default_rng(0)
    rare = np.arange(100) < n_rare
    X = pd.DataFrame({"a": random.normal(size=100) + 2 * rare, "b": random.normal(size=100)})
    words = words_of(SoftSelector().fit(X, rare).result_)
    assert title in words.listing().titles[-1]
    assert ("kNN" in words.brief) is (n_rare == 12)
    usual = {40: "class: 0.600", 12: "class: 0.880"}.get(n_rare, "")
    assert dict(words.facts())["kNN"].partition("; always the most frequent ")[2] == usual
