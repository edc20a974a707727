"""Workers with several threads and workers within this process give the same bits."""

import pytest
from distributed import Client, LocalCluster

from cluster.made import agree, made_measure, made_subsets, on


@pytest.fixture(
    scope="module",
    params=[(1, 4, True), (2, 2, False)],
    ids=["a process with 4 threads", "2 x 2 threads of this process"],
)
def other_client(request):
    """A client of workers that are not processes with one thread each."""
    n_workers, n_threads, processes = request.param
    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=n_threads,
            processes=processes,
            host="127.0.0.1" if processes else None,
            dashboard_address=":0",
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.parametrize("layout", ["copies", 4])
def test_scores_are_those_of_one_machine(other_client, layout):
    near = made_measure(n_samples=400)
    far = on(other_client, near, layout)
    assert far._layout.n_threads == 4
    for _ in range(2):  # again with what the workers keep
        agree(far, near, made_subsets(count=40))
