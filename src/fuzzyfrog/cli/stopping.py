"""Ctrl-C and SIGTERM: the first ends the search in good order, the second everything."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fuzzyfrog.search import Moment

__all__ = ["Stopping"]

# Where the driver of the searches catches an interruption.
DRIVER, FOLLOWING = "fuzzyfrog.search.driver", "_follow"
SIGNALS = (signal.SIGINT, signal.SIGTERM)
NOTICE = b"fuzzyfrog: stopping with the best so far; press Ctrl-C again to stop at once\n"


class Stopping:
    """While it is entered, the first signal does not lose what a search has found.

    The driver of the searches keeps the best so far when it is interrupted. So a first signal
    interrupts it there; elsewhere, once something was found, it is only noted: the record and
    the files are still made of it. Before that, and at the second signal, it ends the command.

    Attributes
    ----------
    is_asked : bool
        Whether a signal came.
    has_found : bool
        Whether there is something to keep; a search sets it by calling this as a callback.
    """

    def __init__(self) -> None:
        self.is_asked = False
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

    def _stop(self, _: int, frame: FrameType | None) -> None:
        is_first, self.is_asked = not self.is_asked, True
        if is_first and self.has_found:
            # Nothing but this may be written here: the signal can come amid any other writing.
            with suppress(OSError):
                os.write(2, (b"\n" if os.isatty(2) else b"") + NOTICE)
            if not _is_inside_driver(frame):
                return
        raise KeyboardInterrupt


def _is_inside_driver(frame: FrameType | None) -> bool:
    while frame is not None:
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) == (DRIVER, FOLLOWING):
            return True
        frame = frame.f_back
    return False
