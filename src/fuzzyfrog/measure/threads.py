"""Run kernels over blocks on several threads.

Kernels release the GIL, so plain Python threads share the work. The calling thread takes blocks
like its helpers do, so a call ends even if no helper is ever free.
"""

from __future__ import annotations

import functools
import math
import multiprocessing
import operator
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from fuzzyfrog.common.deadline import current_deadline, limited, stop_if_late
from fuzzyfrog.common.resources import control_groups
from fuzzyfrog.errors import ParameterError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

_MOST_THREADS = 64  # on smaller machines; guards against a typo such as n_jobs=1_000_000


@functools.cache
def blas() -> ThreadpoolController:
    """Return what limits the threads of NumPy's products; to find their library takes a while."""
    from threadpoolctl import ThreadpoolController  # slow to import

    return ThreadpoolController().select(user_api="blas")


def effective_threads(n_jobs: int | None) -> int:
    """Return the number of threads to use for ``n_jobs``, read as scikit-learn reads it.

    Parameters
    ----------
    n_jobs : int or None
        None means all usable CPUs, or one inside a worker of joblib, Dask or
        multiprocessing, whose siblings use the others. -1 means all usable CPUs
        everywhere, -2 for all but one, and so on, but at least one. A positive number is
        used up to the usable CPUs or 64, whichever is larger: more threads than CPUs are not
        faster.

    Returns
    -------
    int
        At least 1. Usable are the CPUs that both the affinity of the process and the quota
        of its control groups (containers, batch systems) allow.

    Raises
    ------
    ParameterError
        If ``n_jobs`` is 0 or not a whole number.
    """
    if n_jobs is None:
        return 1 if _is_worker() else _usable_cpus()
    number = _whole_number(n_jobs)
    if number > 0:
        return min(number, max(_usable_cpus(), _MOST_THREADS))
    return max(1, _usable_cpus() + 1 + number)


def map_blocks(
    function: Callable[[Item], Result], items: Iterable[Item], n_threads: int
) -> list[Result]:
    """Return ``function(item)`` for each item, in the order of the items.

    When it returns or raises, no call of ``function`` is running anymore. If a call raises,
    items that have not been started are skipped, and the error of the earliest item that
    failed is raised, as in a plain loop. When the deadline passes, or
    Ctrl-C is pressed, running calls end at their next `stop_if_late`.

    Parameters
    ----------
    function : callable
        Called from several threads; faster with them only while it releases the GIL.
    items : iterable
        The arguments.
    n_threads : int
        Number of calls that may run at once, one of them in the calling thread. With one thread
        or one item, or inside a call of ``function``, no other thread is used.

    Returns
    -------
    list
        The results.
    """
    blocks = list(items)
    n_lanes = min(n_threads, len(blocks))
    if n_lanes <= 1 or getattr(_here, "is_lane", False):
        return [_in_time(function, block) for block in blocks]
    pending = deque(enumerate(blocks))  # popleft and clear are safe among threads
    results: dict[int, Result] = {}
    failures: dict[int, Exception] = {}
    deadline = current_deadline().extended()  # its own, to be ended early

    def take_blocks() -> None:
        _here.is_lane = True
        try:
            with limited(deadline), suppress(IndexError):
                while True:
                    index, block = pending.popleft()
                    try:
                        results[index] = _in_time(function, block)
                    except Exception as failure:
                        failures[index] = failure
                        pending.clear()
        finally:
            _here.is_lane = False

    helpers: list[Future[None]] = []
    try:
        with suppress(RuntimeError):  # no more threads available: fewer lanes will do
            helpers.extend(_pool().submit(take_blocks) for _ in range(n_lanes - 1))
        take_blocks()
    except BaseException:  # a second Ctrl-C: the helpers need not finish their blocks
        deadline.end()
        raise
    finally:
        pending.clear()  # not empty only after Ctrl-C
        started = [helper for helper in helpers if not helper.cancel()]
        wait(started)
    for helper in started:
        helper.result()  # raises anything but an Exception, such as SystemExit
    if failures:
        raise failures[min(failures)]
    return [results[index] for index in range(len(blocks))]


def _in_time(function: Callable[[Item], Result], block: Item) -> Result:
    stop_if_late()
    return function(block)


_here = threading.local()  # whether this thread takes blocks

_pools: dict[int, ThreadPoolExecutor] = {}


def _pool() -> ThreadPoolExecutor:
    """Return the helpers of this process; a fork copies the pool but not its threads."""
    process = os.getpid()
    if process not in _pools:
        # Two threads may both get here: setdefault lets one pool win, and the other one has
        # started no thread. A lock could be held by a third thread at the fork.
        most = max(_usable_cpus(), _MOST_THREADS)
        _pools.setdefault(process, ThreadPoolExecutor(most, thread_name_prefix="fuzzyfrog"))
    return _pools[process]


def _whole_number(n_jobs: int) -> int:
    try:
        number = operator.index(n_jobs)  # also accepts NumPy integers
    except TypeError:
        number = 0
    if number == 0:
        raise ParameterError(
            "n_jobs",
            "be None or a whole number other than 0",
            repr(n_jobs),
            "Use None or -1 for all CPUs, 1 for a single thread.",
        )
    return number


def _is_worker() -> bool:
    """Whether this process or thread is a worker among others that share the CPUs."""
    if multiprocessing.parent_process() is not None:  # joblib's own processes included
        return True
    return _is_joblib_thread() or _is_dask_thread()


# Code that runs inside joblib or Dask has imported it: no need to import either here.


def _is_joblib_thread() -> bool:
    active_backend = getattr(sys.modules.get("joblib.parallel"), "get_active_backend", None)
    return active_backend is not None and (active_backend()[0].nesting_level or 0) > 0


def _is_dask_thread() -> bool:
    get_worker = getattr(sys.modules.get("distributed"), "get_worker", None)
    if get_worker is None:
        return False
    try:
        get_worker()
    except ValueError:  # not inside a task
        return False
    return True


def _usable_cpus() -> int:
    # Not joblib.cpu_count: it reads the quota of the outermost control group only, and misses that
    # of a nested one, which batch systems and systemd set.
    if hasattr(os, "sched_getaffinity"):
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = os.cpu_count() or 1
    return max(1, math.ceil(min(allowed, _quota_of_process(Path("/")))))


def _quota_of_process(root: Path) -> float:
    """Return the CPUs that the control groups grant, found below ``root``; inf for no limit."""
    return min(map(_quota_of_group, control_groups(root, "cpu")), default=math.inf)


def _quota_of_group(group: Path) -> float:
    try:
        if (group / "cpu.max").exists():
            quota, period = (group / "cpu.max").read_text().split()
        else:
            quota = (group / "cpu.cfs_quota_us").read_text()
            period = (group / "cpu.cfs_period_us").read_text()
        cpus = float(quota.replace("max", "inf")) / float(period)
    except (OSError, ValueError):
        return math.inf
    return cpus if cpus > 0 else math.inf  # version 1 has -1 for no limit
