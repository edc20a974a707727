"""What is said of features to predict with: no word that only γ deserves."""

import re

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from fuzzyfrog import SoftSelector
from fuzzyfrog.report import render_report, summary_html
from fuzzyfrog.words import words_of
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
    assert f"Γ {result.front[0].dependency:.3f}" in page
    assert "One feature after another" in shown
    assert 'id="frequency"' not in page
    assert 'id="reducts"' not in page


def test_both_curves_are_drawn():
    result = soft_result()
    page = render_report(result)
    for point in result.front:
        assert f"Γ {point.dependency:.3f}, neighbors right {point.accuracy:.3f}" in page
    assert page.count('class="bound"') == 1
    bare = replace(result, front=tuple(replace(one, accuracy=None) for one in result.front))
    assert 'class="bound"' not in render_report(bare)


def test_the_headline_names_chance_and_all():
    result = soft_result(size_rule="peak")
    assert words_of(result).headline() == (
        "Judged by 5 of 13 features, similar samples share their class 84.1% of the time (all "
        "columns: 77.1%, chance: 33.8%)"
    )
    assert words_of(result).size_reason() == "where the soft dependency is highest"
    assert (
        words_of(replace(result, dependency=0.3))
        .headline()
        .startswith("No subset does better than chance")
    )
    everything = tuple(range(13))
    assert "Judged by all 13 features," in words_of(replace(result, selected=everything)).headline()


def test_the_headline_has_the_score_of_models():
    result = replace(soft_result(size_rule="peak"), check=a_check(lost=0.005))
    assert words_of(result).headline() == (
        "With 5 of 13 features, models reach balanced accuracy 89.5% (all columns: 90.0%, chance: "
        "33.3%)"
    )
    assert words_of(replace(result, selected=tuple(range(13)))).headline() == (
        "With all 13 features, models reach balanced accuracy 90.0% (chance: 33.3%)"
    )
    without = replace(result.check, scores=(), left_out="it would take long.")
    for check in (without, a_check()):  # the latter comes before the headline
        assert (
            words_of(replace(result, check=check))
            .headline()
            .startswith("Judged by 5 of 13 features,")
        )


def test_hostile_names_stay_text():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, len(HOSTILE))).round(1), columns=HOSTILE)
    result = SoftSelector().fit(table, rng.integers(0, 2, 60)).record()
    page = render_report(result)
    assert "<script>alert(1)" not in page
    assert "onerror=alert(2)>" not in page


def test_sentences_have_a_space_between_them(wine_result, hostile_result):
    numeric = soft_result(numeric=True)
    r2 = replace(a_check(), metric="R²", n_samples=100)
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
