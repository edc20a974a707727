"""Whether a subset of a given size keeps the dependency of a data set, by linear relaxations.

The relaxation over all pairs of enemies is solved with those that its solutions break; at the end,
it breaks none. Branch and bound then takes the feature with the largest share, with it and without
it. At each node, the prices of the pairs prove a bound, which is computed again from the pairs
themselves (docs/theory.md#requirements), and leave out every feature that would cost too much. For
tables of classes; it is for wide ones whose relaxation is close, where `one_size.py` branches long.
Run: python benchmarks/relaxed_size.py micromass 15
"""

import argparse
from time import process_time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.requirements import Requirements
from fuzzyfrog_lab.catalog import load_dataset

MARGIN = 1e-6  # subtracted from a bound before it is compared, and from what pairs need
COVERED = 1.0 - 2.0 * MARGIN  # of what a pair needs: enough, with the tolerance of the solver
CELLS = 4_000_000  # pairs times features that are looked at together
FIRST, MORE = 600, 1500  # pairs to begin with, and those added after each relaxation
CLOSE = 1.2  # of what a pair needs: those to which the last relaxation gives less are kept


class Pairs:
    """All pairs of enemies: what each feature supplies of what the pair needs."""

    def __init__(self, measure):
        geometry = measure._geometry
        requirements = Requirements(measure, np.ones(measure.n_features, np.bool_))
        kept = requirements._kept - requirements._unseen
        ends = geometry.starts[np.searchsorted(geometry.starts, np.arange(len(kept)), "right")]
        others = [np.arange(end, len(kept)) for end in ends]
        self.one, self.other = np.repeat(range(len(kept)), len(kept) - ends), np.concatenate(others)
        self.needed = np.maximum(kept[self.one], kept[self.other])
        is_open = self.needed > 0.0
        self.one, self.other, self.needed = (
            part[is_open] for part in (self.one, self.other, self.needed)
        )
        self.Z = geometry.Z

    def rows(self, some):
        """Return the shares that the features supply, at most 1."""
        apart = np.abs(self.Z[self.one[some]] - self.Z[self.other[some]])
        apart[np.isnan(apart)] = 0.0
        return np.minimum(1.0, apart / self.needed[some, np.newaxis])

    def supplied(self, shares):
        """Return what all pairs get from shares of the features."""
        step = max(1, CELLS // self.Z.shape[1])
        parts = np.array_split(np.arange(len(self.one)), -(-len(self.one) // step))
        return np.concatenate([self.rows(part) @ shares for part in parts])


def relaxed(rows, fixed, free):
    """Return a proved bound, the shares of the free features, and what each costs beside it."""
    lacks = 1.0 - rows[:, fixed].sum(axis=1)
    is_open = lacks > 0.0
    if not is_open.any():
        return len(fixed), np.zeros(len(free)), np.ones(len(free))
    left = rows[np.ix_(is_open, free)] / lacks[is_open, np.newaxis]
    left = csr_array(np.minimum(1.0, left))
    if (left.sum(axis=1) < 1.0 - MARGIN).any():
        return np.inf, None, None
    needed = np.full(left.shape[0], 1.0 - MARGIN)
    solved = linprog(np.ones(len(free)), -left, -needed, bounds=(0.0, 1.0))
    prices = np.maximum(0.0, -solved.ineqlin.marginals)
    earned = prices @ left
    bound = prices.sum() - np.maximum(0.0, earned - 1.0).sum()
    return len(fixed) + bound - MARGIN, solved.x, np.maximum(0.0, 1.0 - earned)


def hardest(pairs):
    """Return the bound of all pairs, and the rows of those that the relaxation hardly covers."""
    n_features = pairs.Z.shape[1]
    chosen = np.argsort(pairs.supplied(np.ones(n_features)), kind="stable")[:FIRST]
    while True:
        rows = pairs.rows(chosen)
        bound, shares, _ = relaxed(rows, [], np.arange(n_features))
        supplied = pairs.supplied(shares)
        broken = np.flatnonzero(supplied < COVERED)
        if not len(broken):
            return bound, pairs.rows(np.flatnonzero(supplied < CLOSE))
        worst = broken[np.argsort(supplied[broken], kind="stable")[:MORE]]
        chosen = np.union1d(chosen[supplied[chosen] < CLOSE], worst)


def searched(pairs, rows, size):
    """Return a subset of a size that keeps the dependency, None if there is none, and the nodes."""
    branches, n_nodes = [([], np.arange(pairs.Z.shape[1]))], 0
    while branches:
        fixed, free = branches.pop()
        n_nodes += 1
        bound, shares, dearer = relaxed(rows, fixed, free)
        if bound > size:
            continue
        is_cheap = bound + dearer <= size
        free, shares = free[is_cheap], shares[is_cheap]
        parted = np.flatnonzero((shares > MARGIN) & (shares < 1.0 - MARGIN))
        if len(parted):
            place = parted[np.argmax(shares[parted])]
            others = np.delete(free, place)
            branches += [(fixed, others), ([*fixed, int(free[place])], others)]
            continue
        subset = np.zeros(pairs.Z.shape[1], np.bool_)
        subset[[*fixed, *free[shares > 0.5]]] = True
        broken = np.flatnonzero(pairs.supplied(subset) < COVERED)
        if not len(broken):
            return subset, n_nodes
        rows = np.vstack([rows, pairs.rows(broken[:MORE])])
        branches.append((fixed, free))
    return None, n_nodes


def main():
    """Search one size of one data set and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("size", type=int)
    options = parser.parse_args()
    start = process_time()
    measure = Dependency(load_dataset(options.data), n_jobs=1)
    pairs = Pairs(measure)
    bound, rows = hardest(pairs)
    ready = process_time() - start
    print(f"{options.data}: the relaxation of all pairs needs {bound:.4f} features.", flush=True)
    subset, n_nodes = searched(pairs, rows, options.size)
    answer = "no subset"
    if subset is not None:
        assert measure.score(subset[np.newaxis])[0] >= measure.full - measure.tolerance
        answer = f"features {np.flatnonzero(subset).tolist()}"
    print(
        f"{options.data}: {answer} of {options.size} features keeps the dependency. "
        f"{n_nodes:,} nodes, {process_time() - start:.0f} s of one core ({ready:.0f} s for all "
        "pairs)."
    )


if __name__ == "__main__":
    main()
