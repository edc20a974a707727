"""Rounds of tasks with the same results, whichever workers are lost along the way.

Dask itself runs the tasks of a lost worker elsewhere. What it gives up on (data that only the lost
worker had, a task whose workers were lost several times) is submitted again here: every task is a
function of its arguments and nothing else.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from fuzzyfrog.cluster.client import (
    Client,
    Future,
    TableMissingError,
    answer,
    drop_worker,
    is_loss,
    is_settled,
    known_workers,
    silent_workers,
)
from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.errors import ClusterError

RESUBMISSIONS = 10  # of the lost parts of a round
FIRST_PAUSE = 0.1  # seconds before the second attempt; then twice as long, and so on
LONGEST_PAUSE = 2.0
LOOK_AROUND = 2.0  # seconds between checks of which workers are still there
WORKER_SECONDS = 60.0  # how long a cluster may be without any worker
SILENT_SECONDS = 20.0  # before workers are called, and then for each of them to answer
CALL_SECONDS = 10.0  # without a result, after which the workers of a round are called

RESUME = (
    "Run it again on a new cluster: with a checkpoint it resumes where this run ended, bit for "
    "bit; without one it starts over."
)

Submit = Callable[[list[int]], Sequence[Future]]


def collected(
    client: Client, n_parts: int, submit: Submit, recover: Callable[[], None]
) -> list[Any]:
    """Return the results of all parts of a round in their order.

    `submit` submits the parts with the given numbers and returns one future for each. `recover`
    restores what tasks need; it is called before lost parts are submitted again. Raises
    ClusterError if the scheduler is lost, no worker is left, or parts were lost too often.
    """
    results: dict[int, Any] = {}
    last: BaseException | None = None
    for attempt in range(1 + RESUBMISSIONS):
        missing = [part for part in range(n_parts) if part not in results]
        try:
            with _scheduler_of(client):
                if attempt:
                    recover()
                found, last = _attempt(client, submit(missing))
            results.update((missing[place], result) for place, result in found.items())
        except Exception as error:
            last = _loss(error)
        if len(results) == n_parts:
            return [results[part] for part in range(n_parts)]
        time.sleep(min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE))
    raise ClusterError(
        f"the cluster lost the same work {1 + RESUBMISSIONS} times ({_named(last)}). "
        "Its workers may have too little memory; see their logs."
    )


def workers_of(client: Client) -> dict[str, Any]:
    """Return what the scheduler knows about each worker, after waiting for the first one."""
    return _awaited(client, lambda worker: True)


def working_of(client: Client) -> dict[str, Any]:
    """Return only the workers that accept work, neither paused nor about to leave."""
    return _awaited(client, lambda worker: worker["status"] == "running")


def threads_of(client: Client) -> int:
    """Return the number of threads of all workers, after waiting for the first one."""
    return sum(worker["nthreads"] for worker in workers_of(client).values())


def threads_now(client: Client) -> int:
    """Return the number of threads now, without waiting: 0 if there are no workers."""
    return sum(worker["nthreads"] for worker in _known(client).values())


def asked(
    client: Client,
    function: Callable[..., Any],
    *arguments: object,
    workers: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the result of a function on each worker, called at once and outside tasks.

    An error on a worker takes the place of its result. Raises ClusterError if the scheduler is
    lost or workers do not answer.
    """

    def call() -> Any:
        return client.run(function, *arguments, workers=workers, on_error="return")

    return dict(_heard(client, call, workers))


def sent(client: Client, data: object, workers: Sequence[str]) -> Future:
    """Send an object to some workers; raise ClusterError if they do not answer."""

    def call() -> Any:
        return client.scatter(data, workers=workers, broadcast=True, hash=False)

    future: Future = _heard(client, call, workers)
    return future


def _awaited(client: Client, is_wanted: Callable[[Any], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + WORKER_SECONDS
    errand: Sequence[Future] = ()
    while True:
        with _scheduler_of(client):
            known = _known(client)
            wanted = {address: one for address, one in known.items() if is_wanted(one)}
            if wanted:
                return wanted
            if time.monotonic() > deadline:
                raise ClusterError(_nobody(known))
            # A cluster that grows with its work has no worker before there is any.
            errand = errand or client.map(int, [0], pure=False)
        time.sleep(LOOK_AROUND / 10)


def _known(client: Client) -> Mapping[str, Any]:
    try:
        return known_workers(client, SILENT_SECONDS)
    except TimeoutError as error:
        raise ClusterError(
            f"the scheduler of the cluster must answer within {SILENT_SECONDS:.0f} seconds, got "
            f"nothing. {RESUME}"
        ) from error


def _nobody(known: Mapping[str, Any]) -> str:
    if known:
        return (
            f"the cluster must have a worker that takes work, but its {len(known)} were all "
            f"paused or leaving for {WORKER_SECONDS:.0f} seconds. They may have too little "
            "memory; see their logs."
        )
    return (
        f"the cluster must have a worker, got none within {WORKER_SECONDS:.0f} seconds. "
        "Start some with `dask worker` and the address of the scheduler."
    )


def _heard(client: Client, call: Callable[[], Any], workers: Sequence[str] | None) -> Any:
    """Return the answer of workers to a call, however long it takes, unless some are silent."""
    patience_ends = time.monotonic() + SILENT_SECONDS

    def look_around() -> None:
        _require_scheduler(client)
        if time.monotonic() > patience_ends:
            _require_responsive(client, workers or list(workers_of(client)))

    with _scheduler_of(client):
        return answer(client, call, LOOK_AROUND, look_around)


def _require_responsive(client: Client, workers: Sequence[str]) -> None:
    silent = silent_workers(client, workers, SILENT_SECONDS)
    if silent:
        raise ClusterError(
            f"workers must answer within {SILENT_SECONDS:.0f} seconds, got nothing from "
            f"{', '.join(sorted(silent))}. Restart them, or remove them from the cluster."
        )


def _attempt(
    client: Client, futures: Sequence[Future]
) -> tuple[dict[int, Any], BaseException | None]:
    """Return the available results by the position of their future, and why others are lost."""
    watch = _Watch(client)
    try:
        while not is_settled(futures, LOOK_AROUND):
            stop_if_late()
            _require_scheduler(client)
            watch.look(sum(future.status == "pending" for future in futures))
        errors = [future.exception() for future in futures if future.status == "error"]
        losses = [_loss(error) for error in errors if error is not None]
        done = [place for place, future in enumerate(futures) if future.status == "finished"]
        results = _fetched(client, [futures[place] for place in done])
        return dict(zip(done, results, strict=True)), losses[0] if losses else None
    finally:  # no worker keeps working after Ctrl-C or keeps a result
        _cancel(client, futures)


def _fetched(client: Client, futures: Sequence[Future]) -> list[Any]:
    """Return results; those lost on the way are computed again elsewhere."""
    watch = _Watch(client)
    return list(answer(client, lambda: client.gather(futures), LOOK_AROUND, watch.look))


class _Watch:
    """Keeps a frozen worker from holding up a round.

    Dask waits five minutes for one. Here, if no result arrives for a while, all workers are
    called, however busy they are; one that does not answer is treated as dead.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._n_open: int | None = None
        self._heard = time.monotonic()

    def look(self, n_open: int = 0) -> None:
        """Check that a worker is left, and that fewer tasks are open than before."""
        workers = workers_of(self._client)
        if n_open != self._n_open:
            self._n_open, self._heard = n_open, time.monotonic()
        elif time.monotonic() - self._heard >= CALL_SECONDS:
            for address in silent_workers(self._client, list(workers), SILENT_SECONDS):
                drop_worker(self._client, address, SILENT_SECONDS)
            self._heard = time.monotonic()


def _cancel(client: Client, futures: Sequence[Future]) -> None:
    if client.status == "running":
        with suppress(Exception):  # an error that led here says more
            client.cancel(futures)


def _loss(error: BaseException) -> BaseException:
    """Return an error that means lost work; raise any other."""
    if isinstance(error, TableMissingError) or is_loss(error):
        return error
    raise error


@contextmanager
def _scheduler_of(client: Client) -> Iterator[None]:
    """Turn errors that come from a lost scheduler into one that says so."""
    _require_scheduler(client)
    try:
        yield
    except Exception as error:
        if is_loss(error):
            time.sleep(FIRST_PAUSE)  # the client may be the last to know
        _require_scheduler(client, error)
        raise


def _require_scheduler(client: Client, reason: Exception | None = None) -> None:
    if client.status != "running":
        raise ClusterError(f"the scheduler of the cluster was lost. {RESUME}") from reason


def _named(error: BaseException | None) -> str:
    return "cancelled" if error is None else f"{type(error).__name__}: {error}"
