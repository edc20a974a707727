"""The first seconds of a run on large tables: when it shows progress, when Ctrl-C gives an answer.

    python benchmarks/first_answer.py --folder /tmp/tables                   # all
    python benchmarks/first_answer.py --folder /tmp/tables million --after 0 5

All times are seconds after the table was read, CPU seconds in brackets. *Shown* is the longest time
without a new line of progress in the first ten seconds, on a pseudo-terminal. *Prepared* is when an
answer exists (all features, until a smaller subset is found), *first subset* when a smaller one is
found. Then the run is interrupted a given time after reading: when it responds, when it ends, and
with how many features. Promised: progress within one second, an answer that exists within five.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from limits import TABLES, made

PATIENCE = 300.0  # seconds for a first subset


def main() -> None:
    """Run the command on each table, once to the first subset and once for each interruption."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", default=list(TABLES), metavar="|".join(TABLES))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--after", type=float, nargs="+", default=[0.0, 5.0])
    asked, options = parser.parse_known_args()  # others are for fuzzyfrog reducts
    afters = " ".join(
        f"| Ctrl-C at {after:g} s: responds, ends, features " for after in asked.after
    )
    print(f"table     shown  prepared  first subset  {afters}")
    for name in asked.tables:
        table = [*made(name, asked.folder), *options]
        cells = [first_subset(table), *(interrupted(table, after) for after in asked.after)]
        print(f"{name:8} {'  | '.join(cells)}", flush=True)


class Watched:
    """The command in a process of its own, on a pseudo-terminal, and what it told when."""

    def __init__(self, call: list[str], folder: Path) -> None:
        self.told = folder / "told"
        self.told.touch()
        ours, theirs = pty.openpty()
        self.process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
            [sys.executable, __file__, "--child", str(self.told), "reducts", *call,
             "--no-check", "--save", "run.json"],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        self.shown: list[tuple[float, bytes]] = []
        threading.Thread(target=self._listen, args=(ours,), daemon=True).start()

    def _listen(self, terminal: int) -> None:
        try:
            while text := os.read(terminal, 65536):
                self.shown.append((time.monotonic(), text))
        except OSError:
            os.close(terminal)

    def wait_for(self, what: str, seconds: float = PATIENCE) -> tuple[float, float] | None:
        """Return when something was told, on the clock and in CPU time, None if it was not."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for line in self.told.read_text(encoding="utf-8").splitlines():
                name, *times = line.split(" ")
                if name == what and len(times) == 2:
                    return float(times[0]), float(times[1])
            if self.process.poll() is not None:
                return None
            time.sleep(0.02)
        return None


def first_subset(call: list[str]) -> str:
    """Return when progress is shown, and when there is an answer and a smaller one."""
    with tempfile.TemporaryDirectory() as folder:
        run = Watched(call, Path(folder))
        read, prepared = run.wait_for("read"), run.wait_for("prepared")
        found = run.wait_for("subset")
        run.process.kill()
        run.process.wait()
        assert read is not None
        begun, used = read
        times = [at - begun for at, _ in run.shown if 0 <= at - begun <= 10]
        longest = max(later - at for at, later in zip([0.0, *times], [*times, 10.0], strict=True))
        if times and times[-1] < 9 and found is not None and found[0] - begun < 10:
            longest = max(later - at for at, later in zip([0.0, *times], times, strict=False))
        cells = [
            "-" if at is None else f"{at[0] - begun:.1f} ({at[1] - used:.1f})"
            for at in (prepared, found)
        ]
        return f"{longest:6.1f} {cells[0]:>12} {cells[1]:>14}"


def interrupted(call: list[str], after: float) -> str:
    """Return when a run that is interrupted responds and ends, and its number of features."""
    with tempfile.TemporaryDirectory() as folder:
        run = Watched(call, Path(folder))
        read = run.wait_for("read")
        assert read is not None
        time.sleep(max(0.0, read[0] + after - time.monotonic()))
        sent = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        run.process.wait()
        ended = time.monotonic() - sent
        said = [at - sent for at, text in run.shown if at >= sent and b"stopping" in text]
        saved = Path(folder, "run.json")
        n_features = "none"
        if saved.exists():
            run_ = json.loads(saved.read_text(encoding="utf-8"))["result"]
            n_features = str(len(run_["selected"]))
        return f"{min([*said, ended]):5.1f} {ended:5.1f} {n_features:>6}"


def run_child(told: Path, call: list[str]) -> None:
    """Run the command line in this process, and note when the table is read and what is found."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    file = os.open(told, os.O_WRONLY | os.O_APPEND)

    def tell(what: str) -> None:
        os.write(file, f"{what} {time.monotonic()!r} {time.process_time()!r}\n".encode())

    from fuzzyfrog.cli import run as fuzzyfrog
    from fuzzyfrog.cli.progress import ProgressState

    start_clock, hear = ProgressState.start_clock, ProgressState.hear
    sizes: list[int] = []

    def told_clock(self: ProgressState) -> None:
        from fuzzyfrog.select.selection import _Fit

        placed = _Fit._placed

        def told_placed(*arguments):  # type: ignore[no-untyped-def]
            tell("prepared")
            return placed(*arguments)

        _Fit._placed = told_placed  # type: ignore[method-assign]
        tell("read")
        start_clock(self)

    def told_hear(self: ProgressState, moment) -> None:  # type: ignore[no-untyped-def]
        if not sizes:
            sizes.append(moment.size)
        if moment.size != sizes[0] or not moment.on_sample:
            tell("subset")
        hear(self, moment)

    ProgressState.start_clock, ProgressState.hear = told_clock, told_hear  # type: ignore[method-assign]
    sys.argv = ["fuzzyfrog", *call]
    fuzzyfrog()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        run_child(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
