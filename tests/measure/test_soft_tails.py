"""The soft measure equals its definition where a few values are far from all others.

Of n values, the farthest can be about sqrt(n) spreads out. So it takes more than a thousand samples
to leave the 32 spreads within which positions are the same for the strict measure.
"""

import numpy as np
import pytest

from fuzzyfrog import SoftSelector
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog.measure import SoftDependency, soft_pairs
from fuzzyfrog.select.selection import select
from naive import soft as naive

N_TABLES = 300  # as many as were once compared; all but the first of them are long tests


def heavy(seed):
    """Return a table of 1,100 to 1,300 samples with values up to 1e6 times the usual ones."""
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(1_100, 1_301))
    reach = 10.0 ** rng.uniform(2, 6)
    informative = rng.normal(size=n_samples)
    columns = [informative + 0.5 * rng.normal(size=n_samples), *rng.normal(size=(2, n_samples))]
    for column in columns:
        _stretch(column, rng, reach)
    columns[2][rng.random(n_samples) < 0.1] = np.nan
    columns.append(rng.integers(0, 3, n_samples).astype(np.float64))
    target, classes = informative.copy(), None
    if seed % 2:
        _stretch(target, rng, reach)
    else:
        target, classes = np.digitize(informative, [-0.5, 1.0]), (0, 1, 2)
    names = tuple("abcd")
    return Dataset(np.column_stack(columns), target, names, np.arange(4) == 3, classes)


def _stretch(column, rng, reach):
    """Give a column a heavy tail, in place: a few errors, a group far away, or all by degrees."""
    kind = rng.integers(4)
    n_far = 1 if kind == 0 else int(rng.integers(2, 5))
    rows = rng.choice(len(column), n_far, replace=False)
    if kind < 2:  # some errors, on both sides
        column[rows] *= reach * rng.uniform(0.5, 2.0, n_far)
    elif kind == 2:  # next to each other, far from all others
        column[rows] += reach
    else:
        column[:] = np.sign(column) * np.expm1(np.abs(column) * np.log(reach) / 3)


def expected_of(dataset, path):
    """Return the memberships and the losses by the definition."""
    columns = [naive.differences(dataset.values[:, a], dataset.categorical[a]) for a in path]
    is_numeric = dataset.classes is None
    alike = (naive.alike_numbers if is_numeric else naive.same_class)(dataset.target)
    loss = naive.squared_errors if is_numeric else naive.wrong_votes
    sizes = range(1, len(path) + 1)
    return (
        [naive.soft_memberships(columns[:size], alike) for size in sizes],
        [loss(columns[:size], dataset.target) for size in sizes],
    )


def worst_difference(seed, monkeypatch):
    """Return by how much memberships and accuracies differ from the definition at most."""
    dataset = heavy(seed)
    path = np.random.default_rng(seed).permutation(4)[: 2 + seed % 3]
    memberships, losses = expected_of(dataset, path)
    monkeypatch.setattr(soft_pairs._kernel_soft, "pay", lambda _: seed % 3 > 0)  # or NumPy
    monkeypatch.setattr(soft_pairs, "_WORTH_A_THREAD", 0)
    everybody = SoftDependency(dataset, n_jobs=1 + seed % 2)
    some = SoftDependency(dataset, n_jobs=1, sample=100, seed=seed)
    apart = []
    for measure in (everybody, some):
        anchors = measure.anchors
        for size, expected in enumerate(memberships, start=1):
            mask = np.isin(np.arange(4), path[:size])
            found = measure.memberships(mask)
            apart.append(np.abs(found - expected[anchors]).max())
        found = measure.left_out_losses(path)
        expected = np.array(losses)[:, anchors]
        apart.append(np.abs(found.mean(axis=1) - expected.mean(axis=1)).max())
        apart.append((np.abs(found - expected) / np.maximum(1.0, expected)).max())
    return max(apart)


@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=[pytest.mark.long] if seed >= 6 else []) for seed in range(N_TABLES)],
)
def test_heavy_tails_change_nothing_about_the_definition(seed, monkeypatch):
    assert worst_difference(seed, monkeypatch) < 1e-8


@pytest.mark.parametrize("seed", range(2))
def test_the_race_ends_with_the_best_of_heavy_tailed_columns(seed):
    dataset = heavy(seed)
    measure = SoftDependency(dataset)
    masks = np.eye(4, dtype=bool)
    expected = [expected_of(dataset, [a])[0][0].mean() for a in range(4)]
    assert measure.best(masks).argmax() == np.argmax(expected)
    assert measure.best(masks).max() == pytest.approx(max(expected), abs=1e-8)


def test_the_accuracy_of_a_skewed_target_is_that_of_its_neighbors():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 2))
    y = np.exp(2.5 * (X[:, 0] + 0.3 * rng.normal(size=3000)))
    # Without the roles of columns, which take minutes without the JIT.
    first = select(make_dataset(X, y), SoftSelector(random_state=0).settings()).front[0]
    near = np.abs(X[:, 0] - X[:, [0]])
    np.fill_diagonal(near, np.inf)
    means = y[np.argpartition(near, 5, axis=1)[:, :5]].mean(axis=1)
    assert first.names == ("x0",)
    assert first.accuracy == pytest.approx(1 - ((means - y) ** 2).mean() / y.var(ddof=1), abs=1e-8)
    assert first.accuracy < 0.5


def test_a_typing_error_counts_as_far_as_it_is():
    rng = np.random.default_rng(0)
    y = (rng.random(4000) < 0.04).astype(int)
    x = 10.0 * y + rng.normal(size=4000)
    x[np.flatnonzero(y == 0)[0]] = 100.0
    rare = np.flatnonzero(y)
    delta = np.abs(x - x[rare, np.newaxis]) / x.std(ddof=1)
    delta[np.arange(len(rare)), rare] = np.inf
    similar = [np.exp(-delta / width) for width in naive.WIDTHS]
    expected = np.mean([one @ y / one.sum(axis=1) for one in similar], axis=0)
    found = SoftDependency(x[:, np.newaxis], y).memberships([True])[rare]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
