"""Workers that are killed for real while they work."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import numpy as np


@contextmanager
def kills(client, times, pause=(0.0, 0.0)):
    """Kill busy workers in the background, one by one; yield a function: whether it is over."""
    is_over = threading.Event()
    killer = threading.Thread(target=_kill, args=(client, times, pause, is_over))
    killer.start()
    try:
        yield killer.is_alive
    finally:
        is_over.set()
        killer.join()


def _kill(client, times, pause, is_over):
    rng = np.random.default_rng(0)
    for _ in range(times):
        time.sleep(rng.uniform(*pause))
        address = _busy_worker(client, is_over)
        if address is None:
            return
        pids = client.run(os.getpid, workers=[address], on_error="ignore")
        os.kill(pids[address], signal.SIGKILL)
        _wait_until_gone(client, address)


def _busy_worker(client, is_over):
    while not is_over.is_set():
        for address, keys in client.processing().items():
            if keys:
                return address
        time.sleep(0.01)
    return None


def _wait_until_gone(client, address):
    while address in client.scheduler_info(n_workers=-1)["workers"]:
        time.sleep(0.01)


def always_lost(part):
    """End the process of the worker, whatever it is."""
    os._exit(1)


def wrong(part):
    """Fail for a reason that no other worker would fix."""
    raise ZeroDivisionError(f"part {part}")
