"""The catalogue, continued: whole processes in odd surroundings."""

import json
import shutil
import subprocess

import pytest

from fuzzyfrog import ReductSelector, load_dataset
from reliability.entries_commands import COMMANDS, IRIS, LONG_COMMANDS
from reliability.processes import FIT, command, contents, python, without

ALL_COMMANDS = [
    *COMMANDS[:3],
    *(pytest.param(entry, marks=pytest.mark.long) for entry in [*COMMANDS[3:], *LONG_COMMANDS]),
]


@pytest.mark.parametrize("entry", ALL_COMMANDS, ids=lambda entry: entry.name)
def test_a_command_that_goes_wrong_says_so_and_leaves_all_as_it_was(entry, tmp_path):
    for name, content in entry.files.items():
        (tmp_path / name).write_bytes(content)
    kept = entry.prepare(tmp_path) if entry.prepare else None
    before = contents(tmp_path)
    done = command(tmp_path, *entry.arguments, setup=entry.setup, stdin=entry.stdin)
    assert done.returncode == entry.code, done.stderr
    lines = [line for line in done.stderr.splitlines() if "Kernels are compiled again" not in line]
    assert len(lines) == len(entry.said), done.stderr
    for line, words in zip(lines, entry.said, strict=True):
        assert line.startswith("fuzzyfrog: ")
        assert words in line
    after = contents(tmp_path)
    assert {name: after.pop(name, None) for name in before} == before
    assert after.keys() == entry.writes
    del kept


def comparable(run: dict) -> dict:
    """Return a record without what depends on the clock and on who asked for it."""
    for point in run["history"]:
        del point["seconds"]
    return {name: run[name] for name in run.keys() - {"seconds", "command", "settings"}}


@pytest.fixture(scope="module")
def iris() -> dict:
    """The record of a selection in this process."""
    selector = ReductSelector("quickreduct", random_state=0).fit(load_dataset("iris"))
    return comparable(json.loads(selector.record().to_json())["result"])


def selected(folder, env) -> dict:
    """The record of the same selection by a process in other surroundings."""
    done = command(folder, *IRIS, "--json", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return comparable(json.loads(done.stdout)["result"])


@pytest.fixture(scope="module")
def german(tmp_path_factory) -> dict[str, str]:
    """An environment in which one half is written 0,5."""
    folder = tmp_path_factory.mktemp("locales")
    maker = shutil.which("localedef")
    if maker is None:
        pytest.skip("needs localedef to make a locale with decimal commas")
    call = [maker, "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")]
    if subprocess.run(call, capture_output=True, check=False).returncode:  # noqa: S603
        pytest.skip("this system cannot make the locale de_DE")
    return {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8"}


@pytest.mark.long
def test_a_locale_with_decimal_commas_changes_nothing(tmp_path, iris, german):
    code = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.str(0.5))"
    assert python(code, tmp_path, env=without(**german)).stdout == "0,5\n"
    assert selected(tmp_path, without(**german)) == iris


BARE = without(
    "HOME", "PATH", "TERM", "LANG", "XDG_CACHE_HOME", PYTHONIOENCODING="ascii", COLUMNS="0"
)
SURROUNDINGS = [
    pytest.param(BARE, id="no home, no path, no terminal, ASCII, no width"),
    pytest.param(without(PYTHONWARNINGS="error"), id="warnings as errors"),
    pytest.param(without(PYTHONOPTIMIZE="2"), id="python -OO"),
]


@pytest.mark.long
@pytest.mark.parametrize("env", SURROUNDINGS)
def test_odd_surroundings_change_nothing(env, iris, tmp_path):
    assert selected(tmp_path, env) == iris
    assert contents(tmp_path) == {}


THREADS_AND_FORK = (
    FIT
    + """
import os, sys, threading
expected, others = found, []

def fit():
    selector = ReductSelector(random_state=0, max_evaluations=300, n_jobs=2)
    reducts = selector.fit(load_dataset("wine")).reducts_
    others.append([(reduct.features, reduct.dependency) for reduct in reducts])

threads = [threading.Thread(target=fit) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert others == [expected] * 4
child = os.fork()
fit()
assert others[-1] == expected
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
)


def test_fits_in_four_threads_and_after_a_fork_agree(tmp_path):
    ignored = ["-W", "ignore::DeprecationWarning", "-W", "ignore:Samples that are similar"]
    done = python(THREADS_AND_FORK, tmp_path, *ignored)
    assert (done.returncode, done.stderr) == (0, "")


NO_THREADS = """
import threading
threading.stack_size(2**46)  # more than there is: no thread can be started
from fuzzyfrog import ReductSelector, dependency
import numpy as np
rng = np.random.default_rng(0)
X, y = rng.normal(size=(3_000, 4)), rng.integers(0, 2, 3_000)
print(dependency(X, y, n_jobs=2) == dependency(X, y, n_jobs=1))
"""


def test_a_machine_that_gives_no_threads_costs_time_only(tmp_path):
    done = python(NO_THREADS, tmp_path)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


AUDIT = (
    """
import os, sys
touched = []
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ("os.mkdir", "os.rename", "os.link", "os.symlink", "os.remove", "os.rmdir")
NEVER = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn")

def note(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)) and arguments[2] & WRITES:
        touched.append(os.path.abspath(os.fsdecode(arguments[0])))
    elif event in CHANGES:
        touched.append(os.path.abspath(os.fsdecode(arguments[0])))
    elif event.startswith(NEVER):
        touched.append(event)

sys.addaudithook(note)
"""
    + FIT
    + """
selector.report("page.html")
print(*touched, sep="\\n")
"""
)


def test_a_fit_opens_no_connection_and_writes_only_what_was_asked_for(tmp_path):
    done = python(AUDIT, tmp_path)
    assert done.returncode == 0, done.stderr
    ours = [line for line in done.stdout.splitlines() if "__pycache__" not in line]
    assert ours
    assert all(line.startswith(str(tmp_path)) for line in ours)
    assert set(contents(tmp_path)) == {"page.html"}
