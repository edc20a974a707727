"""A million samples: time and peak memory, each case in a separate process.

With `cluster` every case runs twice, on the threads of one process and on a Dask cluster of two
workers with a thread each on this machine, and the scores are compared bit by bit.

Run: python benchmarks/million.py [quickreduct | subsets | sampled | cluster | model] [samples ...]
"""

import json
import resource
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from hashlib import sha256
from time import perf_counter

import numpy as np

from race import machine, print_head, print_row, seconds
from workloads import mixed_features, random_subsets

N_FEATURES = 50
N_CLASSES = (2, 5)
N_SAMPLED = 10_000
N_SUBSETS = 1_000
SUBSET_SIZES = (1, 2, 3, 4, 5)
MODEL_SIZES = (1, 2, 3, 5, 8, 12)
MODEL_SECONDS = 6.0  # spent at most on one cell of the cost model, once it has a first lap


def small_subsets(count):
    """Return as many subsets of each small size, in turn."""
    each = [random_subsets(N_FEATURES, size, count // len(SUBSET_SIZES)) for size in SUBSET_SIZES]
    return np.concatenate(each)


def warm_up():
    """Compile, or load from the cache, what the timed part needs."""
    from fuzzyfrog import ReductSelector
    from fuzzyfrog.measure import Dependency, SampledDependency

    X, y = mixed_features(12_000, N_FEATURES)
    for measure in (Dependency(X, y), SampledDependency(Dependency(X, y), 4_000)):
        measure.score(small_subsets(len(SUBSET_SIZES)))
        measure.score(np.ones((1, N_FEATURES), dtype=bool))
        measure.best(np.eye(N_FEATURES, dtype=bool))
    ReductSelector("quickreduct", n_features_to_select=2).fit(X[:3_000], y[:3_000])


def timed(work):
    """Return what the work gave, its seconds on the wall, and its seconds of CPU time."""
    wall, cpu = perf_counter(), cpu_seconds()
    answer = work()
    return answer, perf_counter() - wall, cpu_seconds() - cpu


def cpu_seconds():
    """Return the CPU time of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def quickreduct(X, y, n_sampled, client):
    """Select features from arrays to the fitted selector."""
    from fuzzyfrog import ReductSelector

    sample = {} if n_sampled is None else {"sample": n_sampled}
    n_jobs = None if client is None else 1  # with as many threads here nothing would be sent
    selector = ReductSelector(
        "quickreduct", random_state=0, cluster=client, n_jobs=n_jobs, **sample
    )
    found, wall, cpu = timed(lambda: selector.fit(X, y))
    told = f"{found.n_features_} features, γ = {found.dependency_:.6f}"
    if n_sampled is not None:
        told += " in [{:.4f}, {:.4f}]".format(*found.dependency_interval_)
    seen = [[point.dependency for point in found.history_], found.get_support().tolist()]
    return told, wall, cpu, digest(json.dumps(seen).encode())


def subsets(X, y, n_sampled, client):
    """Score small subsets, the measure made, and sent to the workers, before."""
    from fuzzyfrog.cluster import on_cluster
    from fuzzyfrog.measure import Dependency, SampledDependency

    measure = Dependency(X, y, n_jobs=None if client is None else 1)
    if n_sampled is not None:
        measure = SampledDependency(measure, n_sampled)
    masks = small_subsets(N_SUBSETS)
    with nullcontext(measure) if client is None else on_cluster(measure, client) as anywhere:
        scores, wall, cpu = timed(lambda: anywhere.score(masks))
    told = f"{len(masks):,} subsets, mean γ = {scores.mean():.6f}"
    return told, wall, cpu, digest(scores.tobytes())


def digest(content):
    """Return what differs when a bit differs."""
    return sha256(content).hexdigest()[:8]


CASES = {"quickreduct": quickreduct, "subsets": subsets}


@contextmanager
def cluster_of(n_workers):
    """Lend a client of as many workers with a thread each; None for none."""
    if not n_workers:
        yield None
        return
    from distributed import Client, LocalCluster

    settings = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **settings) as cluster, Client(cluster) as client:
        client.run(warm_up)
        yield client


def peak_bytes():
    """Return the largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run_case(case, n_samples, n_classes, n_sampled, n_workers):
    """Print what one case gave, times and peaks of its processes, for the parent."""
    warm_up()
    X, y = mixed_features(n_samples, N_FEATURES, n_classes)
    with cluster_of(n_workers) as client:
        before = client.run(cpu_seconds) if client else {}
        told, wall, cpu, bits = CASES[case](X, y, n_sampled, client)
        cpus = [cpu]
        peaks = [peak_bytes()]
        if client:
            after = client.run(cpu_seconds)
            cpus += [after[worker] - before[worker] for worker in after]
            peaks += client.run(peak_bytes).values()
    print(json.dumps([told, wall, cpus, peaks, bits]))


def in_a_process(*arguments):
    """Return what `run_case` prints in a fresh process."""
    command = [sys.executable, __file__, "case", json.dumps(arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 (ourselves)
    return json.loads(done.stdout.splitlines()[-1])


def print_cases(cases, sizes, n_sampled=None, workers=(0,)):
    """Print a row for each case, size, number of classes and of workers."""
    print_head(
        "case", "samples", "measured", "classes", "workers", "wall", "CPU", "peak", "answer", "bits"
    )
    for n_samples in sizes:
        for n_classes in N_CLASSES:
            for case in cases:
                for n_workers in workers:
                    told, wall, cpus, peaks, bits = in_a_process(
                        case, n_samples, n_classes, n_sampled, n_workers
                    )
                    print_row(
                        case, f"{n_samples:,}", f"{n_sampled or n_samples:,}", n_classes, n_workers,
                        seconds(wall), " + ".join(seconds(cpu) for cpu in cpus),
                        " + ".join(f"{peak / 1e9:.2f}" for peak in peaks) + " GB", told, bits,
                    )  # fmt: skip


def print_model(sizes):
    """Print CPU microseconds per sample of one evaluation, by samples, classes and features."""
    from fuzzyfrog.measure import Dependency

    warm_up()
    print_head("samples", "classes", *(f"{size} features" for size in MODEL_SIZES), "all 50")
    for n_samples in sizes:
        for n_classes in N_CLASSES:
            measure = Dependency(*mixed_features(n_samples, N_FEATURES, n_classes), n_jobs=1)
            cells = [one_evaluation(measure, size) for size in (*MODEL_SIZES, N_FEATURES)]
            print_row(f"{n_samples:,}", n_classes, *(f"{1e6 * c / n_samples:.3g}" for c in cells))


def one_evaluation(measure, size):
    """Return the mean CPU time of an evaluation of a random subset, over a few of them."""
    spent, count = 0.0, 0
    for mask in random_subsets(N_FEATURES, size, 5, seed=size):
        _, _, cpu = timed(lambda mask=mask: measure.score(mask[np.newaxis]))
        spent, count = spent + cpu, count + 1
        if spent > MODEL_SECONDS:
            break
    return spent / count


def main(what, sizes):
    """Print one of the tables, or all."""
    print(machine(), "\n")
    if what in CASES:
        print_cases([what], sizes or [1_000_000])
    if what in ("all", "sampled"):
        print_cases(CASES, sizes or [1_000_000], N_SAMPLED)
    if what in ("all", "cluster"):
        print_cases(CASES, sizes or [1_000_000], workers=(0, 2))
    if what in ("all", "model"):
        print_model(sizes or [10_000, 100_000, 1_000_000])


if __name__ == "__main__":
    if sys.argv[1:2] == ["case"]:
        run_case(*json.loads(sys.argv[2]))
    else:
        what, *sizes = sys.argv[1:] or ["all"]
        main(what, [int(size) for size in sizes])
