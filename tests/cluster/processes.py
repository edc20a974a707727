"""Schedulers and workers of Dask as separate processes, to be killed."""

import os
import subprocess
import sys
from contextlib import contextmanager


@contextmanager
def scheduler():
    """Start a scheduler without workers on this machine; return its process and its address."""
    command = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-jupyter"]
    with _dask(command) as process:
        for line in process.stderr:
            if "Scheduler at:" in line:
                yield process, line.split()[-1]
                break


@contextmanager
def worker(address, **environment):
    """Start a worker with one thread for a scheduler."""
    command = ["worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    with _dask(command, **environment) as process:
        yield process


@contextmanager
def _dask(arguments, **environment):
    process = subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "dask", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
