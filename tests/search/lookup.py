"""Objectives for the tests: the dependency of every subset of a small table, looked up."""

import signal

import numpy as np

from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.search import Problem
from fuzzyfrog.search.protocol import Rows


def random_table(n_samples=40, n_features=7, seed=0):
    """Dependency of all subsets of a random table; subset i has the features of the bits of i."""
    rng = np.random.default_rng(seed)
    return dependency_table(
        rng.integers(0, 6, (n_samples, n_features)), rng.integers(0, 3, n_samples)
    )


def dependency_table(X, y):
    """Dependency of all subsets, by definition, on a grid on which sums are exact."""
    spread = X.std(axis=0, ddof=1)
    Z = np.rint(X / spread * 2**40) / 2**40
    apart = np.abs(Z[:, np.newaxis] - Z[np.newaxis])
    n_features = X.shape[1]
    base = np.where(y[:, np.newaxis] != y[np.newaxis], 0.0, np.inf)
    table = np.empty(2**n_features)

    def grow(feature, distance, index):
        if feature == n_features:
            table[index] = np.minimum(1, distance.min(axis=1)).mean()
            return
        grow(feature + 1, distance, index)
        grow(feature + 1, distance + apart[:, :, feature], index | 1 << feature)

    grow(0, base, 0)
    return table


def sizes_of(table):
    return np.array([index.bit_count() for index in range(len(table))])


class Lookup:
    """Scores from a table; it remembers what it was asked and rejects as early as it may."""

    def __init__(self, table):
        self.table = np.asarray(table)
        self.n_features = int(np.log2(len(table)))
        self.told = []  # index of every subset whose score was returned
        self.asked = []
        self.n_calls = 0

    def index(self, masks):
        return masks @ (1 << np.arange(self.n_features))

    def score(self, masks, at_least=None):
        self.n_calls += 1
        index = self.index(masks)
        scores = self.table[index]
        bars = np.broadcast_to(-np.inf if at_least is None else at_least, len(index))
        self.asked += index.tolist()
        self.told += index[scores >= bars].tolist()
        return np.where(scores >= bars, scores, -np.inf)

    def best(self, masks):
        return self.score(masks, self.table[self.index(masks)].max())

    def problem(self, **changes):
        settings = {
            "n_features": self.n_features,
            "n_cells": 40 * self.n_features,
            "full_score": float(self.table[-1]),
        }
        return Problem(**(settings | changes))


class Oracle:
    """Rows for a table of all subsets: a feature of what the largest broken subset lacks."""

    def __init__(self, objective, allowed):
        self.objective, self.allowed = objective, allowed
        self.n_calls, self.breaks_after = 0, np.inf

    def __call__(self, subset):
        self.n_calls += 1
        if self.n_calls == self.breaks_after + 1:
            signal.raise_signal(signal.SIGINT)
            stop_if_late()
        full = self.score(self.allowed)
        if self.score(subset) == full:
            return Rows.none(len(subset))
        largest = subset.copy()
        for feature in np.flatnonzero(self.allowed & ~subset):
            largest[feature] = True
            largest[feature] = self.score(largest) < full
        return Rows((self.allowed & ~largest).astype(float)[None], np.ones(1))

    def score(self, subset):
        return self.objective.table[self.objective.index(subset)]


def mask_of(n_features, *features):
    mask = np.zeros(n_features, dtype=bool)
    mask[list(features)] = True
    return mask


def masks(*subsets):
    """Subsets of the table that `random_table` makes by default."""
    return np.array([mask_of(7, *features) for features in subsets])


class Scripted:
    """A search that proposes given batches and keeps the answers."""

    def __init__(self, *batches):
        self.batches, self.answers = batches, []

    def get_params(self, deep=True):
        return {}

    def propose(self, problem, seed):
        return self._propose()

    def _propose(self):
        for batch in self.batches:
            self.answers.append((yield batch))


def plain(outcome):
    """All of an outcome as text, to compare two of them byte for byte."""
    return repr(
        (
            np.flatnonzero(outcome.subset).tolist(),
            outcome.score,
            [(np.flatnonzero(r.subset).tolist(), r.score, r.minimal) for r in outcome.reducts],
            [(p.size, p.score, np.flatnonzero(p.subset).tolist()) for p in outcome.front],
            outcome.feature_frequency.tolist(),
            outcome.history,
            outcome.n_evaluations,
            outcome.stop_reason,
        )
    )
