"""Listening to a coroutine without disturbing it."""

from collections.abc import Callable, Generator
from typing import TypeAlias, TypeVar

from fuzzyfrog.search.protocol import Batch, Floats, Masks

__all__ = ["Steps", "overheard"]

T = TypeVar("T")
Steps: TypeAlias = Generator[Batch, Floats, T]


def overheard(steps: Steps[T], hear: Callable[[Masks, Floats], object]) -> Steps[T]:
    """Go through steps that yield batches, and tell `hear` the subsets and scores of each."""
    try:
        batch = next(steps)
        while True:
            scores = yield batch
            hear(batch.subsets, scores)
            batch = steps.send(scores)
    except StopIteration as stop:
        result: T = stop.value
        return result
