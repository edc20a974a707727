"""Deadlines: one clock for all the work that a time limit covers."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf


class TimeIsUp(Exception):  # noqa: N818 - not an error: the caller set the limit
    """Work was abandoned because its deadline has passed."""


class Deadline:
    """A point in time, given by the seconds from now; infinity for none.

    Examples
    --------
    >>> from fuzzyfrog.common.deadline import Deadline
    >>> Deadline(60).expired()
    False
    """

    def __init__(self, seconds: float = inf) -> None:
        self._at = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds that are left, negative once it has passed."""
        return self._at - time.monotonic()

    def expired(self) -> bool:
        """Whether it has passed."""
        return time.monotonic() >= self._at

    def end(self) -> None:
        """Make the deadline pass now; safe from any thread."""
        self._at = -inf


_current: ContextVar[Deadline] = ContextVar("deadline", default=Deadline())  # noqa: B039 - none


def current_deadline() -> Deadline:
    """Return the deadline of the current work."""
    return _current.get()


@contextmanager
def limited(deadline: Deadline) -> Iterator[None]:
    """Set the deadline of the work inside, which may be later than the one outside."""
    token = _current.set(deadline)
    try:
        yield
    finally:
        _current.reset(token)


def stop_if_late() -> None:
    """Raise `TimeIsUp` if the deadline has passed; called between pieces of long work."""
    if _current.get().expired():
        raise TimeIsUp("the time for this work is over")


_here = threading.local()  # per thread: signals reach the main thread, for a search there


@contextmanager
def interruptible() -> Iterator[None]:
    """Allow a first signal to raise KeyboardInterrupt in this thread; the caller catches it."""
    before = is_interruptible()
    try:
        _here.is_inside = True
        yield
    finally:
        _here.is_inside = before


def is_interruptible() -> bool:
    """Whether an interruption of the current work of this thread is caught."""
    return getattr(_here, "is_inside", False)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold an interruption back until the end: inside, KeyboardInterrupt would be lost.

    A signal that arrives while LLVM calls back into Python raises an exception that is lost.
    """
    _here.n_held = getattr(_here, "n_held", 0) + 1
    try:
        yield
    finally:
        _here.n_held -= 1
    if not _here.n_held and getattr(_here, "is_due", False):
        _here.is_due = False
        raise KeyboardInterrupt


def hold_interruption() -> bool:
    """Whether an interruption is held back now; if it is, it is raised later."""
    is_held = getattr(_here, "n_held", 0) > 0
    _here.is_due = is_held or getattr(_here, "is_due", False)
    return is_held
