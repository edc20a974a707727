"""The record of a run says what the selector says, and what the measure measures."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from fuzzyfrog import PredictionWarning, ReductSelector, positive_region
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.result import Result
from fuzzyfrog.result import result as module
from fuzzyfrog.select import explain, outcome
from measure_cases import TNORMS


def a_table():
    """Numbers, labels and gaps; the class depends on all features a little."""
    random = np.random.default_rng(5)
    X = random.normal(size=(40, 5)).round(1)
    X[:, 3] = random.integers(0, 3, 40)
    y = np.where(X.sum(axis=1) > 1, "high", "low")
    X[random.random(X.shape) < 0.05] = np.nan
    return X, y


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return ReductSelector(random_state=0).fit(X, y)


def test_results_are_those_of_the_selector(wine):
    run = wine.record(name="wines", command="fuzzyfrog reducts wine")
    assert (run.table.name, run.command, run.seed) == ("wines", "fuzzyfrog reducts wine", 0)
    assert run.names(run.selected) == tuple(wine.get_feature_names_out())
    assert (run.dependency, run.full_dependency) == (wine.dependency_, wine.full_dependency_)
    assert [one.features for one in run.reducts] == [one.features for one in wine.reducts_]
    assert run.n_reducts == len(wine.reducts_)
    assert run.answer.feature_frequency == tuple(wine.feature_frequency_)
    assert [(one.features, one.dependency) for one in run.front] == [
        (one.features, one.dependency) for one in wine.front_
    ]
    assert run.n_evaluations == wine.n_evaluations_
    assert run.history[-1].n_evaluations <= wine.n_evaluations_
    assert run.stop_reason == wine.stop_reason_
    assert run.settings["search"] == "frogs"
    assert run.settings["min_dependency"] == 1.0
    assert "callbacks" not in run.settings
    assert Result.from_json(run.to_json()) == run


def test_the_front_goes_through_the_selected_subset():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = ReductSelector("quickreduct", certify=True).fit(X, y)
    for place in (0, 100):
        chosen = selector.select_reduct(place).reducts_[place]
        (point,) = [one for one in selector.front_ if one.size == chosen.size]
        assert (point.features, point.names) == (chosen.features, chosen.names)
        assert selector.record().front[-1].features == selector.record().selected


def test_settings_are_what_was_used():
    X, y = a_table()
    table = make_dataset(X, y, categorical_features=[3], feature_names=list("abcde"))
    selector = ReductSelector(
        "quickreduct", exclude=["e"], checkpoint=None, min_dependency=Fraction(1, 2), random_state=0
    )
    run = selector.fit(table).record()
    assert run.settings["min_dependency"] == run.asked_share == 0.5
    assert run.settings["categorical_features"] == "['d']"
    assert not {"checkpoint", "random_state"} & set(run.settings)
    assert (run.excluded, run.n_allowed, run.n_resumed) == ((4,), 4, 0)


def test_what_was_resumed_is_counted(tmp_path):
    X, y = a_table()
    selector = ReductSelector(checkpoint=tmp_path / "x", random_state=0, max_evaluations=40)
    first = selector.fit(X, y).record()
    again = selector.set_params(max_evaluations=80).fit(X, y).record()
    assert first.n_resumed == 0
    assert 0 < again.n_resumed <= first.n_evaluations < again.n_evaluations


def test_the_name_of_a_series_is_that_of_the_target():
    X, y = a_table()
    named = ReductSelector("quickreduct").fit(X, pd.Series(y, name="Status"))
    assert named.record().table.target.name == "Status"


def test_a_second_wish_that_cannot_be_met_is_told():
    X, y = a_table()
    selector = ReductSelector("quickreduct", n_features_to_select=1, min_dependency=0.9)
    with pytest.warns(ConvergenceWarning, match="that min_dependency asks for"):
        run = selector.fit(X, y).record()
    assert any("n_features_to_select" in note for note in run.notes)


def test_data_is_told_without_showing_it(wine):
    data = wine.record().table
    assert [feature.name for feature in data.features] == wine.feature_names_in_.tolist()
    assert {feature.kind for feature in data.features} == {"numeric"}
    assert (data.n_samples, data.n_features, data.n_missing) == (178, 13, 0)
    assert [(one.name, one.count) for one in data.target.classes] == [
        ("0", 59), ("1", 71), ("2", 48),
    ]  # fmt: skip
    assert len(data.sha256) == 64


def test_times_are_taken(wine):
    run = wine.record()
    times = [moment.seconds for moment in run.history]
    assert times == sorted(times)
    assert 0 < times[-1] <= run.seconds


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("missing", ["similar", "different"])
def test_examples_show_the_cells_of_the_table(tnorm, missing):
    X, y = a_table()
    selector = ReductSelector(
        tnorm=tnorm, missing=missing, categorical_features=[3], n_features_to_select=3,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    run = selector.record()
    assert [one.feature for one in run.explanations] == np.flatnonzero(selector.support_).tolist()
    for found in run.explanations:
        assert 0 < len(found.examples) <= explain.MAX_EXAMPLES
        for pair in found.examples:
            assert (pair.sample_target, pair.other_target) == (y[pair.sample], y[pair.other])
            if found.feature != 3:
                value = X[pair.sample, found.feature]
                assert pair.sample_value == (None if np.isnan(value) else value)


def test_ambiguous_samples_are_those_of_the_measure():
    X, y = a_table()
    selector = ReductSelector(n_features_to_select=2, random_state=0).fit(X, y)
    run = selector.record()
    memberships = positive_region(X, y, selector.support_)
    assert run.n_ambiguous == (memberships < 1).sum()
    assert [one.membership for one in run.ambiguous] == np.sort(memberships)[:20].tolist()
    for one in run.ambiguous:
        assert one.membership == memberships[one.sample]
        assert one.sample_target == y[one.sample] != y[one.other] == one.other_target
        shown = [np.nan if value is None else value for value in one.sample_values]
        np.testing.assert_array_equal(shown, X[one.sample, selector.support_])


def test_numeric_target():
    X, _ = a_table()
    y = np.nansum(X, axis=1) + 0.05
    selector = ReductSelector(n_features_to_select=2, random_state=0).fit(X, y)
    run = selector.record()
    assert run.table.target.is_numeric
    assert (run.table.target.lowest, run.table.target.highest) == (y.min(), y.max())
    pair = run.explanations[0].examples[0]
    assert pair.sample_target == f"{y[pair.sample]:.6g}"
    assert Result.from_json(run.to_json()) == run


def test_categorical_features_and_gaps_are_counted():
    X, y = a_table()
    selector = ReductSelector(categorical_features=[3], random_state=0).fit(X, y)
    data = selector.record().table
    assert [feature.kind for feature in data.features] == ["numeric"] * 3 + [
        "categorical",
        "numeric",
    ]
    gaps = np.isnan(X).sum(axis=0).tolist()
    assert [feature.n_missing for feature in data.features] == gaps
    assert data.n_missing == sum(gaps) > 0


def mixed():
    """Labels, codes and numbers; only all of them together tell the classes apart."""
    cells = [
        (side, code, size) for side in ("Nord", "Süd", None) for code in (3, 7) for size in (0, 1)
    ]
    X = pd.DataFrame(cells * 2, columns=["side", "code", "size"]).astype({"size": float})
    y = [str(((side == "Nord") + (code == 7) + size) % 2) for side, code, size in cells * 2]
    return X, y


@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas])
def test_examples_show_the_labels_themselves(library):
    X, y = mixed()
    selector = ReductSelector("quickreduct", categorical_features=["side", "code"])
    selector.fit(library(X), y)
    run = pickle.loads(pickle.dumps(selector)).record()  # noqa: S301
    assert run.selected == (0, 1, 2)
    told = {one.name: one.examples for one in run.explanations}
    sides = {value for pair in told["side"] for value in (pair.sample_value, pair.other_value)}
    assert sides <= {"Nord", "Süd", None}
    assert {"Nord", "Süd"} <= sides
    codes = {value for pair in told["code"] for value in (pair.sample_value, pair.other_value)}
    assert codes == {"3", "7"}
    for one in run.ambiguous:
        side, code, size = X.iloc[one.sample]
        assert one.sample_values == (None if pd.isna(side) else side, str(code), size)


def test_labels_stay_right_when_columns_are_left_out():
    X, y = mixed()
    X.insert(0, "other", ["left", "right"] * 12)
    fitted = ReductSelector("quickreduct", categorical_features=["other", "side", "code"],
                                exclude=["other"]).fit(X, y)  # fmt: skip
    run = fitted.record()
    assert run.selected == (1, 2, 3)
    pairs = run.explanation_of("code").examples
    assert {pair.sample_value for pair in pairs} | {pair.other_value for pair in pairs} == {
        "3",
        "7",
    }


def test_codes_without_labels_are_called_categories():
    X, y = mixed()
    data = make_dataset(X, y, categorical_features=["side", "code"])
    bare = Dataset(data.values, data.target, data.feature_names, data.categorical, data.classes)
    pairs = ReductSelector("quickreduct").fit(bare).record().explanation_of("code").examples
    assert {pair.sample_value for pair in pairs} <= {"category 0", "category 1"}


def test_warnings_are_kept(wine):
    (loss,) = wine.record().notes
    assert "use SoftSelector" in loss
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning) as caught:
        stopped = ReductSelector("quickreduct", max_evaluations=13).fit(X, y)
    sentence, loss = [str(one.message) for one in caught]
    assert stopped.record().notes == (sentence, loss)
    assert [one.filename for one in caught] == [__file__] * 2
    assert [one.category for one in caught] == [ConvergenceWarning, PredictionWarning]


def test_warnings_of_the_table_are_kept():
    X, y = mixed()
    X["size"] = X["size"].astype(str)
    with pytest.warns(UserWarning, match="numbers as text"):
        data = make_dataset(X, y)
    selector = ReductSelector("quickreduct")
    assert selector.fit(data).record().notes == data.notes
    with pytest.warns(UserWarning, match="numbers as text"):
        selector.fit(X, y)
    assert selector.record().notes == data.notes


def test_the_selected_reduct_is_kept_in_any_case(wine, monkeypatch):
    monkeypatch.setattr(module, "MAX_REDUCTS", 10)
    wine.select_reduct(200)
    try:
        run = Result.from_json(wine.record().to_json())
    finally:
        wine.select_reduct(0)
    assert len(run.reducts) == 10
    assert run.n_reducts == 343
    assert run.reducts[0].features == run.selected == wine.reducts_[200].features


def test_long_histories_are_thinned(wine):
    moments = list(range(10_000))
    places = outcome._thinned(moments)
    assert len(places) <= outcome.MAX_HISTORY
    assert (places[0], places[-1]) == (0, 9_999)
    assert places[:5] == [0, 1, 2, 3, 4]
    assert max(np.diff(places)) < 200


def test_certificate_is_kept():
    selector = ReductSelector("exact", random_state=0).fit(*a_table())
    assert selector.record().certificate == selector.certificate_
    assert selector.certificate_.proven


def test_an_unfitted_selector_has_no_record():
    with pytest.raises(NotFittedError):
        ReductSelector().record()


def test_report_and_notebook(wine, tmp_path):
    wine.report(tmp_path / "wine.html", name="my wines")
    assert "my wines" in (tmp_path / "wine.html").read_text("utf-8")
    html = wine._repr_html_()
    assert "5 of 13 features separate these samples" in html
    assert ">table<" not in html
    assert "<script" not in html
    assert wine._repr_mimebundle_()["text/html"] == html
    assert wine._repr_mimebundle_(include=None, exclude=None)["text/plain"] == repr(wine)
    why = wine.explain(wine.result_.selected[0], limit=2)
    assert why._repr_html_().count("<tr>") == 3
    assert str(why).splitlines()[0] in why._repr_html_()
    with config_context(display="text"):
        assert "text/html" not in wine._repr_mimebundle_()


def test_an_unfitted_selector_shows_what_scikit_learn_shows():
    html = ReductSelector()._repr_html_()
    assert "sk-top-container" in html
    assert "features tell" not in html


def test_notes_are_pickled_with_the_selector(wine):
    assert pickle.loads(pickle.dumps(wine)).record() == wine.record()  # noqa: S301


def sample_of(X, y, **parameters):
    selector = ReductSelector("quickreduct", random_state=0, **parameters).fit(X, y)
    run = selector.record()
    assert Result.from_json(run.to_json()) == run
    return run


def test_a_small_table_is_sampled_whole():
    X, y = a_table()
    run = sample_of(X, y, categorical_features=[3])
    names = np.array([one.name for one in run.table.target.classes])
    assert names[list(run.data_sample.targets)].tolist() == y.tolist()
    assert [one.feature for one in run.data_sample.columns] == list(run.selected)
    for column in run.data_sample.columns:
        told = [np.nan if one is None else one for one in column.values]
        if column.labels is not None:
            told = [np.nan if one is None else float(column.labels[one]) for one in column.values]
        assert np.array_equal(told, X[:, column.feature], equal_nan=True)
    assert {one.feature for one in run.data_sample.columns if one.labels} == {3}


def test_a_sample_of_a_large_table_has_some_of_every_class():
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(32), [1, 2, *[5] * 28, 300, 3_000])
    X = random.normal(size=(len(y), 3)) + y[:, np.newaxis] % 7
    run = sample_of(X, y, n_features_to_select=2, target="class")
    sample = run.data_sample
    counts = np.bincount(sample.targets, minlength=32)
    assert len(sample.targets) <= 400
    assert counts[:30].tolist() == [1, 2, *[5] * 28]
    assert counts[30] >= 10
    assert counts[31] > 5 * counts[30]
    rows = {tuple(row) for row in X[:, list(run.selected)].round(9).tolist()}
    drawn = np.column_stack([one.values for one in sample.columns]).round(9).tolist()
    assert {tuple(row) for row in drawn} <= rows
    assert sample == sample_of(X, y, n_features_to_select=2, target="class").data_sample


def test_a_sample_has_rows_for_more_classes_than_it_holds():
    y = np.tile(np.arange(500), 2)
    X = np.column_stack([y + 0.0, y % 7])
    assert len(sample_of(X, y, target="class").data_sample.targets) == 400


def test_a_sample_of_many_features_has_those_that_matter_most():
    X = np.eye(80, 15)  # the last three decide, the others hardly differ
    X[:, 12:] = np.random.default_rng(1).integers(0, 2, size=(80, 3))
    y = X[:, 12:] @ [1, 2, 4]
    run = sample_of(X, y, must_include=list(range(15)), n_features_to_select=15, target="class")
    assert len(run.selected) == 15
    assert {12, 13, 14} <= {one.feature for one in run.data_sample.columns}
    assert [one.feature for one in run.data_sample.columns] == sorted(run.by_loss[:12])


def test_long_categories_are_cut_in_the_sample():
    kinds = np.array(["a" * 3_000, "a" * 2_999 + "b"], dtype=object)
    table = pd.DataFrame({"kind": kinds[np.arange(40) % 2]})
    column = sample_of(table, np.arange(40) % 2).data_sample.columns[0]
    assert column.labels == ("a" * 100, "a" * 100)
    assert column.values[:4] == (0, 1, 0, 1)


def test_categories_that_are_not_sampled_are_not_listed():
    random = np.random.default_rng(0)
    kinds = np.array(["b", "c"], dtype=object)[random.integers(0, 2, 600)]
    y = (kinds == "b") + random.normal(size=600) / 50
    table = pd.DataFrame({"kind": kinds})
    drawn = explain._sampled_rows(make_dataset(table, y, target="numeric"), seed=0)
    table.loc[np.setdiff1d(np.arange(600), drawn)[0], "kind"] = "a"
    column = sample_of(table, y, target="numeric").data_sample.columns[0]
    assert column.labels == ("b", "c")
    assert [column.labels[one] for one in column.values] == kinds[drawn].tolist()
