"""Ctrl-C at every stage of a run on large tables: when it answers, when it ends, what is left.

    python benchmarks/interrupt_stages.py --folder /tmp/tables                 # all
    python benchmarks/interrupt_stages.py --folder /tmp/tables wide --stages core proof

Each run is a process that tells when a stage begins; the signal comes a random time later.
*Answered* is the first line on stderr after the signal, or the end; *ended* the end, both in
seconds after the signal, next to the CPU seconds that the process still used. Promised: an answer
within two seconds, and the end within three more, which the core and the explanations may take.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from limits import TABLES, USUAL, made

SEARCHES = ("frogs", "quickreduct", "genetic", "swarm")
FEW = ["--max-evaluations", "12"]  # so that the steps after the search are reached
# The stage, what it is called here, and the options that lead there.
CASES = [
    ("starting", "starting", []),
    ("reading", "reading", []),
    ("first batch", "first batch", []),
    *(("search", f"search {name}", ["--search", name]) for name in SEARCHES),
    ("proof", "proof", ["--certify", "--search", "quickreduct"]),
    ("core", "core", FEW),
    ("explaining", "explaining", FEW),
    ("writing", "writing", FEW),
]
LATEST = 1.0  # seconds between the beginning of a stage and the signal
PATIENCE = 900.0  # for a stage to begin


def main() -> None:
    """Interrupt a run at each stage on each table, and print a line about it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", default=list(USUAL), metavar="|".join(TABLES))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--stages", nargs="+", help="only these, such as core or 'search frogs'")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)  # noqa: S311
    print("table    stage              answered  ended  CPU  code  files; the last sentence")
    for name in asked.tables:
        table = made(name, asked.folder)
        for stage, shown, options in CASES:
            if not asked.stages or {stage, shown} & set(asked.stages):
                line = interrupted([*table, *options], stage, rng.uniform(0.0, LATEST))
                print(f"{name:8} {shown:18} {line}", flush=True)


def interrupted(call: list[str], stage: str, after: float) -> str:
    """Run until a stage, interrupt, and return the line about it."""
    with tempfile.TemporaryDirectory() as folder:
        stages = Path(folder, "stages")
        stages.touch()
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
            [sys.executable, __file__, "--child", str(stages), "reducts", *call,
             "--save", "run.json", "--report", "page.html"],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        lines: list[tuple[float, str]] = []
        reader = threading.Thread(target=heard, args=(process, lines))
        reader.start()
        begun = time.monotonic()
        while stage not in stages.read_text(encoding="utf-8").split("\n"):
            if process.poll() is not None or time.monotonic() - begun > PATIENCE:
                process.kill()
                reader.join()
                return f"never began: {[line for _, line in lines[-1:]]}"
            time.sleep(0.01)
        time.sleep(after)
        sent, used = time.monotonic(), os.times().children_user
        before = cpu_seconds(process.pid)
        process.send_signal(signal.SIGINT)
        process.wait()
        ended = time.monotonic() - sent
        reader.join()
        cpu = os.times().children_user - used - before
        said = [(at - sent, line) for at, line in lines if at >= sent]
        answered = min([at for at, _ in said] + [ended])
        assert not any("Traceback" in line for _, line in said), lines
        files = " ".join(sorted(one.name for one in Path(folder).iterdir() if one != stages))
        last = said[-1][1] if said else ""
        return f"{answered:8.1f} {ended:6.1f} {cpu:5.1f} {process.returncode:4}  {files}; {last}"


def heard(process: subprocess.Popen[str], lines: list[tuple[float, str]]) -> None:
    """Note the lines on stderr and their times."""
    assert process.stderr is not None
    lines.extend((time.monotonic(), line.strip()) for line in process.stderr)


def cpu_seconds(process: int) -> float:
    """Return the CPU seconds that a process has used in user mode; 0 after its end."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    return int(stat.rpartition(")")[2].split()[11]) / os.sysconf("SC_CLK_TCK")


def run_child(stages: Path, call: list[str]) -> None:
    """Run the command line in this process, and report its stages."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    file = os.open(stages, os.O_WRONLY | os.O_APPEND)

    def begin(stage: str) -> None:
        os.write(file, f"{stage}\n".encode())

    begin("starting")
    from fuzzyfrog.cli import run as fuzzyfrog
    from fuzzyfrog.cli.progress import CHOOSING, EXPLAINING, WRITING, ProgressState

    phase, hear = ProgressState.phase, ProgressState.hear
    names = {CHOOSING: "first batch", EXPLAINING: "explaining", WRITING: "writing"}

    def told_phase(self: ProgressState, name: str) -> None:
        begin(names.get(name, name.partition(" ")[0]))  # "reading wide.csv"
        if name == CHOOSING:
            tell_of_searches(begin)
        phase(self, name)

    def told_hear(self: ProgressState, moment: object) -> None:
        begin("search")
        hear(self, moment)  # type: ignore[arg-type]

    ProgressState.phase, ProgressState.hear = told_phase, told_hear  # type: ignore[method-assign]
    sys.argv = ["fuzzyfrog", *call]
    fuzzyfrog()


def tell_of_searches(begin) -> None:  # type: ignore[no-untyped-def]
    """Report when the core and the proof begin; their modules are imported by now."""
    from fuzzyfrog.search.exact import CoverProof
    from fuzzyfrog.select import selection

    core_of_run, smallest = selection.core_of_run, CoverProof.smallest

    def told_core(*arguments):  # type: ignore[no-untyped-def]
        begin("core")
        return core_of_run(*arguments)

    def told_smallest(self: CoverProof):  # type: ignore[no-untyped-def]
        begin("proof")
        return smallest(self)

    selection.core_of_run, CoverProof.smallest = told_core, told_smallest  # type: ignore[method-assign]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        run_child(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
