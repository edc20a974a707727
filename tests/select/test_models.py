"""Models and scores of a check."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from check_cases import SOFT, mixed_table
from fuzzyfrog import ReductSelector, check
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.select import cross_validation


def test_models_that_do_harm_have_a_negative_r2():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 12)), random.normal(size=40)
    found = check(ReductSelector("quickreduct", target="numeric"), X, y)
    assert found.all.score < -0.1
    assert min(found.all.by_model) < -0.1
    assert f"{found.selected.score:.3f}".replace("-", "\N{MINUS SIGN}") in str(found)
    assert "no better than chance" in str(found)
    assert "-" not in str(found)


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_r2_does_not_depend_on_the_unit_of_the_target(unit):
    X = np.random.default_rng(0).normal(size=(60, 3))
    found = check(ReductSelector("quickreduct", target="numeric"), X, unit * X[:, 0])
    assert 0.8 < found.all.by_model[0] < 1.0


def test_models_and_scores_can_be_chosen():
    table, target = mixed_table()
    models = {"tree": DecisionTreeClassifier(max_depth=2), "kNN": KNeighborsClassifier(3)}
    scoring = ["roc_auc", "accuracy", "neg_log_loss"]
    found = check(SOFT, table, target, cv=3, models=models, scoring=scoring)
    assert found.models == ("tree", "kNN")
    assert (found.metric, found.metrics) == ("ROC AUC", ("ROC AUC", "accuracy", "neg log loss"))
    assert found.chance == pytest.approx(0.5)
    assert found.of("selected", "neg log loss").score < 0 < found.selected.score
    assert "neg log loss" in str(found).splitlines()[1]
    unnamed = check(SOFT, table, target, cv=3, models=list(models.values()), scoring=scoring)
    assert unnamed.models == ("DecisionTreeClassifier", "KNeighborsClassifier")
    assert unnamed.scores == found.scores  # with the same seeds


@pytest.mark.parametrize("model", [KNeighborsRegressor(), SVR()], ids=repr)
def test_scores_are_in_the_unit_of_the_target(model):
    table, target = mixed_table(is_numeric=True)
    target, missed = 1_000 * (target + 3), "neg_mean_absolute_error"
    cv = KFold(3, shuffle=True, random_state=0)
    (error,) = check(SOFT, table, target, cv=cv, models=[model], scoring=missed).all.by_model
    assert error < -100
    scoring = ["r2", missed]
    both = check(SOFT, table, target, cv=cv, models=[model], scoring=scoring)
    assert both.of("all", "neg mean absolute error").by_model == (error,)
    (r2,) = check(SOFT, table, target, cv=cv, models=[model], scoring="r2").all.by_model
    assert both.all.by_model == (r2,)


def test_models_of_the_same_class_have_numbers():
    table, target = mixed_table()
    models = [KNeighborsClassifier(1), KNeighborsClassifier(50)]
    found = check(SOFT, table, target, cv=3, models=models)
    assert found.models == ("KNeighborsClassifier-1", "KNeighborsClassifier-2")
    named = check(SOFT, table, target, cv=3, models={"near": models[0], "far": models[1]})
    assert found.scores == named.scores


def test_weights_count_in_models_and_scores():
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 2))
    y = (X[:, 0] > 0) ^ (random.random(120) < 0.3)
    trusted = y == (X[:, 0] > 0)  # the others are errors
    plain = check(SOFT, X, y, cv=3)
    weighted = check(SOFT, X, y, cv=3, sample_weight=np.where(trusted, 1.0, 1e-6))
    assert plain.all.score < 0.8
    assert weighted.all.best > 0.95
    ones = check(SOFT, X, y, cv=3, sample_weight=np.ones(120))
    assert ones.all.folds == plain.all.folds
    with pytest.raises(ParameterError, match="sample_weight must have a value for each of the 120"):
        check(SOFT, X, y, sample_weight=np.ones(5))


def test_a_rare_class_is_scored_by_its_rank_and_that_is_said_once():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    y = np.where(X[:, 0] > 1.6, "yes", "no")  # 5 %
    found = check(SOFT, X, y)
    assert (found.metric, found.chance) == ("ROC AUC", 0.5)
    (note,) = found.notes
    assert note.startswith("The score is the ROC AUC (how well models rank the samples) and not")
    assert note.endswith("of the samples are of class 'yes'.")
    assert found.all.best > 0.95
    assert check(SOFT, X, y, scoring="balanced_accuracy").notes == ()
    assert check(SOFT, X, np.where(X[:, 0] > 0.5, 1, 0)).metric == "balanced accuracy"


def test_nothing_about_the_samples_to_predict_is_learned():
    class Spy(SelectKBest):
        seen: ClassVar[list[int]] = []

        def fit(self, X, y):
            Spy.seen.append(len(X))
            assert set(np.asarray(X)[:, 0]) <= set(range(50))
            return super().fit(X, y)

    X = np.column_stack([np.arange(50), np.random.default_rng(0).normal(size=(50, 3))])
    check(Spy(k=2), X, np.arange(50) % 2, cv=5)
    assert Spy.seen == [40] * 5


def test_models_get_one_thread_of_each_numeric_library(monkeypatch):
    seen = []

    class Watched(cross_validation.Fold):
        def tried(self, *args):
            seen.extend(one["num_threads"] for one in threadpool_info())
            return super().tried(*args)

    monkeypatch.setattr(cross_validation, "Fold", Watched)
    with threadpool_limits(2):
        check(SOFT, *mixed_table(60), cv=2)
        after = {one["num_threads"] for one in threadpool_info()}
    assert set(seen) == {1}
    assert after == {2}


def test_r2_is_that_of_all_predictions_together():
    """Within a small firm, targets hardly vary: R² of a fold on its own says nothing."""
    random = np.random.default_rng(0)
    firm = np.repeat(np.arange(12), 20)
    size = np.exp(np.arange(12) / 2.0)[firm]
    X = pd.DataFrame({"value": size * random.uniform(0.5, 2.0, 240)})
    y, weights = X["value"] + size * random.normal(0.0, 0.4, 240), random.integers(1, 4, 240)
    splits = list(GroupKFold(6).split(X, y, firm))
    given = {"models": [Ridge()], "sample_weight": weights, "cv": splits}
    found = check(SOFT, X, y, groups=firm, scoring=["r2", "neg_mean_absolute_error"], **given)
    missed = to_miss = 0.0
    for train, test in splits:
        model = make_pipeline(StandardScaler(), Ridge())
        model.fit(X.iloc[train], y[train], ridge__sample_weight=weights[train])
        missed += weights[test] @ (y[test] - model.predict(X.iloc[test])) ** 2
        to_miss += weights[test] @ (y[test] - np.average(y[train], weights=weights[train])) ** 2
    assert found.all.best == pytest.approx(1 - missed / to_miss)
    assert found.is_better_than_chance
    huge = check(SOFT, X, 1e200 * y, groups=firm, **given)
    assert huge.all.best == pytest.approx(found.all.best)


def test_a_model_that_fails_does_not_decide_what_is_said_of_all():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    X[7, 2] = 1e6  # a linear model is far off in the fold of this sample
    found = check(SOFT, X, y + X[:, 0])
    ridge = [folds[found.models.index("ridge regression")] for folds in found.all.folds]
    assert ridge == [-1.0] * 5
    assert min(map(min, zip(*found.all.folds, strict=True))) == -1.0


@pytest.mark.parametrize("scale", [1e-150, 1e150, 1e300])
def test_r2_depends_on_no_scale_of_the_weights(scale):
    random = np.random.default_rng(2)
    X, weights = random.normal(size=(60, 3)), random.random(60) + 0.1
    y = X[:, 0] + 0.5 * X[:, 1]
    neighbors = [
        check(SOFT, X, y, sample_weight=one * weights, cv=3).all.by_model[0] for one in (1, scale)
    ]
    assert neighbors[0] == pytest.approx(neighbors[1], abs=1e-9)
    assert neighbors[0] < 0.99
