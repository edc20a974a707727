"""A sample of weight 2 counts as two samples of one group, in both measures."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from fuzzyfrog.common.jit import Kernels
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.weights import masses_of, weighted
from fuzzyfrog.measure import Dependency, SoftDependency
from fuzzyfrog.measure.requirements import Requirements
from fuzzyfrog.measure.sampled import SampledDependency, weighted_interval
from fuzzyfrog.measure.soft_columns import DOUBLE_PRECISION, SINGLE_PRECISION
from fuzzyfrog.select.redundant import correlations, linear_losses
from measure_cases import TNORMS
from naive import weighted as naive

KINDS = "ntckNTC"  # numbers, ties, categories, a constant; with gaps


def table(seed, n_samples=30, *, numeric=False, grouped=False, kinds=KINDS, whole=True):
    """Return a table with weights of mean 1 or more, multiples of 1/8 or whole numbers."""
    rng = np.random.default_rng(seed)
    columns = []
    for kind in kinds:
        column = (
            rng.normal(size=n_samples) if kind in "nN" else np.round(rng.normal(size=n_samples))
        )
        if kind in "cC":
            column = rng.integers(0, 4, n_samples).astype(np.float64)
        if kind == "k":
            column[:] = 3.0
        if kind.isupper():
            column[rng.random(n_samples) < 0.2] = np.nan
        columns.append(column)
    target = rng.normal(size=n_samples) if numeric else rng.integers(0, 3, n_samples)
    return Dataset(
        np.column_stack(columns),
        target,
        tuple(f"x{k}" for k in range(len(kinds))),
        np.array([kind in "cC" for kind in kinds]),
        None if numeric else (0, 1, 2),
        groups=rng.integers(0, n_samples // 3, n_samples) if grouped else None,
        weights=rng.integers(1, 4, n_samples) + (0.0 if whole else rng.integers(0, 8) / 8),
    )


def repeated(dataset):
    """Return the samples as often as their weights say, copies in one group, and the first ones."""
    counts = dataset.weights.astype(np.int64)
    rows = np.repeat(np.arange(dataset.n_samples), counts)
    groups = np.arange(dataset.n_samples) if dataset.groups is None else dataset.groups
    again = replace(dataset, weights=None, groups=groups).take(rows)
    return again, np.cumsum(counts) - counts


def random_masks(seed, n_subsets, n_features):
    rng = np.random.default_rng(seed)
    masks = rng.random((n_subsets, n_features)) < 0.5
    masks[np.arange(n_subsets), rng.integers(0, n_features, n_subsets)] = True
    return masks


TABLES = {"seed": st.integers(0, 2**16), "numeric": st.booleans(), "grouped": st.booleans()}


@examples(max_examples=30, deadline=None)
@given(**TABLES)
def test_soft_equals_the_definition_by_masses(seed, numeric, grouped):
    dataset = table(seed, numeric=numeric, grouped=grouped, whole=False)
    measure, w, groups = SoftDependency(dataset), dataset.weights, dataset.groups
    columns = [
        naive.differences(column, is_categorical, w)
        for column, is_categorical in zip(dataset.values.T, dataset.categorical, strict=True)
    ]
    S = naive.likeness(dataset.target, numeric, w)
    assert measure.chance == pytest.approx(naive.chance(S, w, groups), abs=1e-12)
    for mask in random_masks(seed, 3, len(KINDS)):
        some = [columns[a] for a in np.flatnonzero(mask)]
        expected = naive.memberships(some, S, w, groups)
        np.testing.assert_allclose(measure.memberships(mask), expected, atol=1e-12)
        np.testing.assert_allclose(measure.memberships_in_numpy(mask), expected, atol=1e-12)
        score = np.average(expected, weights=w)
        assert measure.score([mask])[0] == pytest.approx(score, abs=1e-12)
        losses = measure.left_out_losses(np.flatnonzero(mask), start=mask.sum() - 1)[0]
        expected = naive.losses(some, dataset.target, numeric, w, groups)
        np.testing.assert_allclose(losses, expected, atol=1e-9)
        error = naive.standard_error(losses, w, groups)
        assert measure.standard_errors(losses) == pytest.approx(error, abs=1e-12)
        assert measure.means(losses) == pytest.approx(np.average(losses, weights=w))


@examples(max_examples=30, deadline=None)
@given(**TABLES)
def test_soft_weights_are_repeated_rows_of_one_group(seed, numeric, grouped):
    dataset = table(seed, numeric=numeric, grouped=grouped)
    again, first = repeated(dataset)
    ours, theirs = SoftDependency(dataset), SoftDependency(again)
    masks, path = random_masks(seed, 4, len(KINDS)), np.arange(len(KINDS))
    steps = np.eye(len(KINDS), dtype=np.bool_) | (path == 0)
    assert ours.chance == pytest.approx(theirs.chance, abs=1e-12)
    np.testing.assert_allclose(ours.score(masks), theirs.score(masks), atol=1e-12)
    np.testing.assert_allclose(ours.best(steps[1:]), theirs.best(steps[1:]), atol=1e-12)
    losses, others = ours.left_out_losses(path), theirs.left_out_losses(path)
    np.testing.assert_allclose(losses, others[:, first], atol=1e-9)
    np.testing.assert_allclose(ours.means(losses), theirs.means(others), atol=1e-9)
    errors = ours.standard_errors(losses), theirs.standard_errors(others)
    np.testing.assert_allclose(*errors, atol=1e-9)
    losses, others = (
        linear_losses(one.dataset, path, one.anchors, one.together, one.masses)
        for one in (ours, theirs)
    )
    np.testing.assert_allclose(losses, others[first], atol=1e-9)
    alike = [correlations(one, path, path) for one in (dataset, again)]
    np.testing.assert_allclose(*alike, atol=1e-12)


@pytest.mark.parametrize("numeric", [False, True])
def test_many_equal_weights_are_multiplied_with_the_sum_of_their_samples(numeric):
    dataset = table(5, 500, numeric=numeric, grouped=True)
    rng = np.random.default_rng(5)
    # Tiles of one weight, of two, and of a weight for each sample.
    w = np.where(rng.random(500) < 0.2, rng.exponential(size=500) + 0.1, dataset.weights + 0.5)
    w = masses_of(replace(dataset, weights=w))
    dataset = replace(dataset, weights=w)
    columns = [
        naive.differences(column, is_categorical, w)
        for column, is_categorical in zip(dataset.values.T, dataset.categorical, strict=True)
    ]
    S = naive.likeness(dataset.target, numeric, w)
    expected = naive.memberships(columns, S, w, dataset.groups)
    mask = np.ones(len(KINDS), np.bool_)
    np.testing.assert_allclose(SoftDependency(dataset).memberships(mask), expected, atol=1e-12)


@examples(max_examples=20, deadline=None)
@given(**TABLES, n_samples=st.sampled_from([9, 40, 70, 200, 600]))
def test_numpy_gives_the_bits_of_the_kernels(seed, numeric, grouped, n_samples):
    dataset = table(seed, n_samples, numeric=numeric, grouped=grouped, whole=False)
    features = np.arange(len(KINDS))

    def answers():
        measure = SoftDependency(dataset)
        for precision in (SINGLE_PRECISION, DOUBLE_PRECISION):
            base, added = features[: seed % 3], features[seed % 3 :]
            for found in measure._weighed(base, added, precision, measure.anchors):
                yield found.tobytes()
        yield measure.left_out_losses(features).tobytes()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernels, "pay", lambda self, estimate: True)
        by_kernels = list(answers())
        patch.setattr(Kernels, "pay", lambda self, estimate: False)
        assert list(answers()) == by_kernels


def test_a_race_by_weights_finds_what_all_anchors_find():
    dataset = table(1, 900, kinds="nnnnnnnn")
    values = dataset.values + dataset.target[:, np.newaxis] * np.linspace(0, 0.4, 8)
    measure = SoftDependency(replace(dataset, values=values))
    masks = np.eye(8, dtype=np.bool_)
    scores, best = measure.score(masks), measure.best(masks)
    assert best.argmax() == scores.argmax()
    assert best.max() == scores.max()


ENGINES = ("auto", "arrays", "plain", "scan", "tree")


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("numeric", [False, True])
def test_strict_is_the_mean_by_weights_with_any_engine(tnorm, numeric):
    dataset = table(3, 40, numeric=numeric, whole=False)
    masks = np.vstack([random_masks(3, 5, len(KINDS)), np.eye(len(KINDS), dtype=np.bool_)])
    plain = Dependency(replace(dataset, weights=None), tnorm=tnorm)
    total = sum(map(Fraction, dataset.weights))
    expected = [
        float(sum(map(Fraction.__mul__, map(Fraction, w), map(Fraction, m))) / total)
        for w, m in ((dataset.weights, plain.memberships(mask)) for mask in masks)
    ]
    for engine in ENGINES:
        measure = Dependency(dataset, tnorm=tnorm, engine=engine)
        assert measure.score(masks).tolist() == expected
        bar = float(np.median(expected))
        wanted = [one if one >= bar else -np.inf for one in expected]
        assert measure.score(masks, at_least=bar).tolist() == wanted
        assert measure.mean(measure.memberships(masks[0])) == expected[0]


@pytest.mark.parametrize("unit", [10, Fraction(1, 10)])
@pytest.mark.parametrize("seed", [35, 55, 79, 112])
def test_subsets_that_keep_samples_of_equal_weight_tie(unit, seed):
    """These weights are no counts, but 0.1 and 0.2 are exactly as much as 0.3."""
    rng = np.random.default_rng(seed)
    X, y, counts = rng.integers(0, 3, (12, 5)), rng.integers(0, 2, 12), rng.integers(1, 6, 12)
    masks = np.array([mask for mask in product([False, True], repeat=5) if sum(mask) == 2])
    equal = X[:, np.newaxis] == X
    enemies = y[:, np.newaxis] != y
    kept = [counts @ ~(equal[..., mask].all(axis=2) & enemies).any(axis=1) for mask in masks]
    table = Dataset(X * 1.0, y, tuple("abcde"), np.ones(5, np.bool_), (0, 1))
    table = replace(table, weights=np.array([float(unit * int(one)) for one in counts]))
    scores = Dependency(table).score(masks)
    np.testing.assert_array_equal(scores, np.array(kept) / counts.sum())


@pytest.mark.usefixtures("no_table_is_small")
@pytest.mark.parametrize("apart", [0.0, 40.0])  # few samples that are certain, or most of them
def test_the_best_extension_by_weights(apart):
    for seed in range(4):
        dataset = table(seed, 60, kinds="nnTnCn", whole=False)
        dataset.values[6:, 0] += apart * dataset.target[6:]
        measure = Dependency(dataset)
        masks = np.eye(6, dtype=np.bool_)[1:]
        masks[:, 0] = True
        scores = measure.score(masks)
        best = np.where(scores >= scores.max() - measure.tolerance, scores, -np.inf)
        assert measure.best(masks).tolist() == best.tolist()


@pytest.mark.parametrize("numeric", [False, True])
def test_strict_weights_are_repeated_rows_in_the_same_unit(numeric):
    for seed in range(5):
        dataset = table(seed, numeric=numeric)
        masks = random_masks(seed, 6, len(KINDS))
        scores = [Dependency(one, spread="range").score(masks)
                  for one in (dataset, repeated(dataset)[0])]  # fmt: skip
        np.testing.assert_allclose(*scores, atol=1e-12)


@pytest.mark.parametrize("lightest", [1.0, 1e-9])
def test_requirements_are_broken_where_the_dependency_falls(lightest):
    for seed in range(5):
        dataset = table(seed, kinds="nnTC", whole=False)
        dataset.weights[0] = lightest
        measure, everything = Dependency(dataset), np.ones(4, np.bool_)
        requirements, full = Requirements(measure, everything), measure.full
        for mask in random_masks(seed, 6, 4):
            rows, needed = requirements.broken(mask)
            assert (len(rows) == 0) == (measure.score([mask])[0] >= full - measure.tolerance)
            assert (rows[:, mask].sum(axis=1) < needed).all()
            assert (needed > 0).all()
            assert (rows.sum(axis=1) >= needed).all()  # all features meet them


def test_weights_that_are_no_counts_are_divided_by_their_mean():
    dataset, masks = table(0), random_masks(0, 4, len(KINDS))
    plain = SoftDependency(replace(dataset, weights=None))
    for factor in (1e-300, 1e-3, 7.0, 1e12, 1e308):
        equal = replace(dataset, weights=np.full(30, factor))
        assert masses_of(equal).tolist() == [1.0] * 30
        np.testing.assert_allclose(
            SoftDependency(equal).score(masks), plain.score(masks), atol=1e-12
        )
        assert (Dependency(equal).score(masks) == Dependency(plain.dataset).score(masks)).all()
    note = weighted(dataset, np.where(np.arange(30) < 9, 0.0, 7.0)).notes[-1]
    assert note.endswith("9 samples of weight 0 are left out. The weights were divided by their "
                         "mean, 7.")  # fmt: skip
    counts = replace(dataset, weights=np.arange(30) % 8 + 1.0)  # of a mean below 5
    assert masses_of(counts).tolist() == counts.weights.tolist()


def test_intervals_by_weights_contain_the_dependency():
    dataset = table(5, 400, kinds="nnT", whole=False)
    mask, hits = np.array([True, False, True]), 0
    strict, soft = Dependency(dataset), SoftDependency(dataset)
    truth = strict.score([mask])[0], soft.score([mask])[0]
    for seed in range(20):
        sampled = SampledDependency(strict, 100, seed=seed)
        for part, exact in zip((sampled, soft.on_rows(100, seed)), truth, strict=True):
            low, high = part.interval(mask)
            hits += low <= exact <= high
    assert hits >= 38
    values, masses = np.array([1.0, 0.0]), np.array([3.0, 1.0, 2.0])
    low, high = weighted_interval(values, masses, 0.95)
    assert 0.5 <= low <= high <= 5 / 6  # whatever the third is


def test_a_part_of_a_table_has_the_masses_of_the_table():
    # Means of 4.5, which are counts, though those of the first half would be divided by 8.
    dataset = replace(table(0), weights=np.repeat([8.0, 1.0, 0.0], 10))
    for rows in (np.arange(10), np.arange(10, 20), np.arange(5, 15)):
        assert masses_of(dataset.take(rows)).tolist() == dataset.weights[rows].tolist()
    light = replace(dataset, weights=np.repeat([9.0, 3.0, 3.0], 10))  # of mean 5
    assert masses_of(light.take(np.arange(8, 12))) == pytest.approx([1.8, 1.8, 0.6, 0.6], abs=1e-6)
    part = light.take(np.arange(25)).take(np.arange(8, 12))
    assert masses_of(part) == pytest.approx([1.8, 1.8, 0.6, 0.6], abs=1e-6)
