"""The soft dependency equals its definition, whatever the threads, the batch and the order."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fuzzyfrog.common.arrays import Extensions
from fuzzyfrog.data import Dataset
from fuzzyfrog.measure import SoftDependency, soft, soft_pairs
from fuzzyfrog.measure.soft_columns import DOUBLE_PRECISION, SINGLE_PRECISION
from naive import soft as naive


@pytest.fixture(autouse=True, scope="module")
def _kernels():
    """Let kernels do everything; that NumPy does the same has a test of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(soft_pairs._kernel_soft, "pay", lambda _: True)
        yield


def table(seed, n_samples, kinds, *, numeric=False, n_classes=3, tails=False, grouped=False):
    """Return a dataset with ties, gaps, constants and categories by the letters of `kinds`."""
    rng = np.random.default_rng(seed)
    columns = []
    for kind in kinds:
        column = rng.standard_cauchy(n_samples) ** 3 if tails else rng.normal(size=n_samples)
        if kind in "tT":  # ties
            column = np.round(column)
        if kind in "cC":  # categories
            column = rng.integers(0, 4, n_samples).astype(np.float64)
        if kind == "k":  # constant
            column[:] = 3.0
        if kind.isupper():  # gaps
            column[rng.random(n_samples) < 0.2] = np.nan
        columns.append(column)
    if numeric:
        target, classes = rng.normal(size=n_samples), None
    else:
        target, classes = rng.integers(0, n_classes, n_samples), tuple(range(n_classes))
    return Dataset(
        np.column_stack(columns),
        target,
        tuple(f"x{k}" for k in range(len(kinds))),
        np.array([kind in "cC" for kind in kinds]),
        classes,
        groups=made_groups(rng, n_samples) if grouped else None,
    )


def made_groups(rng, n_samples):
    """Return groups of any size, some of which have most samples, but never all."""
    groups = rng.integers(0, rng.integers(1, n_samples + 1), n_samples)
    groups[0] = -1
    return groups


def truth(dataset, mask):
    """Return the memberships by the definition."""
    columns = [
        naive.differences(dataset.values[:, a], dataset.categorical[a])
        for a in np.flatnonzero(mask)
    ]
    likeness = naive.same_class if dataset.classes is not None else naive.alike_numbers
    return naive.soft_memberships(columns, likeness(dataset.target), dataset.groups)


def random_masks(rng, n_subsets, n_features):
    masks = rng.random((n_subsets, n_features)) < 0.5
    masks[np.arange(n_subsets), rng.integers(0, n_features, n_subsets)] = True
    return masks


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    n_samples=st.integers(2, 90),
    kinds=st.text("ntckNTC", min_size=1, max_size=6),
    numeric=st.booleans(),
    n_classes=st.integers(1, 4),
    grouped=st.booleans(),
)
def test_equals_the_definition(seed, n_samples, kinds, numeric, n_classes, grouped):
    dataset = table(seed, n_samples, kinds, numeric=numeric, n_classes=n_classes, grouped=grouped)
    measure = SoftDependency(dataset)
    masks = random_masks(np.random.default_rng(seed), 4, len(kinds))
    for mask, score in zip(masks, measure.score(masks), strict=True):
        expected = truth(dataset, mask)
        np.testing.assert_allclose(measure.memberships(mask), expected, rtol=0, atol=1e-12)
        assert score == pytest.approx(expected.mean(), abs=1e-12)


@example(seed=2, n_samples=54, kinds="CC", numeric=True, tails=True, grouped=False)  # a square
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    n_samples=st.integers(2, 300),
    kinds=st.text("ntckNTC", min_size=2, max_size=6),
    numeric=st.booleans(),
    tails=st.booleans(),
    grouped=st.booleans(),
)
def test_numpy_gives_the_bits_of_the_kernels(seed, n_samples, kinds, numeric, tails, grouped):
    dataset = table(
        seed, n_samples, kinds, numeric=numeric, n_classes=2, tails=tails, grouped=grouped
    )
    features = np.arange(len(kinds))

    def answers():
        measure = SoftDependency(dataset)
        for precision in (SINGLE_PRECISION, DOUBLE_PRECISION):
            base, added = features[: seed % 2], features[seed % 2 :]
            for found in measure._weighed(base, added, precision, measure.anchors):
                yield found.tobytes()
        yield measure.left_out_losses(features).tobytes()

    by_kernels = list(answers())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(soft_pairs._kernel_soft, "pay", lambda _: False)
        assert list(answers()) == by_kernels


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_heavy_tails_neither_underflow_nor_overflow(seed, numeric):
    dataset = table(seed, 150, "nnNcnn", numeric=numeric, tails=True)
    dataset.values[:3, 0] = 1e9, 1.001e9, -1e9  # next to each other, far from all others
    measure = SoftDependency(dataset)
    for mask in [[True] + 5 * [False], [True, True] + 4 * [False], 6 * [True]]:
        np.testing.assert_allclose(
            measure.memberships(mask), truth(dataset, np.array(mask)), rtol=0, atol=1e-10
        )


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("tails", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_extension_is_the_best_by_the_definition(seed, tails, numeric):
    dataset = table(seed, 120, "nntcNCTnnnk", numeric=numeric, tails=tails)
    measure = SoftDependency(dataset)
    base = np.zeros(dataset.n_features, bool)
    for _ in range(4):
        masks = np.array(
            [base | (np.arange(len(base)) == a) for a in np.flatnonzero(~base)], dtype=bool
        )
        expected = np.array([truth(dataset, mask).mean() for mask in masks])
        found = measure.best(masks)
        assert np.flatnonzero(found > -np.inf).tolist() == [expected.argmax()]
        assert found.max() == measure.score(masks).max()
        base = masks[expected.argmax()]


def extensions(n_features, base=()):
    """Return the masks that add a feature to a base."""
    masks = np.zeros((n_features, n_features), bool)
    masks[:, list(base)] = True
    rest = np.setdiff1d(np.arange(n_features), base)
    masks[rest, rest] = True
    return masks[rest]


def raced(measure, masks, monkeypatch):
    """Return what `best` finds, and the share of all memberships that it had to weigh for it."""
    weighed, inner = [], measure._weighed

    def count(base, added, precision, anchors):
        weighed.append(len(added) * len(anchors) * (precision is SINGLE_PRECISION))
        return inner(base, added, precision, anchors)

    with monkeypatch.context() as patch:
        patch.setattr(measure, "_weighed", count)
        found = measure.best(masks)
    return found, sum(weighed) / (len(masks) * measure.n_sampled)


@pytest.mark.parametrize("n_samples", [256, 400])
@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("tails", [False, True])
def test_a_race_finds_the_best_extension_without_weighing_all(
    tails, numeric, n_samples, monkeypatch
):
    dataset = table(4, n_samples, "nntcNCTnnn", numeric=numeric, tails=tails)
    worth = dataset.target if numeric else dataset.target > 1
    dataset.values[:, 7] = worth + 0.3 * dataset.values[:, 7].clip(-3, 3)
    measure = SoftDependency(dataset)
    for base in [(), (1, 3)]:
        masks = extensions(10, base)
        scores = measure.score(masks)
        found, share = raced(measure, masks, monkeypatch)
        assert np.flatnonzero(found > -np.inf).tolist() == [scores.argmax()]
        assert found.max() == scores.max()
        assert share < 0.8


def test_the_best_of_a_race_takes_part_in_the_next(monkeypatch):
    """Among columns that say nothing, all would be weighed to the end."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 12))
    measure = SoftDependency(X, X[:, 1] + 0.3 * rng.normal(size=300) > 0)
    whole = measure.best(extensions(12))
    monkeypatch.setattr(soft, "_MOST_RACING", 4 * 300)
    found, share = raced(measure, extensions(12), monkeypatch)
    assert found.tobytes() == whole.tobytes()
    assert found.argmax() == 1
    assert share < 0.8


def test_in_a_race_copies_end_level_and_threads_do_not_matter(monkeypatch):
    monkeypatch.setattr(soft_pairs, "_WORTH_A_THREAD", 0)
    dataset = table(6, 500, "nnnnnn")
    dataset.values[:, 2] = dataset.target + dataset.values[:, 2]
    dataset.values[:, 5] = dataset.values[:, 2]
    found = [SoftDependency(dataset, n_jobs=jobs).best(extensions(6)) for jobs in (1, 3)]
    assert np.flatnonzero(found[0] > -np.inf).tolist() == [2, 5]
    assert found[0].tobytes() == found[1].tobytes()


def test_a_race_does_not_depend_on_the_order_of_the_samples():
    rng = np.random.default_rng(8)
    y = np.repeat([0, 1, 2], 200)
    trap = np.where(y == 0, 5.0, rng.normal(size=600))  # says all about the first third alone
    X = np.column_stack([trap, y + 0.4 * rng.normal(size=600), rng.normal(size=600)])
    measure = SoftDependency(X, y)
    scores = measure.score(extensions(3))
    assert scores.argmax() == 1
    assert measure.best(extensions(3)).argmax() == 1


def test_a_race_on_all_samples_does_not_depend_on_the_seed():
    """Without the few samples that speak for it, the better column is far behind."""
    y = np.repeat([0, 1, 2], [396, 396, 8])
    near = np.random.default_rng(0).uniform(size=800)
    usual = near + 2.0 * (y == 1)
    better = np.where(y == 2, -3.0, near + 1.4 * (y == 1))
    measure = SoftDependency(np.column_stack([usual, better]), y)
    found = [measure.on_rows(None, seed).best(extensions(2)).tolist() for seed in range(20)]
    assert measure.score(extensions(2)).argmax() == 1
    assert all(one == found[0] for one in found)


def test_a_race_waits_for_what_single_precision_cannot_tell(monkeypatch):
    dataset = table(9, 600, "nnnn")
    dataset.values[:, 1] = dataset.target + dataset.values[:, 1]
    measure = SoftDependency(dataset)
    inner = measure._weighed

    def lose(base, added, precision, anchors):
        found, is_unsure = inner(base, added, precision, anchors)
        if precision is SINGLE_PRECISION:  # as underflow would do
            found[added == 1, ::3], is_unsure[added == 1, ::3] = 0.0, True
        return found, is_unsure

    expected = measure.best(extensions(4)).tolist()
    monkeypatch.setattr(measure, "_weighed", lose)
    assert np.argmax(expected) == 1
    assert measure.best(extensions(4)).tolist() == expected


def test_exponentials_that_are_kept_are_those_of_the_features(monkeypatch):
    dataset = table(4, 60, "nNcnTn")
    columns, fresh = (SoftDependency(dataset)._columns for _ in range(2))
    monkeypatch.setattr(fresh, "_kept_exponentials", fresh._exponentials)
    for scale, precision in (
        (0.4, SINGLE_PRECISION),
        (0.8, SINGLE_PRECISION),
        (0.8, DOUBLE_PRECISION),
    ):
        for features in ([5], [3, 0, 5], [5, 3], [0], [1, 0], [4, 2, 1, 0], [2], [5]):
            found = columns.factors(np.array(features), scale, precision)
            expected = fresh.factors(np.array(features), scale, precision)
            for one, other in zip(found, expected, strict=True):
                assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("seed", range(5))
def test_a_race_among_equally_useless_features_ends_with_the_best(seed):
    measure = SoftDependency(table(seed, 400, "n" * 12))
    scores = measure.score(extensions(12))
    assert measure.best(extensions(12)).argmax() == scores.argmax()


def test_same_bits_for_any_number_of_threads_and_any_batch(monkeypatch):
    monkeypatch.setattr(soft_pairs, "_WORTH_A_THREAD", 0)
    dataset = table(0, 500, "nnTcNn")
    masks = random_masks(np.random.default_rng(1), 6, 6)
    masks[4:] = masks[3]
    masks[[4, 5], [0, 1]] ^= True
    one, many = SoftDependency(dataset, n_jobs=1), SoftDependency(dataset, n_jobs=3)
    assert one.score(masks).tobytes() == many.score(masks).tobytes()
    alone = [one.score(mask[np.newaxis])[0] for mask in masks]
    assert np.array(alone).tobytes() == one.score(masks).tobytes()
    assert one.memberships(masks[0]).tobytes() == many.memberships(masks[0]).tobytes()
    steps = Extensions(masks[3], np.flatnonzero(~masks[3]))
    for ask in (one.best, one.memberships):
        assert ask(steps).tobytes() == ask(np.asarray(steps)).tobytes()
    for some in (steps, Extensions(steps.base, steps.added[::-1])):  # one has not the best first
        expected = one.best(some).tobytes()
        with monkeypatch.context() as patch:
            patch.setattr(soft, "_MOST_RACING", 1)  # each alone
            assert one.best(some).tobytes() == expected


def test_noise_lowers_it_and_a_useful_feature_raises_it():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = np.column_stack(
        [y + rng.normal(size=300), y + rng.normal(size=300), *rng.normal(size=(3, 300))]
    )
    measure = SoftDependency(X, y)
    good, both, noisy = measure.score(
        np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 1, 1]], bool)
    )
    assert measure.chance < good < both
    assert noisy < both


def test_a_yes_no_column_is_the_same_as_a_category_and_as_a_number():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 2, (80, 1)).astype(float), rng.integers(0, 2, 80)
    as_number = SoftDependency(X, y).memberships([True])
    as_category = SoftDependency(X, y, categorical_features=[0]).memberships([True])
    np.testing.assert_allclose(as_number, as_category, atol=1e-12)


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_chance_is_the_mean_likeness_of_two_samples(numeric, grouped):
    dataset = table(5, 70, "n", numeric=numeric, grouped=grouped)
    likeness = naive.alike_numbers if numeric else naive.same_class
    expected = naive.chance(likeness(dataset.target), dataset.groups)
    assert SoftDependency(dataset).chance == pytest.approx(expected)


@pytest.mark.parametrize("grouped", [False, True])
def test_standard_errors_are_those_of_groups(grouped, rng):
    dataset = table(5, 70, "n", grouped=grouped)
    values = rng.normal(size=(3, 70)) + (0 if dataset.groups is None else dataset.groups)
    expected = [naive.standard_error(row, dataset.groups) for row in values]
    measure = SoftDependency(dataset)
    np.testing.assert_allclose(measure.standard_errors(values), expected)
    assert measure.standard_errors(values[0]) == pytest.approx(expected[0])


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    n_samples=st.integers(1, 60),
    numeric=st.booleans(),
    n_classes=st.integers(1, 4),
    tails=st.booleans(),
)
def test_of_no_features_all_others_are_equally_similar(seed, n_samples, numeric, n_classes, tails):
    dataset = table(seed, n_samples, "n", numeric=numeric, n_classes=n_classes)
    if numeric and tails:
        drawn = np.random.default_rng(seed).standard_cauchy(n_samples).round(1)
        dataset = replace(dataset, target=np.clip(drawn, -20, 20))
    measure = SoftDependency(dataset)
    found = measure.memberships([False])
    expected = np.ones(1)
    if n_samples > 1:
        likeness = naive.same_class if dataset.classes is not None else naive.alike_numbers
        expected = naive.soft_memberships([np.zeros((n_samples,) * 2)], likeness(dataset.target))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert measure.chance == pytest.approx(expected.mean(), abs=1e-12)


@pytest.mark.parametrize("numeric", [False, True])
def test_of_no_features_the_memory_is_that_of_a_few_columns(numeric):
    """Explaining the only selected feature of a large table asks for it."""
    dataset = table(0, 40_000, "n", numeric=numeric)
    measure = SoftDependency(dataset)  # 2,000 anchors: all pairs would take 640 MB
    tracemalloc.start()
    try:
        measure.memberships([False])
        assert measure.chance > 0
        assert tracemalloc.get_traced_memory()[1] < 20 * dataset.target.nbytes
    finally:
        tracemalloc.stop()


def test_anchors_are_some_samples_against_all():
    dataset = table(2, 300, "nnc")
    everybody, some = SoftDependency(dataset), SoftDependency(dataset, sample=40, seed=7)
    assert some.n_sampled == 40
    expected = everybody.memberships([True, True, True])[some.anchors]
    assert some.memberships([True, True, True]).tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("n_samples", "n_anchors"),
    [(14_142, 14_142), (14_143, 14_141), (20_000, 10_000), (20_001, 9_999), (200_000, 2_000)],
)
def test_there_is_no_cliff_in_the_number_of_anchors(n_samples, n_anchors):
    assert SoftDependency(table(0, n_samples, "n")).n_sampled == n_anchors


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("tails", [False, True])
def test_same_bits_however_threads_share_extensions(numeric, tails, monkeypatch):
    dataset = table(2, 70, "nNtcC" * 5, numeric=numeric, tails=tails)
    base = np.isin(np.arange(25), [3, 7])
    steps = Extensions(base, np.flatnonzero(~base)[::-1])

    def answers(n_jobs):
        measure = SoftDependency(dataset, n_jobs=n_jobs)
        single = measure._weighed(np.array([3, 7]), steps.added, SINGLE_PRECISION, measure.anchors)
        found = measure.memberships(steps), measure.best(steps), *single
        return [one.tobytes() for one in found]

    expected = answers(1)
    for shared in (2, 4), (3, 5), (8, 22):
        monkeypatch.setattr(soft_pairs, "_SHARED_FEATURES", shared)
        assert all(answers(n_jobs) == expected for n_jobs in (1, 2, 3))


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_race_among_some_samples_finds_the_best_and_scores_it_by_all(
    monkeypatch, numeric, grouped
):
    monkeypatch.setattr(soft, "FEWEST_ANCHORS", 500)
    monkeypatch.setattr(soft, "PAIRS", 500 * 900)
    dataset = table(3, 3_000, "nNtcCnk", numeric=numeric, grouped=grouped)
    told = np.where(np.isnan(dataset.values), 0.0, dataset.values) @ [0, 2, 0, 0, 0, 1, 0]
    target = told if numeric else (told > 0).astype(np.int64)
    dataset = replace(dataset, target=target, classes=None if numeric else (0, 1))
    for base, best in ([], 1), ([1], 5):
        added = [one for one in range(7) if one not in base]
        masks = np.array([np.isin(np.arange(7), [*base, one]) for one in added])
        measures = [SoftDependency(dataset, n_jobs=n_jobs, seed=5) for n_jobs in (1, 3)]
        assert measures[0].n_sampled == 500
        expected = np.full(len(added), -np.inf)
        place = added.index(best)
        expected[place] = measures[0].score(masks[[place]])[0]
        for measure in measures:
            assert measure.best(masks).tobytes() == expected.tobytes()


def test_a_race_among_some_samples_is_about_the_same_anchors(monkeypatch):
    monkeypatch.setattr(soft, "FEWEST_ANCHORS", 300)
    monkeypatch.setattr(soft, "PAIRS", 300 * 1_995)  # of 2,000 samples: that changes little
    masks = np.eye(8, dtype=np.bool_)
    for seed in range(6):  # of noise, each time another column is the best
        measure = SoftDependency(table(4, 2_000, "n" * 8), seed=seed)
        assert np.argmax(measure.best(masks)) == np.argmax(measure.score(masks))


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("tails", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_an_estimate_is_off_by_no_more_than_single_precision(monkeypatch, numeric, tails, grouped):
    monkeypatch.setattr(soft_pairs, "_WORTH_A_THREAD", 0)
    dataset = table(5, 150, "nNtcCkn", numeric=numeric, tails=tails, grouped=grouped)
    exact = SoftDependency(dataset)
    monkeypatch.setattr(soft, "PAIRS", 150 * 100)
    monkeypatch.setattr(soft, "FEWEST_ANCHORS", 50)
    one, more = (SoftDependency(dataset, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert one.n_sampled == 100
    masks = np.vstack(
        [random_masks(np.random.default_rng(2), 6, 7), np.tril(np.ones((7, 7), bool))]
    )
    found, expected = one.memberships(masks), exact.memberships(masks)[:, one.anchors]
    np.testing.assert_allclose(found, expected, rtol=0, atol=(10 * 7 + 72) * 2.0**-25)
    assert tails or (found != expected).any()  # in single precision indeed
    assert one.score(masks).tobytes() == more.score(masks[::-1])[::-1].tobytes()
    monkeypatch.setattr(soft_pairs._kernel_soft, "pay", lambda _: False)
    assert SoftDependency(dataset).memberships(masks).tobytes() == found.tobytes()


def test_all_samples_are_scored_in_double_precision_however_many(monkeypatch):
    dataset = table(5, 200, "nnn")
    expected = SoftDependency(dataset).memberships([True, True, False])
    monkeypatch.setattr(soft, "PAIRS", 1)
    measure = SoftDependency(dataset, sample=200)
    assert measure.memberships([True, True, False]).tobytes() == expected.tobytes()


@pytest.mark.parametrize("weighted", [False, True])
def test_a_race_ends_early_only_where_all_extensions_of_an_estimate_are_a_fall(
    monkeypatch, weighted
):
    monkeypatch.setattr(soft, "FEWEST_ANCHORS", 128)
    rng = np.random.default_rng(0)
    dataset = table(1, 600, "n" * 6)
    dataset.values[:, 0] = dataset.target + 0.1 * dataset.values[:, 0]
    if weighted:
        dataset = replace(dataset, weights=rng.integers(1, 4, 600).astype(float))
    noise = extensions(6, (0,))
    exact = SoftDependency(dataset)
    assert (exact.score(noise) < exact.score(extensions(6)[:1]) - 0.05).all()
    assert raced(exact, noise, monkeypatch)[1] == 1.0
    monkeypatch.setattr(soft, "PAIRS", 600 * 500)
    measure = SoftDependency(dataset)
    found, share = raced(measure, noise, monkeypatch)
    assert share < 0.6  # 128 of 500 anchors, then the winner on all of them
    scores = measure.score(noise)
    assert found.max() == scores[found.argmax()] >= np.median(scores)
    # What was scored last is known, if it is the base, of these anchors.
    for last in extensions(6)[[0]], extensions(6)[[5]]:
        measure.score(last)
        for one, fresh in (
            (measure, SoftDependency(dataset)),
            (measure.on_rows(450, 1), SoftDependency(dataset).on_rows(450, 1)),
        ):
            known = one._before(np.array([0]), one._drawn[:99])
            weighed = one._weighed(np.array([], int), np.array([0]), SINGLE_PRECISION, one._drawn)
            assert [some.tobytes() for some in known] == [
                some[:, :99].tobytes() for some in weighed
            ]
            again, share = raced(one, noise, monkeypatch)
            expected, whole = raced(fresh, noise, monkeypatch)
            assert again.tobytes() == expected.tobytes()
            is_known = one is measure and last[0, 0]
            assert share == pytest.approx(whole - is_known * 128 / 2500)
    # Next to a feature that says nothing, some extension may be better: all anchors decide.
    useless = extensions(6, (5,))[1:]
    scores = measure.score(useless)
    found, share = raced(measure, useless, monkeypatch)
    assert found.argmax() == scores.argmax()
    assert share > 0.8


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    n_samples=st.integers(2, 60),
    kinds=st.text("ntckNTC", min_size=1, max_size=5),
    numeric=st.booleans(),
    grouped=st.booleans(),
)
def test_left_out_losses_equal_the_definition(seed, n_samples, kinds, numeric, grouped):
    dataset = table(seed, n_samples, kinds, numeric=numeric, grouped=grouped)
    path = np.random.default_rng(seed).permutation(len(kinds))
    columns = [naive.differences(dataset.values[:, a], dataset.categorical[a]) for a in path]
    loss = naive.squared_errors if numeric else naive.wrong_votes
    expected = [
        loss(columns[:size], dataset.target, dataset.groups) for size in range(1, len(kinds) + 1)
    ]
    found = SoftDependency(dataset).left_out_losses(path)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("kinds", ["nnn", "nnnnnnnnn", "tcTcttTTcC", "nCnnNtnnT"])
@pytest.mark.parametrize("start", [0, 2])
def test_left_out_losses_of_many_samples_equal_those_of_numpy(kinds, start, monkeypatch):
    """Whole blocks of samples are far away, others are full of ties; paths need many passes."""
    dataset = table(7, 600, kinds)
    dataset = replace(dataset, weights=np.random.default_rng(0).integers(1, 9, 600) / 4)
    measure = SoftDependency(dataset, sample=60)
    path = np.random.default_rng(1).permutation(len(kinds))
    found = [measure.left_out_losses(path, one) for one in (start, len(path) - 1)]
    monkeypatch.setattr(soft_pairs._kernel_soft, "pay", lambda _: False)
    expected = measure.left_out_losses(path)
    assert [one.tobytes() for one in found] == [expected[start:].tobytes(), expected[-1].tobytes()]


def test_left_out_losses_count_wrong_votes():
    X = np.array([[0.0], [0.1], [0.2], [0.3], [0.4], [0.5], [10.0], [10.1]])
    y = np.array(["a", "a", "a", "a", "a", "b", "b", "b"])
    losses = SoftDependency(X, y).left_out_losses([0])
    assert losses.tolist() == [[0, 0, 0, 0, 0, 1, 1, 1]]


def test_left_out_losses_do_not_depend_on_the_order_of_equal_samples():
    X = np.repeat([[0.0], [1.0]], 40, axis=0)
    y = np.r_[np.ones(28), np.zeros(12), np.zeros(30), np.ones(10)].astype(int)
    shuffled = np.random.default_rng(0).permutation(80)
    sorted_, mixed = SoftDependency(X, y), SoftDependency(X[shuffled], y[shuffled])
    assert sorted_.left_out_losses([0]).mean() == 22 / 80  # those of the minority
    assert (
        sorted_.left_out_losses([0])[0, shuffled].tolist() == mixed.left_out_losses([0])[0].tolist()
    )


def test_contenders_that_are_not_close_are_not_scored_one_by_one(rng, monkeypatch):
    """Where float32 rules out nobody, one pass in float64 with a common base does."""
    X = rng.normal(size=(60, 12))
    measure = SoftDependency(X, X[:, 3] + X[:, 5] > 0, n_jobs=1)
    masks = np.zeros((10, 12), bool)
    masks[:, :2] = True
    masks[np.arange(10), np.arange(2, 12)] = True
    expected = measure.score(masks)
    scored = []
    score = measure.score
    monkeypatch.setattr(measure, "_contenders", lambda base, added: np.arange(len(added)))
    monkeypatch.setattr(measure, "score", lambda some: scored.append(len(some)) or score(some))
    found = measure.best(masks)
    assert scored == [1]
    assert found.max() == expected.max()
    assert np.flatnonzero(found > -np.inf).tolist() == [expected.argmax()]
