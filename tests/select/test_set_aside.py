"""Samples set aside, against all subsets of small tables in exact arithmetic."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fuzzyfrog import ReductSelector, load_dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.result import Result
from fuzzyfrog.words import words_of
from naive.panels import cheapest
from panel_cases import check_front, priced, proving, random_case
from strategies import seeds

SEEDS = seeds(500, first=8)


def named(subsets):
    return {tuple(sorted(one.names)) for one in subsets}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_all_of_the_fewest_or_cheapest_are_listed(seed):
    case = random_case(seed)
    costs, each = priced(case, seed) if seed % 2 else (None, [1] * len(case.names))
    panels, max_lost = case.panels, seed % 5
    enough = [subset for subset in panels.subsets if panels.n_lost(subset) <= max_lost]
    truth, lowest = cheapest(enough, each)
    settings = {**case.settings, **proving(seed), "costs": costs, "max_lost": max_lost}
    selector = ReductSelector(**settings, random_state=0).fit(case.frame, case.target)
    proof = selector.certificate_
    assert (proof.proven, proof.all_listed, proof.lower_bound) == (True, True, lowest)
    assert named(selector.reducts_) == case.named(truth)
    for reduct in selector.reducts_:
        subset = tuple(case.names.index(name) for name in reduct.names)
        kept, full = panels.of(subset), panels.of(panels.all)
        lost = {one for one in range(len(full)) if kept[one] < full[one]}
        assert set(reduct.lost) == lost
        assert reduct.n_lost == len(lost)
        assert reduct.dependency == pytest.approx(float(panels.dependency(subset)), abs=1e-12)
    saved = selector.record().to_json()
    assert Result.from_json(saved).to_json() == saved


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", seeds(500, first=6))
def test_the_curve_has_the_fewest_for_each_size_or_cost(seed):
    case = random_case(seed)
    costs, each = priced(case, seed) if seed % 2 else (None, [1] * len(case.names))
    max_lost = seed % 3
    selector = ReductSelector("front", **case.settings, costs=costs, max_lost=max_lost)
    front = selector.fit(case.frame, case.target).front_
    check_front(front, case.panels.curve(each, max_lost), value="n_lost")


@pytest.mark.parametrize("search", ["frogs", "genetic", "swarm", "quickreduct"])
def test_every_search_keeps_to_the_limit(search):
    selector = ReductSelector(search, max_lost=3, random_state=0).fit(load_dataset("wine"))
    assert selector.reducts_[0].n_lost <= 3
    assert selector.n_features_ >= 4


def test_the_curve_of_wine():
    selector = ReductSelector("front", max_lost=0).fit(load_dataset("wine"))
    assert [(one.size, one.n_lost) for one in selector.front_] == [
        (1, 169), (2, 109), (3, 36), (4, 3), (5, 0),
    ]  # fmt: skip
    assert sorted(selector.front_[3].lost) == [38, 65, 79]
    assert selector.certificate_.proven


def test_samples_are_numbered_among_all_that_were_passed():
    X, y = load_wine(return_X_y=True)
    selector = ReductSelector(max_lost=3, random_state=0)
    rest = selector.fit(X[10:], y[10:]).reducts_[0].lost, selector.front_[0].lost
    selector.fit(X, y, sample_weight=np.arange(len(y)) >= 10)
    assert [
        [row - 10 for row in one.lost] for one in (selector.reducts_[0], selector.front_[0])
    ] == [list(lost) for lost in rest]


def test_the_words_name_the_samples_unless_rows_are_left_out():
    result = ReductSelector(max_lost=3, random_state=0).fit(load_dataset("wine")).record()
    words = words_of(result)
    assert words.headline().endswith("99.7% as well as all columns do; 3 samples are set aside")
    assert dict(words.facts())["set aside"] == "3 samples: sample 38, sample 79, sample 65"
    assert words.set_aside(result.front[0]).startswith("169 samples: sample ")
    assert words.set_aside(result.front[0]).endswith(" and 161 more")
    bare = result.without_rows()
    assert dict(words_of(bare).facts())["set aside"] == "3 samples"
    saved = json.loads(bare.to_json())["result"]
    assert not any("lost" in one for one in (*saved["front"], *saved["answer"]["reducts"]))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"max_lost": -1}, "max_lost must be an integer of at least 0"),
        ({"max_lost": 178}, "max_lost must be less than the number of samples, 178, got 178"),
        ({"max_lost": 1, "min_dependency": 0.9}, "min_dependency must be left out with max_lost"),
        ({"max_lost": 1, "survives": 1}, "survives must be left out with max_lost"),
        ({"max_lost": 1, "sample": 50}, "sample must be left out with max_lost"),
        ({"max_lost": 1, "n_features_to_select": 3}, "must be left out with max_lost"),
    ],
)
def test_wrong_settings_are_refused(given, sentence):
    with pytest.raises(ParameterError, match=sentence):
        ReductSelector(**given).fit(load_dataset("wine"))
