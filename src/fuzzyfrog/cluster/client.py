"""The only door to Dask: clients, waiting, and which of its errors mean that work was lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from fuzzyfrog.common.messages import shown

__all__ = [
    "CONNECT_SECONDS",
    "Client",
    "Future",
    "TableMissingError",
    "address_of_this_worker",
    "answer",
    "check_cluster",
    "connected",
    "drop_worker",
    "is_loss",
    "is_settled",
    "known_workers",
    "silent_workers",
]

_NO_PORT = re.compile(r"((tcp|tls)://)?[^:/]+/?")
CONNECT_SECONDS = 10  # for a scheduler to answer


class TableMissingError(LookupError):
    """A worker was asked to score subsets of a table that it does not have (any more)."""


class Future(Protocol):
    """What a task will give; of `distributed.Future` the part that is used here."""

    @property
    def key(self) -> str:
        """What the cluster calls the result."""

    @property
    def status(self) -> str:
        """How far it is: "pending", "finished", "error", "cancelled" or "lost"."""

    def exception(self) -> BaseException | None:
        """Return the error that ended the task, if one did."""


class Client(Protocol):
    """A connection to a cluster; of `distributed.Client` the part that is used here."""

    @property
    def status(self) -> str:
        """Whether there is a connection: "running" if so."""

    @property
    def scheduler(self) -> Any:
        """The scheduler, whose methods give what can be awaited in the loop."""

    @property
    def loop(self) -> Any:
        """The loop of Tornado, in a thread of its own, that talks to the cluster."""

    def map(
        self, function: Callable[..., Any], *iterables: Sequence[Any], pure: bool
    ) -> list[Future]:
        """Have a function called on some worker for each set of arguments."""

    def gather(self, futures: Sequence[Future]) -> list[Any]:
        """Return results in the order of the futures."""

    def scatter(
        self,
        data: object,
        *,
        workers: Sequence[str] | None,
        broadcast: bool,
        hash: bool,  # noqa: A002 - as Dask calls it
    ) -> Future:
        """Send an object to a worker, or to all."""

    def run(
        self,
        function: Callable[..., Any],
        *args: Any,
        workers: Sequence[str] | None = None,
        on_error: str = "raise",
    ) -> dict[str, Any]:
        """Call a function at once on all workers, outside of tasks."""

    def cancel(self, futures: Sequence[Future]) -> None:
        """Have nobody work for these futures any more."""

    def scheduler_info(self, *, n_workers: int) -> Mapping[str, Any]:
        """Tell about the cluster and its workers."""

    def as_current(self) -> AbstractContextManager[object]:
        """Have functions of Dask that take no client use this one."""

    def close(self) -> None:
        """End the connection."""


def check_cluster(cluster: object) -> None:
    """Raise unless a value can stand for a cluster; nobody is called for that."""
    if isinstance(cluster, str) and _NO_PORT.fullmatch(cluster):
        raise ValueError(
            "cluster must be an address with a port, such as 'tcp://10.0.0.1:8786', got "
            f"{shown(cluster)}. `dask scheduler` prints it."
        )
    if cluster is None or (isinstance(cluster, str) and cluster):
        return
    is_client = all(hasattr(cluster, name) for name in ("map", "scatter", "run"))
    if not is_client or isinstance(cluster, type):
        raise ValueError(
            "cluster must be None, an address such as 'tcp://10.0.0.1:8786', or a "
            f"distributed.Client, got {shown(cluster)}."
        )
    if getattr(cluster, "asynchronous", False):
        raise ValueError(
            "cluster must be a client that waits for its answers, got one with "
            "asynchronous=True. Make it outside of coroutines, or give its address."
        )
    if getattr(cluster, "status", None) != "running":
        raise ValueError(
            f"cluster must be a client that is connected, got {shown(cluster)}. Make a new one."
        )


@contextmanager
def connected(cluster: object) -> Iterator[Client | None]:
    """Lend a client: that of the user, or for an address a new one that is closed afterwards.

    Parameters
    ----------
    cluster : None, str or distributed.Client
        What `check_cluster` lets pass; None lends None.
    """
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
        _refuse_within_a_task(cluster)  # type: ignore[arg-type]
        yield cluster  # type: ignore[misc]


def _refuse_within_a_task(client: Client) -> None:
    """Raise in a task of the same cluster: it would wait for the thread that it keeps busy."""
    try:
        here = address_of_this_worker()
    except ValueError:  # Dask's way to say: not inside a task
        return
    if here in client.scheduler_info(n_workers=-1).get("workers", {}):
        raise ValueError(
            "cluster must be another one than that whose task calls fit, got the cluster of "
            f"the worker {here}. Call fit outside of its tasks, or with cluster=None."
        )


def _client_at(address: str) -> Client:
    distributed = _distributed()
    try:
        client: Client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:  # nobody there, or no address
        reason = " ".join(str(error).split())
        raise ValueError(
            "cluster must be the address of a Dask scheduler that answers within "
            f"{CONNECT_SECONDS} seconds, got {shown(address)} ({reason}). Start one with "
            "`dask scheduler`, or correct the address."
        ) from None
    return client


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ValueError(
            "cluster must be None without Dask, which is not installed. "
            "Install it with: pip install 'fuzzyfrog[dask]'"
        ) from None
    return distributed


def is_settled(client: Client, futures: Sequence[Future], seconds: float) -> bool:
    """Wait for tasks to end in any way; tell whether all did within the time."""
    from concurrent.futures import CancelledError

    try:
        with client.as_current():  # it need not be the default one
            _distributed().wait(futures, timeout=seconds)
    except CancelledError:  # some of them; the others have ended as well
        return True
    except TimeoutError:
        return False
    return True


def answer(
    client: Client, call: Callable[[], Any], seconds: float, look_around: Callable[[], None]
) -> Any:
    """Return what a method of a client answers, looking around as long as it does not.

    Parameters
    ----------
    client : Client
        The cluster.
    call : callable
        Calls the method. This happens in the loop of the client, where methods that wait
        elsewhere give something that can be awaited.
    seconds : float
        How long to wait before looking around, and then again each time.
    look_around : callable
        Raises to give up.
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
    """Return what the scheduler tells of each worker; none if it cannot be reached.

    Raises
    ------
    TimeoutError
        If it says nothing at all for so many seconds.
    """
    if client.status != "running":
        return {}
    try:
        told = answer(client, lambda: client.scheduler.identity(n_workers=-1), seconds, _give_up)
    except TimeoutError:
        raise
    except OSError:
        return {}
    workers: Mapping[str, Any] = told.get("workers", {})
    return workers


def drop_worker(client: Client, address: str, seconds: float) -> None:
    """Have the scheduler take a worker for dead: others do its work, and it leaves if it wakes."""

    def unregister() -> Any:
        return client.scheduler.unregister(address=address, stimulus_id="fuzzyfrog-silent-worker")

    answer(client, unregister, seconds, _give_up)


def silent_workers(client: Client, addresses: Sequence[str], seconds: float) -> list[str]:
    """Return the workers that do not answer in time; one that cannot be reached is not silent."""
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
    """Return whether an error means that workers or data were lost, not that the work is wrong."""
    from concurrent.futures import CancelledError

    distributed = _distributed()
    connection = (distributed.comm.CommClosedError, ConnectionError, TimeoutError)
    # Nobody there to connect to is a plain OSError of Dask, without a number of the system.
    is_unanswered = type(error) is OSError and error.errno is None
    lost = (CancelledError, distributed.scheduler.KilledWorker, *connection)
    return is_unanswered or isinstance(error, lost)


def address_of_this_worker() -> str:
    """Give, inside a task, where it runs."""
    return str(_distributed().get_worker().address)
