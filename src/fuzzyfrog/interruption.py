"""Whether an interruption now ends a search in good order.

The driver catches one and keeps the best so far; in any other code it would lose that. A handler of
signals, which may be called at any moment, asks here before it raises.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["interruptible", "is_interruptible"]

_here = threading.local()  # signals are handled in the main thread, and are for a search there


@contextmanager
def interruptible() -> Iterator[None]:
    """Have `is_interruptible` answer yes, in this thread, for as long as this is entered."""
    try:
        _here.is_inside = True
        yield
    finally:
        _here.is_inside = False


def is_interruptible() -> bool:
    """Whether this thread is inside a search whose driver catches an interruption."""
    return getattr(_here, "is_inside", False)
