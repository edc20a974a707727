"""What the fuzzy-rough selector finds, and what it says about it."""

import signal

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from fuzzyfrog import (
    DataError,
    QuickReduct,
    ReductSelector,
    ShuffledFrogs,
    dependency,
    load_dataset,
)

SEARCHES = ("frogs", "genetic", "swarm", "quickreduct")


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def fitted(wine):
    return ReductSelector(random_state=0).fit(*wine)


def course(selector):
    """Return the history without the times, which differ from fit to fit."""
    return [replace(one, seconds=None) for one in selector.history_]


def a_table(seed=0, n_samples=30, n_features=6):
    random = np.random.default_rng(seed)
    return random.normal(size=(n_samples, n_features)), random.integers(0, 2, n_samples)


class TestAttributes:
    def test_the_smallest_reducts_of_wine(self, fitted):
        assert fitted.n_features_ == 5 == fitted.support_.sum()
        assert fitted.dependency_ == fitted.full_dependency_ == 1.0
        assert len(fitted.reducts_) >= 0.9 * 343
        assert all(reduct.size == 5 and reduct.minimal for reduct in fitted.reducts_)
        assert fitted.stop_reason_ == "converged"

    def test_reducts_have_the_dependency_they_state(self, fitted, wine):
        X, y = wine
        for reduct in fitted.reducts_[::50]:
            assert tuple(X.columns[list(reduct.features)]) == reduct.names
            assert dependency(X, y, reduct.features) == reduct.dependency

    def test_frequency_is_the_share_of_reducts(self, fitted):
        counts = np.zeros(13)
        for reduct in fitted.reducts_:
            counts[list(reduct.features)] += 1
        np.testing.assert_allclose(fitted.feature_frequency_, counts / len(fitted.reducts_))

    def test_front_has_the_best_of_each_size(self, fitted, wine):
        X, y = wine
        sizes = [point.size for point in fitted.front_]
        assert sizes == [1, 2, 3, 4, 5]
        for point in fitted.front_:
            assert dependency(X, y, list(point.names)) == point.dependency
        singles = [dependency(X, y, [feature]) for feature in range(13)]
        assert fitted.front_[0].dependency == max(singles)

    def test_ranking_follows_the_frequency(self, fitted):
        assert (fitted.ranking_ == 1).tolist() == fitted.support_.tolist()
        others = np.flatnonzero(~fitted.support_)
        by_rank = others[np.argsort(fitted.ranking_[others])]
        assert (np.diff(fitted.feature_frequency_[by_rank]) <= 0).all()
        assert fitted.ranking_[others].min() == 2

    def test_equally_frequent_features_share_a_rank(self):
        X, y = a_table()
        selector = ReductSelector("quickreduct", n_features_to_select=2).fit(X, y)
        assert sorted(selector.ranking_.tolist()) == [1, 1, 2, 2, 2, 2]

    def test_history_and_evaluations_are_those_of_the_run(self, fitted):
        evaluations = [moment.n_evaluations for moment in fitted.history_]
        assert evaluations == sorted(evaluations)
        assert evaluations[-1] == fitted.n_evaluations_
        assert fitted.history_[-1].size == 5

    def test_names_are_numbered_where_there_are_none(self):
        X, y = a_table()
        selector = ReductSelector("quickreduct").fit(X, y)
        first = selector.reducts_[0]
        assert first.names == tuple(f"x{feature}" for feature in first.features)
        assert not hasattr(selector, "feature_names_in_")


class TestSelectReduct:
    def test_switches_all_that_belongs_to_the_selection(self, wine):
        X, y = wine
        selector = ReductSelector(random_state=0).fit(X, y)
        reduct = selector.reducts_[7]
        assert selector.select_reduct(7) is selector
        assert np.flatnonzero(selector.support_).tolist() == list(reduct.features)
        assert selector.get_feature_names_out().tolist() == list(reduct.names)
        assert (np.flatnonzero(selector.ranking_ == 1) == reduct.features).all()
        assert selector.transform(X).shape == (178, reduct.size)

    def test_dependency_and_size_follow(self):
        selector = ReductSelector(min_dependency=0.8, random_state=0).fit(*a_table())
        assert len({reduct.dependency for reduct in selector.reducts_}) > 1
        for i, reduct in enumerate(selector.reducts_):
            selector.select_reduct(i)
            assert (selector.n_features_, selector.dependency_) == (reduct.size, reduct.dependency)

    @pytest.mark.parametrize("i", [-1, 10_000, 1.0, True, "first"])
    def test_unknown_position_gets_a_sentence(self, fitted, i):
        with pytest.raises(ValueError, match=r"i must be a position in reducts_, from 0 to \d+"):
            fitted.select_reduct(i)

    def test_unfitted_selector_says_so(self):
        with pytest.raises(NotFittedError):
            ReductSelector().select_reduct(0)


class TestSeeds:
    def test_same_seed_same_result_at_any_number_of_threads(self, wine):
        one = ReductSelector(random_state=3, n_jobs=1, max_evaluations=400).fit(*wine)
        two = ReductSelector(random_state=3, n_jobs=2, max_evaluations=400).fit(*wine)
        assert one.seed_ == two.seed_ == 3
        assert one.reducts_ == two.reducts_
        assert course(one) == course(two)

    def test_other_seed_other_course(self, wine):
        runs = [
            course(ReductSelector(random_state=seed, max_evaluations=300).fit(*wine))
            for seed in (1, 2)
        ]
        assert runs[0] != runs[1]

    def test_the_seed_that_was_drawn_repeats_the_fit(self, wine):
        drawn = ReductSelector(max_evaluations=200).fit(*wine)
        again = ReductSelector(random_state=drawn.seed_, max_evaluations=200).fit(*wine)
        assert course(again) == course(drawn)


class TestConstraints:
    @pytest.mark.parametrize("search", SEARCHES)
    def test_must_include_and_exclude_by_name(self, wine, search):
        selector = ReductSelector(
            search, must_include=["ash"], exclude=["proline", "hue"], random_state=0
        ).fit(*wine)
        for reduct in selector.reducts_:
            assert "ash" in reduct.names
            assert not {"proline", "hue"} & set(reduct.names)

    def test_names_indices_and_masks_mean_the_same(self, wine):
        mask = np.zeros(13, bool)
        mask[[2, 5]] = True
        found = [
            ReductSelector("quickreduct", exclude=exclude).fit(*wine).reducts_
            for exclude in (["ash", "total_phenols"], [2, 5], mask)
        ]
        assert found[0] == found[1] == found[2]

    @pytest.mark.parametrize("search", SEARCHES)
    @pytest.mark.parametrize("size", [1, 4, 13])
    def test_the_number_of_features_is_kept(self, wine, search, size):
        selector = ReductSelector(
            search, n_features_to_select=size, random_state=0, max_evaluations=500
        ).fit(*wine)
        assert selector.n_features_ == size
        assert {reduct.size for reduct in selector.reducts_} == {size}

    def test_full_dependency_leaves_out_what_is_excluded(self, wine):
        X, y = wine
        kept = [feature for feature in range(13) if feature in (1, 2)]
        rest = [feature for feature in range(13) if feature not in kept]
        selector = ReductSelector(exclude=rest, random_state=0).fit(X, y)
        assert selector.full_dependency_ == dependency(X, y, kept) < 1.0
        assert selector.dependency_ == selector.full_dependency_

    def test_a_share_of_the_dependency_needs_fewer_features(self, wine):
        selector = ReductSelector(min_dependency=0.9, random_state=0).fit(*wine)
        assert selector.n_features_ < 5
        assert selector.dependency_ >= 0.9 * selector.full_dependency_

    def test_the_product_ranking_of_wine(self, wine):
        selector = ReductSelector(ranking="product", random_state=0).fit(*wine)
        assert (selector.get_support(indices=True) + 1).tolist() == [7, 10, 13]


class TestStopping:
    def test_budget_of_evaluations(self, wine):
        selector = ReductSelector(max_evaluations=50, random_state=0).fit(*wine)
        assert selector.n_evaluations_ <= 50
        assert selector.stop_reason_ == "max_evaluations"
        assert selector.support_.any()

    def test_budget_of_seconds(self, wine):
        with pytest.warns(UserWarning, match="before it scored any subset|determine the core"):
            selector = ReductSelector(max_seconds=1e-9, random_state=0).fit(*wine)
        assert selector.stop_reason_ == "max_seconds"
        assert selector.support_.any()

    def test_callbacks_hear_every_batch_and_can_stop(self, wine):
        heard = []

        def stop_at_third(moment):
            heard.append(moment)
            return len(heard) == 3

        selector = ReductSelector(callbacks=[stop_at_third], random_state=0).fit(*wine)
        assert selector.stop_reason_ == "callback"
        assert [
            (one.n_evaluations, one.dependency, one.size, one.n_reducts, one.diversity)
            for one in selector.history_[:3]
        ] == [
            (one.n_evaluations, one.score, one.size, one.n_best, one.diversity) for one in heard[:3]
        ]

    def test_interrupted_fit_keeps_the_best_so_far(self, wine):
        def interrupt(moment):
            if moment.n_evaluations > 300:
                signal.raise_signal(signal.SIGINT)

        with pytest.warns(ConvergenceWarning, match="interrupted at a dependency of"):
            selector = ReductSelector(callbacks=[interrupt], random_state=0).fit(*wine)
        assert selector.stop_reason_ == "interrupted"
        assert selector.transform(wine[0]).shape[1] == selector.n_features_ > 0


class TestCheckpoint:
    def test_resumed_fit_equals_an_undisturbed_one(self, wine, tmp_path):
        path = tmp_path / "wine.scores"
        undisturbed = ReductSelector(random_state=1).fit(*wine)
        cut = ReductSelector(random_state=1, checkpoint=path, max_evaluations=500).fit(*wine)
        resumed = ReductSelector(random_state=1, checkpoint=str(path)).fit(*wine)
        assert cut.stop_reason_ == "max_evaluations"
        assert resumed.reducts_ == undisturbed.reducts_
        assert course(resumed) == course(undisturbed)

    @pytest.mark.parametrize("change", [{"tnorm": "minimum"}, {"spread": "range"}])
    def test_other_measure_is_refused(self, wine, tmp_path, change):
        path = tmp_path / "wine.scores"
        ReductSelector(random_state=1, checkpoint=path, max_evaluations=50).fit(*wine)
        with pytest.raises(ValueError, match="must come from the same run"):
            ReductSelector(random_state=1, checkpoint=path, **change).fit(*wine)

    @pytest.mark.filterwarnings("ignore:The search stopped")
    @pytest.mark.parametrize(
        ("first", "then"),
        [
            ({"costs": dict.fromkeys(range(13), 10)}, {"costs": dict.fromkeys(range(13), 1)}),
            ({}, {"costs": {0: 2} | dict.fromkeys(range(1, 13), 1)}),
            ({"survives": 1}, {"survives": 0}),
            ({"survives": 1}, {"survives": 2}),
            ({"max_lost": 3}, {"max_lost": None}),
            ({"max_lost": 3}, {"max_lost": 4}),
        ],
        ids=["costs", "no costs", "no loss", "loss of one", "none aside", "three aside"],
    )
    def test_another_question_is_refused(self, wine, tmp_path, first, then):
        settings = {"search": "exact", "checkpoint": tmp_path / "wine.scores", "random_state": 1}
        ReductSelector(**settings, **first, max_evaluations=6).fit(*wine)
        with pytest.raises(ValueError, match="must come from the same run"):
            ReductSelector(**settings, **then).fit(*wine)

    def test_other_data_are_refused(self, wine, tmp_path):
        X, y = wine
        path = tmp_path / "wine.scores"
        ReductSelector("quickreduct", random_state=1, checkpoint=path).fit(X, y)
        with pytest.raises(ValueError, match="must come from the same run"):
            ReductSelector("quickreduct", random_state=1, checkpoint=path).fit(X, y[::-1])


class TestData:
    def test_instances_and_names_of_searches_agree(self, wine):
        for name, instance in (("frogs", ShuffledFrogs()), ("quickreduct", QuickReduct())):
            by_name = ReductSelector(name, random_state=0, max_evaluations=300).fit(*wine)
            given = ReductSelector(instance, random_state=0, max_evaluations=300).fit(*wine)
            assert course(by_name) == course(given)

    def test_numeric_target(self):
        X, _ = a_table(n_features=4)
        y = X[:, 1] + 0.01 * X[:, 2]
        selector = ReductSelector(min_dependency=0.8, random_state=0).fit(X, y)
        assert selector.support_[1]
        assert selector.full_dependency_ == dependency(X, y)

    @pytest.mark.parametrize("search", SEARCHES)
    def test_features_that_tell_nothing_still_give_a_selection(self, search):
        X = np.ones((6, 3))
        selector = ReductSelector(search, random_state=0).fit(X, [0, 1] * 3)
        assert selector.n_features_ == 1
        assert selector.dependency_ == 0.0
        assert selector.core_ == []

    @pytest.mark.parametrize(
        ("X", "y", "message"),
        [
            (np.ones((4, 2)), [1, 1, 1, 1], "at least 2 classes"),
            (np.ones((1, 2)), [1], "at least 2 samples"),
            (np.ones((0, 2)), [], "at least 2 samples"),
            (np.ones((4, 0)), [0, 1, 0, 1], "at least one feature"),
            (np.array([[np.inf], [1.0]]), [0, 1], "must be finite"),
            (np.ones((3, 2)), [0, 1], "same number of samples"),
        ],
    )
    def test_unusable_data_get_a_sentence(self, X, y, message):
        with pytest.raises(DataError, match=message):
            ReductSelector().fit(X, y)

    def test_missing_values_can_be_refused(self):
        X, y = a_table()
        X[3, 2] = np.nan
        ReductSelector("quickreduct").fit(X, y)
        with pytest.raises(DataError, match="missing='raise' allows no missing value"):
            ReductSelector("quickreduct", missing="raise").fit(X, y)


def test_first_reduct_has_the_most_frequent_features():
    X, y = load_wine(return_X_y=True)
    selector = ReductSelector(random_state=0, max_evaluations=3000).fit(X, y)
    frequency = [selector.feature_frequency_[list(one.features)].sum() for one in selector.reducts_]
    assert len(frequency) > 50
    assert frequency == sorted(frequency, reverse=True)


def test_dataset_stands_for_table_and_target():
    data = load_dataset("wine")
    by_dataset = ReductSelector("quickreduct").fit(data)
    X, y = load_wine(return_X_y=True, as_frame=True)
    by_frame = ReductSelector("quickreduct").fit(X, y)
    assert by_dataset.get_feature_names_out().tolist() == by_frame.get_feature_names_out().tolist()
    np.testing.assert_array_equal(by_dataset.transform(data), by_frame.transform(X))
    with pytest.raises(DataError, match="features of the fit in their order"):
        by_dataset.transform(load_dataset("iris"))


def test_search_that_ends_before_the_target_warns():
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="max_evaluations.*before it reached the 1"):
        ReductSelector("quickreduct", max_evaluations=13).fit(X, y)


def test_identifier_is_pointed_out():
    X = pd.DataFrame({"id": [f"C{k}" for k in range(30)], "size": np.arange(30) % 7})
    with pytest.warns(UserWarning, match="'id' has a different value in every sample"):
        ReductSelector("quickreduct").fit(X, np.arange(30) % 2)
    ReductSelector("quickreduct", exclude=["id"]).fit(X, np.arange(30) % 2)


def test_parameters_of_a_search_need_an_instance():
    with pytest.raises(ValueError, match="search must be an instance to set search__patience"):
        ReductSelector().set_params(search__patience=2)
    selector = ReductSelector().set_params(search=ShuffledFrogs(), search__patience=2)
    assert selector.search.patience == 2
