"""Peak resident size of an evaluation on 1,000,000 x 50, each in a separate process.

Run: python benchmarks/memory.py [samples]
"""

import subprocess
import sys

from race import print_head, print_row
from workloads import gaussian_classes, random_subsets

N_FEATURES = 50
SUBSET_SIZES = (3, 5, 25)
ALLOWANCE = 500e6


def resident_bytes(field):
    """Return a figure of this process from the kernel: VmRSS is now, VmHWM the peak."""
    with open("/proc/self/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith(field))
    return int(line.split()[1]) * 1024


def evaluate(n_samples, size):
    """Make the data, score one subset, and print the memory before and at the peak."""
    from fuzzyfrog.measure import Dependency

    X, y = gaussian_classes(n_samples, N_FEATURES)
    before = resident_bytes("VmRSS")
    measure = Dependency(X, y, target="class", n_jobs=2)
    gamma = measure.score(random_subsets(N_FEATURES, size, 1))[0]
    print(before, resident_bytes("VmHWM"), gamma)


def in_a_process(n_samples, size):
    """Return what `evaluate` prints in a fresh process."""
    command = [sys.executable, __file__, "evaluate", str(n_samples), str(size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 (ourselves)
    before, peak, gamma = done.stdout.split()
    return int(before), int(peak), float(gamma)


def main(n_samples):
    """Print the table: peak resident size next to the bound of three times the data + 500 MB."""
    data = n_samples * N_FEATURES * 8
    print_head("samples", "features", "dependency", "with the data", "peak", "bound", "kept")
    for size in SUBSET_SIZES:
        before, peak, gamma = in_a_process(n_samples, size)
        bound = 3 * data + ALLOWANCE
        in_mb = (f"{value / 1e6:,.0f} MB" for value in (before, peak, bound))
        print_row(f"{n_samples:,}", size, f"{gamma:.6f}", *in_mb, "yes" if peak < bound else "NO")


if __name__ == "__main__":
    if sys.argv[1:2] == ["evaluate"]:
        evaluate(int(sys.argv[2]), int(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 1_000_000)
