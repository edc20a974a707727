"""The cheapest features, against all subsets of small tables in exact arithmetic."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import ReductSelector, enumerate_reducts, load_dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.result import Result
from panel_cases import check_front, priced, proving, random_case
from strategies import seeds

SEEDS = seeds(500, first=8)
WINE = {"alcohol": 2.5, "proline": 40, "hue": 0.5, "flavanoids": 10, "ash": 3}


def fitted(case, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = ReductSelector(**case.settings, **settings, random_state=0)
        return selector.fit(case.frame, case.target)


def named(subsets):
    return {tuple(sorted(one.names)) for one in subsets}


@pytest.mark.parametrize("seed", SEEDS)
def test_all_of_the_cheapest_are_listed(seed):
    case = random_case(seed)
    costs, each = priced(case, seed)
    share = [1, 1, 1, Fraction(3, 4)][seed % 4]
    truth, lowest = case.panels.best(each, share)
    selector = fitted(case, **proving(seed), costs=costs, min_dependency=float(share))
    proof = selector.certificate_
    assert (proof.proven, proof.all_listed) == (True, True)
    assert named(selector.reducts_) == case.named(truth)
    if costs is not None:
        assert proof.claim == "cheapest"
        assert {one.cost for one in selector.reducts_} == {proof.cost, proof.lower_bound, lowest}
        assert selector.result_.cost == lowest
    saved = selector.record().to_json()
    assert Result.from_json(saved).to_json() == saved
    if costs and share == 1 and not case.settings["feature_groups"]:
        listed = enumerate_reducts(
            case.frame, case.target, costs=costs, spread="range", target=case.settings["target"],
            must_include=case.settings["must_include"], exclude=case.settings["exclude"],
            **case.how,
        )  # fmt: skip
        assert named(listed) == case.named(truth)


@pytest.mark.parametrize("search", ["frogs", "genetic", "swarm", "quickreduct"])
@pytest.mark.parametrize("seed", seeds(6, first=2))
def test_no_search_claims_a_lower_cost(search, seed):
    case = random_case(seed)
    costs, each = priced(case, seed)
    truth, lowest = case.panels.best(each)
    selector = fitted(case, search=search, costs=costs)
    assert named(selector.reducts_) <= case.named(truth) or selector.result_.cost > lowest
    if search == "frogs":
        assert named(selector.reducts_) <= case.named(truth)


@pytest.mark.parametrize("seed", seeds(500, first=6))
def test_the_front_is_cost_against_dependency(seed):
    case = random_case(seed)
    costs, each = priced(case, seed)
    share = [1, Fraction(3, 4)][seed % 2]
    front = fitted(case, search="front", costs=costs, min_dependency=float(share)).front_
    check_front(front, case.panels.front(each, share))


def test_what_is_left_out_costs_nothing():
    X = pd.DataFrame({"a": np.arange(20) % 5, "b": np.arange(20) % 3, "row": np.arange(20)})
    selector = ReductSelector(costs={"a": 2}, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(X, np.arange(20) % 2)
    said = [str(one.message) for one in caught if "given cost" in str(one.message)]
    assert said == ["1 feature without a given cost costs 1: 'b'."]


def test_wine_at_the_lowest_cost():
    with pytest.warns(UserWarning, match="8 features without a given cost cost 1: 'malic_acid'"):
        selector = ReductSelector(costs=WINE, certify=True, random_state=0).fit(
            load_dataset("wine")
        )
    assert str(selector.certificate_) == (
        "Proven for these samples: a cost of 4.5 is the lowest. There are exactly 2 such subsets."
    )
    assert selector.result_.table.features[0].cost == 2.5
    prices = [one.cost for one in selector.front_]
    assert prices == sorted(prices)
    assert prices[-1] == 4.5


def test_the_cheapest_of_copies_may_be_selected():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.normal(size=40), "b": random.normal(size=40)})
    frame["c"] = 2 * frame["a"]
    y = frame["a"] > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = ReductSelector("exact", costs={"a": 5, "b": 100, "c": 2}).fit(frame, y)
    assert "c" in selector.get_feature_names_out()
    assert "a" not in selector.get_feature_names_out()


def test_a_group_costs_what_is_given_for_it_or_its_columns():
    data = load_dataset("wine")
    groups = {"two": ["ash", "hue"]}
    for costs, wanted in [({"two": 7}, 7), ({"ash": 2, "hue": 3}, 5), ({"ash": 2}, 2)]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = ReductSelector(
                "quickreduct", costs=costs, feature_groups=groups, must_include=["two"]
            ).fit(data)
        others = len(selector.reducts_[0].features) - 1
        assert selector.result_.cost == wanted + others


@pytest.mark.parametrize(
    ("costs", "sentence"),
    [
        ([1, 2], "costs must be None or a mapping"),
        ({}, "costs must be None or a mapping"),
        ({"ash": 0}, r"finite numbers, got 0. Pass a small cost such as 0.01 for what is free"),
        ({"ash": -1}, "costs must be positive, finite numbers"),
        ({"ash": float("inf")}, "costs must be positive, finite numbers"),
        ({"ash": float("nan")}, "costs must be positive, finite numbers"),
        ({"ash": True}, "costs must be positive, finite numbers"),
        ({"ash": "3"}, "costs must be positive, finite numbers, got '3'"),
        ({"asch": 3}, "costs must name features, got 'asch'. Did you mean 'ash'"),
        ({13: 3}, "costs must have names of features, or indices from 0 to 12"),
        ({"alcohol": 3, 0: 3}, "costs must name each feature once, got 'alcohol' twice"),
        ({"ash": 1e-9, "hue": 1e12}, "costs must be of comparable size"),
        ({"ash": 1 / 3, "hue": 0.1, "alcohol": np.pi}, "and have few digits"),
    ],
)
def test_wrong_costs_are_refused(costs, sentence):
    with pytest.raises(ParameterError, match=sentence):
        ReductSelector(costs=costs).fit(load_dataset("wine"))


@pytest.mark.parametrize("other", [{"n_features_to_select": 3}, {"ranking": "product"}])
def test_costs_decide_alone(other):
    with pytest.raises(ParameterError, match="must be left out with costs"):
        ReductSelector(costs=WINE, **other).fit(load_dataset("wine"))


def test_a_list_of_one_size_has_no_costs():
    with pytest.raises(ParameterError, match="size must be left out with costs"):
        enumerate_reducts(load_dataset("wine"), size=5, costs=WINE)
