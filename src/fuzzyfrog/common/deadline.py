"""When work must end: by a deadline, or by Ctrl-C.

A signal only ends the deadlines of the work under way (`stoppable`), which polls them
(`stop_if_late`) and so leaves an answer behind. A second signal raises KeyboardInterrupt at once,
and so does the first where nothing is under way.
"""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from math import inf
from types import FrameType
from typing import Any, Literal

ALLOWANCE = 3.0  # seconds after a limit, or after Ctrl-C, for the core and the explanations
SEARCH_SHARE = 0.9  # of a limit; the rest is for what follows the search
CORE_SHARE = 0.95

# Signals are handled in the main thread, which alone changes these.
_n_signals = 0  # that ended deadlines so far
_n_before: int | None = None  # that had done so when the work under way began; None if none is


class TimeIsUp(Exception):  # noqa: N818 - not an error: the caller set the limit
    """Work was abandoned because its deadline has passed."""


class Deadline:
    """A point in time, given by the seconds from now; infinity for none. A signal ends it early.

    Examples
    --------
    >>> from fuzzyfrog.common.deadline import Deadline
    >>> Deadline(60).expired()
    False
    """

    def __init__(self, seconds: float = inf, *, n_signals: float | None = None) -> None:
        self._at = time.monotonic() + seconds
        self._n_signals = _n_signals if n_signals is None else n_signals  # more of them end it

    def within(self, seconds: float = inf) -> Deadline:
        """Return a deadline some seconds from now, or when this one passes."""
        n_signals = min(self._n_signals, _n_signals)
        return Deadline(min(seconds, self.remaining()), n_signals=n_signals)

    def extended(self, seconds: float = 0.0) -> Deadline:
        """Return a deadline some seconds after this one, or from now if that is later."""
        return Deadline(max(0.0, self.remaining()) + seconds, n_signals=self._n_signals)

    def remaining(self) -> float:
        """Return the seconds that are left, negative once it has passed."""
        return self._at - time.monotonic()

    def expired(self) -> bool:
        """Whether it has passed."""
        return _n_signals > self._n_signals or time.monotonic() >= self._at

    @property
    def reason(self) -> Literal["interrupted", "max_seconds"]:
        """Why it has passed."""
        return "interrupted" if _n_signals > self._n_signals else "max_seconds"

    def end(self) -> None:
        """Make the deadline pass now; safe from any thread."""
        self._at = -inf


_current: ContextVar[Deadline] = ContextVar("deadline", default=Deadline(n_signals=inf))  # noqa: B039 - none


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


def interrupt(_number: int = 0, _frame: FrameType | None = None) -> None:
    """Handle a signal: end the deadlines of the work under way, or raise KeyboardInterrupt."""
    global _n_signals
    if _n_before is None or is_interrupted():
        raise KeyboardInterrupt
    _n_signals += 1


def is_stoppable() -> bool:
    """Whether there is work under way whose deadlines the first signal ends."""
    return _n_before is not None


def is_interrupted() -> bool:
    """Whether a signal has ended the deadlines of the work under way."""
    return _n_before is not None and _n_signals > _n_before


@contextmanager
def stoppable() -> Iterator[None]:
    """Let the first signal only end the deadlines inside; the work answers it."""
    global _n_before
    is_outer = _is_outer()
    is_python = is_outer and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if is_outer:
            _n_before = _n_signals
        if is_python:
            signal.signal(signal.SIGINT, interrupt)
        yield
    finally:
        if is_outer:
            _n_before = None
        if is_python:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_outer() -> bool:
    return _n_before is None and threading.current_thread() is threading.main_thread()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Raise KeyboardInterrupt for a first signal only at the end; not at all in stoppable work.

    Where LLVM calls back into Python it would be lost, and an import that it ends leaves modules
    behind that no later import can repair.
    """
    is_outer, n_before = _is_outer(), _n_signals
    with stoppable():
        yield
    if is_outer and _n_signals > n_before:
        raise KeyboardInterrupt


def whole_import(name: str) -> Any:
    """Return a module that is slow to import; an interruption waits for the end of that.

    Nothing that is imported is garbage, and to look for it takes up to a fifth of the time. So it
    counts as old at once.
    """
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        with uninterrupted():
            return import_module(name)
    finally:
        if not gc.get_freeze_count():  # else the program has frozen something of its own
            gc.freeze()
            gc.unfreeze()  # to what is old
        if is_collecting:
            gc.enable()


class Limit:
    """When the parts of a fit must end, counted from now; None for no limit."""

    def __init__(self, max_seconds: float | None) -> None:
        seconds = inf if max_seconds is None else max_seconds
        self.for_search = Deadline(SEARCH_SHARE * seconds)
        self._core = Deadline(CORE_SHARE * seconds)

    def for_core(self) -> Deadline:
        """Return the deadline of the core; an interrupted fit has only the allowance."""
        if self._core.reason == "interrupted":
            return Deadline(ALLOWANCE / 2)
        return self._core.extended(ALLOWANCE / 2)
