"""Commands that go wrong, as real processes: which exit code, which sentence, what is left."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fuzzyfrog.common.files import FileLock
from reliability.processes import Setup, allow_files_of, obey_modes

Prepare = Callable[[Path], object]

CLIMBING = "../evil,/tmp/evil,CON,class\n" + "0,1,2,x\n1,0,3,y\n2,2,2,x\n3,5,3,y\n"
TABLE = ("--target", "class", "-q")
SEARCH = (*TABLE, "--search", "quickreduct")
IRIS = ("reducts", "iris", "--search", "quickreduct", "--no-check", "-q")


@dataclass(frozen=True)
class Command:
    """A command and its promise.

    Attributes
    ----------
    name : str
        What is odd about it.
    arguments : tuple of str
        What is typed.
    code : int
        The exit code.
    said : tuple of str
        Words of the lines on stderr, one line each, in their order.
    files : dict of str to bytes
        What lies in the folder before, and must be the same afterwards.
    prepare : callable
        Makes something that is not a plain file; its result is kept until the command has ended.
    writes : set of str
        The files that are new afterwards.
    """

    name: str
    arguments: tuple[str, ...]
    code: int
    said: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    prepare: Prepare | None = None
    setup: Setup | None = None
    stdin: bytes = b""
    writes: frozenset[str] = frozenset()


def read_only(folder: Path) -> None:
    (folder / "kept").mkdir()
    (folder / "kept").chmod(0o555)


COMMANDS = [
    Command("a table that is a pipe", ("score", "x.csv", *TABLE), 2,
            ("x.csv: a table must be a regular file, got a pipe or device",),
            prepare=lambda folder: os.mkfifo(folder / "x.csv")),
    Command("scores of something else", (*IRIS, "--save", "run.json"), 2,
            ("got a damaged or foreign file",), {"run.json.scores": b"hours of work"}),
    Command("a disk that is full",
            (*IRIS, "--save", "run.json", "--output", "old.csv", "--report", "page.html"), 1,
            ("checkpoint 'run.json.scores' cannot be written (File too large)",
             "run.json could not be written (File too large)",
             "old.csv could not be written (File too large)",
             "page.html could not be written (File too large)"),
            {"old.csv": b"precious", "page.html": b"precious", "run.json": b"precious"},
            setup=allow_files_of(100)),
    Command("names that climb out of folders",
            ("reducts", "x.csv", *SEARCH, "--output", "out.csv", "--report", "page.html"), 0, (),
            {"x.csv": CLIMBING.encode()}, writes=frozenset({"out.csv", "page.html"})),
    Command("a table whose name no disk can take", ("score", "x" * 300, *TABLE), 2,
            ("TABLE must be a file or the name of a data set",)),
]  # fmt: skip

LONG_COMMANDS = [
    Command("a table whose name is not text", ("score", "\udcff.csv", *TABLE), 2,
            ("no such file",)),
    Command("a table on stdin that is binary", ("score", "-", *TABLE), 2,
            ("stdin.csv: line 1 holds a NUL byte",), stdin=bytes(range(256)) * 10),
    Command("a folder that cannot be written", (*IRIS, "--save", "kept/run.json"), 2,
            ("--save must be a file that can be written, got 'kept/run.json' (Permission denied)",),
            prepare=read_only, setup=obey_modes),
    Command("a report into a pipe", (*IRIS, "--report", "page.html"), 2,
            ("--report must be a regular file, got 'page.html', which is a pipe or device.",),
            prepare=lambda folder: os.mkfifo(folder / "page.html")),
    Command("a report over the run itself", ("report", "run.json", "-o", "run.json"), 2,
            ("run.json must be a file saved with `fuzzyfrog select --save`",),
            {"run.json": b'{"schema": 1, "sha256": "", "result": {}}'}),
    Command("a separator of nothing", ("score", "x.csv", *TABLE, "--separator", ""), 2,
            ("--separator must be one character, got ''",), {"x.csv": CLIMBING.encode()}),
    Command("scores that are held by another process", (*IRIS, "--save", "run.json"), 2,
            (f"process {os.getpid()} holds it",),
            prepare=lambda folder: FileLock(folder / "run.json.scores.lock")),
]  # fmt: skip
