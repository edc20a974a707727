"""Ctrl-C at any moment of a process, from its first line to its last."""

import json
import subprocess
import sys

import pytest

from cli_process import environment
from fuzzyfrog.cli.app import LazyGroup

# Runs the command line in forked copies of a process that has imported nothing, each of which gets
# the signal at another call that Python makes; prints what became of them.
PRESS = """
import os, sys, tempfile
from _signal import SIGINT, default_int_handler, raise_signal, signal
signal(SIGINT, default_int_handler)  # a shell may have it ignored
sys.argv, moments = ["fuzzyfrog", *{arguments!r}], {moments!r}

def begin(at, said):
    n_calls = 0

    def count(frame, event, _):
        nonlocal n_calls
        n_calls += 1
        if n_calls == at:
            raise_signal(SIGINT)

    for stream in (1, 2):
        os.dup2(said.fileno(), stream)
    if at is None:
        import atexit
        atexit.register(lambda: print("calls", n_calls))
    from fuzzyfrog.cli import run
    sys.setprofile(count)
    run()

def pressed(at):
    with tempfile.TemporaryFile() as said:
        if not (child := os.fork()):
            begin(at, said)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        return code, said.read().decode()

if not moments:
    n_calls = int(pressed(None)[1].split()[-1])
    first, last = range(5, 12), range(n_calls - 6, n_calls)  # the fourth call sets the handler
    moments = [*first, *(n_calls * k // 6 for k in range(1, 6)), *last]
out = [(at, *pressed(at)) for at in moments]
import json
print(json.dumps(out))
"""


def pressed(arguments: list[str], moments: tuple[int, ...] = ()) -> list[tuple[int, int, str]]:
    """Return the moment, exit code and output of each run; by default at 18 moments."""
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", PRESS.format(arguments=arguments, moments=moments)],
        capture_output=True, encoding="utf-8", env=environment(), check=True, timeout=600,
    )  # fmt: skip
    return [tuple(one) for one in json.loads(done.stdout)]


@pytest.mark.parametrize("arguments", [["--version"], ["select", "no.csv", "--target", "a", "-q"]])
def test_at_any_call_it_is_answered_by_a_sentence_or_changes_nothing(arguments):
    ((_, *usual),) = pressed(arguments, (10**9,))
    for at, *ended in pressed(arguments):
        if ended != usual:
            code, said = ended
            assert code == 130, (at, said)
            last = said.removeprefix(usual[1])
            assert last.startswith("fuzzyfrog: interrupted"), (at, said)
            assert last.count("\n") == 1, (at, said)


def test_where_typer_catches_it_there_is_a_sentence(in_process, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(LazyGroup, "make_context", interrupted)
    assert in_process("select", "wine") == (130, "", "fuzzyfrog: interrupted\n")


PROGRAM = """
import signal, sys, time

def main():
    try:
        {work}
        while True:
            time.sleep(0.01)
    except KeyboardInterrupt:
        print("answered", file=sys.stderr)
        sys.exit(130)
"""
IMPORTED = """
import signal
try:
    signal.raise_signal(signal.SIGINT)
except:  # as some libraries do
    pass
is_whole = True
"""
FINALIZER = "type('F', (), {'__del__': lambda _: signal.raise_signal(signal.SIGINT)})()"


@pytest.mark.parametrize("work", ["import imported; assert imported.is_whole", FINALIZER])
def test_it_is_not_lost_in_an_import_or_a_finalizer(work, tmp_path):
    (tmp_path / "imported.py").write_text(IMPORTED)
    (tmp_path / "program.py").write_text(PROGRAM.format(work=work))
    start = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", f"{start}\nfrom fuzzyfrog.cli import run; run('program')"],
        capture_output=True, encoding="utf-8", env=environment(), cwd=tmp_path, timeout=600,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "answered\n")
