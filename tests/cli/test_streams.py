"""Streams that are closed, full, or without a reader: none of this loses a result."""

import os
import subprocess

import pytest

from cli_process import COMMAND, environment
from fuzzyfrog.cli.console import _SteadyFile
from fuzzyfrog.result import Result

SELECT = ["reducts", "iris", "--search", "quickreduct", "--no-check", "--save", "run.json"]


def shell(folder, line: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with redirections of a shell."""
    return subprocess.run(  # noqa: S603 - our own interpreter and code
        ["/bin/sh", "-c", f'"$@" {line}', "sh", *COMMAND, *arguments],
        capture_output=True, encoding="utf-8", cwd=folder, env=environment(), timeout=600,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "line", [">&- 2>&- <&-", pytest.param("2>/dev/full", marks=pytest.mark.long)]
)
def test_closed_streams_cost_nothing(tmp_path, line):
    assert shell(tmp_path, line, *SELECT).returncode == 0
    assert len(Result.load(tmp_path / "run.json").selected) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.json"]


def test_a_reader_of_stderr_that_is_gone_changes_nothing(tmp_path):
    with subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [*COMMAND, "score", "wien"],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), cwd=tmp_path,
    ) as process:  # fmt: skip
        process.stderr.close()
        told = process.stdout.read()
    assert (process.returncode, told) == (2, b"")


def test_a_full_disk_behind_stdout_is_a_failure_but_files_are_written(tmp_path):
    done = shell(tmp_path, ">/dev/full", *SELECT, "-q")
    assert done.returncode == 1
    assert done.stderr.startswith("fuzzyfrog: the command failed (OSError: [Errno 28]")
    assert len(done.stderr.splitlines()) == 1
    assert (tmp_path / "run.json").exists()


def test_no_stdin_is_an_empty_table(tmp_path):
    done = shell(tmp_path, "<&-", "score", "-", "--target", "x", "-q")
    assert done.returncode == 2
    assert "got an empty file" in done.stderr


def test_a_steady_file_takes_what_nobody_reads():
    reader, writer = os.pipe()
    os.close(reader)
    with _SteadyFile(writer, "w") as file:
        assert file.write(b"lost") == 4
