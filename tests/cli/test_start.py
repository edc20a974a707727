"""Errors and help that come before anything is computed."""

import json
import subprocess
import sys
from importlib.metadata import version
from itertools import pairwise
from typing import get_args

import pytest

from fuzzyfrog.cli.app import COMMANDS
from fuzzyfrog.cli.options import SearchName
from test_imports import HEAVY

ASK = """
import json, sys
from fuzzyfrog.cli import main
sys.argv[1:] = {arguments!r}
try:
    main()
finally:
    # Arrow, which reads tables, imports pandas where it is installed, for any value it converts.
    if "pyarrow" in sys.modules:
        for name in [name for name in sys.modules if name.startswith("pandas")]:
            del sys.modules[name]
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["select", "--help"], ["reducts", "--help"], ["--version"]]
)
def test_help_and_version_import_nothing_heavy(arguments):
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", ASK.format(arguments=arguments)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    loaded = {name.partition(".")[0] for name in json.loads(done.stderr)}
    assert loaded & (HEAVY | {"narwhals", "jinja2"}) == set()
    assert "typer" in loaded
    assert done.stdout.strip()


@pytest.mark.parametrize(
    "arguments",
    [
        ["wine", "--target", "clas"],
        ["wine", "--max-seconds", "-1"],
        ["table.csv", "--target", "clas"],
        ["table.csv", "--target", "class", "--include", "c"],
    ],
)
def test_what_is_wrong_is_told_before_anything_slow_is_imported(arguments, tmp_path):
    (tmp_path / "table.csv").write_text("a,b,class\n1,2,x\n2,1,y\n")
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", ASK.format(arguments=["reducts", *arguments, "-q"])],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
    )
    told, modules = done.stderr.strip().rsplit("\n", 1)
    assert done.returncode == 2
    assert told.startswith("fuzzyfrog: ")
    loaded = {name.partition(".")[0] for name in json.loads(modules)}
    assert loaded & {"sklearn", "scipy", "numba", "pandas", "matplotlib", "dask"} == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ["select", "wine", "--no-check"],
        ["select", "table.csv", "--target", "class", "--no-check"],
        ["reducts", "wine", "--no-check"],
        ["reducts", "wine", "--max-evaluations", "3", "--no-check"],
        ["reducts", "table.csv", "--target", "class", "--no-check"],
        ["select", "wine", "--max-seconds", "0.001"],  # no time is left for one
        ["select", "wine", "--max-seconds", "0.001", "--stability"],
    ],
    ids=" ".join,
)
def test_a_selection_without_a_check_imports_neither_scikit_learn_nor_scipy(arguments, tmp_path):
    (tmp_path / "table.csv").write_text("a,b,class\n" + "1,2,x\n2,1,y\n" * 20)
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", ASK.format(arguments=[*arguments, "-q"])],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
    )
    assert done.returncode == 0
    loaded = {name.partition(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}
    assert loaded & {"sklearn", "scipy", "numba", "pandas", "matplotlib", "dask"} == set()


def test_version(fuzzyfrog):
    assert fuzzyfrog("--version").stdout == f"fuzzyfrog {version('fuzzyfrog')}\n"


def test_help_names_every_command_and_the_exit_codes(fuzzyfrog):
    told = fuzzyfrog("--help").stdout
    commands = "select reducts score explain report compare doctor"
    for command in commands.split():
        assert f" {command} " in told
    assert "130 interrupted (results so far are written)" in " ".join(told.split())


def test_help_speaks_no_python(in_process):
    for command in ("select", "reducts"):
        told = in_process(command, "--help")[1]
        assert f"fuzzyfrog {command} [OPTIONS] TABLE" in told
        assert "<bool>" not in told


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fills_its_lines(in_process, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    lines = in_process(command, "--help")[1].partition("╭")[0].splitlines()
    for line, following in pairwise(map(str.strip, lines)):
        if line and following:
            assert len(f"{line} {following.split()[0]}") > 78, line


@pytest.mark.parametrize("arguments", [["selct"], ["select", "wine", "--targt", "x"], ["reducts"]])
def test_unknown_commands_and_options_are_usage_errors(fuzzyfrog, arguments):
    done = fuzzyfrog(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_every_search_of_the_registry_can_be_chosen_but_that_for_whole_fronts():
    from fuzzyfrog.search import SEARCHES

    assert {*get_args(SearchName)} == {*SEARCHES} - {"front"} | {"auto"}


def test_the_installed_command_is_the_same():
    from importlib.metadata import entry_points

    from fuzzyfrog.cli import run

    (entry,) = entry_points(group="console_scripts", name="fuzzyfrog")
    assert entry.load() is run


def test_ctrl_c_at_the_very_end_changes_nothing():
    code = (
        "import atexit, os, signal, sys\n"
        "from fuzzyfrog.cli import run\n"
        "atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "sys.argv = ['fuzzyfrog', '--help']\n"
        "run()\n"
    )
    ended = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0
    assert "Usage: fuzzyfrog" in ended.stdout
    assert ended.stderr == ""
