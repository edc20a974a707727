"""How the cost grows with samples and features: one evaluation, QuickReduct, a whole default run.

    python benchmarks/growth.py                          # all tables, half an hour
    python benchmarks/growth.py 1000x50 10000x50         # some
    python benchmarks/growth.py 1000000x50 --only default

Every cell is CPU seconds on the usable CPUs, each table in a process of its own, kernels compiled
before. An exponent compares with the row above of the same number of features: 1 means that the
cost grows as fast as the samples. Data: `mixed_features` of `workloads.py`, two classes.
"""

import argparse
import json
import math
import subprocess
import sys
import time
import warnings

import numpy as np

from million import cpu_seconds, peak_bytes, warm_up
from race import machine, print_head, print_row
from workloads import mixed_features, random_subsets

TABLES = (
    "1000x10", "10000x10", "100000x10", "1000000x10",
    "1000x50", "10000x50", "100000x50", "1000000x50",
    "1000x1000", "10000x1000",
    "300x20000", "1000x20000",
)  # fmt: skip
COSTS = ("evaluation", "all features", "quickreduct", "default")
SUBSET = 5  # features of the subset of an evaluation
EVALUATION_SECONDS = 3.0  # spent on evaluations of one table


def evaluation(measure, masks):
    """Return the mean CPU seconds of an evaluation, subset by subset."""
    begun, count = cpu_seconds(), 0
    while cpu_seconds() - begun < EVALUATION_SECONDS and count < 1_000:
        measure.score(masks[count % len(masks)][np.newaxis])
        count += 1
    return (cpu_seconds() - begun) / count


def run_table(n_samples, n_features, costs):
    """Print the costs of one table for the parent."""
    from fuzzyfrog import ReductSelector
    from fuzzyfrog.measure import Dependency

    warnings.simplefilter("ignore")
    warm_up()
    X, y = mixed_features(n_samples, n_features)
    found = {}
    if {"evaluation", "all features"} & set(costs):
        measure = Dependency(X, y)
        some = random_subsets(n_features, min(SUBSET, n_features), 50)
        measure.score(some[:1])  # what the measure prepares once
        measure.score(np.ones((1, n_features), bool))
        found["evaluation"] = evaluation(measure, some)
        found["all features"] = evaluation(measure, np.ones((1, n_features), bool))
        del measure
    for name, search in (("quickreduct", "quickreduct"), ("default", "auto")):
        if name in costs:
            first = []
            begun, wall = cpu_seconds(), time.perf_counter()

            def hear(moment, first=first, begun=begun):
                is_small = moment.size < 0.8 * n_features  # columns may be left out at once
                if not first and is_small and not moment.on_sample:
                    first.append(cpu_seconds() - begun)

            selector = ReductSelector(search, random_state=0, callbacks=[hear]).fit(X, y)
            found[name] = cpu_seconds() - begun
            found[f"{name}: wall"] = time.perf_counter() - wall
            found[f"{name}: size"] = selector.n_features_
            found[f"{name}: first"] = first[0] if first else found[name]
    found["peak"] = peak_bytes()
    print(json.dumps(found))


def cell(found, above, name, n_samples, n_above):
    """Return the seconds of a cost, and the exponent of its growth."""
    if name not in found:
        return "-"
    text = f"{found[name]:.3g}"
    if name in above:
        grown = math.log(found[name] / above[name]) / math.log(n_samples / n_above)
        text += f" ({grown:.1f})"
    if name in ("quickreduct", "default"):
        text += f", {found[f'{name}: wall']:.3g} s wall, {found[f'{name}: size']} features"
    return text


def main():
    """Print a row for each table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", default=TABLES, metavar="SAMPLESxFEATURES")
    parser.add_argument("--only", nargs="+", choices=COSTS, default=COSTS)
    asked = parser.parse_args()
    print(machine(), "\n")
    print_head("samples", "features", *COSTS, "first small subset", "peak")
    above, shape = {}, (0, 0)
    for table in asked.tables:
        n_samples, n_features = map(int, table.split("x"))
        command = [sys.executable, __file__, "--table", json.dumps([n_samples, n_features])]
        done = subprocess.run(  # noqa: S603 - ourselves
            [*command, *asked.only], check=True, capture_output=True, text=True
        )
        found = json.loads(done.stdout.splitlines()[-1])
        if shape[1] != n_features:
            above = {}
        print_row(
            f"{n_samples:,}", f"{n_features:,}",
            *(cell(found, above, name, n_samples, shape[0]) for name in COSTS),
            f"{found['default: first']:.3g}" if "default" in found else "-",
            f"{found['peak'] / 1e9:.2f} GB",
        )  # fmt: skip
        above, shape = found, (n_samples, n_features)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        run_table(*json.loads(sys.argv[2]), sys.argv[3:])
    else:
        main()
