"""Numeric targets: where the tree takes over from the scan, and how the cost grows.

CPU milliseconds of one evaluation on one thread, the best of several laps, next to those of two
classes (the target above its median) on the same samples. Then QuickReduct on the largest table.
Run: python benchmarks/numeric_target.py [samples ...]
"""

import sys
from functools import partial

import numpy as np

from fuzzyfrog.measure import Dependency
from quickreduct import greedy_reduct
from race import lap_text, machine, one_lap, print_head, print_row, race

N_FEATURES = 10
SIZES = (1, 3, 5, N_FEATURES)
MOST_SCANNED = 50_000  # samples; beyond, the scan of every pair takes too long to wait for


def noisy_sum(n_samples, seed=0):
    """Return Gaussian features, and the sum of two of them with noise as target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, N_FEATURES))
    return X, X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n_samples)


def ask(mask, measure):
    """Return the dependency of one subset."""
    return measure.score(mask[np.newaxis])[0]


def compare(X, y, size):
    """Return CPU milliseconds of the scan, the tree and the tree of two classes."""
    mask = np.arange(N_FEATURES) < size
    numeric = partial(Dependency, X, y, target="numeric", n_jobs=1)
    engines = ("scan", "tree") if len(y) <= MOST_SCANNED else ("tree",)
    ready = {engine: numeric(engine=engine) for engine in engines}
    laps = race({name: (partial(ready.get, name), partial(ask, mask)) for name in ready}, laps=4)
    classes = Dependency(X, y > np.median(y), target="class", n_jobs=1)
    laps |= race({"classes": (lambda: classes, partial(ask, mask))}, laps=4)
    return " / ".join(
        f"{1e3 * laps[name].cpu:,.3g}" if name in laps else "-"
        for name in ("scan", "tree", "classes")
    )


def main(sizes):
    """Print both tables."""
    print(machine(), "\n")
    print_head("samples", *(f"{size} features" for size in SIZES))
    for size in (1, 3):  # compiles
        compare(*noisy_sum(300), size)
    for n_samples in sizes:
        X, y = noisy_sum(n_samples)
        print_row(f"{n_samples:,}", *(compare(X, y, size) for size in SIZES))
    print()
    print_head("QuickReduct", "numeric", "two classes")
    X, y = noisy_sum(max(sizes))
    targets = (("numeric", y), ("class", y > np.median(y)))
    laps = [one_lap(partial(Dependency, X, t, target=kind), greedy_reduct) for kind, t in targets]
    print_row(f"{len(y):,}", *(f"{found.sum()} features, {lap_text(lap)}" for found, lap in laps))


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [1_000, 2_000, 4_000, 10_000, 50_000])
