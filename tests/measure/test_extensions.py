"""The best extension, against the scores of all of them, along whole greedy paths."""

import threading

import numpy as np
import pytest

from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.dependency import SubsetScores
from fuzzyfrog.measure.greedy import Witnesses
from fuzzyfrog.measure.tree import TreeEngine
from measure_cases import TNORMS
from strategies import JIT_IS_OFF

pytestmark = pytest.mark.usefixtures("no_table_is_small")


def copies_with_noise(n_samples, n_originals, n_copies, seed):
    """Return features that are nearly alike, so that the best extensions are close together."""
    rng = np.random.default_rng(seed)
    n_samples = n_samples // 3 if JIT_IS_OFF else n_samples
    originals = rng.normal(size=(n_samples, n_originals))
    X = np.repeat(originals, n_copies, axis=1)
    X += rng.normal(scale=0.05, size=X.shape)
    X[:, ::7] = np.round(X[:, ::7])  # ties
    return X, originals


def extensions(base):
    added = np.flatnonzero(~base)
    masks = np.repeat(base[np.newaxis], len(added), axis=0)
    masks[np.arange(len(added)), added] = True
    return masks


def greedy_steps(measure, n_steps):
    """Follow a greedy path; check at each step that `best` returns exactly the best scores."""
    base = np.zeros(measure.n_features, dtype=bool)
    for _ in range(n_steps):
        masks = extensions(base)
        scores = measure.score(masks)
        expected = np.where(scores == scores.max(), scores, -np.inf)
        np.testing.assert_array_equal(measure.best(masks), expected)
        base = masks[np.argmax(scores)]
    return base


@pytest.mark.parametrize("tnorm", TNORMS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_best_extensions_of_classes(tnorm, n_jobs):
    X, originals = copies_with_noise(150, 5, 8, seed=1)
    y = (originals[:, 0] + originals[:, 1] > 0) * 1 + (originals[:, 2] > 0.5)
    greedy_steps(Dependency(X, y, tnorm=tnorm, n_jobs=n_jobs), n_steps=6)


def test_best_extensions_of_a_numeric_target():
    X, originals = copies_with_noise(100, 4, 6, seed=2)
    y = originals[:, 0] * 3 + originals[:, 1]
    greedy_steps(Dependency(X, y, target="numeric"), n_steps=5)


def test_best_extensions_with_gaps_and_categorical_features():
    X, originals = copies_with_noise(120, 4, 6, seed=3)
    X[::5, ::3] = np.nan
    X[:, -3:] = np.arange(X[:, -3:].size).reshape(-1, 3) % 5
    y = originals[:, 0] > 0
    measure = Dependency(X, y, categorical_features=[21, 22, 23])
    greedy_steps(measure, n_steps=6)


def test_one_path_does_not_mislead_another():
    """What is known of a base must not be used for one that has nothing to do with it."""
    X, originals = copies_with_noise(150, 5, 8, seed=4)
    measure = Dependency(X, originals[:, 0] + originals[:, 1] > 0)
    greedy_steps(measure, n_steps=5)
    base = np.zeros(measure.n_features, dtype=bool)
    base[[13, 29]] = True
    masks = extensions(base)
    scores = measure.score(masks)
    np.testing.assert_array_equal(
        measure.best(masks), np.where(scores == scores.max(), scores, -np.inf)
    )


def test_most_extensions_are_never_scored(monkeypatch):
    scored = []
    remember = Witnesses.remember
    monkeypatch.setattr(
        Witnesses, "remember", lambda self, *found: scored.append(1) or remember(self, *found)
    )
    X, originals = copies_with_noise(200, 6, 20, seed=6)
    measure = Dependency(X, originals[:, 0] + originals[:, 1] > 0, n_jobs=1)
    base = np.zeros(measure.n_features, dtype=bool)
    for _ in range(4):
        masks = extensions(base)
        base = masks[np.argmax(measure.best(masks))]
    assert len(scored) < 2 * measure.n_features  # of four times as many


@pytest.mark.usefixtures("every_table_is_huge")
def test_best_extensions_by_trees(monkeypatch):
    used = []
    nearest = TreeEngine.nearest
    monkeypatch.setattr(
        TreeEngine, "nearest", lambda self, *args: used.append(1) or nearest(self, *args)
    )
    X, originals = copies_with_noise(200, 4, 5, seed=7)
    greedy_steps(Dependency(X, originals[:, 0] + originals[:, 1] > 0, n_jobs=2), n_steps=4)
    assert used


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_two_callers_at_once_do_not_disturb_each_other(n_jobs):
    X, originals = copies_with_noise(150, 5, 8, seed=8)
    measure = Dependency(X, originals[:, 0] + originals[:, 1] > 0, n_jobs=n_jobs)
    bases = np.zeros((2, measure.n_features), dtype=bool)
    bases[0, [3, 17]], bases[1, [8, 30]] = True, True
    expected = [measure.best(extensions(base)).tobytes() for base in bases]
    wrong = []

    def ask(which):
        answers = [measure.best(extensions(bases[which])).tobytes() for _ in range(15)]
        wrong.extend(answer for answer in answers if answer != expected[which])

    callers = [threading.Thread(target=ask, args=(which,)) for which in (0, 1)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_samples_that_are_sure_are_not_looked_at_again(monkeypatch):
    asked = []
    on = SubsetScores._on
    monkeypatch.setattr(
        SubsetScores, "_on", lambda self, part: asked.append(part.size) or on(self, part)
    )
    rng = np.random.default_rng(9)
    measure = Dependency(rng.normal(size=(300, 9)), rng.integers(0, 3, 300), n_jobs=2)
    greedy_steps(measure, n_steps=9)
    assert asked == sorted(asked, reverse=True)
    assert any(0 < n_unsure < 150 for n_unsure in asked)
    assert asked[-1] == 0  # in the end all are sure
