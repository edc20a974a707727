"""A population: 900 subsets of bell-shaped sizes in one batch.

`cdist` would need minutes for some, so it is timed on every 30th subset and multiplied by 30.
Run: python benchmarks/population.py [data set ...]
"""

import sys
from functools import partial

from peers import cdist_dependency
from race import lap_text, machine, print_head, print_row, race
from workloads import PAPER_SIX, bell_shaped_subsets, divided_by_spread, load, ready_measure

EVERY = 30


def whole_batch(masks, measure):
    """Score all subsets; answer with those that `cdist` scores, for the check."""
    return measure.score(masks)[::EVERY]


def sampled(Z, y, masks, _):
    """Return the dependency of every 30th subset."""
    return [cdist_dependency(Z[:, mask], y) for mask in masks[::EVERY]]


def compare(X, y):
    """Return the best laps, the one of `cdist` extrapolated to the whole batch."""
    masks, Z = bell_shaped_subsets(X.shape[1]), divided_by_spread(X)
    competitors = {
        n_jobs: (
            partial(ready_measure, X, y, n_jobs),
            partial(whole_batch, masks),
        )
        for n_jobs in (1, 2)
    }
    competitors["cdist"] = (lambda: None, partial(sampled, Z, y, masks))
    laps = race(competitors, laps=3)
    laps["cdist"] = laps["cdist"].times(len(masks) / len(masks[::EVERY]))
    return laps, len(masks)


def main(names):
    """Print the table: wall / CPU time of the batch, subsets per second, ratio to `cdist`."""
    print(machine(), "\n")
    print_head("data", "1 thread", "2 threads", "subsets/s", f"cdist (from 1 in {EVERY})", "ratio")
    for name in names:
        laps, n_subsets = compare(*load(name))
        print_row(
            name,
            *(lap_text(laps[key]) for key in (1, 2)),
            f"{n_subsets / laps[2].wall:,.0f}",
            lap_text(laps["cdist"]),
            f"**{laps['cdist'].wall / laps[2].wall:.3g}×**",
        )


if __name__ == "__main__":
    main(sys.argv[1:] or PAPER_SIX)
