"""Start the process that runs Weka, send it requests, and replace it if it fails."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np

from fuzzyfrog.common.params import check_count, check_positive
from fuzzyfrog.data import Dataset
from fuzzyfrog.errors import FuzzyfrogError
from fuzzyfrog_lab.folds import Fold
from fuzzyfrog_lab.panel import CellError
from fuzzyfrog_lab.weka import jvm

JAR_VARIABLE = "FUZZYFROG_WEKA_JAR"
DEBIAN_JAR = "/usr/share/java/weka.jar"
EXIT_SECONDS = 10.0


class WekaNotFoundError(FuzzyfrogError, RuntimeError):
    """A requirement of Weka is not installed; the message says which one and how to get it."""


def missing_for_weka() -> str | None:
    """Return a sentence about what Weka needs and how to get it; None if nothing is missing."""
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        return (
            "Weka needs Java, which was not found. On Debian: apt-get install default-jre-headless "
            "(scripts/install_weka.sh does it); elsewhere set JAVA_HOME."
        )
    if not _jar().is_file():
        return (
            f"Weka must be at {_jar()}, got no such file. On Debian: apt-get install weka "
            "(scripts/install_weka.sh does it); elsewhere get weka.jar from Debian's package, "
            f"version 3.6.14, and set {JAR_VARIABLE} to its path."
        )
    return None


def _jar() -> Path:
    return Path(os.environ.get(JAR_VARIABLE) or DEBIAN_JAR).expanduser()


class WekaProcess:
    """One process with one virtual machine at a time, started on the first request."""

    def __init__(self, max_seconds: float | None, megabytes: int) -> None:
        check_count("megabytes", megabytes)
        if max_seconds is not None:
            check_positive("max_seconds", max_seconds)
        self._max_seconds = max_seconds
        self._megabytes = megabytes
        self._process: subprocess.Popen[str] | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._numbers = count()
        self._table: tuple[Dataset, Path] | None = None
        self._version = ""

    def version(self) -> str:
        """Return the versions of Weka and Java."""
        self._started()
        return self._version

    def correct(
        self, dataset: Dataset, name: str, options: Sequence[str], folds: Sequence[Fold]
    ) -> list[int]:
        """Return the number of correct predictions on each fold, or raise CellError."""
        process = self._started()
        request = {
            "table": str(self._written(dataset)),
            "classifier": name,
            "options": list(options),
            "folds": [{"train": f.train.tolist(), "test": f.test.tolist()} for f in folds],
        }
        answer = self._asked(process, request)
        if "error" in answer:
            if "OutOfMemory" in answer["error"]:
                self._end()  # its state is unknown
            raise CellError(answer["error"])
        return [int(correct) for correct in answer["correct"]]

    def close(self) -> None:
        """End the process and delete its files."""
        self._end()

    def _started(self) -> "subprocess.Popen[str]":
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        if missing := missing_for_weka():
            raise WekaNotFoundError(missing)
        self._process = self._spawned()
        greeting = _parsed(_pipe(self._process.stdout).readline())
        if "ready" not in greeting:
            reason = greeting.get("error") or _last_line(self._errors()) or "no reason was given"
            self._end()
            raise WekaNotFoundError(
                f"Weka must start, got: {reason}. Is Java 11 or newer installed?"
            )
        self._version = str(greeting["ready"])
        return self._process

    def _spawned(self) -> "subprocess.Popen[str]":
        # As a script, and without its folder on the path, it imports nothing of fuzzyfrog.
        command = [sys.executable, "-P", jvm.__file__, str(_jar()), str(self._megabytes)]
        with self._errors().open("w", encoding="utf-8") as errors:
            return subprocess.Popen(  # noqa: S603 - our own interpreter and script
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
                cwd=self._place(),
            )

    def _asked(self, process: "subprocess.Popen[str]", request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer; without one in time, end the process and raise CellError."""
        answer = _exchanged(process, json.dumps({**request, "max_seconds": self._max_seconds}))
        if answer.endswith("\n"):
            return _parsed(answer)
        status = process.wait()
        detail = _last_line(self._errors())
        self._end()
        if status == jvm.LATE:
            raise CellError(f"it took more than {self._max_seconds:g} seconds")
        raise CellError(f"the virtual machine ended with status {status}: {detail}".rstrip(": "))

    def _written(self, dataset: Dataset) -> Path:
        if self._table is None or self._table[0] is not dataset:
            if self._table is not None:
                self._table[1].unlink()
            path = self._place() / f"table{next(self._numbers)}.arff"
            _write_arff(dataset, path)
            self._table = dataset, path
        return self._table[1]

    def _place(self) -> Path:
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix=jvm.FOLDER_PREFIX, ignore_cleanup_errors=True)
        return Path(self._folder.name)

    def _errors(self) -> Path:
        return self._place() / "stderr.txt"

    def _end(self) -> None:
        """End the process and delete its folder."""
        self._end_process()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder, self._table = None, None

    def _end_process(self) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        try:
            _pipe(process.stdin).close()
            process.wait(EXIT_SECONDS)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
        _pipe(process.stdout).close()


def _exchanged(process: "subprocess.Popen[str]", request: str) -> str:
    """Return the answer to a request; an empty one if the process is gone."""
    try:
        _pipe(process.stdin).write(request + "\n")
        _pipe(process.stdin).flush()
        return _pipe(process.stdout).readline()
    except BrokenPipeError:
        return ""


def _pipe(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        raise RuntimeError("the process must have pipes, got none.")
    return stream


def _parsed(line: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(line) if line.endswith("\n") else {}
    return parsed


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _write_arff(dataset: Dataset, path: Path) -> None:
    """Write a data set as ARFF, with its class as the last attribute.

    Classes are declared in the order of their first sample, as when Weka reads a CSV file: some
    classifiers break ties by that order. Numbers keep all their digits; a missing value is a "?".
    """
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in _arff_lines(dataset))


def _arff_lines(dataset: Dataset) -> Iterator[str]:
    yield f"@relation {_quoted(dataset.name)}"
    for position, name in enumerate(dataset.feature_names):
        yield f"@attribute {_quoted(name)} {_kind(dataset, position)}"
    labels = [_quoted(str(label)) for label in dataset.classes or ()]
    codes, first = np.unique(dataset.target, return_index=True)
    seen = [labels[int(code)] for code in codes[np.argsort(first)]]
    yield f"@attribute {_quoted(dataset.target_name)} {{{','.join(seen)}}}"
    yield "@data"
    for row, code in zip(dataset.values.tolist(), dataset.target.tolist(), strict=True):
        cells = ["?" if value != value else repr(value) for value in row]  # NaN is missing
        yield ",".join([*cells, labels[int(code)]])


def _kind(dataset: Dataset, position: int) -> str:
    if not dataset.categorical[position]:
        return "numeric"
    codes = np.unique(dataset.values[:, position])
    return "{" + ",".join(repr(code) for code in codes[~np.isnan(codes)].tolist()) + "}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"
