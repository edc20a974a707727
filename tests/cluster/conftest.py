from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from distributed import LocalCluster

# Dask is imported where it is used: tests of shards need none.


def local_cluster(n_workers: int) -> LocalCluster:
    """Start worker processes on this machine that nobody else can reach."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=":0",  # any free port: another cluster may have the usual one
    )


@pytest.fixture(scope="session")
def cluster():
    """Two worker processes for all tests: starting them takes seconds."""
    import dask

    # A local cluster looks after this time whether a worker that was lost is back, and if it has
    # been killed a second time just then, it is given up for ever.
    asyncio._set_running_loop(None)  # one that another test left behind is not for Dask
    patiently = dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
    with patiently, local_cluster(2) as cluster:
        cluster.scheduler.allowed_failures = 0  # what a killed worker was doing is lost at once
        yield cluster


@pytest.fixture(scope="session")
def _client(cluster):
    from distributed import Client

    with Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def client(_client):
    """A client whose two workers are there, also after a test that killed some."""
    _client.wait_for_workers(2, timeout=600)
    yield _client
    gc.collect()  # tasks that failed speak when they go; inside `ast.parse`, CPython 3.11 fails
