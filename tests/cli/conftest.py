from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli_process import COMMAND, environment
from fuzzyfrog.cli import main
from fuzzyfrog.cli.console import stderr, stdout
from fuzzyfrog.data import load_dataset
from fuzzyfrog.data.write_table import CellSource, write_reduced

Completed = subprocess.CompletedProcess[str]
Fuzzyfrog = Callable[..., Completed]


@pytest.fixture
def fuzzyfrog(tmp_path: Path) -> Fuzzyfrog:
    """Run the command line as a real process in an empty folder."""

    def run(*arguments: object, text: str | None = None, **changes: str) -> Completed:
        return subprocess.run(  # noqa: S603 - our own interpreter and code
            [*COMMAND, *map(str, arguments)],
            input=text,
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env=environment(**changes),
            timeout=600,
            check=False,
        )

    return run


@pytest.fixture(autouse=True)
def _consoles_of_this_test():
    """Consoles keep the stream that they were made for, and pytest has others for each test."""
    stdout.cache_clear()
    stderr.cache_clear()


@pytest.fixture
def in_process(monkeypatch, capsys) -> Callable[..., tuple[int, str, str]]:
    """Run the command line here, which is quick; return exit code, stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["fuzzyfrog", *map(str, arguments)])
        with warnings.catch_warnings():
            warnings.simplefilter("default")  # as in a process of its own
            with pytest.raises(SystemExit) as ended:
                main()
        told = capsys.readouterr()
        return int(ended.value.code or 0), told.out, told.err

    return run


@pytest.fixture
def wine_csv(tmp_path: Path) -> Path:
    """The wines as a file, with an identifier that must be ignored."""
    wine = load_dataset("wine")
    path = tmp_path / "wine.csv"
    write_reduced(wine, list(wine.feature_names), path, CellSource(None))
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [f"{place - 1:04},{line}" for place, line in enumerate(lines)]
    path.write_text("\n".join([f"id,{lines[0]}", *rows[1:]]) + "\n", encoding="utf-8")
    return path


@dataclass(frozen=True)
class Selected:
    """One real run with all its files, which several tests look at."""

    folder: Path
    done: Completed

    @property
    def run(self) -> dict:
        return json.loads((self.folder / "run.json").read_text(encoding="utf-8"))["result"]


@pytest.fixture(scope="session")
def selected(tmp_path_factory) -> Selected:
    """Return what ``fuzzyfrog reducts`` leaves behind after it has run on wine."""
    folder = tmp_path_factory.mktemp("selected")
    files = ["--save", "run.json", "--output", "reduced.csv", "--report", "page.html"]
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [*COMMAND, "reducts", "wine", "--max-evaluations", "400", *files],
        capture_output=True, encoding="utf-8", cwd=folder, env=environment(), timeout=600,
        check=False,
    )  # fmt: skip
    return Selected(folder, done)
