"""Run the searches on the data sets of the paper; one JSON line for each run.

Two parts: "own" (every search with its own settings; above 15,000 cells of data those of the frogs
are the paper's `general` ones) and "equal" (every search may score the same number of subsets, and
runs until it has). A run that is already in the file is not done again, so a benchmark that was
killed resumes where it stopped. search_tables.py makes the tables, next to the file.
Run: python benchmarks/search_quality.py --out runs.jsonl [--part equal] [--data wine ...]
"""

import argparse
import json
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from fuzzyfrog.common.params import Parametrized, check_count
from fuzzyfrog.measure import Dependency
from fuzzyfrog.search import (
    Genetic,
    ParticleSwarm,
    Problem,
    QuickReduct,
    ShuffledFrogs,
    run,
)
from fuzzyfrog.search.protocol import Batch, Constraints, Proposal, Stream, diverse_subsets
from fuzzyfrog.select.outcome import oracle_of
from fuzzyfrog_lab.catalog import load_dataset
from search_tables import DATA, RANKINGS, write_tables

BATCH_ROWS = 900
LONG = 300  # generations: more than the evaluations allow, unless nothing new comes any more
IDLE = 60  # shuffles without a better frog


class RandomSubsets(Parametrized):
    """Random subsets of diverse sizes; their scores are not used.

    Parameters
    ----------
    n_subsets : int
        Number of subsets to draw; the paper starts with 900 frogs.

    """

    def __init__(self, *, n_subsets: int = 900) -> None:
        self.n_subsets = n_subsets

    def propose(self, problem: Problem, seed: int) -> Proposal:
        """Check the parameters, then return the coroutine that yields batches."""
        check_count("n_subsets", self.n_subsets)
        return self._draw(Constraints(problem), seed)

    def _draw(self, constraints: Constraints, seed: int) -> Proposal:
        for start in range(0, self.n_subsets, BATCH_ROWS):
            n_rows = min(BATCH_ROWS, self.n_subsets - start)
            yield Batch(diverse_subsets(n_rows, constraints, Stream(seed, "random", start)))


OWN = {
    "frogs": ShuffledFrogs(variant="local"),
    "learning frogs": ShuffledFrogs(),
    "paper's frogs": ShuffledFrogs(variant="paper"),
    "genetic": Genetic(),
    "swarm": ParticleSwarm(),
    "QuickReduct": QuickReduct(),
    "best of 900": RandomSubsets(),
}
EQUAL = {
    "frogs": ShuffledFrogs(variant="local", patience=IDLE),
    "learning frogs": ShuffledFrogs(patience=IDLE),
    "paper's frogs": ShuffledFrogs(variant="paper", patience=IDLE),
    "genetic": Genetic(n_generations=LONG),
    "swarm": ParticleSwarm(n_iterations=LONG),
    "QuickReduct": QuickReduct(),
    "random": RandomSubsets(n_subsets=10**6),
    "best of 900": RandomSubsets(),
}
DETERMINISTIC = {"QuickReduct"}


@dataclass(frozen=True)
class Plan:
    """One run: what it is known by in the file."""

    part: str
    data: str
    ranking: str
    search: str
    seed: int


def plans(part, data, seeds):
    """Yield the runs of one part on one data set; a deterministic search runs once."""
    searches = {"own": OWN, "equal": EQUAL}[part]
    for ranking, search in product(RANKINGS, searches):
        used = seeds[:1] if search in DETERMINISTIC else seeds
        yield from ((Plan(part, data, ranking, search, s), searches[search]) for s in used)


def equal_evaluations(n_features, most):
    """Return what every search may score: half of all subsets where these are few."""
    return min(most, 2 ** min(n_features - 1, 60))


def one_run(plan, search, measure, max_evaluations, max_seconds):
    """Run one search; return its line."""
    n_features = measure.n_features
    cells = measure.n_samples * n_features
    oracle = oracle_of(measure, np.ones(n_features, bool))
    problem = Problem(n_features, cells, full_score=measure.full, ranking=plan.ranking,
                      oracle=oracle)  # fmt: skip
    start, cpu = perf_counter(), process_time()
    found = run(search, measure, problem, seed=plan.seed,
                max_evaluations=max_evaluations, max_seconds=max_seconds)  # fmt: skip
    return {
        "part": plan.part, "data": plan.data, "ranking": plan.ranking, "search": plan.search,
        "seed": plan.seed, "seconds": round(perf_counter() - start, 3),
        "cpu": round(process_time() - cpu, 3),
        "evaluations": found.n_evaluations, "stop": found.stop_reason,
        "max_evaluations": max_evaluations, "max_seconds": max_seconds,
        "n_features": n_features, "full": measure.full, "score": found.score,
        "size": int(found.subset.sum()), "reducts": len(found.reducts),
        "minimal": sum(reduct.minimal for reduct in found.reducts),
        "features": (np.flatnonzero(found.subset) + 1).tolist(),
    }  # fmt: skip


def lines_of(path):
    """Return the runs in a file; a line that a killed run left unfinished does not count."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    whole = [line for line in lines if line.endswith("\n")]
    if whole != lines:
        path.write_text("".join(whole), encoding="utf-8")
    return [json.loads(line) for line in whole]


def measure_all(options):
    """Do the runs that are not in the file yet."""
    names = [field.name for field in fields(Plan)]
    done = {Plan(*(line[name] for name in names)) for line in lines_of(options.out)}
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    for data, part in product(options.data, options.part):
        todo = [(plan, search) for plan, search in plans(part, data, seeds)
                if plan not in done and plan.search in options.search]  # fmt: skip
        if not todo:
            continue
        measure = Dependency(load_dataset(data), n_jobs=options.jobs)
        limit = None
        if part == "equal":
            limit = equal_evaluations(measure.n_features, options.max_evaluations)
        warm_up(measure)
        for plan, search in todo:
            line = one_run(plan, search, measure, limit, options.max_seconds)
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def warm_up(measure):
    """Load or compile the kernels before anything is timed."""
    problem = Problem(measure.n_features, 10**6, full_score=measure.full)
    for search in (ShuffledFrogs(n_memeplexes=2, n_frogs=8, patience=1), QuickReduct()):
        run(search, measure, problem, seed=0, max_evaluations=200, max_seconds=2)


def main():
    """Run the requested cases and print the tables of the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="file of JSON lines")
    parser.add_argument("--part", nargs="+", default=["own", "equal"])
    parser.add_argument("--data", nargs="+", default=list(DATA), metavar="NAME")
    parser.add_argument("--search", nargs="+", default=list(EQUAL), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--max-evaluations", type=int, default=10_000, help="of part equal")
    parser.add_argument("--max-seconds", type=float, default=60.0, help="of each run")
    parser.add_argument("--jobs", type=int, default=2, help="threads")
    options = parser.parse_args()
    measure_all(options)
    write_tables(lines_of(options.out), options.out.parent)


if __name__ == "__main__":
    main()
