"""How long a first use takes, as ratios to importing scikit-learn's feature selection.

Every figure is the median over rounds; each round runs every command once, in a process of its
own, so that a change in the load of the machine meets all of them. "cold" has an empty cache of
compiled kernels each time, "warm" one that `fuzzyfrog doctor --warm` has filled. The package has
its bytecode, as pip leaves it behind, also where Python is told not to write any. CPU seconds are
those of the process, on all cores. Selections are not checked with models, but for the last row.

    python benchmarks/startup.py [--rounds 3]
"""

from __future__ import annotations

import argparse
import compileall
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import fuzzyfrog

REFERENCE = [sys.executable, "-c", "import sklearn.feature_selection"]
FUZZYFROG = [sys.executable, "-m", "fuzzyfrog"]


def tables(folder: Path) -> dict[str, list[str]]:
    """Write tables of several kinds; return the arguments of a first use of each option."""
    rng = np.random.default_rng(0)

    def written(name: str, n_samples: int, *, gaps: bool = False, numeric: bool = False) -> str:
        X = rng.normal(size=(n_samples, 10))
        y = X[:, 0] + X[:, 1] + rng.normal(size=n_samples) / 2
        cells = np.round(X, 3).astype(str)
        if gaps:
            cells[rng.random(X.shape) < 0.05] = ""
        target = np.round(y, 3).astype(str) if numeric else np.where(y > 0, "a", "b")
        lines = [",".join([*map("f{}".format, range(10)), "class"])]
        lines += [
            ",".join([*row, label]) for row, label in zip(cells.tolist(), target, strict=True)
        ]
        path = folder / f"{name}.csv"
        path.write_text("\n".join(lines) + "\n")
        return str(path)

    target = ["--target", "class"]
    plain = [written("plain", 200), *target]
    report = ["--report", str(folder / "page.html"), "--save", str(folder / "run.json")]
    commands = {
        "select wine": ["select", "wine"],
        "reducts wine": ["reducts", "wine"],
        "reducts wine --certify": ["reducts", "wine", "--certify"],
        "wrong target": ["select", plain[0], "--target", "nope"],
        "wrong option": ["reducts", "wine", "--search", "nope"],
        "--help": ["--help"],
        "a CSV of 200 rows": ["reducts", *plain],
        "the same with gaps": ["reducts", written("gaps", 200, gaps=True), *target],
        "a numeric target": ["reducts", written("numeric", 200, numeric=True), *target],
        "--report and --save": ["reducts", *plain, *report],
        "explain": ["explain", str(folder / "run.json")],
        "score": ["score", *plain],
        "5,000 rows, quickreduct": [
            "reducts", written("rows", 5_000), *target, "--search", "quickreduct",
        ],
        "5,000 rows, select": ["select", str(folder / "rows.csv"), *target],
    }  # fmt: skip
    for arguments in commands.values():
        if arguments[0] in ("select", "reducts"):
            arguments.append("--no-check")
    return {**commands, "select wine, with the check": ["select", "wine"]}


def seconds(command: list[str], cache: Path) -> tuple[float, float]:
    """Run a command; return its wall time and its CPU time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    subprocess.run(  # noqa: S603 - our own commands
        command, env=environment, check=False, capture_output=True
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    compileall.compile_dir(Path(fuzzyfrog.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        warm = folder / "warm"
        warm.mkdir(mode=0o700)
        commands = tables(folder)
        subprocess.run(  # noqa: S603 - our own command
            [*FUZZYFROG, "doctor", "--warm"],
            env={**os.environ, "NUMBA_CACHE_DIR": str(warm)},
            check=True, capture_output=True,
        )  # fmt: skip
        taken: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for _ in range(rounds):
            taken.setdefault(("import sklearn.feature_selection", ""), []).append(
                seconds(REFERENCE, warm)
            )
            for label, arguments in commands.items():
                with tempfile.TemporaryDirectory() as cold:
                    for state, cache in (("cold", Path(cold)), ("warm", warm)):
                        (folder / "run.json.scores").unlink(missing_ok=True)
                        figures = seconds([*FUZZYFROG, *arguments], cache)
                        taken.setdefault((label, state), []).append(figures)
    median = {
        key: [statistics.median(column) for column in zip(*figures, strict=True)]
        for key, figures in taken.items()
    }
    wall, used = next(iter(median.values()))
    print("| command | | wall s | ratio | CPU s | ratio |\n|---|---|---|---|---|---|")
    for (label, state), (one, other) in median.items():
        ratios = f"{one:.2f} | {one / wall:.2f} | {other:.2f} | {other / used:.2f}"
        print(f"| {label} | {state} | {ratios} |")


if __name__ == "__main__":
    main()
