"""Fit after fit in one process: memory must not grow, no file and no thread may be left behind.

Run: python benchmarks/soak.py [minutes] [threads]

Tables of changing shape with gaps, categories and numeric targets go through all searches,
some with a checkpoint, a record and a page. The first quarter warms up: kernels are compiled,
caches fill. Afterwards the middle of the resident size in the last quarter may be at most
`MARGIN` above that of the second one, and there may be no more open files or threads. The exit
code is 1 if one of them grows.
"""

import gc
import os
import resource
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import median

import numpy as np

from fuzzyfrog import ReductSelector, enumerate_reducts, read_table
from fuzzyfrog_lab.boosted import BoostedSelector
from race import print_head, print_row

MARGIN = 16 * 2**20
SEARCHES = ("frogs", "genetic", "swarm", "quickreduct", "exact", "front")
TNORMS = ("lukasiewicz", "minimum", "product")
SPREADS = ("std", "variance", "range")
MISSING = ("similar", "different")
N_SAMPLES, N_FEATURES = (10, 400), (2, 30)  # from, to
SECONDS_BETWEEN_SAMPLES = 5.0


@dataclass(frozen=True)
class Sample:
    """What the process holds at a moment."""

    seconds: float
    n_rounds: int
    resident: int
    n_files: int
    n_threads: int


def sampled(start, n_rounds):
    """Look at this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return Sample(
        time.monotonic() - start,
        n_rounds,
        pages * resource.getpagesize(),
        len(os.listdir("/proc/self/fd")),
        len(os.listdir("/proc/self/task")),
    )


def made_table(rng):
    """Make a table of any shape; every third has gaps, every fourth a numeric target."""
    n, d = int(rng.integers(*N_SAMPLES)), int(rng.integers(*N_FEATURES))
    X = rng.normal(size=(n, d)).round(int(rng.integers(0, 4)))
    y = rng.permutation(np.arange(n) % int(rng.integers(2, 5))).astype(float)
    if rng.integers(4) == 0:
        y = y + 0.5 * rng.normal(size=n)
    if rng.integers(3) == 0:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def fit_once(rng, n_jobs, folder):
    """Fit a selector with parameters at random, and use what it found."""
    X, y = made_table(rng)
    log = folder / "scores"
    selector = ReductSelector(
        str(rng.choice(SEARCHES)),
        tnorm=str(rng.choice(TNORMS)),
        spread=str(rng.choice(SPREADS)),
        missing=str(rng.choice(MISSING)),
        categorical_features=[0] if rng.integers(2) else None,
        max_evaluations=300,
        max_seconds=5,
        checkpoint=log if rng.integers(3) == 0 else None,
        random_state=int(rng.integers(2**31)),
        n_jobs=n_jobs,
    ).fit(X, y)
    log.unlink(missing_ok=True)
    selector.transform(X)
    if rng.integers(4) == 0:
        selector.report(folder / "page.html")
    if rng.integers(4) == 0:
        next(enumerate_reducts(X[:40, :8], y[:40], n_jobs=n_jobs, missing="different"), None)


def use_once(rng, n_jobs, folder):
    """Do one round: mostly a fit, at times boosted trees or a file that is broken."""
    kind = rng.integers(20)
    if kind == 0:
        X, y = made_table(rng)
        BoostedSelector(n_jobs=n_jobs, random_state=0).fit(X, (y > np.median(y)).astype(int))
    elif kind == 1:
        path = folder / "x.csv"
        path.write_text("a,b,class\n" + "1,2,x\n3,4,y\n" * 500 + "5,6\n" * int(rng.integers(2)))
        with suppress(ValueError):  # the last lines may be short
            read_table(path, "class")
    else:
        with suppress(ValueError):  # a target may be constant
            fit_once(rng, n_jobs, folder)


def soak(minutes, n_jobs):
    """Run rounds for some minutes; yield a sample every few seconds."""
    rng, start, n_rounds = np.random.default_rng(0), time.monotonic(), 0
    due = start
    with tempfile.TemporaryDirectory(prefix="fuzzyfrog-soak-") as folder:
        while time.monotonic() - start < 60 * minutes:
            use_once(rng, n_jobs, Path(folder))
            n_rounds += 1
            if time.monotonic() >= due:
                yield sampled(start, n_rounds)
                due = time.monotonic() + SECONDS_BETWEEN_SAMPLES


def quarter(samples, number):
    """Return the samples of one quarter of the time, counted from 1."""
    end = samples[-1].seconds
    return [one for one in samples if number - 1 <= 4 * one.seconds / end <= number]


def growth(samples):
    """Return by how much the last quarter is above the second: bytes, files, threads."""
    fields = list(zip(*map(astuple, quarter(samples, 2)), strict=True))[2:]
    later = list(zip(*map(astuple, quarter(samples, 4)), strict=True))[2:]
    return [median(late) - median(early) for early, late in zip(fields, later, strict=True)]


def main(minutes, n_jobs):
    """Print about thirty lines over the time, then what grew; return the exit code."""
    warnings.simplefilter("ignore")
    print_head("minutes", "rounds", "resident MB", "open files", "threads")
    samples, shown = [], -1.0
    for one in soak(minutes, n_jobs):
        samples.append(one)
        if one.seconds - shown >= 2 * minutes:
            shown = one.seconds
            resident = f"{one.resident / 2**20:.1f}"
            print_row(f"{one.seconds / 60:.1f}", one.n_rounds, resident, one.n_files, one.n_threads)
    memory, files, threads = growth(samples)
    print(
        f"\nAfter the warm-up: {memory / 2**20:+.1f} MB of at most {MARGIN / 2**20:.0f} MB, "
        f"{files:+.0f} files, {threads:+.0f} threads, in {samples[-1].n_rounds} rounds."
    )
    return int(memory > MARGIN or files > 0 or threads > 0)


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(float(given[0]) if given else 30.0, int(given[1]) if given[1:] else 1))
