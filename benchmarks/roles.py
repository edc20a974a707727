"""Whether columns get the role they should have, on made tables whose truth is known.

    python benchmarks/roles.py  # 30 tables, and false selections on wide ones; half an hour

A table has 5 informative columns, a redundant one of each (correlation 0.95), 5 second-order
columns (products of two informative ones) and 20 of noise; the class is that of the sum of the
informative ones, with noise. The seeds, 0 to 29, and all numbers here were fixed before the first
run. An informative column is right if it is selected, or a substitute of its own redundant
column; noise is right if it is unneeded and not relevant alone; of a redundant column and its
informative one, one must be selected and the other its substitute.
"""

import argparse
import time

import numpy as np

from fuzzyfrog import SoftSelector, stability

N_TABLES, N_SAMPLES, N_INFORMATIVE, N_NOISE = 30, 300, 5, 20
CORRELATION = 0.95
WIDE = {2_000: (3, 50), 20_000: (1, 20)}  # columns: tables, and pairs of halves for each


def made(seed: int, n_noise: int, *, n_samples: int = N_SAMPLES) -> tuple[np.ndarray, np.ndarray]:
    """Return a table: informative columns, redundant, second-order, noise."""
    rng = np.random.default_rng(seed)
    informative = rng.normal(size=(n_samples, N_INFORMATIVE))
    other = rng.normal(size=informative.shape)
    redundant = CORRELATION * informative + np.sqrt(1 - CORRELATION**2) * other
    second = informative * np.roll(informative, 1, axis=1)
    noise = rng.normal(size=(n_samples, n_noise))
    y = informative.sum(axis=1) + rng.normal(size=n_samples) > 0
    return np.column_stack([informative, redundant, second, noise]), y


def roles(seed: int) -> dict[str, list[bool]]:
    """Return which columns of a table have the right role, by their kind."""
    columns = SoftSelector().fit(*made(seed, N_NOISE)).columns_
    k = N_INFORMATIVE

    def replaces(one: int, other: int) -> bool:
        return columns[one].role == "substitute" and other in columns[one].of

    is_selected = [one.role == "selected" for one in columns]
    return {
        "informative": [is_selected[a] or replaces(a, k + a) for a in range(k)],
        "redundant": [
            (is_selected[a] and replaces(k + a, a)) or (is_selected[k + a] and replaces(a, k + a))
            for a in range(k)
        ],
        "second-order, selected": is_selected[2 * k : 3 * k],
        "noise": [one.role == "unneeded" and not one.relevant for one in columns[3 * k :]],
        "noise, selected": is_selected[3 * k :],
    }


def false_selections(seed: int, n_columns: int, n_pairs: int) -> None:
    """Print how many columns of noise are stable in a wide table, next to their bound."""
    start = time.process_time()
    X, y = made(n_columns // 2 + seed, n_columns - 3 * N_INFORMATIVE)
    found = stability(SoftSelector(n_jobs=1), X, y, n_pairs=n_pairs)
    for threshold in (0.6, 0.75, 0.9):
        stable = [one.feature for one in found.columns if one.share >= threshold]
        n_false = sum(one >= 3 * N_INFORMATIVE for one in stable)
        print(
            f"300 x {n_columns:,}, seed {seed}, {n_pairs} pairs: {len(stable)} columns in at least "
            f"{threshold:.0%} of the halves, {n_false} of them noise, bound "
            f"{found.by_luck(threshold):.2f}; {found.mean_size:.1f} selected on a half, "
            f"{time.process_time() - start:.0f} CPU s"
        )


def main() -> None:
    """Print the shares of right roles, and false selections next to their bound."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=N_TABLES)
    asked = parser.parse_args()
    start = time.perf_counter()
    every = [roles(seed) for seed in range(asked.tables)]
    print(f"{asked.tables} tables, {time.perf_counter() - start:.0f} s")
    for kind in every[0]:
        flags = np.concatenate([one[kind] for one in every])
        print(f"{kind:<24}{flags.mean():7.1%} of {len(flags)}")
    for n_columns, (n_tables, n_pairs) in WIDE.items():
        for seed in range(n_tables):
            false_selections(seed, n_columns, n_pairs)


if __name__ == "__main__":
    main()
