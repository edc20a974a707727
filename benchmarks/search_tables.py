"""Tables from the JSON lines of search_quality.py: whole runs as Markdown, all others as CSV files.

Run: python benchmarks/search_tables.py runs.jsonl docs/paper
"""

import csv
import json
import sys
from collections import defaultdict
from itertools import product
from pathlib import Path
from statistics import mean

import pandas as pd

from race import print_head, print_row

RANKINGS = ("lexicographic", "product")
SEARCHES = ("frogs", "paper's frogs", "genetic", "swarm", "QuickReduct", "random", "best of 900")
# Size and number of the smallest reducts, all listed by exact_table.py (Łukasiewicz).
SMALLEST = {
    "breast_tissue": (9, 1), "glass": (8, 1), "pima_diabetes": (8, 1),
    "breast_cancer_wisconsin": (7, 6), "wine": (5, 343), "heart": (7, 2), "cleveland": (8, 4),
    "lung_cancer": (4, 112), "olitos": (5, 1565), "parkinson": (5, 4), "ionosphere": (6, 17),
    "sonar": (5, 1387), "libras_movement": (7, 203_846), "lsvt_voice_rehab": (4, 1),
    "urban_land_cover": (6, 55),
}  # fmt: skip
# Features (from 1) of the subset with the largest product of dependency and share of features
# left out, proved by exhaustive search.
LARGEST_PRODUCT = {
    "breast_tissue": [2, 3, 6, 8],
    "glass": [1, 2, 4, 5],
    "pima_diabetes": [2, 6, 7, 8],
    "breast_cancer_wisconsin": [1, 2, 6],
    "wine": [7, 10, 13],
    "heart": [1, 4, 5, 8],
    "cleveland": [1, 4, 5, 8],
}
DATA = (
    *SMALLEST, "arrhythmia", "molecular_biology", "madelon", "coil_2000", "cnae_9", "micromass",
    "arcene",
)  # fmt: skip
PAPER_SECONDS = {
    "coil_2000": 38_290, "cnae_9": 835_100, "madelon": 3_774, "micromass": 562, "arcene": 1_192,
}  # fmt: skip


def merit(run):
    """Return what the ranking of a run compares, as a tuple; larger is better."""
    if run["ranking"] == "lexicographic":
        return (run["score"], -run["size"])
    return (run["score"] * (1 - run["size"] / run["n_features"]), run["score"])


def grouped(runs, *fields):
    """Return the runs by the values of some fields."""
    groups = defaultdict(list)
    for run in runs:
        groups[tuple(run[field] for field in fields)].append(run)
    return groups


def pick(runs, part, **wanted):
    """Return the runs of a part that have the wanted values."""
    wanted["part"] = part
    return [run for run in runs if all(run[field] == value for field, value in wanted.items())]


def write_rows(path, *rows):
    """Write a CSV file; the first row has the names of the columns."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def own_rows(runs):
    """Yield size, dependency, reducts, evaluations and seconds of each search on its own."""
    yield ("ranking", "data", "search", "seeds", "mean_size", "worst_size", "mean_dependency",
           "worst_dependency", "best_subsets_listed", "evaluations", "cpu_seconds",
           "stopped_by_time")  # fmt: skip
    groups = grouped(pick(runs, "own"), "ranking", "data", "search")
    for key in product(RANKINGS, DATA, SEARCHES):
        if group := groups.get(key):
            yield *key, len(group), *own_cells(group)


def own_cells(runs):
    """Return the cells of one search on one data set."""
    worst = min(runs, key=merit)
    return (
        f"{mean(run['size'] for run in runs):.1f}", worst["size"],
        f"{mean(run['score'] for run in runs):.5f}", f"{worst['score']:.5f}",
        f"{mean(run['reducts'] for run in runs):.1f}",
        f"{mean(run['evaluations'] for run in runs):.0f}",
        f"{mean(run['cpu'] for run in runs):.2f}",
        sum(run["stop"] == "max_seconds" for run in runs),
    )  # fmt: skip


def proved_rows(runs):
    """Yield in how many seeds each search reached what is proved, and how much of it."""
    yield ("data", "search", "seeds", "reached_smallest_size", "smallest_reducts", "share_listed",
           "reached_largest_product")  # fmt: skip
    groups = grouped(pick(runs, "own"), "data", "search", "ranking")
    for data, search in product(SMALLEST, SEARCHES):
        small = groups.get((data, search, "lexicographic"))
        large = groups.get((data, search, "product"))
        if small and large:
            yield data, search, *smallest_cells(data, small), product_cell(data, large)


def smallest_cells(data, runs):
    """Return the runs that reached the smallest size, and the mean share of the reducts listed."""
    size, n_reducts = SMALLEST[data]
    reached = [run for run in runs if run["size"] == size and run["score"] == run["full"]]
    listed = sum(run["reducts"] for run in reached) / len(runs)
    return len(runs), len(reached), n_reducts, f"{listed / n_reducts:.3g}"


def product_cell(data, runs):
    """Return how many runs reached the largest product, where it is proved."""
    if data not in LARGEST_PRODUCT:
        return ""
    return sum(run["features"] == LARGEST_PRODUCT[data] for run in runs)


def rank_rows(runs, ranking):
    """Return the rank of each search for each data set, the mean over the seeds that all have."""
    rows = {}
    for data in DATA:
        by_search = grouped(pick(runs, "equal", data=data, ranking=ranking), "search")
        by_search = {search: {run["seed"]: run for run in found}
                     for (search,), found in by_search.items() if search in SEARCHES}  # fmt: skip
        if len(by_search) == len(SEARCHES):
            rows[data] = mean_ranks(by_search)
    return pd.DataFrame(rows, index=SEARCHES).T


def mean_ranks(by_search):
    """Return mean ranks over the common seeds; a deterministic search has one run for all."""
    drawn = [set(found) for search, found in by_search.items() if search != "QuickReduct"]
    ranks = []
    for seed in sorted(set.intersection(*drawn)):
        merits = {search: merit(found.get(seed) or next(iter(found.values())))
                  for search, found in by_search.items()}  # fmt: skip
        levels = {value: level for level, value in enumerate(sorted(set(merits.values())))}
        ranks.append(pd.Series(merits).map(levels).rank(ascending=False))
    return pd.concat(ranks, axis=1).mean(axis=1)


def equal_rows(runs):
    """Yield the mean ranks at equal evaluations."""
    yield "ranking", "data", "evaluations", "seeds", *SEARCHES
    for ranking in RANKINGS:
        for data, row in rank_rows(runs, ranking).iterrows():
            same = pick(runs, "equal", data=data, ranking=ranking, search="frogs")
            ranks = (f"{row[search]:.2f}" for search in SEARCHES)
            yield ranking, data, same[0]["max_evaluations"], len(same), *ranks


def print_whole(runs):
    """Print the times of whole runs with the paper's settings next to the paper's times."""
    print_head("data", "paper, s", "search", "ranking", "wall s", "CPU s", "evaluations",
               "evaluations per CPU s", "size", "γ", "stopped by")  # fmt: skip
    for data, seconds in PAPER_SECONDS.items():
        for search in ("paper's frogs", "frogs"):
            found = pick(runs, "own", data=data, search=search)
            first = min((run["seed"] for run in found), default=0)
            for run in (run for run in found if run["seed"] == first):
                print_row(data, f"{seconds:,}", search, run["ranking"], run["seconds"], run["cpu"],
                          f"{run['evaluations']:,}", f"{run['evaluations'] / run['cpu']:,.0f}",
                          run["size"], f"{run['score']:.5f}", run["stop"])  # fmt: skip


def write_tables(runs, folder):
    """Print the table of whole runs, and write the others into a folder."""
    print_whole(runs)
    write_rows(folder / "search-quality.csv", *own_rows(runs))
    write_rows(folder / "search-quality-proved.csv", *proved_rows(runs))
    write_rows(folder / "search-quality-ranks.csv", *equal_rows(runs))


if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text("utf-8").splitlines()
    write_tables([json.loads(line) for line in lines], Path(sys.argv[2]))
