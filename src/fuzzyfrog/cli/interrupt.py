"""Ctrl-C, SIGTERM, a closed terminal: the first ends the search in good order, the second all."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from fuzzyfrog.common.deadline import is_interruptible

if TYPE_CHECKING:
    from fuzzyfrog.search import Moment

__all__ = [
    "Stopping",
]

# What is sent when a terminal is closed; there is none on Windows.
HANGUP = getattr(signal, "SIGHUP", None)
SIGNALS = tuple(one for one in (signal.SIGINT, signal.SIGTERM, HANGUP) if one is not None)
NOTICE = (
    b"fuzzyfrog: stopping with the best so far; core and explanations are left out if they take "
    b"more than 3 seconds; press Ctrl-C again to stop at once\n"
)


class Stopping:
    """While it is entered, the first signal does not lose what a search has found.

    The driver of the searches keeps the best so far when it is interrupted, and the core and the
    explanations are left out. So a first signal interrupts them there; elsewhere, once something
    was found, it is only noted: the record and the files are still made of it. Before that, and
    at the second signal, it ends the command. A terminal that is closed is never a second signal:
    the shell and the system both send one.

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

    def _stop(self, number: int, _: FrameType | None) -> None:
        if number == HANGUP and self.n_asked:
            return
        self.n_asked += 1
        is_caught = is_interruptible()
        if self.n_asked == 1 and (self.has_found or is_caught):
            # Nothing but this may be written here: the signal can come amid any other writing.
            with suppress(OSError):
                os.write(2, (b"\n" if os.isatty(2) else b"") + NOTICE)
            if not is_caught:
                return
        raise KeyboardInterrupt
