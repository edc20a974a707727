"""QuickReduct: add the best feature until the dependency of all features is reached.

fuzzy-rough-learn (extra `bench`) takes part where its tensor of n x n x features numbers fits. It
divides by the standard deviation with n, not n - 1, so its own dependencies differ a little; the
check is that the subset it finds has the full dependency under our measure too.
Run: python benchmarks/quickreduct.py [data set ...]
"""

import sys
from functools import partial

import numpy as np

from fuzzyfrog.measure import Dependency
from peers import frlearn_bytes, frlearn_reduct
from race import machine, print_head, print_row, race, ratio_text, seconds
from workloads import gaussian_classes, load

WITH_FRLEARN = ("wine", "sonar", "ionosphere", "lsvt_voice_rehab", "arrhythmia")
WITHOUT = ("molecular_biology", "madelon", "micromass", "coil_2000", "cnae_9")
FRLEARN_LIMIT = 2**29  # bytes of its tensor; temporaries take several times as much


def greedy_reduct(measure):
    """Return the subset to which greedy addition leads; the first feature wins a tie."""
    chosen = np.zeros(measure.n_features, dtype=bool)
    reached = -1.0
    while reached < measure.full:
        masks = chosen | np.eye(measure.n_features, dtype=bool)[~chosen]
        scores = measure.best(masks)
        chosen, reached = masks[np.argmax(scores)], scores.max()
    return chosen


def compile_kernels():
    """Take the ways of small and of larger tables once, so that no lap waits for the compiler."""
    for n_samples in (60, 800):
        greedy_reduct(Dependency(*gaussian_classes(n_samples, 6), n_jobs=2))


class Recorder:
    """Keeps the subset a competitor found and answers with its dependency, for the check."""

    def __init__(self, find, judge):
        self.find, self.judge, self.subset, self.answer = find, judge, None, None

    def __call__(self, ready):
        """Find the subset; it is judged when it is a new one, that is in the warm-up."""
        found = self.find(ready)
        if self.subset is None or not np.array_equal(found, self.subset):
            self.subset, self.answer = found, self.judge.score(found[None, :])[0]
        return self.answer


def compare(X, y):
    """Return the laps and the subsets of the competitors that fit in memory."""
    judge = Dependency(X, y, target="class")
    ours = Recorder(greedy_reduct, judge)
    prepare = partial(Dependency, X, y, target="class", n_jobs=2)
    competitors = {"fuzzyfrog": (prepare, ours)}
    recorders = {"fuzzyfrog": ours}
    if frlearn_bytes(X) <= FRLEARN_LIMIT:
        theirs = Recorder(lambda _: frlearn_reduct(X, y), judge)
        competitors["FRFS"], recorders["FRFS"] = (lambda: None, theirs), theirs
    laps = race(competitors, laps=10)
    return laps, {name: recorder.subset for name, recorder in recorders.items()}


def frfs_cells(laps, subsets, X):
    """Return the ratio to FRFS and whether it chose the same features, or why it did not run."""
    if "FRFS" not in laps:
        return f"needs {frlearn_bytes(X) / 1e9:.0f} GB and more", "-"
    same = np.array_equal(subsets["FRFS"], subsets["fuzzyfrog"])
    other = f"no, {subsets['FRFS'].sum()} features"
    return ratio_text(laps["FRFS"], laps["fuzzyfrog"]), "yes" if same else other


def main(names):
    """Print the table: our wall time on two threads, the size reached, and FRFS next to it."""
    print(machine(), "\n")
    compile_kernels()
    print_head("data", "selected", "fuzzyfrog", "FRFS", "same features")
    for name in names:
        X, y = load(name)
        laps, subsets = compare(X, y)
        selected = int(subsets["fuzzyfrog"].sum())
        print_row(name, selected, seconds(laps["fuzzyfrog"].wall), *frfs_cells(laps, subsets, X))


if __name__ == "__main__":
    main(sys.argv[1:] or (*WITH_FRLEARN, *WITHOUT))
