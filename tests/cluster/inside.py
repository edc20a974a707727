"""Clusters whose workers are threads of this process: quick to start, theirs to be changed."""

from contextlib import contextmanager

from distributed import Client, LocalCluster


@contextmanager
def threads(n_workers=1):
    """Start workers with one thread each; return the cluster and a client of it."""
    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=False,
            dashboard_address=":0",  # any free port: another cluster may have the usual one
            memory_limit=0,  # nobody is paused for what this process needs
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield cluster, client
