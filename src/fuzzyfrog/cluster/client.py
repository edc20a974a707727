"""The only module that imports Dask: clients, rounds of tasks, and which errors mean lost work.

Dask itself runs the tasks of a lost worker elsewhere, and drops one that is silent for five
minutes. What it gives up on (data that only the lost worker had, a task whose workers were lost
several times) is submitted again here: every task is a function of its arguments and nothing else.
"""

import re
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.common.messages import shown
from fuzzyfrog.errors import ClusterError, ParameterError

_NO_PORT = re.compile(r"((tcp|tls)://)?[^:/]+/?")
CONNECT_SECONDS = 10  # for a scheduler to answer
WORKER_SECONDS = 60.0  # how long a cluster may be without any worker
SHORTEST_PAUSE, LONGEST_PAUSE = 0.0005, 0.02  # seconds between two looks at tasks
LOOK_AROUND = 2.0  # seconds between two looks at the workers
RESUBMISSIONS = 10  # of the lost parts of a round
FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0  # seconds before parts are submitted again

RESUME = (
    "Run it again on a new cluster: with a checkpoint it resumes where this run ended, bit for "
    "bit; without one it starts over."
)

# distributed.Client and distributed.Future, whose own types are incomplete.
Client: TypeAlias = Any
Future: TypeAlias = Any


class TableMissingError(LookupError):
    """A worker does not have the table whose subsets it is to score."""


def check_cluster(cluster: object) -> None:
    """Raise unless a value can be a cluster; this does not connect to it."""
    if isinstance(cluster, str) and _NO_PORT.fullmatch(cluster):
        rule = "be an address with a port, such as 'tcp://10.0.0.1:8786'"
        raise ParameterError("cluster", rule, shown(cluster), "`dask scheduler` prints it.")
    if cluster is None or (isinstance(cluster, str) and cluster):
        return
    is_client = all(hasattr(cluster, name) for name in ("map", "scatter", "run"))
    if not is_client or isinstance(cluster, type):
        rule = "be None, an address such as 'tcp://10.0.0.1:8786', or a distributed.Client"
        raise ParameterError("cluster", rule, shown(cluster))
    if getattr(cluster, "asynchronous", False):
        rule, hint = "be a synchronous client", "Create it outside coroutines, or pass its address."
        raise ParameterError("cluster", rule, "one with asynchronous=True", hint)
    if getattr(cluster, "status", None) != "running":
        rule = "be a client that is connected"
        raise ParameterError("cluster", rule, shown(cluster), "Create a new one.")


@contextmanager
def connected(cluster: object) -> Iterator[Client]:
    """Lend the client of the user, or a new one for an address, which is closed afterwards."""
    client: Client = _client_at(cluster) if isinstance(cluster, str) else cluster
    try:
        _refuse_within_a_task(client)
        yield client
    finally:
        if isinstance(cluster, str):
            client.close()


def _refuse_within_a_task(client: Client) -> None:
    """Raise inside a task of the same cluster, which would wait for its own thread."""
    try:
        here = address_of_this_worker()
    except ValueError:  # not inside a task
        return
    if here in client.scheduler_info(n_workers=-1).get("workers", {}):
        raise ParameterError(
            "cluster",
            "not be the one whose task calls fit",
            f"the cluster of the worker {here}",
            "Call fit outside its tasks, or with cluster=None.",
        )


def _client_at(address: str) -> Client:
    distributed = _distributed()
    try:
        client: Client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:  # nothing there, or not an address
        reason = " ".join(str(error).split())
        raise ParameterError(
            "cluster",
            f"be the address of a Dask scheduler that answers within {CONNECT_SECONDS} seconds",
            f"{shown(address)} ({reason})",
            "Start one with `dask scheduler`, or correct the address.",
        ) from None
    return client


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ParameterError(
            "cluster",
            "be None without Dask",
            "a cluster, but Dask is not installed",
            "Install it with: pip install 'fuzzyfrog[dask]'",
        ) from None
    return distributed


def workers_of(client: Client) -> dict[str, Any]:
    """Return what the scheduler knows about the workers that take work, after waiting for one."""
    end = time.monotonic() + WORKER_SECONDS
    errand: Sequence[Future] = ()
    while True:
        if client.status != "running":
            raise ClusterError(f"the scheduler of the cluster was lost. {RESUME}")
        known = client.sync(client.scheduler.identity, n_workers=-1).get("workers", {})
        working = {address: one for address, one in known.items() if one["status"] == "running"}
        if working:
            return working
        if time.monotonic() > end:
            raise ClusterError(
                "the cluster must have a worker that takes work, neither paused nor leaving, got "
                f"none within {WORKER_SECONDS:.0f} seconds. Start some with `dask worker` and the "
                "address of the scheduler; if there are any, see their logs."
            )
        # A cluster that grows with its work has no worker before there is any.
        errand = errand or client.map(int, [0], pure=False)
        time.sleep(LOOK_AROUND / 10)


def threads_of(client: Client) -> int:
    """Return the number of threads of all workers, after waiting for the first one."""
    return sum(worker["nthreads"] for worker in workers_of(client).values())


def collected(
    client: Client,
    n_parts: int,
    submit: Callable[[list[int]], Sequence[Future]],
    recover: Callable[[], None],
) -> list[Any]:
    """Return the results of all parts of a round in their order.

    `submit` submits the parts with the given numbers and returns one future for each. `recover`
    restores what tasks need; it is called before lost parts are submitted again. Raises
    ClusterError if the scheduler is lost, no worker is left, or parts were lost too often.
    """
    results: dict[int, Any] = {}
    lost: Exception | None = None
    for attempt in range(1 + RESUBMISSIONS):
        missing = [part for part in range(n_parts) if part not in results]
        try:
            workers_of(client)
            if attempt:
                recover()
            lost = _finished(client, missing, submit(missing), results)
        except Exception as error:
            if not is_loss(error):
                raise
            lost = error
        if len(results) == n_parts:
            return [results[part] for part in range(n_parts)]
        time.sleep(min(FIRST_WAIT * 2**attempt, LONGEST_WAIT))
    raise ClusterError(
        f"the cluster lost the same work {1 + RESUBMISSIONS} times ({type(lost).__name__}: {lost})."
        " Its workers may have too little memory; see their logs."
    )


def _finished(
    client: Client, parts: Sequence[int], futures: Sequence[Future], results: dict[int, Any]
) -> Exception | None:
    """Wait for tasks, add those that were done to the results, and return why others are lost.

    Dask's own `wait` needs the client to be the current one, which changes a setting of the whole
    process: fits in several threads would leave it changed.
    """
    try:
        pause, look_at = SHORTEST_PAUSE, time.monotonic() + LOOK_AROUND
        while not all(future.done() for future in futures):
            stop_if_late()
            time.sleep(pause)
            pause = min(1.5 * pause, LONGEST_PAUSE)
            if time.monotonic() > look_at:
                workers_of(client)
                look_at = time.monotonic() + LOOK_AROUND
        errors = [future.exception() for future in futures if future.status == "error"]
        for error in errors:
            if not is_loss(error):
                raise error
        done = {k: one for k, one in zip(parts, futures, strict=True) if one.status == "finished"}
        found = client.sync(client.gather, list(done.values()), callback_timeout=WORKER_SECONDS)
        results.update(zip(done, found, strict=True))
        return errors[0] if errors else None
    finally:  # no worker keeps working after Ctrl-C or keeps a result
        if client.status == "running":
            with suppress(Exception):  # an error that led here says more
                client.cancel(futures)


class Scattered:
    """Data that lies somewhere on the cluster: sent when it is first needed, again if lost."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._sent: dict[Hashable, Future] = {}

    def at(self, key: Hashable, make: Callable[[], object]) -> Future:
        """Return the data under a key, which is made to be sent."""
        if key not in self._sent:
            (self._sent[key],) = self._client.scatter([make()], broadcast=False, hash=False)
        return self._sent[key]

    def forget_lost(self) -> None:
        """Forget what is no longer on the cluster, so that it is sent again."""
        here = {"pending", "finished"}
        self._sent = {key: one for key, one in self._sent.items() if one.status in here}

    def clear(self) -> None:
        """Let the cluster drop all of it."""
        self._sent.clear()


def is_loss(error: BaseException) -> bool:
    """Whether an error means that workers or data were lost, not that the work is wrong."""
    from concurrent.futures import CancelledError

    distributed = _distributed()
    connection = (distributed.comm.CommClosedError, ConnectionError, TimeoutError)
    # A failed connection is a plain OSError of Dask, without an errno.
    is_unanswered = type(error) is OSError and error.errno is None
    lost = (CancelledError, distributed.scheduler.KilledWorker, TableMissingError, *connection)
    return is_unanswered or isinstance(error, lost)


def address_of_this_worker() -> str:
    """Return the address of the worker that runs the current task."""
    return str(_distributed().get_worker().address)
