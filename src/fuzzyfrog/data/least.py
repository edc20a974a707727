"""How much a table must have: rows that are added to another table may be few and alike."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_least = ContextVar("least", default=2)


def least() -> int:
    """Return the lowest number of rows, and of different targets, that a table may have."""
    return _least.get()


@contextmanager
def rows_to_add() -> Iterator[None]:
    """Read tables inside as rows that are added to another table: one is enough."""
    before = _least.set(1)
    try:
        yield
    finally:
        _least.reset(before)
