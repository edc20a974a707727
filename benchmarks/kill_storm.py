"""A storm of kill -9 on one run with a proof: it must end with the record of an undisturbed run.

    python benchmarks/kill_storm.py urban_land_cover --kills 100 --folder /tmp/storm

The run is started with ``--resume``, killed after a random time, started again, and so on. The
moments are drawn so that kills fall into reading, search, proof and writing: each time a share of
what the run still needed, and now and then in the first second or when the files appear. How far a
run came is read from the sizes of its logs, which a restart must never shrink below.
"""

from __future__ import annotations

import argparse
import json
import random
import struct
import subprocess
import sys
import time
import zlib
from collections import Counter
from pathlib import Path

COMMAND = [sys.executable, "-m", "fuzzyfrog", "select"]
EARLY = 0.15  # of the kills come while the table is read
LOGS = {"run.json.scores": 8, "run.json.scores.proof": 24}  # where the first record begins
FRAME = struct.Struct("<II")


def main() -> None:
    """Run once undisturbed, then in the storm, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("table")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--shortest", type=float, default=0.5, help="seconds before a kill")
    parser.add_argument("--longest", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("options", nargs="*", help="for fuzzyfrog select, behind --")
    asked = parser.parse_args()
    call = [*COMMAND, asked.table, "--certify", "--save", "run.json", *asked.options]
    calm = asked.folder / "calm"
    calm.mkdir(parents=True, exist_ok=True)
    if not (calm / "run.json").exists():  # one that is there already is compared with
        begun = time.monotonic()
        subprocess.run([*call, "-q"], cwd=calm, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        print(f"undisturbed: {time.monotonic() - begun:.1f} s", flush=True)

    stormy = asked.folder / "stormy"
    stormy.mkdir()
    storm(call, stormy, comparable(calm), asked)


def storm(
    call: list[str], folder: Path, expected: dict[str, object], asked: argparse.Namespace
) -> None:
    """Kill a run again and again, then let it end; print what every restart came to.

    A run that comes to its end between two kills is compared, and the next one begins.
    """
    rng, where, n_kills, n_further = random.Random(asked.seed), Counter(), 0, 0  # noqa: S311
    furthest = reached(folder)
    begun = time.monotonic()
    while n_kills < asked.kills:
        if (folder / "run.json").exists():
            assert comparable(folder) == expected, "the records differ"
            print(f"after {n_kills} kills a run came to its end, with an equal record", flush=True)
            for path in folder.iterdir():
                path.unlink()
            furthest = reached(folder)
        is_early = rng.random() < EARLY
        patience = rng.uniform(0.05, asked.shortest if is_early else asked.longest)
        phase = killed(call, folder, patience)
        if phase is None:
            continue
        n_kills, now = n_kills + 1, reached(folder)
        assert all(a >= b for a, b in zip(now, furthest, strict=True)), "something was lost"
        n_further += now > furthest
        where[phase] += 1
        print(f"{n_kills:4d}: {patience:5.1f} s, {phase:<12} {furthest} -> {now}", flush=True)
        furthest = now
    subprocess.run(  # noqa: S603 - our own interpreter and code
        [*call, "--resume", "-q"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    assert comparable(folder) == expected, "the records differ"
    print("the last run came to its end, with an equal record")
    print(f"{n_kills} kills {dict(where)}, {n_further} restarts got further, none lost anything")
    print(f"storm and end: {time.monotonic() - begun:.1f} s")


def killed(call: list[str], folder: Path, patience: float) -> str | None:
    """Start a run, kill it after some seconds; return where it stood, None if it had ended."""
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [*call, "--resume"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        before = reached(folder)
        try:
            _, said = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            _, said = process.communicate()
        else:
            assert process.returncode == 0, said
            return None
    assert "Traceback" not in said, said
    return phase_of(said, before, reached(folder))


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
