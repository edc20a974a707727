"""The folds of a check: splitters, groups, weights and rare classes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

from check_cases import QUICK, SOFT, mixed_table
from fuzzyfrog import DataError, check
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.select import cross_validation


def test_a_table_sorted_by_class_is_no_worse_than_a_shuffled_one():
    random = np.random.default_rng(0)
    group = random.integers(0, 2, 300)  # ties: five nearest neighbors are any five of a group
    y = np.where(random.random(300) < 0.8, group, 1 - group)
    order = np.argsort(y, kind="stable")
    table = pd.DataFrame({"group": group, "copy": group}).astype(str)
    shuffled = check(SelectKBestOfAll(), table, y)
    by_class = check(SelectKBestOfAll(), table.iloc[order], y[order])
    assert abs(shuffled.all.by_model[0] - by_class.all.by_model[0]) < 0.1


class SelectKBestOfAll(SelectKBest):
    """Selects every column, also of text."""

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self.scores_ = np.ones(X.shape[1])
        return self

    def get_support(self):
        return np.ones(self.n_features_in_, bool)


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize(
    "cv", [TimeSeriesSplit(3), GroupKFold(4), LeaveOneGroupOut(), RepeatedKFold(n_splits=2)],
    ids=repr,
)  # fmt: skip
def test_any_splitter_of_scikit_learn_makes_the_folds(cv):
    class Spy(SelectKBest):
        seen: ClassVar[list[list[float]]] = []

        def fit(self, X, y):
            Spy.seen.append(sorted(X[:, 0]))
            return super().fit(X, y)

    random = np.random.default_rng(0)
    X = np.column_stack([np.arange(80), random.normal(size=(80, 3))])
    y, groups = X[:, 1] > 0, np.arange(80) % 5
    found = check(Spy(k=2), X, y, cv=cv, groups=groups)
    if not isinstance(cv, RepeatedKFold):
        assert Spy.seen == [X[train, 0].tolist() for train, _ in cv.split(X, y, groups)]
    assert found.folds == len(Spy.seen) == cv.get_n_splits(X, y, groups)


def test_groups_stay_together():
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(20), 5)
    X = random.normal(size=(20, 3))[group] + 0.01 * random.normal(size=(100, 3))
    y = random.integers(0, 2, 20)[group]
    free = check(SelectKBest(k=2), X, y)
    apart = check(SelectKBest(k=2), X, y, groups=[f"P{one}" for one in group])
    assert free.all.best > 0.9
    assert apart.all.best < 0.7
    assert not apart.is_better_than_chance


def test_folds_can_be_given_as_a_list():
    table, target = mixed_table()
    cv = KFold(3, shuffle=True, random_state=0)
    splits = list(cv.split(table))
    found = check(SOFT, table, target, cv=cv)
    assert check(SOFT, table, target, cv=splits) == found
    assert check(SOFT, table, target, cv=iter(splits)) == found
    assert check(SOFT, table, target, cv=np.int64(3)) == check(SOFT, table, target, cv=3)


@pytest.mark.parametrize(
    ("cv", "sentence"),
    [
        ([([0, 1, 2, 3], [119, 120])], "cv must give row numbers from 0 to 119 to train on and"),
        ([(range(4), [-1, 5])], "cv must give row numbers from 0 to 119 to train on and"),
        ([([], range(20))], "cv must give row numbers"),
        ([(range(60), range(59, 120))], "cv must not train on samples to predict, got the same r"),
        ([1, 2], "cv must suit the table, got"),
        ([], "cv must make at least 2 folds, got"),
        ([(range(60), range(60, 120))], "cv must make at least 2 folds, got"),
        (ShuffleSplit(1), "cv must make at least 2 folds, got ShuffleSplit"),
        ("five", "cv must be an integer of at least 2, got 'five'"),
    ],
)
def test_wrong_folds_get_a_sentence(cv, sentence):
    with pytest.raises(ParameterError, match=sentence):
        check(SOFT, *mixed_table(), cv=cv)


def test_a_list_of_folds_is_of_the_whole_table(monkeypatch):
    monkeypatch.setattr(cross_validation, "MOST_SAMPLES", 100)
    splits = list(KFold(3).split(np.zeros(120)))
    with pytest.raises(ParameterError, match="cv must be a number or a splitter for a table of mo"):
        check(SOFT, *mixed_table(), cv=splits)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, "heavy"])
def test_wrong_weights_get_a_sentence(weight):
    weights = [1.0] * 119 + [weight]
    with pytest.raises(ParameterError, match=r"sample_weight must be (finite )?numbers"):
        check(SOFT, *mixed_table(), sample_weight=weights)


@pytest.mark.filterwarnings("ignore:The selector selects without weights")
@pytest.mark.parametrize("selector", [SOFT, SelectKBest(k=2)])
@pytest.mark.parametrize("cv", [3, "list"])
def test_samples_of_weight_zero_are_left_out_of_folds_models_and_scores(selector, cv):
    X, y = load_wine(return_X_y=True)
    weights = np.where(y == 2, 0.0, 1.0 + np.arange(178) % 2)
    weights[::7] = 0
    kept, groups = weights > 0, np.arange(178) // 2
    given = {"groups": groups, "sample_weight": weights, "cv": cv}
    ours = {"groups": groups[kept], "sample_weight": weights[kept], "cv": cv}
    if cv == "list":
        fold = groups % 3
        given["cv"] = [(np.flatnonzero(fold != one), np.flatnonzero(fold == one)) for one in (2, 0)]
        fold = fold[kept]
        ours["cv"] = [(np.flatnonzero(fold != one), np.flatnonzero(fold == one)) for one in (2, 0)]
    found = check(selector, X, y, **given)
    assert found == check(selector, X[kept], y[kept], **ours)
    with pytest.raises(DataError, match="must have at least 20 samples, got 1"):
        check(selector, X, y, sample_weight=np.arange(178) == 7)


@pytest.mark.parametrize("n_rare", [2, 3, 4, 5])
def test_two_classes_are_in_every_fold(n_rare):
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 3))
    y = random.permutation(np.repeat(["no", "yes"], [100 - n_rare, n_rare]))
    found = check(SOFT, X, y)
    assert (found.metric, found.chance, found.folds) == ("ROC AUC", 0.5, n_rare)
    if n_rare < 5:
        assert found.notes[0] == (
            f"There are {n_rare} folds instead of 5, because class 'yes' has only {n_rare} samples."
        )


def test_a_rare_class_that_some_folds_do_not_have_is_said():
    X = np.random.default_rng(0).normal(size=(100, 3))
    y = np.repeat(["yes", "no"], [4, 96])
    found = check(
        SOFT, X, y, cv=[(range(2, 50), [0, 1, *range(50, 100)]), (range(60), range(60, 100))]
    )
    assert (found.metric, found.chance) == ("balanced accuracy", 0.75)
    assert found.notes[0].startswith("Some folds have no sample of class 'yes' to predict, so the")


def test_rare_classes_are_noted():
    y = np.array([0] * 30 + [1] * 27 + [2] * 3)
    found = check(QUICK, np.random.default_rng(0).normal(size=(60, 3)), y)
    assert found.notes == (
        "1 class has fewer samples than there are folds (5), so that some folds have none of them "
        "to predict.",
    )


@pytest.mark.parametrize(("n_groups", "is_clear"), [(8, False), (12, True)])
def test_few_groups_that_are_told_apart_beat_chance(n_groups, is_clear):
    random, groups = np.random.default_rng(0), np.repeat(range(n_groups), 8)
    y = groups % 2
    X = random.normal(size=(len(y), 3))
    X[:, 0] = 6 * y + 0.3 * X[:, 0]
    found = check(SOFT, X, y, groups=groups)
    assert (found.selected.best, found.is_better_than_chance) == (1.0, is_clear)
    assert ("8 groups are too few to tell it from chance" in str(found)) is not is_clear


def test_few_samples_are_not_called_groups():
    y = np.arange(10) % 2
    found = check(QUICK, np.column_stack([y + np.linspace(0, 0.1, 10), np.arange(10)]), y, cv=2)
    assert not found.is_better_than_chance
    assert "10 samples are too few to tell it from chance" in str(found)


def test_one_group_at_a_time_beats_chance():
    random, groups = np.random.default_rng(1), np.repeat(range(20), 4)
    y = random.normal(size=20)[groups]
    X = np.column_stack([y + 0.01 * random.normal(size=80), random.normal(size=80)])
    found = check(SOFT, X, y, groups=groups, cv=LeaveOneGroupOut())
    assert found.is_better_than_chance
