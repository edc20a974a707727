"""Boosted trees that pay for every new feature."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from fuzzyfrog import DataError, ReductSelector, check, dependency, load_dataset
from fuzzyfrog.data import make_dataset
from fuzzyfrog_lab.boosted import PENALTIES, BoostedSelector, Trees, dealt_folds, gains, losses

WINE = load_dataset("wine")


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def a_signal(n_samples=200, n_features=8, seed=0):
    """Feature 3 alone determines the class, all others are noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_samples, n_features))
    return X, (X[:, 3] > 0).astype(int)


def test_a_higher_price_buys_fewer_features(wine):
    sizes = [BoostedSelector(price, random_state=0).fit(*wine).n_features_ for price in PENALTIES]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 2 * sizes[-1]


def test_the_telling_feature_is_found():
    selector = BoostedSelector(random_state=0).fit(*a_signal())
    assert selector.get_support(indices=True).tolist() == [3]
    assert selector.penalty_ == PENALTIES[-1]


def test_cross_validation_keeps_what_is_needed(wine):
    selector = BoostedSelector(random_state=0)
    fitted = selector.fit(*wine)
    assert fitted.penalty_ in PENALTIES
    assert 2 <= fitted.n_features_ < 13
    pipeline = make_pipeline(selector, KNeighborsClassifier())
    assert cross_val_score(pipeline, *load_breast_cancer(return_X_y=True), cv=3).mean() > 0.9


def test_the_penalty_is_the_largest_within_one_standard_error(wine):
    fitted = BoostedSelector(random_state=0, cv=4).fit(*wine)
    data = make_dataset(*wine)
    table = losses(data, Trees(50, 0.1, 8, 5, 0, 1), PENALTIES, dealt_folds(data.target, 4, seed=0))
    means = table.mean(axis=1)
    bar = means.min() + table[np.argmin(means)].std(ddof=1) / np.sqrt(178)
    assert fitted.penalty_ == np.array(PENALTIES)[means <= bar].max()


def test_every_fold_has_its_share_of_every_class(wine):
    data = make_dataset(*wine)
    folds = dealt_folds(data.target, 5, seed=0)
    for code in range(3):
        counts = np.bincount(folds[data.target == code], minlength=5)
        assert counts.max() - counts.min() <= 1
    assert (folds != dealt_folds(data.target, 5, seed=1)).any()


def test_losses_are_those_of_models_that_have_not_seen_the_sample():
    X, y = a_signal(60)
    noise = np.random.default_rng(1).integers(0, 2, 60)
    trees, folds = Trees(50, 0.3, 8, 2, 0, 1), np.arange(60) % 3
    signal_loss = losses(make_dataset(X, y), trees, [0.0], folds).mean()
    noise_loss = losses(make_dataset(X, noise), trees, [0.0], folds).mean()
    assert signal_loss < 0.3
    assert noise_loss > np.log(2)  # models that had seen the labels would be far below


@pytest.mark.parametrize("penalty", [50.0, 1e6])
def test_a_price_that_no_feature_is_worth_comes_down(wine, penalty):
    selector = BoostedSelector(penalty, random_state=0).fit(*wine)
    assert 1 <= selector.n_features_ <= 2
    assert 0 < selector.penalty_ <= 1.0
    assert float(np.log2(selector.penalty_)).is_integer()


@pytest.mark.parametrize("penalty", ["auto", 0.1])
def test_features_that_tell_nothing_still_give_a_selection(penalty):
    selector = BoostedSelector(penalty).fit(np.ones((8, 3)), [0, 1] * 4)
    assert selector.support_.tolist() == [True, False, False]
    assert selector.penalty_ == 0.0
    assert selector.ranking_.tolist() == [1, 2, 2]


def test_ranking_puts_the_others_behind_by_their_gain():
    X, y = a_signal(300)
    X[:, 5] = X[:, 3] + np.random.default_rng(2).normal(size=300)
    y = y ^ (np.random.default_rng(3).random(300) < 0.1)
    X[:, 0] = 1.0
    selector = BoostedSelector(0.3, random_state=0).fit(X, y)
    assert (selector.ranking_ == 1).tolist() == selector.support_.tolist()
    assert selector.ranking_[0] == selector.ranking_.max()
    assert set(selector.ranking_) == set(range(1, selector.ranking_.max() + 1))


def test_same_seed_same_result_at_any_number_of_threads():
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 60))  # enough for a second thread
    y = (X[:, :3].sum(axis=1) + random.normal(size=4000) > 0).astype(int)
    one = BoostedSelector(0.005, random_state=1, n_jobs=1, n_estimators=10).fit(X, y)
    two = BoostedSelector(0.005, random_state=1, n_jobs=2, n_estimators=10).fit(X, y)
    assert (one.support_ == two.support_).all()
    assert (one.ranking_ == two.ranking_).all()


def test_the_seed_deals_the_folds(wine):
    first = BoostedSelector(random_state=4).fit(*wine)
    again = BoostedSelector(random_state=4).fit(*wine)
    assert first.seed_ == 4
    assert (first.penalty_, first.ranking_.tolist()) == (again.penalty_, again.ranking_.tolist())


def test_numeric_target_in_any_unit():
    X, y = load_diabetes(return_X_y=True)
    y = y + 0.5
    here = BoostedSelector(0.05, target="numeric", random_state=0).fit(X, y)
    there = BoostedSelector(0.05, target="numeric", random_state=0).fit(X, 1024.0 * y)
    assert (here.support_ == there.support_).all()
    assert {2, 8} <= set(here.get_support(indices=True))  # body mass and a blood value
    assert BoostedSelector(random_state=0, cv=2).fit(X, y).n_features_ < 10


def test_price_means_the_same_for_any_number_of_samples(wine):
    X, y = (part.to_numpy() for part in wine)
    once = BoostedSelector(0.1, random_state=0).fit(X, y)
    tripled = BoostedSelector(0.1, random_state=0, min_samples_leaf=15).fit(
        np.tile(X, (3, 1)), np.tile(y, 3)
    )
    assert abs(once.n_features_ - tripled.n_features_) <= 1


def test_labels_are_only_equal_or_not():
    random = np.random.default_rng(0)
    codes = random.permutation(np.arange(12).repeat(100)).astype(float)
    X = np.column_stack([random.normal(size=1200), codes])
    y = np.isin(codes, [1, 4, 6, 9, 11]).astype(int)
    one_split = Trees(1, 0.1, 2, 5, 0, 1)
    labels = gains(make_dataset(X, y, categorical_features=[1]), one_split, 0.0)
    numbers = gains(make_dataset(X, y), one_split, 0.0)
    assert labels[1] > 2 * numbers[1]  # one split is enough for any set of labels


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"penalty": -1}, "penalty must be 'auto' or a number from 0 to 1e.06, got -1"),
        ({"penalty": "best"}, "penalty must be 'auto' or a number from 0 .* got 'best'"),
        ({"penalty": float("inf")}, "penalty must be 'auto' or a number"),
        ({"penalty": True}, "penalty must be 'auto' or a number"),
        ({"penalty": None}, "penalty must be 'auto' or a number"),
        ({"cv": 1}, "cv must be an integer of at least 2, got 1"),
        ({"n_estimators": 0}, "n_estimators must be an integer of at least 1, got 0"),
        ({"learning_rate": 0}, "learning_rate must be a finite number above 0, got 0"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes must be an integer of at least 2, got 1"),
        ({"min_samples_leaf": -3}, "min_samples_leaf must be an integer of at least 1, got -3"),
        ({"target": "label"}, "target must be one of"),
        ({"random_state": "x"}, "random_state must be None, an integer"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0"),
    ],
)
def test_bad_parameter_gets_a_sentence_in_fit(parameters, sentence, wine):
    selector = BoostedSelector(**parameters)
    with pytest.raises(ValueError, match=sentence):
        selector.fit(*wine)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="at least 2 classes"):
        BoostedSelector().fit(np.ones((4, 2)), [1, 1, 1, 1])


def test_the_certificate_is_about_the_dependency_that_was_reached():
    fitted = BoostedSelector(0.03, certify=True, random_state=0).fit(WINE)
    plain = BoostedSelector(0.03, random_state=0).fit(WINE)
    assert plain.certificate_ is None
    assert np.array_equal(fitted.support_, plain.support_)
    reached = dependency(WINE, features=fitted.support_)
    exact = ReductSelector("exact", min_dependency=reached).fit(WINE)  # of 1.0
    assert fitted.certificate_ == exact.certificate_
    assert fitted.certificate_.proven
    assert fitted.certificate_.size <= fitted.n_features_


def test_the_time_of_a_proof_can_be_limited():
    fitted = BoostedSelector(0.001, certify=True, max_seconds=1e-9, random_state=0).fit(WINE)
    assert not fitted.certificate_.proven
    assert fitted.certificate_.lower_bound == 1


@pytest.mark.parametrize("certify", [1, "yes", None])
def test_certify_is_true_or_false(certify):
    with pytest.raises(ValueError, match="certify must be True or False"):
        BoostedSelector(certify=certify).fit(WINE)


def test_it_survives_pickling(wine):
    fitted = BoostedSelector(0.1, random_state=0).fit(*wine)
    loaded = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - our own bytes
    assert np.array_equal(loaded.transform(wine[0]), fitted.transform(wine[0]))


@pytest.mark.parametrize("is_numeric", [False, True])
def test_a_check_takes_it_with_categories_and_gaps(is_numeric):
    random = np.random.default_rng(0)
    size = random.normal(size=90)
    table = pd.DataFrame({"size": size, "kind": random.choice(["a", "b"], 90)})
    table.loc[::9, "size"] = np.nan
    found = check(BoostedSelector(0.03, random_state=0), table, size if is_numeric else size > 0)
    assert [one.name for one in found.scores] == ["all", "selected"]


@pytest.mark.long
def test_every_check_of_scikit_learn_passes():
    code = (
        "import warnings\n"
        "from sklearn.utils.estimator_checks import check_estimator\n"
        "from fuzzyfrog_lab.boosted import BoostedSelector\n"
        "warnings.simplefilter('error')  # a skipped check is a warning\n"
        "for one in (BoostedSelector(), BoostedSelector(0.01)):\n"
        "    results = check_estimator(one, on_skip='warn', on_fail='raise')\n"
        "    assert all(result['status'] == 'passed' for result in results), results\n"
    )
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)  # noqa: S603
