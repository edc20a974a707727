"""The selectors among scikit-learn's own: pipelines, searches over parameters, frames, pickles."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyfrog import (
    DataError,
    FeatureSelector,
    Genetic,
    ReductSelector,
    ShuffledFrogs,
    SoftSelector,
)

SELECTORS = [
    ReductSelector("quickreduct", random_state=0),
    ReductSelector(ShuffledFrogs(patience=1), random_state=0, max_evaluations=300),
]
every_selector = pytest.mark.parametrize("selector", SELECTORS, ids=str)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def mixed():
    """A table with numbers, labels and a gap, of which two features decide the class."""
    random = np.random.default_rng(0)
    columns = {
        "noise": random.normal(size=60),
        "color": random.choice(["red", "blue", "green"], 60),
        "count": random.integers(0, 2, 60),
        "weight": random.normal(size=60),
    }
    y = (columns["color"] == "red") ^ (columns["count"] == 1)
    columns["noise"][4] = np.nan
    return columns, np.where(y, "yes", "no")


@every_selector
def test_pipeline_and_cross_validation(selector, wine):
    pipeline = make_pipeline(StandardScaler(), selector, KNeighborsClassifier())
    assert cross_val_score(pipeline, *wine, cv=3).mean() > 0.85


def test_grid_search_over_the_parameters_of_a_search(wine):
    pipeline = make_pipeline(
        ReductSelector(ShuffledFrogs(), random_state=0, max_evaluations=200),
        KNeighborsClassifier(),
    )
    grid = {
        "reductselector__search__patience": [1, 2],
        "reductselector__search__n_frogs": [4],
        "reductselector__min_dependency": [0.8, 1.0],
    }
    found = GridSearchCV(pipeline, grid, cv=2).fit(*wine)
    chosen = found.best_estimator_[0]
    assert len(found.cv_results_["params"]) == 4
    assert chosen.search.n_frogs == 4
    assert chosen.search.patience == found.best_params_["reductselector__search__patience"]


def test_grid_search_over_whole_searches(wine):
    grid = {"search": ["quickreduct", Genetic(n_population=10, n_generations=1)]}
    pipeline = make_pipeline(ReductSelector(random_state=0), KNeighborsClassifier())
    names = {f"reductselector__{name}": values for name, values in grid.items()}
    GridSearchCV(pipeline, names, cv=2, error_score="raise").fit(*wine)


def test_nested_parameters_can_be_read_and_set():
    selector = ReductSelector(ShuffledFrogs(patience=7))
    assert selector.get_params()["search__patience"] == 7
    selector.set_params(search__patience=2, tnorm="minimum")
    assert (selector.search.patience, selector.tnorm) == (2, "minimum")


def test_a_subclass_may_have_parameters_of_its_own(wine):
    class Tuned(SoftSelector):
        def __init__(self, n_features_to_select=2, more=None):
            super().__init__(n_features_to_select=n_features_to_select)
            self.more = more

    tuned = clone(Tuned(3, more="x")).fit(*wine)
    assert (tuned.n_features_, tuned.get_params()["more"]) == (3, "x")


@every_selector
def test_clone_is_unfitted_and_equal(selector, wine):
    fitted = clone(selector).fit(*wine)
    copy = clone(fitted)
    assert not hasattr(copy, "support_")
    assert str(copy.get_params()) == str(fitted.get_params())
    if not isinstance(selector.search, str):
        assert copy.search is not fitted.search


@every_selector
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_names_come_from_any_frame(selector, mixed, library):
    columns, y = mixed
    fitted = clone(selector).fit(library(columns), y)
    assert fitted.feature_names_in_.tolist() == list(columns)
    assert {"color", "count"} <= set(fitted.get_feature_names_out())


@every_selector
@pytest.mark.parametrize(
    ("output", "library"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
@pytest.mark.parametrize("globally", [False, True])
def test_frames_come_out_with_names_and_types(selector, mixed, output, library, globally):
    columns, y = mixed
    table = library(columns)
    fitted = clone(selector).fit(table, y)
    names = fitted.get_feature_names_out().tolist()
    if globally:
        with config_context(transform_output=output):
            reduced = fitted.transform(table)
    else:
        reduced = fitted.set_output(transform=output).transform(table)
    assert isinstance(reduced, library)
    assert list(reduced.columns) == names
    assert list(reduced.dtypes) == list(table[names].dtypes)
    assert reduced.equals(table[names])


@every_selector
@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_arrays_come_out_as_frames_too(selector, wine, output):
    X, y = wine[0].to_numpy(), wine[1].to_numpy()
    reduced = clone(selector).fit(X, y).set_output(transform=output).transform(X)
    assert all(name.startswith("x") for name in reduced.columns)
    assert np.array_equal(reduced.to_numpy(), X[:, [int(name[1:]) for name in reduced.columns]])


@every_selector
def test_without_set_output_arrays_come_out(selector, wine):
    X, y = wine
    fitted = clone(selector).fit(X, y)
    reduced = fitted.transform(X)
    assert np.array_equal(reduced, X.to_numpy()[:, fitted.support_])
    assert reduced.flags.writeable


def test_odd_columns_are_taken_or_refused_with_a_sentence(wine):
    X, y = wine
    selector = ReductSelector("quickreduct").fit(X.to_numpy(), y)
    named_by_pairs = X.set_axis(pd.MultiIndex.from_product([["wine"], X.columns]), axis=1)
    assert np.array_equal(selector.transform(named_by_pairs), selector.transform(X.to_numpy()))
    with pytest.raises(DataError, match="names must be distinct, got repeated ones"):
        selector.transform(X.set_axis(["a", "a", *X.columns[2:]], axis=1))


@every_selector
def test_a_frame_with_other_names_is_refused(selector, wine):
    X, y = wine
    fitted = clone(selector).fit(X, y).set_output(transform="polars")
    other = pl.DataFrame({f"v{i}": X.to_numpy()[:, i] for i in range(13)})
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.transform(other)


@every_selector
def test_lists_of_rows_and_column_labels(selector, wine):
    X, y = wine
    from_lists = clone(selector).fit(X.to_numpy().tolist(), y.tolist())
    assert (from_lists.support_ == clone(selector).fit(X, y).support_).all()


def test_fitted_selector_survives_pickling(wine):
    X, y = wine
    fitted = ReductSelector(random_state=0).fit(X, y)
    loaded = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - our own bytes
    assert np.array_equal(loaded.transform(X), fitted.transform(X))
    loaded.select_reduct(3)
    fitted.select_reduct(3)
    assert np.array_equal(loaded.transform(X), fitted.transform(X))
    feature = fitted.reducts_[3].names[0]
    assert loaded.explain(feature) == fitted.explain(feature)


def test_pickle_holds_only_the_columns_of_reducts():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(100, 400)), random.integers(0, 2, 100)
    fitted = ReductSelector("quickreduct").fit(X, y)
    size = len(pickle.dumps(fitted))
    assert fitted.n_features_ < 20
    assert size < X.nbytes / 4


@pytest.mark.parametrize("make", [SoftSelector, ReductSelector, FeatureSelector])
@pytest.mark.parametrize("method", ["fit", "why_not"])
def test_a_call_without_arguments_names_no_private_class(make, method):
    selector = make(max) if make is FeatureSelector else make()
    with pytest.raises(TypeError, match=rf"^Selector\.{method}\(\) missing 1 required"):
        getattr(selector, method)()


@pytest.mark.parametrize(("action", "n_times"), [("default", 1), ("always", 3)])
def test_a_search_of_scikit_learn_warns_once(action, n_times):
    X = pd.DataFrame({"a": np.arange(60) % 2 + np.arange(60) % 7, f"same {action}": 1.0})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        cross_val_score(make_pipeline(SoftSelector(), KNeighborsClassifier()), X, X["a"] % 2, cv=3)
        n_warned = sum("the same value" in str(one.message) for one in caught)
        assert n_warned == n_times
        for _ in range(2):
            SoftSelector().fit(X, X["a"] % 2)
    assert sum("the same value" in str(one.message) for one in caught) == n_warned + 2


@pytest.mark.parametrize(("action", "n_times"), [("default", 1), ("always", 3)])
def test_a_search_warns_once_though_numbers_differ(action, n_times):
    who = np.sqrt(np.arange(60) * 4).astype(int)
    X = pd.DataFrame({"a": np.arange(60) % 7, "b": np.arange(60) % 5, f"{action}_patient_id": who})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        cross_val_score(make_pipeline(SoftSelector(), KNeighborsClassifier()), X, X["a"] > 3, cv=3)
    said = [str(one.message) for one in caught if "named like an ID" in str(one.message)]
    assert len(said) == n_times
    assert action == "default" or len(set(said)) > 1


def test_a_subclass_keeps_what_it_has_fixed():
    class Three(SoftSelector):
        def __init__(self, random_state=None):
            super().__init__(n_features_to_select=3, random_state=random_state)

    X, y = load_wine(return_X_y=True)
    assert Three().fit(X, y).n_features_ == 3
