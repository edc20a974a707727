"""The check: selection inside the folds, honest standard errors, clear sentences."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    ShuffleSplit,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from check_cases import QUICK, SOFT, mixed_table
from fuzzyfrog import DataError, ReductSelector, check, load_dataset
from fuzzyfrog.common.deadline import Deadline, TimeIsUp, limited
from fuzzyfrog.data import make_dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.result import Difference, ModelScores
from fuzzyfrog.select import cross_validation, models


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


def test_standard_error_counts_the_overlap_of_the_training_parts():
    # Variance 0.025; for five folds 1/5 + 1/4 of it, not 1/5.
    folds = tuple((one,) for one in (0.0, 0.1, 0.2, 0.3, 0.4))
    scores = ModelScores("all", "R²", 3.0, folds, 0.25, (1.0,))
    assert scores.standard_error == pytest.approx(0.106066, abs=1e-6)
    table, target = mixed_table(60)
    for cv, overlap in ((5, 0.25), (ShuffleSplit(3, test_size=20), 0.5)):
        assert check(SOFT, table, target, cv=cv).all.overlap == pytest.approx(overlap, rel=0.01)


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


def test_the_same_seed_gives_the_same_check_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(models, "WORTH_A_THREAD", 1)
    wine = load_dataset("wine")
    first = check(ReductSelector("quickreduct", n_jobs=1), wine, seed=4)
    assert check(ReductSelector("quickreduct", n_jobs=2), wine, seed=4) == first
    assert check(ReductSelector("quickreduct", n_jobs=1), wine, seed=5) != first


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
        (Difference(-0.02, 0.01, -0.02, 0.01), "a loss of 0.020"),
        (Difference(0.02, 0.01, 0.02, 0.01), "a gain of 0.020"),
        (Difference(0.02, 0.01, 0.0, 0.01), "no clear difference"),
        (Difference(-0.02, 0.1, -0.049, 0.1), "no clear difference"),
        (Difference(-0.02, 0.1, -0.18, 0.2), "a loss of 0.180 (uncertain, ± 0.200)"),
        (Difference(0.02, 0.1, 0.06, 0.07), "a gain of 0.060 (uncertain, ± 0.070)"),
        (
            Difference(-0.04, 0.02, -0.06, 0.07),
            "a loss of 0.060 (uncertain, ± 0.070) for the best model and a loss of 0.040 on "
            "average",
        ),
        (
            Difference(-0.04, 0.02, 0.06, 0.07),
            "a gain of 0.060 (uncertain, ± 0.070) for the best model and a loss of 0.040 on "
            "average",
        ),
    ],
)
def test_a_difference_has_one_wording(difference, said):
    assert difference.in_words() == said


def test_a_seed_is_one_of_scikit_learn():
    with pytest.raises(ParameterError, match="seed must be at most 4294967295"):
        check(ReductSelector("quickreduct"), np.eye(20), np.arange(20) % 2, seed=2**33)


def test_what_is_said_of_a_table_is_in_the_check_of_any_selector():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(90, 4)), np.arange(90) % 30
    found = check(SelectKBest(k=2), X, y, cv=3, models=[Ridge()])
    assert found.metric == "R²"
    assert "the target holds 30 different whole numbers in 90 samples" in found.notes[0]


def test_a_number_of_folds_may_be_one_of_numpy():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"year": np.arange(90) // 3, "a": random.normal(size=90)})
    y = (X["a"] > 0).to_numpy() + random.normal(size=90) > 0.5
    one, other = (
        check(SOFT, X, y, cv=cv, models=[LogisticRegression()]) for cv in (3, np.int64(3))
    )
    assert one == other
    assert "The samples are in the order of 'year'" in one.notes[0]
