"""Pictures of the data: right places, every kind of column and target, bounded, inert."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from fuzzyfrog import ReductSelector
from fuzzyfrog.report import render_report
from fuzzyfrog.report.features import distributions, features, number, scatter
from fuzzyfrog.result import DataSample, Result, SampledColumn, Subset
from fuzzyfrog.words import words_of
from report.made import HOSTILE


def fitted(X, y, **parameters):
    selector = ReductSelector("quickreduct", random_state=0, **parameters).fit(X, y)
    return selector.record()


@pytest.fixture(scope="module")
def mixed():
    """Numbers with gaps, categories with gaps, three classes, one of a single sample."""
    random = np.random.default_rng(2)
    kinds = np.array(["red", "green", "blue"])[random.integers(0, 3, 90)].astype(object)
    kinds[5] = None
    table = pd.DataFrame({"size": random.normal(size=90).round(2), "kind": kinds,
                          "other": random.normal(size=90).round(2)})  # fmt: skip
    table.loc[[1, 2], "size"] = np.nan
    y = np.where((kinds == "red") ^ (table["other"] > 0), "a", "b").astype(object)
    y[0] = "lonely"
    return fitted(table, y)


def marks(path):
    return len(re.findall("M", path))


def test_a_histogram_for_each_class_with_its_median(wine_result):
    picture = distributions(wine_result)[0]  # alcohol
    assert picture["kind"] == "ridges"
    assert [row["name"] for row in picture["rows"]] == ["Barbera", "Barolo", "Grignolino"]
    column = next(one for one in wine_result.data_sample.columns if one.feature == 0)
    for code, row in enumerate(picture["rows"]):
        values = [
            value
            for value, target in zip(column.values, wine_result.data_sample.targets, strict=True)
            if target == code
        ]
        assert row["median"] == number(float(np.median(values)))
        low, high = min(column.values), max(column.values)
        counts, _ = np.histogram(values, bins=24, range=(low, high))
        heights = [20 - float(one) for one in re.findall(r"V([\d.]+)H", row["bins"])]
        assert heights == pytest.approx(19 * counts / counts.max(), abs=0.01)


def test_a_class_of_one_sample_is_one_mark(mixed):
    picture = distributions(mixed)[mixed.selected[0]]
    (lonely,) = [row for row in picture["rows"] if row["name"] == "lonely"]
    assert (lonely["bins"], marks(lonely["marks"])) == ("", 1)


def test_categories_are_shares_of_each_class(mixed):
    feature = [one.name for one in mixed.table.features].index("kind")
    picture = distributions(mixed)[feature]
    assert picture["kind"] == "shares"
    assert sorted(picture["heads"]) == ["blue", "green", "red"]
    lonely = next(row for row in picture["rows"] if row["name"] == "lonely")
    assert sorted(cell["text"] for cell in lonely["cells"]) == ["0%", "0%", "100%"]
    for row in picture["rows"]:
        assert sum(cell["share"] for cell in row["cells"]) == pytest.approx(100, abs=2)
    assert picture["notes"] == ["1 of 90 values missing."]


def test_rare_categories_share_a_column(wine_result):
    feature = wine_result.selected[0]
    sample = wine_result.data_sample
    values = tuple(at % 9 for at in range(len(sample.targets)))
    column = SampledColumn(feature, values, tuple("abcdefghi"))
    result = replace(wine_result, data_sample=replace(sample, columns=(column,)))
    assert distributions(result)[feature]["heads"] == ["a", "b", "c", "d", "5 others"]
    pair = tuple(replace(column, feature=one) for one in wine_result.by_loss[:2])
    drawn = scatter(replace(result, front=(), data_sample=replace(sample, columns=pair)))
    assert [one["label"] for one in drawn["x_ticks"]] == ["a", "b", "c", "d", "5 others"]
    five = replace(column, values=tuple(at % 5 for at in values))
    result = replace(wine_result, data_sample=replace(sample, columns=(five,)))
    assert distributions(result)[feature]["heads"] == ["a", "b", "c", "d", "e"]


def test_numbers_are_short():
    assert [number(one) for one in (-0.0, 0.5, 12_345.6, 1e-7, 2e12, -1234.5)] == [
        "0", "0.5", "12,346", "1e-7", "2e12", "-1234",
    ]  # fmt: skip


def test_gaps_are_counted(mixed):
    feature = [one.name for one in mixed.table.features].index("size")
    assert distributions(mixed)[feature]["notes"] == ["2 of 90 values missing."]


def test_small_classes_share_a_row():
    random = np.random.default_rng(0)
    y = np.arange(300) % 30
    result = fitted(pd.DataFrame({"a": y + random.normal(size=300) / 9}), y)
    rows = distributions(result)[0]["rows"]
    assert len(rows) == 7
    assert (rows[-1]["name"], rows[-1]["style"]) == ("24 other classes", "rest")
    assert render_report(result).count('class="bins"') == 7


@pytest.mark.parametrize(("n_classes", "has_all"), [(20, True), (450, False)])
def test_a_sample_with_some_of_every_class_says_so(n_classes, has_all):
    y = [f"c{k % n_classes}" for k in range(900)]
    result = fitted(pd.DataFrame({"a": np.arange(900.0) % n_classes}), y)
    lead = words_of(result).features_lead()
    assert lead.startswith("Drawn from 400 random samples of 900")
    assert ("with some of every class" in lead) is has_all


def cloud_of(values, targets):
    result = fitted(pd.DataFrame({"a": values}), targets, target="numeric")
    return distributions(result)[0]


def test_equal_values_stay_together_in_the_summary_of_a_target():
    targets = np.arange(60.0) * 7 % 61
    values = np.repeat([0.0, 1.0], 30)
    below, above = (f"{np.median(targets[values == one]):.4g}" for one in (0, 1))
    found = cloud_of(values, targets)["summary"]
    assert found == f"Median target: {below} up to 0, {above} from 1."
    values = np.arange(60) % 6 // 2
    medians = [f"{np.median(targets[values == one]):.4g}" for one in (0, 1, 2)]
    assert cloud_of(values, targets)["summary"] == (
        f"Median target: {medians[0]} up to 0, {medians[1]} between, {medians[2]} from 2."
    )
    assert cloud_of(np.append(np.zeros(59), 1.0), targets)["summary"] == ""


def test_the_largest_numbers_have_an_axis():
    values = np.append(1.5e308 + 1e300 * np.arange(99), 0.9e308)
    picture = cloud_of(values, np.arange(100.0))
    assert picture["notes"] == ["1 extreme value drawn at the edge."]
    assert "inf" not in picture["dots"]
    assert "nan" not in picture["dots"]


def test_a_numeric_target_gets_points_and_no_class():
    random = np.random.default_rng(0)
    kind = np.array(["x", "y"])[random.integers(0, 2, 80)]
    up = random.normal(size=80).round(2)
    table = pd.DataFrame({"up": up, "kind": kind})
    result = fitted(table, up + 2.0 * (kind == "x"), target="numeric")
    pictures = distributions(result)
    assert {one["kind"] for one in pictures.values()} == {"cloud", "ridges"}
    assert marks(pictures[0]["dots"]) == 80
    assert pictures[0]["summary"].startswith("Median target: ")
    assert [row["name"] for row in pictures[1]["rows"]] == ["x", "y"]
    plot = scatter(result)
    assert sum(marks(group["path"]) for group in plot["groups"]) == 80
    assert [group["style"] for group in plot["groups"]] == ["q1", "q2", "q3", "q4", "q5"]
    body = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", render_report(result), flags=re.DOTALL)
    assert not re.search(r"\bclass(es)?\b", body.split("Data, parameters")[0])


def test_the_two_best_are_the_best_pair_that_was_selected(wine_result):
    plot = scatter(wine_result)
    pair = next(one.features for one in wine_result.front if one.size == 2)
    if set(pair) <= set(wine_result.selected):
        assert (plot["x_name"], plot["y_name"]) == wine_result.names(pair)
    other = replace(wine_result, front=(Subset(wine_result.selected[1:3], 0.5),))
    plot = scatter(other)
    assert (plot["x_name"], plot["y_name"]) == wine_result.names(wine_result.selected[1:3])
    foreign = replace(wine_result, front=(Subset((1, 2), 0.5),))
    assert 1 not in wine_result.selected
    plot = scatter(foreign)
    assert (plot["x_name"], plot["y_name"]) == wine_result.names(wine_result.by_loss[:2])


def test_points_lie_where_their_values_say(wine_result):
    plot = scatter(wine_result)
    names = [
        wine_result.table.features[one.feature].name for one in wine_result.data_sample.columns
    ]
    x = wine_result.data_sample.columns[names.index(plot["x_name"])].values
    first = plot["groups"][0]
    row = wine_result.data_sample.targets.index(0)
    place = float(re.match(r"M([\d.]+) ", first["path"])[1])
    assert place == pytest.approx(100 * (x[row] - min(x)) / (max(x) - min(x)), abs=0.02)
    assert sum(marks(group["path"]) for group in plot["groups"]) == 178


@pytest.mark.parametrize(
    "values",
    [
        [1.0] * 6,
        [None] * 6,
        [1e308, -1e308, 0.0, 1.0, None, 2.0],
        [5e-324, 0.0, 0.0, 0.0, None, 0.0],
        [1e16, 1e16 + 2, 1e16, 1e16, 1e16, 1e16],
        [0.0, 1.0, 2.0, 3.0, 4.0, 1e9],
    ],
    ids=str,
)
@pytest.mark.parametrize("is_numeric", [False, True])
def test_odd_columns_are_drawn_or_left_out(wine_result, values, is_numeric):
    feature = wine_result.selected[0]
    sample = DataSample((0, 1, 2, 0, 1, 2), (SampledColumn(feature, tuple(values), None),))
    result = replace(wine_result, data_sample=sample)
    if is_numeric:
        target = replace(result.table.target, classes=(), lowest=0.0, highest=2.0)
        result = replace(result, table=replace(result.table, target=target))
    page = render_report(result)
    assert "nan" not in page.split("<script")[0].lower().replace("nanum", "")
    assert " inf" not in page.split("<script")[0]


def test_extreme_values_do_not_flatten_the_others(wine_result):
    feature = wine_result.selected[0]
    values = (*range(99), 1_000_000)
    targets = tuple(at % 3 for at in range(100))
    sample = DataSample(targets, (SampledColumn(feature, values, None),))
    picture = distributions(replace(wine_result, data_sample=sample))[feature]
    assert picture["notes"] == ["1 extreme value drawn at the edge."]
    assert len(set(re.findall(r"V([\d.]+)H", picture["rows"][0]["bins"]))) > 3


def test_many_features_are_limited_and_counted():
    random = np.random.default_rng(1)
    X = random.integers(0, 2, size=(60, 200))
    result = fitted(X, np.arange(60) % 2, must_include=list(range(200)), copies="keep")
    assert len(result.selected) == 200
    found = features(words_of(result))
    assert len(found["first"]) + len(found["more"]) == 12
    assert found["more_title"] == "195 more selected features"
    assert found["n_hidden"] == 188
    page = render_report(result)
    assert page.count('class="ridges"') + page.count('class="shares"') == 12


def test_hostile_names_and_categories_are_inert():
    labels = np.array(["</script><img src=x onerror=alert(9)>", "x" * 3_000, HOSTILE[6]])
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, 60)
    table = pd.DataFrame({"</svg><script>alert(8)</script>": labels[codes],
                          "long " * 600: random.normal(size=60)})  # fmt: skip
    y = labels[(codes + (table.iloc[:, 1] > 0)) % 3]
    result = fitted(table, y)
    page = render_report(result)
    assert "<img" not in page
    assert "<script>alert" not in page
    assert "&lt;/script&gt;&lt;img src=x onerror=alert(9)&gt;" in page
    assert "x" * 200 not in page
    assert "\u202e" not in page


def test_records_without_a_sample_have_no_pictures(wine_result):
    old = replace(wine_result, data_sample=None)
    page = render_report(old)
    assert "What each feature contributes" in page
    assert 'class="ridges"' not in page
    assert "Drawn from" not in page
    assert "pairs of samples that need it" in page
    shared = render_report(wine_result.without_rows())
    assert "pairs of samples" not in shared


def test_pictures_need_no_explanations(wine_result):
    hasty = replace(wine_result, explanations=())
    page = render_report(hasty)
    assert "without each of them was not measured, because time ran out." in page
    assert page.count('class="ridges"') == 5


def test_what_stays_is_not_said_to_fall(wine_result):
    first = wine_result.explanations[0]

    def sentence(before, after):
        one = replace(first, dependency=before, dependency_without=after)
        result = replace(wine_result, explanations=(one, *wine_result.explanations[1:]))
        cards = {card["caption"]: card for card in features(words_of(result))["first"]}
        return cards[first.name]["sentence"], cards[first.name]["signed"]

    assert sentence(0.949, 0.949) == ("Without it, the dependency stays at 0.949.", "0")
    assert sentence(0.9491, 0.9490)[0].startswith(
        "Without it, the dependency falls from 0.9491 to 0.9490; "
    )
    assert sentence(0.9995, 0.997)[0].startswith(
        "Without it, the dependency falls from 0.9995 to 0.997; "
    )
    assert sentence(0.5, 0.75)[1] == "+0.250"


def test_a_sample_survives_the_record(mixed):
    assert render_report(Result.from_json(mixed.to_json())) == render_report(mixed)


def test_the_points_of_two_categories_fill_a_square():
    random = np.random.default_rng(0)
    kinds = np.array(["p", "q"])[random.integers(0, 2, (200, 2))]
    result = fitted(pd.DataFrame(kinds, columns=["a", "b"]), (kinds == "p").sum(axis=1))
    (across, up) = np.array(
        [
            (float(x), float(y))
            for group in scatter(result)["groups"]
            for x, y in re.findall(r"M([\d.]+) ([\d.]+)", group["path"])
        ]
    ).T
    is_corner = (across < 50) & (up < np.median(up))
    assert abs(np.corrcoef(across[is_corner], up[is_corner])[0, 1]) < 0.3
