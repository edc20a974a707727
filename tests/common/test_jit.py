"""The disk cache of kernels, broken for real in fresh processes."""

import ast
import contextlib
import ctypes
import json
import os
import pickle
import resource
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numba
import numpy as np
import pytest

from fuzzyfrog import measure
from fuzzyfrog.common import jit
from fuzzyfrog.common.jit import Kernels, kernel

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")

SOURCE = """
from fuzzyfrog.common.jit import kernel

@kernel
def add(x):
    return x + 1.0

@kernel
def double(x):
    return x * 2
"""

REPORT = """
import json, sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import tiny
    answers = [tiny.add(3.0), tiny.double(4.0), tiny.double(5)]
stats = [getattr(function, "stats", None) for function in (tiny.add, tiny.double)]
print(json.dumps({
    "answers": answers,
    "hits": sum(sum(each.cache_hits.values()) for each in stats if each),
    "compiled": sum(sum(each.cache_misses.values()) for each in stats if each),
    "warnings": [f"{each.category.__name__}: {each.message}" for each in caught],
}))
"""

RIGHT = [4.0, 8.0, 10]
WAY_OUT = "Set NUMBA_CACHE_DIR to a writable private directory"


def start(code: Path, *, preexec_fn=None, **environment: str) -> subprocess.Popen:
    """Start a process that calls the kernels of ``code`` and reports what happened."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    kept.pop("HOME", None)
    return subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", REPORT],
        cwd=code,
        # Python takes bytecode for that of a file that is as long and was changed in that second.
        env={**kept, "PYTHONPATH": str(code), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        stdout=subprocess.PIPE,
        preexec_fn=preexec_fn,
    )


def report(process: subprocess.Popen) -> dict:
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    return json.loads(output)


def call(code: Path, **options) -> dict:
    return report(start(code, **options))


def assert_one_warning(told: dict, words: str):
    assert len(told["warnings"]) == 1
    assert told["warnings"][0].startswith("RuntimeWarning: Kernels are compiled again")
    assert words in told["warnings"][0]
    assert WAY_OUT in told["warnings"][0]


def write_source(directory: Path, source: str = SOURCE) -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "tiny.py").write_text(source)
    return directory


@pytest.fixture(scope="module")
def code(tmp_path_factory) -> Path:
    return write_source(tmp_path_factory.mktemp("code"))


@pytest.fixture(scope="module")
def filled(code, tmp_path_factory) -> Path:
    """Return a cache directory into which two processes wrote the kernels of ``code`` at once."""
    cache = tmp_path_factory.mktemp("filled")
    processes = [start(code, NUMBA_CACHE_DIR=str(cache)) for _ in range(2)]
    for told in [report(process) for process in processes]:
        assert (told["answers"], told["warnings"]) == (RIGHT, [])
        assert told["hits"] + told["compiled"] == 3
    return cache


@pytest.fixture
def cache(filled, tmp_path) -> Path:
    """Return a copy of the filled cache, to be broken."""
    return shutil.copytree(filled, tmp_path / "cache")


@pytest.mark.long
def test_next_process_loads_what_two_at_once_compiled(code, cache):
    told = call(code, NUMBA_CACHE_DIR=str(cache))
    assert told == {"answers": RIGHT, "hits": 3, "compiled": 0, "warnings": []}


def truncate(path: Path):
    path.write_bytes(path.read_bytes()[:-100])


def fill_with_junk(path: Path):
    path.write_bytes(b"junk")


@pytest.mark.parametrize(
    ("suffix", "tear"),
    [("nbc", truncate), pytest.param("nbi", fill_with_junk, marks=pytest.mark.long)],
)
def test_torn_files_cost_one_warning_and_are_replaced(code, cache, suffix, tear):
    torn = list(cache.rglob(f"*.{suffix}"))
    assert len(torn) >= 2
    for path in torn:
        tear(path)
    told = call(code, NUMBA_CACHE_DIR=str(cache))
    assert (told["answers"], told["compiled"]) == (RIGHT, 3)
    assert_one_warning(told, "cached code could not be loaded")
    assert str(cache) in told["warnings"][0]
    assert call(code, NUMBA_CACHE_DIR=str(cache))["hits"] == 3


def test_code_for_other_types_is_not_run(code, cache):
    floats, integers = sorted(cache.rglob("tiny.double-*.nbc"))
    swapped = floats.read_bytes(), integers.read_bytes()
    integers.write_bytes(swapped[0])
    floats.write_bytes(swapped[1])
    told = call(code, NUMBA_CACHE_DIR=str(cache))
    assert told["answers"] == RIGHT
    assert_one_warning(told, "code for")


def test_cached_code_is_tied_to_files_elsewhere_that_kernels_import_from(tmp_path):
    """A constant is part of the compiled code, wherever it comes from."""
    inner = tmp_path / "package" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    constants, other = inner.parent / "constants.py", inner.parent / "other.py"
    constants.write_text("UNIT = 1.0")
    other.touch()
    (inner / "tiny.py").write_text(f"from package.constants import UNIT\n{SOURCE}")
    (inner / "plain.py").write_text("from package.other import something")
    digest = jit._digest.__wrapped__
    before = digest(inner)
    other.write_text("changed")
    assert digest(inner) == before  # no kernel can know it
    constants.write_text("UNIT = 2.0")
    assert digest(inner) != before


@pytest.mark.parametrize("name", ["_kernel_pairs", "_kernel_scan", "_kernel_tree"])
def test_cached_kernels_are_tied_to_all_that_they_import(name):
    """Each name comes from a file that is looked at, and such a file defines it."""
    folder = Path(measure.__file__).parent
    covered = jit._sources(folder)
    tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert not any(one.name.startswith("fuzzyfrog") for one in node.names)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fuzzyfrog."):
            file = folder.parents[1].joinpath(*node.module.split(".")).with_suffix(".py")
            assert file in covered
            assert {one.name for one in node.names} <= set().union(*map(defined_in, covered))


def defined_in(file: Path) -> set[str]:
    """The names that a file gives a value to, at its top level."""
    names: set[str] = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.If):
            stored = (one for one in ast.walk(node) if isinstance(one, ast.Name))
            names |= {one.id for one in stored if isinstance(one.ctx, ast.Store)}
    return names


def test_kernel_is_compiled_again_when_a_kernel_it_calls_from_another_file_changes(tmp_path):
    """Numba alone runs the old callee: it looks at the file of the caller only."""
    caller = SOURCE.replace("x + 1.0", "plus(x)").replace(
        "\n@kernel", "\nfrom other import plus\n@kernel", 1
    )
    callee = "from fuzzyfrog.common.jit import kernel\n@kernel\ndef plus(x):\n    return x + 1.0\n"
    code, cache = write_source(tmp_path / "code", caller), str(tmp_path / "cache")
    (code / "other.py").write_text(callee)
    assert call(code, NUMBA_CACHE_DIR=cache)["answers"] == RIGHT
    (code / "other.py").write_text(callee.replace("1.0", "5.0"))
    assert call(code, NUMBA_CACHE_DIR=cache)["answers"] == [8.0, *RIGHT[1:]]


@pytest.mark.long
def test_full_disk_costs_one_warning_and_leaves_no_stale_code(tmp_path):
    """The index of the new source must not be left pointing to the code of the old one."""
    code, cache = write_source(tmp_path / "code"), str(tmp_path / "cache")
    call(code, NUMBA_CACHE_DIR=cache)
    write_source(code, SOURCE.replace("1.0", "5.0"))
    index_fits = max(path.stat().st_size for path in Path(cache).rglob("*.nbi"))

    def fill_disk():
        resource.setrlimit(resource.RLIMIT_FSIZE, (index_fits, index_fits))

    told = call(code, preexec_fn=fill_disk, NUMBA_CACHE_DIR=cache)
    assert told["answers"] == [8.0, 8.0, 10]
    assert_one_warning(told, "compiled code could not be saved (OSError")
    assert call(code, NUMBA_CACHE_DIR=cache)["answers"] == [8.0, 8.0, 10]


def obey_modes():
    """Take away root's right to write where the mode forbids it."""
    drop_from_bounding_set, write_anywhere = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE
    if os.geteuid() == 0:
        assert ctypes.CDLL(None).prctl(drop_from_bounding_set, write_anywhere, 0, 0, 0) == 0


@pytest.mark.long
def test_nowhere_to_cache_costs_one_warning(tmp_path):
    code = write_source(tmp_path / "code")
    code.chmod(0o555)
    below_a_file = str(code / "tiny.py" / "cache")
    told = call(code, preexec_fn=obey_modes, HOME=str(code), NUMBA_CACHE_DIR=below_a_file)
    assert (told["answers"], told["compiled"]) == (RIGHT, 3)
    assert_one_warning(told, "no locator available")


class Intrusion:
    """A pickle that leaves a mark when it is loaded."""

    def __init__(self, mark: Path):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


def test_cache_open_to_others_is_neither_read_nor_written(code, cache, tmp_path):
    for path in cache.rglob("*.nbi"):
        path.write_bytes(pickle.dumps(Intrusion(tmp_path / "mark")))
    cache.chmod(0o777)
    before = sorted(cache.rglob("*"))
    told = call(code, NUMBA_CACHE_DIR=str(cache))
    assert (told["answers"], told["compiled"]) == (RIGHT, 3)
    assert_one_warning(told, f"can write {cache}.")
    assert not (tmp_path / "mark").exists()
    assert sorted(cache.rglob("*")) == before


def test_without_jit_the_plain_function_is_left(code):
    told = call(code, NUMBA_DISABLE_JIT="1")
    assert told == {"answers": RIGHT, "hits": 0, "compiled": 0, "warnings": []}


# Which directories are private enough.


@pytest.fixture
def source(tmp_path) -> Path:
    (tmp_path / "package").mkdir(mode=0o755)
    return tmp_path / "package" / "module.py"


@pytest.fixture
def apart(tmp_path) -> Path:
    (tmp_path / "cache" / "package").mkdir(parents=True)
    return tmp_path / "cache" / "package"


def is_private(cache: Path, source: Path) -> bool:
    with contextlib.suppress(PermissionError):
        jit._require_private(str(cache), str(source))
        return True
    return False


def test_directory_of_the_user_is_private(apart, source):
    assert is_private(apart, source)


@pytest.mark.parametrize("mode", [0o757, 0o777, 0o1777])
def test_directory_that_anybody_can_write_is_not_private(apart, source, mode):
    apart.chmod(mode)
    assert not is_private(apart, source)


def test_directory_inside_one_that_anybody_can_write_is_not_private(apart, source):
    apart.parent.chmod(0o777)  # the directory can be replaced
    assert not is_private(apart, source)
    apart.parent.chmod(0o1777)  # sticky: only its owner can replace it
    assert is_private(apart, source)


def test_directories_that_hold_the_source_too_need_no_check(apart, source, tmp_path):
    tmp_path.chmod(0o777)
    (source.parent / "__pycache__").mkdir()
    assert is_private(apart, source)
    assert is_private(source.parent / "__pycache__", source)


def test_symbolic_link_is_judged_by_where_it_leads(apart, source, tmp_path):
    (tmp_path / "open" / "private").mkdir(parents=True)
    (tmp_path / "open").chmod(0o777)
    (apart / "link").symlink_to(tmp_path / "open" / "private")
    assert not is_private(apart / "link", source)


@needs_root
def test_directory_of_somebody_else_is_private_only_if_the_source_is_theirs_too(apart, source):
    os.chown(apart, NOBODY, -1)
    assert not is_private(apart, source)
    os.chown(source.parent, NOBODY, -1)
    assert is_private(apart, source)


@needs_root
def test_directory_of_a_group_is_private_only_if_the_source_is_theirs_too(apart, source):
    os.chown(apart, -1, NOBODY)
    apart.chmod(0o775)
    assert not is_private(apart, source)
    source.parent.chmod(0o775)
    assert not is_private(apart, source)  # writable, but for another group
    os.chown(source.parent, -1, NOBODY)
    source.parent.chmod(0o755)
    assert not is_private(apart, source)
    source.parent.chmod(0o775)
    assert is_private(apart, source)


@needs_root
def test_group_of_one_user_is_that_user(apart, source):
    apart.chmod(0o775)  # group root, whose only member is root
    assert is_private(apart, source)


# In this process.


def test_kernel_lets_other_threads_run(monkeypatch, tmp_path):
    # Not the code of an earlier run: Numba's cache does not notice a change of options.
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    @kernel
    def wait_for(flag, ticks):
        while flag[0] == 0 and ticks[0] < 30_000_000_000:
            ticks[0] += 1
        return flag[0]

    flag, ticks = np.ones(1, np.int64), np.zeros(1, np.int64)
    wait_for(flag, ticks)  # compiles
    flag[0] = 0

    def raise_flag():
        while ticks[0] == 0:
            pass
        flag[0] = 1

    thread = threading.Thread(target=raise_flag)
    thread.start()
    seen = wait_for(flag, ticks)
    thread.join()
    assert seen == 1


def test_numba_that_hides_its_cache_keeps_plain_caching():
    class Dispatcher:
        caching = False

        def enable_caching(self):
            self.caching = True

    dispatcher = Dispatcher()
    jit._enable_guarded_caching(dispatcher)
    assert vars(dispatcher) == {"caching": True}


@pytest.mark.parametrize(("spare", "warns"), [(-100, True), (2**20, False)])
def test_without_room_for_a_compiler_numpy_does_the_work(monkeypatch, spare, warns):
    """Under ulimit -v, LLVM would abort the process."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = used + jit.ROOM_TO_COMPILE + 2**20 * spare
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    kernels = Kernels("fuzzyfrog.common.jit", "nothing")  # which is never compiled
    jit._has_room_to_compile.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="ulimit") if warns else contextlib.nullcontext():
            assert kernels.pay(lambda: 1e6) is not warns
        assert kernels.pay(lambda: 1e6) is not warns  # and says so once
    finally:
        jit._has_room_to_compile.cache_clear()


SLOW = """
import signal
signal.raise_signal(signal.SIGINT)
answer = 42
"""


def test_ctrl_c_does_not_cut_an_import_short(tmp_path, monkeypatch):
    """What is left of Numba after that would make every later fit of the process fail."""
    (tmp_path / "slow_kernels.py").write_text(SLOW, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    kernels = Kernels("slow_kernels")
    with pytest.raises(KeyboardInterrupt):
        kernels.answer  # noqa: B018 - imports it
    assert sys.modules.pop("slow_kernels").answer == 42
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
