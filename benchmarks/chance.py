"""How often a check says "no better than chance" on pure noise, and on real tables.

Run: python benchmarks/chance.py [seeds]
"""

import sys
import warnings

import numpy as np

from fuzzyfrog import ReductSelector, SoftSelector, check, load_dataset
from race import print_head, print_row

SHAPES = ((60, 20), (60, 500), (60, 2_000), (300, 50))
SELECTORS = {
    "soft": SoftSelector(random_state=0),
    "reducts": ReductSelector("quickreduct", random_state=0),
}


def noise(n_samples, n_features, seed):
    """Return normal columns and two classes of the same size that none of them predicts."""
    random = np.random.default_rng([seed, n_samples, n_features])
    return random.normal(size=(n_samples, n_features)), random.permutation(n_samples) % 2


def main(n_seeds="20"):
    """Print how often the check says chance."""
    warnings.simplefilter("ignore")
    seeds = range(int(n_seeds))
    print_head("table", "selector", "no better than chance")
    for n_samples, n_features in SHAPES:
        for name, selector in SELECTORS.items():
            found = [check(selector, *noise(n_samples, n_features, seed)) for seed in seeds]
            n_chance = sum(not one.is_better_than_chance for one in found)
            print_row(f"noise, {n_samples} x {n_features}", name, f"{n_chance} of {len(seeds)}")
    for table in ("iris", "wine", "breast_cancer"):
        for name, selector in SELECTORS.items():
            found = [check(selector, load_dataset(table), seed=seed) for seed in seeds]
            n_chance = sum(not one.is_better_than_chance for one in found)
            print_row(table, name, f"{n_chance} of {len(seeds)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
