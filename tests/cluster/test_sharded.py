"""What a table in shards leaves on workers, and who may work on it."""

import os
import shutil

import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin

import fuzzyfrog
from cluster.made import NEVER, agree, made_measure, made_subsets, on, same_bytes, wait_until
from cluster.processes import scheduler, worker
from fuzzyfrog.cluster.measure import layout_for, weigh_pair
from fuzzyfrog.cluster.worker import stamp
from fuzzyfrog.measure import Dependency


class Watch(SchedulerPlugin):
    """Counts the pairs of shards that workers were told to look at and did not yet."""

    name = "watch"

    def __init__(self):
        self.busy, self.most = set(), 0

    def transition(self, key, start, finish, *args, **kwargs):
        if "weigh_pair" in str(key):
            (self.busy.add if finish == "processing" else self.busy.discard)(key)
            self.most = max(self.most, len(self.busy))


@pytest.fixture
def watch(cluster):
    plugin = Watch()
    cluster.scheduler.add_plugin(plugin)
    yield plugin
    cluster.scheduler.remove_plugin("watch")


def test_workers_are_sent_two_pairs_for_each_thread_at_a_time(client, watch):
    near = made_measure()
    agree(on(client, near, 7), near, made_subsets(count=5))  # 21 pairs, 2 threads
    assert watch.most == 4


def test_only_the_shards_stay_on_the_cluster(cluster, client):
    near = made_measure(n_samples=3000)
    before = set(cluster.scheduler.tasks)
    far = on(client, near, 5)
    agree(far, near, made_subsets(count=4))

    def held():
        tasks = dict(cluster.scheduler.tasks)
        return {
            str(key): task.nbytes
            for key, task in tasks.items()
            if key not in before and task.nbytes > 1000
        }

    wait_until(lambda: len(held()) == 5)
    n_bytes = held()
    assert all(key.startswith("Geometry") for key in n_bytes)
    table = 8 * 3000 * (7 + 2)  # with a place and a mass for each sample
    assert sum(n_bytes.values()) == pytest.approx(table, rel=0.02)


@pytest.mark.long
def test_workers_with_just_enough_memory_do_their_work_and_live():
    rng = np.random.default_rng(0)
    near = Dependency(rng.normal(size=(180_000, 50)), rng.integers(0, 2, 180_000), n_jobs=2)
    masks = np.arange(50) < np.array([[3], [50]])
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=":0",
            memory_limit="810MB",
        ) as limited,
        Client(limited, set_as_default=False) as client,
    ):
        processes = client.run(os.getpid)
        layout = layout_for(client, near)
        assert layout._n_shards == 8
        assert same_bytes(layout.score(masks, np.full(2, NEVER), 2), near.score(masks))
        assert client.run(os.getpid) == processes


@pytest.fixture
def other_code(tmp_path):
    """Return the folder of a package whose kernels were edited."""
    copy = shutil.copytree(fuzzyfrog.__path__[0], tmp_path / "fuzzyfrog")
    with (copy / "measure" / "_kernel_scan.py").open("a", encoding="utf-8") as kernels:
        kernels.write("# an idea to try\n")
    return str(tmp_path)


def test_a_worker_with_other_code_that_comes_later_is_refused(other_code):
    near, masks = made_measure(), made_subsets(count=5)
    with (
        scheduler() as (_, address),
        Client(address, set_as_default=False) as client,
        worker(address) as first,
    ):
        far = on(client, near, 3)
        agree(far, near, masks)
        before = set(client.nthreads())
        with worker(address, PYTHONPATH=other_code):
            client.wait_for_workers(2, timeout=600)
            (late,) = set(client.nthreads()) - before
            refusal = f"every worker, fuzzyfrog .* got fuzz.* on the worker {late}"
            asked = client.submit(weigh_pair, stamp(), None, None, 0, workers=[late], pure=False)
            with pytest.raises(ValueError, match=refusal):
                asked.result()
            first.kill()
            with pytest.raises(ValueError, match=refusal):
                far.score(masks)
