"""Weights of samples in selectors, checks and pipelines."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline

from fuzzyfrog import FeatureSelector, ReductSelector, SoftSelector, check, load_dataset, stability
from fuzzyfrog.data import make_dataset
from fuzzyfrog.errors import CheckpointError, ParameterError
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.result import Result
from fuzzyfrog.select.selection import fingerprint


def mixed(seed=0, n_samples=90, *, numeric=False):
    """Return a frame with a copy, near copies, categories and gaps, a target, and weights."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=n_samples)
    table = pd.DataFrame(rng.normal(size=(n_samples, 4)), columns=list("abcd"))
    table["signal"] = signal
    table["near"] = signal + 0.1 * rng.normal(size=n_samples)
    table["gaps"] = np.where(
        rng.random(n_samples) < 0.2, np.nan, signal + rng.normal(size=n_samples)
    )
    table["color"] = rng.choice(["red", "green", "blue"], n_samples)
    y = signal + 0.5 * (table["color"] == "red") + 0.4 * rng.normal(size=n_samples)
    target = y if numeric else np.where(y > 0.2, "high", "low")
    return table, np.asarray(target), rng.integers(0, 4, n_samples)


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("rule", ["auto", "one-se"])
def test_weights_are_repeated_rows_of_one_group(numeric, grouped, rule):
    X, y, weights = mixed(numeric=numeric)
    groups = np.arange(len(y)) // 3 if grouped else None
    ours = SoftSelector(size_rule=rule).fit(X, y, groups=groups, sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights)
    copies = rows if groups is None else groups[rows]
    theirs = SoftSelector(size_rule=rule).fit(X.iloc[rows], y[rows], groups=copies)
    assert ours.support_.tolist() == theirs.support_.tolist()
    assert ours.result_.substitutes == theirs.result_.substitutes
    assert ours.result_.chance == pytest.approx(theirs.result_.chance)
    for one, other in zip(ours.front_, theirs.front_, strict=True):
        assert one.features == other.features
        assert one.dependency == pytest.approx(other.dependency)
        assert one.accuracy == pytest.approx(other.accuracy)
    for one, other in zip(ours.columns_, theirs.columns_, strict=True):
        assert (one.role, one.of) == (other.role, other.of)
        for name in ("alone", "adds", "error"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-12)
    why = [one.explain("signal" if "signal" in one.get_feature_names_out() else "near", limit=1)
           for one in (ours, theirs)]  # fmt: skip
    assert why[0].dependency == pytest.approx(ours.dependency_)
    assert why[0].dependency_without == pytest.approx(why[1].dependency_without)
    assert weights[why[0].examples[0].sample] > 0  # in the rows that were passed
    assert X.index[why[0].examples[0].sample] == X.index[rows[why[1].examples[0].sample]]


def test_reducts_stay_and_their_dependencies_are_means_by_weights():
    wine = load_dataset("wine")
    weights = np.random.default_rng(0).exponential(size=178)
    kept = wine.take(weights > 0.2)
    weights[weights <= 0.2] = 0
    ours = ReductSelector(certify=True, random_state=0).fit(wine, sample_weight=weights)
    theirs = ReductSelector(certify=True, random_state=0).fit(kept)
    assert str(ours.certificate_) == str(theirs.certificate_)
    assert {one.features for one in ours.reducts_} == {one.features for one in theirs.reducts_}
    assert ours.core_ == theirs.core_
    measure = ours._kind().measured(kept, 1)
    for one in ours.front_:
        mask = np.isin(np.arange(13), one.features)
        mean = np.average(measure.memberships(mask), weights=weights[weights > 0])
        assert one.dependency == pytest.approx(mean, abs=1e-6)  # of the largest weight


@pytest.mark.parametrize("selector", [ReductSelector(sample=20), SoftSelector(sample=20)])
def test_an_estimate_by_weights_can_be_saved(selector, tmp_path):
    table, y, weights = mixed()
    result = selector.fit(table, y, sample_weight=weights).result_
    assert result.sampling.low < result.sampling.high
    result.save(tmp_path / "run.json")
    assert Result.load(tmp_path / "run.json").sampling == result.sampling


def test_samples_of_weight_0_are_left_out_and_others_keep_their_names(tmp_path):
    X, y, weights = mixed()
    selector = SoftSelector().fit(X, y, sample_weight=weights)
    left = SoftSelector().fit(X[weights > 0], y[weights > 0], sample_weight=weights[weights > 0])
    n_out = int((weights == 0).sum())
    assert selector.result_.table.n_samples == 90 - n_out
    assert selector.front_ == left.front_
    (note,) = [one for one in selector.result_.notes if "weights" in one]
    assert (
        note
        == f"Samples count by their weights, from 1 to 3. {n_out} samples of weight 0 are left out."
    )
    assert set(selector.record().rows.names.values()) <= set(map(str, np.flatnonzero(weights)))
    selector.report(tmp_path / "report.html")
    assert "Samples count by their weights" in (tmp_path / "report.html").read_text()
    verified = selector.verify(X.iloc[:20], y[:20], old=(X, y))
    again = left.verify(X.iloc[:20], y[:20], old=(X[weights > 0], y[weights > 0]))
    assert verified.accuracy_before == again.accuracy_before
    assert verified.membership == again.membership


@pytest.mark.parametrize(
    ("weights", "error"),
    [
        (np.r_[-1.0, np.ones(89)], "finite numbers of at least 0, got -1 for sample 0"),
        (np.r_[1.0, np.nan, np.ones(88)], "finite numbers of at least 0, got nan for sample 1"),
        (np.full(90, np.inf), "finite numbers of at least 0, got inf"),
        (np.zeros(90), "above zero for some samples, got only zeros"),
        (np.ones(89), r"have a value for each of the 90 samples, got an array of shape \(89,\)"),
        (2.0, "have a value for each of the 90 samples, got a single value"),
        (["heavy"] * 90, "be numbers, got"),
        (np.ones(90) + 1j, "be numbers, got"),
        (np.ma.array(np.ones(90), mask=np.arange(90) == 3), "of at least 0, got nan for sample 3"),
        (np.ma.array(np.ones(90, int), mask=np.arange(90) == 3), "at least 0, got nan for sample"),
    ],
)
def test_what_is_no_weight_is_refused(weights, error):
    X, y, _ = mixed()
    for selector in (SoftSelector(), ReductSelector("quickreduct")):
        with pytest.raises(ParameterError, match=f"sample_weight must .*{error}"):
            selector.fit(X, y, sample_weight=weights)


def test_too_few_samples_are_left():
    X, y, _ = mixed()
    with pytest.raises(ParameterError, match="above zero for at least 2 samples, got 1"):
        SoftSelector().fit(X, y, sample_weight=np.arange(90) == 0)


class Correlation:
    """A custom measure by the correlation with the target."""

    def __init__(self, dataset):
        w = np.ones(dataset.n_samples) if dataset.weights is None else dataset.weights
        table = np.column_stack([dataset.values, dataset.target])
        self._r = np.abs(np.corrcoef(np.repeat(table, w.astype(int), axis=0).T)[-1, :-1])

    def score(self, masks):
        return masks @ self._r


class Weighted(Correlation):
    uses_weights = True


def test_a_custom_measure_must_say_that_it_uses_weights():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    weights = rng.integers(1, 4, 60)
    rows = np.repeat(np.arange(60), weights)
    ours = FeatureSelector(Weighted, n_features_to_select=2).fit(X, y, sample_weight=weights)
    theirs = FeatureSelector(Weighted, n_features_to_select=2).fit(X[rows], y[rows])
    assert ours.dependency_ == pytest.approx(theirs.dependency_)
    with pytest.raises(ParameterError, match=r"sample_weight must be None .* set uses_weights"):
        FeatureSelector(Correlation).fit(X, y, sample_weight=weights)


def test_routing_in_pipelines_searches_and_cross_validation():
    X, y, weights = mixed()
    X = X.drop(columns=["color", "gaps"]).to_numpy()
    weights, groups, cv = weights + 0.5, np.arange(90) // 3, GroupKFold(3)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = SoftSelector().set_fit_request(groups=True, sample_weight=True)
        last = LogisticRegression().set_fit_request(sample_weight=True)
        last.set_score_request(sample_weight=True)
        model = make_pipeline(selector, last)
        given = {"groups": groups, "sample_weight": weights}
        fitted = model.fit(X, y, **given)[0]
        found = cross_validate(model, X, y, cv=cv, params=given, return_estimator=True)
        grid = {"softselector__size_rule": ["auto", "peak"]}
        GridSearchCV(model, grid, cv=cv).fit(X, y, **given)
    alone = SoftSelector().fit(X, y, **given)
    assert fitted.front_ == alone.front_
    for (train, _), one in zip(cv.split(X, y, groups), found["estimator"], strict=True):
        part = {name: values[train] for name, values in given.items()}
        assert one[0].front_ == SoftSelector().fit(X[train], y[train], **part).front_


def test_a_check_weighs_the_selection_the_models_and_the_scores():
    X, y, _ = mixed(n_samples=150)
    rng = np.random.default_rng(1)
    trusted = rng.random(150) < 0.6
    shuffled = np.where(trusted, y, rng.permutation(y))
    weights = np.where(trusted, 1.0, 1e-6)
    found = check(
        SoftSelector(), X, shuffled, sample_weight=weights, cv=3, scoring=["roc_auc", "accuracy"]
    )
    plain = check(SoftSelector(), X, shuffled, cv=3, scoring="roc_auc")
    assert {one.metric for one in found.scores} == {"ROC AUC", "accuracy"}
    assert found.selected.best > plain.selected.best + 0.1
    assert len(found.selections) == 3
    train = np.flatnonzero(np.arange(150) % 3 > 0)
    test = np.flatnonzero(np.arange(150) % 3 == 0)
    one = check(SoftSelector(), X, y, sample_weight=weights, cv=[(train, test), (test, train)])
    again = SoftSelector(copies="keep").fit(X.iloc[train], y[train], sample_weight=weights[train])
    assert one.selections[0] == tuple(again.get_feature_names_out())


def test_stability_takes_weights():
    X, y, weights = mixed()
    found = stability(SoftSelector(), X, y, n_pairs=2, sample_weight=weights)
    assert found.n_samples == int((weights > 0).sum())


def test_weights_are_part_of_the_fingerprint_and_of_a_checkpoint(tmp_path):
    X, y, weights = mixed()
    dataset = make_dataset(X, y)
    ones, others = replace(dataset, weights=np.ones(90)), replace(dataset, weights=weights + 1.0)
    assert len({fingerprint(one) for one in (dataset, ones, others)}) == 3
    selector = SoftSelector(checkpoint=tmp_path / "scores", random_state=0)
    first = selector.fit(X, y, sample_weight=weights + 1).front_
    assert selector.fit(X, y, sample_weight=weights + 1).front_ == first
    assert selector.result_.n_resumed > 0
    with pytest.raises(CheckpointError, match="must come from the same run"):
        selector.fit(X, y, sample_weight=2 * weights + 1)


def test_samples_of_a_large_table_race_by_weights(monkeypatch):
    monkeypatch.setattr("fuzzyfrog.measure.soft.PAIRS", 20_000)
    monkeypatch.setattr("fuzzyfrog.measure.soft.FEWEST_ANCHORS", 20)
    X, y, weights = mixed(n_samples=600)
    selector = SoftSelector().fit(X, y, sample_weight=weights + 1)
    assert selector.n_sampled_ < 600
    everything = SoftDependency(replace(make_dataset(X, y), weights=weights + 1.0), sample=600)
    low, high = selector.dependency_interval_
    assert low <= everything.score([selector.support_])[0] <= high


@pytest.mark.parametrize("is_routed", [False, True])
def test_a_check_hands_weights_on_or_says_that_it_cannot(is_routed):
    X, y, weights = mixed()
    X, seen = X[list("abcd")], []

    class Model(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append(sample_weight)
            return super().fit(X, y, sample_weight)

    with sklearn.config_context(enable_metadata_routing=is_routed):
        model = Model()
        if is_routed:
            model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        inner = GridSearchCV(model, {"C": [1.0]}, cv=2) if is_routed else model
        getter = "best_estimator_.coef_" if is_routed else "auto"
        check(SelectFromModel(inner, importance_getter=getter), X, y, sample_weight=weights, cv=2)
        assert seen
        assert all(one is not None for one in seen)
        with pytest.warns(UserWarning, match="selects without weights, since its fit does not"):
            check(SelectKBest(k=2), X, y, sample_weight=weights, cv=2)
