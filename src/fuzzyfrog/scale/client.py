"""The only door to Dask: clients, waiting, and which of its errors mean that work was lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from fuzzyfrog.data.wording import shown

__all__ = [
    "CONNECT_SECONDS",
    "Client",
    "Future",
    "address_of_this_worker",
    "check_cluster",
    "connected",
    "is_loss",
    "is_settled",
]

CONNECT_SECONDS = 10  # for a scheduler to answer


class Future(Protocol):
    """What a task will give; of `distributed.Future` the part that is used here."""

    @property
    def key(self) -> str:
        """What the cluster calls the result."""

    @property
    def status(self) -> str:
        """How far it is: "pending", "finished", "error", "cancelled" or "lost"."""

    def exception(self) -> BaseException | None:
        """Give the error that ended the task, if one did."""


class Client(Protocol):
    """A connection to a cluster; of `distributed.Client` the part that is used here."""

    @property
    def status(self) -> str:
        """Whether there is a connection: "running" if so."""

    def map(
        self, function: Callable[..., Any], *iterables: Sequence[Any], pure: bool
    ) -> list[Future]:
        """Have a function called on some worker for each set of arguments."""

    def gather(self, futures: Sequence[Future]) -> list[Any]:
        """Give results in the order of the futures."""

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
    if not isinstance(cluster, str):
        yield cluster  # type: ignore[misc]
        return
    client = _client_at(cluster)
    try:
        yield client
    finally:
        client.close()


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


def is_loss(error: BaseException) -> bool:
    """Tell whether an error means that workers or data were lost, not that the work is wrong."""
    from concurrent.futures import CancelledError

    # OSError: connections that are closed, refused or silent.
    return isinstance(error, CancelledError | OSError | _distributed().scheduler.KilledWorker)


def address_of_this_worker() -> str:
    """Give, inside a task, where it runs."""
    return str(_distributed().get_worker().address)
