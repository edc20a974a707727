"""Columns that predict the target too well are named, whatever their form; good ones are not."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from fuzzyfrog import ReductSelector, SoftSelector, load_dataset
from fuzzyfrog.data import make_dataset
from fuzzyfrog.select import leaks as leaks_module
from fuzzyfrog.select.leaks import leak_sentences, suspected_leaks

N = 400
RNG = np.random.default_rng(0)
NOISE = pd.DataFrame(RNG.normal(size=(N, 4)), columns=list("abcd"))
WAGE = np.round(np.exp(2.5 + 0.3 * NOISE["a"] + 0.4 * RNG.normal(size=N)), 2).to_numpy()
HOURS = RNG.integers(5, 60, N)
ANSWERS = np.random.default_rng(1).integers(0, 4, (7, N)).astype(np.float64)
ITEMS = {f"i{k}": answers for k, answers in enumerate(ANSWERS)}  # of a questionnaire
GRADE = np.digitize(WAGE, np.quantile(WAGE, [0.4, 0.8]))


def leaks_of(y, X=NOISE, **columns):
    """Return the relation of each leak by the names of its columns."""
    data = make_dataset(X.assign(**columns), y)
    found = suspected_leaks(data, np.ones(data.n_features, np.bool_))
    return {
        tuple(data.feature_names[one] for one in leak.features): leak.relation for leak in found
    }


def test_ranks_of_the_target_by_year_are_told_by_their_name():
    year = np.arange(N) % 5
    wages = pd.Series(WAGE * 1.04**year)
    by_year = wages.groupby(year)
    X = NOISE.assign(
        wage_rank=by_year.rank(), wage_quartile=by_year.rank(pct=True) * 4 // 1, a_rank=NOISE["a"]
    )
    data = make_dataset(X, wages.to_numpy(), target_name="wage_usd", target="numeric")
    found = suspected_leaks(data, np.ones(data.n_features, np.bool_))
    assert {data.feature_names[leak.features[0]]: leak.relation for leak in found} == dict.fromkeys(
        ["wage_rank", "wage_quartile"], "its name is that of ranks of the target"
    )
    other = make_dataset(X, wages.to_numpy(), target_name="income", target="numeric")
    assert not list(leak_sentences(suspected_leaks(other, np.ones(7, np.bool_)), X.columns))


def test_a_target_of_mostly_zeros_gives_no_warning_of_numpy():
    few = np.where(np.arange(N) % 4, 0.0, HOURS)
    X = NOISE[["a", "b"]].assign(n=HOURS % 2, m=HOURS % 3)
    data = make_dataset(X, few, target="numeric")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert suspected_leaks(data, np.ones(4, np.bool_)) == ()


@pytest.mark.parametrize(
    ("column", "relation"),
    [
        (1.1 * WAGE - 3, "it is the target in other units"),
        (np.log(WAGE), "it is the logarithm of the target"),
        (np.round(np.log(WAGE), 2), "it is the logarithm of the target"),
        (np.sqrt(WAGE), "it is the square root of the target"),
        (1 / WAGE, "it is the reciprocal of the target"),
        (np.exp(WAGE / 10), "the target is its logarithm"),
        (np.tanh(WAGE / 30), "it is a monotone function of the target"),
        (
            np.where(np.arange(N) % 9 == 0, np.nan, np.log(WAGE)),
            "it is the logarithm of the target",
        ),
        (np.where(np.arange(N) % 8 == 0, WAGE * 2, np.nan), "it is the target in other units"),
    ],
)
def test_a_function_of_a_numeric_target(column, relation):
    assert leaks_of(WAGE, x=column) == {("x",): relation}


def test_a_column_of_which_the_target_is_a_function():
    signed = RNG.normal(size=N)
    assert leaks_of(signed**2, x=signed) == {("x",): "the target is its square"}
    prices = (HOURS % 7) ** 2 * 1.5
    tier = [f"t{hours % 7 * 5 % 7}" for hours in HOURS]
    assert leaks_of(prices, x=tier) == {("x",): "each of its categories has one target"}


def test_a_column_whose_values_are_ranges_of_a_numeric_target():
    relation = {("x",): "its values are ranges of the target"}
    for edges in ([12], [10, 15], np.quantile(WAGE, [0.1, 0.3, 0.5, 0.9, 0.995])):
        ranges = np.digitize(WAGE, edges)
        assert leaks_of(WAGE, x=ranges) == relation
        assert leaks_of(WAGE, x=[f"r{one * 7 % 11}" for one in ranges]) == relation
    gappy = np.where(RNG.random(N) < 0.1, np.nan, np.digitize(WAGE, [10, 15]))
    assert leaks_of(WAGE, x=gappy) == relation
    zero = np.maximum(HOURS - 39, 0) / 2  # for most, no range was recorded
    assert leaks_of(zero, x=np.where(zero, zero // 4, np.nan)) == relation


def test_a_part_of_a_sum_may_be_a_factor_too():
    profit = WAGE * 10 - HOURS
    assert leaks_of(profit, revenue=WAGE * 10, costs=HOURS, margin=profit / WAGE) == {
        ("revenue", "costs"): "'revenue' - 'costs' is the target",
        ("revenue", "margin"): "0.1 * 'revenue' * 'margin' is the target",
    }


PRICE, YEAR, CASUAL = (100 * WAGE).round(), 1978 + HOURS % 2, RNG.integers(0, 150, N)
REAL = PRICE / np.where(YEAR == 1978, 1, 1.29)  # in dollars of 1978


@pytest.mark.parametrize(
    ("target", "columns", "left_out"),
    [
        (PRICE, {"year": YEAR, "real": REAL}, {"real"}),
        (PRICE, {"year": YEAR, "real": REAL, "square": REAL**2}, {"real", "square"}),
        (PRICE, {"size": 9 * HOURS, "per": PRICE / HOURS}, {"per"}),
        (PRICE, {"size": HOURS, "per": PRICE / HOURS, "size2": HOURS**2}, {"per"}),
        (3 * HOURS - CASUAL, {"before": CASUAL, "after": 3 * HOURS}, {"before", "after"}),
        (9 * HOURS - CASUAL, {"before": CASUAL, "after": 9 * HOURS}, {"after"}),
        (CASUAL + 3 * HOURS, {"casual": CASUAL, "registered": 3 * HOURS}, {"casual", "registered"}),
        (CASUAL + 9 * HOURS, {"casual": CASUAL, "registered": 9 * HOURS}, {"casual", "registered"}),
    ],
)
def test_columns_without_which_a_relation_is_broken_are_left_out(target, columns, left_out):
    data = make_dataset(NOISE.assign(**columns), target, target="numeric")
    rest = np.ones(data.n_features, np.bool_)
    leaks = suspected_leaks(data, rest)
    out = {one for leak in leaks for one in leak.to_leave_out if leak.relation != "alone"}
    assert {data.feature_names[one] for one in out} == left_out
    assert all(len(leak.features) == 2 for leak in leaks if leak.relation != "alone")
    rest[[*out]] = False
    assert all(one.relation == "alone" for one in suspected_leaks(data, rest))


def test_a_column_that_is_nearly_the_target_is_called_so():
    rng = np.random.default_rng(2)
    prices = np.cumsum(rng.normal(size=N)) + 500
    low, opened = prices - rng.random(N) / 20, prices + rng.normal(size=N) / 10
    assert leaks_of(prices.round(2), low=low.round(2), open=opened.round(2)) == {
        ("low",): "it is nearly the target in other units",
        ("open",): "it is nearly a function of the target",
    }
    parts = {"v": WAGE, "w": HOURS + 0.05 * rng.normal(size=N)}
    assert leaks_of(WAGE + HOURS, **parts) == {("v", "w"): "'v' + 'w' is nearly the target"}


def test_a_column_that_adds_little_to_a_good_one_is_not_accused():
    rng = np.random.default_rng(3)
    growth, year = rng.normal(0, 100, N), np.arange(N) % 25
    y = 3 * growth + 2.0 * year + rng.normal(size=N)
    assert leaks_of(y, growth=growth, year=year) == {("growth",): "alone"}


def test_many_columns_that_almost_add_up_are_an_honest_model():
    total = sum(ITEMS.values()) + 0.01 * np.random.default_rng(2).normal(size=N)
    assert leaks_of(total, **ITEMS) == {}


def test_groups_that_differ_in_a_numeric_target_are_no_ranges():
    kind = np.arange(N) % 4
    for apart in (1, 3, 8):
        assert leaks_of(apart * kind + RNG.normal(size=N), x=kind) == {}
    for apart in (4, 6, 8):  # two groups, of which only the tails meet
        y = apart * (kind > 1) + np.random.default_rng(apart).normal(size=N)
        assert leaks_of(y, x=kind > 1) == {}
    mixed = np.digitize(np.where(np.arange(N) % 50, WAGE, WAGE[::-1]), [10, 15])
    assert leaks_of(WAGE, x=mixed) == {}


@pytest.mark.parametrize(
    ("columns", "target", "relation"),
    [
        ({"v": WAGE, "w": HOURS}, WAGE + HOURS, "'v' + 'w' is the target"),
        ({"v": WAGE, "w": HOURS}, HOURS - WAGE, "'w' - 'v' is the target"),
        ({"v": WAGE, "w": HOURS}, 1 - WAGE - HOURS, "1 - 'v' - 'w' is the target"),
        ({"v": WAGE, "w": HOURS}, 50 + WAGE - HOURS, "50 + 'v' - 'w' is the target"),
        ({"v": WAGE, "w": HOURS}, HOURS - WAGE / 2, "a weighted sum of them is the target"),
        ({"v": WAGE, "w": HOURS}, np.round(WAGE * HOURS, 1), "'v' * 'w' is the target"),
        ({"v": WAGE, "w": HOURS}, WAGE / HOURS, "'v' / 'w' is the target"),
        ({"v": WAGE, "w": HOURS}, 1 / WAGE / HOURS, "1 / 'v' / 'w' is the target"),
        ({"v": WAGE, "w": HOURS, "z": 1 + HOURS[::-1] % 13}, WAGE * HOURS / (1 + HOURS[::-1] % 13),
         "'v' * 'w' / 'z' is the target"),
        ({"v": WAGE, "w": HOURS}, WAGE / HOURS**2, "a product of powers of them is the target"),
        ({"v": WAGE, "w": HOURS, "z": HOURS[::-1] % 13}, WAGE + HOURS + HOURS[::-1] % 13,
         "'v' + 'w' + 'z' is the target"),
        (ITEMS, sum(ITEMS.values()), "a sum of them is the target"),
        (ITEMS, 2 * ITEMS["i0"] - sum(ITEMS.values()), "a weighted sum of them is the target"),
    ],
)  # fmt: skip
def test_columns_of_which_the_target_is_computed(columns, target, relation):
    assert leaks_of(target, **columns) == {tuple(columns): relation}
    noisy = target + 0.3 * target.std() * RNG.normal(size=N)
    assert leaks_of(noisy, **columns) == {}


def test_classes_that_are_numbers_may_be_computed():
    age, school = RNG.integers(24, 34, N), RNG.integers(9, 18, N)
    columns, found = {"age": age, "exper": age - school}, "'age' - 'exper' is the target"
    for y in (school.astype(str), pd.Categorical(school)):
        assert leaks_of(y, **columns) == {("age", "exper"): found}
    assert leaks_of([f"{one} years" for one in school], **columns) == {}
    assert leaks_of(school > 12, **columns) == {}


def test_a_small_part_of_a_sum_is_found_next_to_one_that_is_good_alone():
    found = leaks_of(3 * HOURS - WAGE / 2, v=WAGE, w=HOURS)
    assert found == {("w",): "alone", ("v", "w"): "a weighted sum of them is the target"}


def test_several_at_once_are_all_named():
    pay = WAGE * HOURS
    found = leaks_of(pay, wage=WAGE, hours=HOURS, lpay=np.log(pay), cents=100 * pay)
    assert found == {
        ("lpay",): "it is the logarithm of the target",
        ("cents",): "it is the target in other units",
        ("wage", "hours"): "'wage' * 'hours' is the target",
    }


@pytest.mark.parametrize(
    ("column", "start"),
    [
        (np.array(["x", "z", "y"])[GRADE], "its values stand for classes"),
        (np.array([7, 2, 5])[GRADE], "its values stand for classes"),
        ([f"s{k}" for k in GRADE * 3 + HOURS % 3], "its values stand for classes"),
        (GRADE + 3 * (HOURS % 4), "its values stand for classes"),
        (np.array([7, 2, 5])[np.r_[(GRADE[0] + 1) % 3, GRADE[1:]]], "its values stand for classes"),
        (WAGE, "the classes are ranges of its values"),
    ],
)
def test_a_column_that_determines_the_class(column, start):
    found = leaks_of(GRADE, x=column)
    assert list(found) == [("x",)]
    assert found["x",].startswith(start)


def test_a_threshold_of_whole_numbers():
    relation = "the classes are ranges of its values, without a gap between them"
    assert leaks_of(HOURS >= 30, hours=HOURS) == {("hours",): relation}


def test_gaps_that_tell_the_class():
    died = RNG.random(N) < 0.3
    day = np.where(died, HOURS, np.nan)
    relation = "it is missing in one class and present in the others"
    assert leaks_of(died, day=day) == {("day",): relation}
    assert leaks_of(died, day=np.where(NOISE["c"] > 0.5, HOURS, np.nan)) == {}


def test_gaps_tell_the_class_also_among_labels_of_one_sample_each():
    ill = RNG.random(N) < 0.6
    times = [f"{k % 24}:{k // 24:02} h" if one else None for k, one in enumerate(ill)]
    relation = "it is missing in one class and present in the others"
    assert leaks_of(ill, onset=times) == {("onset",): relation}


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_ordinary_tables_raise_no_alarm(name):
    data = load_dataset(name)
    leaks = suspected_leaks(data, np.ones(data.n_features, np.bool_))
    assert not list(leak_sentences(leaks, data.feature_names))


def test_easy_classes_are_as_good_alone_but_no_leak():
    iris = load_dataset("iris")
    two = iris.target < 2  # both columns of the petals separate these
    data = make_dataset(iris.values[two], iris.target[two])
    leaks = suspected_leaks(data, np.ones(4, np.bool_))
    assert [(leak.features, leak.relation) for leak in leaks] == [((2,), "alone"), ((3,), "alone")]
    assert not list(leak_sentences(leaks, data.feature_names))


@pytest.mark.parametrize("apart", [3.0, 5.0, 8.0])
@pytest.mark.parametrize("n_samples", [300, 3000])
def test_a_good_measurement_is_no_leak(apart, n_samples):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n_samples)
    x = rng.normal(size=n_samples)
    other = pd.DataFrame({"a": rng.normal(size=n_samples)})
    assert leaks_of(y, other, x=x + apart * y) in ({}, {("x",): "alone"})
    assert leaks_of(x > 0.3, other, x=x) == {
        ("x",): "the classes are ranges of its values, without a gap between them"
    }


def test_few_samples_may_be_predicted_by_chance():
    data = make_dataset(NOISE[:29].assign(x=WAGE[:29]), WAGE[:29])
    assert suspected_leaks(data, np.ones(5, np.bool_)) == ()


def test_the_order_of_the_table_is_no_leak():
    y = np.repeat([0, 1], 200)
    assert leaks_of(y, x=np.tile([0, 1], 200), z=np.zeros(N)) == {}


def test_extreme_values_do_not_end_it():
    huge = np.where(np.arange(N) == 3, 1e308, WAGE)
    assert ("x",) in leaks_of(huge, x=-huge)
    assert leaks_of(WAGE, x=huge, z=np.where(np.arange(N) % 2, 5e-324, 1e308), c0=np.ones(N))
    assert leaks_of(np.where(np.arange(N) < 390, 0.5, WAGE), x=NOISE["a"] * 1e300) == {}
    ends = np.where(np.median(WAGE) < WAGE, 1.7e308, -1.7e308)  # their difference is infinite
    for y in (ends, (ends > 0) * 1):
        assert ("x",) in leaks_of(y, x=ends, z=NOISE["a"])


def test_a_fit_warns_once_and_the_result_keeps_it():
    X = NOISE.assign(lwage=np.log(WAGE), cents=100 * WAGE)
    sentence = (
        "The target is almost perfectly predicted by 'lwage' (it is the logarithm of the target); "
        "by 'cents' (it is the target in other units). If they are recorded after the fact or "
        "computed from the target, leave them out with exclude=['lwage', 'cents']."
    )
    with pytest.warns(UserWarning, match="almost perfectly") as caught:
        selector = SoftSelector().fit(X, WAGE)
    assert [str(one.message) for one in caught if "perfectly" in str(one.message)] == [sentence]
    assert sentence in selector.record().notes
    run = selector.record()
    assert [run.names(leak.features) for leak in run.suspected_leaks] == [("lwage",), ("cents",)]
    assert type(run).from_json(run.to_json()) == run
    for given in ({"exclude": ["lwage", "cents"]}, {"must_include": ["lwage", "cents"]}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            SoftSelector(**given).fit(X, WAGE)
        assert not [one for one in caught if "perfectly" in str(one.message)]


def test_copies_and_transforms_of_a_leak_are_named_also_if_they_are_left_out():
    like = {"hours2": 60 * HOURS, "log": np.log(HOURS) + 1e-4 * NOISE["b"], "wage2": WAGE**2}
    X = NOISE.assign(wage=WAGE, hours=HOURS, **like)  # without hours, those of wage tell little
    with pytest.warns(UserWarning, match="almost perfectly") as caught:
        run = SoftSelector().fit(X, WAGE / HOURS).record()
    assert "'hours2'" in str(caught[0].message)  # it is left out, unless the other one is
    assert [(run.names(leak.features), leak.relation) for leak in run.suspected_leaks] == [
        (("wage", "hours"), "'wage' / 'hours' is the target"),
        (("hours2",), "nearly the same as 'hours'"),
        (("log",), "nearly the same as 'hours'"),
    ]
    with pytest.warns(UserWarning, match="almost perfectly"):
        kept = SoftSelector(must_include=["log"]).fit(X, WAGE / HOURS).record()
    assert kept.suspected_leaks == run.suspected_leaks[:2]


def test_leaks_next_to_groups_of_columns():
    grouped = ReductSelector("quickreduct", feature_groups={"both": ["a", "b"]})
    with pytest.warns(UserWarning, match="'x' .it is the logarithm"):
        run = grouped.fit(NOISE.assign(x=np.log(WAGE)), WAGE).record()
    assert [run.names(leak.features) for leak in run.suspected_leaks] == [("x",)]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("place", range(7))
def test_a_leak_is_found_in_any_block_of_columns(place, n_jobs, monkeypatch):
    monkeypatch.setattr(leaks_module, "MOST_COLUMNS", 3)  # the last block is of a single column
    X = np.random.default_rng(1).normal(size=(N, 7))
    X[:, place] = WAGE > 12
    data = make_dataset(X, np.where(WAGE > 12, "yes", "no"))
    found = suspected_leaks(data, np.ones(7, np.bool_), n_jobs=n_jobs)
    assert [leak.features for leak in found] == [(place,)]
