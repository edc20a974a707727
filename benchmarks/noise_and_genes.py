"""How much noise each measure selects, and how many informative columns of very many it finds.

Run: FUZZYFROG_DATA=folder python benchmarks/noise_and_genes.py noise
     FUZZYFROG_DATA=folder python benchmarks/noise_and_genes.py genes
"""

import sys
import warnings
from collections import defaultdict
from time import process_time

import numpy as np
import pandas as pd

from fuzzyfrog import ReductSelector, SoftSelector
from fuzzyfrog_lab.catalog import load_dataset
from race import print_head, print_row
from stopping_rule import RULES, Grown

# The tables of the paper with the fewest cells, but not lung_cancer, which has 27 samples, nor
# cleveland, which has the patients of heart.
EIGHT = (
    "breast_tissue", "glass", "wine", "olitos", "heart", "parkinson", "pima_diabetes",
    "breast_cancer_wisconsin",
)  # fmt: skip
N_NOISE, N_REPEATS = 20, 5
STRICT = {"strict, frogs": "frogs", "strict, QuickReduct": "quickreduct"}
SECONDS = 240.0  # that a strict search on a wide table may take, by the clock
N_SAMPLES, N_GENES, N_INFORMATIVE, SHIFT = 300, 20_000, 20, 0.8


def strict(X, y, search, seed, max_seconds=None):
    """Return the columns that the strict dependency selects."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = ReductSelector(search=search, random_state=seed, max_seconds=max_seconds)
        return selector.fit(X, y).get_support(indices=True)


def noise():
    """Print how much of each selection is noise, with 20 normal columns added."""
    taken = defaultdict(list)  # for each way: features and noise columns of each run
    shares = []
    for name in EIGHT:
        data = load_dataset(name, categorical=True)
        X = pd.DataFrame(data.values, columns=list(data.feature_names))
        for column in X.columns[data.categorical]:
            X[column] = X[column].astype("category")
        y = data.target.astype(str)
        shares.append(N_NOISE / (N_NOISE + X.shape[1]))
        for seed in range(N_REPEATS):
            made = np.random.default_rng(seed).standard_normal((len(y), N_NOISE))
            wide = X.join(pd.DataFrame(made, columns=[f"noise {k}" for k in range(N_NOISE)]))
            path = Grown(wide, y)
            found = {rule: path.features[: pick(path) + 1] for rule, pick in RULES.items()}
            found["whole path"] = path.features
            for way, search in STRICT.items():
                found[way] = strict(wide, y, search, seed)
            for way, columns in found.items():
                taken[way].append(
                    (name, len(columns), int((np.array(columns) >= X.shape[1]).sum()))
                )
    print(f"At random {100 * np.mean(shares):.0f} % of a selection would be noise.\n")
    print_head("selection", "features", "noise, % of all selected", "mean % of a table", *EIGHT)
    for way, runs in taken.items():
        frame = pd.DataFrame(runs, columns=["data", "size", "noise"])
        by_data = frame.groupby("data", sort=False)[["size", "noise"]].sum()
        each = 100 * by_data["noise"] / by_data["size"]
        overall = 100 * frame["noise"].sum() / frame["size"].sum()
        print_row(way, f"{frame['size'].mean():.1f}", f"{overall:.1f}", f"{each.mean():.1f}",
                  *(f"{share:.0f}" for share in each))  # fmt: skip


def ways(X, y):
    """Yield name, columns and CPU seconds of soft and strict selections."""
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        soft = SoftSelector(random_state=0).fit(X, y)
    seconds = process_time() - start
    yield "soft, whole path", soft.front_[-1].features, seconds
    yield "soft, default size", soft.get_support(indices=True), seconds
    yield "soft, peak", max(soft.front_, key=lambda one: one.dependency).features, seconds
    for way, search in STRICT.items():
        start = process_time()
        columns = strict(X, y, search, 0, SECONDS)
        yield way, columns, process_time() - start


def genes():
    """Print what is found of 20 informative columns, and of arcene among shuffled twins."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["a", "b"], N_SAMPLES // 2))
    X = rng.standard_normal((N_SAMPLES, N_GENES))
    informative = np.sort(rng.choice(N_GENES, N_INFORMATIVE, replace=False))
    X[:, informative] += SHIFT * (y == "b")[:, np.newaxis]
    print(f"### {N_SAMPLES} × {N_GENES:,}, {N_INFORMATIVE} informative columns\n")
    print_head("selection", "columns", "informative ones", "CPU seconds")
    for way, columns, seconds in ways(X, y):
        hits = len(np.intersect1d(columns, informative))
        print_row(way, len(columns), f"{hits} of {N_INFORMATIVE}", f"{seconds:.0f}")

    data = load_dataset("arcene")
    X, y = data.values, data.target.astype(str)
    twins = rng.permuted(X, axis=0)
    print(f"\n### arcene, {len(y)} × {X.shape[1]:,}, with a shuffled twin of each column\n")
    print_head("selection", "columns", "of them real", "CPU seconds")
    for way, columns, seconds in ways(np.hstack([X, twins]), y):
        print_row(way, len(columns), int((np.array(columns) < X.shape[1]).sum()), f"{seconds:.0f}")


if __name__ == "__main__":
    {"noise": noise, "genes": genes}[sys.argv[1]]()
