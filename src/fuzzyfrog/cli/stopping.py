"""Ctrl-C and SIGTERM: the first ends the search in good order, the second everything."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fuzzyfrog.search import Moment

__all__ = ["Stopping"]

# Where an interruption is caught: in the driver of the searches, and around the core.
CATCHERS = {("fuzzyfrog.search.driver", "_follow"), ("fuzzyfrog.select.selector", "_core")}
SIGNALS = (signal.SIGINT, signal.SIGTERM)
NOTICE = (
    b"fuzzyfrog: stopping with the best so far; core and explanations are left out if they take "
    b"more than 3 seconds; press Ctrl-C again to stop at once\n"
)


class Stopping:
    """While it is entered, the first signal does not lose what a search has found.

    The driver of the searches keeps the best so far when it is interrupted, and the core is left
    out. So a first signal interrupts them there, and inside of `interruptible`; elsewhere, once
    something was found, it is only noted: the record and the files are still made of it. Before
    that, and at the second signal, it ends the command.

    Attributes
    ----------
    n_asked : int
        How many signals came.
    has_found : bool
        Whether there is something to keep; a search sets it by calling this as a callback.
    """

    def __init__(self) -> None:
        self.n_asked = 0
        self.has_found = False
        self._is_interruptible = False
        self._before: dict[signal.Signals, Any] = {}

    def __call__(self, moment: Moment) -> None:
        """Note whether something was found."""
        self.has_found = moment.n_best > 0

    def __enter__(self) -> Stopping:
        for one in SIGNALS:
            # What is started with nohup, or in the background of a script, ignores signals.
            if signal.getsignal(one) is not signal.SIG_IGN:
                self._before[one] = signal.signal(one, self._stop)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let the first signal raise KeyboardInterrupt inside; the caller catches it."""
        self._is_interruptible = True
        try:
            yield
        finally:
            self._is_interruptible = False

    def _stop(self, _: int, frame: FrameType | None) -> None:
        self.n_asked += 1
        is_caught = self._is_interruptible or _is_inside_catcher(frame)
        if self.n_asked == 1 and (self.has_found or is_caught):
            # Nothing but this may be written here: the signal can come amid any other writing.
            with suppress(OSError):
                os.write(2, (b"\n" if os.isatty(2) else b"") + NOTICE)
            if not is_caught:
                return
        raise KeyboardInterrupt


def _is_inside_catcher(frame: FrameType | None) -> bool:
    while frame is not None:
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) in CATCHERS:
            return True
        frame = frame.f_back
    return False
