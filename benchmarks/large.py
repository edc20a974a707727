"""Many samples: one evaluation on synthetic data, 100,000 x 50 and 1,000,000 x 50.

Run: python benchmarks/large.py [samples ...]
"""

import sys
from functools import partial

from fuzzyfrog.measure import Dependency
from peers import scipy_tree_dependency, sklearn_dependency
from race import lap_text, machine, print_head, print_row, race, ratio_text
from workloads import divided_by_spread, gaussian_classes, random_subsets

SIZES = (3, 5, 8)
# Where a peer would need minutes it stays out: (peer, largest samples x features it is asked for)
PEERS = {
    "SciPy cKDTree, 2 workers": (scipy_tree_dependency, 5_000_000),
    "scikit-learn KDTree": (sklearn_dependency, 500_000),
}


def ask_us(mask, measure):
    """Return the dependency of one subset."""
    return measure.score(mask[None, :])[0]


def compare(X, y, measures, size, laps):
    """Return our best laps on one and two threads and of peers that can handle the size."""
    mask = random_subsets(X.shape[1], size, 1)[0]
    competitors = {
        n_jobs: (partial(lambda measure: measure, measure), partial(ask_us, mask))
        for n_jobs, measure in measures.items()
    }
    chosen = divided_by_spread(X[:, mask])
    for name, (dependency, limit) in PEERS.items():
        if len(y) * size <= limit:
            competitors[name] = (lambda: None, lambda _, ask=dependency: ask(chosen, y))
    return race(competitors, laps=laps)


def main(sizes):
    """Print the table: wall / CPU time of ours, and the peers as multiples of two threads."""
    print(machine(), "\n")
    print_head("samples", "classes", "features", "1 thread", "2 threads", *PEERS)
    for n_samples in sizes:
        for n_classes in (2, 5):
            X, y = gaussian_classes(n_samples, 50, n_classes)
            # Made once: it takes longer than an evaluation, and a measure remembers no score.
            measures = {n: Dependency(X, y, target="class", n_jobs=n) for n in (1, 2)}
            for size in SIZES:
                laps = compare(X, y, measures, size, laps=3)
                print_row(
                    f"{n_samples:,}",
                    n_classes,
                    size,
                    *(lap_text(laps[key]) for key in (1, 2)),
                    *(ratio_text(laps[p], laps[2]) if p in laps else "-" for p in PEERS),
                )


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [100_000, 1_000_000])
