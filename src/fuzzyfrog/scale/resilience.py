"""Rounds of tasks that end with the same results, whatever workers are lost on the way.

Dask itself runs the tasks of a lost worker elsewhere. What it gives up (data that only the lost
worker had, a task whose workers were lost several times) is submitted again here: every task is
a function of what it is given and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from fuzzyfrog.scale.client import Client, Future, is_loss, is_settled
from fuzzyfrog.scale.tables import TableMissingError

__all__ = ["ClusterError", "collected", "threads_of", "workers_of"]

RESUBMISSIONS = 10  # of a round
FIRST_PAUSE = 0.1  # seconds before the second attempt; then twice as long, and so on
LONGEST_PAUSE = 2.0
LOOK_AROUND = 2.0  # seconds of waiting after which it is asked who is still there
WORKER_SECONDS = 60.0  # how long a cluster may be without any worker

Submit = Callable[[list[int]], Sequence[Future]]


class ClusterError(RuntimeError):
    """The cluster cannot go on; the message says why and the way out."""


def collected(
    client: Client, n_parts: int, submit: Submit, recover: Callable[[], None]
) -> list[Any]:
    """Give the results of all parts of a round in their order.

    Parameters
    ----------
    client : Client
        The cluster.
    n_parts : int
        Number of parts.
    submit : callable
        Submits the parts whose numbers it is given, and gives one future for each.
    recover : callable
        Brings back what tasks need; called before parts that were lost are submitted again.

    Raises
    ------
    ClusterError
        If the scheduler is lost, no worker is left, or parts were lost too often.
    """
    results: dict[int, Any] = {}
    last: BaseException | None = None
    for attempt in range(1 + RESUBMISSIONS):
        missing = [part for part in range(n_parts) if part not in results]
        try:
            if attempt:
                recover()
            found, last = _attempt(client, submit(missing))
            results.update((missing[place], result) for place, result in found.items())
        except Exception as error:
            last = _loss(error)
        if len(results) == n_parts:
            return [results[part] for part in range(n_parts)]
        _require_scheduler(client)
        time.sleep(min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE))
    raise ClusterError(
        f"the cluster lost the same work {1 + RESUBMISSIONS} times ({_named(last)}). "
        "Its workers may have too little memory; see their logs."
    )


def workers_of(client: Client) -> dict[str, Any]:
    """Give what the scheduler tells of each worker, after waiting for the first of them."""
    deadline = time.monotonic() + WORKER_SECONDS
    while True:
        workers: dict[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
        if workers:
            return dict(workers)
        _require_scheduler(client)
        if time.monotonic() > deadline:
            raise ClusterError(
                f"the cluster must have a worker, got none within {WORKER_SECONDS:.0f} seconds. "
                "Start some with `dask worker` and the address of the scheduler."
            )
        time.sleep(LOOK_AROUND / 10)


def threads_of(client: Client) -> int:
    """Give the number of threads that all workers have together."""
    return sum(worker["nthreads"] for worker in workers_of(client).values())


def _attempt(
    client: Client, futures: Sequence[Future]
) -> tuple[dict[int, Any], BaseException | None]:
    """Give the results that there are, by the place of their future, and why others are lost."""
    try:
        while not is_settled(client, futures, LOOK_AROUND):
            _require_scheduler(client)
            workers_of(client)
        errors = [future.exception() for future in futures if future.status == "error"]
        losses = [_loss(error) for error in errors if error is not None]
        done = [place for place, future in enumerate(futures) if future.status == "finished"]
        results = client.gather([futures[place] for place in done])
        return dict(zip(done, results, strict=True)), losses[0] if losses else None
    finally:  # nobody works on after Ctrl-C, and no result stays on a worker
        _cancel(client, futures)


def _cancel(client: Client, futures: Sequence[Future]) -> None:
    if client.status == "running":
        with suppress(Exception):  # an error that led here says more
            client.cancel(futures)


def _loss(error: BaseException) -> BaseException:
    """Give an error back if work was lost by it; raise any other."""
    if isinstance(error, TableMissingError) or is_loss(error):
        return error
    raise error


def _require_scheduler(client: Client) -> None:
    if client.status != "running":
        raise ClusterError(
            "the scheduler of the cluster was lost. Run the same again on a new cluster: with a "
            "checkpoint it goes on where this run ended, bit for bit; without one it starts anew."
        )


def _named(error: BaseException | None) -> str:
    return "cancelled" if error is None else f"{type(error).__name__}: {error}"
