"""Another answer: one column exchanged, with the whole record and the difference."""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from fuzzyfrog import DataError, FeatureSelector, ReductSelector, Result, SoftSelector, load_dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.measure import Dependency, SoftDependency
from fuzzyfrog.result.parts import Replacement
from fuzzyfrog.select.swap import GIVEN
from fuzzyfrog.words import words_of
from fuzzyfrog.words.columns import exchange_sentences, substitutes_line

WINE = load_dataset("wine")
PROLINE, HUE = (WINE.feature_names.index(name) for name in ("proline", "hue"))


def mask(features, n_features=13):
    return np.isin(np.arange(n_features), features)


def test_one_column_is_exchanged_and_the_difference_is_that_of_the_memberships():
    selector = SoftSelector().fit(WINE)
    other = selector.swap("proline", "hue", WINE)
    before, after = selector.result_, other.result_
    assert set(after.selected) == {*before.selected, HUE} - {PROLINE}
    assert selector.result_.selected == SoftSelector().fit(WINE).result_.selected
    soft = SoftDependency(WINE)
    falls = soft.memberships(mask(before.selected)) - soft.memberships(mask(after.selected))
    found = after.exchange
    assert (found.old, found.new, found.before) == (("proline",), ("hue",), before.dependency)
    assert found.lost == pytest.approx(falls.mean(), abs=1e-12)
    assert found.error == pytest.approx(falls.std(ddof=1) / np.sqrt(len(falls)), abs=1e-12)
    assert found.accuracy_before == pytest.approx(before.chosen_accuracy)
    assert found.accuracy == pytest.approx(after.chosen_accuracy)
    assert after.columns[HUE].role == "selected"
    assert after.columns[PROLINE].role == "useful"
    record = other.record()
    assert [one.feature for one in record.explanations] == list(after.selected)
    assert Result.from_json(record.to_json()).exchange == found
    assert "hue in the place of proline" in exchange_sentences(words_of(record), found)
    assert exchange_sentences(words_of(record), found) in other._repr_html_()  # in a notebook


def test_exchanges_repeat_and_names_are_those_of_the_fit():
    X, y = WINE.values, WINE.target
    first = SoftSelector().fit(X, y)
    second = first.swap(PROLINE, HUE, X, y).swap(0, 4, X, y)
    assert not hasattr(second, "feature_names_in_")
    assert second.n_features_ == first.n_features_
    assert set(np.flatnonzero(second.support_)) == {*first.result_.selected, HUE, 4} - {PROLINE, 0}
    assert second.transform(X).shape == (178, 5)


@pytest.mark.filterwarnings("ignore::fuzzyfrog.PredictionWarning", "ignore:12 features without")
def test_a_reduct_with_costs_and_a_proof():
    selector = ReductSelector(costs={"proline": 3.0}, certify=True, random_state=0).fit(WINE)
    old = next(iter(selector.get_feature_names_out()))
    other = selector.swap(old, "total_phenols", WINE)
    score = Dependency(WINE).score([other.support_])[0]
    assert other.dependency_ == pytest.approx(score)
    assert other.result_.exchange.lost == pytest.approx(selector.dependency_ - score)
    assert other.result_.exchange.accuracy is None
    assert other.result_.certificate is None


def test_a_better_column_is_named_once_where_it_gains_most():
    result = SoftSelector().fit(WINE).swap("proline", "ash", WINE).result_
    columns = list(result.columns)
    for place, at in enumerate(result.selected, start=1):
        other = Replacement(PROLINE, -0.1 * place, 0.01, 1.0)
        columns[at] = replace(columns[at], replacements=(other,))
    line = substitutes_line(replace(result, columns=tuple(columns)))
    (most,) = result.names(result.selected[-1:])
    assert line.count("proline for ") == 1
    assert f"proline for {most} (dependency +{0.1 * len(result.selected):.4f})" in line


def test_suspected_leaks_are_those_of_the_answer_before():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd"))
    y = X.a + 2 * X.b + X.c + rng.normal(size=120)
    X["log"], y = y, np.exp(y)
    with pytest.warns(match="logarithm"):
        selector = SoftSelector(n_features_to_select=2, redundant="keep").fit(X, y)
    before = selector.result_
    old = next(name for name in before.names(before.selected) if name != "log")
    new = next(name for name in "abcd" if name not in before.names(before.selected))
    with warnings.catch_warnings(action="error"):  # the fit has warned
        after = selector.swap(old, new, X, y).result_
    assert after.suspected_leaks == before.suspected_leaks != ()
    assert "'log' (it is the logarithm of the target)" in words_of(after).doubts()[0]


def test_a_custom_measure_has_no_error_bars():
    class Size:
        def __init__(self, dataset):
            self._weights = np.arange(1.0, dataset.n_features + 1.0)

        def score(self, masks):
            return masks @ self._weights

    X = np.random.default_rng(0).normal(size=(20, 4))
    selector = FeatureSelector(Size, n_features_to_select=2).fit(X, np.arange(20) % 2)
    found = selector.swap(3, 0, X, np.arange(20) % 2).result_.exchange
    assert (found.lost, found.error, found.accuracy) == (3.0, None, None)


@pytest.mark.parametrize(
    "table", [WINE.values, pd.DataFrame(WINE.values, columns=WINE.feature_names)]
)
@pytest.mark.parametrize("excluded", [[4, 7], np.isin(np.arange(13), [4, 7]), [7]])
def test_an_excluded_column_may_take_the_place_of_another(table, excluded):
    selector = SoftSelector(exclude=excluded).fit(table, WINE.target)
    other = selector.swap(int(selector.result_.selected[0]), 7, table, WINE.target)
    [(name, rule)] = other.result_.exchange.let_in
    assert (other.result_.place_of(name), rule) == (7, "excluded")
    assert other.support_[7]
    assert set(other.result_.excluded) == set(selector.result_.excluded) - {7}


@pytest.mark.parametrize("has_own", [False, True])
def test_weights_are_those_of_the_fit(has_own):
    weights = np.random.default_rng(0).integers(0, 3, 178).astype(np.float64)
    patient = np.arange(178) // 2
    X, y, given = WINE.values, WINE.target, {"sample_weight": weights, "groups": patient}
    if has_own:
        X, y, given = dataclasses.replace(WINE, weights=weights, groups=patient), None, {}
    selector = SoftSelector().fit(X, y, **given)
    old = int(selector.result_.selected[0])
    other = selector.swap(old, next(one for one in range(13) if not selector.support_[one]), X, y)
    assert other.result_.exchange.lost == pytest.approx(selector.dependency_ - other.dependency_)


def test_samples_that_belong_together_stay_together():
    patient = np.random.default_rng(0).integers(0, 60, 178)
    frame = pd.DataFrame(WINE.values, columns=WINE.feature_names)
    selector = SoftSelector().fit(frame, WINE.target, groups=patient)
    old, new = selector.get_feature_names_out()[0], selector.columns_[2].name
    swapped = selector.swap(old, new, frame, WINE.target)
    assert swapped.result_.table.sha256 == selector.result_.table.sha256


# A value of every parameter that is not its default. A swap keeps it, unless it has no meaning for
# columns that are given; groups are refused (below), and a cluster is for tests/cluster.
EACH = {
    "callbacks": [lambda moment: False], "categorical_features": ["f5"], "certify": True,
    "checkpoint": "scores", "copies": "keep", "costs": {"f0": 3.0}, "exclude": ["f5"],
    "max_evaluations": 99, "max_lost": 1, "max_seconds": 600, "min_dependency": 0.9,
    "missing": "different", "must_include": ["f1"], "n_features_to_select": 2, "n_jobs": 1,
    "random_state": 1, "ranking": "product", "redundant": "keep", "sample": 39, "search": "genetic",
    "size_rule": "peak", "spread": "variance", "survives": 1, "target": "class", "tnorm": "minimum",
    "verbose": 2,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [SoftSelector, ReductSelector])
def test_every_parameter_survives_a_swap_or_has_no_meaning_for_it(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = make().get_params()
    assert {*known} <= {*EACH, "cluster", "feature_groups"}, "give a new parameter a value here"
    y = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 6)) + 3 * y[:, None]
    frame = pd.DataFrame(X, columns=[f"f{at}" for at in range(6)])
    quick = {"search": "quickreduct"} if "search" in known else {}
    for name in sorted(known.keys() & EACH.keys()):
        value = EACH[name]
        selector = make(**{"random_state": 0, **quick, name: value}).fit(frame, y)
        before = set(selector.get_feature_names_out())
        old, new = min(before), min({*frame.columns} - before)
        other = selector.swap(old, new, frame, y)
        assert set(other.get_feature_names_out()) == {*before, new} - {old}, name
        assert (other.get_params()[name] == value) != (name in {"must_include", *GIVEN}), name


def test_groups_of_columns_are_refused():
    selector = SoftSelector(feature_groups={"wine": ["alcohol", "proline"]}).fit(WINE)
    new = next(name for name in WINE.feature_names if name not in selector.get_feature_names_out())
    for old in (*selector.get_feature_names_out(), "wine"):
        with pytest.raises(ParameterError, match="feature_groups must be None for swap, got"):
            selector.swap(old, new, WINE)


def test_what_cannot_be_exchanged_is_said():
    selector = SoftSelector().fit(WINE)
    with pytest.raises(ParameterError, match=r"old must be .* feature, got 'prolin'\. Did"):
        selector.swap("prolin", "hue", WINE)
    with pytest.raises(ParameterError, match="new must be a column that is not selected, got 'alc"):
        selector.swap("proline", "alcohol", WINE)
    with pytest.raises(DataError, match="the table must be the one that the columns were selected"):
        selector.swap("proline", "hue", WINE.take(np.arange(100)))
