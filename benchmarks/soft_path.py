"""A greedy path by the soft dependency, next to other ways to rank features.

All figures are seconds by the clock with `--threads` threads (default: 2), so nothing else may run
on the machine. NumPy's element-wise operations and mRMR use one thread, whatever is allowed. The
whole fit includes reading the table, warnings about columns, the dependency of all features and the
accuracy of each step; the path alone is the search, which is all that the plain NumPy version
does, in float32 with one matrix of n x n sums. scikit-learn's SequentialFeatureSelector with five
nearest neighbors and five folds adds features one by one like ours; where it takes long, its time
is that of a model with the first, the middle and the last number of features, interpolated ("~"),
and divided by the threads, as if they shared the work perfectly. ReliefF is that of skrebate (on
PyPI); mRMR is written out below (F statistic over mean correlation), and far cheaper than these.
Run: python benchmarks/soft_path.py [--threads N] [data set or SAMPLESxFEATURES ...]; by default
all tables.
"""

import argparse
import warnings
from time import perf_counter

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector, f_classif
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from fuzzyfrog import SoftSelector
from fuzzyfrog.common.jit import compiling_all
from fuzzyfrog.measure import SoftDependency
from fuzzyfrog.measure.soft import WIDTHS
from fuzzyfrog.search import Problem, QuickReduct, run
from race import machine
from workloads import divided_by_spread, load, mixed_features

TABLES = (
    "sonar",
    "libras_movement",
    "urban_land_cover",
    "madelon",
    "digits",
    "20000x50",
    "300x20000",
)
STEPS, STEPS_WIDE = 20, 10
WIDE = 5_000  # features
MEASURED = 10.0  # seconds that a competitor may take; estimated to take longer, it is scaled up


def table(name):
    """Return values and classes of a data set, or of a made table such as 20000x50."""
    if "x" in name and name.replace("x", "").isdigit():
        n_samples, n_features = map(int, name.split("x"))
        return mixed_features(n_samples, n_features)
    return load(name)


def fitted(X, y, n_steps, n_jobs):
    """Return the path and the seconds of a whole fit."""
    selector = SoftSelector(n_features_to_select=n_steps, n_jobs=n_jobs, target="class")
    start = perf_counter()
    selector.fit(X, y)
    return [set(one.features) for one in selector.front_], perf_counter() - start


def searched(X, y, n_steps, n_jobs):
    """Return the seconds of the path alone."""
    measure = SoftDependency(X, y, n_jobs=n_jobs, target="class")
    problem = Problem(
        X.shape[1], X.size, 1.0, n_features_to_select=n_steps, is_monotone=False,
        tolerance=measure.tolerance,
    )  # fmt: skip
    start = perf_counter()
    run(QuickReduct(), measure, problem, seed=0)
    return perf_counter() - start


class NumPyPath:
    """The same path in plain NumPy, float32, all pairs at once."""

    def __init__(self, X, y):
        self.Z = divided_by_spread(X).astype(np.float32)
        self.same = (y[:, None] == y[None, :]).astype(np.float32)
        self.sums = np.zeros((len(y), len(y)), np.float32)
        self.chosen = []

    def score(self, feature):
        """Return the soft dependency with one more feature."""
        z = self.Z[:, feature]
        delta = (self.sums + np.abs(z[:, None] - z[None, :])) / np.float32(len(self.chosen) + 1)
        e = np.exp(-delta / np.float32(WIDTHS[-1]))
        np.fill_diagonal(e, 0.0)
        shares = 0.0
        for similar in (e, e * e, (e * e) ** 2):
            total = similar.sum(axis=1)
            shares = shares + np.divide(
                (similar * self.same).sum(axis=1), total, out=np.zeros_like(total), where=total > 0
            )
        return float(shares.mean()) / 3

    def step(self):
        """Add the best feature."""
        rest = [a for a in range(self.Z.shape[1]) if a not in self.chosen]
        best = rest[int(np.argmax([self.score(a) for a in rest]))]
        z = self.Z[:, best]
        self.sums += np.abs(z[:, None] - z[None, :])
        self.chosen.append(best)


def numpy_path(X, y, n_steps):
    """Return the path and the seconds; scaled up from single scores where it takes too long."""
    start = perf_counter()
    path = NumPyPath(X, y)
    path.score(0)
    path.score(0)
    once = (perf_counter() - start) / 2
    expected = once * sum(X.shape[1] - k for k in range(n_steps))
    if expected > MEASURED:
        return None, expected, True
    start = perf_counter()
    path = NumPyPath(X, y)
    for _ in range(n_steps):
        path.step()
    seconds = perf_counter() - start
    return [set(path.chosen[: k + 1]) for k in range(n_steps)], seconds, False


def sequential(X, y, n_steps, n_jobs):
    """Return the seconds of scikit-learn's SequentialFeatureSelector with 5-NN."""
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())

    def once(size):
        start = perf_counter()
        cross_val_score(model, X[:, :size], y, cv=5)
        return perf_counter() - start

    once(1)
    sizes = sorted({1, max(1, n_steps // 2), n_steps})
    measured = [once(size) for size in sizes]
    expected = sum((X.shape[1] - k) * np.interp(k + 1, sizes, measured) for k in range(n_steps))
    if expected / n_jobs > MEASURED:
        return expected / n_jobs, True
    search = SequentialFeatureSelector(model, n_features_to_select=n_steps, cv=5, n_jobs=n_jobs)
    start = perf_counter()
    search.fit(X, y)
    return perf_counter() - start, False


def relief(X, y, n_jobs):
    """Return the seconds of skrebate's ReliefF, None if it is not installed or too slow."""
    try:
        from skrebate import ReliefF
    except ImportError:
        return None
    if X.shape[0] ** 2 * X.shape[1] > 2e9:
        return None
    start = perf_counter()
    ReliefF(n_jobs=n_jobs).fit(np.asarray(X, np.float64), y)
    return perf_counter() - start


def mrmr(X, y, n_steps):
    """Return the seconds of mRMR by the F statistic over the mean correlation."""
    start = perf_counter()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        relevance = np.nan_to_num(f_classif(X, y)[0])
        Z = np.nan_to_num((X - X.mean(axis=0)) / X.std(axis=0)) / np.sqrt(len(X))
        chosen, redundancy = [int(relevance.argmax())], np.zeros(X.shape[1])
        while len(chosen) < n_steps:
            redundancy += np.abs(Z.T @ Z[:, chosen[-1]])
            scores = relevance / np.maximum(redundancy / len(chosen), 1e-3)
            scores[chosen] = -np.inf
            chosen.append(int(scores.argmax()))
    return perf_counter() - start


def shown(seconds, ours_, is_scaled=False):
    """Return seconds and how many times ours that is; "~" marks what was not run in full."""
    if seconds is None:
        return "-"
    mark = "~" if is_scaled else ""
    return f"{mark}{seconds:.3g} ({mark}{seconds / ours_:.3g}x)"


def main():
    """Print a row for each table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    n_jobs = asked.threads
    with compiling_all():
        fitted(*mixed_features(200, 12), 5, n_jobs)
    print(f"{machine()}, {n_jobs} threads")
    print(
        "\n| table | steps | fit, s | path, s | NumPy float32, to the path | same path "
        "| SFS with 5-NN, to the fit | ReliefF | mRMR |\n|---|---|---|---|---|---|---|---|---|"
    )
    for name in asked.tables:
        X, y = table(name)
        n_steps = min(X.shape[1] - 1, STEPS_WIDE if X.shape[1] >= WIDE else STEPS)
        path, seconds = fitted(X, y, n_steps, n_jobs)
        alone = searched(X, y, n_steps, n_jobs)
        plain, plain_seconds, is_scaled = numpy_path(X, y, n_steps)
        same = "-" if plain is None else ("yes" if plain == path else "no")
        with threadpool_limits(1):
            sfs, sfs_scaled = sequential(X, y, n_steps, n_jobs)
            cheap = mrmr(X, y, n_steps)
        reliefs = relief(X, y, n_jobs)
        cells = [
            f"{name} {X.shape[0]:,} x {X.shape[1]:,}", str(n_steps), f"{seconds:.3g}",
            f"{alone:.3g}", shown(plain_seconds, alone, is_scaled), same,
            shown(sfs, seconds, sfs_scaled), shown(reliefs, seconds), shown(cheap, seconds),
        ]  # fmt: skip
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
