"""When work must end: by a deadline, or by Ctrl-C."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from importlib import import_module
from math import inf
from types import FrameType, TracebackType
from typing import Any, Self

ALLOWANCE = 3.0  # seconds after a limit, or after Ctrl-C, for the core and the explanations
SEARCH_SHARE = 0.9  # of a limit; the rest is for what follows the search
CORE_SHARE = 0.95


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


# Those that a handler may turn into KeyboardInterrupt; Windows has fewer.
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold signals back until the end, when their handlers hear of them.

    A handler may raise KeyboardInterrupt anywhere. Where LLVM calls back into Python, it would be
    lost; and an import that it ends leaves modules behind that no later import can repair.
    """
    if threading.current_thread() is not threading.main_thread():  # where signals are handled
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    is_over = False

    def hold(number: int, frame: FrameType | None) -> None:
        if is_over:  # it comes while the handlers are put back
            before[number](number, frame)
        else:
            came.append((number, frame))

    found = {one: signal.getsignal(one) for one in SIGNALS}
    before: dict[int, Any] = {one: handler for one, handler in found.items() if callable(handler)}
    with ExitStack() as stack:  # which does all of this, even if a handler raises
        try:
            for one in before:
                signal.signal(one, hold)
            yield
        finally:
            is_over = True
            for number, frame in reversed(came):
                stack.callback(before[number], number, frame)
            for one, handler in before.items():
                stack.callback(signal.signal, one, handler)


def whole_import(name: str) -> Any:
    """Return a module that is slow to import; an interruption waits for the end of that."""
    with uninterrupted():
        return import_module(name)


class Interrupted(TimeIsUp):
    """Ctrl-C came before the search began."""


class Preparation:
    """A context that the first Ctrl-C does not cut short, since there is no answer before its end.

    So it is for the command line, whose handler asks `postpone_interruption`.
    """

    def __init__(self) -> None:
        self._is_interrupted = False
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if not is_interruptible():  # otherwise the work around it answers, such as a check
            _here.preparation = self
        self._stack.enter_context(interruptible())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _here.preparation = None
        self._stack.close()

    def postpone(self) -> None:
        """Note a Ctrl-C, to be answered later."""
        self._is_interrupted = True

    def end_if_interrupted(self) -> None:
        """Raise `Interrupted` if there was a Ctrl-C."""
        if self._is_interrupted:
            raise Interrupted("the fit was interrupted while it was prepared")


def postpone_interruption() -> bool:
    """Whether there is a preparation, at whose end the interruption will be answered."""
    preparation: Preparation | None = getattr(_here, "preparation", None)
    if preparation is not None:
        preparation.postpone()
    return preparation is not None


@contextmanager
def ending_at_ctrl_c() -> Iterator[None]:
    """Raise `Interrupted` at Ctrl-C: there is an answer, though nothing was searched."""
    try:
        with interruptible():
            yield
    except KeyboardInterrupt:
        raise Interrupted("the fit was interrupted before its search") from None


class Limit:
    """When the parts of a fit must end, counted from now; None for no limit."""

    def __init__(self, max_seconds: float | None) -> None:
        self._seconds = inf if max_seconds is None else max_seconds
        self._start = time.monotonic()

    def for_search(self) -> Deadline:
        """Return the deadline of the search."""
        return Deadline(self._left(SEARCH_SHARE))

    def for_core(self, *, interrupted: bool) -> Deadline:
        """Return the deadline of the core; an interrupted fit has only the allowance."""
        left = max(0.0, self._left(CORE_SHARE)) + ALLOWANCE / 2
        return Deadline(min(left, ALLOWANCE / 2) if interrupted else left)

    def _left(self, share: float = 1.0) -> float:
        return self._start + share * self._seconds - time.monotonic()
