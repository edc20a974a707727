"""A storm of kill -9 on one run with a proof: it must end with the record of an undisturbed run.

    python benchmarks/kill_storm.py urban_land_cover --kills 100 --folder /tmp/storm --jobs 1

The run is started with ``--resume``, killed after a random time, started again, and so on. Each
is a process of its own, forked from one that has loaded the code, so that kills fall into reading,
replay, search, proof and writing and not into imports; and it is killed by its own CPU time,
so that a busy machine changes nothing. How far a run came is read from its logs, which must never
lose a whole record.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import struct
import sys
import time
import zlib
from collections import Counter
from pathlib import Path

from fuzzyfrog import FuzzyRoughSelector, load_dataset
from fuzzyfrog.cli import main as fuzzyfrog

LOGS = {"run.json.scores": 8, "run.json.scores.proof": 24}  # where the first record begins
FRAME = struct.Struct("<II")
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Run once undisturbed, then in the storm, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("table")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--longest", type=float, default=9.0, help="CPU seconds before a kill")
    parser.add_argument("--seed", type=int, default=0)
    asked, options = parser.parse_known_args()  # others are for fuzzyfrog select
    call = ["fuzzyfrog", "select", asked.table, "--certify", "--save", "run.json", *options]
    FuzzyRoughSelector(certify=True, n_jobs=1, random_state=0).fit(load_dataset("wine"))
    calm = asked.folder / "calm"
    calm.mkdir(parents=True, exist_ok=True)
    if not (calm / "run.json").exists():  # one that is there already is compared with
        begun = time.monotonic()
        assert run_until(call, calm, float("inf")) is None
        print(f"undisturbed: {time.monotonic() - begun:.1f} s", flush=True)
    stormy = asked.folder / "stormy"
    stormy.mkdir()
    storm([*call, "--resume"], stormy, comparable(calm), asked)


def storm(
    call: list[str], folder: Path, expected: dict[str, object], asked: argparse.Namespace
) -> None:
    """Kill a run again and again, then let it end; print what every restart came to.

    A run that comes to its end between two kills is compared, and the next one begins.
    """
    rng, where = random.Random(asked.seed), Counter[str]()  # noqa: S311
    n_further, furthest, begun = 0, reached(folder), time.monotonic()
    while where.total() < asked.kills:
        patience = rng.uniform(0.0, asked.longest)
        phase = run_until(call, folder, patience)
        if phase is None:
            assert comparable(folder) == expected, "the records differ"
            print(f"after {where.total()} kills a run came to its end, with an equal record")
            for path in folder.iterdir():
                path.unlink()
            furthest = reached(folder)
            continue
        now = reached(folder)
        assert all(a >= b for a, b in zip(now, furthest, strict=True)), "something was lost"
        n_further += now > furthest
        where[phase] += 1
        print(f"{where.total():4d}: {patience:5.1f} s, {phase:<8} {furthest} -> {now}", flush=True)
        furthest = now
    assert run_until(call, folder, float("inf")) is None
    assert comparable(folder) == expected, "the records differ"
    print("the last run came to its end, with an equal record")
    print(f"kills: {dict(where)}; {n_further} restarts got further, none lost anything")
    print(f"storm and end: {time.monotonic() - begun:.1f} s")


def run_until(call: list[str], folder: Path, patience: float) -> str | None:
    """Run and kill after some CPU seconds; return where the run stood, None if it has ended."""
    before, told = reached(folder), folder.with_name("told")
    child = os.fork()
    if child == 0:
        run_here(call, folder, told)
    status = None
    while status is None:
        pid, ended = os.waitpid(child, os.WNOHANG)
        if pid:
            status = os.waitstatus_to_exitcode(ended)
        elif cpu_seconds(child) >= patience:
            os.kill(child, signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        else:
            time.sleep(0.02)
    said = told.read_text(encoding="utf-8")
    assert "Traceback" not in said, said
    if status != -signal.SIGKILL:
        assert status == 0, said
        return None
    return phase_of(said, before, reached(folder))


def run_here(call: list[str], folder: Path, told: Path) -> None:
    """Run the command line in this process, and end it."""
    os.chdir(folder)
    file = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(file, 2)
    sys.argv, code = call, 1
    try:
        fuzzyfrog()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(code)


def cpu_seconds(process: int) -> float:
    """Return what a process has used, in user and in system mode."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def phase_of(said: str, before: tuple[int, int], now: tuple[int, int]) -> str:
    """Return what a run did when it was killed, as far as its logs and its lines tell."""
    last = said.strip().splitlines()[-1:] or [""]
    if "explaining" in last[0] or "writing" in last[0]:
        return "writing"
    if now[1] > before[1]:
        return "proof"
    if now[0] > before[0]:
        return "search"
    return "replay" if "evaluations" in said else "reading"


def reached(folder: Path) -> tuple[int, int]:
    """Return how far a run has come: the bytes of scores, and of answers of its proof."""
    scores, proof = (whole_bytes(folder / name, start) for name, start in LOGS.items())
    return scores, proof


def whole_bytes(path: Path, start: int) -> int:
    """Return where the last whole record of a log ends: a kill may tear the one behind it."""
    content = path.read_bytes() if path.exists() else b""
    end = min(start, len(content))
    while len(content) - end >= FRAME.size:
        length, crc = FRAME.unpack_from(content, end)
        body = content[end + FRAME.size : end + FRAME.size + length]
        if len(body) < length or zlib.crc32(body) != crc:
            break
        end += FRAME.size + length
    return end


def comparable(folder: Path) -> dict[str, object]:
    """Return the record of a run without times, and without what tells that it was resumed."""
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))["run"]
    for point in run["history"]:
        del point["seconds"]
    others = {"seconds", "command", "parameters", "n_resumed"}
    return {name: value for name, value in run.items() if name not in others}


if __name__ == "__main__":
    main()
