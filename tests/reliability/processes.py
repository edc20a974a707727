"""Real processes for the catalogue, and what they must leave as it was."""

import ctypes
import hashlib
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from cli_process import COMMAND, environment, untraced

Completed = subprocess.CompletedProcess[str]
Setup = Callable[[], None]

FIT = """
from fuzzyfrog import ReductSelector, load_dataset
selector = ReductSelector(random_state=0, max_evaluations=300).fit(load_dataset("wine"))
found = [(reduct.features, reduct.dependency) for reduct in selector.reducts_]
"""


def without(*names: str, **changes: str) -> dict[str, str]:
    """Return the environment of the tests without some variables and with others."""
    return {name: value for name, value in environment(**changes).items() if name not in names}


def python(
    code: str, folder: Path, *options: str, env: Mapping[str, str] | None = None
) -> Completed:
    """Run code in a process of its own."""
    return subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, *options, "-c", code],
        capture_output=True, encoding="utf-8", cwd=folder, env=env or environment(), timeout=600,
        check=False,
    )  # fmt: skip


def command(
    folder: Path,
    *arguments: object,
    setup: Setup | None = None,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
) -> Completed:
    """Run the command line as a process of its own; undecodable output fails."""
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [*COMMAND, *map(os.fsencode, map(str, arguments))],
        input=stdin, capture_output=True, cwd=folder, timeout=600, check=False, preexec_fn=setup,
        env=env or (untraced() if setup else environment()),
    )  # fmt: skip
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def contents(folder: Path) -> dict[str, str]:
    """Return a digest of every file below a folder, by its name; anything else is named too."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "no file"
        for path in sorted(folder.rglob("*"))
    }


def obey_modes() -> None:
    """Take from root the right to write where the mode forbids it; others never have it."""
    drop_from_bounding_set, write_anywhere = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE
    if os.geteuid() == 0:
        assert ctypes.CDLL(None).prctl(drop_from_bounding_set, write_anywhere, 0, 0, 0) == 0


def allow_files_of(n_bytes: int) -> Setup:
    """Return a limit of N bytes for every file, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))
