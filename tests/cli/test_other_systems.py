"""The command line where there is nothing that only Linux, or only Unix, has.

This shows that such names are guarded, not that Windows and macOS work: nobody has tried these yet.
"""

import json
import subprocess
import sys

import pytest

from cli_process import environment
from fuzzyfrog.cli import console

# What others import at their start keeps what it found.
ELSEWHERE = """
import os, pathlib, signal, sys
import asyncio, multiprocessing, numba, numpy, pyarrow.csv, rich.console, sklearn.ensemble, tempfile, typer

for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("O_NOFOLLOW", "fork", "mkfifo", "posix_fallocate", "sched_getaffinity", "sysconf", "sysconf_names"):
    if hasattr(os, name):
        delattr(os, name)
if hasattr(signal, "SIGHUP"):
    del signal.SIGHUP
read_text = pathlib.Path.read_text

def without_proc(path, *given, **named):
    if path.parts[1:2] in (("proc",), ("sys",)):
        raise FileNotFoundError(str(path))
    return read_text(path, *given, **named)

pathlib.Path.read_text = without_proc
"""  # noqa: E501
RUN = "from fuzzyfrog.cli import run\nrun()\n"


def answered(code: str, folder, *arguments: str, **changes: str) -> dict:
    call = [sys.executable, "-c", code, *arguments, "--json"]
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        call, cwd=folder, env=environment(**changes), capture_output=True, encoding="utf-8",
        timeout=600, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)["result"]
    return {name: found[name] for name in ("answer", "selected", "dependency") if name in found}


@pytest.mark.parametrize(
    "call",
    [("select", "wine"), ("reducts", "wine", "--max-evaluations", "100")],
    ids=lambda call: call[0],
)
def test_the_answer_and_the_files_need_nothing_of_unix(call, tmp_path):
    files = ("--save", "run.json", "--report", "page.html", "--output", "reduced.csv")
    usual = answered(RUN, tmp_path, *call, "--no-check")
    assert usual
    found = answered(
        ELSEWHERE + RUN, tmp_path, *call, "--no-check", *files, FUZZYFROG_SPILL_ABOVE="1KB"
    )
    assert found == usual
    assert {path.name for path in tmp_path.iterdir()} >= {"run.json", "page.html", "reduced.csv"}


def test_a_console_of_windows_keeps_its_own_stream(monkeypatch):
    given = sys.__stderr__
    monkeypatch.setattr(sys, "stderr", given)
    with monkeypatch.context() as there:
        there.setattr(console.os, "name", "nt")
        console.secure_streams()
        assert sys.stderr is given
    console.secure_streams()
    assert sys.stderr is not given
