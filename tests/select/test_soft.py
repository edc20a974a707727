"""Selectors with the soft measure: the path, its size, and what works as with the strict one."""

import signal
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from fuzzyfrog import FeatureSelector, PredictionWarning, ReductSelector, SoftSelector, load_dataset
from fuzzyfrog.data import make_dataset
from fuzzyfrog.measure import Dependency, SampledDependency, SoftDependency
from fuzzyfrog.measure.sampled import RowSample
from fuzzyfrog.result import Result, Scored, SoftPath
from fuzzyfrog.select.strict import soft_comparison
from naive import soft as naive


def made(n_samples=150, n_noise=6, *, numeric=False, seed=0):
    """Return a table whose first three columns are informative, and the target."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n_samples) if numeric else rng.integers(0, 3, n_samples)
    useful = y[:, np.newaxis] + 0.8 * rng.normal(size=(n_samples, 3))
    return np.hstack([useful, rng.normal(size=(n_samples, n_noise))]), y


def soft(**parameters):
    return SoftSelector(random_state=0, **parameters)


def naive_path(X, y, likeness, n_steps):
    """Return the greedy path by the definition: features, scores, leave-one-out losses."""
    columns = [naive.differences(column, False) for column in X.T]
    S = likeness(y)
    chosen, scores, losses = [], [], []
    for _ in range(n_steps):
        rest = [a for a in range(X.shape[1]) if a not in chosen]
        found = [naive.soft_memberships([columns[b] for b in [*chosen, a]], S).mean() for a in rest]
        chosen.append(rest[int(np.argmax(found))])
        scores.append(max(found))
        loss = naive.wrong_votes if likeness is naive.same_class else naive.squared_errors
        losses.append(loss([columns[b] for b in chosen], y))
    return chosen, np.array(scores), np.array(losses, dtype=float)


@pytest.mark.parametrize("numeric", [False, True])
def test_the_path_is_the_one_of_the_definition(numeric):
    X, y = made(80, numeric=numeric)
    chosen, scores, losses = naive_path(
        X, y, naive.alike_numbers if numeric else naive.same_class, X.shape[1]
    )
    selector = soft().fit(X, y)
    front = selector.front_
    assert [set(one.features) for one in front] == [
        set(chosen[: k + 1]) for k in range(len(chosen))
    ]
    np.testing.assert_allclose([one.dependency for one in front], scores, atol=1e-12)
    np.testing.assert_allclose([one.accuracy for one in front], 1 - losses.mean(axis=1))
    peak, best = scores.argmax(), losses.mean(axis=1).argmin()
    behind = losses[: best + 1] - losses[best]
    error = behind.std(axis=1, ddof=1) / np.sqrt(len(y))
    fewest = int(np.argmax(behind.mean(axis=1) <= error))
    worth = scores - losses.mean(axis=1)
    auto = fewest if fewest > peak and worth[fewest] > worth[peak] else peak
    places = {"peak": peak, "accuracy": best, "one-se": fewest, "auto": auto}
    for rule, place in places.items():
        chosen_by = soft(size_rule=rule).fit(X, y)
        assert chosen_by.n_features_ == place + 1
        assert chosen_by.dependency_ == front[place].dependency


def test_noise_is_left_out_and_the_scale_is_known():
    X, y = made(n_noise=15)
    selector = soft(size_rule="peak").fit(X, y)
    assert np.flatnonzero(selector.support_).tolist() == [0, 1, 2]
    assert selector.chance_ == pytest.approx(1 / 3, abs=0.05)
    assert selector.full_dependency_ < selector.dependency_
    assert selector.dependency_ == SoftDependency(X, y).score([selector.support_])[0]
    assert selector.core_ is None
    assert selector.result_.certificate is None
    assert selector.ranking_[:3].tolist() == [1, 1, 1]
    order = [set(one.features) for one in selector.front_]
    later = [(order[k] - order[k - 1]).pop() for k in range(3, len(order))]
    assert [selector.ranking_[a] for a in later] == list(range(2, 2 + len(later)))


@pytest.mark.parametrize(
    ("parameters", "size"),
    [
        ({"n_features_to_select": 5}, 5),
        ({"must_include": [7, 8], "size_rule": "peak"}, 5),
        ({"must_include": [7], "n_features_to_select": 1}, 1),
        ({"exclude": [0, 1], "n_features_to_select": 2}, 2),
    ],
)
def test_constraints(parameters, size):
    selector = soft(**parameters).fit(*made())
    assert selector.n_features_ == size
    assert selector.support_[parameters.get("must_include", [])].all()
    assert not selector.support_[parameters.get("exclude", [])].any()
    assert Result.from_json(selector.record().to_json()) == selector.record()


@pytest.mark.parametrize("search", ["frogs", "genetic", "swarm", "quickreduct"])
def test_any_search_finds_the_peak(search):
    X, y = made(60, n_noise=2)
    selector = FeatureSelector(SoftDependency, search, random_state=0).fit(X, y)
    masks = (np.arange(1, 32)[:, None] >> np.arange(5) & 1).astype(bool)
    scores = SoftDependency(X, y).score(masks)
    if search == "quickreduct":
        selector = soft(size_rule="peak").fit(X, y)
    assert selector.dependency_ == scores.max()
    assert selector.support_.tolist() == masks[scores.argmax()].tolist()


def test_copies_are_left_out_and_named():
    X, y = made(n_noise=2)
    gaps = X.copy()
    gaps[:9, 1] = np.nan
    table = np.column_stack([gaps, 5 - 2.54 * gaps[:, 1], gaps[:, 0], np.ones(len(y))])
    selector = soft(n_features_to_select=3).fit(table, y)
    assert selector.copies_ == {5: 1, 6: 0}
    assert not selector.support_[5:].any()
    assert selector.record().excluded == (5, 6, 7)
    selector = soft(must_include=[6]).fit(table[:, [0, 2, 3, 4, 1, 7, 6]], y)
    assert selector.support_[6]
    assert not selector.support_[0]
    assert soft(n_features_to_select=7, copies="keep").fit(table, y).support_[:7].all()


def test_copied_labels_are_copies():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 80)
    X = np.column_stack([codes, 3 - codes, rng.integers(0, 4, 80)]).astype(float)
    selector = soft(categorical_features=[0, 1, 2]).fit(X, codes // 2)
    assert selector.copies_ == {1: 0}
    assert not selector.support_[1]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_stopped_run_is_resumed_bit_for_bit(limit, tmp_path):
    X, y = made()
    whole = soft().fit(X, y)
    file = tmp_path / "scores"
    n_heard = []

    def stop(moment):
        n_heard.append(moment.n_evaluations)
        return len(n_heard) == limit

    stopped = soft(checkpoint=file, callbacks=[stop]).fit(X, y)
    assert stopped.stop_reason_ == "callback"
    assert stopped.n_evaluations_ == n_heard[-1] < whole.n_evaluations_
    resumed = soft(checkpoint=file).fit(X, y)
    assert resumed.record().n_resumed == stopped.n_evaluations_
    assert resumed.front_ == whole.front_
    assert resumed.reducts_ == whole.reducts_
    with pytest.raises(ValueError, match="must come from the same run, got another one"):
        ReductSelector("quickreduct", random_state=0, checkpoint=file).fit(X, y)


def test_no_time_at_all_still_gives_an_answer():
    with pytest.warns(ConvergenceWarning, match="before it scored any subset"):
        selector = soft(max_seconds=1e-9).fit(*made())
    assert selector.support_.any()
    assert isinstance(Result.from_json(selector.record().to_json()).answer, SoftPath)


def test_a_callback_stops_it():
    seen = []

    def stop(moment):
        seen.append(moment)
        return len(seen) == 2

    selector = soft(callbacks=[stop]).fit(*made())
    assert (len(selector.front_), selector.stop_reason_) == (2, "callback")


def test_ctrl_c_keeps_the_best_so_far():
    def interrupted(moment):
        if moment.size == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(ConvergenceWarning, match="best subset so far"):
        selector = soft(callbacks=[interrupted]).fit(*made())
    assert selector.stop_reason_ == "interrupted"
    assert selector.n_features_ == 2


def test_some_samples_stand_for_all():
    X, y = made(400)
    selector = soft(sample=80).fit(X, y)
    assert selector.n_sampled_ == 80
    low, high = selector.dependency_interval_
    assert low <= SoftDependency(X, y).score([selector.support_])[0] <= high
    run = selector.record()
    assert run.sampling.n_sampled == 80
    assert Result.from_json(run.to_json()) == run


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"size_rule": "elbow"}, "size_rule must be one of 'auto', 'peak'"),
        ({"n_features_to_select": 99}, "n_features_to_select must be from 1 .* to 9 .* got 99"),
        ({"sample": 0}, "sample must be None or a whole number of at least 1"),
        ({"certify": True}, "certify"),  # parameters of the other doors
        ({"search": "frogs"}, "search"),
        ({"tnorm": "minimum"}, "tnorm"),
        ({"min_dependency": 0.9}, "min_dependency"),
        ({"ranking": "product"}, "ranking"),
        ({"missing": "different"}, "missing"),
        ({"max_evaluations": 5}, "max_evaluations"),
    ],
)
def test_what_cannot_be_says_why(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        soft().set_params(**parameters).fit(*made())


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"search": "exact"}, "search must be another one than 'exact' and 'front'"),
        ({"search": "front"}, "Proofs rest on a dependency that never falls"),
        ({"measure": "soft"}, "For the measures of this package, use SoftSelector"),
        ({"measure": None}, "measure must be a function that makes a measure of a Dataset"),
    ],
)
def test_what_cannot_be_with_a_custom_measure_says_why(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        FeatureSelector(SoftDependency).set_params(**parameters).fit(*made())


def test_a_size_that_is_given_needs_no_rule():
    selector = soft(size_rule="peak", n_features_to_select=2).fit(*made())
    assert selector.n_features_ == 2
    assert "size_rule is not used: n_features_to_select=2." in selector.record().notes


def test_explanations_are_about_neighborhoods():
    X, y = made()
    selector = soft(n_features_to_select=3).fit(X, y)
    measure = SoftDependency(X, y)
    explained = selector.explain(0)
    rest = selector.support_ & (np.arange(X.shape[1]) != 0)
    with_it, without = measure.memberships(selector.support_), measure.memberships(rest)
    assert explained.dependency == pytest.approx(selector.dependency_)
    assert explained.dependency_without == pytest.approx(without.mean())
    assert explained.n_affected == (with_it - without > 1e-12).sum()
    assert explained.kind == "membership"
    assert len(explained.examples) == 10
    worst = explained.examples[0]
    assert worst.sample == (with_it - without).argmax()
    assert worst.before == with_it[worst.sample]
    assert worst.after == without[worst.sample]
    assert y[worst.other] != y[worst.sample]
    assert "Samples whose neighborhood gets worse" in str(explained)
    assert f"{worst.before:.6f}" in str(explained)


def test_records_of_soft_runs():
    selector = soft().fit(load_dataset("wine"))
    run = selector.record()
    assert Result.from_json(run.to_json()) == run
    assert isinstance(run.answer, SoftPath)
    assert run.settings["search"] == "quickreduct"
    assert run.chance == selector.chance_
    assert [one.accuracy for one in run.front] == [one.accuracy for one in selector.front_]
    assert sorted(run.added) == sorted(run.front[-1].features)
    assert set(run.added[: len(run.selected)]) == set(run.selected)
    assert all(one.examples for one in run.explanations)
    assert all(one.membership < 0.5 for one in run.ambiguous)


def test_it_is_a_parameter_like_any_other():
    selector = clone(soft(size_rule="one-se"))
    assert selector.size_rule == "one-se"
    assert "measure" not in selector.get_params()
    assert FeatureSelector(Balanced).set_params(measure=SoftDependency).measure is SoftDependency


def worse():
    """Return a table whose strict reduct loses the one column that predicts."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    X = np.column_stack([y ^ (rng.random(300) < 0.1), *rng.normal(size=(6, 300))])
    return X, y


def test_a_strict_fit_warns_if_neighbors_get_worse():
    X, y = worse()
    with pytest.warns(
        PredictionWarning, match=r"soft dependency 0\.\d+ against 0\.\d+.*SoftSelector"
    ):
        ReductSelector(random_state=0, exclude=[], n_features_to_select=2, must_include=[3, 4]).fit(
            X, y
        )


@pytest.mark.parametrize(
    "selector", [SoftSelector(), ReductSelector(must_include=[0, 1, 2])], ids=repr
)
def test_no_warning_without_a_loss(selector):
    X, y = made(n_noise=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector.set_params(random_state=0).fit(X, y)


class Balanced:
    """A custom measure: the mean of the scores of single features, less their number."""

    def __init__(self, dataset):
        self.scores = np.arange(dataset.n_features) % 4

    def score(self, masks):
        return masks @ self.scores / masks.sum(axis=1) - 0.01 * masks.sum(axis=1)


@pytest.mark.parametrize("search", ["auto", "frogs", "genetic", "swarm"])
def test_a_custom_measure(search):
    X, y = made(n_noise=5)
    selector = FeatureSelector(Balanced, search, random_state=0).fit(X, y)
    assert selector.dependency_ == pytest.approx(2.99)
    assert selector.n_features_ == 1
    run = selector.record()
    assert isinstance(run.answer, Scored)
    assert run.answer.measure.endswith("Balanced")
    assert Result.from_json(run.to_json()) == run
    assert run.explanations[0].dependency_without == 0.0


def test_a_custom_measure_that_never_falls_asks_for_the_fewest():
    class Covering:
        is_monotone = True

        def __init__(self, dataset):
            self.n_features = dataset.n_features

        def score(self, masks):
            return np.minimum(masks[:, [2, 5]].sum(axis=1), 2) / 2

    X, y = made(n_noise=5)
    selector = FeatureSelector(Covering, "frogs", random_state=0).fit(X, y)
    assert np.flatnonzero(selector.support_).tolist() == [2, 5]
    assert selector.core_ == [2, 5]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda dataset: 3, r"measure must return an object with a method score\(masks\), got 3"),
        (lambda dataset: type("M", (), {"score": lambda self, m: 1.0})(), "got shape"),
        (
            lambda dataset: type("M", (), {"score": lambda self, m: [np.nan] * len(m)})(),
            "finite number for each subset",
        ),
    ],
)
def test_a_measure_that_is_none(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        FeatureSelector(make).fit(*made())


def test_each_part_that_draws_samples_has_a_random_sequence_of_its_own(monkeypatch):
    keys, inner = [], np.random.Philox

    def noted(key):
        keys.append(tuple(key))
        return inner(key=key)

    monkeypatch.setattr(np.random, "Philox", noted)
    X = np.random.default_rng(0).normal(size=(60, 3))
    strict = Dependency(X, X[:, 0] > 0, n_jobs=1)
    every = np.ones(3, bool)
    RowSample(strict, every, seed=0, n_rows=20)
    SampledDependency(strict, 20, seed=0)
    soft_comparison(strict.dataset, np.arange(3) < 1, every)
    assert len(keys) == 4  # the comparison draws its rows, and its measure the order of a race
    assert len(set(keys)) == 4


def test_copies_of_one_group_do_not_make_a_comparison_more_certain():
    rng = np.random.default_rng(0)
    X, some, every = rng.normal(size=(60, 3)), np.arange(3) < 1, np.ones(3, bool)
    once = make_dataset(X, X[:, 0] > 0)
    rows = np.repeat(np.arange(60), 4)
    again = replace(once.take(rows), groups=rows)
    errors = [soft_comparison(one, some, every)[2] for one in (once, again)]
    assert errors[1] == pytest.approx(errors[0], rel=0.05)


@pytest.mark.parametrize(("numeric", "n_samples", "seed"), [(False, 800, 5), (True, 400, 4)])
def test_noise_is_not_selected_for_a_lucky_size(numeric, n_samples, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 12))
    y = X[:, 0] + 0.5 * rng.normal(size=n_samples)
    y = y if numeric else y > 0
    assert soft(size_rule="one-se").fit(X, y).n_features_ > 1  # better by a standard error
    assert np.flatnonzero(soft().fit(X, y).support_).tolist() == [0]
