"""Nine classifiers and eight regressors of scikit-learn, and the metrics they are judged by."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fuzzyfrog import DataError
from fuzzyfrog.data import make_dataset
from fuzzyfrog_lab.folds import Fold, folds_along, stratified_folds
from fuzzyfrog_lab.panel import REGRESSORS, CellError, SklearnPanel


@pytest.fixture(scope="module")
def wine():
    return make_dataset(*load_wine(return_X_y=True))


@pytest.mark.parametrize("classifier", SklearnPanel.classifiers)
def test_every_classifier_tells_wines_apart_and_repeats_itself(wine, classifier):
    folds = stratified_folds(wine.target, 3)
    counts = SklearnPanel().correct(wine, classifier, folds)
    assert sum(counts) > 0.85 * wine.n_samples
    assert counts == SklearnPanel().correct(wine, classifier, folds)


@pytest.mark.parametrize("classifier", SklearnPanel.classifiers)
def test_labels_on_noise_are_guessed(classifier):
    random = np.random.default_rng(0)
    data = make_dataset(random.normal(size=(90, 4)), random.integers(0, 3, 90))
    counts = SklearnPanel().correct(data, classifier, stratified_folds(data.target, 3))
    assert sum(counts) < 50  # a classifier that had seen the test samples would have them all


def test_categorical_missing_and_constant_features_are_prepared():
    noise = np.random.default_rng(0).normal(size=8)
    X = [row for x in noise for row in (["red", x, 5.0], ["blue", None, 5.0], ["green", x, 5.0])]
    data = make_dataset(X, [0, 1, 2] * 8)
    for classifier in SklearnPanel.classifiers:
        assert sum(SklearnPanel().correct(data, classifier, stratified_folds(data.target, 4))) > 21


def test_an_error_of_scikit_learn_is_the_reason_of_a_failed_cell(wine):
    (fold, *_) = stratified_folds(np.arange(178), 178)
    lonely = type(fold)(fold.train[:1], fold.test)  # a single class to learn from
    with pytest.raises(CellError, match="class"):
        SklearnPanel().correct(wine, "logistic", [lonely])


def test_unknown_classifiers_and_numbers_are_refused(wine):
    with pytest.raises(ValueError, match=r"classifier must be one of 'tree', .*, got 'trees'"):
        SklearnPanel().correct(wine, "trees", [])
    numeric = make_dataset(wine.values, wine.values[:, 0], target="numeric")
    with pytest.raises(DataError, match="the target must be classes, got numbers"):
        SklearnPanel().correct(numeric, "tree", [])


@pytest.fixture(scope="module")
def diabetes():
    return make_dataset(*load_diabetes(return_X_y=True), target="numeric")


@pytest.mark.parametrize("metric", ["balanced-accuracy", "auc", "f1"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_metrics_are_those_of_scikit_learn(wine, metric, n_classes):
    rows = np.flatnonzero(wine.target < n_classes)[::2]
    data = make_dataset(wine.values[rows][:, :2], wine.target[rows])
    folds = stratified_folds(data.target.tolist(), 3)
    found = SklearnPanel(metric).scores(data, "logistic", folds, metric)
    for fold, score in zip(folds, found, strict=True):
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))
        model.fit(data.values[fold.train], data.target[fold.train])
        truth, X = data.target[fold.test], data.values[fold.test]
        chances = model.predict_proba(X)
        expected = {
            "balanced-accuracy": balanced_accuracy_score(truth, model.predict(X)),
            "f1": f1_score(truth, model.predict(X), average="macro"),
            "auc": roc_auc_score(truth, chances, multi_class="ovr")
            if n_classes > 2
            else roc_auc_score(truth, chances[:, 1]),
        }
        assert score == pytest.approx(expected[metric])


def test_f1_is_the_mean_over_the_classes_to_predict(wine):
    fold = Fold(np.arange(0, 178, 2), np.flatnonzero(wine.target < 2)[1::2])  # none of the third
    two = make_dataset(wine.values[:, :2], wine.target)
    (score,) = SklearnPanel("f1").scores(two, "tree", [fold], "f1")
    model = make_pipeline(
        StandardScaler(),
        DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0),
    ).fit(two.values[fold.train], two.target[fold.train])
    truth, predicted = two.target[fold.test], model.predict(two.values[fold.test])
    assert 2 in predicted
    by_class = f1_score(truth, predicted, average=None)
    assert score == pytest.approx(by_class[:2].mean())
    assert score > by_class.mean()


def test_a_class_that_was_never_seen_is_guessed(wine):
    known = np.flatnonzero(wine.target < 2)
    fold = Fold(known[::2], np.concatenate([known[1::2], np.flatnonzero(wine.target == 2)]))
    for classifier in ("svm", "naive_bayes"):  # one has no probabilities
        (score,) = SklearnPanel("auc").scores(wine, classifier, [fold], "auc")
        assert 0.5 < score < 0.9


@pytest.mark.parametrize("regressor", REGRESSORS)
def test_every_regressor_explains_some_of_a_numeric_target(diabetes, regressor):
    folds = folds_along(diabetes.target.tolist(), 3)
    found = SklearnPanel("r2").scores(diabetes, regressor, folds, "r2")
    assert found == SklearnPanel("r2").scores(diabetes, regressor, folds, "r2")
    assert -0.3 < min(found) <= max(found) < 0.6
    if regressor == "best_first_tree":
        (fold, *_) = folds
        model = DecisionTreeRegressor(max_leaf_nodes=16, random_state=0)
        model.fit(diabetes.values[fold.train], diabetes.target[fold.train])
        expected = r2_score(diabetes.target[fold.test], model.predict(diabetes.values[fold.test]))
        assert found[0] == pytest.approx(expected)


def test_folds_without_a_score_and_the_wrong_target_are_refused(wine, diabetes):
    one_class = Fold(np.arange(178), np.flatnonzero(wine.target == 0))
    with pytest.raises(CellError, match="one class only, for which there is no AUC"):
        SklearnPanel("auc").scores(wine, "tree", [one_class], "auc")
    one_value = Fold(np.arange(442), np.array([3]))
    with pytest.raises(CellError, match="one value only, for which there is no R²"):
        SklearnPanel("r2").scores(diabetes, "tree", [one_value], "r2")
    target = np.where(np.arange(442) % 2, 0.1, diabetes.target)  # the mean of 0.1s is not 0.1
    one_value = Fold(np.arange(0, 442, 2), np.array([1, 3, 5]))
    with pytest.raises(CellError, match="one value only, for which there is no R²"):
        SklearnPanel("r2").scores(replace(diabetes, target=target), "tree", [one_value], "r2")
    with pytest.raises(DataError, match="must be numbers for R², got classes"):
        SklearnPanel("r2").scores(wine, "tree", [], "r2")
    with pytest.raises(ValueError, match=r"metric must be one of 'accuracy', .*, got 'mse'"):
        SklearnPanel("mse")


def test_folds_along_a_target_spread_it_alike(diabetes):
    folds = folds_along(diabetes.target.tolist(), 5, seed=3)
    rows = np.concatenate([fold.test for fold in folds])
    assert sorted(rows.tolist()) == list(range(442))
    means = [diabetes.target[fold.test].mean() for fold in folds]
    assert np.ptp(means) < 3  # of 152, with a standard deviation of 77
    assert not np.intersect1d(folds[0].train, folds[0].test).size
    other = folds_along(diabetes.target.tolist(), 5, seed=4)[0].test
    assert folds[0].test.tolist() != other.tolist()
