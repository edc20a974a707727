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
    """Let a first signal raise KeyboardInterrupt in this thread; the caller catches it."""
    before = is_interruptible()
    try:
        _here.is_inside = True
        yield
    finally:
        _here.is_inside = before


def is_interruptible() -> bool:
    """Return whether an interruption is caught around what this thread does now."""
    return getattr(_here, "is_inside", False)
