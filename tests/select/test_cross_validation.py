"""The check: selection inside the folds, honest standard errors, clear sentences."""

from __future__ import annotations

import warnings
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from fuzzyfrog import DataError, ReductSelector, SoftSelector, check, load_dataset
from fuzzyfrog.common.deadline import Deadline, TimeIsUp, limited
from fuzzyfrog.data import make_dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.result import Difference, ModelScores, NoiseGuard
from fuzzyfrog.select import choosers, cross_validation, models
from fuzzyfrog.select.choosers import noise_guard

SOFT = SoftSelector(random_state=0)
QUICK = ReductSelector("quickreduct", random_state=0)


def mixed_table(n_samples=120, *, is_numeric=False):
    """Return numbers, categories and gaps, of which the first two columns matter."""
    random = np.random.default_rng(5)
    number = random.normal(size=n_samples)
    group = random.integers(0, 3, n_samples)
    worth = number + np.array([-1.0, 0.0, 1.5])[group] + 0.3 * random.normal(size=n_samples)
    table = pd.DataFrame(
        {
            "number": np.where(random.random(n_samples) < 0.1, np.nan, number),
            "group": pd.Series(np.array(["a", "b", "c"])[group]).where(
                random.random(n_samples) > 0.1
            ),
            "noise": random.normal(size=n_samples),
            "rare": [f"v{k}" for k in random.integers(0, 40, n_samples)],
        }
    )
    return table, worth if is_numeric else np.where(worth > 0, "yes", "no")


def guard(dataset, seed):
    """Return the noise guard of a greedy search on all features."""
    return noise_guard(QUICK.settings(), dataset, np.ones(dataset.n_features, bool), seed)


def naive_check(selector, table, target, cv):
    """Return the scores of each fold, with scikit-learn's own parts in the plainest way."""
    dataset = make_dataset(table, target)
    is_numeric = dataset.classes is None
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    found = {"all": [], "selected": []}
    ties = np.random.default_rng([3, cross_validation.SHUFFLING])  # the first is the nearest
    splits = list(cv.split(table, target))
    if is_numeric:
        misses = [((target[test] - target[train].mean()) ** 2).sum() for train, test in splits]
        to_miss = np.mean(misses)
    for train, test in splits:
        shuffled = ties.permutation(train)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chosen = selector.fit(table.iloc[train], target[train]).get_support()
        for name, mask in [("all", np.ones(len(chosen), bool)), ("selected", chosen)]:
            scores = []
            for model in (
                [KNeighborsRegressor(), Ridge(), RandomForestRegressor(30, random_state=3)]
                if is_numeric
                else [
                    KNeighborsClassifier(),
                    LogisticRegression(class_weight="balanced", max_iter=200),
                    RandomForestClassifier(30, class_weight="balanced", random_state=3),
                ]
            ):
                columns = [table.columns[one] for one in np.flatnonzero(mask)]
                texts = [one for one in columns if table[one].dtype.kind in "OTU"]
                rest = [one for one in columns if one not in texts]
                prepared = ColumnTransformer([("n", numbers, rest), ("t", labels, texts)])
                pipeline = make_pipeline(prepared, model).fit(
                    table.iloc[shuffled], target[shuffled]
                )
                predicted = pipeline.predict(table.iloc[test])
                scores.append(
                    1 - ((target[test] - predicted) ** 2).sum() / to_miss
                    if is_numeric
                    else balanced_accuracy_score(target[test], predicted)
                )
            found[name].append(scores)
    return {name: np.array(values) for name, values in found.items()}


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


@pytest.mark.parametrize("is_numeric", [False, True])
def test_scores_and_errors_are_those_of_the_naive_twin(is_numeric):
    table, target = mixed_table(is_numeric=is_numeric)
    table["group"] = table["group"].fillna("a")
    two = ReductSelector("quickreduct", n_features_to_select=2)
    cv = KFold(4, shuffle=True, random_state=1)
    found = check(two, table, target, cv=cv, seed=3)
    twin = naive_check(two, table, target, cv)
    assert found.metric == ("R²" if is_numeric else "balanced accuracy")
    for name, scores in twin.items():
        ours = np.array(found.of(name).folds)
        np.testing.assert_allclose(ours[:, :2], scores[:, :2], atol=1e-3)
        # Categories are in another order, which moves a forest a little.
        assert abs(ours[:, 2].mean() - scores[:, 2].mean()) < 0.03
    apart = np.mean(found.selected.folds, axis=1) - np.mean(found.all.folds, axis=1)
    difference = found.selected.minus(found.all)
    assert difference.mean == pytest.approx(apart.mean())
    honest = np.sqrt(np.var(apart, ddof=1) * (1 / 4 + 1 / 3))
    assert honest > 0.001
    assert difference.error == pytest.approx(honest)
    assert np.mean(found.all.by_model) == pytest.approx(found.all.score)


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


def test_standard_error_counts_the_overlap_of_the_training_parts():
    # Variance 0.025; for five folds 1/5 + 1/4 of it, not 1/5.
    folds = tuple((one,) for one in (0.0, 0.1, 0.2, 0.3, 0.4))
    scores = ModelScores("all", "R²", 3.0, folds, 0.25, (1.0,))
    assert scores.standard_error == pytest.approx(0.106066, abs=1e-6)
    table, target = mixed_table(60)
    for cv, overlap in ((5, 0.25), (ShuffleSplit(3, test_size=20), 0.5)):
        assert check(SOFT, table, target, cv=cv).all.overlap == pytest.approx(overlap, rel=0.01)


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
        ([], "cv must make a fold or more, got"),
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


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_columns", [20, 500])
def test_noise_is_no_better_than_chance(seed, n_columns):
    random = np.random.default_rng([seed, n_columns])
    found = check(SOFT, random.normal(size=(60, n_columns)), random.permutation(60) % 2)
    assert not found.is_better_than_chance
    assert "better than chance" in str(found)


@pytest.mark.parametrize("seed", [1, 3, 6])
def test_one_bad_fold_does_not_make_chance_of_a_signal(seed):
    # Three standard errors of five folds missed all of these.
    random = np.random.default_rng([seed, 160])
    X, y = random.normal(size=(160, 4)), random.permutation(160) % 2
    X[:, 0] += 0.9 * y
    assert check(SOFT, X, y).is_better_than_chance


def test_names_selected_in_the_folds_are_kept():
    found = check(SOFT, load_dataset("wine"))
    assert len(found.selections) == 5
    assert found.taken["proline"] == sum("proline" in names for names in found.selections) == 5
    assert list(found.taken.values()) == sorted(found.taken.values(), reverse=True)
    assert "proline 5 of 5" in str(found)


def test_a_notebook_shows_a_table_and_a_short_line():
    table, target = mixed_table()
    found = check(SOFT, table.rename(columns={"number": "<b>"}), target, cv=3)
    page = found._repr_html_()
    assert page.count("<tr>") == 3
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert repr(found) == (
        f"<Check: balanced accuracy {found.selected.best:.3f}, all columns {found.all.best:.3f}, "
        "3 folds>"
    )


def test_selecting_outside_the_folds_would_flatter_noise():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 1_500)), np.repeat(["p", "q"], 40)
    inside = check(SelectKBest(f_classif, k=20), X, y)
    assert abs(inside.selected.score - 0.5) < 0.12
    best = SelectKBest(f_classif, k=20).fit_transform(X, y)  # saw the samples to predict
    leaked = check(SelectKBest(f_classif, k=20), best, y)
    assert leaked.selected.score > 0.75


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


def test_the_same_seed_gives_the_same_check_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(models, "WORTH_A_THREAD", 1)
    wine = load_dataset("wine")
    first = check(ReductSelector("quickreduct", n_jobs=1), wine, seed=4)
    assert check(ReductSelector("quickreduct", n_jobs=2), wine, seed=4) == first
    assert check(ReductSelector("quickreduct", n_jobs=1), wine, seed=5) != first


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


def test_the_selector_stays_as_it_is_and_has_no_side_effects(tmp_path):
    heard = []
    selector = ReductSelector(
        "quickreduct", callbacks=[heard.append], checkpoint=tmp_path / "scores", random_state=0,
        certify=True, verbose=2,
    )  # fmt: skip
    before = selector.get_params()
    check(selector, load_dataset("iris"), cv=3)
    assert selector.get_params() == before
    assert not hasattr(selector, "support_")
    assert (heard, list(tmp_path.iterdir())) == ([], [])


def test_a_strict_selection_that_loses_is_offered_the_soft_one():
    """As on Titanic: the column that predicts best separates no sample from all enemies."""
    random = np.random.default_rng(1)
    rank, age, sex = random.integers(0, 2, (3, 500))
    y = np.where(random.random(500) < 0.8, sex, 1 - sex)
    y[(rank == 0) & (age == 0)] = 1  # the only samples without an enemy like them
    table = pd.DataFrame({"class": rank, "age": age, "sex": sex}).astype(str)
    found = check(ReductSelector(random_state=0), table, y)
    assert found.loses
    assert found.noise.fails
    assert "sex" in found.soft_features
    assert not found.soft.minus(found.all).is_loss
    assert "SoftSelector selects" in str(found)


def test_a_harmless_selection_loses_nothing():
    random = np.random.default_rng(0)
    X = np.column_stack([np.repeat([0.0, 9.0], 40), random.normal(size=(80, 2))])
    found = check(QUICK, X, np.repeat([0, 1], 40))
    assert (found.selected.n_features, found.selected.score) == (1.0, 1.0)
    assert not found.loses
    assert (found.soft.score, found.soft_features) == (1.0, ("x0",))
    assert (found.noise.n_random, found.noise.fails) == (0, False)


@pytest.mark.parametrize("selector", [SOFT, QUICK], ids=repr)
@pytest.mark.filterwarnings("ignore:feature 'Unnamed")
def test_what_the_whole_table_leaves_out_is_left_out_in_every_fold(selector):
    iris = load_iris(as_frame=True)
    rows = np.arange(1, 151)  # sorted by class: this column alone would predict it
    table = iris.data.assign(**{"Unnamed: 0": rows})
    found = check(selector, table, iris.target)
    assert found.all.n_features == 4
    assert found.all.score < 0.98


def test_excluded_features_are_not_among_all():
    wine = load_dataset("wine")
    few = ReductSelector("quickreduct", exclude=["proline", "flavanoids"])
    assert check(few, wine, cv=3).all.n_features == 11


@pytest.mark.parametrize("selector", [QUICK, SOFT], ids=repr)
@pytest.mark.parametrize("is_numeric", [False, True])
def test_any_selector_takes_categories_and_gaps(selector, is_numeric):
    table, target = mixed_table(is_numeric=is_numeric)
    found = check(selector, table, target, cv=3)
    assert 0.3 < found.all.score <= 1.0
    assert found.n_samples == 120
    assert str(found).splitlines()[2].startswith("all columns")


def test_selectors_of_others_get_the_table_as_it_is():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["a", "b", "c"])
    y = pd.Series(np.where(X["b"] > 0, "p", "q"), index=X.index + 7)
    found = check(SelectKBest(k=1), X, y, cv=3)
    assert found.noise is None
    assert found.selected.score > 0.9
    gaps = X.mask(X > 1.5)
    with pytest.raises(DataError, match="the selector must fit a part of the samples, got ValueE"):
        check(SelectKBest(k=1), gaps, y, cv=3)


def test_rare_classes_are_noted():
    y = np.array([0] * 30 + [1] * 27 + [2] * 3)
    found = check(QUICK, np.random.default_rng(0).normal(size=(60, 3)), y)
    assert found.notes == (
        "1 class has fewer samples than there are folds (5), so that some folds have none of them "
        "to predict.",
    )


def test_a_huge_table_is_checked_on_a_part_of_it(monkeypatch):
    monkeypatch.setattr(cross_validation, "MOST_SAMPLES", 100)
    X = np.random.default_rng(0).normal(size=(500, 3))
    found = check(QUICK, X, X[:, 0] > 0)
    assert found.n_samples == 100
    monkeypatch.setattr(cross_validation, "MOST_CELLS", 90)
    monkeypatch.setattr(cross_validation, "FEWEST_SAMPLES", 20)
    assert check(QUICK, X, X[:, 0] > 0).n_samples == 30
    assert found.notes == (
        "Models were tried on 100 of the 500 samples, drawn at random.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        (
            np.eye(12),
            np.arange(12) % 2,
            "a check with 5 folds must have at least 20 samples, got 12",
        ),
        (
            np.eye(30),
            [0] * 29 + [1],
            "two classes with at least two samples each, got 1 such class",
        ),
        (np.eye(30), [0.5] + [1.5] * 29, "a target that varies in every fold"),
    ],
)
def test_what_cannot_be_checked_gets_a_sentence(X, y, sentence):
    with pytest.raises(DataError, match=sentence):
        check(QUICK, X, y)


def test_wrong_parameters_get_a_sentence():
    iris = load_dataset("iris")
    with pytest.raises(ParameterError, match="cv must be an integer of at least 2, got 1"):
        check(QUICK, iris, cv=1)
    with pytest.raises(ParameterError, match="cv must suit the table, got GroupKFold"):
        check(QUICK, load_dataset("wine"), cv=GroupKFold(3))
    with pytest.raises(ParameterError, match="scoring must be scorers of scikit-learn"):
        check(QUICK, iris, scoring="acuracy")
    with pytest.raises(ParameterError, match="scoring must suit the target and the models, got f1"):
        check(QUICK, iris, scoring="f1")
    numbers = iris.values[:, :2], iris.values[:, 2]
    for scoring in ("accuracy", "roc_auc", "f1"):
        with pytest.raises(ParameterError, match="scorers for a target of numbers, such as r2"):
            check(QUICK, *numbers, scoring=scoring)
    assert check(QUICK, *numbers, scoring="neg_mean_absolute_error").all.best < 0
    for scoring in ("r2", "explained_variance"):
        with pytest.raises(ParameterError, match="scorers for a target of classes, such as bala"):
            check(QUICK, iris, scoring=scoring)
    with pytest.raises(ParameterError, match="models must be estimators of scikit-learn"):
        check(QUICK, iris, models=["forest"])
    for wrong in (KNeighborsClassifier, KNeighborsClassifier(), [KNeighborsClassifier], []):
        with pytest.raises(ParameterError, match="models must be estimators of scikit-learn"):
            check(QUICK, iris, models=wrong)
    with pytest.raises(DataError, match="must have samples of two groups or more, got one group"):
        check(QUICK, iris.values[:, :2], iris.values[:, 2], groups=np.zeros(150))
    with pytest.raises(DataError, match="must have samples of two groups or more, got one group"):
        check(QUICK, iris, groups=np.zeros(150))
    with pytest.raises(DataError, match="groups must have a label for each of the 150 samples"):
        check(QUICK, iris, groups=[1, 2])
    with pytest.raises(ParameterError, match="seed must be an integer of at least 0, got -1"):
        check(QUICK, iris, seed=-1)
    with pytest.raises(ParameterError, match="selector must be an estimator with fit and get_supp"):
        check(KNeighborsClassifier(), iris)


def test_a_deadline_ends_it():
    with limited(Deadline(0.0)), pytest.raises(TimeIsUp):
        check(QUICK, load_dataset("iris"))


def test_a_search_that_was_interrupted_ends_it(monkeypatch):
    def interrupted(*arguments, **others):
        return replace(select(*arguments, **others), stop_reason="interrupted")

    select = choosers.select
    monkeypatch.setattr(choosers, "select", interrupted)
    with pytest.raises(KeyboardInterrupt):
        check(QUICK, load_dataset("iris"))


def test_the_noise_guard_is_half_on_noise_and_leaves_out_what_is_too_wide():
    random = np.random.default_rng(2)
    noise = check(QUICK, random.normal(size=(100, 12)), random.integers(0, 2, 100))
    assert 0.3 < noise.noise.share < 0.7
    assert noise.noise.fails
    assert noise.noise.n_shuffles == 5
    said = str(noise)
    assert said.index("Random columns are often taken: in 5 trials") < (said.index("best"))
    assert "(not clearly better than chance), all columns" in repr(noise)
    wide = guard(make_dataset(random.normal(size=(120, 9_000)), np.arange(120) % 2), 0)
    assert wide == (
        "The noise guard was left out: 9,000 columns and as many random ones take too long."
    )
    assert [NoiseGuard(36, n, 5, 99, 0.4).fails for n in (14, 15, 18)] == [False, True, True]
    assert [NoiseGuard(1, n, 1, 99, 0.4).fails for n in (0, 1)] == [False, True]
    assert [NoiseGuard(3, n, 1, 99, 0.4).fails for n in (1, 2)] == [False, True]
    assert [NoiseGuard(10, n, 1, 99, 0.4).fails for n in (3, 4)] == [False, True]
    assert [NoiseGuard(10, n, 1, 99, 0.3).fails for n in (2, 3)] == [False, True]


@pytest.mark.parametrize("kind", ["0/1", "categories"])
def test_twins_of_columns_that_score_the_same_are_taken_as_often(kind):
    n_values = 2 if kind == "0/1" else 4
    n_taken = n_random = 0
    for seed in range(6):
        random = np.random.default_rng(seed)
        X = random.integers(0, n_values, (80, 8))
        if kind == "categories":
            X = pd.DataFrame(np.array(list("abcd"))[X]).add_prefix("x")
        found = guard(make_dataset(X, random.integers(0, 2, 80)), seed)
        n_taken, n_random = n_taken + found.n_taken, n_random + found.n_random
    assert 0.42 < n_random / n_taken < 0.58


def test_a_table_names_what_was_tried():
    text = str(check(QUICK, load_dataset("iris"), cv=3))
    head, columns, everything, *_ = text.splitlines()
    assert head == "balanced accuracy, 3 folds, 150 samples"
    assert columns.split("  ")[-1].strip() == "difference"
    assert everything.split()[:3] == ["all", "columns", "4.0"]
    assert "Random columns are often taken: " in text
    assert "Noise guard: " in str(check(SOFT, load_dataset("iris"), cv=3))


def test_what_rounds_to_the_standard_error_is_no_loss():
    assert not Difference(-0.0062, 0.0058, -0.1, 0.0).is_loss
    assert Difference(-0.0072, 0.0058, -0.1, 0.0).is_loss
    assert not Difference(-0.0072, 0.0058, -0.1, 0.1).is_loss
    assert Difference(0.02, 0.01, 0.02, 0.01).is_gain
    assert not Difference(0.02, 0.01, 0.0, 0.01).is_gain


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (Difference(-0.02, 0.01, -0.02, 0.01), "a loss"),
        (Difference(0.02, 0.01, 0.02, 0.01), "a gain"),
        (Difference(0.02, 0.01, 0.0, 0.01), "no clear difference"),
    ],
)
def test_a_difference_has_one_wording(difference, said):
    assert difference.in_words() == said


def test_the_noise_guard_makes_twins_only_of_what_may_be_selected():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    y = (X["a"] + X["c"] > 0).astype(int)
    known = check(ReductSelector("quickreduct", exclude=["b"]), X, y).noise
    more = X.assign(copy=2 * X["a"], when=pd.date_range("2024-01-01", periods=120), number=y)
    more = more[["b", "a", "when", "copy", "c"]]
    more["when"] = rng.permutation(more["when"])
    with pytest.warns(UserWarning, match="holds dates"):
        ReductSelector("quickreduct").fit(more, y)
    found = check(ReductSelector("quickreduct", exclude=["b"]), more, y).noise
    assert found == known


def test_a_share_is_one_of_the_columns_not_of_their_twins():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    y = (X.sum(axis=1) > 0).astype(int)
    noise = check(ReductSelector("quickreduct", n_features_to_select=0.5), X, y).noise
    assert noise.n_taken == 3 * noise.n_shuffles


def test_a_seed_is_one_of_scikit_learn():
    with pytest.raises(ParameterError, match="seed must be at most 4294967295"):
        check(ReductSelector("quickreduct"), np.eye(20), np.arange(20) % 2, seed=2**33)


def test_the_guard_does_not_leave_out_what_the_table_keeps():
    """In a part of the rows, the ID of a shop has few samples and looks like that of a patient."""
    random = np.random.default_rng(2)
    shop = np.repeat(random.permutation(200), 15)
    X = pd.DataFrame({"shop_id": 7 * shop, "noise": random.normal(size=len(shop))})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check(SOFT, X, random.integers(0, 2, 200)[shop])
    assert found.noise.n_random < found.noise.n_taken / 2


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


@pytest.mark.parametrize(("n_groups", "is_clear"), [(8, False), (12, True)])
def test_few_groups_that_are_told_apart_beat_chance(n_groups, is_clear):
    random, groups = np.random.default_rng(0), np.repeat(range(n_groups), 8)
    y = groups % 2
    X = random.normal(size=(len(y), 3))
    X[:, 0] = 6 * y + 0.3 * X[:, 0]
    found = check(SOFT, X, y, groups=groups)
    assert (found.selected.best, found.is_better_than_chance) == (1.0, is_clear)
    assert any("8 groups of samples are too few" in one for one in found.notes) is not is_clear


def test_one_group_at_a_time_beats_chance():
    random, groups = np.random.default_rng(1), np.repeat(range(20), 4)
    y = random.normal(size=20)[groups]
    X = np.column_stack([y + 0.01 * random.normal(size=80), random.normal(size=80)])
    found = check(SOFT, X, y, groups=groups, cv=LeaveOneGroupOut())
    assert found.is_better_than_chance


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
