"""The kernel alone: pair-features per second when nothing can be pruned.

One pair-feature is one difference of two samples on one feature, joined to their distance. The
values lie so close together that no pair can be dropped: every feature of every pair is looked at.
Run: python benchmarks/throughput.py
"""

from time import process_time

import numpy as np
from numba import njit

from fuzzyfrog.measure._vectors import LANES, NEVER, below_sum
from race import machine, print_head, print_row

PLAIN_FLOAT32 = 26.0  # 1e9 per second and core: what float32 differences can reach at 3.2 GHz, AVX2


@njit(nogil=True)
def every_pair(lanes, queries, features, limit, first):
    """Compare every query with every lane; return the number of blocks in which a pair is left."""
    left = 0
    for block in range(first, lanes.shape[1], LANES):
        for i in range(first):
            if (
                below_sum(
                    lanes, queries, features, features.size, i, block, limit, block, np.int16(NEVER)
                )
                != 0
            ):
                left += 1
    return left


def speed(n_features, n_queries=512, n_lanes=4096):
    """Return pair-features per second of one thread, best of seven laps."""
    rng = np.random.default_rng(0)
    values = rng.integers(-60, 60, size=(n_queries + n_lanes, n_features), dtype=np.int16)
    lanes, limit = np.ascontiguousarray(values.T), np.full(len(values), 32767, np.int16)
    args = lanes, values, np.arange(n_features), limit, n_queries
    assert every_pair(*args) == n_queries * n_lanes // LANES
    seconds = []
    for _ in range(7):
        start = process_time()
        every_pair(*args)
        seconds.append(process_time() - start)
    return n_queries * n_lanes * n_features / min(seconds)


def main():
    """Print the table."""
    print(machine(), "\n")
    print_head("features", "1e9 pair-features/s, one thread", "share of plain float32 (26)")
    for n_features in (4, 8, 40, 80, 240):
        found = speed(n_features) / 1e9
        print_row(n_features, f"{found:.1f}", f"**{found / PLAIN_FLOAT32:.0%}**")


if __name__ == "__main__":
    main()
