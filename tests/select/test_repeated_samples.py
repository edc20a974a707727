"""Samples of one patient and copies of a row are in the same fold; categories are left alone."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyfrog import DataError, ReductSelector, check
from fuzzyfrog.data import make_dataset
from fuzzyfrog.data.dataset import group_numbers
from fuzzyfrog.select.row_groups import copies_among, parts_of, samples_together, with_the_same

QUICK = ReductSelector("quickreduct", random_state=0)


def together(table, y, n_folds=5):
    """Return which samples of a table belong together."""
    data = make_dataset(table, y)
    seen = np.ones(data.n_features, bool)
    return samples_together(data, np.arange(data.n_samples), seen, ~seen, n_folds)


def unwarned(selector, X, y, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return check(selector, X, y, **settings)


def visits(sizes, *, name="patient_id", is_numeric=False, seed=0):
    """Return visits of patients whose body says who they are, and whose target is luck."""
    random = np.random.default_rng(seed)
    patient = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    body = random.normal(size=(len(sizes), 4))[patient] + 0.2 * random.normal(
        size=(len(patient), 4)
    )
    X = pd.DataFrame(body, columns=list("abcd")).assign(**{name: patient + 1})
    if is_numeric:
        return X, random.normal(size=len(sizes))[patient] + random.normal(size=len(patient))
    return X, random.permutation(np.arange(len(sizes)) % 2)[patient]


def honest(X, y, groups, is_numeric):
    """Return the score of models by GroupKFold, without any part of this package."""
    models = [KNeighborsClassifier(), LogisticRegression(), RandomForestClassifier(50)]
    if is_numeric:
        models = [KNeighborsRegressor(), Ridge(), RandomForestRegressor(50)]
    scores = []
    for train, test in GroupKFold(5).split(X, y, groups):
        for model in models:
            if hasattr(model, "random_state"):
                model.set_params(random_state=0)
            found = make_pipeline(StandardScaler(), model).fit(X[train], y[train]).predict(X[test])
            if is_numeric:
                missed, spread = ((y[test] - found) ** 2).sum(), y[test].var() * len(test)
                scores.append(1 - missed / spread)
            else:
                known = np.unique(y[test])
                scores.append(np.mean([(found == y[test])[y[test] == one].mean() for one in known]))
    return float(np.mean(scores))


@pytest.mark.parametrize("is_numeric", [False, True])
@pytest.mark.parametrize(
    "sizes", [[20] * 15, [12] * 40, [3] * 59 + [100]], ids=["15 x 20", "40 x 12", "59 x 3 + 100"]
)
def test_the_score_is_that_of_folds_of_patients(sizes, is_numeric):
    X, y = visits(sizes, is_numeric=is_numeric)
    found = unwarned(ReductSelector("quickreduct", exclude=["patient_id"]), X, y)
    known = honest(X[list("abcd")].to_numpy(), y, X["patient_id"], is_numeric)
    assert abs(found.all.score - known) < 2 * found.all.standard_error
    assert "Samples with the same 'patient_id' are in the same fold" in found.notes[0]


@pytest.mark.parametrize("sizes", [[20] * 15, [12] * 40, [3] * 59 + [100], [2] * 100])
def test_all_samples_of_a_patient_are_in_one_fold(sizes):
    X, y = visits(sizes)
    found = together(X, y)
    assert found.by == ("patient_id",)
    for train, test in parts_of(y, 5, 0, found.numbers):
        assert not set(X["patient_id"].iloc[train]) & set(X["patient_id"].iloc[test])


NAMES = (
    "subject Patient participant donor mouse case SUBJECT PatientNumber pidnum subject_id patientNo"
    " Subject_No mouse.id CaseNr case_number donorId ptid USUBJID speaker id userid customerId pid"
    " pat patnr PatID MRN"
)
OTHERS = "subject_1 n_patient patient_age cases subjects use_case mouse_weight paid"


@pytest.mark.parametrize("name", NAMES.split())
def test_names_of_people_and_animals_are_known(name):
    X, y = visits([20] * 15, name=name)
    assert together(X, y).by == (name,)
    X[name] = [f"P{one:02}" for one in X[name]]
    assert together(X, y).by == (name,)
    X, y = visits([4] * 30, name=name)
    with pytest.warns(UserWarning, match="is named like an ID, and has 30 different values"):
        fitted = ReductSelector("quickreduct").fit(X, y)
    assert name not in fitted.get_feature_names_out()


@pytest.mark.parametrize("name", OTHERS.split())
def test_other_names_are_not(name):
    X, y = visits([20] * 15, name=name)
    found = together(X, y)
    assert (found.by, bool(found)) == ((), False)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("case", [0, 1]),
        ("case", ["yes", "no"]),
        ("subject", ["art", "biology", "English", "math", "music"]),
        ("id", [1, 2, 3, 4]),
        ("PID", range(7)),  # party identification
    ],
)
def test_categories_with_the_name_of_an_id_are_a_feature(name, values):
    X, y = visits([20] * 15)
    X = X.drop(columns="patient_id").assign(**{name: np.resize(values, len(X))})
    found = unwarned(QUICK, X, y, cv=2)
    assert found.all.n_features == 5
    assert found.notes == ()


def test_names_of_people_are_ids():
    X, y = visits([20] * 15, name="patient_name")
    X["patient_name"] = [f"{chr(65 + k)}. Smith" for k in pd.factorize(X["patient_name"])[0]]
    assert together(X, y).by == ("patient_name",)
    X = X.rename(columns={"patient_name": "product_name"})
    assert together(X, y).by == ()


def test_ids_of_other_things_may_be_categories():
    X, y = visits([50] * 8, name="region_id")
    assert together(X, y).by == ()
    X, y = visits([50] * 20, name="region_id")
    assert together(X, y).by == ("region_id",)


def test_few_patients_make_few_folds():
    X, y = visits([60] * 4)
    found = unwarned(QUICK, X, y)
    assert found.folds == 4
    assert found.notes[-1] == (
        "There are 4 folds instead of 5, because too many samples belong together."
    )
    assert not found.is_better_than_chance
    assert "4 groups are too few to tell it from chance, the best model" in str(found)
    with pytest.raises(DataError, match="at least 4 samples in each fold, got 2"):
        unwarned(QUICK, *visits([60, 2], is_numeric=True))


@pytest.mark.parametrize("is_numeric", [False, True])
def test_equal_rows_of_two_patients_do_not_connect_them(is_numeric):
    X, y = visits([10] * 30, is_numeric=is_numeric)
    X = X.sort_values("patient_id", ignore_index=True)
    for patient in range(29):  # has a row of the next one
        X.loc[10 * patient, list("abcd")] = X.loc[10 * patient + 11, list("abcd")]
    found = together(X, y)
    assert found.numbers.max() + 1 == 30


def test_only_a_name_makes_labels_an_id_and_four_become_a_few():
    random = np.random.default_rng(0)
    who = np.array([f"Name {one % 60}" for one in range(100)])
    X = pd.DataFrame({"title": who, "a": random.normal(size=100)})
    assert not together(X, np.arange(100) % 2).by
    found = together(X.rename(columns={"title": "patient"}), np.arange(100) % 2)
    assert found.by == ("patient",)
    assert len(set(found.numbers)) == 60
    told = with_the_same(["a", "b", "c", "d", "e"])
    assert told == "with the same 'a' or with the same 'b' or with the same 'c' and 2 more"


def noise(n_samples, kind, seed=0):
    """Return columns that say nothing about two classes."""
    random = np.random.default_rng(seed)
    if kind == "numbers":
        X = random.normal(size=(n_samples, 6))
    elif kind == "gaps":
        X = np.where(
            random.random((n_samples, 6)) < 0.2, np.nan, random.normal(size=(n_samples, 6))
        )
    elif kind == "one number":
        X = np.column_stack([random.normal(size=n_samples), random.integers(0, 2, (n_samples, 3))])
    else:
        X = random.integers(0, 5, (n_samples, 20))
    return X, random.integers(0, 2, n_samples)


@pytest.mark.parametrize("kind", ["numbers", "gaps", "one number", "categories"])
def test_copies_of_rows_are_in_the_same_fold_and_counted(kind):
    X, y = noise(120, kind)
    order = np.random.default_rng(1).permutation(240)
    found = unwarned(QUICK, np.vstack([X, X])[order], np.tile(y, 2)[order])
    assert found.notes[0] == (
        "120 of the 240 samples repeat another one in every feature, and equal samples are in the "
        "same fold."
    )
    assert found.all.score < 0.6


@pytest.mark.parametrize("selector", [QUICK, SelectKBest(k=2)], ids=repr)
def test_a_row_number_and_an_excluded_column_hide_no_copies(selector):
    X, y = noise(100, "numbers")
    table = pd.DataFrame(np.vstack([X, X]), columns=list("abcdef"))
    if selector is QUICK:
        table["row"] = np.arange(200)
        table["hour"] = np.random.default_rng(2).random(200)
        selector = ReductSelector("quickreduct", exclude=["hour"])
    found = unwarned(selector, table, np.tile(y, 2))
    assert found.notes[0].startswith("100 of the 200 samples repeat another one")


@pytest.mark.parametrize("kind", ["categories", "0/1", "one-hot", "one column", "with fares"])
def test_equal_rows_of_few_categories_are_no_copies(kind):
    random = np.random.default_rng(0)
    X = random.integers(0, [4, 2, 3], (600, 3)).astype(float)
    if kind == "0/1":
        X = random.integers(0, 2, (600, 6)).astype(float)
    elif kind == "one-hot":
        X = np.hstack([column[:, None] == np.unique(column) for column in X.T]).astype(float)
    elif kind == "one column":
        X = np.column_stack([random.integers(18, 90, 600), np.ones(600)]).astype(float)
    elif kind == "with fares":
        X = np.column_stack([X, random.choice([7.25, 7.9, 8.05, 13.0, 26.0], 600)])
    assert len(np.unique(X, axis=0)) < 200
    numbers, n_repeating = copies_among(X)
    assert numbers.tolist() == list(range(600))
    assert n_repeating == 600 - len(np.unique(X, axis=0))


@pytest.mark.parametrize("n_copies", [0, 20])
def test_rows_that_repeat_others_by_chance_are_counted_too(n_copies):
    random = np.random.default_rng(0)
    X = np.column_stack([random.integers(0, [4, 2, 3], (600, 3)), np.zeros(600)])
    X[:n_copies, 3] = X[n_copies : 2 * n_copies, 3] = np.arange(n_copies) + 0.5
    X[:n_copies, :3] = X[n_copies : 2 * n_copies, :3]
    n_repeating = 600 - len(np.unique(X, axis=0))
    found = unwarned(QUICK, X, random.integers(0, 2, 600)).notes[0]
    assert found.startswith(f"{n_repeating} of the 600 samples repeat another one in every feature")
    assert "feature, as rows of few values do, and may be in different folds." in found
    said = f"Those that look like copies ({n_copies}) are in the same fold."
    assert (said in found) == (n_copies > 0)


def test_samples_that_are_equal_in_a_single_feature_are_no_news():
    random = np.random.default_rng(0)
    X = random.integers(0, 9, (200, 1)).astype(float)
    assert not [one for one in unwarned(QUICK, X, np.arange(200) % 2).notes if "repeat" in one]


def test_one_copy_is_a_copy_whatever_its_zeros_and_gaps_look_like():
    X = np.random.default_rng(0).normal(size=(50, 3))
    X[3] = [0.0, 1.5, np.nan]
    X[40] = [-0.0, 1.5, -np.float64("nan")]
    numbers, _ = copies_among(X)
    assert numbers[3] == numbers[40]
    assert numbers.max() == 48
    X[40] = [1.5, 0.0, np.nan]
    assert copies_among(X)[0].max() == 49


@pytest.mark.parametrize("kind", ["classes", "rare classes", "numbers"])
def test_folds_of_groups_are_stratified_and_of_the_same_size(kind):
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(100), 2)
    y = {
        "classes": group % 4,
        "rare classes": group // 2,
        "numbers": random.normal(size=100)[group],
    }[kind]
    tests = [test for _, test in parts_of(y, 5, 0, group)]
    assert {len(test) for test in tests} <= {38, 40, 42}
    if kind == "classes":
        assert all(np.bincount(y[test]).min() >= 8 for test in tests)
    if kind == "numbers":
        assert np.ptp([np.mean(y[test]) for test in tests]) < 0.4


def twins():
    """Return two visits of each patient, whose measurements say nothing but who it is."""
    random = np.random.default_rng(3)
    n_patients = 100
    patient = np.repeat(random.permutation(n_patients), 2)
    body = random.normal(size=(n_patients, 3))[patient] + 0.01 * random.normal(size=(200, 3))
    X = pd.DataFrame(body, columns=["height", "weight", "age"])
    X.insert(0, "patient_id", patient)
    return X, random.integers(0, 2, n_patients)[patient]


@pytest.mark.parametrize("how", ["left out", "excluded", "included", "names"])
def test_samples_of_one_patient_are_in_the_same_fold(how):
    X, y = twins()
    selector = ReductSelector("quickreduct", random_state=0)
    if how == "names":
        X = replace(
            make_dataset(X.drop(columns="patient_id"), y),
            rows=tuple(f"P{one}" for one in X["patient_id"]),
        )
        y = None
    elif how != "left out":
        name = {"excluded": "exclude", "included": "must_include"}[how]
        selector.set_params(**{name: ["patient_id"]})
    found = unwarned(selector, X, y)
    if how == "included":  # as a feature, it says nothing about folds, and this is said
        assert max(found.all.by_model) > 0.8
        assert "'patient_id' may be in different folds, since it is included" in found.notes[0]
        return
    assert abs(found.all.score - 0.5) < 0.15  # nothing can be known about other patients
    what = "of the same name" if how == "names" else "with the same 'patient_id'"
    assert f"Samples {what} are in the same fold" in " ".join(found.notes)


def test_another_id_does_not_tear_patients_apart():
    X, y = twins()
    X["doctor_id"] = np.random.default_rng(0).integers(0, 40, len(X))  # connects all patients
    found = unwarned(ReductSelector("quickreduct", random_state=0), X, y)
    assert max(found.all.by_model) < 0.65
    assert found.notes[0].endswith(
        "Those with the same 'doctor_id' are not: too many would be connected."
    )


def test_families_keep_together_what_patients_do_not():
    X, y = twins()
    X["family_id"] = X["patient_id"] // 3
    X["doctor_id"] = np.random.default_rng(0).integers(0, 40, len(X))
    found = together(X, y)
    assert (found.by, found.not_by) == (("patient_id", "family_id"), ("doctor_id",))
    assert pd.crosstab(found.numbers, X["family_id"]).gt(0).sum(axis=1).eq(1).all()


def test_rows_without_a_label_are_no_values_of_an_id():
    X, y = visits([3] * 60)
    doctors = np.random.default_rng(0).integers(0, 25, len(X)).astype(float)
    doctors[np.random.default_rng(1).random(len(X)) < 0.6] = np.nan
    found = together(X.assign(doctor_id=doctors), y)
    assert (found.by, found.not_by) == (("patient_id",), ("doctor_id",))


def test_one_large_patient_does_not_take_the_blame_for_what_others_connect():
    X, y = visits([3] * 59 + [100])
    X["family_id"] = np.where(X["patient_id"] == 60, 99, X["patient_id"] // 2)
    assert together(X, y).by == ("patient_id", "family_id")


def test_missing_ids_are_alone():
    X, y = twins()
    X.loc[:23, "patient_id"] = np.nan
    numbers = together(X, y).numbers
    assert len(set(numbers[:24])) == 24
    assert len(set(numbers[24:])) == 88


def test_samples_without_a_name_are_alone():
    X, y = twins()
    names = np.array([f"P{one}" for one in X["patient_id"]], dtype=object)
    names[:24] = ""
    table = replace(make_dataset(X.drop(columns="patient_id"), y), rows=tuple(names))
    seen = np.ones(3, bool)
    numbers = samples_together(table, np.arange(200), seen, ~seen, 5).numbers
    assert len(set(numbers[:24])) == 24
    assert len(set(numbers[24:])) == len(set(names[24:]))


def test_a_class_of_one_patient_is_told():
    X, y = twins()
    y = np.where(X["patient_id"].isin([5, 6, 7]), 2, y)
    found = unwarned(QUICK, X, y)
    assert "1 class has fewer samples than there are folds (5)" in " ".join(found.notes)


@pytest.mark.parametrize("seed", range(3))
def test_parts_keep_together_what_belongs_together(seed):
    random = np.random.default_rng(seed)
    together = random.integers(0, 30, 200)
    y = random.integers(0, 2, 200)
    tested = []
    for train, test in parts_of(y, 5, seed, together):
        assert not set(together[train]) & set(together[test])
        assert sorted([*train, *test]) == list(range(200))
        tested.extend(test)
    assert sorted(tested) == list(range(200))


@pytest.mark.parametrize(
    "cv", [KFold(5, shuffle=True, random_state=0), TimeSeriesSplit(3)], ids=repr
)
def test_a_splitter_that_tears_patients_apart_is_told(cv):
    X, y = visits([5] * 30)
    found = unwarned(QUICK, X, y, cv=cv)
    assert found.notes == (
        "Samples with the same 'patient_id' are on both sides of a fold, where cv puts them: "
        "models are tested on what they have seen, and scores may be too good. A number as cv "
        "keeps them together.",
    )
    kept = unwarned(QUICK, X, y, cv=GroupKFold(5)).notes
    assert [note[:54] for note in kept] == [
        "Samples with the same 'patient_id' are in the same fol"
    ]


def test_a_splitter_that_tears_copies_or_groups_apart_is_told():
    X, y = noise(60, "numbers")
    torn = unwarned(QUICK, np.vstack([X, X]), np.tile(y, 2), cv=KFold(2)).notes
    assert (
        "60 of the 120 samples repeat another one in every feature, and equal samples are on both"
        in torn[0]
    )
    groups = np.arange(60) % 12
    assert (
        unwarned(QUICK, X, y, cv=KFold(2), groups=groups)
        .notes[0]
        .startswith("Samples of the same group are on both sides of a fold")
    )
    assert unwarned(QUICK, X, y, groups=groups).notes == ()


@pytest.mark.parametrize("selector", [QUICK, SelectKBest(k=2)], ids=repr)
def test_groups_are_those_of_fit(selector):
    X, y = noise(60, "numbers")
    X, y = np.vstack([X, X]), np.tile(y, 2)
    labels = [None if place % 9 == 0 else f"P{place % 60 // 4}" for place in range(120)]
    found = unwarned(selector, X, y, groups=labels)
    table = replace(make_dataset(X, y), groups=group_numbers(labels, 120))
    assert found == unwarned(selector, table, None)
    assert found != unwarned(selector, X, y)
    assert found.notes[0].startswith(
        "60 of the 120 samples repeat another one in every feature, and"
    )
