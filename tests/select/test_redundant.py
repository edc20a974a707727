"""Redundant features are dropped at the end of a path, and only these."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from fuzzyfrog import SoftSelector, load_dataset
from fuzzyfrog.cli.summary import result_lines
from fuzzyfrog.data import Dataset
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.result import Result
from fuzzyfrog.select import redundant as redundant_features
from fuzzyfrog.select.groups import Groups
from fuzzyfrog.select.redundant import Redundancy, correlations, linear_losses
from fuzzyfrog.words import words_of
from naive import redundant as naive


def table(seed, *, numeric=False, tails=False, rows_per_group=0):
    """Return a table with near copies, monotone ones, gaps, ties, a constant and categories."""
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(25, 60))
    code = rng.integers(0, 3, n_samples)
    base = code[:, np.newaxis] + rng.normal(size=(n_samples, 3))
    if tails:
        base = base**5
    near = base + rng.normal(size=base.shape) * [0.1, 0.3, 0.5] * base.std(axis=0)
    gaps = base[:, 0].copy()
    gaps[rng.random(n_samples) < 0.1] = np.nan
    values = np.column_stack(
        [base, near, np.arctan(base[:, 0]), gaps, np.round(base[:, 1]), np.full(n_samples, 2.0),
         rng.integers(0, 3, n_samples), rng.normal(size=n_samples)]
    )  # fmt: skip
    target = base.sum(axis=1) + rng.normal(size=n_samples) if numeric else code
    return Dataset(
        values,
        target,
        tuple(f"x{k}" for k in range(values.shape[1])),
        np.arange(values.shape[1]) == 10,
        None if numeric else (0, 1, 2),
        groups=rng.integers(0, 1 + n_samples // rows_per_group, n_samples)
        if rows_per_group
        else None,
    )


def redundant(dataset, features, fixed=(), groups=None):
    measure = SoftDependency(dataset)
    groups = Groups.of(groups, dataset)
    columns = groups.orders(features)[0]
    by_neighbors = measure.left_out_losses(columns, start=len(columns) - 1)[0]
    is_fixed = np.isin(np.arange(dataset.n_features), fixed)
    return Redundancy(measure, features, groups.orders, by_neighbors).substitutes(is_fixed)


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_drops_what_the_definition_drops(seed, numeric):
    dataset = table(seed, numeric=numeric, tails=seed % 3 == 2, rows_per_group=3 * (seed % 2))
    rng = np.random.default_rng(seed)
    selection = np.sort(rng.permutation(dataset.n_features)[: 5 + seed]).tolist()
    fixed = selection[: seed % 2]
    found = redundant(dataset, selection, fixed)
    left = naive.without_redundant(
        dataset.values,
        dataset.target,
        selection,
        dataset.categorical,
        numeric,
        fixed,
        dataset.groups,
    )
    assert [one for one in selection if one not in found] == left
    for one, resembled in found.items():
        assert set(resembled) <= set(left)
        near = {a: naive.correlation(dataset.values[:, one], dataset.values[:, a])
                for a in left if a != 10}  # fmt: skip
        assert set(resembled) == {a for a in near if near[a] >= min(0.9, max(near.values()))}


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("cells", [1, 600, 2**20])
@pytest.mark.parametrize("rows_per_group", [0, 3, 10, 20])
def test_linear_losses_equal_models_fitted_again(cells, rows_per_group, numeric, monkeypatch):
    monkeypatch.setattr(redundant_features, "CELLS_AT_ONCE", cells)
    dataset = table(cells, numeric=numeric, tails=cells == 600, rows_per_group=rows_per_group)
    columns, together = np.arange(dataset.n_features), SoftDependency(dataset).together
    expected = naive.linear_losses(
        dataset.values, dataset.target, dataset.categorical, numeric, dataset.groups
    )
    for anchors in (np.arange(dataset.n_samples), np.arange(0, dataset.n_samples, 3)):
        losses = linear_losses(dataset, columns, anchors, together)
        np.testing.assert_allclose(losses, expected[anchors], atol=1e-9)


@pytest.mark.parametrize("numeric", [False, True])
def test_linear_losses_where_classes_are_left_out_whole_or_nothing_is_left(numeric):
    dataset = table(0, numeric=numeric)
    groups, target = table(0).target, dataset.target
    columns, every = np.arange(dataset.n_features), np.arange(dataset.n_samples)
    expected = naive.linear_losses(dataset.values, target, dataset.categorical, numeric, groups)
    losses = linear_losses(dataset, columns, every, groups)
    np.testing.assert_allclose(losses, expected, atol=1e-9)
    expected = (target - target.mean()) ** 2 / target.var(ddof=1) if numeric else 2 / 3
    losses = linear_losses(dataset, columns, every, np.zeros_like(every))
    np.testing.assert_allclose(losses, expected, atol=1e-9)


@pytest.mark.parametrize("n_large", [0, 19_000])
def test_linear_losses_take_little_memory(n_large):
    rng = np.random.default_rng(0)
    n_samples, n_classes = 20_000, 60
    values = rng.normal(size=(n_samples, 20))
    names = tuple(f"x{k}" for k in range(20))
    codes = rng.integers(0, n_classes, n_samples)
    dataset = Dataset(values, codes, names, np.zeros(20, bool), tuple(range(n_classes)))
    together = np.maximum(np.arange(n_samples) - n_large, 0)
    anchors = np.arange(n_large // 2, n_samples, 40)
    tracemalloc.start()
    try:
        linear_losses(dataset, np.arange(20), anchors, together)
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()


def test_correlations_of_any_columns_are_finite():
    dataset = table(0)
    dataset.values[:3, 0] = 1e308, -1e308, np.nan
    every = np.arange(dataset.n_features)
    alike = correlations(dataset, every, every)
    assert np.isfinite(alike).all()
    assert not alike[9].any()  # constant
    assert not alike[10].any()  # a category
    assert alike[1, 4] == pytest.approx(
        naive.correlation(dataset.values[:, 1], dataset.values[:, 4])
    )


def test_correlations_of_columns_with_themselves_are_those_with_others():
    dataset = table(0)
    weighed = replace(dataset, weights=np.arange(dataset.n_samples) + 1.0)
    for some in (dataset, weighed):
        every = np.arange(dataset.n_features)
        expected = correlations(some, every, every.copy())
        assert correlations(some, every, every).tobytes() == expected.tobytes()


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("at_once", [1, 2, 3, 5, 10])
def test_correlations_do_not_depend_on_how_threads_share_the_columns(at_once, n_jobs, monkeypatch):
    dataset = table(0)
    every = np.arange(dataset.n_features)[::-1]  # the last one is a number
    expected = correlations(dataset, every[-4:], every)
    assert (expected[:, -2:] > 0).all()
    monkeypatch.setattr(redundant_features, "COLUMNS_AT_ONCE", at_once)
    assert correlations(dataset, every[-4:], every, n_jobs) == pytest.approx(expected, abs=1e-12)


def test_a_selector_drops_them_behind_the_others_and_names_them():
    cancer = load_dataset("breast_cancer")
    kept, dropped = SoftSelector(redundant="keep").fit(cancer), SoftSelector().fit(cancer)
    assert kept.substitutes_ == {}
    assert set(dropped.substitutes_) == set(kept.result_.selected) - set(dropped.result_.selected)
    names = cancer.feature_names
    assert {names[a]: [names[b] for b in bs] for a, bs in dropped.substitutes_.items()} == {
        "mean concave points": ["worst concave points"],
        "worst perimeter": ["worst radius"],
    }
    result, measure = dropped.record(), SoftDependency(cancer)
    assert list(result.front[4:]) == kept.front_[4:]
    chosen = next(one for one in result.front if one.features == result.selected)
    assert result.dependency == chosen.dependency == measure.score([dropped.support_])[0]
    assert result.added[:3] == tuple(a for a in kept.result_.added if a in result.selected)
    columns = list(result.added[:3])
    assert chosen.accuracy == 1.0 - measure.left_out_losses(columns)[-1].mean()
    assert dropped.ranking_[result.redundant[0]] in (2, 3)
    assert Result.from_json(result.to_json()) == result
    words = words_of(result)
    assert words.size_reason() == "5 by size_rule='auto', less 2 that are redundant"
    said = dict(words.facts())["substitute"]
    assert said.startswith("worst perimeter for worst radius (dependency -0.0011), mean texture")
    assert said in "\n".join(map(str, result_lines(result)))


def test_nothing_is_dropped_from_a_size_that_was_asked_for_or_must_be_there():
    cancer = load_dataset("breast_cancer")
    assert SoftSelector(5).fit(cancer).n_features_ == 5
    fixed = ["worst perimeter", "worst radius"]
    selector = SoftSelector(must_include=fixed).fit(cancer)
    assert set(fixed) <= set(selector.get_feature_names_out())


def test_a_group_is_redundant_if_all_of_its_columns_are():
    dataset = table(0)
    assert redundant(dataset, [0, 3, 11], fixed=[0]) == {3: (0,)}
    assert redundant(dataset, [0, 3], groups={"both": ["x3", "x11"]}, fixed=[0]) == {}
    alike = redundant(dataset, [0, 3, 11], groups={"both": ["x3", "x6"]}, fixed=[0, 11])
    assert alike == {3: (0,)}


@pytest.mark.parametrize("late", [0, 3, 8])
def test_what_is_dropped_before_time_is_up_stays_dropped(late, monkeypatch):
    from fuzzyfrog.common.deadline import TimeIsUp

    calls, score = [], SoftDependency.score

    def scored(measure, masks, at_least=None):
        calls.append(len(masks))
        if len(calls) > late:
            raise TimeIsUp
        return score(measure, masks, at_least)

    dataset = table(3)
    features = [0, 1, 3, 4, 6, 7]
    everything = redundant(dataset, features)
    monkeypatch.setattr(SoftDependency, "score", scored)
    found = redundant(dataset, features)
    assert set(found) <= set(everything)
    assert len(found) == min(late, len(everything))


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="redundant must be one of 'drop', 'keep', got 'no'"):
        SoftSelector(redundant="no").fit(load_dataset("wine"))
