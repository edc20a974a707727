"""Features of which some may be lost, against all subsets of small tables in exact arithmetic."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from fuzzyfrog import ReductSelector, check, load_dataset
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.result import Result
from fuzzyfrog.words import words_of
from panel_cases import check_front, priced, proving, random_case
from strategies import seeds

SEEDS = seeds(1000, first=24)  # something survives in about 600 of them
WINE = (
    "Proven for these samples: 6 features are the fewest of which any one may be lost. There are "
    "exactly 13 such subsets."
)


def selector_of(case, search, **settings):
    return ReductSelector(search, **case.settings, **settings, random_state=0)


def named(subsets):
    return {tuple(sorted(one.names)) for one in subsets}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_all_of_the_fewest_or_cheapest_are_listed(seed):
    n_lost = 1 + seed % 2
    case = random_case(seed, n_lost)
    costs, each = priced(case, seed) if seed % 3 else (None, [1] * len(case.names))
    share = [1, 1, Fraction(3, 4), Fraction(1, 4)][seed // 2 % 4]
    truth, lowest = case.panels.best(each, share)
    asked = {"survives": n_lost, "costs": costs, "min_dependency": float(share)}
    selector = selector_of(case, **proving(seed), **asked)
    if lowest is None:
        with pytest.raises(ParameterError, match=f"survives must be less than {n_lost} for"):
            selector.fit(case.frame, case.target)
        return
    proof = selector.fit(case.frame, case.target).certificate_
    assert (proof.proven, proof.all_listed, proof.lower_bound) == (True, True, lowest)
    assert named(selector.reducts_) == case.named(truth)
    if costs is not None:
        assert {one.cost for one in selector.reducts_} == {proof.cost, lowest}
    for one in selector.reducts_:
        subset = tuple(case.names.index(name) for name in one.names)
        assert one.dependency == pytest.approx(float(case.panels.score(subset)), abs=1e-12)
    saved = selector.record().to_json()
    assert Result.from_json(saved).to_json() == saved


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", seeds(500, first=6))
def test_the_front_is_what_survives_at_each_size_or_cost(seed):
    case = random_case(seed, 1)
    costs, each = priced(case, seed) if seed % 2 else (None, [1] * len(case.names))
    if case.panels.best(each)[1] is None:
        return
    front = selector_of(case, "front", survives=1, costs=costs).fit(case.frame, case.target).front_
    check_front(front, case.panels.front(each))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("search", ["frogs", "genetic", "swarm", "quickreduct", "front"])
def test_what_a_search_finds_survives(search):
    n_found = 0
    for seed in range(12):
        case = random_case(seed, 1)
        truth, lowest = case.panels.best([1] * len(case.names))
        if lowest is None:
            continue
        selector = selector_of(case, search, survives=1).fit(case.frame, case.target)
        full = case.panels.dependency(case.panels.all)
        for reduct in selector.reducts_:
            subset = tuple(case.names.index(name) for name in reduct.names)
            assert case.panels.score(subset) == full
        n_found += named(selector.reducts_) <= case.named(truth)
    assert n_found >= 3


def test_wine_with_a_spare_column():
    for search in ("exact", "frogs"):
        selector = ReductSelector(search, survives=1, certify=True, random_state=0)
        selector.fit(load_dataset("wine"))
        assert str(selector.certificate_) == WINE
        assert selector.dependency_ == 1.0
        assert len(selector.reducts_) == 13
    headline = words_of(selector.record()).headline()
    assert headline.endswith("as well as all columns do, even if any one of them is lost")


def test_wine_with_two_spare_columns():
    selector = ReductSelector("exact", survives=2, random_state=0).fit(load_dataset("wine"))
    proof = selector.certificate_
    assert (proof.proven, proof.all_listed, proof.size, proof.n_reducts) == (True, True, 8, 111)


def test_a_feature_that_nothing_can_replace_is_named():
    random = np.random.default_rng(0)
    X = np.column_stack([np.arange(20) % 2, random.integers(0, 2, (20, 2))])
    y = X[:, 0]
    with pytest.raises(ParameterError, match="Nothing can replace 'x0': without 1 feature"):
        ReductSelector(survives=1).fit(X, y)


@pytest.mark.filterwarnings("ignore")
def test_nothing_is_claimed_before_a_loss_was_tried():
    X, y = np.eye(12)[np.arange(24) // 2], np.arange(24) % 2
    X[:, 0] = y  # nothing can replace it
    selector = ReductSelector("exact", survives=1, max_seconds=1e-9, exclude=["x3"]).fit(X, y)
    assert selector.certificate_ is None
    words = words_of(selector.record())
    assert "lost" not in words.headline()
    assert "survives" not in dict(words.facts())
    assert dict(words.facts())["size"].endswith(
        "not known to survive a loss: the search was stopped by max_seconds"
    )


def test_models_are_checked_with_spare_columns():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = load_dataset("iris")
        selector = ReductSelector("quickreduct", survives=1, min_dependency=0.5, random_state=0)
        assert check(selector.fit(data), data, cv=2).selected is not None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"survives": -1}, "survives must be an integer of at least 0"),
        ({"survives": 1.5}, "survives must be an integer of at least 0"),
        ({"survives": 1, "n_features_to_select": 3}, "must be left out with survives"),
        ({"survives": 1, "ranking": "product"}, "must be left out with survives"),
        ({"survives": 1, "sample": 50}, "sample must be left out with survives"),
    ],
)
def test_wrong_settings_are_refused(given, sentence):
    with pytest.raises(ParameterError, match=sentence):
        ReductSelector(**given).fit(load_dataset("wine"))


@pytest.mark.filterwarnings("ignore")
def test_copies_that_are_left_out_are_named_where_nothing_survives():
    wine, some = load_dataset("wine"), [0, 2, 4, 10, 12]
    twice = np.column_stack([wine.values[:, some], 2.0 * wine.values[:, some[:2]]])
    message = r"Nothing can replace .* 'x5', 'x6' are left out as copies; to count them, pass cop"
    with pytest.raises(ParameterError, match=message):
        ReductSelector("exact", survives=1).fit(twice, wine.target)
    twice = np.column_stack([twice, 2.0 * wine.values[:, some[2:]]])
    spare = ReductSelector("exact", survives=1, copies="keep").fit(twice, wine.target)
    assert spare.certificate_.size == 8
