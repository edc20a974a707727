"""Prove the smallest reducts of the data sets of the paper; one JSON line for each proof.

A proof that is already in the file with as much time is not done again, so a benchmark that was
killed resumes where it stopped; the table is printed from the file.
`--question` asks for the cheapest features instead (whole costs from 1 to 20, drawn with seed 0),
for those of which any one may be lost, or for the fewest if a hundredth of the samples may be set
aside.
Run: python benchmarks/exact_table.py --out proofs.jsonl [--data wine ...] [--max-seconds 60]
"""

import argparse
import json
from itertools import product
from math import inf
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from fuzzyfrog import Exact, ReductSelector, ShuffledFrogs
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.search.exact import MOST_BRANCHED
from fuzzyfrog_lab.catalog import load_dataset
from race import print_head, print_row
from search_quality import lines_of
from search_tables import DATA

TNORMS = ("lukasiewicz", "minimum")
SEARCHES = {"exact": lambda limit: (Exact(limit=limit), False),
            "frogs": lambda limit: (ShuffledFrogs(), True)}  # fmt: skip
QUESTIONS = {
    "fewest": lambda data: {},
    "cheapest": lambda data: {"costs": costs_of(data)},
    "survives": lambda data: {"survives": 1},
    "set aside": lambda data: {"max_lost": max(1, data.n_samples // 100)},
}


def costs_of(dataset):
    """Return a cost for each feature."""
    drawn = np.random.default_rng(0).integers(1, 21, size=dataset.n_features)
    return dict(zip(dataset.feature_names, map(int, drawn), strict=True))


class FirstProof:
    """A callback that notes when the lower bound reaches the size, and stops at the limits."""

    def __init__(self, max_seconds, for_list):
        self.start, self.seconds = process_time(), None
        self.max_seconds, self.for_list = max_seconds, for_list

    def __call__(self, moment):
        """Take the time of the proof; return whether it is up."""
        now = process_time() - self.start
        if moment.size != moment.lower_bound:
            self.seconds = None  # the bound met a subset that was not good enough
        elif self.seconds is None:
            self.seconds = now
        is_listed = self.seconds is not None and now > self.seconds + self.for_list
        return is_listed or now > self.max_seconds


def one_proof(name, tnorm, options):
    """Prove what can be proved in time; return its line."""
    dataset = load_dataset(name)
    search, certify = SEARCHES[options.search](options.limit)
    first = FirstProof(options.max_seconds, options.list_seconds)
    selector = ReductSelector(
        search, tnorm=tnorm, certify=certify,
        callbacks=[first], n_jobs=options.jobs, random_state=0,
        **QUESTIONS[options.question](dataset),
    )  # fmt: skip
    start, cpu = perf_counter(), process_time()
    try:
        selector.fit(dataset)
    except ParameterError as error:  # some feature is in every reduct, so none may be lost
        return {"data": name, "tnorm": tnorm, "search": options.search, "impossible": str(error),
                "question": options.question, "max_seconds": options.max_seconds,
                "seconds": perf_counter() - start, "cpu": process_time() - cpu}  # fmt: skip
    found = selector.certificate_
    return {
        "data": name, "tnorm": tnorm, "search": options.search, "question": options.question,
        "cost": found.cost, "max_seconds": options.max_seconds, "limit": options.limit,
        "n_samples": dataset.n_samples, "n_features": dataset.n_features,
        "full": selector.full_dependency_, "core": len(selector.core_ or ()),
        "proven": found.proven, "lower_bound": found.lower_bound, "size": found.size,
        "reducts": found.n_reducts, "all_listed": found.all_listed,
        "seconds_to_proof": first.seconds if found.proven else None,
        "seconds": perf_counter() - start, "cpu": process_time() - cpu,
        "evaluations": selector.n_evaluations_, "stop": selector.stop_reason_,
    }  # fmt: skip


def key_of(line):
    """Return what a line is known by."""
    return line["data"], line["tnorm"], line["search"], line.get("question", "fewest")


def is_done(lines, key, max_seconds):
    """Return whether a proof was found, or not found in as much time."""
    return any(
        key_of(line) == key
        and (line.get("all_listed") or "impossible" in line or line["max_seconds"] >= max_seconds)
        for line in lines
    )


def measure_all(options):
    """Do the proofs that are not in the file yet."""
    for name, tnorm in product(options.data, options.tnorm):
        key = name, tnorm, options.search, options.question
        if is_done(lines_of(options.out), key, options.max_seconds):
            continue
        line = one_proof(name, tnorm, options)
        with options.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def solver_of(line):
    """Return what settled the size."""
    if not line["proven"]:
        return ""
    if line["size"] == line["core"]:
        return "core"
    is_large = line["size"] - line["core"] > MOST_BRANCHED
    return "integer program" if is_large else "branch and bound"


def print_table(lines):
    """Print the best line of each proof: size or bounds, number of reducts, seconds."""
    best = {}
    for line in lines:
        if "impossible" in line:
            print(f"{line['data']}, {line['question']}: {line['impossible']}")
            continue
        known = best.get(key_of(line))
        rank = (line["all_listed"], line["proven"], -line["size"] + line["lower_bound"])
        if known is None or rank >= known[0]:
            best[key_of(line)] = rank, line
    print_head("data", "n × d", "t-norm", "question", "γ of all", "core", "fewest features", "cost",
               "how many", "seconds to the proof", "seconds in all", "closed by")  # fmt: skip
    for _, line in best.values():
        size, cost = f"{line['size']}", line.get("cost")
        if cost is not None:
            cost = f"{cost:g}" if line["proven"] else f"{line['lower_bound']:g} to {cost:g}"
        elif not line["proven"]:
            size = f"{line['lower_bound']} to {size}"
        count = f"{line['reducts']:,}" if line["all_listed"] else f"at least {line['reducts']:,}"
        proof = line["seconds_to_proof"]
        print_row(
            line["data"], f"{line['n_samples']:,} × {line['n_features']:,}", line["tnorm"],
            line.get("question", "fewest"), f"{line['full']:.6f}", str(line["core"]), size,
            cost or "", count if line["proven"] else "",
            "not yet" if proof is None else f"{proof:.2f}", f"{line['seconds']:.1f}",
            solver_of(line),
        )  # fmt: skip


def main():
    """Run the requested cases and print the table of the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="file of JSON lines")
    parser.add_argument("--data", nargs="+", default=list(DATA), metavar="NAME")
    parser.add_argument("--tnorm", nargs="+", default=list(TNORMS), choices=[*TNORMS, "product"])
    parser.add_argument("--search", default="exact", choices=list(SEARCHES), help="what goes first")
    parser.add_argument("--question", default="fewest", choices=list(QUESTIONS))
    parser.add_argument("--max-seconds", type=float, default=60.0, help="of each proof, by the CPU")
    parser.add_argument("--list-seconds", type=float, default=inf,
                        help="for listing others after a proof, by the CPU")  # fmt: skip
    parser.add_argument("--limit", type=int, default=100_000, help="reducts to list")
    parser.add_argument("--jobs", type=int, default=2, help="threads")
    options = parser.parse_args()
    measure_all(options)
    print_table(lines_of(options.out))


if __name__ == "__main__":
    main()
