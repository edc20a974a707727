"""Groups of columns: selected or left out together, and counted as one."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from fuzzyfrog import (
    FeatureSelector,
    ReductSelector,
    SoftSelector,
    check,
    dependency,
    soft_dependency,
)
from fuzzyfrog.data import make_dataset
from fuzzyfrog.errors import DataError, ParameterError
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.result import Result
from fuzzyfrog.select.groups import Groups

GROUPS = {"color": "color_*"}
COLORS = ["color_blue", "color_green", "color_red"]


@pytest.fixture(scope="module")
def fruit():
    """Fruit whose kind follows from color and size together, with noise."""
    random = np.random.default_rng(0)
    color = random.choice(["blue", "green", "red"], 150)
    size = random.normal(size=150)
    X = pd.get_dummies(pd.DataFrame({"color": color}), dtype=float)
    X.insert(1, "size", size)  # the columns of a group need not be next to each other
    X["noise"] = random.normal(size=150)
    X["more"] = random.normal(size=150)
    cuts = {"blue": -0.8, "green": 0.0, "red": 0.8}
    return X, size > np.array([cuts[one] for one in color])


@pytest.mark.parametrize(
    "selector",
    [
        *(
            ReductSelector(search, max_evaluations=200)
            for search in ("frogs", "genetic", "swarm", "quickreduct")
        ),
        *(
            FeatureSelector(SoftDependency, search, max_evaluations=200)
            for search in ("frogs", "genetic", "swarm", "quickreduct")
        ),
        SoftSelector(),
    ],
    ids=repr,
)
def test_a_group_is_selected_as_a_whole(fruit, selector):
    X, y = fruit
    found = clone(selector).set_params(feature_groups=GROUPS, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found.fit(X, y)
    for reduct in found.reducts_:
        assert not set(reduct.names) & set(COLORS)
    assert (found.feature_frequency_[found.support_] > 0).all()
    taken = found.support_[[X.columns.get_loc(name) for name in COLORS]]
    assert taken.all() or not taken.any()
    assert found.n_features_ == found.support_.sum() - 2 * taken.all()
    assert found.transform(X).shape[1] == found.support_.sum()
    scored = dependency if isinstance(found, ReductSelector) else soft_dependency
    features = np.flatnonzero(found.support_).tolist()
    assert found.dependency_ == pytest.approx(scored(X, y, features), abs=1e-9)
    ranks = found.ranking_[[X.columns.get_loc(name) for name in COLORS]]
    assert len(set(ranks.tolist())) == 1


@pytest.mark.filterwarnings("ignore:.*models may do worse")
def test_groups_count_as_one(fruit):
    X, y = fruit
    for selector in (ReductSelector(must_include=["color", "size"]), SoftSelector()):
        found = selector.set_params(
            feature_groups=GROUPS, n_features_to_select=2, random_state=0
        ).fit(X, y)
        assert (found.n_features_, found.support_.sum()) == (2, 4)
        assert set(found.get_feature_names_out()) == {*COLORS, "size"}
        assert found.reducts_[0].names == ("color", "size")
        assert {point.size for point in found.front_} <= {1, 2, 3, 4}
    share = ReductSelector(feature_groups=GROUPS, n_features_to_select=0.5, random_state=0).fit(
        X, y
    )
    assert share.n_features_ == 2  # of four


@pytest.mark.filterwarnings("ignore:.*models may do worse")
def test_the_greedy_path_of_the_soft_measure_has_the_losses_of_whole_groups(fruit):
    X, y = fruit
    found = SoftSelector(feature_groups=GROUPS, random_state=0).fit(X, y)
    by_size = {point.size: point for point in found.front_}
    both = make_dataset(X[[*COLORS, "size"]], y)
    alone = SoftSelector(n_features_to_select=4).fit(both)
    assert by_size[2].accuracy == pytest.approx(alone.front_[-1].accuracy)


@pytest.mark.filterwarnings("ignore:.*models may do worse")
def test_groups_may_be_included_and_excluded_by_name_or_by_a_column(fruit):
    X, y = fruit
    for given in (["color"], ["color_green"], [2]):
        found = ReductSelector(
            "quickreduct", feature_groups=GROUPS, must_include=given, n_features_to_select=1
        ).fit(X, y)
        assert found.get_feature_names_out().tolist() == COLORS
        found = ReductSelector("quickreduct", feature_groups=GROUPS, exclude=given).fit(X, y)
        assert not set(COLORS) & set(found.get_feature_names_out())


def test_columns_of_a_group_are_no_copies():
    random = np.random.default_rng(1)
    yes = random.integers(0, 2, 60).astype(float)
    X = pd.DataFrame({"m": yes, "f": 1 - yes, "x": random.normal(size=60)})
    y = (X["x"] > 0) ^ (yes > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = ReductSelector("quickreduct").fit(X, y)
        grouped = ReductSelector("quickreduct", feature_groups={"sex": ["m", "f"]}).fit(X, y)
    assert alone.copies_ == {1: 0}
    assert grouped.copies_ == {}
    assert grouped.get_feature_names_out().tolist() == ["m", "f", "x"]


@pytest.mark.filterwarnings("ignore:.*models may do worse")
def test_the_record_has_groups_as_features(fruit, tmp_path):
    X, y = fruit
    found = ReductSelector(
        "quickreduct", feature_groups=GROUPS, n_features_to_select=2, must_include=["color", "size"]
    ).fit(X, y)
    run = Result.from_json(found.record().to_json())
    assert run.table.n_features == 4
    assert run.names(run.selected) == ("color (color_blue, color_green, color_red)", "size")
    assert run.excluded == ()
    assert [one.feature for one in run.data_sample.columns] == [1]  # a group has no distribution
    assert any("'color' stands for 3 columns that are selected together" in n for n in run.notes)
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "color (color_blue, color_green, color_red)" in page
    assert "without each of them was not measured, because columns form groups." in page
    with pytest.raises(DataError, match=r"columns form groups\. Run it again without groups"):
        run.explanation_of("color")
    assert found.explain("size").name == "size"
    with pytest.raises(ParameterError, match="feature must be a column that belongs to no group"):
        found.explain("color_red")


def test_a_record_of_groups_alone_can_be_loaded(fruit, tmp_path):
    X, y = fruit
    groups = {"color": "color_*", "rest": ["size", "noise", "more"]}
    found = ReductSelector("quickreduct", feature_groups=groups).fit(X, y)
    found.record().save(tmp_path / "run.json")
    run = Result.load(tmp_path / "run.json")
    assert len(run.selected) == 2
    assert run.data_sample is None  # a group has no distribution
    found.report(tmp_path / "page.html")
    assert "time ran out" not in (tmp_path / "page.html").read_text()


@pytest.mark.filterwarnings("ignore:.*models may do worse")
def test_a_check_repeats_the_selection_with_groups(fruit):
    X, y = fruit
    selector = SoftSelector(feature_groups=GROUPS, n_features_to_select=2)
    found = check(clone(selector), X, y, cv=3)
    everything, selected = found.scores[:2]
    assert everything.n_features == 6
    assert selected.n_features == 4  # columns, in every fold
    assert found.noise is None
    assert any("it shuffles single columns" in note for note in found.notes)


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        (["color_*"], r"must be None or a mapping of names .* For example, feature_groups=\{"),
        ({"color": "colour_*"}, r"feature_groups\['color'\] must match columns, got 'colour_\*'"),
        ({"color": ["color_red", "colr_blue"]}, "name features, got 'colr_blue'. Did you mean"),
        ({"color": ["color_red"]}, "must have at least 2 columns, got 'color_red'"),
        ({"color": [0, 99]}, "must have names of features, or indices from 0 to 5, got 99"),
        ({"color": "color_*", "b": ["color_red", "size"]}, "not overlap, got 'color_red' in"),
        ({"noise": "color_*"}, "have names that no other column has, got 'noise'"),
        ({"color": 3}, "be a pattern or a list of columns, got 3. For example, feature_groups="),
        ({1: [0, 1], "1": [2, 3]}, "have names that are text, got 1"),
    ],
)
def test_groups_that_make_no_sense_are_refused(fruit, groups, told):
    with pytest.raises(ParameterError, match=told):
        ReductSelector("quickreduct", feature_groups=groups).fit(*fruit)


def test_a_group_must_not_be_included_and_excluded_by_two_of_its_columns(fruit):
    selector = ReductSelector(
        feature_groups=GROUPS, must_include=["color_red"], exclude=["color_blue"]
    )
    with pytest.raises(ParameterError, match="must not overlap, got 'color' in both"):
        selector.fit(*fruit)


@pytest.mark.filterwarnings("ignore:.*models may do worse")
@pytest.mark.parametrize("given", [{"certify": True}, {"search": "exact"}, {"search": "front"}])
def test_a_group_is_one_feature_in_a_proof(fruit, given):
    selector = ReductSelector(feature_groups=GROUPS, random_state=0, **given).fit(*fruit)
    proof = selector.certificate_
    assert proof.proven
    assert proof.lower_bound == proof.size == selector.n_features_


@pytest.mark.filterwarnings("ignore:.*models may do worse")
def test_another_grouping_is_another_run(fruit, tmp_path):
    file = tmp_path / "scores"
    selector = ReductSelector(checkpoint=file, random_state=0)
    stopped = clone(selector).set_params(
        feature_groups={"a": [0, 1], "b": [2, 3]}, callbacks=[lambda moment: True]
    )
    assert stopped.fit(*fruit).stop_reason_ == "callback"
    with pytest.raises(ValueError, match="checkpoint"):  # though the same columns stand for others
        clone(selector).set_params(feature_groups={"a": [0, 1, 3]}).fit(*fruit)


def test_all_columns_of_a_large_group_are_in_its_fingerprint():
    data = make_dataset(np.arange(60.0).reshape(2, 30) % 7, ["a", "b"])
    groups = [Groups.of({"g": [*range(12), last]}, data).words() for last in (20, 21)]
    assert groups[0] != groups[1]


def test_columns_and_groups_may_be_in_arrays(fruit):
    X, y = fruit
    for colors in (np.array(COLORS), pd.Index(COLORS), tuple(COLORS)):
        found = ReductSelector(
            "quickreduct",
            feature_groups={"color": colors},
            must_include=np.array(["color", "noise"]),
        ).fit(X, y)
        assert {*COLORS, "noise"} <= set(found.get_feature_names_out())


@pytest.mark.filterwarnings("ignore:.*alone ")
def test_the_columns_of_a_group_that_is_not_selected_share_a_rank(fruit):
    X, _ = fruit
    found = SoftSelector(feature_groups=GROUPS, size_rule="peak")
    found.fit(X, X["size"] > 0)
    ranks = dict(zip(X.columns, found.ranking_.tolist(), strict=True))
    assert ranks["size"] == 1
    assert sorted({ranks[name] for name in ("color_blue", "noise", "more")}) == [2, 3, 4]
    assert len({ranks[name] for name in COLORS}) == 1
