"""Tables, subsets and measures on clusters, for the tests of this folder."""

import time

import numpy as np

from fuzzyfrog.cluster import ClusterMeasure
from fuzzyfrog.cluster.measure import Copies, Sharded
from fuzzyfrog.measure import Dependency

NEVER = -np.inf


def made_table(kind="class", n_samples=150, seed=0):
    """Return seven features with ties, labels, gaps and a constant, and a target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 7))
    X[:, 1] = rng.integers(0, 4, n_samples)  # categorical
    X[:, 2] = rng.integers(-8, 9, n_samples) / 4.0
    X[:, 3] = 0.1
    X[rng.random(X.shape) < 0.05] = np.nan
    X[10:20] = X[:10]  # the same samples, whatever their targets are
    y = rng.integers(0, 3, n_samples) if kind == "class" else rng.normal(size=n_samples)
    return X, y


def made_measure(kind="class", tnorm="lukasiewicz", missing="similar", n_samples=150):
    """Return the measure of such a table."""
    X, y = made_table(kind, n_samples)
    return Dependency(
        X, y, tnorm=tnorm, missing=missing, target=kind, categorical_features=[1], n_jobs=1
    )


def made_subsets(n_features=7, count=21, seed=1):
    """Return subsets of all sizes, the empty and the full one among them."""
    rng = np.random.default_rng(seed)
    masks = rng.random((count, n_features)) < rng.random((count, 1))
    masks[0], masks[1] = False, True
    return masks


def steps(n_features=7, base=(0,)):
    """Return the subsets that extend one by a feature each."""
    masks = np.zeros((n_features - len(base), n_features), bool)
    masks[:, list(base)] = True
    masks[np.arange(len(masks)), np.setdiff1d(np.arange(n_features), base)] = True
    return masks


def on(client, measure, layout):
    """Return a measure that sends every batch; the layout is "copies" or a number of shards."""
    chosen = Copies(client, measure) if layout == "copies" else Sharded(client, measure, layout)
    return ClusterMeasure(measure, chosen, empty_round=0.0)


def wait_until(is_so):
    """Wait for what a scheduler does once it has heard of it, which is later than the client."""
    end = time.monotonic() + 100
    while not is_so():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def same_bytes(a, b):
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def agree(far, near, masks):
    """Check that two measures give the same bits, whatever they are asked."""
    scores = near.score(masks)
    assert same_bytes(far.score(masks), scores)
    bars = np.resize([np.nextafter(scores[3], 2.0), 0.0, scores.max()], len(masks))
    assert same_bytes(far.score(masks, bars), np.where(scores < bars, NEVER, scores))
    assert same_bytes(far.best(masks), near.best(masks))


class Simple:
    """A custom measure, where workers can import it."""

    def __init__(self, dataset):
        spread = np.nanstd(dataset.values, axis=0)
        between = [
            np.nanmean(dataset.values[dataset.target == one], axis=0)
            for one in np.unique(dataset.target)
        ]
        self.gain = np.nanstd(between, axis=0) / spread

    def score(self, masks):
        return np.sqrt(masks @ self.gain**2) - 0.2 * masks.sum(axis=1)
