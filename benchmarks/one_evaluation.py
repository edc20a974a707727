"""One evaluation: the dependency of a single subset.

Three random subsets of 5 features and of half of the features, one call each; times are per
call. Run: python benchmarks/one_evaluation.py [data set ...]
"""

import sys
from functools import partial

import peers
from race import lap_text, machine, print_head, print_row, race
from workloads import PAPER_SIX, divided_by_spread, load, random_subsets, ready_measure

N_SUBSETS = 3
PEERS = {
    "cdist": peers.cdist_dependency,
    "NumPy row loop": peers.numpy_dependency,
    "scikit-learn KDTree": peers.sklearn_dependency,
}


def ask_peer(dependency, Z, y, masks, _):
    """Return the dependency of each subset."""
    return [dependency(Z[:, mask], y) for mask in masks]


def ask_us(masks, measure):
    """Return the same, one call for each subset."""
    return [measure.score(mask[None, :])[0] for mask in masks]


def compare(X, y, size):
    """Return the best lap of ours on one and two threads and of the peers."""
    masks = random_subsets(X.shape[1], size, N_SUBSETS)
    Z = divided_by_spread(X)
    competitors = {
        f"fuzzyfrog {n_jobs}": (
            partial(ready_measure, X, y, n_jobs),
            partial(ask_us, masks),
        )
        for n_jobs in (1, 2)
    }
    for name, dependency in PEERS.items():
        competitors[name] = (lambda: None, partial(ask_peer, dependency, Z, y, masks))
    return race(competitors)


def main(names):
    """Print the table: wall / CPU time per call, and peers as multiples of two threads."""
    print(machine(), "\n")
    print_head("data", "n", "features", "1 thread", "2 threads", *PEERS)
    for name in names:
        X, y = load(name)
        for size in (5, X.shape[1] // 2):
            laps = compare(X, y, size)
            ours = laps["fuzzyfrog 1"], laps["fuzzyfrog 2"]
            print_row(
                name,
                len(y),
                size,
                *(lap_text(lap.times(1 / N_SUBSETS)) for lap in ours),
                *(f"**{laps[peer].wall / ours[1].wall:.3g}×**" for peer in PEERS),
            )


if __name__ == "__main__":
    main(sys.argv[1:] or PAPER_SIX)
