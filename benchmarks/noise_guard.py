"""How often the noise guard fails on pure noise and on informative tables.

Run: python benchmarks/noise_guard.py [strict or soft]
"""

import sys
import warnings
from functools import partial

import numpy as np
import pandas as pd

from fuzzyfrog import ReductSelector, SoftSelector
from fuzzyfrog.data import make_dataset
from fuzzyfrog.select.choosers import noise_guard
from race import print_head, print_row

KINDS = ("continuous", "heavy-tailed", "0/1", "categories", "mixed, gaps")
SIZES = ((100, 8), (100, 20), (300, 12))
# Others served to choose the share at which it fails: 0 to 39 (strict), 100 to 139 (soft).
SEEDS = {"strict": range(100, 140), "soft": range(200, 240)}


def column(kind, n_samples, random, place):
    """Return a column as users have it, and the same as centered numbers."""
    if kind == "mixed, gaps":
        values, worth = column(KINDS[place % 4], n_samples, random, place)
        return values.where(random.random(n_samples) > 0.1), worth
    if kind == "continuous":
        values = random.normal(size=n_samples)
        return pd.Series(values), values
    if kind == "heavy-tailed":
        values = random.standard_cauchy(n_samples)
        return pd.Series(values), np.arctan(values)
    if kind == "0/1":
        values = random.integers(0, 2, n_samples)
        return pd.Series(values, dtype=float), 2.0 * values - 1
    values = random.integers(0, 4, n_samples)
    return pd.Series(np.array(list("abcd"))[values]), np.array([-1.3, -0.4, 0.4, 1.3])[values]


def table(kind, n_samples, n_features, seed, *, is_noise):
    """Return a table with two classes: told by the first three columns, or by none."""
    random = np.random.default_rng([seed, n_samples, n_features, KINDS.index(kind)])
    made = [column(kind, n_samples, random, place) for place in range(n_features)]
    worth = sum(one for _, one in made[:3]) + 0.3 * random.normal(size=n_samples)
    if is_noise:
        worth = random.normal(size=n_samples)
    frame = pd.DataFrame({f"x{place}": one for place, (one, _) in enumerate(made)})
    return make_dataset(frame, np.where(worth > np.median(worth), "yes", "no"))


def guard(settings, dataset, seed):
    """Return the noise guard of all columns."""
    return noise_guard(settings, dataset, np.ones(dataset.n_features, bool), seed)


def main(measure="strict"):
    """Print for each kind how often the guard fails."""
    warnings.simplefilter("ignore")
    selector = {"strict": ReductSelector("quickreduct"), "soft": SoftSelector()}[measure]
    settings = selector.set_params(random_state=0).settings()
    found_on, seeds = partial(guard, settings), SEEDS[measure]
    print_head(
        "columns", "samples x columns", "noise: fails", "random", "informative: fails", "random"
    )
    for kind in KINDS:
        for n_samples, n_features in SIZES:
            cells = []
            for is_noise in (True, False):
                found = [
                    found_on(table(kind, n_samples, n_features, seed, is_noise=is_noise), seed)
                    for seed in seeds
                ]
                share = sum(one.n_random for one in found) / sum(one.n_taken for one in found)
                cells += [f"{sum(one.fails for one in found)} of {len(seeds)}", f"{share:.0%}"]
            print_row(kind, f"{n_samples} x {n_features}", *cells)


if __name__ == "__main__":
    main(*sys.argv[1:])
