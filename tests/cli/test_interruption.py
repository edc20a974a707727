"""Runs that are stopped from outside, as real processes."""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from cli_process import COMMAND, environment
from fuzzyfrog.result import Result

# Scores of the whole first generation of frogs: from then on there is a best so far.
FIRST_BYTES = 12_000
ARGUMENTS = ["reducts", "digits", "--quiet", "--no-check", "--save", "run.json"]
# The command line, which gets a signal as soon as it has written these scores.
SIGNALED = """
import os
from fuzzyfrog.cli import run
from fuzzyfrog.search import checkpoint
write_all = checkpoint.write_all

def write_and_signal(file, content):
    write_all(file, content)
    if os.fstat(file).st_size >= {n_bytes}:
        checkpoint.write_all = write_all
        os.kill(os.getpid(), {kind:d})

checkpoint.write_all = write_and_signal
run()
"""


def signaled(kind: signal.Signals, folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Return a search that a signal ended when it was well under way."""
    code = SIGNALED.format(n_bytes=FIRST_BYTES, kind=kind)
    return subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code, *ARGUMENTS, *arguments],
        capture_output=True, encoding="utf-8", env=environment(), cwd=folder, timeout=600,
        check=False,
    )  # fmt: skip


def test_a_signal_ends_the_search_and_everything_is_written(tmp_path):
    files = ["--report", "page.html", "--output", "reduced.csv"]
    done = signaled(signal.SIGTERM, tmp_path, "--json", *files)
    assert done.returncode == 130
    run = Result.from_json(done.stdout)
    assert run.stop_reason == "interrupted"
    assert Result.load(tmp_path / "run.json") == run
    assert (tmp_path / "page.html").exists()
    header = (tmp_path / "reduced.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert header.split(",") == [*run.names(run.selected), "class"]
    assert "stopping with the best columns so far" in done.stderr
    assert "warning: The search was interrupted" in done.stderr
    assert (tmp_path / "run.json.scores").exists()
    assert not list(tmp_path.glob(".*"))


def wait_for_scores(folder: Path, process: subprocess.Popen, terminal: int) -> None:
    """Wait until a search is well under way; what it shows on its terminal is read meanwhile."""
    scores, deadline = folder / "run.json.scores", time.monotonic() + 100
    while not scores.exists() or scores.stat().st_size < FIRST_BYTES:
        assert process.poll() is None
        assert time.monotonic() < deadline
        if select.select([terminal], [], [], 0.02)[0]:
            os.read(terminal, 65536)


def started_on_terminal(folder: Path, *arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start a search on its own terminal; return it, well under way, and our side."""
    ours, theirs = pty.openpty()

    def adopt() -> None:  # the process leads the session whose terminal this is
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [*COMMAND, "reducts", "digits", "--save", "run.json", *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment(), cwd=folder,
        preexec_fn=adopt,
    )  # fmt: skip
    os.close(theirs)
    wait_for_scores(folder, process, ours)
    return process, ours


@pytest.mark.long
def test_a_terminal_that_is_closed_costs_no_result(tmp_path):
    process, terminal = started_on_terminal(tmp_path, "--report", "page.html")
    os.close(terminal)
    assert process.wait(timeout=600) == 130
    assert Result.load(tmp_path / "run.json").stop_reason == "interrupted"
    assert (tmp_path / "page.html").exists()
    assert not list(tmp_path.glob(".*"))


def without_times(path: Path) -> dict:
    run = json.loads(path.read_text(encoding="utf-8"))["result"]
    for point in run["history"]:
        del point["seconds"]
    for name in ("seconds", "command", "settings", "n_resumed"):
        del run[name]
    return run


def test_a_killed_run_is_resumed_to_the_same_end(tmp_path, fuzzyfrog, in_process, monkeypatch):
    budget = ["--max-evaluations", "1500"]
    assert signaled(signal.SIGKILL, tmp_path, *budget).returncode == -signal.SIGKILL
    assert not (tmp_path / "run.json").exists()
    resumed = fuzzyfrog(*ARGUMENTS, *budget)
    assert resumed.returncode == 0
    assert resumed.stderr.endswith("Nothing can be learned from them. They are left out.\n")
    monkeypatch.chdir(tmp_path)
    options = ["--quiet", "--no-check", "--save", "other.json"]
    assert in_process("reducts", "digits", *options, *budget)[0] == 0
    assert without_times(tmp_path / "run.json") == without_times(tmp_path / "other.json")
    code, out, err = in_process(*ARGUMENTS, *budget, "--seed", "1")
    assert (code, out) == (2, "")
    assert "must come from the same run" in err


def interrupted_at(phase: str, kind: signal.Signals, *arguments: str) -> tuple[int, str, str]:
    """Send a signal when a phase is shown; return exit code, stdout and the last that is said."""
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        env=environment(),
    ) as process:  # fmt: skip
        said = ""
        while phase not in said:
            said = process.stderr.readline()
            assert said, f"ended before {phase}"
        process.send_signal(kind)
        told, said = process.communicate(timeout=600)
    return process.returncode, told, said


def test_outside_of_a_search_an_interruption_is_one_sentence():
    ended = interrupted_at("reading -", signal.SIGINT, "score", "-", "--target", "class")
    assert ended == (130, "", "fuzzyfrog: interrupted\n")


BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "interrupt_start.py"


@pytest.mark.long
def test_ctrl_c_while_libraries_are_imported_costs_no_file_without_a_sentence():
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, BENCHMARK, "--runs", "8", "--seconds", "2.5"],
        capture_output=True, encoding="utf-8", env=environment(), timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_reducts_that_were_found_until_an_interruption_are_printed():
    # It takes forever.
    arguments = ["reducts", "digits", "--all", "--n-features", "12", "--json"]
    code, told, said = interrupted_at("searching for", signal.SIGTERM, *arguments)
    assert code == 130
    found = json.loads(told)
    assert not found["all"]
    assert said.endswith("fuzzyfrog: interrupted; printing the reducts found so far\n")
