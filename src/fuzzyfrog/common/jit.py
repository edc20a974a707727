"""Compile kernels with Numba when that pays, and keep them on disk where it is possible and safe.

Numba takes a moment to import and seconds to compile, so kernels are imported on first use, and
small work is done without them, by NumPy (decision 8 in docs/decisions.md).

Numba's cache saves every later process seconds of compiling, but its files are pickles
and its errors end the user's call. Here, a cache that is missing, torn, full or open to
other users costs time and one warning, never the answer.
"""

import functools
import hashlib
import os
import re
import stat
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from math import inf
from pathlib import Path
from typing import Any, TypeVar, cast

from fuzzyfrog.common.deadline import uninterrupted, whole_import

_IMPORT = re.compile(r"^from ([\w.]+) import", re.MULTILINE)

Function = TypeVar("Function", bound=Callable[..., Any])


# Seconds of work that NumPy does before kernels take over. What these cost at first is more; but
# work that takes NumPy that long is often a small part of what comes.
PATIENCE = 1.0  # until they are compiled
PATIENCE_CACHED = 0.75  # until Numba is imported and they are read from the disk
PATIENCE_AT_HAND = 0.1  # until they are read from the disk, if Numba is imported

ROOM_TO_COMPILE = 450_000_000  # bytes of addresses: Numba, LLVM and the kernels take about 350 MB

_all_compiled = False


@contextmanager
def compiling_all() -> Iterator[None]:
    """Leave no work to NumPy and plain Python, so that all kernels in use are compiled."""
    global _all_compiled
    _all_compiled = True
    try:
        yield
    finally:
        _all_compiled = False


class Kernels:
    """The kernels of a module, which is imported on first use.

    Parameters
    ----------
    module : str
        The full name of the module.
    main : str
        The kernels that take longest to compile: one of them says whether kernels are compiled.
    suits : callable, optional
        Says of the types that one of them is compiled for, as text, whether they are those here.
    """

    def __init__(
        self, module: str, *main: str, suits: Callable[[str], bool] = lambda types: True
    ) -> None:
        self._module = module
        self._main = main
        self._suits = suits
        self._spent = 0.0
        self._are_known_to_be_at_hand = False  # saves time: a kernel call takes microseconds

    def __getattr__(self, name: str) -> Any:
        if self._module not in sys.modules:
            whole_import(self._module)
        return getattr(import_module(self._module), name)  # waits for a thread that imports it now

    def pay(self, estimate: Callable[[], float]) -> bool:
        """Whether kernels should do work that takes NumPy about as many seconds as estimated.

        They should once they are compiled; until then, when all that was left to NumPy would have
        paid for them. The answers are the same either way.
        """
        if self._are_known_to_be_at_hand:
            return True
        seconds = estimate()
        if seconds > self.patience():
            return True
        self.spend(seconds)
        return False

    def patience(self) -> float:
        """Return the seconds of work that may be left to NumPy or Python; negative for none."""
        if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
            return inf
        if self._are_at_hand or _all_compiled:
            return -1.0
        if not _has_room_to_compile():
            return inf
        most = PATIENCE
        if self._are_cached:
            most = PATIENCE_AT_HAND if "numba" in sys.modules else PATIENCE_CACHED
        return most - self._spent

    def spend(self, seconds: float) -> None:
        """Record work that was left to NumPy or to plain Python."""
        self._spent += seconds

    @functools.cached_property
    def interpreted(self) -> Any:
        """The same module in plain Python, if all of its kernels are in it."""
        spec = find_spec(self._module)
        module = module_from_spec(spec)  # type: ignore[arg-type]  # a module that can be imported
        _compiling.is_off = True  # in this thread, `kernel` returns functions unchanged
        try:
            with uninterrupted():
                spec.loader.exec_module(module)  # type: ignore[union-attr]
        finally:
            _compiling.is_off = False
        return module

    @property
    def _are_at_hand(self) -> bool:
        module = sys.modules.get(self._module)
        kernels = [getattr(module, name, None) for name in self._main]
        found = any(
            self._suits(str(types)) for one in kernels for types in getattr(one, "overloads", ())
        )
        self._are_known_to_be_at_hand = found
        return found

    @functools.cached_property
    def _are_cached(self) -> bool:
        """Whether the kernels seem to be on disk; looked up without importing Numba."""
        spec = find_spec(self._module)
        if spec is None or spec.origin is None:
            return False
        source = Path(spec.origin)
        own = os.environ.get("NUMBA_CACHE_DIR")
        found = [
            file.stat().st_mtime
            for folder in (Path(own).glob("*") if own else [source.parent / "__pycache__"])
            for name in self._main
            for file in folder.glob(f"{source.stem}.{name}-*.nbi")
        ]
        # Code of an older version is of no use: Numba compiles again.
        newest = max(file.stat().st_mtime for file in _sources(source.parent))
        return max(found, default=0.0) > newest


@functools.cache
def _has_room_to_compile() -> bool:
    """Whether the address space of this process (``ulimit -v``) has room for Numba; warns if not.

    Without, LLVM aborts the process, or its library cannot even be loaded.
    """
    try:
        import resource  # not on Windows

        (limit, _), pages = resource.getrlimit(resource.RLIMIT_AS), Path("/proc/self/statm")
        if limit == resource.RLIM_INFINITY:
            return True
        used = int(pages.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):  # nothing is known
        return True
    if limit - used >= ROOM_TO_COMPILE:
        return True
    warnings.warn(
        f"Kernels are not compiled, since the limit of the address space leaves "
        f"{max(0, limit - used) / 1e6:,.0f} MB and that takes {ROOM_TO_COMPILE / 1e6:,.0f} MB: "
        "NumPy does the work, which is slower. Raise the limit (ulimit -v).",
        RuntimeWarning,
        stacklevel=2,
    )
    return False


_listeners: list[Callable[[int], None]] = []


@contextmanager
def compiling_heard(hear: Callable[[int], None]) -> Iterator[None]:
    """Call `hear` with 1 when Numba starts to compile a kernel and with -1 when it is done.

    Kernels called by others are compiled inside them, so several compilations may be nested.
    """
    if "numba" in sys.modules:
        _listen()
    _listeners.append(hear)
    try:
        yield
    finally:
        _listeners.remove(hear)


@functools.cache
def _listen() -> None:
    """Listen to Numba from now on; only once it is imported, which takes a moment."""
    from numba.core import event

    def tell(change: int) -> None:
        for hear in tuple(_listeners):
            hear(change)

    class Listener(event.Listener):
        def on_start(self, _: object) -> None:
            tell(1)

        def on_end(self, _: object) -> None:
            tell(-1)

    event.register("numba:compile", Listener())


_compiling = threading.local()


def kernel(function: Function) -> Function:
    """Return the function compiled by Numba, without the GIL and with a guarded disk cache.

    Compiled code is valid until a Python file changes in the directory of the function, or one
    that a file with kernels there imports from: a kernel may call kernels from other files, and
    constants become a part of its code.

    Under ``NUMBA_DISABLE_JIT=1`` it is the function itself. If the cache cannot be used, the first
    compilation in a process warns.
    """
    if getattr(_compiling, "is_off", False):
        return function
    from numba import njit  # slow to import

    _listen()
    compiled = njit(nogil=True)(function)
    if hasattr(compiled, "enable_caching"):  # not when Numba handed the plain function back
        _enable_guarded_caching(compiled)
        compiled.compile = uninterrupted()(compiled.compile)  # type: ignore[method-assign]
    return cast(Function, compiled)


def _enable_guarded_caching(dispatcher: Any) -> None:
    memory_only = getattr(dispatcher, "_cache", None)
    try:
        dispatcher.enable_caching()
        if memory_only is None:  # an unknown Numba: its own caching has to suffice
            return
        source = dispatcher.py_func.__code__.co_filename
        _require_private(dispatcher.stats.cache_path, source)
        _stamp_with_neighbors(dispatcher._cache, Path(source).parent)
    except (RuntimeError, OSError) as problem:
        dispatcher._cache = _GuardedCache(memory_only, str(problem))
    else:
        dispatcher._cache = _GuardedCache(dispatcher._cache)


def _stamp_with_neighbors(cache: Any, directory: Path) -> None:
    """Tie cached code to all files of a directory, and to what its kernels import.

    Numba ties it to the file of the function alone, and so keeps a kernel whose callee or constant
    from another file, which is a part of its code, has changed.
    """
    file = getattr(cache, "_cache_file", None)
    stamp = getattr(file, "_source_stamp", None)
    if stamp is None:
        raise RuntimeError("this version of Numba does not say what its cache is tied to")
    file._source_stamp = (stamp, _digest(directory))  # type: ignore[union-attr]


@functools.cache
def _digest(directory: Path) -> str:
    digest = hashlib.sha256()
    for file in _sources(directory):
        content = file.read_bytes()
        digest.update(f"{file.name}:{len(content)}:".encode() + content)
    return digest.hexdigest()


def _sources(directory: Path) -> list[Path]:
    """Return the files of a directory, and those that files with kernels there import from."""
    top = directory
    while (top / "__init__.py").is_file():
        top = top.parent
    inside = set(directory.glob("*.py"))
    texts = [file.read_text(encoding="utf-8") for file in inside]
    modules = {name for text in texts if "@kernel" in text for name in _IMPORT.findall(text)}
    imported = {top.joinpath(*name.split(".")).with_suffix(".py") for name in modules}
    return sorted(inside | {file for file in imported if file.is_file()})


class _GuardedCache:
    """A cache of Numba whose failures become one warning.

    Numba calls it only while compiling, under its global lock. `problem` says why the cache keeps
    nothing on disk; the warning waits for the first compilation, since one at import would also
    reach people who never compile.
    """

    def __init__(self, cache: Any, problem: str | None = None) -> None:
        self._cache = cache
        self._problem = problem

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the code compiled earlier, or None if it has to be compiled now."""
        if self._problem is not None:
            _warn_once(self._problem)
        try:
            overload = self._cache.load_overload(signature, target)
            _require_signature(overload, signature)
        except Exception as problem:  # a torn pickle may raise anything
            self._give_up("cached code could not be loaded", problem)
            return None
        return overload

    def save_overload(self, signature: Any, overload: Any) -> None:
        """Keep compiled code for later processes, if possible."""
        try:
            self._cache.save_overload(signature, overload)
        except Exception as problem:  # a full disk, or an index damaged by another process
            self._give_up("compiled code could not be saved", problem)

    def _give_up(self, what: str, problem: Exception) -> None:
        try:
            # Numba writes the index before the code. Left alone, the index of this source
            # may point to the code of the source before it: wrong answers next time.
            self._cache.flush()
        except OSError:
            self._cache.disable()
        why = f"{type(problem).__name__}: {problem}"
        _warn_once(f"{what} ({why}) in {self._cache.cache_path}")


def _require_signature(overload: Any, signature: Any) -> None:
    """Refuse code for other types, left by two processes that saved at the same time."""
    if overload is None:
        return
    wanted, found = tuple(getattr(signature, "args", signature)), tuple(overload.signature.args)
    if wanted != found:
        raise ValueError(f"code for {found} where code for {wanted} should be")


_warned = False


def _warn_once(problem: str) -> None:
    global _warned
    if _warned:
        return
    _warned = True  # first, for people who turn warnings into errors
    warnings.warn(
        f"Kernels are compiled again in this process, which takes seconds: {problem}. "
        "Set NUMBA_CACHE_DIR to a writable private directory to keep compiled kernels.",
        RuntimeWarning,
        stacklevel=2,
    )


def _require_private(cache_path: str, source: str) -> None:
    """Refuse a cache that is writable by users who cannot also write the source.

    Loading from the cache runs what is in it. Anyone who can replace the source can run code here
    anyway, so the directories that hold both need no check. A directory that everybody can
    write is refused even next to such a source.
    """
    if os.name != "posix":
        return  # no owners and modes to look at; the profile of a Windows user is private
    cache, code = Path(cache_path).resolve(), Path(source).resolve().parent
    for directory in (cache, *cache.parents):
        if code.is_relative_to(directory):
            return
        status = directory.stat()
        # Sticky, as /tmp is: others can add to a directory but not replace what is in it.
        is_sticky = directory != cache and status.st_mode & stat.S_ISVTX
        writers = 0 if is_sticky else status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not _is_trusted(status, writers, code.stat()):
            raise PermissionError(f"other people can write {directory}")


def _is_trusted(directory: os.stat_result, writers: int, code: os.stat_result) -> bool:
    if directory.st_uid not in {0, os.geteuid(), code.st_uid} or writers & stat.S_IWOTH:
        return False
    shares_code = code.st_mode & stat.S_IWGRP and directory.st_gid == code.st_gid
    return bool(not writers or shares_code or _is_own_group(directory.st_gid))


def _is_own_group(group: int) -> bool:
    """Whether the user is the only member of the group, as umask 002 assumes."""
    import grp  # not on Windows
    import pwd

    try:
        user, entry = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group)
    except KeyError:  # containers run under numbers without a name
        return False
    return entry.gr_name == user and set(entry.gr_mem) <= {user}
