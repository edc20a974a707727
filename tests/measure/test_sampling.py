"""The sampled measure is the exact one at some samples, and its intervals keep their promise."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzyfrog.measure import Dependency, SampledDependency
from fuzzyfrog.measure.engines import ArrayEngine, LineEngine, PartEngine, PlainEngine
from fuzzyfrog.measure.sampled import mean_interval
from fuzzyfrog.measure.tree import TreeEngine
from measure_cases import ENGINES, TNORMS, cases
from strategies import JIT_IS_OFF, examples

NEVER = -np.inf
REPETITIONS = 40 if JIT_IS_OFF else 1_000


def same_bytes(first, second):
    return first.dtype == second.dtype and first.tobytes() == second.tobytes()


def exact_mean(memberships):
    """Return the mean as if computed with all digits, rounded once."""
    return float(sum(map(Fraction, memberships.tolist())) / len(memberships))


def slow_scores(case, tnorm, sampled):
    """Return the scores by the definition: every pair, then the mean over the sampled samples."""
    measure = case.measure(tnorm, "plain")
    return np.array([exact_mean(measure.memberships(mask)[sampled]) for mask in case.masks])


# ------------------------------------------------------------------------------ scores


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("engine", ENGINES)
@examples(40)
@given(case=cases(), seed=st.integers(0, 2**32 - 1), share=st.floats(0.01, 0.99))
def test_scores_are_exact_means_over_the_sampled(engine, tnorm, case, seed, share):
    n_sampled = max(1, int(share * case.table.n_samples))
    sampled = SampledDependency(case.measure(tnorm, engine), n_sampled, seed=seed)
    assert sampled.n_sampled == len(sampled.sampled) == n_sampled
    assert same_bytes(sampled.score(case.masks), slow_scores(case, tnorm, sampled.sampled))


@examples(40)
@given(case=cases(), seed=st.integers(0, 2**32 - 1))
def test_scores_follow_the_definition_of_the_textbook(case, seed):
    sampled = SampledDependency(case.measure(), max(1, case.table.n_samples // 3), seed=seed)
    expected = case.twin_memberships("lukasiewicz")[:, sampled.sampled].mean(axis=1)
    np.testing.assert_allclose(sampled.score(case.masks), expected, atol=1e-9)


@pytest.fixture(scope="module")
def crowd():
    """Return more samples than fit in one block of any engine, with ties and gaps, and subsets."""
    rng = np.random.default_rng(20)
    n_samples, n_features = (150, 5) if JIT_IS_OFF else (700, 8)
    X = rng.normal(size=(n_samples, n_features))
    X[:, 1] = rng.integers(0, 4, size=n_samples)
    X[rng.random(n_samples) < 0.1, 3] = np.nan
    y = (X[:, 0] + rng.normal(size=n_samples) > 0).astype(int) + (X[:, 2] > 1.5)
    masks = rng.random((20, n_features)) < rng.random((20, 1))
    return X, y, masks


@pytest.mark.skipif(JIT_IS_OFF, reason="takes half a minute without compiled kernels")
@pytest.mark.usefixtures("threads_take_any_work")
@pytest.mark.parametrize("target", ["class", "numeric"])
@pytest.mark.parametrize("n_sampled", [1, 70, 300, 699])
def test_engines_and_threads_give_the_same_bytes(crowd, n_sampled, target):
    X, y, masks = crowd
    scores = [
        SampledDependency(
            Dependency(X, y, engine=engine, n_jobs=n_jobs, target=target), n_sampled
        ).score(masks)
        for engine in ENGINES
        for n_jobs in (1, 2)
    ]
    assert all(same_bytes(scores[0], other) for other in scores[1:])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n_sampled", [1, 70, 300])
def test_each_sample_gets_its_own_membership_and_enemy(crowd, n_sampled, engine):
    X, y, masks = crowd
    measure = Dependency(X, y, engine=engine)
    sampled = SampledDependency(measure, n_sampled)
    side = measure._geometry.side
    for mask in masks[:4]:
        found, all_found = sampled._nearest(mask), measure._nearest(mask)
        assert same_bytes(found.membership, all_found.membership[sampled._asked])
        is_found = found.enemy >= 0
        assert np.array_equal(is_found, found.membership < 1.0)
        assert np.all(side[found.enemy[is_found]] != side[sampled._asked[is_found]])


def test_all_samples_give_the_exact_scores(crowd):
    X, y, masks = crowd
    measure = Dependency(X, y)
    for n_sampled in (len(y), 10 * len(y)):
        sampled = SampledDependency(measure, n_sampled)
        assert same_bytes(sampled.score(masks), measure.score(masks))
        assert sampled.full == measure.full
        assert sampled.n_sampled == sampled.n_samples == len(y)


@pytest.mark.usefixtures("every_table_is_huge")
def test_every_engine_takes_its_part(crowd, monkeypatch):
    """Without this the tests above could compare one engine with itself."""
    X, y, masks = crowd
    used = set()
    kinds = (ArrayEngine, LineEngine, PartEngine, PlainEngine, TreeEngine)
    for kind in kinds:
        weigh = kind.weigh
        monkeypatch.setattr(
            kind,
            "weigh",
            lambda self, *args, run=weigh: used.add(type(self)) or run(self, *args),
        )
    alone = np.eye(X.shape[1], dtype=bool)[:1]
    for engine in ENGINES:
        sampled = SampledDependency(Dependency(X, y, engine=engine), 70)
        sampled.score(np.concatenate([masks[:2], alone]))
    assert used == set(kinds)


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("engine", ENGINES)
@examples(25)
@given(case=cases(), data=st.data())
def test_at_least_rejects_what_is_below_and_nothing_else(engine, tnorm, case, data):
    n_sampled = data.draw(st.integers(1, case.table.n_samples))
    sampled = SampledDependency(case.measure(tnorm, engine), n_sampled)
    gammas = sampled.score(case.masks)
    bar = data.draw(st.sampled_from([0.5, 0.0, 1.0, *gammas.tolist()]))
    for at_least in (bar, np.nextafter(bar, 2.0), np.nextafter(bar, -1.0)):
        expected = np.where(gammas < at_least, NEVER, gammas)
        assert same_bytes(sampled.score(case.masks, at_least=at_least), expected)


@pytest.mark.parametrize("tnorm", TNORMS)
@examples(25)
@given(case=cases(), data=st.data())
def test_the_race_is_won_by_the_best_and_its_ties(tnorm, case, data):
    n_sampled = data.draw(st.integers(1, case.table.n_samples))
    sampled = SampledDependency(case.measure(tnorm, n_jobs=2), n_sampled)
    gammas = sampled.score(case.masks)
    expected = np.where(gammas == gammas.max(), gammas, NEVER)
    assert same_bytes(sampled.best(case.masks), expected)


@pytest.mark.parametrize("target", ["class", "numeric"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_greedy_steps_find_the_best_extensions(crowd, n_jobs, target):
    X, y, _ = crowd
    sampled = SampledDependency(Dependency(X, y, n_jobs=n_jobs, target=target), len(y) // 5)
    base = np.zeros(X.shape[1], dtype=bool)
    for _ in range(4):
        masks = (base | np.eye(len(base), dtype=bool))[~base]
        gammas = sampled.score(masks)
        expected = np.where(gammas == gammas.max(), gammas, NEVER)
        assert same_bytes(sampled.best(masks), expected)
        base = masks[np.argmax(gammas)]


def test_scores_never_fall_when_a_feature_is_added(crowd):
    X, y, masks = crowd
    sampled = SampledDependency(Dependency(X, y), 50)
    more = masks.copy()
    more[:, 0] = True
    assert np.all(sampled.score(more) >= sampled.score(masks))
    assert sampled.full == sampled.score(np.ones((1, X.shape[1]), dtype=bool))[0]


# ------------------------------------------------------------------------------ the part


def test_the_part_depends_on_the_seed_and_on_nothing_else(crowd):
    X, y, _ = crowd
    part = SampledDependency(Dependency(X, y), 30, seed=7).sampled
    assert np.array_equal(part, np.unique(part))
    assert part.min() >= 0
    assert part.max() < len(y)
    assert np.array_equal(part, SampledDependency(Dependency(X[:, :2], y == 1), 30, seed=7).sampled)
    assert not np.array_equal(part, SampledDependency(Dependency(X, y), 30, seed=8).sampled)
    larger = SampledDependency(Dependency(X, y), 60, seed=7).sampled
    assert np.isin(part, larger).all()


def test_the_part_is_the_same_in_every_version_of_numpy():
    measure = Dependency(np.arange(20.0)[:, np.newaxis], [0, 1] * 10)
    assert SampledDependency(measure, 6, seed=1).sampled.tolist() == THE_SIX


def test_every_sample_is_drawn_equally_often():
    n, n_sampled = 40, 10
    measure = Dependency(np.arange(float(n))[:, np.newaxis], [0, 1] * (n // 2))
    drawn = [SampledDependency(measure, n_sampled, seed=seed).sampled for seed in range(2_000)]
    counts = np.bincount(np.concatenate(drawn), minlength=n)
    expected, spread = 2_000 * n_sampled / n, np.sqrt(2_000 * 0.25 * 0.75)
    assert np.abs(counts - expected).max() < 4.5 * spread


@pytest.mark.parametrize("n_sampled", [0, -3, 2.5, "all", None, True])
def test_a_part_must_be_a_number_of_samples(crowd, n_sampled):
    X, y, _ = crowd
    with pytest.raises(ValueError, match="n_sampled must be an integer of at least 1, got"):
        SampledDependency(Dependency(X, y), n_sampled)


# ------------------------------------------------------------------------------ intervals

POPULATIONS = {
    "certain": lambda rng: np.ones(300),
    "nearly certain": lambda rng: np.where(rng.random(300) < 0.02, 0.0, 1.0),
    "halves": lambda rng: np.repeat([0.0, 1.0], 150),
    "uniform": lambda rng: rng.random(300),
    "skewed": lambda rng: rng.random(300) ** 6,
}


@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("n_drawn", [1, 12, 60, 200, 299])
@pytest.mark.parametrize("name", POPULATIONS)
def test_intervals_hold_the_mean_as_often_as_promised(name, n_drawn, confidence):
    rng = np.random.default_rng(4)
    population = POPULATIONS[name](rng)
    held = 0
    for _ in range(1_000):
        values = rng.permutation(population)[:n_drawn]
        low, high = mean_interval(values, values.mean(), population.size, confidence)
        assert 0.0 <= low <= values.mean() <= high <= 1.0
        held += low - 1e-12 <= population.mean() <= high + 1e-12
    assert held >= 1_000 * confidence


def test_intervals_are_as_narrow_as_their_theorems_say():
    """The two inequalities, computed by hand for one case each."""
    values = np.repeat([0.0, 1.0], 50)
    low, high = mean_interval(values, 0.5, 10_000, 0.95)
    by_range = np.sqrt((1 - 99 / 10_000) * np.log(4 / 0.05) / 200)
    assert (low, high) == pytest.approx((0.5 - by_range, 0.5 + by_range))
    values = np.repeat([0.8, 0.9], 5_000)
    low, high = mean_interval(values, 0.85, 1_000_000, 0.95)
    in_variance = np.log(20 / 0.05)
    away = 0.05 * np.sqrt(2 * (1 - 9_999 / 1e6) * in_variance / 1e4)
    away += (7 / 3 + 3 / np.sqrt(2)) * in_variance / 1e4
    assert (low, high) == pytest.approx((0.85 - away, 0.85 + away))


def test_what_was_not_drawn_lies_between_nothing_and_certainty():
    low, high = mean_interval(np.ones(2), 1.0, 3, 0.95)
    assert (low, high) == (pytest.approx(2 / 3), 1.0)


def test_the_interval_of_all_samples_leaves_no_doubt(crowd):
    X, y, masks = crowd
    measure = Dependency(X, y)
    sampled = SampledDependency(measure, len(y))
    for mask, exact in zip(masks, measure.score(masks), strict=True):
        assert sampled.interval(mask) == (exact, exact)


def test_an_interval_is_wider_the_more_often_it_must_hold(crowd):
    X, y, masks = crowd
    sampled = SampledDependency(Dependency(X, y), 70, seed=3)
    for mask in masks:
        (low, high), (lower, higher) = sampled.interval(mask, 0.9), sampled.interval(mask, 0.99)
        assert lower <= low <= high <= higher


def chosen_table():
    """Return a table of noise and all pairs of its features: the best is best by chance."""
    rng = np.random.default_rng(1)
    n_samples = 90
    X = rng.normal(size=(n_samples, 7))
    masks = np.zeros((21, 7), dtype=bool)
    for mask, pair in zip(masks, combinations(range(7), 2), strict=True):
        mask[list(pair)] = True
    return Dependency(X, rng.integers(0, 2, n_samples), n_jobs=1), masks


def test_intervals_hold_for_whatever_was_chosen():
    measure, masks = chosen_table()
    exact = measure.score(masks)
    held, flattered = 0, 0.0
    for seed in range(REPETITIONS):
        sampled = SampledDependency(measure, 20, seed=seed)
        scores = sampled.score(masks)
        chosen = int(np.argmax(scores))
        low, high = sampled.interval(masks[chosen])
        held += low <= exact[chosen] <= high
        flattered += (scores[chosen] - exact[chosen]) / REPETITIONS
    assert held >= 0.95 * REPETITIONS
    assert flattered > 0.02  # what a choice by scores gains by chance alone


def test_an_interval_by_all_others_is_exact():
    measure, masks = chosen_table()
    sampled = SampledDependency(measure, 50)
    for mask, exact in zip(masks, measure.score(masks), strict=True):
        assert sampled.interval(mask) == (exact, exact)


THE_SIX = [2, 4, 8, 10, 12, 14]
