"""The only module that imports Dask: clients, waiting, and which errors mean lost work."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from fuzzyfrog.common.messages import shown
from fuzzyfrog.errors import ParameterError

_NO_PORT = re.compile(r"((tcp|tls)://)?[^:/]+/?")
CONNECT_SECONDS = 10  # for a scheduler to answer
SHORTEST_PAUSE, LONGEST_PAUSE = 0.0005, 0.02  # seconds between two looks at tasks

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
        raise ParameterError(
            "cluster",
            "be a synchronous client",
            "one with asynchronous=True",
            "Create it outside coroutines, or pass its address.",
        )
    if getattr(cluster, "status", None) != "running":
        raise ParameterError(
            "cluster", "be a client that is connected", shown(cluster), "Create a new one."
        )


@contextmanager
def connected(cluster: object) -> Iterator[Client | None]:
    """Lend the client of the user, a new one for an address (closed afterwards), or None."""
    if cluster is None:
        yield None
    elif isinstance(cluster, str):
        client = _client_at(cluster)
        try:
            _refuse_within_a_task(client)
            yield client
        finally:
            client.close()
    else:
        _refuse_within_a_task(cluster)
        yield cluster


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


def is_settled(futures: Sequence[Future], seconds: float) -> bool:
    """Wait for tasks to end in any way; return whether all did within the time.

    Dask's own `wait` needs the client to be the current one, which changes a setting of the whole
    process: fits in several threads would leave it changed.
    """
    end, pause = time.monotonic() + seconds, SHORTEST_PAUSE
    while not all(future.done() for future in futures):
        left = end - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(pause, left))
        pause = min(1.5 * pause, LONGEST_PAUSE)
    return True


def answer(
    client: Client, call: Callable[[], Any], seconds: float, look_around: Callable[[], None]
) -> Any:
    """Return the answer of a client method, checking on the cluster if it takes long.

    `call` runs in the loop of the client, where its methods return awaitables. `look_around` is
    called after every `seconds` of waiting and raises to give up.
    """
    import asyncio
    from concurrent.futures import wait

    async def awaited() -> Any:
        return await call()

    begun = asyncio.run_coroutine_threadsafe(awaited(), client.loop.asyncio_loop)
    try:
        while not wait([begun], seconds).done:
            look_around()
        return begun.result()
    finally:
        begun.cancel()  # also after Ctrl-C


def known_workers(client: Client, seconds: float) -> Mapping[str, Any]:
    """Return what the scheduler knows about each worker; nothing if it cannot be reached.

    Raises TimeoutError if it does not answer within the time.
    """
    if client.status != "running":
        return {}
    try:
        known = answer(client, lambda: client.scheduler.identity(n_workers=-1), seconds, _give_up)
    except TimeoutError:
        raise
    except OSError:
        return {}
    workers: Mapping[str, Any] = known.get("workers", {})
    return workers


def drop_worker(client: Client, address: str, seconds: float) -> None:
    """Make the scheduler treat a worker as dead: others take over, and it leaves if it wakes."""

    def unregister() -> Any:
        return client.scheduler.unregister(address=address, stimulus_id="fuzzyfrog-silent-worker")

    answer(client, unregister, seconds, _give_up)


def silent_workers(client: Client, addresses: Sequence[str], seconds: float) -> list[str]:
    """Return the workers that do not answer in time; an unreachable one is not silent."""
    import asyncio

    async def is_silent(address: str) -> bool:
        call: Any = client.run(int, workers=[address], on_error="return")
        try:
            await asyncio.wait_for(call, seconds)
        except TimeoutError:
            return True
        return False

    def all_at_once() -> Any:
        return asyncio.gather(*map(is_silent, addresses))

    silent = answer(client, all_at_once, 2 * seconds, _give_up)
    return [address for address, is_one in zip(addresses, silent, strict=True) if is_one]


def _give_up() -> None:
    raise TimeoutError("the connection to the scheduler is stuck")


def is_loss(error: BaseException) -> bool:
    """Whether an error means that workers or data were lost, not that the work is wrong."""
    from concurrent.futures import CancelledError

    distributed = _distributed()
    connection = (distributed.comm.CommClosedError, ConnectionError, TimeoutError)
    # A failed connection is a plain OSError of Dask, without an errno.
    is_unanswered = type(error) is OSError and error.errno is None
    lost = (CancelledError, distributed.scheduler.KilledWorker, *connection)
    return is_unanswered or isinstance(error, lost)


def address_of_this_worker() -> str:
    """Return the address of the worker that runs the current task."""
    return str(_distributed().get_worker().address)
