"""A storm of kill -9 on one run with a proof: it must end with the record of an undisturbed run.

    python benchmarks/kill_storm.py --folder /tmp/storm --jobs 1
    python benchmarks/kill_storm.py --folder /tmp/storm2 --jobs 1 --made search --kills 40
    python benchmarks/kill_storm.py --folder /tmp/storm3 --jobs 1 --table urban_land_cover

The run is started, killed at a random moment of a stage, started again, and so
on. Each life is a process of its own, forked from one that has loaded the compiled code. It tells
when a stage begins: reading, replay (of what earlier lives did), search, proof, writing
(explanations and files). Every kill has a stage and a random moment of it, in CPU seconds of the
life, so that a busy machine changes nothing: first in the search, then in the proof, then in the
writing, with reading and replays in between. How far a life came is read from the log of scores
and steps of the proof, whole records only, and from the place of the branch and bound. Asserted: no
life loses a record; one that worked beyond its replay for more than two CPU seconds has got
further; the final record is that of the undisturbed run. Lives that are killed while they read,
replay or write cannot get further.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzzyfrog import ReductSelector, load_dataset
from fuzzyfrog.cli import run as fuzzyfrog
from fuzzyfrog.cli.progress import CHOOSING, EXPLAINING, WRITING, ProgressState
from fuzzyfrog.common.jit import compiling_all
from fuzzyfrog.search.checkpoint import ScoreLog
from fuzzyfrog.search.exact import CoverProof

FIRST = 8  # where the first record of the log begins
FRAME = struct.Struct("<II")
TICKS = os.sysconf("SC_CLK_TCK")
LOST_SECONDS = 2.0  # of work, at most
# The stages of kills, over and over: first in the search, then in the proof, then in the writing.
STAGES = {
    "search": ("search", "search", "reading", "search", "search", "replay"),
    "proof": ("proof", "proof", "replay", "proof", "proof", "reading"),
    "writing": ("writing",),
}
# Of all kills, by the table: most fall where its run spends most of its time.
SHARES = {
    "proof": {"search": 0.2, "proof": 0.65, "writing": 0.15},
    "search": {"search": 0.7, "proof": 0.15, "writing": 0.15},
}
# CPU seconds between the beginning of a stage, behind the replay, and a kill: enough for a record.
MOMENTS = {"search": (0.6, 1.4), "proof": (0.6, 1.4)}
# Samples, features, informative ones, levels and classes of the tables that are made.
MADE = {"proof": (600, 50, 30, 10, 4), "search": (6_000, 20, 15, 10, 3)}


def main() -> None:
    """Run once undisturbed, then in the storm, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--table", help="a table for fuzzyfrog reducts; without it, one is made")
    parser.add_argument("--made", choices=MADE, default="proof", help="what takes longest on it")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    asked, options = parser.parse_known_args()  # others are for fuzzyfrog reducts
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / "made.csv"
    table = [asked.table] if asked.table else [made_table(made, *MADE[asked.made]), "--target", "y"]
    call = ["fuzzyfrog", "reducts", *table, "--certify", "--save", "run.json", *options]
    call += ["--report", "page.html", "--output", "reduced.csv"]
    with compiling_all():  # a life that is killed while it compiles cannot get further
        ReductSelector(certify=True, n_jobs=1, random_state=0).fit(load_dataset("wine"))
    calm, stormy = folder / "calm", folder / "stormy"
    for one in (calm, stormy):
        one.mkdir(exist_ok=True)
    if not (calm / "run.json").exists():  # one that is there already is compared with
        begun = time.monotonic()
        life = Life(call, calm)
        assert life.until(None, 0.0) == "ended"
        print(f"undisturbed: {time.monotonic() - begun:.1f} s, CPU {life.cpu:.1f} s", flush=True)
        lasted = {stage: round(seconds, 1) for stage, seconds in life.lasted().items()}
        (folder / "calm.json").write_text(json.dumps(lasted), encoding="utf-8")
        print(f"CPU seconds of its stages: {lasted}", flush=True)
    usual = json.loads((folder / "calm.json").read_text(encoding="utf-8"))
    storm = Storm(call, stormy, comparable(calm), usual, asked.seed)
    storm.blow(asked.kills, SHARES[asked.made])


def made_table(
    path: Path, n_samples: int, n_features: int, n_informative: int, n_levels: int, n_classes: int
) -> str:
    """Write a table of whole numbers whose search or proof takes a while; return its path."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, n_levels, (n_samples, n_features))
    score = X[:, :n_informative] @ rng.normal(size=n_informative) + rng.normal(size=n_samples)
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    head = ",".join([*(f"x{i}" for i in range(n_features)), "y"])
    rows = (",".join(map(str, row)) + f",class{c}" for row, c in zip(X.tolist(), y, strict=True))
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    return str(path)


@dataclass(frozen=True)
class Reached:
    """How far a run has come: where the last whole record of its log ends."""

    log: int
    place: int  # of the branch and bound: a digest

    @classmethod
    def of(cls, folder: Path) -> Reached:
        """Return how far the run in a folder has come."""
        place = folder / "run.json.scores.place"
        digest = zlib.crc32(place.read_bytes()) if place.exists() else 0
        return cls(whole_bytes(folder / "run.json.scores", FIRST), digest)

    def __sub__(self, other: Reached) -> tuple[int, int]:
        """Return the new bytes of the log, and whether the place has moved."""
        return self.log - other.log, int(self.place != other.place)


class Storm:
    """Kills a run again and again, then lets it end."""

    def __init__(
        self,
        call: list[str],
        folder: Path,
        expected: dict[str, object],
        usual: dict[str, float],
        seed: int,
    ) -> None:
        self._call, self._folder = call, folder
        self._expected, self._usual = expected, usual
        self._rng = random.Random(seed)  # noqa: S311
        self._n: Counter[str] = Counter()  # kills, by the stage in which they fell
        self._further: Counter[str] = Counter()
        self._longest_replay = 0.0

    def blow(self, n_kills: int, shares: dict[str, float]) -> None:
        """Kill, print a line for every life, and compare the record at the end."""
        begun, n_ended = time.monotonic(), 0
        ends = dict(zip(shares, np.cumsum(list(shares.values())) + 1e-9, strict=True))
        print("life  killed in (asked for)  CPU s  beyond replay  new bytes, new place")
        while (left := n_kills - self._n.total()) > 0:
            number = n_kills - left
            part = next(name for name, end in ends.items() if number < end * n_kills)
            wanted = STAGES[part][number % len(STAGES[part])]
            if not self._live(wanted):
                n_ended += 1
                self._check()
                for path in self._folder.iterdir():
                    path.unlink()  # the next run begins
        if not self._is_complete():
            assert Life(self._call, self._folder).until(None, 0.0) == "ended"
        self._check()
        print(f"the run ended {n_ended + 1} times, each time with an equal record")
        for stage in ("reading", "replay", "search", "proof", "writing"):
            print(f"{stage:8} {self._n[stage]:3} kills, {self._further[stage]:3} got further")
        print(f"none lost a record; longest replay {self._longest_replay:.1f} CPU s")
        print(f"storm and end: {time.monotonic() - begun:.0f} s")

    def _live(self, wanted: str) -> bool:
        """Live once, until the kill; return False if the run came to its end before."""
        usual = self._longest_replay if wanted == "replay" else self._usual.get(wanted, 0.5)
        moments = MOMENTS.get(wanted, (0.0, max(0.1, usual)))
        after, before = self._rng.uniform(*moments), Reached.of(self._folder)
        life = Life(self._call, self._folder)
        stage = life.until(wanted, after)
        if stage == "ended":
            return False
        now = Reached.of(self._folder)
        if self._is_complete():  # killed after everything was written, its logs removed
            now = before
        new = now - before
        assert min(new) >= 0, f"lost: {before} -> {now}"
        worked = life.beyond_replay()
        assert worked <= LOST_SECONDS or max(new) > 0, f"{worked:.1f} s of work left nothing"
        self._n[stage] += 1
        self._further[stage] += max(new) > 0
        self._longest_replay = max(self._longest_replay, life.lasted().get("replay", 0.0))
        print(
            f"{self._n.total():4}  {stage:8} ({wanted:8}) {life.cpu:10.2f} {worked:10.2f}"
            f" {new[0]:10} {'yes' if new[1] else 'no'}",
            flush=True,
        )
        return not self._is_complete()

    def _is_complete(self) -> bool:
        return (self._folder / "run.json").exists() and not (
            self._folder / "run.json.scores"
        ).exists()

    def _check(self) -> None:
        assert comparable(self._folder) == self._expected, "the records differ"
        for name in ("page.html", "reduced.csv"):
            assert (self._folder / name).stat().st_size > 0


class Life:
    """One process of a run."""

    def __init__(self, call: list[str], folder: Path) -> None:
        self._call, self._folder = call, folder
        self._told = folder.with_name("told")
        self._stages = folder.with_name("stages")
        self.cpu = 0.0

    def until(self, wanted: str | None, after: float) -> str:
        """Live until some CPU seconds into a stage; return the stage of the kill, or "ended"."""
        self._stages.write_text("", encoding="utf-8")
        child = os.fork()
        if child == 0:
            self._run_here()
        status = None
        while status is None:
            self.cpu = cpu_seconds(child)
            pid, ended = os.waitpid(child, os.WNOHANG)
            if pid:
                status = os.waitstatus_to_exitcode(ended)
            elif wanted is not None and self._is_due(wanted, after):
                os.kill(child, signal.SIGKILL)
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            else:
                time.sleep(0.01)
        said = self._told.read_text(encoding="utf-8")
        assert "Traceback" not in said, said
        if status != -signal.SIGKILL:
            assert status == 0, said
            return "ended"
        return self._begun()[-1][0]

    def _is_due(self, wanted: str, after: float) -> bool:
        """Whether the moment has come; a stage that is over counts as well."""
        order = ["reading", "replay", "search", "proof", "writing"]
        later = order[order.index(wanted) :]
        begun = [at for stage, at in self._begun() if stage in later]
        return bool(begun) and self.cpu >= begun[0] + after

    def _begun(self) -> list[tuple[str, float]]:
        """Return when each stage began, in CPU seconds."""
        lines = self._stages.read_text(encoding="utf-8").split("\n")[:-1]
        found = [(stage, float(at)) for stage, at in (line.split() for line in lines)]
        return found or [("reading", 0.0)]

    def lasted(self) -> dict[str, float]:
        """Return the CPU seconds of each stage."""
        begun = self._begun()
        ends = [*(at for _, at in begun[1:]), self.cpu]
        return {stage: end - at for (stage, at), end in zip(begun, ends, strict=True)}

    def beyond_replay(self) -> float:
        """Return the CPU seconds of new work in search and proof."""
        lasted = self.lasted()
        return max(0.0, lasted.get("search", 0.0)) + max(0.0, lasted.get("proof", 0.0))

    def _run_here(self) -> None:
        """Run the command line in this process, report its stages, and end it."""
        os.chdir(self._folder)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open(self._told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        tell_stages(os.open(self._stages, os.O_WRONLY | os.O_APPEND))
        sys.argv, code = self._call, 1
        try:
            fuzzyfrog()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        finally:
            os._exit(code)


def tell_stages(file: int) -> None:
    """Make this process write a line when a stage begins."""
    known: list[str] = []
    state = {"proves": False}

    def begin(stage: str) -> None:
        if stage not in known:
            known.append(stage)
            os.write(file, f"{stage} {time.process_time():.3f}\n".encode())

    phase, next_record, smallest = ProgressState.phase, ScoreLog.next_record, CoverProof.smallest

    def told_phase(self: ProgressState, name: str) -> None:
        if name == CHOOSING:
            begin("replay")
        elif name in (EXPLAINING, WRITING):
            begin("writing")
        phase(self, name)

    def told_next(self: ScoreLog) -> Any:
        record = next_record(self)
        if record is None:
            begin("proof" if state["proves"] else "search")
        return record

    def told_smallest(self: CoverProof) -> Any:
        state["proves"] = True
        if "search" in known:
            begin("proof")
        return smallest(self)

    ProgressState.phase, ScoreLog.next_record = told_phase, told_next  # type: ignore[method-assign]
    CoverProof.smallest = told_smallest  # type: ignore[method-assign]
    begin("reading")


def cpu_seconds(process: int) -> float:
    """Return what a process has used, in user and in system mode."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


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
    """Return the record of a run without times, and without any trace that it was resumed."""
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))["result"]
    for point in run["history"]:
        del point["seconds"]
    others = {"seconds", "command", "settings", "n_resumed"}
    return {name: value for name, value in run.items() if name not in others}


if __name__ == "__main__":
    main()
