"""Ctrl-C in the first seconds of a run, while Numba, SciPy and scikit-learn are imported.

    python benchmarks/interrupt_start.py --runs 200

Each run is a process of its own that gets the signal after a random CPU time, the same on a busy
machine, with `select` or `reducts`, with compiled kernels or without any.

Promised: never a traceback; exit code 130, or 0 if the run was done before; and every file that was
asked for is written, or a sentence says why not. Any other run is shown in full, and the exit code
is 1. While Python itself starts (about 20 ms), it answers with a traceback of its own; such runs
are counted apart.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from interrupt_stages import cpu_seconds

FILES = ("run.json", "reduced.csv", "page.html")
# What is said if there is nothing to write.
NOTHING = ("interrupted before anything was found; nothing is written", "fuzzyfrog: interrupted\n")
BEFORE = "before our first line: the answer is Python's own"
START = """
import os
from fuzzyfrog.cli import run
os.write(2, b"started\\n")
run()
"""


def main() -> None:
    """Interrupt many runs, and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU time of the latest signal")
    parser.add_argument("--at-once", type=int, default=2, help="processes that run together")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    rng = random.Random(asked.seed)  # noqa: S311
    cases = [
        (
            ("select", "reducts")[i % 2],
            ("warm", "cold")[i // 2 % 2],
            rng.uniform(0.0, asked.seconds),
        )
        for i in range(asked.runs)
    ]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.at_once) as pool:
        table, warm = made(Path(folder)), Path(folder, "kernels")
        for command in ("select", "reducts"):
            interrupted(table, command, warm, after=float("inf"))  # compiles
        found = list(pool.map(lambda one: outcome(table, warm, *one), cases))
    for (command, kernels, ending), count in sorted(Counter(found).items()):
        print(f"{command:7} {kernels:5} {count:4} x {ending}")
    sys.exit(any(ending.startswith("broken") for *_, ending in found))


def made(folder: Path) -> Path:
    """Write a table that is large enough for kernels, with a class that needs several columns."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(3_000, 12))
    classes = (values[:, :4].sum(axis=1) > 0).astype(int)
    table = folder / "table.csv"
    names = ",".join([*(f"x{k}" for k in range(12)), "class"])
    np.savetxt(table, np.column_stack([values, classes]), "%.5g", ",", header=names, comments="")
    return table


def outcome(table: Path, warm: Path, command: str, kernels: str, after: float) -> tuple[str, ...]:
    """Interrupt one run; return its kind and how it ended."""
    with tempfile.TemporaryDirectory() as cold:
        cache = warm if kernels == "warm" else Path(cold)
        code, files, said = interrupted(table, command, cache, after)
    ending = judged(code, files, said)
    if ending.startswith("broken"):
        print(f"--- {command}, {kernels}, after {after:.3f} s: {ending}\n{said}", flush=True)
    return command, kernels, ending


def judged(code: int, files: tuple[str, ...], said: str) -> str:
    """Return how a run ended, which begins with "broken" if that was not as promised."""
    if not said.startswith("started\n"):
        return BEFORE
    if "Traceback" in said or "Exception ignored" in said:
        return "broken: a traceback"
    if code not in (0, 130):
        return f"broken: exit code {code}"
    if files == FILES:
        return f"exit code {code}, all files"
    if code == 130 and not files and any(one in said for one in NOTHING):
        return "exit code 130, no file, and a sentence"
    return f"broken: exit code {code}, files {files}"


def interrupted(
    table: Path, command: str, cache: Path, after: float
) -> tuple[int, tuple[str, ...], str]:
    """Run a selection, interrupt it, and return exit code, files and what was said."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
            [sys.executable, "-c", START, command, str(table), "--target", "class", "--json",
             "--save", FILES[0], "--output", FILES[1], "--report", FILES[2],
             "--max-seconds", "60"],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
            env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        )  # fmt: skip
        press = threading.Thread(target=press_ctrl_c, args=(process, after))
        press.start()
        told, said = process.communicate()
        press.join()
        files = tuple(one for one in FILES if Path(folder, one).exists())
        if files and not isinstance(json.loads(told), dict):
            said = f"Traceback: no JSON\n{said}"
        return process.returncode, files, said


def press_ctrl_c(process: subprocess.Popen[str], after: float) -> None:
    """Send the signal once the process has used some CPU seconds, if it has not ended by then."""
    while process.poll() is None and cpu_seconds(process.pid) < after:
        time.sleep(0.01)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
