"""What a check tries in each fold: selectors of any kind, and random columns."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest

from check_cases import QUICK, SOFT, mixed_table
from fuzzyfrog import DataError, ReductSelector, check, load_dataset
from fuzzyfrog.data import make_dataset
from fuzzyfrog.result import NoiseGuard
from fuzzyfrog.select import choosers
from fuzzyfrog.select.choosers import noise_guard


def guard(dataset, seed):
    """Return the noise guard of a greedy search on all features."""
    return noise_guard(QUICK.settings(), dataset, np.ones(dataset.n_features, bool), seed)


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


def test_the_guard_does_not_leave_out_what_the_table_keeps():
    """In a part of the rows, the ID of a shop has few samples and looks like that of a patient."""
    random = np.random.default_rng(2)
    shop = np.repeat(random.permutation(200), 15)
    X = pd.DataFrame({"shop_id": 7 * shop, "noise": random.normal(size=len(shop))})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check(SOFT, X, random.integers(0, 2, 200)[shop])
    assert found.noise.n_random < found.noise.n_taken / 2
