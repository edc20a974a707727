"""The selector and the command line on a cluster: the same answers, the same records."""

import json
import pickle
import shutil
import subprocess
import sys
import warnings

import numpy as np
import psutil
import pytest
from distributed import Client
from msgspec.structs import replace
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import fuzzyfrog
from cli_process import COMMAND, environment
from cluster.killing import kills
from cluster.made import Simple, made_measure, wait_until
from cluster.processes import scheduler, worker
from fuzzyfrog import (
    FeatureSelector,
    ReductSelector,
    ShuffledFrogs,
    SoftSelector,
    load_dataset,
)
from fuzzyfrog.cli import main
from fuzzyfrog.cli.console import stderr, stdout
from fuzzyfrog.cluster import on_cluster
from fuzzyfrog.cluster import worker as of_worker
from fuzzyfrog.errors import ClusterError
from fuzzyfrog.measure import SoftDependency


@pytest.fixture(autouse=True)
def _everything_is_sent(monkeypatch):
    """Make rounds cost nothing; otherwise all these small batches would be scored locally."""
    monkeypatch.setattr("fuzzyfrog.cluster.measure.round_seconds", lambda client, n_threads: 0.0)


def record_of(selector):
    """Return the record of a fitted selector without its times and interruptions."""
    record = selector.record()
    history = tuple(replace(point, seconds=0.0) for point in record.history)
    return replace(record, seconds=0.0, history=history, n_resumed=0)


def fitted(cluster=None, selector=ReductSelector, *, weights=None, **parameters):
    made = selector(random_state=0, cluster=cluster, **parameters)
    return made.fit(load_dataset("wine"), sample_weight=weights)


WEIGHTS = np.random.default_rng(0).exponential(size=178)


RUNS = [
    {"search": ShuffledFrogs(patience=1), "max_evaluations": 300},
    {"search": "quickreduct"},
    {"search": "quickreduct", "certify": True},
    {"selector": SoftSelector},
    {"selector": SoftSelector, "sample": 60},
    {
        "selector": FeatureSelector,
        "measure": SoftDependency,
        "search": ShuffledFrogs(patience=1),
        "max_evaluations": 300,
    },
    {"selector": FeatureSelector, "measure": Simple},
    {"search": "quickreduct", "feature_groups": {"phenols": "*phenols", "acid": [1, 3]}},
    {
        "search": ShuffledFrogs(patience=1),
        "max_evaluations": 300,
        "feature_groups": {"acid": [1, 3]},
    },
    {"selector": SoftSelector, "feature_groups": {"phenols": "*phenols"}},
    {"search": "quickreduct", "weights": WEIGHTS},
    {"selector": SoftSelector, "weights": WEIGHTS},
]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: ", ".join(run))
def test_the_record_is_that_of_one_machine(client, run):
    assert record_of(fitted(client, **run)) == record_of(fitted(**run))


def test_a_table_in_shards_has_the_record_of_one_machine(client, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.cluster.measure.SHARE", 1e-5)
    for more in ({}, {"feature_groups": {"phenols": "*phenols"}}, {"weights": WEIGHTS}):
        run = {"search": "quickreduct", **more}
        assert record_of(fitted(client, **run)) == record_of(fitted(**run))


def listening():
    """Return the ports on which this process can be reached."""
    return {one.laddr for one in psutil.Process().net_connections() if one.status == "LISTEN"}


def test_a_client_for_an_address_leaves_nothing_behind(cluster, client):
    ports, clients, held = listening(), set(cluster.scheduler.clients), client.run(tables)
    fitted(cluster.scheduler_address, search="quickreduct")
    assert listening() <= ports
    wait_until(lambda: set(cluster.scheduler.clients) <= clients)
    assert all(names <= held[one] for one, names in client.run(tables).items())


def tables():
    """Return the names of the tables that a worker process keeps."""
    return set(of_worker._tables)


def test_the_client_of_the_user_stays_open(client):
    held = client.run(tables)
    fitted(client, search="quickreduct")
    assert client.status == "running"
    assert client.submit(abs, -3).result() == 3
    assert all(names <= held[one] for one, names in client.run(tables).items())  # it is dropped


def test_a_clone_has_the_same_client_and_a_pickle_none(client):
    selector = ReductSelector("quickreduct", cluster=client)
    assert clone(make_pipeline(selector))[0].cluster is client
    loaded = pickle.loads(pickle.dumps(selector))  # noqa: S301 - our own
    assert (loaded.cluster, loaded.search) == (None, "quickreduct")
    selector.set_params(cluster="tcp://10.0.0.1:8786")
    assert clone(selector).cluster == "tcp://10.0.0.1:8786"
    assert pickle.loads(pickle.dumps(selector)).cluster == selector.cluster  # noqa: S301


class TestRefusals:
    @pytest.mark.parametrize("cluster", [7, "", Client, object()])
    def test_what_is_no_cluster(self, cluster):
        with pytest.raises(ValueError, match=r"cluster must be None, an address such as 'tcp://"):
            fitted(cluster)

    def test_a_closed_client(self, cluster):
        with Client(cluster, set_as_default=False) as closed:
            pass
        with pytest.raises(ValueError, match="cluster must be a client that is connected, got"):
            fitted(closed)

    @pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "carrier-pigeon://loft"])
    def test_an_address_where_nobody_answers(self, monkeypatch, address):
        monkeypatch.setattr("fuzzyfrog.cluster.client.CONNECT_SECONDS", 0.5)
        with pytest.raises(ValueError, match=r"answers within 0.5 seconds, got '[ct]"):
            fitted(address)

    def test_without_dask(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(ValueError, match=r"pip install 'fuzzyfrog\[dask\]'"):
            fitted("tcp://127.0.0.1:1")


@pytest.fixture
def reducts(monkeypatch, capsys):
    """Run ``fuzzyfrog reducts wine`` in this process; return exit code, stdout and stderr."""
    stdout.cache_clear()  # consoles keep the streams of the test that made them
    stderr.cache_clear()

    def run(*arguments):
        line = ["fuzzyfrog", "reducts", "wine", "--search", "quickreduct", "--json", *arguments]
        monkeypatch.setattr(sys, "argv", line)
        with warnings.catch_warnings():
            warnings.simplefilter("default")  # as in a process of its own
            with pytest.raises(SystemExit) as ended:
                main()
        told = capsys.readouterr()
        return int(ended.value.code or 0), told.out, told.err

    return run


def test_the_command_line_takes_an_address(cluster, client):
    """In a process of its own, as people call it."""
    call = [*COMMAND, "reducts", "wine", "--search", "quickreduct", "--json", "--no-check"]
    runs = [
        subprocess.run(  # noqa: S603 - our own interpreter and code
            [*call, *more], capture_output=True, encoding="utf-8", env=environment(), check=False
        )
        for more in (["--cluster", cluster.scheduler_address], [])
    ]
    assert [one.returncode for one in runs] == [0, 0], runs[0].stderr
    there, here = (json.loads(one.stdout)["result"]["selected"] for one in runs)
    assert there == here


def test_an_address_without_a_port_is_refused_at_once(reducts):
    for address in ("127.0.0.1", "tcp://scheduler", "tls://scheduler/"):
        code, out, err = reducts("--cluster", address)
        assert (code, out) == (2, "")
        assert "--cluster must be an address with a port" in err


def test_the_command_line_says_that_nobody_answers(reducts, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.cluster.client.CONNECT_SECONDS", 0.5)
    code, out, err = reducts("--cluster", "tcp://127.0.0.1:1")
    assert (code, out) == (2, "")
    assert "--cluster must be the address of a Dask scheduler that answers" in err
    assert "Traceback" not in err


@pytest.mark.long
@pytest.mark.parametrize("is_whole", [True, False], ids=["copies", "shards"])
def test_five_workers_killed_at_random_during_a_run(client, monkeypatch, is_whole):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 20))
    y = X[:, :3].sum(axis=1) + rng.normal(size=3000) > 0
    run = {"search": ShuffledFrogs(patience=2), "max_evaluations": 3000, "random_state": 0}
    expected = record_of(ReductSelector(**run).fit(X, y))
    monkeypatch.setattr("fuzzyfrog.cluster.measure.fits_everywhere", lambda *_: is_whole)
    with kills(client, times=5, pause=(0.0, 2.0)) as goes_on:
        disturbed = ReductSelector(cluster=client, **run).fit(X, y)
        assert not goes_on(), "the run ended before all workers were killed"
    assert record_of(disturbed) == expected


@pytest.mark.long
def test_a_lost_scheduler_ends_the_run_and_a_new_cluster_goes_on(tmp_path):
    run = {**RUNS[0], "checkpoint": tmp_path / "scores"}
    with scheduler() as (process, address), worker(address):

        def kill_in_the_middle(moment):
            if moment.n_evaluations > 100:
                process.kill()

        with pytest.raises(ClusterError, match="with a checkpoint it resumes where this run"):
            fitted(address, callbacks=[kill_in_the_middle], **run)
    kept = (tmp_path / "scores").stat().st_size
    with scheduler() as (_, address), worker(address):
        resumed = fitted(address, **run)
    assert (tmp_path / "scores").stat().st_size > kept > 800  # a score has 8 bytes
    assert resumed.record().n_resumed > 100
    assert record_of(resumed) == record_of(fitted(**RUNS[0]))


def test_a_worker_with_other_code_is_refused(cluster, client, tmp_path):
    copy = shutil.copytree(fuzzyfrog.__path__[0], tmp_path / "fuzzyfrog")
    with (copy / "measure" / "_kernel_scan.py").open("a", encoding="utf-8") as kernels:
        kernels.write("# an idea to try\n")
    measure = made_measure()
    before = set(client.nthreads())
    with worker(cluster.scheduler_address, PYTHONPATH=str(tmp_path)):
        client.wait_for_workers(3, timeout=600)
        (other,) = set(client.nthreads()) - before
        with (
            pytest.raises(
                ValueError,
                match=f"of this process on every worker, fuzzyfrog .* got fuzz.* worker {other}",
            ),
            on_cluster(measure, client),
        ):
            pass
