"""How many threads, and what a map over threads promises."""

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import joblib
import numpy as np
import pytest

from fuzzyfrog.common.deadline import Deadline, TimeIsUp, limited, stoppable
from fuzzyfrog.measure import threads
from fuzzyfrog.measure.threads import effective_threads, map_blocks


def run_python(code: str) -> subprocess.CompletedProcess:
    return subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


# How many.


@pytest.fixture
def four_cpus(monkeypatch):
    """Any machine looks as if it had four CPUs: the rule is tested, not the machine."""
    monkeypatch.setattr(threads, "_usable_cpus", lambda: 4)


@pytest.mark.usefixtures("four_cpus")
@pytest.mark.parametrize(
    ("n_jobs", "n_threads"),
    [
        (None, 4),
        (-1, 4),
        (-2, 3),
        (-4, 1),
        (-5, 1),
        (-100, 1),
        (1, 1),
        (3, 3),
        (7, 7),
        (64, 64),
        (10**6, 64),
        (np.int64(2), 2),
    ],
)
def test_n_jobs_is_read_as_in_scikit_learn(n_jobs, n_threads):
    assert effective_threads(n_jobs) == n_threads


def test_large_machine_is_used_in_full(monkeypatch):
    monkeypatch.setattr(threads, "_usable_cpus", lambda: 384)
    assert effective_threads(None) == effective_threads(10**6) == 384


@pytest.mark.parametrize("n_jobs", [0, 2.5, "2"])
def test_n_jobs_that_counts_nothing_is_refused(n_jobs):
    with pytest.raises(ValueError, match=f"n_jobs must be .* other than 0, got {n_jobs!r}. Use"):
        effective_threads(n_jobs)


def test_affinity_of_the_process_is_kept():
    one = min(os.sched_getaffinity(0))
    code = f"""
import os
from fuzzyfrog.measure.threads import effective_threads
os.sched_setaffinity(0, {{{one}}})
print(effective_threads(None), effective_threads(-1))
"""
    assert run_python(code).stdout.split() == ["1", "1"]


def write(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


V1 = "3:cpuacct:/\n2:cpu,cpuset:/a/b\n1:memory:/m\n0::/\n"


@pytest.mark.parametrize(
    ("files", "cpus"),
    [
        ({}, math.inf),
        ({"proc/self/cgroup": "0::/\n"}, math.inf),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, math.inf),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1.5),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "50000 100000\n"}, 0.5),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
                "sys/fs/cgroup/a/cpu.max": "300000 100000\n",
                "sys/fs/cgroup/cpu.max": "400000 100000\n",
            },
            3,
        ),
        # Inside a container the groups of the host are named but not mounted.
        ({"proc/self/cgroup": "0::/pod/x\n", "sys/fs/cgroup/cpu.max": "200000 100000"}, 2),
        (
            {
                "proc/self/cgroup": V1,
                "sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us": "250000\n",
                "sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us": "100000\n",
            },
            2.5,
        ),
        (
            {
                "proc/self/cgroup": V1,
                "sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us": "100000\n",
            },
            math.inf,
        ),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "what\n"}, math.inf),
    ],
)
def test_quota_of_control_groups(tmp_path, files, cpus):
    assert threads._quota_of_process(write(tmp_path, files)) == cpus


@pytest.mark.parametrize(("quota", "cpus"), [(0.5, 1), (1.5, 2), (2.0, 2), (100.0, 3)])
def test_part_of_a_cpu_counts_as_one(monkeypatch, quota, cpus):
    monkeypatch.setattr(threads, "_quota_of_process", lambda root: quota)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2})
    assert threads._usable_cpus() == cpus


def ask(n_jobs: int | None) -> int:
    return effective_threads(n_jobs)


@pytest.mark.usefixtures("four_cpus")
def test_joblib_threads_get_one_each_unless_told():
    parallel = joblib.Parallel(n_jobs=2, backend="threading")
    asked = parallel(joblib.delayed(ask)(n_jobs) for n_jobs in (None, None, -1, 3))
    assert asked == [1, 1, 4, 3]
    assert effective_threads(None) == 4


def test_joblib_processes_get_one_thread_each_unless_told():
    parallel = joblib.Parallel(n_jobs=2, backend="loky")
    asked = parallel(joblib.delayed(effective_threads)(n_jobs) for n_jobs in (None, None, 3))
    assert asked == [1, 1, 3]


def test_multiprocessing_gets_one_thread_each():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(effective_threads, [None, 3]) == [1, 3]


def test_dask_threads_get_one_each():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2) as client:
        assert client.submit(effective_threads, None).result() == 1
        assert effective_threads(None) == effective_threads(-1)


# On which.


@pytest.mark.parametrize("n_threads", [1, 2, 4, 7])
def test_results_come_in_the_order_of_the_items(n_threads):
    assert map_blocks(lambda x: x * x, iter(range(200)), n_threads) == [x * x for x in range(200)]


def test_no_items():
    assert map_blocks(len, [], 4) == []


@pytest.mark.parametrize(("items", "n_threads"), [(range(9), 1), (range(1), 4)])
def test_one_thread_or_one_item_stays_in_the_caller(items, n_threads):
    used = set(map_blocks(lambda _: threading.get_ident(), items, n_threads))
    assert used == {threading.get_ident()}


@pytest.mark.parametrize("n_threads", [2, 3, 5])
def test_as_many_calls_at_once_as_asked_for(n_threads):
    """The barrier opens only if all of them are inside at once."""
    barrier = threading.Barrier(n_threads, timeout=600)
    map_blocks(lambda _: barrier.wait(), range(n_threads), n_threads)


def test_never_more_calls_at_once_than_asked_for():
    """The barrier for one more than that never opens."""
    barrier = threading.Barrier(3)

    def meet(_):
        try:
            barrier.wait(0.2)
        except threading.BrokenBarrierError:
            return False
        return True

    assert map_blocks(meet, range(3), 2) == [False, False, False]


def test_earliest_failing_item_is_the_one_that_raises():
    """A later item fails first in time; a plain loop would never have reached it."""
    later_failed = threading.Event()

    def fail(item):
        if item == 0:
            assert later_failed.wait(30)
            raise KeyError("early item")
        later_failed.set()
        raise ValueError("late item")

    with pytest.raises(KeyError, match="early item"):
        map_blocks(fail, range(2), 2)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_failure_leaves_out_what_has_not_begun(n_threads):
    begun = []

    def fail(item):
        begun.append(item)
        raise IndexError(item)

    with pytest.raises(IndexError, match="0"):
        map_blocks(fail, range(1000), n_threads)
    assert len(begun) <= n_threads


def test_exit_in_a_helper_reaches_the_caller():
    caller = threading.get_ident()
    both = threading.Barrier(2, timeout=600)

    def leave(_):
        both.wait()
        if threading.get_ident() != caller:
            sys.exit(3)

    with pytest.raises(SystemExit):
        map_blocks(leave, range(2), 2)


def test_pool_works_after_a_failure():
    with pytest.raises(ZeroDivisionError):
        map_blocks(lambda x: 1 // x, [1, 0, 1, 0], 2)
    assert map_blocks(abs, [-1, -2, -3], 2) == [1, 2, 3]


def test_nested_calls_stay_in_their_thread():
    def inner(_):
        return threading.get_ident()

    def outer(_):
        return {threading.get_ident(), *map_blocks(inner, range(5), 4)}

    assert all(len(used) == 1 for used in map_blocks(outer, range(20), 4))
    # and the caller is free to use threads again
    barrier = threading.Barrier(2, timeout=600)
    map_blocks(lambda _: barrier.wait(), range(2), 2)


def test_caller_does_not_wait_for_a_busy_pool(monkeypatch):
    monkeypatch.setattr(threads, "_pools", {})
    monkeypatch.setattr(threads, "_MOST_THREADS", 1)
    monkeypatch.setattr(threads, "_usable_cpus", lambda: 1)
    both_busy, released = threading.Barrier(3, timeout=600), threading.Event()
    in_time = []

    def hold(_):
        both_busy.wait()
        in_time.append(released.wait(100))

    holder = threading.Thread(target=map_blocks, args=(hold, range(2), 2))
    holder.start()
    both_busy.wait()  # the only helper is taken
    assert map_blocks(abs, [-1, -2, -3], 2) == [1, 2, 3]
    released.set()
    holder.join()
    assert in_time == [True, True]


def test_several_callers_at_once():
    n_callers = 4
    answers: dict[int, list[int]] = {}
    together = threading.Barrier(n_callers, timeout=600)

    def call(caller: int):
        together.wait()
        for _ in range(20):
            answers[caller] = map_blocks(lambda x: x + caller, range(50), 3)

    callers = [threading.Thread(target=call, args=(caller,)) for caller in range(n_callers)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    assert answers == {caller: [x + caller for x in range(50)] for caller in range(n_callers)}


def test_pool_is_kept_between_calls():
    assert threads._pool() is threads._pool()


FORK = """
import os, sys, threading
from fuzzyfrog.measure.threads import map_blocks

def together(n):
    barrier = threading.Barrier(n, timeout=600)
    return map_blocks(lambda x: (barrier.wait(), x)[1], range(n), n)

assert together(3) == [0, 1, 2]
child = os.fork()
if child == 0:
    assert together(3) == [0, 1, 2]
    grandchild = os.fork()
    if grandchild == 0:
        assert together(4) == [0, 1, 2, 3]
        sys.exit(0)
    sys.exit(os.waitpid(grandchild, 0)[1])
assert os.waitpid(child, 0)[1] == 0
assert together(3) == [0, 1, 2]
"""


def test_pool_is_made_again_after_a_fork():
    run = run_python(FORK)
    assert (run.returncode, run.stderr) == (0, "")


INTERRUPT = """
import os, signal, threading
from fuzzyfrog.measure.threads import map_blocks

main_is_in, helper_is_in = threading.Event(), threading.Event()
begun, finished_by_helper = [], []

def block(item):
    begun.append(item)
    if threading.current_thread() is threading.main_thread():
        main_is_in.set()
        helper_is_in.wait(30)
        os.kill(os.getpid(), signal.SIGINT)
    else:
        helper_is_in.set()
        main_is_in.wait(30)
        threading.Event().wait(0.2)  # still at it when the main thread is interrupted
        finished_by_helper.append(item)

try:
    map_blocks(block, range(1000), 2)
except KeyboardInterrupt:
    print(len(begun), len(finished_by_helper))
"""


def test_interrupt_leaves_after_the_calls_under_way():
    run = run_python(INTERRUPT)
    assert run.returncode == 0
    n_begun, n_finished_by_helper = map(int, run.stdout.split())
    assert n_begun < 20
    assert n_finished_by_helper == n_begun - 1  # nothing runs on behind the caller's back


# When work must end.


@pytest.mark.parametrize("n_threads", [1, 2])
def test_no_block_is_begun_after_the_deadline_and_the_next_call_is_not_late(n_threads):
    begun = []
    with limited(Deadline(0)), pytest.raises(TimeIsUp):
        map_blocks(begun.append, range(8), n_threads)
    assert begun == []
    assert map_blocks(abs, range(-3, 0), n_threads) == [3, 2, 1]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_work_without_a_deadline_is_not_cut_short_by_ctrl_c(n_threads):
    """As while a table is prepared: there is no answer yet."""
    pressed = []

    def press(number):
        time.sleep(0.01)
        if threading.current_thread() is threading.main_thread() and not pressed:
            pressed.append(number)
            signal.raise_signal(signal.SIGINT)
        return abs(number)

    with stoppable():
        assert map_blocks(press, range(-30, 0), n_threads) == list(range(30, 0, -1))
    assert pressed


def test_a_deadline_holds_in_every_lane():
    def block(_):
        threads.stop_if_late()
        deadline.end()
        for _ in range(10_000):
            time.sleep(0.001)
            threads.stop_if_late()

    deadline = Deadline(0.2)  # long enough for both lanes to begin, if not, neither does
    with limited(deadline), pytest.raises(TimeIsUp):
        map_blocks(block, range(2), 2)


def test_ctrl_c_also_ends_the_calls_of_the_helpers():
    main, ended = threading.current_thread(), []

    def block(_):
        if threading.current_thread() is main:
            time.sleep(0.05)
            raise KeyboardInterrupt
        try:
            for _ in range(30_000):
                time.sleep(0.001)
                threads.stop_if_late()
        except TimeIsUp:
            ended.append("early")
            raise

    with pytest.raises(KeyboardInterrupt):
        map_blocks(block, range(2), 2)
    assert ended in ([], ["early"])  # a machine may have been too busy to start the helper
    assert map_blocks(abs, [-1, -2], 2) == [1, 2]
