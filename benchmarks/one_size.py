"""Whether a subset of a given size keeps the dependency of a data set, by its hardest pairs first.

Of k features that keep it, one supplies at least a k-th of what a pair of enemies needs. The fewer
features do, the harder the pair. A proof of the package learns the pairs that matter on its way;
here the hardest of all pairs are rows of branch and bound from the start, and covers that break
other pairs still lead to more rows. If no cover is left, no subset of this size keeps it.
Run: python benchmarks/one_size.py arcene 3 [--rows 1500]
"""

import argparse
from time import process_time

import numpy as np

from fuzzyfrog.measure import Dependency
from fuzzyfrog.measure.requirements import Requirements
from fuzzyfrog.search.covering.search import CoverSearch
from fuzzyfrog.search.protocol import Rows
from fuzzyfrog_lab.catalog import load_dataset

NODES_AT_ONCE = 100_000
COVERS_AT_ONCE = 8


def hardest_pairs(measure, kept, size, n_rows):
    """Return the pairs of enemies for which the fewest features supply their part."""
    geometry = measure._geometry
    ends = geometry.starts[np.searchsorted(geometry.starts, np.arange(len(kept)), "right")]
    n_able, pairs = np.empty(0, np.int64), np.empty((0, 2), np.int64)
    for i, end in enumerate(ends):
        others = np.arange(end, len(kept))
        needed = np.maximum(kept[i], kept[others])
        others, needed = others[needed > 0.0], needed[needed > 0.0]
        apart = np.abs(geometry.Z[others] - geometry.Z[i])  # NaN, a gap, supplies nothing
        n_able = np.append(n_able, (apart >= needed[:, np.newaxis] / size).sum(axis=1))
        pairs = np.append(pairs, np.column_stack([np.full(len(others), i), others]), axis=0)
        best = np.argsort(n_able, kind="stable")[:n_rows]
        n_able, pairs = n_able[best], pairs[best]
    return pairs.T


def begun(measure, size, n_rows):
    """Return the requirements of a table of classes, and a search that knows the hardest."""
    every = np.ones(measure.n_features, np.bool_)
    requirements = Requirements(measure, every)
    kept = requirements._kept - requirements._unseen
    one, other = hardest_pairs(measure, kept, size, n_rows)
    rows = Rows(*requirements.rows(~every, one, other, np.maximum(kept[one], kept[other])))
    return requirements, CoverSearch(rows, size, fixed=~every, allowed=every)


def first_reduct(requirements, search):
    """Return a subset that keeps the dependency, None if there is none, and the nodes visited."""
    n_nodes = 0
    while not search.is_exhausted:
        found = search.advance(NODES_AT_ONCE, COVERS_AT_ONCE)
        n_nodes += found.n_nodes
        learned = []
        for cover in found.covers:
            if all(rows.covered_by(cover) for rows in learned):
                learned.append(Rows(*requirements.broken(cover)))
                if not len(learned[-1]):
                    return cover, n_nodes
        for rows in learned:
            search.add(rows)
    return None, n_nodes


def main():
    """Search one size of one data set and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("size", type=int)
    parser.add_argument("--rows", type=int, default=4000, help="hardest pairs to start with")
    options = parser.parse_args()
    measure = Dependency(load_dataset(options.data), n_jobs=1)
    start = process_time()
    requirements, search = begun(measure, options.size, options.rows)
    ranked = process_time() - start
    reduct, n_nodes = first_reduct(requirements, search)
    answer = "no subset" if reduct is None else f"features {np.flatnonzero(reduct).tolist()}"
    print(
        f"{options.data}: {answer} of {options.size} features keeps the dependency. "
        f"{n_nodes:,} nodes, {process_time() - start:.0f} s of one core ({ranked:.0f} s to rank "
        "the pairs)."
    )


if __name__ == "__main__":
    main()
