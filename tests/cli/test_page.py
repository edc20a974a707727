"""Commands print what docs/command-line.md shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_wine

from cli_process import environment

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
BLOCK = re.compile(r"^```\n(\$ .*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = re.compile(r" +\d+\.\d\d$", re.MULTILINE)  # the last column of `compare`


@pytest.mark.skipif(not Path("/bin/sh").exists(), reason="needs a shell")
def test_commands_print_what_the_page_shows(tmp_path):
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)
    ours = tmp_path / "fuzzyfrog"
    ours.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fuzzyfrog "$@"\n', encoding="utf-8")
    ours.chmod(0o700)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    shown = [one.partition("\n") for block in blocks for one in block.split("$ ")[1:]]
    assert len(shown) > 10
    for command, _, output in shown:
        done = subprocess.run(  # noqa: S602 - what the page says
            command, shell=True, cwd=tmp_path, env=environment(PATH=path), capture_output=True,
            encoding="utf-8", timeout=600, check=False,
        )  # fmt: skip
        error = done.stderr[done.stderr.rstrip().rfind("\n") + 1 :]  # progress comes before it
        printed = error if done.returncode else done.stdout
        if output:
            assert SECONDS.sub("", printed) == SECONDS.sub("", output), command
        else:
            assert done.returncode == 0, done.stderr
