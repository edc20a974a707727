"""A Dask cluster next to one machine: what a round costs, and what it gains.

Two workers with a thread each, on this machine: they share its two cores with the scheduler and
the client, so that a cluster cannot win here; what can be read off is what it adds.
Run: python benchmarks/cluster.py [subsets in a batch ...]
"""

import sys

from distributed import Client, LocalCluster

from fuzzyfrog.cluster import ClusterMeasure
from fuzzyfrog.cluster.measure import Copies, Sharded
from race import lap_text, machine, print_head, print_row, race, seconds
from workloads import bell_shaped_subsets, gaussian_classes, ready_measure

TABLES = {"60 x 40 (no work)": (60, 40), "5,000 x 40": (5_000, 40)}


def scoring(measure, masks):
    """Return a competitor that scores a batch with a prepared measure."""
    return lambda: measure, lambda ready: ready.score(masks)


def on_two_workers(client, X, y):
    """Return measures that send every batch: copies of the table, and three shards of it."""
    measure = ready_measure(X, y, 1)
    layouts = {"copies": Copies(client, measure), "3 shards": Sharded(client, measure, 3)}
    found = {
        name: ClusterMeasure(measure, layout, empty_round=0.0) for name, layout in layouts.items()
    }
    for far in found.values():  # the workers load their kernels
        far.score(bell_shaped_subsets(X.shape[1], 40))
    return found


def compare(client, shape, counts):
    """Print one row for each size of a batch."""
    X, y = gaussian_classes(*TABLES[shape])
    measures = {
        "1 thread": ready_measure(X, y, 1),
        "2 threads": ready_measure(X, y, 2),
        **on_two_workers(client, X, y),
    }
    for count in counts:
        masks = bell_shaped_subsets(X.shape[1], count)
        laps = race({name: scoring(measure, masks) for name, measure in measures.items()})
        print_row(
            shape,
            f"{count:,}",
            *(lap_text(lap) for lap in laps.values()),
            seconds(laps["copies"].wall / count),
            f"{count / laps['2 threads'].wall:,.0f} / {count / laps['copies'].wall:,.0f}",
        )


def main(counts):
    """Print the table: wall / CPU of this process for a batch; the workers' CPU is not in it."""
    print(machine(), "\n")
    print_head(
        "table", "subsets", "1 thread", "2 threads", "cluster, copies", "cluster, 3 shards",
        "copies, a subset", "subsets/s, 2 threads / copies",
    )  # fmt: skip
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **settings) as cluster, Client(cluster) as client:
        for shape in TABLES:
            compare(client, shape, counts)


if __name__ == "__main__":
    main([int(count) for count in sys.argv[1:]] or [1, 10, 100, 900])
