"""Nine classifiers of scikit-learn."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fuzzyfrog import DataError
from fuzzyfrog.data import make_dataset
from fuzzyfrog.experiment.folds import stratified_folds
from fuzzyfrog.experiment.panel import CellError, SklearnPanel


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
