"""Reports of runs with the soft measure, or with one's own: no word that only γ deserves."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import FuzzyRoughSelector, load_dataset
from fuzzyfrog.records.statements import headline, size_reason
from fuzzyfrog.report import render_report, save_figures, summary_html
from fuzzyfrog.report.plot_data import models
from report.made import HOSTILE, a_check

WRONG = [
    "γ",
    r"\breducts?\b",
    r"\bcore\b",
    "certif",
    "as well as",
    "Proven",
    "surely",
    r"\benemy\b",
]


def soft_run(*, numeric=False, **parameters):
    wine = load_dataset("wine")
    if numeric:
        features = [name for name in wine.feature_names if name != "proline"]
        columns = [wine.feature_names.index(name) for name in features]
        X, y = wine.values[:, columns], wine.values[:, wine.feature_names.index("proline")]
        return FuzzyRoughSelector(measure="soft", target="numeric", **parameters).fit(X, y).record()
    return FuzzyRoughSelector(measure="soft", **parameters).fit(wine).record()


def text_of(page):
    body = re.sub(r"<(script|style).*?</\1>|<head.*?</head>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", body.split("Data, parameters and versions")[0])


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"numeric": True},
        {"search": "genetic", "random_state": 0},
        {"sample": 60, "exclude": [0]},
        {"n_features_to_select": 2, "must_include": [3]},
    ],
    ids=str,
)
def test_soft_runs_have_pages_without_strict_words(parameters):
    run = soft_run(**parameters)
    page = render_report(run)
    shown = text_of(page) + text_of(summary_html(run))
    for word in WRONG:
        assert not re.search(word, shown), word
    assert f"chance: {run.chance:.3f}" in shown
    assert f"Γ {run.front[0].dependency:.3f}" in page
    assert ("One feature after another" in shown) == ("search" not in parameters)
    assert 'id="frequency"' not in page
    assert 'id="reducts"' not in page


def test_both_curves_are_drawn():
    run = soft_run()
    page = render_report(run)
    for point in run.front:
        assert f"Γ {point.dependency:.3f}, neighbors right {point.accuracy:.3f}" in page
    assert page.count('class="bound"') == 1
    bare = replace(run, front=tuple(replace(one, accuracy=None) for one in run.front))
    assert 'class="bound"' not in render_report(bare)


def test_the_headline_names_chance_and_all():
    run = soft_run(size_rule="peak")
    assert headline(run) == (
        "Judged by 5 of 13 features, similar samples share their class 84.1% of the time (all "
        "columns: 77.1%, chance: 33.8%)"
    )
    assert size_reason(run) == "where the soft dependency is highest"
    assert headline(replace(run, dependency=0.3)).startswith("No features were found by which")
    everything = tuple(range(13))
    assert "Judged by all 13 features," in headline(replace(run, selected=everything))


def test_the_headline_has_the_score_of_models():
    run = replace(soft_run(size_rule="peak"), check=a_check(lost=0.005))
    assert headline(run) == (
        "With 5 of 13 features, models reach balanced accuracy 89.5% (all columns: 90.0%, chance: "
        "33.3%)"
    )
    assert headline(replace(run, selected=tuple(range(13)))) == (
        "With all 13 features, models reach balanced accuracy 90.0% (chance: 33.3%)"
    )
    without = replace(run.check, scores=(), left_out="it would take long.")
    for check in (without, a_check()):  # the latter comes before the headline
        assert headline(replace(run, check=check)).startswith("Judged by 5 of 13 features,")


def test_hostile_names_stay_text():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, len(HOSTILE))).round(1), columns=HOSTILE)
    run = FuzzyRoughSelector(measure="soft").fit(table, rng.integers(0, 2, 60)).record()
    page = render_report(run)
    assert "<script>alert(1)" not in page
    assert "onerror=alert(2)>" not in page


class Simple:
    def __init__(self, dataset):
        self.gain = np.nanstd(dataset.values, axis=0) % 1.0

    def score(self, masks):
        return masks @ self.gain - 3.0


def test_a_measure_of_ones_own_has_a_page():
    run = FuzzyRoughSelector(measure=Simple).fit(load_dataset("wine")).record()
    shown = text_of(render_report(run))
    for word in [*WRONG, "Γ", "soft dependency"]:
        assert not re.search(word, shown), word
    assert "Simple" in shown


def test_figures_of_soft_runs(tmp_path):
    pytest.importorskip("matplotlib")
    files = save_figures(soft_run(), tmp_path)
    assert [file.stem for file in files] == ["front", "convergence"]
    assert "nearest neighbors" in files[0].read_text(encoding="utf-8")


def test_sentences_have_a_space_between_them(wine_run, hostile_run):
    numeric = soft_run(numeric=True)
    r2 = replace(a_check(), metric="R²", n_samples=100)
    runs = [replace(wine_run, check=a_check(soft=("hue",))), replace(hostile_run, core=(0,)),
            replace(numeric, check=r2), soft_run()]  # fmt: skip
    for run in runs:
        paragraphs = re.findall(r"<p\b[^>]*>(.*?)</p>", render_report(run), re.DOTALL)
        assert len(paragraphs) > 10
        for paragraph in paragraphs:
            assert not re.search(r"[a-z0-9%)]\.[A-Z][a-z]", re.sub(r"<[^>]+>", "", paragraph))


def test_a_negative_r2_has_its_place_in_the_chart(wine_run):
    check = a_check()
    low = tuple(replace(one, score=one.score - 1.2, by_model=(-0.3,) * 3) for one in check.scores)
    run = replace(wine_run, check=replace(check, metric="R²", scores=low))
    everything, selected, elbow = models(run)["rows"]
    assert everything["score"] == "\N{MINUS SIGN}0.300"
    assert 0 < elbow["at"] < selected["at"] < everything["at"] < 100
    assert '<td class="number">\N{MINUS SIGN}0.300</td>' in render_report(run)
